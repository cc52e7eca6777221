//! `relink fix` on hostile trees, and with hostile new URLs.

use std::fs;
use std::path::PathBuf;

use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use super::{PAGE, dead_pages, run_fix, start_server};
use crate::sandbox::Sandbox;

#[cfg(unix)]
#[test]
fn symlinked_directory_and_hard_link_do_not_change_files_outside() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let text = format!("[a]({})\n", web.url("/old"));
    sandbox.write("outside/a.md", &text);
    sandbox.write("outside/b.md", &text);
    sandbox.write("docs/c.md", &text);
    std::os::unix::fs::symlink("../outside", sandbox.path("docs/link")).unwrap();
    fs::hard_link(sandbox.path("outside/b.md"), sandbox.path("docs/b.md")).unwrap();
    run_fix(&sandbox, &["docs", "docs/link/a.md", "--apply"]);
    assert!(sandbox.read("docs/b.md").contains("/new/page"));
    assert!(sandbox.read("docs/c.md").contains("/new/page"));
    // The user named the file behind the symbolic link. The hard link is replaced by a new
    // file, so the file outside is unchanged.
    assert_eq!(sandbox.read("outside/b.md"), text);
    // The documents `b.md` and `c.md`, the symbolic link, and the sidecar file.
    let entries: Vec<_> = fs::read_dir(sandbox.path("docs")).unwrap().collect();
    assert_eq!(entries.len(), 4, "{entries:?}");
}

#[test]
fn inputs_with_parent_directories_are_resolved() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let text = format!("[a]({})\n", web.url("/old"));
    sandbox.write("docs/a.md", &text);
    sandbox.write("other/a.md", &text);
    run_fix(&sandbox, &["docs/../docs/a.md", "--apply"]).exits(0);
    assert!(sandbox.read("docs/a.md").contains("/new/page"));
    assert_eq!(sandbox.read("other/a.md"), text);
    assert!(!sandbox.path("links.lock.toml").exists());
}

#[test]
fn file_that_changes_during_the_check_is_not_written() {
    // The user replaces the link, or appends a line and does not move the link.
    for is_appended in [false, true] {
        let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
        let path: PathBuf = sandbox.path("a.md");
        let text = format!("[a]({})\n", web.url("/old"));
        let edited =
            if is_appended { format!("{text}edited\n") } else { "edited by the user\n".to_owned() };
        web.redirect("/old", 301, "/new/page");
        // The new page is requested after the document was read. The user edits at this time.
        let new_content = edited.clone();
        web.respond_below_with("/new", move |request| {
            if request.path != "/new/page" {
                return CannedResponse::new(404, "not found");
            }
            fs::write(&path, &new_content).unwrap();
            CannedResponse::new(200, PAGE)
        });
        sandbox.write("a.md", &text);
        let output = run_fix(&sandbox, &["a.md", "--apply"]).exits(0);
        assert_eq!(sandbox.read("a.md"), edited, "appended: {is_appended}");
        assert!(output.stderr.contains("has changed since it was checked"), "{}", output.stderr);
    }
}

#[test]
fn mixed_line_endings_and_invalid_utf8_are_preserved() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let (old, new) = (web.url("/old"), web.url("/new/page"));
    let text = |url: &str| {
        [b"one\r\ntwo \xff\xfe [a](".as_slice(), url.as_bytes(), b")\rthree\n\n\r\n"].concat()
    };
    fs::write(sandbox.path("a.md"), text(old.as_str())).unwrap();
    run_fix(&sandbox, &["a.md", "--apply"]).exits(0);
    assert_eq!(fs::read(sandbox.path("a.md")).unwrap(), text(new.as_str()));
}

/// Checks that a redirect to `target`, which responds with `page`, is not written automatically.
#[track_caller]
fn check_not_written(target: &str, page: &str) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.redirect("/old", 301, target).page(target, 200, page);
    sandbox.write("a.md", &format!("[a]({})\n", web.url("/old")));
    let text = sandbox.read("a.md");
    run_fix(&sandbox, &["a.md", "--apply"]);
    assert_eq!(sandbox.read("a.md"), text, "{target}");
}

#[test]
fn redirects_to_hostile_pages_are_not_written() {
    let login = "<title>Sign in</title><form><input type=password name=p></form>";
    check_not_written("/login?next=%2Fold", login);
    check_not_written("/accounts/enter", login);
    check_not_written("/", PAGE);
    check_not_written(
        "/lander",
        "<title>example.org is for sale</title><h1>Buy this domain</h1>\
         <p>This domain is for sale. The domain example.org may be for sale by its owner.</p>",
    );
    check_not_written("/x", "<title>404 Not Found</title><h1>Page not found</h1>");
    check_not_written("/go?url=http%3A%2F%2Fevil.test%2F&from=%2Fold", PAGE);
}

