//! Anchors of web pages, checked on request.

use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use crate::sandbox::Sandbox;

/// A page with the anchors `intro`, `old name` and `two`.
const PAGE: &str = "<!doctype html><title>Guide</title><h1 id=intro>Intro</h1>\
                    <p>Some text.</p><a name='old name'></a><h2 id=two>Two</h2>";

/// Creates an HTML response.
fn html(body: impl Into<Vec<u8>>) -> CannedResponse {
    CannedResponse::new(200, body).with_header("Content-Type", "text/html; charset=utf-8")
}

/// Starts a server with [`PAGE`] at `/guide`.
fn guide() -> TestServer {
    let web = TestServer::start_blocking();
    web.respond("/guide", html(PAGE));
    web
}

/// Checks links to `/guide` with these fragments and asserts which anchors are
/// missing.
#[track_caller]
fn check(web: &TestServer, fragments: &[&str], missing: &[&str]) {
    check_with(web, &[], fragments, missing);
}

/// Like [`check`], with more flags.
#[track_caller]
fn check_with(web: &TestServer, flags: &[&str], fragments: &[&str], missing: &[&str]) {
    let sandbox = Sandbox::new();
    sandbox.write_urls(
        "urls.txt",
        fragments.iter().map(|fragment| format!("{}#{fragment}", web.url("/guide"))),
    );
    let output = sandbox.check(&[flags, &["--remote-anchors", "urls.txt"]].concat());
    let rows = output.rows().results;
    let findings = rows.iter().filter(|row| row["code"] == "RL603");
    let fragment = |row: &Value| row["url"].as_str().unwrap().split_once('#').unwrap().1.to_owned();
    let found: Vec<String> = findings.map(fragment).collect();
    assert_eq!(found, missing, "{}", output.stdout);
}

#[test]
fn missing_anchor_is_a_separate_finding() {
    let web = guide();
    let sandbox = Sandbox::new();
    let existing = format!("{}#intro", web.url("/guide"));
    let missing = format!("{}#gone", web.url("/guide"));
    sandbox.write("a.md", &format!("[a]({existing})\n[b]({missing})\n\n[c]({missing})\n"));
    let rows = sandbox.check(&["--remote-anchors", "a.md"]).exits(1).rows();
    assert_eq!(rows.verdict(web.url("/guide")), "alive");
    assert_eq!(rows.verdict(&missing), "local RL603");
    let locations = rows.row(&missing)["locations"].as_array().unwrap();
    let lines: Vec<&Value> = locations.iter().map(|location| &location["line"]).collect();
    assert_eq!(lines, [2, 4]);
    assert_eq!(rows.row(&missing)["reason"], "no anchor `#gone` on that page");
    assert_eq!(rows.results.len(), 2);
}

#[test]
fn remote_anchors_are_checked_only_on_request() {
    let web = guide();
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [format!("{}#gone", web.url("/guide"))]);
    let rows = sandbox.check(&["urls.txt"]).exits(0).rows();
    assert_eq!(rows.results.len(), 1);
}

#[test]
fn ids_names_and_top_are_valid_anchors() {
    check(&guide(), &["intro", "two", "old%20name", "", "top", "Top"], &[]);
    check(&guide(), &["Intro", "old"], &["Intro", "old"]);
}

#[test]
fn text_fragments_routes_and_lines_are_not_anchors() {
    check(&guide(), &[":~:text=words", "/a/b", "!a", "page=2", "L10-L20"], &[]);
    check(&guide(), &["gone:~:text=words"], &["gone"]);
}

#[test]
fn remote_anchor_with_escapes_in_its_id_is_found() {
    let web = TestServer::start_blocking();
    let page = "<!doctype html><title>Docs</title><h1 id=a>A</h1>\
                <section id='impl-From%3CT%3E'>From</section><h2 id='impl-Into<T>'>Into</h2>\
                <pre><a id=1>1</a><a id=2>2</a><a id=3>3</a></pre>";
    web.respond("/guide", html(page));
    check(&web, &["impl-From%3CT%3E", "impl-From<T>", "impl-Into%3CT%3E", "impl-Into<T>"], &[]);
    // A range of lines: the anchors 1 and 3 exist, 4 does not.
    check(&web, &["1-3"], &[]);
    check(&web, &["impl-From", "impl-Into%253CT%253E"], &["impl-From", "impl-Into%253CT%253E"]);
    check(&web, &["1-4"], &["1-4"]);
}

#[test]
fn many_anchors_of_one_page_cost_one_request() {
    let web = guide();
    check(&web, &["intro", "two", "gone", "lost"], &["gone", "lost"]);
    let sandbox = Sandbox::new();
    // The same page without anchors needs as many requests.
    let other = guide();
    sandbox.write_urls("urls.txt", [other.url("/guide")]);
    sandbox.check(&["urls.txt"]).exits(0);
    assert_eq!(web.hits("/guide"), other.hits("/guide"));
}

#[test]
fn anchors_of_script_built_pages_are_unknown() {
    let web = TestServer::start_blocking();
    web.respond("/guide", html("<!doctype html><div id=app></div><script src=app.js></script>"));
    check(&web, &["part"], &[]);
}

