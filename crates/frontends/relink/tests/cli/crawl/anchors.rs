//! Fragments of the links of a crawled site, checked against the anchors of its
//! pages.

use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use super::crawl;
use crate::sandbox::Sandbox;

/// Starts a site with a home page that has these links, and with `page` at `/docs`.
fn site(links: &[&str], page: &str) -> TestServer {
    let web = TestServer::start_blocking();
    let links: Vec<String> = links.iter().map(|link| format!("<a href=\"{link}\">x</a>")).collect();
    let links = links.join(" ");
    web.respond("/", html(&format!("<!doctype html><title>A</title><h1 id=h>A</h1>{links}")));
    web.respond("/docs", html(page));
    web
}

/// Creates an HTML response.
fn html(body: &str) -> CannedResponse {
    CannedResponse::new(200, body).with_header("Content-Type", "text/html; charset=utf-8")
}

/// Crawls a site and returns the missing anchors of the report.
#[track_caller]
fn missing_anchors(web: &TestServer) -> Vec<String> {
    let sandbox = Sandbox::new();
    crawl(&sandbox, &[web.url("/").as_str()]);
    let output = sandbox.run(&["report", "--db", "relink.db", "--format", "json"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let rows = report["fragments"]["rows"].as_array().unwrap().iter();
    rows.map(|row| row["fragment"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn crawl_finds_ids_that_contain_escapes() {
    let links = ["/docs#impl-From%3CT%3E", "/docs#impl-Into%3CT%3E", "/docs#gone%20one"];
    let page = "<!doctype html><h1 id=a>A</h1><section id='impl-From%3CT%3E'></section>\
                <section id='impl-Into<T>'></section>";
    assert_eq!(missing_anchors(&site(&links, page)), ["gone one"]);
}

#[test]
fn crawl_finds_line_ranges_of_source_pages() {
    let page = "<!doctype html><pre><span id=1>1</span><span id=2>2</span><span id=3>3</span>";
    let links = ["/docs#1-3", "/docs#2", "/docs#2-9"];
    assert_eq!(missing_anchors(&site(&links, page)), ["2-9"]);
}

#[test]
fn crawl_resolves_a_fragment_alone_against_the_base() {
    let web = TestServer::start_blocking();
    let body = "<base href='/docs'><h1 id=own>A</h1><a href='#own'>x</a> <a href='#part'>y</a>";
    web.respond("/", html(&format!("<!doctype html><title>A</title>{body}")));
    web.respond("/docs", html("<!doctype html><h1 id=a>A</h1><h2 id=part>B</h2>"));
    // `#own` refers to the base, not to the page itself.
    assert_eq!(missing_anchors(&web), ["own"]);
}

#[test]
fn crawl_checks_anchors_behind_redirects() {
    let web =
        site(&["/old#a", "/old#gone", "/named#gone"], "<!doctype html><h1 id=a>A</h1><p id=b>");
    web.redirect("/old", 301, "/docs").redirect("/named", 301, "/docs#a");
    assert_eq!(missing_anchors(&web), ["gone"]);
}
