//! Limits on page size and links per page: defaults, flags, and the reported number
//! of skipped items.

use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use super::{crawl, crawl_human};
use crate::sandbox::Sandbox;

/// Creates the response of a page with `body`.
fn html(body: &str) -> CannedResponse {
    let page = format!("<!doctype html><title>Archive</title><h1>Archive</h1>{body}");
    CannedResponse::new(200, page).with_header("Content-Type", "text/html; charset=utf-8")
}

/// Starts a site whose home page links `count` times to one page, and then to a dead page.
fn site_with_links(count: usize) -> TestServer {
    let web = TestServer::start_blocking();
    let links = "<a href=/page>p</a>\n".repeat(count);
    web.respond("/", html(&format!("{links}<a href=/gone>g</a>")));
    web.respond("/page", html("<p>Another page with a distinct text."));
    web
}

/// Returns the JSON report of the last crawl.
fn site_report(sandbox: &Sandbox) -> Value {
    let output = sandbox.run(&["report", "--db", "relink.db", "--format", "json"]);
    serde_json::from_str(&output.stdout).unwrap()
}

#[test]
fn all_links_of_a_page_with_12000_links_are_read() {
    let (web, sandbox) = (site_with_links(12_050), Sandbox::new());
    let rows = crawl(&sandbox, &[web.url("/").as_str()]).exits(1).rows();
    assert_eq!(rows.verdict(web.url("/gone")), "dead RL101");
    let report = site_report(&sandbox);
    assert_eq!(report["links"], 12_051);
    assert_eq!(report["traps"].as_array().unwrap().len(), 0, "{}", report["traps"]);
}

#[test]
fn crawl_counts_links_over_the_limit_and_reports_no_trap() {
    let (web, sandbox) = (site_with_links(10), Sandbox::new());
    let url = web.url("/");
    let output = crawl_human(&sandbox, &[url.as_str(), "--max-page-links", "4"]).exits(0);
    let expected = "links not followed: 7 over the limit of links on one page (`--max-page-links`)";
    assert!(output.stdout.contains(expected), "{}", output.stdout);
    assert!(!output.stdout.contains("trap"), "{}", output.stdout);
    assert_eq!(site_report(&sandbox)["links"], 4);
}

#[test]
fn limits_are_read_from_the_configuration() {
    let (web, sandbox) = (site_with_links(10), Sandbox::new());
    sandbox.write("relink.toml", "max-page-links = 4\nmax-page-size = \"1M\"\n");
    crawl_human(&sandbox, &[web.url("/").as_str()]).exits(0);
    assert_eq!(site_report(&sandbox)["links"], 4);
}

#[test]
fn crawl_reads_the_links_at_the_end_of_a_long_page() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let text = "<p>filler text that makes the page long\n".repeat(100_000);
    web.respond("/", html(&format!("{text}<a href=/gone>g</a>")));
    let rows = crawl(&sandbox, &[web.url("/").as_str()]).exits(1).rows();
    assert_eq!(rows.verdict(web.url("/gone")), "dead RL101");
}

#[test]
fn crawl_counts_pages_over_the_size_limit() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let text = "<p>filler text that makes the page long\n".repeat(100);
    web.respond("/", html(&format!("{text}<a href=/gone>g</a>")));
    let url = web.url("/");
    let output = crawl_human(&sandbox, &[url.as_str(), "--max-page-size", "1k"]).exits(0);
    let expected = "1 page longer than the limit, read in part (`--max-page-size`)";
    assert!(output.stdout.contains(expected), "{}", output.stdout);
    assert_eq!(site_report(&sandbox)["notes"][0], expected);
}

#[test]
fn check_reads_a_long_page_completely_or_reports_truncation() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let text = "<p>filler text that makes the page long\n".repeat(50_000);
    web.respond("/", html(&format!("{text}<a href=/gone>g</a>")));
    let url = web.url("/");
    let rows = sandbox.check(&[url.as_str()]).exits(1).rows();
    assert_eq!(rows.verdict(web.url("/gone")), "dead RL101");
    let output = sandbox.check_human(&[url.as_str(), "--max-page-size", "1k", "--fresh"]).exits(0);
    assert!(output.stdout.contains("longer than 1024 bytes"), "{}", output.stdout);
}

#[test]
fn invalid_size_is_rejected() {
    let output =
        Sandbox::new().run(&["crawl", "http://site.test/", "--max-page-size", "big"]).exits(2);
    assert!(output.stderr.contains("16M"), "{}", output.stderr);
}
