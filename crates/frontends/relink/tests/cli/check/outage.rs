//! Hosts that are down.

use relink_testkit::web::{CannedResponse, TestServer};

use crate::sandbox::Sandbox;
use crate::servers::RefusedPort;

/// Number of URLs of the host that is down.
const DOWN_URLS: usize = 300;

#[test]
fn check_stops_requesting_a_host_that_is_down_and_checks_the_others() {
    let (down, web) = (TestServer::start_blocking(), TestServer::start_blocking());
    down.respond_below("/", CannedResponse::new(502, "bad gateway"));
    let sandbox = Sandbox::new();
    let mut urls: Vec<String> = (0..DOWN_URLS).map(|n| down.url(&format!("/{n}")).into()).collect();
    for n in 0..50 {
        web.page(&format!("/{n}"), 200, "");
        urls.push(web.url(&format!("/{n}")).into());
    }
    sandbox.write_urls("urls.txt", &urls);
    let rows = sandbox.check(&["urls.txt"]).exits(0).rows();
    assert_eq!(rows.results.len(), urls.len());
    assert!(urls[..DOWN_URLS].iter().all(|url| rows.verdict(url) == "failing RL502"));
    assert!(urls[DOWN_URLS..].iter().all(|url| rows.verdict(url) == "alive"));
    let requests = down.requests().len();
    // Relink stops requesting the host after 20 failures in a row and three pauses.
    assert!(requests <= 60, "{requests} requests");
}

#[test]
fn check_of_a_host_that_refuses_connections_ends_soon_with_a_reason() {
    let (refused, web) = (RefusedPort::new(), TestServer::start_blocking());
    web.page("/", 200, "");
    let sandbox = Sandbox::new();
    let mut urls: Vec<String> = (0..DOWN_URLS).map(|n| refused.url(&format!("/{n}"))).collect();
    urls.push(web.url("/").into());
    sandbox.write_urls("urls.txt", &urls);
    let rows = sandbox.check(&["urls.txt"]).exits(0).rows();
    let reason = |url: &String| rows.row(url)["reason"].as_str().unwrap().to_owned();
    assert!(urls[..DOWN_URLS].iter().all(|url| rows.verdict(url) == "failing RL541"));
    // All but the first URLs are reported without a request.
    let unrequested = urls.iter().filter(|url| reason(url).starts_with("not requested: "));
    assert!(unrequested.count() > DOWN_URLS - 60);
}

/// One broken section does not make the whole host dead.
#[test]
fn check_requests_all_pages_of_a_host_with_one_broken_section() {
    let web = TestServer::start_blocking();
    web.respond_below("/api/", CannedResponse::new(500, ""));
    let mut urls = Vec::new();
    for n in 0..60 {
        web.page(&format!("/doc/{n}"), 200, "");
        urls.extend([web.url(&format!("/api/{n}")), web.url(&format!("/doc/{n}"))]);
    }
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", &urls);
    let rows = sandbox.check(&["urls.txt"]).exits(0).rows();
    let is_requested = |url: &&url::Url| rows.row(url.as_str())["status"].is_u64();
    assert_eq!(urls.iter().filter(is_requested).count(), 120);
}
