//! Hosts that throttle or block the crawler.
//!
//! Sites are written in the notation of [`super::site`]: each line has the path of a page and
//! its links.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use relink_testkit::web::{CannedResponse, RecordedRequest, TestServer};

use super::{CRAWL, crawl, crawl_human, generated_pages, requested_paths, site};
use crate::sandbox::Sandbox;

#[test]
fn retry_after_is_obeyed_and_reported() {
    let web = site("/ /a /b /c\n/b\n/c");
    let throttled = CannedResponse::new(429, "slow down").with_header("Retry-After", "1");
    web.sequence("/a", [throttled, CannedResponse::new(200, generated_pages::page("/a", &[]))]);
    let url = web.url("/");
    let args = [url.as_str(), "--host-interval", "0", "--host-concurrency", "4"];
    let output = Sandbox::new().run(&[CRAWL, &args].concat()).exits(0);
    assert!(output.stdout.contains("4 alive"), "{}", output.stdout);
    assert!(output.stdout.contains("throttled"), "{}", output.stdout);
    let requests: Vec<RecordedRequest> = web.requests();
    let first = requests.iter().position(|request| request.path == "/a").unwrap();
    let second = requests.iter().rposition(|request| request.path == "/a").unwrap();
    let gap = requests[second].at - requests[first].at;
    assert!(second > first && gap >= Duration::from_millis(980), "{gap:?}");
}

/// A site of a hundred pages that serves a number of requests, and then blocks all clients while
/// `is_blocking` is true.
struct BlockingSite {
    web: TestServer,
    is_blocking: Arc<AtomicBool>,
}

/// Number of pages of the site.
const PAGE_COUNT: usize = 100;

impl BlockingSite {
    /// Starts a site that blocks after `allowed_requests` requests.
    fn start(allowed_requests: usize) -> Self {
        let web = TestServer::start_blocking();
        let is_blocking = Arc::new(AtomicBool::new(true));
        let is_server_blocking = Arc::clone(&is_blocking);
        let request_count = AtomicUsize::new(0);
        web.respond_below_with("/", move |request| {
            let earlier_requests = request_count.fetch_add(1, Ordering::Relaxed);
            if earlier_requests >= allowed_requests && is_server_blocking.load(Ordering::Relaxed) {
                return CannedResponse::new(403, "go away");
            }
            page(&request.path)
        });
        Self { web, is_blocking }
    }
}

/// Returns a page of the site. Page N links to the pages 2 N + 1 and 2 N + 2.
fn page(path: &str) -> CannedResponse {
    let number: Option<usize> = path.trim_start_matches('/').parse().ok();
    let Some(number) = number.filter(|number| *number < PAGE_COUNT) else {
        return CannedResponse::new(404, "nothing here");
    };
    let targets = [2 * number + 1, 2 * number + 2];
    let existing_targets = targets.into_iter().filter(|target| *target < PAGE_COUNT);
    let links: Vec<String> = existing_targets.map(|target| format!("/{target}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    CannedResponse::new(200, generated_pages::page(path, &links))
}

#[test]
fn host_that_blocks_everything_ends_the_crawl_with_a_message() {
    let (site, sandbox) = (BlockingSite::start(30), Sandbox::new());
    let url = site.web.url("/0");
    let output = crawl_human(&sandbox, &[url.as_str()]).exits(3);
    assert!(output.stdout.contains("started to block requests"), "{}", output.stdout);
    assert!(output.stdout.contains("run the same command later to resume"), "{}", output.stdout);
    let blocked_requests = site.web.requests().len() - 30;
    assert!(blocked_requests <= 60, "{blocked_requests} requests after the site blocked us");
    let status = sandbox.run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert!(status.stdout.contains("unfinished"), "{}", status.stdout);
    assert!(status.stdout.contains("run the same command to resume"), "{}", status.stdout);
}

#[test]
fn blocked_crawl_can_be_finished_later() {
    let (site, sandbox) = (BlockingSite::start(30), Sandbox::new());
    let url = site.web.url("/0");
    crawl_human(&sandbox, &[url.as_str()]).exits(3);
    site.is_blocking.store(false, Ordering::Relaxed);
    let rows = crawl(&sandbox, &[url.as_str()]).exits(0).rows();
    assert_eq!(rows.results.len(), PAGE_COUNT);
    for row in &rows.results {
        assert_eq!(row["verdict"], "alive", "{row}");
    }
    let status = sandbox.run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert!(status.stdout.contains("finished"), "{}", status.stdout);
    assert!(status.stdout.contains("100 pages, 100 of 100 targets"), "{}", status.stdout);
}

/// Only the directory `/members/` blocks requests.
#[test]
fn blocked_section_does_not_end_the_crawl() {
    let closed: Vec<String> = (0..20).map(|n| format!("/members/{n}")).collect();
    let web = site(&format!("/ {} /a\n/a /b\n/b", closed.join(" ")));
    web.respond_below("/members/", CannedResponse::new(403, "members only"));
    let url = web.url("/");
    let rows = crawl(&Sandbox::new(), &[url.as_str()]).exits(0).rows();
    assert_eq!(rows.results.len(), 23);
    assert!(requested_paths(&web).contains(&"/b".to_owned()));
}

#[test]
fn crawl_with_an_interval_of_four_milliseconds_ends() {
    let web = TestServer::start_blocking();
    web.respond_below_with("/", |request| page(&request.path));
    let url = web.url("/0");
    let args = ["--render", "never", "--host-interval", "4ms", "--host-concurrency", "8"];
    let output = Sandbox::new().run(&[CRAWL, &args, &[url.as_str()]].concat());
    assert!(requested_paths(&web).len() >= PAGE_COUNT, "{}", output.stdout);
}

#[test]
fn crawl_of_a_host_with_retry_after_of_an_hour_ends_in_every_run() {
    let web = TestServer::start_blocking();
    let request_count = AtomicUsize::new(0);
    web.respond_below_with("/", move |request| {
        if request_count.fetch_add(1, Ordering::Relaxed) < 5 {
            return page(&request.path);
        }
        CannedResponse::new(429, "slow down").with_header("Retry-After", "3600")
    });
    let (url, sandbox) = (web.url("/0"), Sandbox::new());
    let mut requests = Vec::new();
    for _ in 0..2 {
        crawl(&sandbox, &[url.as_str(), "--render", "never"]);
        requests.push(web.requests().len());
    }
    assert_eq!(requests[0], requests[1], "no request before the hour is over");
}
