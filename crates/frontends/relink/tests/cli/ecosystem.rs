//! The GitHub Action and the pre-commit hook, run as their hosts run them.

use std::path::Path;
use std::process::Command;

use crate::git_project::init;
use crate::sandbox::{CommandOutput, Sandbox};

/// Returns the path of a file of the repository.
fn repository_file(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(name)
}

/// Runs the script of the GitHub Action with inputs, as environment variables.
fn run_action(sandbox: &Sandbox, inputs: &[(&str, &str)]) -> CommandOutput {
    let script = repository_file("action/check.sh");
    let mut command = sandbox.isolated(Command::new("bash"), &[script.to_str().unwrap()]);
    command
        .env("RELINK", env!("CARGO_BIN_EXE_relink"))
        .env("GITHUB_STEP_SUMMARY", sandbox.path("summary.md"))
        .env("GITHUB_OUTPUT", sandbox.path("output.txt"))
        .envs(inputs.iter().copied());
    CommandOutput::new(&command.output().unwrap())
}

#[test]
fn action_prints_annotations_and_writes_a_summary() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "[x](gone.md)\n");
    let inputs = [("INPUT_PATHS", "docs"), ("INPUT_ARGS", "--offline"), ("INPUT_SARIF", "x.sarif")];
    let output = run_action(&sandbox, &inputs).exits(1);
    assert!(output.stdout.starts_with("::error file=docs/a.md,line=1,"), "{output:?}");
    assert!(sandbox.read("summary.md").contains("`gone.md`"));
    assert_eq!(sandbox.read("output.txt"), "exit-code=1\n");
    assert!(sandbox.read("x.sarif").contains("RL601"));
}

#[test]
fn action_with_a_revision_fails_only_on_new_links() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "[x](gone.md)\n");
    init(&sandbox);
    let inputs = [("INPUT_PATHS", "docs"), ("INPUT_SINCE", "main")];
    run_action(&sandbox, &inputs).exits(0);
    sandbox.write("docs/b.md", "[x](gone.md)\n");
    run_action(&sandbox, &inputs).exits(1);
}

#[test]
fn text_of_action_inputs_is_not_run_by_the_shell() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "");
    let inputs = [("INPUT_PATHS", "docs"), ("INPUT_SINCE", "$(touch pwned); touch pwned")];
    run_action(&sandbox, &inputs).exits(2);
    assert!(!sandbox.path("pwned").exists());
}

#[test]
fn pre_commit_hooks_check_the_given_files() {
    let hooks = std::fs::read_to_string(repository_file(".pre-commit-hooks.yaml")).unwrap();
    let entries: Vec<&str> =
        hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: relink ")).collect();
    assert_eq!(entries.len(), 2);
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "[x](gone.md)\n").write("b.md", "");
    for entry in entries {
        let args: Vec<&str> = entry.split(' ').collect();
        let output = sandbox.run(&[args.as_slice(), &["a.md", "b.md"]].concat()).exits(1);
        assert!(output.stdout.starts_with("a.md:1:5: RL601 local gone.md"), "{output:?}");
        sandbox.run(&[args.as_slice(), &["b.md"]].concat()).exits(0);
    }
}
