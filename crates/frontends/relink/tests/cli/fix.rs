//! `relink fix`: diffs, patches, written files and undo.
//!
//! An alias is the new URL of a dead page. Without `--apply`, the command prints a diff and
//! exits with 1 if links can be repaired.

mod commit;
mod groups;
mod hostile;
mod offers;
mod robust;
mod site;
mod tree;
mod url_status;
mod wiki;

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use relink_demo::{ArchivedPage, MiniArchive};
use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use crate::sandbox::{CommandOutput, NO_DELAYS, Sandbox};
use crate::servers::BackgroundServer;

/// The text of a page, long enough to be content.
const PAGE: &str = "<title>Guide</title><h1>Guide</h1><p>How to install the program on a server, \
                    step by step, with all options and their defaults.</p>";

/// Starts a server with a moved page, `/old`, and its new page, `/new/page`.
fn start_server() -> TestServer {
    let web = TestServer::start_blocking();
    web.redirect("/old", 301, "/new/page").page("/new/page", 200, PAGE);
    web
}

/// Runs `relink fix` without delays.
fn run_fix(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(&[&["fix"], NO_DELAYS, args].concat())
}

/// Returns the id of an applied repair.
#[track_caller]
fn undo_id(output: &CommandOutput) -> String {
    let (_, id) = output.stderr.split_once("--undo ").unwrap();
    id.trim().to_owned()
}

#[test]
fn story_6_dry_run_prints_a_diff_that_git_applies() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let old = web.url("/old");
    let text = format!("# Title\r\n\r\nSee [the guide]({old}#install) and <{old}>.\r\n");
    sandbox.write("docs/a.md", &text);
    sandbox.write("docs/b c.html", &format!("<p>ä <a href='{old}'>x</a></p>"));
    let output = run_fix(&sandbox, &["docs", "-o", "x.patch"]).exits(1);
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
    assert_eq!(
        sandbox.read("docs/b c.html"),
        format!("<p>ä <a href='{new}' data-originalurl='{old}'>x</a></p>")
    );
    assert!(sandbox.read("docs/links.lock.toml").contains("file = \"a.md\""));

    let second = run_fix(&sandbox, &["docs"]).exits(0);
    assert_eq!(second.stdout, "");
    assert!(second.stderr.contains("nothing to repair"), "{}", second.stderr);
}

#[test]
fn patch_of_absolute_and_relative_inputs_is_applied_by_git() {
    // How the user names the directory `docs`.
    for form in ["absolute", "parent", "subdirectory"] {
        let (web, sandbox) = (start_server(), Sandbox::new());
        let git = |args: &[&str]| {
            let status = Command::new("git").args(args).current_dir(sandbox.path("")).status();
            assert!(status.unwrap().success(), "{form}: git {args:?}");
        };
        git(&["init", "-q"]);
        sandbox.write("docs/a.md", &format!("[a]({})\n", web.url("/old")));
        let absolute = sandbox.path("docs").to_string_lossy().into_owned();
        let (input, current_directory) = match form {
            "absolute" => (absolute.as_str(), ""),
            "parent" => ("./docs/../docs", ""),
            _ => (".", "docs"),
        };
        let patch = sandbox.path("x.patch").to_string_lossy().into_owned();
        let args = [&["fix"], NO_DELAYS, &[input, "-o", &patch]].concat();
        let mut command = sandbox.command(&args);
        command.current_dir(sandbox.path(current_directory)).stdout(Stdio::null());
        assert_eq!(command.status().unwrap().code(), Some(1), "{form}");
        git(&["apply", "x.patch"]);
        assert!(sandbox.read("docs/a.md").contains("/new/page"), "{form}");
    }
}

#[test]
fn applied_repair_is_undone_byte_for_byte() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let text = format!("\u{feff}[a]({}) without a final line feed", web.url("/old"));
    sandbox.write("a.md", &text);
    let output = run_fix(&sandbox, &["a.md", "--apply"]).exits(0);
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
    let (web, sandbox) = (start_server(), Sandbox::new());
    sandbox.write("a.md", &format!("[a]({})\n", web.url("/old")));
    let id = undo_id(&run_fix(&sandbox, &["a.md", "--apply"]).exits(0));
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

/// Writes a document that links to a page on `one.test`, which redirects to `two.test`. Also
/// returns the values of `--resolve` for both hosts.
fn moved_to_another_site() -> (TestServer, Sandbox, [String; 2]) {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let target = web.url_at("two.test", "/new/page");
    web.redirect("/out", 301, target.as_str());
    sandbox.write("a.md", &format!("[a]({})\n", web.url_at("one.test", "/out")));
    let port = web.port();
    (web, sandbox, ["one.test", "two.test"].map(|name| format!("{name}:{port}:127.0.0.1")))
}