#[test]
fn anchors_beyond_the_size_limit_are_unknown() {
    let web = TestServer::start_blocking();
    web.respond("/guide", html(format!("{PAGE}{}", "<p>more</p>\n".repeat(4_000))));
    check_with(&web, &["--max-page-size", "10k"], &["gone"], &[]);
    check(&web, &["gone"], &["gone"]);
}

#[test]
fn anchors_of_pages_too_long_to_read_are_counted() {
    let web = TestServer::start_blocking();
    web.respond("/guide", html(format!("{PAGE}{}", "<p>more</p>\n".repeat(4_000))));
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [format!("{}#gone", web.url("/guide"))]);
    // Returns the number of links whose anchor is unknown.
    let skipped_anchors = |flags: &[&str]| {
        let args = [&["--remote-anchors", "--format", "json", "urls.txt"], flags].concat();
        let report: Value = serde_json::from_str(&sandbox.check_human(&args).stdout).unwrap();
        report["summary"]["skipped"]["anchor"].clone()
    };
    assert_eq!(skipped_anchors(&["--max-page-size", "10k"]), 1);
    assert_eq!(skipped_anchors(&["--max-cache-age", "0"]), Value::Null);
}

#[test]
fn page_with_linked_anchors_is_read_beyond_the_usual_limit() {
    let web = TestServer::start_blocking();
    let page = format!("{PAGE}{}<h2 id=end>End</h2>", "<p>more</p>\n".repeat(100_000));
    web.respond("/guide", html(page));
    check(&web, &["end", "gone"], &["gone"]);
}

#[test]
fn anchors_are_checked_on_the_redirect_target() {
    let web = guide();
    web.redirect("/old", 302, "/guide").redirect("/named", 302, "/guide#two");
    let sandbox = Sandbox::new();
    let urls =
        ["/old#two", "/old#gone", "/named#gone"].map(|path| web.url("/").join(path).unwrap());
    sandbox.write_urls("urls.txt", &urls);
    let rows = sandbox.check(&["--remote-anchors", "urls.txt"]).exits(1).rows();
    assert_eq!(rows.verdict(&urls[1]), "local RL603");
    assert_eq!(rows.results.len(), 3);
}

#[test]
fn anchors_of_a_dead_page_are_not_reported() {
    let web = TestServer::start_blocking();
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [format!("{}#part", web.url("/gone"))]);
    let rows = sandbox.check(&["--remote-anchors", "urls.txt"]).exits(1).rows();
    assert_eq!(rows.results.len(), 1);
}

#[test]
fn anchors_of_an_input_page_are_checked() {
    let web = TestServer::start_blocking();
    web.respond(
        "/",
        html("<h1 id=a>A</h1><a href='#a'>a</a> <a href='#b'>b</a> <a href='#top'>t</a>"),
    );
    let url = web.url("/");
    let rows = Sandbox::new().check(&["--remote-anchors", url.as_str()]).exits(1).rows();
    assert_eq!(rows.verdict(format!("{url}#b")), "local RL603");
    assert_eq!(rows.results.len(), 2);
    let plain = TestServer::start_blocking();
    plain.respond("/", html("<h1 id=a>A</h1>"));
    Sandbox::new().check(&[plain.url("/").as_str()]).exits(0);
    assert_eq!(web.hits("/"), plain.hits("/"));
}

#[test]
fn ignore_directive_hides_a_missing_anchor() {
    let web = guide();
    let sandbox = Sandbox::new();
    let url = web.url("/guide");
    sandbox
        .write("a.md", &format!("[a]({url}#gone) <!-- relink:ignore RL603 -->\n[b]({url}#lost)\n"));
    let rows = sandbox.check(&["--remote-anchors", "a.md"]).exits(1).rows();
    assert_eq!(rows.verdict(format!("{url}#lost")), "local RL603");
    assert_eq!(rows.results.len(), 2);
}

#[test]
fn cached_result_is_used_only_if_it_has_anchors() {
    let web = guide();
    let sandbox = Sandbox::new();
    let url = web.url("/guide");
    sandbox.write_urls("urls.txt", [url.to_string(), format!("{url}#gone")]);
    sandbox.check(&["urls.txt"]).exits(0);
    let hits = web.hits("/guide");
    let rows = sandbox.check(&["--remote-anchors", "urls.txt"]).exits(1).rows();
    assert_eq!(rows.verdict(format!("{url}#gone")), "local RL603");
    assert_eq!(rows.row(&url)["cached"], false);
    let hits_with_anchors = web.hits("/guide");
    assert!(hits_with_anchors > hits);
    let rows = sandbox.check(&["--remote-anchors", "urls.txt"]).exits(1).rows();
    assert_eq!(rows.verdict(format!("{url}#gone")), "local RL603");
    assert_eq!(rows.row(&url)["cached"], true);
    assert_eq!(web.hits("/guide"), hits_with_anchors);
}

#[test]
fn page_and_its_missing_anchor_are_two_rows() {
    let web = guide();
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [format!("{}#no%20anchor", web.url("/guide"))]);
    let rows = sandbox.check(&["--remote-anchors", "urls.txt"]).exits(1).rows();
    assert_eq!(rows.results.len(), 2);
    assert_eq!(rows.verdict(web.url("/guide")), "alive");
    assert_eq!(rows.verdict(format!("{}#no%20anchor", web.url("/guide"))), "local RL603");
}
