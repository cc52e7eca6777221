//! `relink fix`: diffs, patches, written files and undo.

use std::fs;
use std::process::Command;

use relink_testkit::web::TestServer;
use serde_json::Value;

use crate::sandbox::{CommandOutput, QUICK, Sandbox};

/// The text of a page, long enough to be content.
const PAGE: &str = "<title>Guide</title><h1>Guide</h1><p>How to install the program on a server, \
                    step by step, with all options and their defaults.</p>";

/// A server with a moved page, `/old`, and its new page, `/new/page`.
fn server() -> TestServer {
    let web = TestServer::start_blocking();
    web.redirect("/old", 301, "/new/page").page("/new/page", 200, PAGE);
    web
}

fn fix(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(&[&["fix"], QUICK, args].concat())
}

/// Returns the id of an applied repair.
#[track_caller]
fn undo_id(output: &CommandOutput) -> String {
    let (_, id) = output.stderr.split_once("--undo ").unwrap();
    id.trim().to_owned()
}

#[test]
fn story_6_dry_run_prints_a_diff_that_git_applies() {
    let (web, sandbox) = (server(), Sandbox::new());
    let old = web.url("/old");
    let text = format!("# Title\r\n\r\nSee [the guide]({old}#install) and <{old}>.\r\n");
    sandbox.write("docs/a.md", &text);
    sandbox.write("docs/b c.html", &format!("<p>ä <a href='{old}'>x</a></p>"));
    let output = fix(&sandbox, &["docs", "-o", "x.patch"]).exits(1);
    assert_eq!(output.stdout, sandbox.read("x.patch"));
    assert!(output.stderr.contains("3 links in 2 files can be repaired"), "{}", output.stderr);
    assert_eq!(sandbox.read("docs/a.md"), text);

    let git = |args: &[&str]| {
        let status = Command::new("git").args(args).current_dir(sandbox.path("")).status();
        assert!(status.unwrap().success(), "git {args:?}");
    };
    git(&["init", "-q"]);
    git(&["apply", "x.patch"]);
    let new = web.url("/new/page");
    assert_eq!(sandbox.read("docs/a.md"), text.replace(old.as_str(), new.as_str()));
    assert_eq!(sandbox.read("docs/b c.html"), format!("<p>ä <a href='{new}'>x</a></p>"));

    let second = fix(&sandbox, &["docs"]).exits(0);
    assert_eq!(second.stdout, "");
    assert!(second.stderr.contains("nothing to repair"), "{}", second.stderr);
}

#[test]
fn applied_repair_is_undone_byte_for_byte() {
    let (web, sandbox) = (server(), Sandbox::new());
    let text = format!("\u{feff}[a]({}) without a final line feed", web.url("/old"));
    sandbox.write("a.md", &text);
    let output = fix(&sandbox, &["a.md", "--apply"]).exits(0);
    assert_eq!(output.stdout, "");
    assert_eq!(sandbox.read("a.md"), text.replace("/old", "/new/page"));
    let id = undo_id(&output);
    sandbox.run(&["fix", "--undo", &id]).exits(0);
    assert_eq!(sandbox.read("a.md"), text);
    // A second undo has nothing to do.
    let again = sandbox.run(&["fix", "--undo", &id]).exits(0);
    assert!(again.stderr.contains("restored 0 files"), "{}", again.stderr);
}

#[test]
fn undo_refuses_a_file_that_was_changed_afterwards() {
    let (web, sandbox) = (server(), Sandbox::new());
    sandbox.write("a.md", &format!("[a]({})\n", web.url("/old")));
    let id = undo_id(&fix(&sandbox, &["a.md", "--apply"]).exits(0));
    sandbox.write("a.md", "edited\n");
    let output = sandbox.run(&["fix", "--undo", &id]).exits(1);
    assert!(output.stderr.contains("has changed since it was repaired"), "{}", output.stderr);
    assert_eq!(sandbox.read("a.md"), "edited\n");
}

#[test]
fn unknown_undo_id_is_a_usage_error() {
    let sandbox = Sandbox::new();
    for id in ["20200101-000000", "../../etc/passwd"] {
        let output = sandbox.run(&["fix", "--undo", id]).exits(2);
        assert!(output.stderr.contains("no repair with the id"), "{}", output.stderr);
    }
}

