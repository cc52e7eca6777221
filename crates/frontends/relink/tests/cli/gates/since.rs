//! `relink check --since`: broken links that exist in an earlier revision are known and do not
//! fail the run.

use relink_testkit::web::TestServer;
use serde_json::Value;

use crate::git_project::{commit_all, git, git_in, init};
use crate::sandbox::{CHECK, Sandbox};

/// Creates a repository whose branch `main` has one broken link: to the missing file `old-rot.md`.
fn create_project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .write("docs/guide.md", "# Guide\n\n## Install\n\ntext\n")
        .write("docs/other.md", "[g](guide.md#install) [o](old-rot.md)\n")
        .write("docs/image.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
    init(&sandbox);
    sandbox
}

/// Checks `docs` with `--since main`.
fn check_since_main(sandbox: &Sandbox, args: &[&str]) -> crate::sandbox::CommandOutput {
    sandbox.check_human(&[&["docs", "--since", "main"], args].concat())
}

#[test]
fn added_broken_link_fails_and_old_broken_link_is_listed() {
    let sandbox = create_project();
    sandbox.write("docs/new.md", "[x](nowhere.md)\n");
    let output = check_since_main(&sandbox, &[]).exits(1).stdout;
    assert!(output.contains("RL601 local · nowhere.md"), "{output}");
    assert!(output.contains("1 known broken link, not changed since `main`:"), "{output}");
    assert!(output.contains("docs/other.md:1:27: RL601 local old-rot.md"), "{output}");
    assert!(output.ends_with("1 finding fails this run.\n"), "{output}");
}

#[test]
fn known_broken_link_alone_exits_0() {
    let sandbox = create_project();
    sandbox.write("docs/guide.md", "# Guide\n\n## Install\n\nother text\n");
    let output = check_since_main(&sandbox, &[]).exits(0).stdout;
    assert!(output.contains("known broken link"), "{output}");
}

#[test]
fn moved_line_with_a_known_broken_link_does_not_fail() {
    let sandbox = create_project();
    sandbox
        .write("docs/other.md", "new first line\n\n[o](old-rot.md) and\n[g](guide.md#install)\n");
    check_since_main(&sandbox, &[]).exits(0);
}

#[test]
fn second_link_to_a_known_missing_file_fails_at_its_line() {
    let sandbox = create_project();
    let text = "[again](old-rot.md)\n\n[g](guide.md#install) [o](old-rot.md)\n";
    sandbox.write("docs/other.md", text);
    let output = check_since_main(&sandbox, &["--format", "concise"]).exits(1).stdout;
    assert!(
        output.contains("docs/other.md:1:9: RL601 local old-rot.md: no such file\n"),
        "{output}"
    );
    assert!(
        output.contains("docs/other.md:3:27: RL601 local old-rot.md: no such file (known)\n"),
        "{output}"
    );
}

#[test]
fn deleted_file_fails_unchanged_documents_that_link_to_it() {
    let sandbox = create_project();
    std::fs::remove_file(sandbox.path("docs/guide.md")).unwrap();
    commit_all(&sandbox);
    let output = check_since_main(&sandbox, &[]).exits(1).stdout;
    assert!(output.contains("RL601 local · guide.md#install"), "{output}");
}

#[test]
fn renamed_file_fails_unchanged_documents_that_link_to_it() {
    let sandbox = create_project();
    git(&sandbox, &["mv", "docs/guide.md", "docs/manual.md"]);
    let output = check_since_main(&sandbox, &[]).exits(1).stdout;
    assert!(output.contains("RL601 local · guide.md#install"), "{output}");
    assert!(output.contains("1 known broken link"), "{output}");
}

#[test]
fn renamed_heading_fails_unchanged_documents_that_link_to_it() {
    let sandbox = create_project();
    sandbox.write("docs/guide.md", "# Guide\n\n## Set up\n\ntext\n");
    let output = check_since_main(&sandbox, &[]).exits(1).stdout;
    assert!(output.contains("RL603 local · guide.md#install"), "{output}");
    assert!(output.contains("docs/other.md:1:5"), "{output}");
}

