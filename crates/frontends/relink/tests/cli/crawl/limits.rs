//! Limits of what is read: generous, set by flags, and reported with a count.

use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use super::{crawl, report};
use crate::desk::Desk;

fn html(body: &str) -> CannedResponse {
    let page = format!("<!doctype html><title>Archive</title><h1>Archive</h1>{body}");
    CannedResponse::new(200, page).header("Content-Type", "text/html; charset=utf-8")
}

/// A site whose front page links `count` times to one page, then to a dead one.
fn archive(count: usize) -> TestServer {
    let web = TestServer::start_blocking();
    let links = "<a href=/page>p</a>\n".repeat(count);
    web.answer("/", html(&format!("{links}<a href=/gone>g</a>")));
    web.answer("/page", html("<p>A page of its own, with some words in it."));
    web
}

fn site_report(desk: &Desk) -> Value {
    let said = desk.run(&["report", "--db", "relink.db", "--format", "json"]);
    serde_json::from_str(&said.stdout).unwrap()
}

#[test]
fn crawl_reads_every_link_of_a_page_with_thousands() {
    let (web, desk) = (archive(12_050), Desk::new());
    let rows = crawl(&desk, &[web.url("/").as_str()]).exits(1).rows();
    assert_eq!(rows.word(web.url("/gone")), "dead RL101");
    let report = site_report(&desk);
    assert_eq!(report["links"], 12_051);
    assert_eq!(report["traps"].as_array().unwrap().len(), 0, "{}", report["traps"]);
}

#[test]
fn crawl_counts_links_over_the_limit_and_calls_nothing_a_trap() {
    let (web, desk) = (archive(10), Desk::new());
    let url = web.url("/");
    let said = report(&desk, &[url.as_str(), "--max-page-links", "4"]).exits(0);
    let wanted = "links not checked: 7 over the limit of links on one page (`--max-page-links`)";
    assert!(said.stdout.contains(wanted), "{}", said.stdout);
    assert!(!said.stdout.contains("trap"), "{}", said.stdout);
    assert_eq!(site_report(&desk)["links"], 4);
}

#[test]
fn limits_are_read_from_the_configuration() {
    let (web, desk) = (archive(10), Desk::new());
    desk.write("relink.toml", "max-page-links = 4\nmax-page-size = \"1M\"\n");
    report(&desk, &[web.url("/").as_str()]).exits(0);
    assert_eq!(site_report(&desk)["links"], 4);
}

#[test]
fn crawl_reads_the_links_at_the_end_of_a_long_page() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let text = "<p>many words that make the page long\n".repeat(100_000);
    web.answer("/", html(&format!("{text}<a href=/gone>g</a>")));
    let rows = crawl(&desk, &[web.url("/").as_str()]).exits(1).rows();
    assert_eq!(rows.word(web.url("/gone")), "dead RL101");
}

#[test]
fn crawl_counts_pages_over_the_size_limit() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let text = "<p>many words that make the page long\n".repeat(100);
    web.answer("/", html(&format!("{text}<a href=/gone>g</a>")));
    let url = web.url("/");
    let said = report(&desk, &[url.as_str(), "--max-page-size", "1k"]).exits(0);
    let wanted = "1 page longer than the limit, read in part (`--max-page-size`)";
    assert!(said.stdout.contains(wanted), "{}", said.stdout);
    assert_eq!(site_report(&desk)["notes"][0], wanted);
}

#[test]
fn check_reads_a_long_page_to_its_end_or_says_that_it_does_not() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let text = "<p>many words that make the page long\n".repeat(50_000);
    web.answer("/", html(&format!("{text}<a href=/gone>g</a>")));
    let url = web.url("/");
    let rows = desk.check(&[url.as_str()]).exits(1).rows();
    assert_eq!(rows.word(web.url("/gone")), "dead RL101");
    let said = desk.report(&[url.as_str(), "--max-page-size", "1k", "--fresh"]).exits(0);
    assert!(said.stdout.contains("longer than 1024 bytes"), "{}", said.stdout);
}

#[test]
fn size_that_is_no_size_is_refused() {
    let said = Desk::new().run(&["crawl", "http://site.test/", "--max-page-size", "big"]).exits(2);
    assert!(said.stderr.contains("16M"), "{}", said.stderr);
}
