#!/usr/bin/env bash
# Runs `relink check` for the GitHub Action. Inputs are environment variables, so that
# their text is never part of a shell command. Prints annotations and adds a report
# to the summary of the job.
set -euo pipefail

read -ra paths <<<"${INPUT_PATHS:-.}"
read -ra extra <<<"${INPUT_ARGS:-}"
args=(check --db .relink.db --format github)
if [ -n "${INPUT_SINCE:-}" ]; then
  args+=("--since=$INPUT_SINCE")
fi
if [ -n "${INPUT_SARIF:-}" ]; then
  args+=(-o "sarif=$INPUT_SARIF")
fi
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
args+=(-o "markdown=$summary")

code=0
"${RELINK:-relink}" "${args[@]}" "${extra[@]}" -- "${paths[@]}" || code=$?

if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  cat "$summary" >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  echo "exit-code=$code" >>"$GITHUB_OUTPUT"
fi
exit "$code"