#[test]
fn redirect_to_another_site_needs_review() {
    let (_web, sandbox, [one, two]) = moved_to_another_site();
    let resolve = ["--resolve", &one, "--resolve", &two, "--allow-private"];
    let args = [&resolve[..], &["a.md", "--apply", "--format", "json"]].concat();
    let output = run_fix(&sandbox, &args).exits(0);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["applied"], false);
    assert_eq!(report["fixes"][0]["status"], "needs-review", "{report}");
    assert_eq!(report["fixes"][0]["reason"], "the new URL is on another site");
    assert!(sandbox.read("a.md").contains("/out"));
}

#[test]
fn review_writes_only_repairs_that_the_user_accepts() {
    // The input of the user, and the host in the link after the review.
    for (answer, expected_host) in [("y\n", "two.test"), ("n\n", "one.test"), ("", "one.test")] {
        let (_web, sandbox, [one, two]) = moved_to_another_site();
        let resolve = ["--resolve", &one, "--resolve", &two, "--allow-private"];
        let args = ["a.md", "--apply", "--review"];
        let mut command = sandbox.command(&[&["fix"], NO_DELAYS, &resolve, &args].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
        let output = CommandOutput::new(&child.wait_with_output().unwrap()).exits(0);
        assert!(output.stderr.contains("the new URL is on another site"), "{}", output.stderr);
        assert!(sandbox.read("a.md").contains(expected_host), "{answer:?}: {}", output.stderr);
    }
}

#[test]
fn written_repair_is_not_reviewed_again() {
    let (_web, sandbox, [one, two]) = moved_to_another_site();
    let resolve = ["--resolve", &one, "--resolve", &two, "--allow-private"];
    let args = ["a.md", "--style", "beside", "--apply", "--review"];
    for (input, is_asked) in [("y\n", true), ("", false)] {
        let mut command = sandbox.command(&[&["fix"], NO_DELAYS, &resolve, &args].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The second run does not read its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = CommandOutput::new(&child.wait_with_output().unwrap()).exits(0);
        assert_eq!(output.stderr.contains("[y/n/q]"), is_asked, "{}", output.stderr);
    }
}

#[cfg(unix)]
#[test]
fn interrupt_ends_the_review() {
    let (_web, sandbox, [one, two]) = moved_to_another_site();
    let resolve = ["--resolve", &one, "--resolve", &two, "--allow-private"];
    let args = [&["fix"], NO_DELAYS, &resolve, &["a.md", "--apply", "--review"]].concat();
    let mut command = sandbox.command(&args);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let mut text = Vec::new();
    while !text.ends_with(b"[y/n/q] ") {
        let mut byte = [0];
        stderr.read_exact(&mut byte).unwrap();
        text.push(byte[0]);
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    // Standard input is still open.
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::yield_now();
    };
    assert_eq!(status.code(), Some(130));
    assert!(sandbox.read("a.md").contains("one.test"));
}

/// Starts a site and an archive: `/old/oak` moved to `/trees/oak`, and `/old/elm` exists only in
/// the archive. Writes a document that links to both old pages.
fn dead_pages() -> (TestServer, Sandbox, BackgroundServer<MiniArchive>) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let [oak, elm] = ["/old/oak", "/old/elm"].map(|path| web.url(path).to_string());
    let captures = vec![
        ArchivedPage::page(&elm, "20210302030405", "<title>The elm</title><p>All about elms.</p>"),
        ArchivedPage::redirect(&oak, "20150102030405", 301, "/trees/oak"),
        ArchivedPage::redirect(&elm, "20150202030405", 301, "/trees/elm"),
    ];
    let archive = BackgroundServer::start(async { MiniArchive::start(captures).await.unwrap() });
    web.page("/trees/oak", 200, "<title>The oak</title><p>All about oaks.</p>");
    sandbox.write("a.md", &format!("[oak]({oak}), [elm]({elm}).\n"));
    (web, sandbox, archive)
}

#[test]
fn alias_and_archived_copy_are_written_beside_the_dead_link() {
    let (web, sandbox, archive) = dead_pages();
    let root = archive.root();
    let text = sandbox.read("a.md");
    let args = ["a.md", "--revive", "--archive", &root, "--apply"];
    let output = run_fix(&sandbox, &args).exits(0);
    let new = sandbox.read("a.md");
    let oak =
        format!("[oak]({}) ([new location]({})),", web.url("/old/oak"), web.url("/trees/oak"));
    assert!(new.starts_with(&oak), "{new}\n{}", output.stderr);
    assert!(new.contains("/old/elm) ([archived copy](http://127.0.0.1:"), "{new}");

    let second = run_fix(&sandbox, &args).exits(0);
    assert!(second.stderr.contains("nothing to repair"), "{}", second.stderr);
    assert_eq!(sandbox.read("a.md"), new);
    sandbox.run(&["fix", "--undo", &undo_id(&output)]).exits(0);
    assert_eq!(sandbox.read("a.md"), text);
}

#[test]
fn story_20_citation_templates_get_the_archived_copy() {
    let (web, sandbox, archive) = dead_pages();
    let root = archive.root();
    let elm = web.url("/old/elm");
    let page = format!(
        "A<ref>{{{{cite web|url={elm}|title=Elm}}}}</ref>\n<nowiki>[{elm} x]</nowiki> <!-- {elm} -->\n"
    );
    sandbox.write("page.txt", &page);
    let args = ["page.txt", "--as", "mediawiki", "--revive", "--archive", &root, "--apply"];
    run_fix(&sandbox, &args).exits(0);
    let new = sandbox.read("page.txt");
    let copy = format!("{root}web/20210302030405/{elm}");
    let parameters =
        format!("|title=Elm|archive-url={copy}|archive-date=2021-03-02|url-status=dead}}}}");
    assert_eq!(new, page.replace("|title=Elm}}", &parameters));
}

#[test]
fn style_replace_replaces_the_dead_link() {
    let (web, sandbox, archive) = dead_pages();
    let root = archive.root();
    let args = ["a.md", "--revive", "--archive", &root, "--style", "replace", "--apply"];
    run_fix(&sandbox, &args).exits(0);
    let new = sandbox.read("a.md");
    assert!(new.starts_with(&format!("[oak]({}), [elm](http", web.url("/trees/oak"))), "{new}");
    // The URL of the archived copy contains the dead URL, but does not start with it.
    assert!(!new.contains(&format!("({}", web.url("/old"))), "{new}");
}

#[test]
fn redirect_to_a_page_that_is_not_alive_is_rejected() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    // The new URL is alive at the first request. It is missing when it is checked again before
    // it is written.
    web.redirect("/gone", 301, "/late")
        .sequence("/late", [CannedResponse::new(200, PAGE), CannedResponse::new(404, "gone")]);
    sandbox.write("a.md", &format!("[a]({})\n", web.url("/gone")));
    let output = run_fix(&sandbox, &["a.md", "--apply", "--format", "json"]).exits(0);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["fixes"][0]["status"], "rejected");
    assert!(sandbox.read("a.md").contains("/gone"));
}