#[test]
fn links_of_a_renamed_document_stay_known() {
    let sandbox = create_project();
    git(&sandbox, &["mv", "docs/other.md", "docs/another.md"]);
    check_since_main(&sandbox, &[]).exits(0);
}

#[test]
fn subdirectory_and_absolute_inputs_are_compared() {
    let sandbox = create_project();
    sandbox.write("docs/new.md", "[x](nowhere.md)\n");
    let path = sandbox.path("docs").canonicalize().unwrap();
    let absolute = path.to_str().unwrap();
    for (db, input) in [("x.db", "."), ("y.db", absolute)] {
        let mut command = sandbox.command(&["check", "--db", db, input, "--since", "main"]);
        let output = command.current_dir(sandbox.path("docs")).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("1 known broken link"), "{text}");
    }
    let output = sandbox.check_human(&[absolute, "--since", "main"]).exits(1).stdout;
    assert!(output.contains("1 known broken link"), "{output}");
}

#[test]
fn json_report_counts_known_links() {
    let sandbox = create_project();
    let output = sandbox.run(&[CHECK, &["docs", "--since", "main", "--format", "json"]].concat());
    let report: Value = serde_json::from_str(&output.exits(0).stdout).unwrap();
    let gate = &report["summary"]["gate"];
    assert_eq!(gate["kind"], "since");
    assert_eq!(gate["revision"], "main");
    assert_eq!(gate["known_links"], 1);
    assert_eq!(report["summary"]["exit"], 0);
}

#[test]
fn new_failing_page_fails_the_run() {
    let (web, sandbox) = (TestServer::start_blocking(), create_project());
    web.page("/down", 500, "");
    sandbox.write("docs/new.md", &format!("<{}>\n", web.url("/down")));
    check_since_main(&sandbox, &[]).exits(1);
    commit_all(&sandbox);
    git(&sandbox, &["branch", "-f", "main"]);
    check_since_main(&sandbox, &["--fresh"]).exits(0);
}

#[test]
fn shallow_clone_exits_2_with_the_command_that_helps() {
    let sandbox = create_project();
    sandbox.write("docs/new.md", "[x](nowhere.md)\n");
    commit_all(&sandbox);
    let source = format!("file://{}", sandbox.path("").display());
    git(&sandbox, &["clone", "-q", "--depth", "1", &source, "shallow"]);
    let mut command = sandbox.command(&["check", "--db", "x.db", "docs", "--since", "HEAD"]);
    let output = command.current_dir(sandbox.path("shallow")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("shallow clone") && text.contains("git fetch --unshallow"), "{text}");
}

#[test]
fn unknown_revision_and_missing_merge_base_exit_2() {
    let sandbox = create_project();
    for (revision, hint) in
        [("origin/main", "git fetch origin main:refs/remotes/origin/main"), ("--help", "git fetch")]
    {
        let revision = format!("--since={revision}");
        sandbox.check_human(&["docs", &revision]).fails(2, &["unknown revision", hint]);
    }
    git(&sandbox, &["checkout", "-q", "--orphan", "alone"]);
    git(&sandbox, &["commit", "-q", "-m", "other history"]);
    check_since_main(&sandbox, &[]).fails(2, &["no common ancestor", "git fetch --all"]);
}

#[test]
fn url_inputs_and_missing_repositories_exit_2() {
    let sandbox = create_project();
    sandbox.check_human(&["http://127.0.0.1:9/", "--since", "main"]).fails(2, &["--baseline"]);
    let outside = Sandbox::new();
    outside.write("docs/a.md", "");
    check_since_main(&outside, &[]).fails(2, &["not in a git repository"]);
}

#[test]
fn repository_is_not_changed() {
    let sandbox = create_project();
    sandbox.write("docs/new.md", "[x](nowhere.md)\n");
    let index = std::fs::read(sandbox.path(".git/index")).unwrap();
    check_since_main(&sandbox, &[]).exits(1);
    assert_eq!(std::fs::read(sandbox.path(".git/index")).unwrap(), index);
    git_in(&sandbox, "docs", &["diff", "--quiet"]);
}
