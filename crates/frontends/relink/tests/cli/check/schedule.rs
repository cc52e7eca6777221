//! Runs end: short intervals, hosts that ask for a long wait, clocks that jump.

use relink_testkit::web::{CannedResponse, TestServer};

use crate::desk::{CHECK, Desk, Rows};

/// When the first run starts.
const START: &str = "2026-03-10T12:00:00Z";

/// `count` pages below `/p` of one server, as a list.
fn listed(web: &TestServer, desk: &Desk, count: usize) -> Vec<String> {
    let urls: Vec<String> = (0..count).map(|n| web.url(&format!("/p{n}")).to_string()).collect();
    desk.list("urls.txt", &urls);
    urls
}

/// A server that answers every request with 429 and asks for an hour.
fn rate_limited() -> TestServer {
    let web = TestServer::start_blocking();
    web.below("/", CannedResponse::new(429, "slow down").header("Retry-After", "3600"));
    web
}

fn check_at(desk: &Desk, now: &str, args: &[&str]) -> Rows {
    desk.run_at(now, &[CHECK, &["--format", "jsonl", "urls.txt"], args].concat()).exits(0).rows()
}

#[test]
fn check_with_an_interval_of_a_few_milliseconds_ends() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.below("/", CannedResponse::new(200, "text"));
    let urls = listed(&web, &desk, 60);
    for interval in ["1ms", "2ms", "5ms"] {
        let args = ["--fresh", "--max-age", "0", "--host-interval", interval];
        assert_eq!(check_at(&desk, START, &args).0.len(), urls.len(), "{interval}");
    }
}

#[test]
fn check_of_a_rate_limited_host_ends_however_many_urls_it_has() {
    for count in [5, 10, 11, 30] {
        let (web, desk) = (rate_limited(), Desk::new());
        let urls = listed(&web, &desk, count);
        for run in 1..=3 {
            let rows = check_at(&desk, START, &[]);
            assert_eq!(rows.0.len(), count, "run {run}");
            for url in &urls {
                assert_eq!(rows.word(url), "blocked RL429", "{count} URLs, run {run}");
            }
        }
    }
}

#[test]
fn rate_limited_host_gets_no_request_before_the_time_it_named() {
    let (web, desk) = (rate_limited(), Desk::new());
    let urls = listed(&web, &desk, 8);
    check_at(&desk, START, &[]);
    let first = web.requests().len();
    let rows = check_at(&desk, "2026-03-10T12:30:00Z", &["--fresh"]);
    assert_eq!(web.requests().len(), first, "requests within the hour");
    let reason = rows.of(&urls[7])["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("2026-03-10T13:00:0"), "{reason}");
    check_at(&desk, "2026-03-10T13:01:00Z", &["--fresh"]);
    assert!(web.requests().len() > first, "requests after the hour");
}

#[test]
fn rate_limited_page_states_when_it_is_requested_next() {
    let (web, desk) = (rate_limited(), Desk::new());
    let urls = listed(&web, &desk, 1);
    let rows = check_at(&desk, START, &[]);
    let reason = rows.of(&urls[0])["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("429") && reason.contains("2026-03-10T13:00:0"), "{reason}");
}

#[test]
fn retry_after_of_centuries_is_limited_to_a_week() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let wait = CannedResponse::new(429, "").header("Retry-After", "99999999999");
    web.sequence("/p0", [wait, CannedResponse::new(200, "text")]);
    let urls = listed(&web, &desk, 1);
    assert_eq!(check_at(&desk, START, &[]).word(&urls[0]), "blocked RL429");
    assert_eq!(check_at(&desk, "2026-03-18T12:00:00Z", &[]).word(&urls[0]), "alive");
}

/// Dead pages, checked first at `before` and then at `after`.
fn check_dead_pages_twice(before: &str, after: &str) {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let urls = listed(&web, &desk, 20);
    for now in [before, after] {
        let args = [CHECK, &["--format", "jsonl", "--host-interval", "1ms", "urls.txt"]].concat();
        let rows = desk.run_at(now, &args).exits(1).rows();
        for url in &urls {
            assert_eq!(rows.word(url), "dead RL101", "at {now}");
        }
    }
}

#[test]
fn check_after_the_clock_moved_back_gives_the_same_verdicts() {
    check_dead_pages_twice(START, "2026-03-07T12:00:00Z");
    check_dead_pages_twice(START, "2026-03-10T11:50:00Z");
}

#[test]
fn check_after_a_year_9999_gives_the_same_verdicts() {
    check_dead_pages_twice("9999-12-30T21:59:59Z", START);
}

#[test]
fn result_from_the_future_is_not_reused() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.answer("/p0", CannedResponse::new(200, "text"));
    let urls = listed(&web, &desk, 1);
    assert_eq!(check_at(&desk, "2031-01-01T00:00:00Z", &[]).word(&urls[0]), "alive");
    let first = web.hits("/p0");
    assert_eq!(check_at(&desk, START, &[]).word(&urls[0]), "alive");
    assert!(web.hits("/p0") > first);
}

#[test]
fn rate_limit_survives_a_clock_that_moved_back() {
    let (web, desk) = (rate_limited(), Desk::new());
    let urls = listed(&web, &desk, 3);
    check_at(&desk, START, &[]);
    let first = web.requests().len();
    let rows = check_at(&desk, "2026-03-09T12:00:00Z", &["--fresh"]);
    assert_eq!(rows.word(&urls[0]), "blocked RL429");
    assert_eq!(web.requests().len(), first);
    // The hour is counted again from the run that saw the clock move.
    check_at(&desk, "2026-03-09T13:05:00Z", &["--fresh"]);
    assert!(web.requests().len() > first);
}
