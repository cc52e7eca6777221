//! `relink fix --robust`: saves the original URLs of replaced links, in attributes of HTML or in
//! the sidecar file `links.lock.toml`.

use super::{dead_pages, run_fix, start_server, undo_id};
use crate::sandbox::Sandbox;

#[test]
fn html_links_keep_the_original_url_in_an_attribute() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let (old, new) = (web.url("/old"), web.url("/new/page"));
    sandbox.write("a.html", &format!("<p><a href=\"{old}\" id=x>x</a></p>\n"));
    run_fix(&sandbox, &["a.html", "--apply"]).exits(0);
    assert_eq!(
        sandbox.read("a.html"),
        format!("<p><a href=\"{new}\" data-originalurl=\"{old}\" id=x>x</a></p>\n")
    );
    assert!(!sandbox.path("links.lock.toml").exists());
    let second = run_fix(&sandbox, &["a.html"]).exits(0);
    assert!(second.stderr.contains("nothing to repair"), "{}", second.stderr);
}

#[test]
fn dead_html_links_also_name_the_archived_copy() {
    let (web, sandbox, archive) = dead_pages();
    let elm = web.url("/old/elm");
    sandbox.write("a.html", &format!("<a href='{elm}'>elm</a>\n"));
    let root = archive.root();
    let args = ["a.html", "--revive", "--archive", &root, "--style", "replace", "--apply"];
    run_fix(&sandbox, &args).exits(0);
    let copy = format!("{root}web/20210302030405/{elm}");
    let text = sandbox.read("a.html");
    let attributes = format!(
        "<a href='{copy}' data-originalurl='{elm}' data-versionurl='{copy}' \
         data-versiondate='2021-03-02'>"
    );
    assert!(text.starts_with(&attributes), "{text}");
}

#[test]
fn markdown_links_keep_the_original_url_in_a_sidecar_file() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let (old, new) = (web.url("/old"), web.url("/new/page"));
    sandbox.write("docs/a.md", &format!("[a]({old}#x)\n"));
    let first = run_fix(&sandbox, &["docs", "--apply"]).exits(0);
    let sidecar = sandbox.read("docs/links.lock.toml");
    let entry =
        format!("\n[[link]]\nfile = \"a.md\"\nurl = \"{new}#x\"\noriginal-url = \"{old}#x\"\n");
    assert!(sidecar.ends_with(&entry), "{sidecar}");

    // A later repair appends to the file.
    sandbox.write("docs/b.md", &format!("[b]({old})\n"));
    let second = run_fix(&sandbox, &["docs", "--apply"]).exits(0);
    assert!(sandbox.read("docs/links.lock.toml").starts_with(&sidecar));
    sandbox.run(&["fix", "--undo", &undo_id(&second)]).exits(0);
    assert_eq!(sandbox.read("docs/links.lock.toml"), sidecar);
    sandbox.run(&["fix", "--undo", &undo_id(&first)]).exits(0);
    assert!(!sandbox.path("docs/links.lock.toml").exists());
    assert_eq!(sandbox.read("docs/a.md"), format!("[a]({old}#x)\n"));
}

#[test]
fn robust_none_keeps_no_original_url() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let (old, new) = (web.url("/old"), web.url("/new/page"));
    sandbox.write("a.html", &format!("<a href=\"{old}\">x</a>\n"));
    sandbox.write("a.md", &format!("[a]({old})\n"));
    run_fix(&sandbox, &["a.html", "a.md", "--robust", "none", "--apply"]).exits(0);
    assert_eq!(sandbox.read("a.html"), format!("<a href=\"{new}\">x</a>\n"));
    assert!(!sandbox.path("links.lock.toml").exists());
}