#[test]
fn redirect_to_another_site_needs_review() {
    let (web, other, sandbox) = (server(), server(), Sandbox::new());
    // Another IP address is another site.
    let target = other.url("/new/page").to_string();
    let elsewhere = format!("http://127.0.0.2:{}/x", web.port());
    web.redirect("/out", 301, &elsewhere);
    sandbox.write("a.md", &format!("[a]({})\n", web.url("/out")));
    let output = fix(&sandbox, &["a.md", "--apply", "--format", "json"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["applied"], false, "{report} {target}");
    assert_ne!(report["fixes"][0]["status"], "ready");
    assert!(sandbox.read("a.md").contains("/out"));
}

#[test]
fn redirect_to_a_page_that_is_not_alive_is_rejected() {
    let (web, sandbox) = (server(), Sandbox::new());
    // The second check of the new URL fails.
    web.redirect("/gone", 301, "/late").sequence(
        "/late",
        [
            relink_testkit::web::CannedResponse::new(200, PAGE),
            relink_testkit::web::CannedResponse::new(404, "gone"),
        ],
    );
    sandbox.write("a.md", &format!("[a]({})\n", web.url("/gone")));
    let output = fix(&sandbox, &["a.md", "--apply", "--format", "json"]).exits(0);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["fixes"][0]["status"], "rejected");
    assert!(sandbox.read("a.md").contains("/gone"));
}

#[test]
fn ignored_findings_are_not_repaired() {
    let (web, sandbox) = (server(), Sandbox::new());
    let text = format!("<!-- relink:ignore RL201 -->\n[a]({})\n", web.url("/old"));
    sandbox.write("a.md", &text);
    fix(&sandbox, &["a.md", "--apply"]).exits(0);
    assert_eq!(sandbox.read("a.md"), text);
}

#[test]
fn file_with_nul_bytes_is_written_but_not_in_the_patch() {
    let (web, sandbox) = (server(), Sandbox::new());
    sandbox.write("a.md", &format!("[a]({})\n\0\n", web.url("/old")));
    let output = fix(&sandbox, &["a.md"]);
    assert_eq!(output.stdout, "");
    assert!(output.stderr.contains("is not in the patch"), "{}", output.stderr);
    fix(&sandbox, &["a.md", "--apply"]).exits(0);
    assert!(sandbox.read("a.md").contains("/new/page"));
}

#[cfg(unix)]
#[test]
fn file_outside_of_the_inputs_is_not_changed() {
    let (web, sandbox) = (server(), Sandbox::new());
    let text = format!("[a]({})\n", web.url("/old"));
    sandbox.write("outside.md", &text);
    fs::create_dir(sandbox.path("docs")).unwrap();
    std::os::unix::fs::symlink("../outside.md", sandbox.path("docs/a.md")).unwrap();
    let output = fix(&sandbox, &["docs/a.md", "--apply"]).exits(0);
    assert!(output.stderr.contains("outside of the inputs"), "{}", output.stderr);
    assert_eq!(sandbox.read("outside.md"), text);
}

#[cfg(unix)]
#[test]
fn mode_of_a_written_file_is_unchanged() {
    use std::os::unix::fs::PermissionsExt as _;

    let (web, sandbox) = (server(), Sandbox::new());
    sandbox.write("a.md", &format!("[a]({})\n", web.url("/old")));
    fs::set_permissions(sandbox.path("a.md"), fs::Permissions::from_mode(0o640)).unwrap();
    fix(&sandbox, &["a.md", "--apply"]).exits(0);
    let mode = fs::metadata(sandbox.path("a.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn read_only_file_is_not_changed() {
    use std::os::unix::fs::PermissionsExt as _;

    let (web, sandbox) = (server(), Sandbox::new());
    let text = format!("[a]({})\n", web.url("/old"));
    sandbox.write("a.md", &text);
    fs::set_permissions(sandbox.path("a.md"), fs::Permissions::from_mode(0o444)).unwrap();
    let output = fix(&sandbox, &["a.md", "--apply"]).exits(0);
    assert!(output.stderr.contains("read-only"), "{}", output.stderr);
    assert_eq!(sandbox.read("a.md"), text);
}
