//! Requests for candidates (possible aliases) obey robots.txt and rate limits, as the requests of a
//! crawl do. The tests check the log of the server.

use std::time::Duration;

use relink_demo::ArchivedPage;
use relink_testkit::web::{CannedResponse, RecordedRequest, TestServer};
use serde_json::Value;

use super::{Fixture, REVIVE, alias_path, article};
use crate::sandbox::{NO_DELAYS, Sandbox};

/// Names of the moved pages.
const MOVED_NAMES: [&str; 4] = ["white-oak", "mountain-elm", "silver-fir", "common-ash"];

/// Returns archived redirects of [`MOVED_NAMES`] from `/old/` to `/trees/`.
fn moved_pages(web: &TestServer) -> Vec<ArchivedPage> {
    let redirect = |name: &str| {
        let old = web.url(&format!("/old/{name}"));
        ArchivedPage::redirect(old.as_str(), "20150102030405", 301, &format!("/trees/{name}"))
    };
    MOVED_NAMES.map(redirect).into()
}

/// Starts a site with the new pages below `/trees/`, and `robots` as its `robots.txt`.
fn site_with_robots(robots: &str) -> Fixture {
    let fixture = Fixture::new(moved_pages);
    for name in MOVED_NAMES {
        fixture.web.page(&format!("/trees/{name}"), 200, &article(name));
    }
    let robots = CannedResponse::new(200, robots).with_header("Content-Type", "text/plain");
    fixture.web.respond("/robots.txt", robots);
    fixture
}

/// Returns the URLs of all old pages.
fn old_urls(fixture: &Fixture) -> Vec<String> {
    MOVED_NAMES.iter().map(|name| fixture.url(&format!("/old/{name}"))).collect()
}

/// Returns the paths of requests.
fn request_paths(requests: &[RecordedRequest]) -> Vec<&str> {
    requests.iter().map(|request| request.path.as_str()).collect()
}

