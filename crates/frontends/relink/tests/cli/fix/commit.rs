//! `relink fix --commit` and `--pr-body`.

use std::process::Command;

use relink_testkit::web::TestServer;
use serde_json::Value;

use super::{dead_pages, run_fix, start_server};
use crate::sandbox::Sandbox;

/// Runs git in the project and returns its output.
fn git(sandbox: &Sandbox, args: &[&str]) -> String {
    let output = Command::new("git").args(args).current_dir(sandbox.path("")).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Creates a repository and commits all files of the project.
fn commit_project(sandbox: &Sandbox) {
    git(sandbox, &["init", "-q"]);
    git(sandbox, &["config", "user.name", "Ada"]);
    git(sandbox, &["config", "user.email", "ada@example.org"]);
    git(sandbox, &["add", "."]);
    git(sandbox, &["commit", "-qm", "first"]);
}

/// Creates a repository with two documents that link to a moved page, and a third document.
fn project_with_moved_page() -> (TestServer, Sandbox) {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let old = web.url("/old");
    sandbox.write("a.md", &format!("[a]({old})\n"));
    sandbox.write("b.md", &format!("[b]({old})\n"));
    sandbox.write("staged.md", "one\n");
    commit_project(&sandbox);
    (web, sandbox)
}

#[test]
fn commit_creates_one_commit_per_cause_and_host() {
    let (web, sandbox, archive) = dead_pages();
    web.redirect("/moved", 301, "/trees/oak");
    let text = sandbox.read("a.md");
    sandbox.write("a.md", &format!("{text}[moved]({})\n", web.url("/moved")));
    commit_project(&sandbox);
    let args = ["a.md", "--revive", "--archive", &archive.root(), "--commit", "--format", "json"];
    let output = run_fix(&sandbox, &args).exits(0);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let commits = report["commits"].as_array().unwrap().iter();
    let subjects: Vec<&str> = commits.map(|commit| commit["subject"].as_str().unwrap()).collect();
    assert_eq!(
        subjects,
        [
            "Add new locations of dead links to 127.0.0.1",
            "Add archived copies of dead links to 127.0.0.1",
            "Update redirected links to 127.0.0.1",
        ]
    );
    assert_eq!(git(&sandbox, &["status", "--porcelain", "a.md"]), "");
    // Each commit changes one link, and its message contains the evidence. Check the second
    // commit.
    let second = git(&sandbox, &["show", "HEAD~1"]);
    assert!(second.contains("archived copy of 2021-03-02"), "{second}");
    assert!(second.contains("RL101"), "{second}");
    let removed_lines: Vec<&str> = second.lines().filter(|line| line.starts_with("-[")).collect();
    assert_eq!(removed_lines.len(), 1, "{second}");
    assert!(!removed_lines[0].contains("archived copy"), "{second}");
}

#[test]
fn commit_does_not_include_staged_changes() {
    let (_web, sandbox) = project_with_moved_page();
    sandbox.write("staged.md", "two\n");
    git(&sandbox, &["add", "staged.md"]);
    let output = run_fix(&sandbox, &["a.md", "b.md", "--commit"]).exits(0);
    assert!(output.stderr.contains("repaired 2 links in 2 files with 1 commit"), "{output:?}");
    let files = git(&sandbox, &["show", "--name-only", "--format=", "HEAD"]);
    assert_eq!(files, "a.md\nb.md\nlinks.lock.toml\n");
    assert!(git(&sandbox, &["show", "HEAD:links.lock.toml"]).contains("file = \"b.md\""));
    assert_eq!(git(&sandbox, &["diff", "--cached", "--name-only"]), "staged.md\n");
}

#[test]
fn commit_skips_files_with_uncommitted_changes() {
    let (web, sandbox) = project_with_moved_page();
    let text = format!("[b]({}) edited\n", web.url("/old"));
    sandbox.write("b.md", &text);
    let output = run_fix(&sandbox, &["a.md", "b.md", "--commit"]).exits(0);
    assert!(output.stderr.contains("the file has uncommitted changes"), "{}", output.stderr);
    assert_eq!(sandbox.read("b.md"), text);
    assert_eq!(
        git(&sandbox, &["show", "--name-only", "--format=", "HEAD"]),
        "a.md\nlinks.lock.toml\n"
    );
}

#[test]
fn commit_outside_of_a_work_tree_is_a_usage_error() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let text = format!("[a]({})\n", web.url("/old"));
    sandbox.write("a.md", &text);
    let output = run_fix(&sandbox, &["a.md", "--commit"]).exits(2);
    assert!(output.stderr.contains("not a git repository"), "{}", output.stderr);
    assert_eq!(sandbox.read("a.md"), text);
}

#[cfg(unix)]
#[test]
fn files_are_restored_if_a_hook_rejects_the_commit() {
    use std::os::unix::fs::PermissionsExt as _;

    let (_web, sandbox) = project_with_moved_page();
    let text = sandbox.read("a.md");
    sandbox.write(".git/hooks/pre-commit", "#!/bin/sh\necho no commits today >&2\nexit 1\n");
    let hook = sandbox.path(".git/hooks/pre-commit");
    std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = run_fix(&sandbox, &["a.md", "--commit"]).exits(2);
    assert!(output.stderr.contains("no commits today"), "{}", output.stderr);
    assert_eq!(sandbox.read("a.md"), text);
    assert_eq!(git(&sandbox, &["status", "--porcelain"]), "");
}

#[test]
fn pr_body_lists_the_repairs_with_evidence() {
    let (web, sandbox) = project_with_moved_page();
    run_fix(&sandbox, &["a.md", "b.md", "--pr-body", "body.md"]).exits(1);
    let body = sandbox.read("body.md");
    assert!(body.starts_with("Repairs 2 links in 2 files.\n\n## Permanent redirects\n"), "{body}");
    let row = format!("| `{}` | `{}` | `RL201 ", web.url("/old"), web.url("/new/page"));
    assert!(body.contains(&row), "{body}");
    assert!(body.ends_with("| `a.md:1, b.md:1` |\n"), "{body}");
}
