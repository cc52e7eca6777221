//! Which documents and addresses take part.

use relink_testkit::web::TestServer;

use crate::desk::Desk;

/// Claims which addresses of a few documents are reported.
#[track_caller]
fn check(args: &[&str], expect: &[&str]) {
    let desk = Desk::new();
    desk.write("docs/a.md", "[b](b.md) [gone](gone.md) [out](../top.md)\n")
        .write("docs/b.md", "# B\n\n[a](a.md#part) [mail](mailto:ann@example.org)\n")
        .write("docs/deep/c.html", "<a href='../a.md'>a</a> <img src=no.png>\n")
        .write("docs/drafts/d.md", "[never](never.md)\n")
        .write("docs/e.bin", "[never](never.md)\n")
        .write(".gitignore", "drafts/\n")
        .write("top.md", "[web](https://example.org/)\n");
    let rows = desk.check(&[&["--offline"], args].concat()).rows();
    assert_eq!(rows.urls(), expect);
}

#[test]
fn a_directory_is_walked_and_ignore_files_obeyed() {
    check(&["docs"], &["../a.md", "../top.md", "a.md#part", "b.md", "gone.md", "no.png"]);
}

#[test]
fn what_is_named_is_read_even_if_ignored() {
    check(&["docs/drafts/d.md"], &["never.md"]);
}

#[test]
fn a_glob_stands_for_the_files_it_matches() {
    check(&["docs/**/*.html"], &["../a.md", "no.png"]);
    check(&["docs/[ab].md"], &["../top.md", "a.md#part", "b.md", "gone.md"]);
}

#[test]
fn a_file_that_is_named_twice_is_read_once() {
    let desk = Desk::new();
    desk.write("docs/a.md", "[gone](gone.md)\n");
    let rows = desk.check(&["--offline", "docs", "docs/a.md", "./docs/*.md"]).exits(1).rows();
    assert_eq!(rows.of("gone.md")["places"].as_array().unwrap().len(), 1);
}

#[test]
fn patterns_leave_out_addresses_and_documents() {
    check(
        &["docs", "--exclude", r"\.html$", "--exclude", "gone"],
        &["../top.md", "a.md#part", "b.md"],
    );
    check(&["docs", "--include", "*.png"], &["no.png"]);
}

#[test]
fn offline_looks_at_local_links_only() {
    let web = TestServer::start_blocking();
    let desk = Desk::new();
    desk.write("a.md", &format!("[here](a.md) [gone](gone.md) [web]({})\n", web.url("/")));
    let rows = desk.check(&["--offline", "a.md", web.url("/page").as_str()]).exits(1).rows();
    assert_eq!((rows.word("a.md"), rows.word("gone.md")), ("alive".into(), "local RL601".into()));
    assert_eq!((rows.0.len(), web.connections()), (2, 0));
}

#[test]
fn a_pattern_keeps_an_address_from_being_asked() {
    let web = TestServer::start_blocking();
    web.page("/a", 200, "").page("/b", 200, "");
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/a"), web.url("/b")]);
    let rows = desk.check(&["urls.txt", "--exclude", "/b$"]).exits(0).rows();
    assert_eq!(rows.urls(), [web.url("/a").as_str()]);
    assert_eq!(web.hits("/b"), 0);
}

#[test]
fn more_comes_in_on_standard_input_than_is_held() {
    let desk = Desk::new();
    let input = format!("{}http://exa mple/\n", format!("# {}\n", "-".repeat(60_000)).repeat(300));
    let rows = desk.check_stdin(&input, &["--offline", "--as", "list", "-"]).exits(1).rows();
    assert_eq!(rows.word("http://exa mple/"), "local RL602");
    assert_eq!(rows.0[0]["places"][0]["path"], "stdin");
    assert_eq!(rows.0[0]["places"][0]["line"], 301);
}
