#!/usr/bin/env bash
# Installs a release of Relink for the GitHub Action and verifies its checksum.
set -euo pipefail

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) target=x86_64-unknown-linux-musl ;;
  *)
    echo "error: no release for $(uname -s) on $(uname -m)" >&2
    echo "hint: install relink with cargo, and set the input version to path" >&2
    exit 2
    ;;
esac
base=https://github.com/$RELINK_REPOSITORY/releases
if [ "$RELINK_VERSION" = latest ]; then
  url=$base/latest/download
else
  url=$base/download/$RELINK_VERSION
fi
dir=${RUNNER_TEMP:-/tmp}/relink-bin
mkdir -p "$dir"
cd "$dir"
name=relink-$target.tar.gz
curl -fsSL --proto '=https' --retry 3 -O "$url/$name" -O "$url/$name.sha256"
sha256sum -c "$name.sha256"
tar -xzf "$name"
echo "$dir" >>"$GITHUB_PATH"
