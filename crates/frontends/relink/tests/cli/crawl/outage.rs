//! Sites that go down during a crawl.
//!
//! Sites are written in the notation of [`super::site`]: each line has the path of a page and
//! its links.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use relink_testkit::dns::Dns;
use relink_testkit::web::{CannedResponse, TestServer};

use super::{crawl, crawl_human, generated_pages};
use crate::sandbox::{CommandOutput, Sandbox};
use crate::servers::BackgroundServer;

/// Number of pages of the site.
const PAGE_COUNT: usize = 600;

/// A site that serves a number of requests, and then returns errors while `is_down` is true.
struct FailingSite {
    web: TestServer,
    is_down: Arc<AtomicBool>,
}

impl FailingSite {
    /// Starts a site that returns `status` after `healthy_requests` requests.
    fn start(healthy_requests: usize, status: u16) -> Self {
        let web = TestServer::start_blocking();
        let is_down = Arc::new(AtomicBool::new(true));
        let is_server_down = Arc::clone(&is_down);
        let request_count = AtomicUsize::new(0);
        web.respond_below_with("/", move |request| {
            let earlier_requests = request_count.fetch_add(1, Ordering::Relaxed);
            if earlier_requests >= healthy_requests && is_server_down.load(Ordering::Relaxed) {
                return CannedResponse::new(status, "<h1>Error</h1>");
            }
            page(&request.path)
        });
        Self { web, is_down }
    }

    /// Returns the start URL.
    fn url(&self) -> String {
        self.web.url("/0").into()
    }
}

/// Returns a page of the site. Page N links to the pages 10 N + 1 to 10 N + 10.
fn page(path: &str) -> CannedResponse {
    let number: Option<usize> = path.trim_start_matches('/').parse().ok();
    let Some(number) = number.filter(|number| *number < PAGE_COUNT) else {
        return CannedResponse::new(404, "nothing here");
    };
    let targets = (10 * number + 1..=10 * number + 10).filter(|target| *target < PAGE_COUNT);
    let links: Vec<String> = targets.map(|target| format!("/{target}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    CannedResponse::new(200, generated_pages::page(path, &links))
}

/// Counts the rows with a verdict and a reason that starts with `reason`.
fn count(output: &CommandOutput, verdict: &str, reason: &str) -> usize {
    let is_match = |row: &&serde_json::Value| {
        row["verdict"] == verdict && row["reason"].as_str().unwrap().starts_with(reason)
    };
    output.rows().results.iter().filter(is_match).count()
}

#[test]
fn crawl_of_a_site_that_goes_down_stops_requesting_and_exits_1() {
    for status in [500, 502, 504] {
        let (site, sandbox) = (FailingSite::start(100, status), Sandbox::new());
        let output = crawl_human(&sandbox, &[&site.url()]).exits(1);
        let first = output.stdout.lines().next().unwrap();
        assert!(first.starts_with("! ") && first.contains("of this site"), "{}", output.stdout);
        assert!(!output.stdout.contains("Nothing fails"), "{}", output.stdout);
        let requests = site.web.requests().len();
        // Some requests are sent before the site counts as down.
        assert!(requests <= 100 + 60, "{status}: {requests} requests");
    }
}

#[test]
fn pages_of_a_site_that_is_down_are_failing_and_requested_in_the_next_run() {
    let (site, sandbox) = (FailingSite::start(100, 502), Sandbox::new());
    let output = crawl(&sandbox, &[&site.url()]).exits(1);
    assert!(count(&output, "failing", "not requested: the host has returned only errors") > 100);
    assert_eq!(count(&output, "dead", ""), 0);
    assert!(output.stderr.contains("warning: "), "{}", output.stderr);
    site.is_down.store(false, Ordering::Relaxed);
    let output = crawl(&sandbox, &[&site.url()]).exits(0);
    assert_eq!(count(&output, "alive", ""), PAGE_COUNT);
}

#[test]
fn site_that_recovers_during_the_pause_is_crawled_to_its_end() {
    let web = TestServer::start_blocking();
    let request_count = AtomicUsize::new(0);
    web.respond_below_with("/", move |request| {
        let earlier_requests = request_count.fetch_add(1, Ordering::Relaxed);
        if (100..121).contains(&earlier_requests) {
            CannedResponse::new(500, "")
        } else {
            page(&request.path)
        }
    });
    let url = web.url("/0");
    let output = crawl(&Sandbox::new(), &[url.as_str()]).exits(0);
    assert!(count(&output, "alive", "") > 300);
    assert_eq!(count(&output, "failing", "not requested"), 0);
}

#[test]
fn site_with_a_fifth_of_failing_pages_exits_1_with_a_note() {
    let web = super::site("/ /a /b /c /d\n/a\n/b\n/c");
    web.page("/d", 500, "");
    let url = web.url("/");
    let output = crawl_human(&Sandbox::new(), &[url.as_str()]).exits(1);
    let first = output.stdout.lines().next().unwrap();
    assert_eq!(
        first,
        "! 1 of the 5 pages of this site (20 %) return a server error or do not respond"
    );
    assert_eq!(output.stdout.matches(first).count(), 1, "{}", output.stdout);
    // A sixth of failing pages is accepted.
    let web = super::site("/ /a /b /c /d /e\n/a\n/b\n/c\n/e");
    web.page("/d", 500, "");
    let url = web.url("/");
    crawl_human(&Sandbox::new(), &[url.as_str()]).exits(0);
}

#[test]
fn external_links_are_failing_if_no_external_name_is_resolved() {
    let dns = BackgroundServer::start(Dns::start());
    let links: Vec<String> = (0..4).map(|n| format!("http://other{n}.test/")).collect();
    let web = super::site(&format!("/ /a {}\n/a", links.join(" ")));
    let (url, server) = (web.url("/"), dns.address().to_string());
    let output = crawl(&Sandbox::new(), &[url.as_str(), "--dns-server", &server]).exits(3);
    assert_eq!(count(&output, "dead", ""), 0);
    assert_eq!(count(&output, "alive", ""), 2);
    assert_eq!(count(&output, "failing", "our own network is in doubt"), 4);
}