#[test]
fn archived_copy_that_is_not_served_any_more_is_not_written() {
    let (_web, sandbox, archive) = dead_pages();
    let root = archive.root();
    let args = ["a.md", "--revive", "--archive", &root];
    let output = run_fix(&sandbox, &[&args[..], &["--format", "json"]].concat()).exits(1);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["fixes"][1]["cause"], "archived-copy", "{report}");
    drop(archive);
    // The stored search result still names the copy.
    let output = run_fix(&sandbox, &["a.md", "--apply", "--format", "json"]).exits(0);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["fixes"][1]["status"], "rejected", "{report}");
    assert!(!sandbox.read("a.md").contains("archived copy"));
}

/// Checks that a sidecar file that cannot be extended blocks the replacements that need it. The
/// other replacements are made.
#[track_caller]
fn check_sidecar_is_refused(prepare: impl Fn(&Sandbox), reason: &str) {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let text = format!("[a]({})\n", web.url("/old"));
    sandbox.write("docs/a.md", &text);
    sandbox.write("docs/b.html", &format!("<a href=\"{}\">b</a>\n", web.url("/old")));
    prepare(&sandbox);
    let sidecar = sandbox.path("docs/links.lock.toml");
    let before = fs::read(&sidecar).ok();
    let output = run_fix(&sandbox, &["docs", "--apply"]).exits(0);
    assert!(output.stderr.contains(reason), "{}", output.stderr);
    assert_eq!(sandbox.read("docs/a.md"), text);
    assert!(sandbox.read("docs/b.html").contains("/new/page"));
    assert_eq!(fs::read(&sidecar).ok(), before);
    // Without a sidecar file, the link is replaced.
    run_fix(&sandbox, &["docs", "--apply", "--robust", "none"]).exits(0);
    assert!(sandbox.read("docs/a.md").contains("/new/page"));
}

#[cfg(unix)]
#[test]
fn sidecar_that_is_a_symbolic_link_is_not_followed() {
    let create_dangling_link = |sandbox: &Sandbox| {
        let sidecar = sandbox.path("docs/links.lock.toml");
        std::os::unix::fs::symlink("../evil.toml", sidecar).unwrap();
    };
    check_sidecar_is_refused(create_dangling_link, "symbolic link");
    let create_link_to_a_file = |sandbox: &Sandbox| {
        sandbox.write("evil.toml", "version = 1\n");
        create_dangling_link(sandbox);
    };
    check_sidecar_is_refused(create_link_to_a_file, "symbolic link");
}

#[test]
fn sidecar_with_another_structure_is_not_extended() {
    let write = |sandbox: &Sandbox| {
        sandbox.write("docs/links.lock.toml", "- not TOML\n");
    };
    check_sidecar_is_refused(write, "does not have the format of `relink fix`");
}

/// Checks that an alias that redirects to `location` when it is checked again is not written.
#[track_caller]
fn check_alias_is_not_written(location: &str) {
    let (web, sandbox, archive) = dead_pages();
    let (root, text) = (archive.root(), sandbox.read("a.md"));
    let args = ["a.md", "--revive", "--archive", &root];
    run_fix(&sandbox, &args).exits(1);
    web.redirect("/trees/oak", 302, location).page("/new/page", 200, PAGE).page("/", 200, PAGE);
    web.respond_below("/go", CannedResponse::new(200, PAGE));
    let output = run_fix(&sandbox, &["a.md", "--apply", "--format", "json"]).exits(0);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_ne!(report["fixes"][0]["status"], "ready", "{location}: {report}");
    assert!(!sandbox.read("a.md").contains("/trees/oak"), "{text}");
}

#[test]
fn alias_that_redirects_to_another_page_is_not_written() {
    check_alias_is_not_written("/");
    check_alias_is_not_written("/go?url=http%3A%2F%2Fevil.test%2F");
    check_alias_is_not_written("/go/http://evil.test/x");
    check_alias_is_not_written("/new/page;jsessionid=12AB");
}

#[test]
fn original_with_another_text_does_not_replace_its_archived_copy() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let page = web.url("/new/page").to_string();
    let copy = web.url(&format!("/web/20150102030405/{page}")).to_string();
    let words: Vec<String> = (0..90).map(|number| format!("oak{number}")).collect();
    let words = words.join(" ");
    web.respond_below("/web/", CannedResponse::new(200, format!("<title>Oak</title>{words}")));
    let text = format!("[c]({copy})\n");
    sandbox.write("a.md", &text);
    let output = run_fix(&sandbox, &["a.md", "--restore", "--apply"]).exits(0);
    assert!(output.stderr.contains("the page has another text now"), "{}", output.stderr);
    assert_eq!(sandbox.read("a.md"), text);
}