#[test]
fn ignored_findings_are_not_repaired() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let text = format!("<!-- relink:ignore RL201 -->\n[a]({})\n", web.url("/old"));
    sandbox.write("a.md", &text);
    run_fix(&sandbox, &["a.md", "--apply"]).exits(0);
    assert_eq!(sandbox.read("a.md"), text);
}

#[test]
fn file_with_nul_bytes_is_written_but_not_in_the_patch() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    sandbox.write("a.md", &format!("[a]({})\n\0\n", web.url("/old")));
    let output = run_fix(&sandbox, &["a.md"]);
    assert_eq!(output.stdout, "");
    assert!(output.stderr.contains("is not in the patch"), "{}", output.stderr);
    run_fix(&sandbox, &["a.md", "--apply"]).exits(0);
    assert!(sandbox.read("a.md").contains("/new/page"));
}

#[cfg(unix)]
#[test]
fn file_outside_of_the_inputs_is_not_changed() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let text = format!("[a]({})\n", web.url("/old"));
    sandbox.write("outside.md", &text);
    fs::create_dir(sandbox.path("docs")).unwrap();
    std::os::unix::fs::symlink("../outside.md", sandbox.path("docs/a.md")).unwrap();
    let output = run_fix(&sandbox, &["docs/a.md", "--apply"]).exits(0);
    assert!(output.stderr.contains("outside of the inputs"), "{}", output.stderr);
    assert_eq!(sandbox.read("outside.md"), text);
}

#[cfg(unix)]
#[test]
fn mode_of_a_written_file_is_unchanged() {
    use std::os::unix::fs::PermissionsExt as _;

    let (web, sandbox) = (start_server(), Sandbox::new());
    sandbox.write("a.md", &format!("[a]({})\n", web.url("/old")));
    fs::set_permissions(sandbox.path("a.md"), fs::Permissions::from_mode(0o640)).unwrap();
    run_fix(&sandbox, &["a.md", "--apply"]).exits(0);
    let mode = fs::metadata(sandbox.path("a.md")).unwrap().permissions().mode();
    // The permission bits only.
    assert_eq!(mode & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn read_only_file_is_not_changed() {
    use std::os::unix::fs::PermissionsExt as _;

    let (web, sandbox) = (start_server(), Sandbox::new());
    let text = format!("[a]({})\n", web.url("/old"));
    sandbox.write("a.md", &text);
    fs::set_permissions(sandbox.path("a.md"), fs::Permissions::from_mode(0o444)).unwrap();
    // A patch contains only repairs that `--apply` writes.
    let dry_run = run_fix(&sandbox, &["a.md"]).exits(0);
    assert_eq!(dry_run.stdout, "");
    assert!(dry_run.stderr.contains("read-only"), "{}", dry_run.stderr);
    let output = run_fix(&sandbox, &["a.md", "--apply"]).exits(0);
    assert!(output.stderr.contains("read-only"), "{}", output.stderr);
    assert_eq!(sandbox.read("a.md"), text);
}
