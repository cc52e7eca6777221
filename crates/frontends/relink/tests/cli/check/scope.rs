//! Selection of documents and URLs.

use relink_testkit::web::TestServer;

use crate::sandbox::Sandbox;

/// Asserts the URLs that a check of some documents reports. `args` are inputs and flags.
#[track_caller]
fn check(args: &[&str], expected: &[&str]) {
    let sandbox = Sandbox::new();
    sandbox
        .write("docs/a.md", "[b](b.md) [gone](gone.md) [out](../top.md)\n")
        .write("docs/b.md", "# B\n\n[a](a.md#part) [mail](mailto:ann@example.org)\n")
        .write("docs/deep/c.html", "<a href='../a.md'>a</a> <img src=no.png>\n")
        .write("docs/drafts/d.md", "[never](never.md)\n")
        .write("docs/e.bin", "[never](never.md)\n")
        .write(".gitignore", "drafts/\n")
        .write("top.md", "[web](https://example.org/)\n");
    let rows = sandbox.check(&[&["--offline"], args].concat()).rows();
    assert_eq!(rows.urls(), expected);
}

#[test]
fn directory_is_walked_and_ignore_files_are_obeyed() {
    check(&["docs"], &["../a.md", "../top.md", "a.md#part", "b.md", "gone.md", "no.png"]);
}

#[test]
fn ignored_file_given_as_input_is_read() {
    check(&["docs/drafts/d.md"], &["never.md"]);
}

#[test]
fn glob_matches_files() {
    check(&["docs/**/*.html"], &["../a.md", "no.png"]);
    check(&["docs/[ab].md"], &["../top.md", "a.md#part", "b.md", "gone.md"]);
}

#[test]
fn file_given_twice_is_read_once() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "[gone](gone.md)\n");
    let rows = sandbox.check(&["--offline", "docs", "docs/a.md", "./docs/*.md"]).exits(1).rows();
    assert_eq!(rows.row("gone.md")["locations"].as_array().unwrap().len(), 1);
}

#[test]
fn exclude_patterns_match_urls_and_documents() {
    check(
        &["docs", "--exclude", r"\.html$", "--exclude", "gone"],
        &["../top.md", "a.md#part", "b.md"],
    );
    check(&["docs", "--include", "*.png"], &["no.png"]);
}

#[test]
fn offline_checks_local_links_only() {
    let web = TestServer::start_blocking();
    let sandbox = Sandbox::new();
    sandbox.write("a.md", &format!("[here](a.md) [gone](gone.md) [web]({})\n", web.url("/")));
    let rows = sandbox.check(&["--offline", "a.md", web.url("/page").as_str()]).exits(1).rows();
    assert_eq!(rows.verdict("a.md"), "alive");
    assert_eq!(rows.verdict("gone.md"), "local RL601");
    assert_eq!(rows.results.len(), 2);
    assert_eq!(web.connections(), 0);
}

#[test]
fn excluded_url_is_not_requested() {
    let web = TestServer::start_blocking();
    web.page("/a", 200, "").page("/b", 200, "");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/a"), web.url("/b")]);
    let rows = sandbox.check(&["urls.txt", "--exclude", "/b$"]).exits(0).rows();
    assert_eq!(rows.urls(), [web.url("/a").as_str()]);
    assert_eq!(web.hits("/b"), 0);
}

#[test]
fn standard_input_larger_than_the_buffer_is_spooled() {
    let sandbox = Sandbox::new();
    let input = format!("{}http://exa mple/\n", format!("# {}\n", "-".repeat(60_000)).repeat(300));
    let rows = sandbox.check_stdin(&input, &["--offline", "--as", "list", "-"]).exits(1).rows();
    assert_eq!(rows.verdict("http://exa mple/"), "local RL602");
    assert_eq!(rows.results[0]["locations"][0]["path"], "stdin");
    assert_eq!(rows.results[0]["locations"][0]["line"], 301);
}