/// Returns the warnings of a result, one per line.
fn warnings(revival: &Value) -> String {
    let list = revival["warnings"].as_array();
    let texts = list.into_iter().flatten().filter_map(Value::as_str);
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn revive_fetches_robots_first_and_once() {
    let fixture = site_with_robots("User-agent: *\nDisallow: /private/\n");
    let urls = old_urls(&fixture);
    let args: Vec<&str> = urls.iter().map(String::as_str).collect();
    let rows = fixture.revive(&[&["--format", "jsonl"], &args[..]].concat()).exits(0).rows();
    assert!(rows.results.iter().all(|row| alias_path(row).is_some()), "{rows:?}");
    let requests = fixture.web.requests();
    assert_eq!(requests[0].path, "/robots.txt");
    assert_eq!(fixture.web.hits("/robots.txt"), 1, "{:?}", request_paths(&requests));
    fixture.revive(&[&["--max-result-age", "0"], &args[..]].concat()).exits(0);
    assert_eq!(fixture.web.hits("/robots.txt"), 1, "the rules are cached for a day");
}

#[test]
fn revive_skips_candidates_that_robots_forbids() {
    let fixture = site_with_robots("User-agent: *\nDisallow: /trees/\n");
    let revival = fixture.revival("/old/white-oak", &[]);
    assert_eq!(alias_path(&revival), None);
    assert_eq!(request_paths(&fixture.web.requests()), ["/robots.txt"]);
    assert!(warnings(&revival).contains("robots.txt says `Disallow: /trees/`"), "{revival}");
}

#[test]
fn revive_follows_no_redirect_that_robots_forbids() {
    let fixture = site_with_robots("User-agent: *\nDisallow: /closed/\n");
    fixture.web.redirect("/trees/white-oak", 302, "/closed/white-oak");
    fixture.web.page("/closed/white-oak", 200, &article("oak"));
    let revival = fixture.revival("/old/white-oak", &[]);
    assert_eq!(alias_path(&revival), None);
    assert_eq!(fixture.web.hits("/closed/white-oak"), 0);
    assert!(warnings(&revival).contains("robots.txt says `Disallow: /closed/`"), "{revival}");
}

#[test]
fn revive_skips_candidates_if_robots_cannot_be_fetched() {
    let fixture = site_with_robots("");
    fixture.web.respond("/robots.txt", CannedResponse::new(503, "later"));
    let revival = fixture.revival("/old/white-oak", &[]);
    assert_eq!(alias_path(&revival), None);
    assert_eq!(fixture.web.hits("/trees/white-oak"), 0);
    let expected = "robots.txt could not be fetched: status 503";
    assert!(warnings(&revival).contains(expected), "{revival}");
}

#[test]
fn revive_sends_nothing_after_a_long_retry_after_in_this_and_the_next_run() {
    let fixture = site_with_robots("");
    let throttled = CannedResponse::new(429, "slow down").with_header("Retry-After", "3600");
    fixture.web.respond_below("/trees/", throttled.clone());
    for name in MOVED_NAMES {
        fixture.web.respond(&format!("/trees/{name}"), throttled.clone());
    }
    let urls = old_urls(&fixture);
    let args: Vec<&str> = urls.iter().map(String::as_str).collect();
    let rows = fixture.revive(&[&["--format", "jsonl"], &args[..]].concat()).exits(0).rows();
    let requests = fixture.web.requests();
    assert_eq!(requests.len(), 2, "robots.txt and one page: {:?}", request_paths(&requests));
    let delayed = rows.results.iter().filter(|row| warnings(row).contains("Retry-After"));
    assert!(delayed.count() >= 3, "{rows:?}");
    fixture.revive(&[&["--max-result-age", "0"], &args[..]].concat()).exits(0);
    assert_eq!(fixture.web.requests().len(), 2, "the next run obeys Retry-After, too");
}

#[test]
fn revive_keeps_the_interval_between_all_requests() {
    let fixture = site_with_robots("User-agent: *\nCrawl-delay: 0.15\n");
    let urls = old_urls(&fixture);
    let root = fixture.archive.root();
    let mut args = [REVIVE, NO_DELAYS, &["--archive", &root]].concat();
    args.extend(urls.iter().map(String::as_str));
    fixture.sandbox.run(&args).exits(0);
    let requests = fixture.web.requests();
    assert!(requests.len() > 5, "{:?}", request_paths(&requests));
    let gaps: Vec<Duration> = requests.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    // Skip the first gap: the delay is known only after the response for robots.txt. On a busy
    // machine, a request may arrive late, but never early.
    let total: Duration = gaps[1..].iter().sum();
    let min_total = Duration::from_millis(150) * u32::try_from(gaps.len() - 1).unwrap();
    let tolerance = Duration::from_millis(50);
    assert!(total + tolerance >= min_total, "{gaps:?}");
    assert_eq!(fixture.web.max_concurrent(), 1);
}

/// The redirect leads to another host, whose rules are fetched first.
#[test]
fn revive_fetches_robots_of_redirect_targets() {
    let fixture = site_with_robots("");
    let other = TestServer::start_blocking();
    other.page("/trees/oak", 200, &article("oak"));
    let rules = CannedResponse::new(200, "User-agent: *\nDisallow: /\n");
    other.respond("/robots.txt", rules.with_header("Content-Type", "text/plain"));
    fixture.web.redirect("/trees/white-oak", 302, other.url("/trees/oak").as_str());
    let revival = fixture.revival("/old/white-oak", &["--allow-private"]);
    assert_eq!(alias_path(&revival), None);
    assert_eq!(request_paths(&other.requests()), ["/robots.txt"]);
}

#[test]
fn check_revive_obeys_robots_for_candidates_only() {
    let fixture = site_with_robots("User-agent: *\nDisallow: /\n");
    let sandbox = Sandbox::new();
    let root = fixture.archive.root();
    sandbox.write_urls("urls.txt", [fixture.url("/old/white-oak")]);
    sandbox.check(&["--revive", "--archive", &root, "urls.txt"]).exits(1);
    assert!(fixture.web.hits("/old/white-oak") > 0, "user-supplied URLs are checked");
    assert_eq!(fixture.web.hits("/trees/white-oak"), 0);
}
