//! A project in a git repository.

use std::process::Command;

use crate::sandbox::Sandbox;

/// Runs git in the project, isolated from the configuration of the machine.
#[track_caller]
pub fn git(sandbox: &Sandbox, args: &[&str]) {
    git_in(sandbox, "", args);
}

/// Runs git in a directory of the project.
#[track_caller]
pub fn git_in(sandbox: &Sandbox, directory: &str, args: &[&str]) {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    let output = command
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.org"])
        .args(args)
        .current_dir(sandbox.path(directory))
        .env("HOME", sandbox.home())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Commits all files.
#[track_caller]
pub fn commit_all(sandbox: &Sandbox) {
    git(sandbox, &["add", "-A", "."]);
    git(sandbox, &["commit", "-q", "-m", "change"]);
}

/// Creates a repository in the project: commits all files to the branch `main`, and starts the
/// branch `work`.
#[track_caller]
pub fn init(sandbox: &Sandbox) {
    git(sandbox, &["init", "-q", "-b", "main"]);
    sandbox.write(".gitignore", "relink.db*\n");
    commit_all(sandbox);
    git(sandbox, &["checkout", "-q", "-b", "work"]);
}
