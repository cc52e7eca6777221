//! Resuming an interrupted crawl.

use std::time::Duration;

use relink_testkit::web::{CannedResponse, TestServer};

use super::{crawl, generated_pages, jsonl_args, requested_paths};
use crate::sandbox::Sandbox;

/// Number of pages of the slow site.
const PAGE_COUNT: usize = 60;
/// Maximum number of concurrent requests.
const HOST_CONCURRENCY: usize = 2;

/// Starts a slow site. Each page links to two others: page N links to the pages N + 1 and 2 N + 1.
fn slow_site() -> TestServer {
    let web = TestServer::start_blocking();
    for number in 0..PAGE_COUNT {
        let targets = [(number + 1) % PAGE_COUNT, (2 * number + 1) % PAGE_COUNT];
        let links = targets.map(|target| format!("/{target}"));
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        let path = format!("/{number}");
        let response = CannedResponse::new(200, generated_pages::page(&path, &links));
        web.respond(&path, response.with_delay(Duration::from_millis(15)));
    }
    web
}

/// Returns the arguments of a crawl of `url`.
fn crawl_args(url: &str) -> Vec<&str> {
    vec![url, "--host-concurrency", "2"]
}

#[test]
fn repeatedly_killed_crawl_finishes_with_few_repeated_requests() {
    for order in ["breadth", "depth"] {
        let (web, sandbox) = (slow_site(), Sandbox::new());
        let url = web.url("/0");
        let args = [&crawl_args(url.as_str())[..], &["--order", order]].concat();
        let kills = 4;
        for kill in 0..kills {
            let mut running = sandbox.spawn(&jsonl_args(&args));
            // Each run first prints the pages that earlier runs have checked. Kill it some
            // pages later than the last one.
            for _ in 0..=kill * 6 + 3 {
                running.next_row();
            }
            running.kill();
        }
        let rows = crawl(&sandbox, &args).exits(0).rows();
        assert_eq!(rows.results.len(), PAGE_COUNT);
        assert!(rows.results.iter().all(|row| row["verdict"] == "alive"));
        let requests = requested_paths(&web).len();
        // Requests in flight and uncommitted results may be repeated.
        assert!(requests <= PAGE_COUNT + kills * 2 * HOST_CONCURRENCY, "{order}: {requests}");
        assert_eq!(web.hits("/robots.txt"), 1);
    }
}

#[test]
fn interrupted_crawl_exits_130_and_explains_how_to_resume() {
    let (web, sandbox) = (slow_site(), Sandbox::new());
    let url = web.url("/0");
    let mut running = sandbox.spawn(&jsonl_args(&crawl_args(url.as_str())));
    running.next_row();
    running.interrupt();
    running.finish().exits(130);
    let status = sandbox.run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert!(status.stdout.contains("unfinished since"), "{}", status.stdout);
    assert!(status.stdout.contains(url.as_str()), "{}", status.stdout);
    crawl(&sandbox, &crawl_args(url.as_str())).exits(0);
    let status = sandbox.run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert!(status.stdout.contains("60 pages, 60 of 60 targets"), "{}", status.stdout);
    assert_eq!(status.stdout.lines().count(), 1, "{}", status.stdout);
}

#[test]
fn fresh_crawl_does_not_change_the_unfinished_one() {
    let (web, sandbox) = (slow_site(), Sandbox::new());
    let url = web.url("/0");
    let mut running = sandbox.spawn(&jsonl_args(&crawl_args(url.as_str())));
    running.next_row();
    running.kill();
    let args = [&crawl_args(url.as_str())[..], &["--fresh"]].concat();
    assert_eq!(crawl(&sandbox, &args).exits(0).rows().results.len(), PAGE_COUNT);
    let status = sandbox.run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert_eq!(status.stdout.lines().count(), 2, "{}", status.stdout);
}

#[test]
fn status_without_a_crawl_explains_how_to_start() {
    let status = Sandbox::new().run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert!(status.stdout.contains("relink crawl URL"), "{}", status.stdout);
}
