//! Runs end in spite of short intervals, long Retry-After times and clock changes.

use relink_testkit::web::{CannedResponse, TestServer};

use crate::sandbox::{CHECK, Rows, Sandbox};

/// Start time of the first run.
const START: &str = "2026-03-10T12:00:00Z";

/// Writes a list of the pages `/p0`, `/p1`, … of a server, and returns their URLs.
fn write_list(web: &TestServer, sandbox: &Sandbox, count: usize) -> Vec<String> {
    let urls: Vec<String> = (0..count).map(|n| web.url(&format!("/p{n}")).to_string()).collect();
    sandbox.write_urls("urls.txt", &urls);
    urls
}

/// Starts a server that responds with 429 and a Retry-After of one hour.
fn rate_limited_server() -> TestServer {
    let web = TestServer::start_blocking();
    web.respond_below(
        "/",
        CannedResponse::new(429, "slow down").with_header("Retry-After", "3600"),
    );
    web
}

/// Checks the list at `now`, with further flags.
fn check_at(sandbox: &Sandbox, now: &str, args: &[&str]) -> Rows {
    sandbox.run_at(now, &[CHECK, &["--format", "jsonl", "urls.txt"], args].concat()).exits(0).rows()
}

#[test]
fn check_with_an_interval_of_a_few_milliseconds_ends() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.respond_below("/", CannedResponse::new(200, "text"));
    let urls = write_list(&web, &sandbox, 60);
    for interval in ["1ms", "2ms", "5ms"] {
        let args = ["--fresh", "--max-cache-age", "0", "--host-interval", interval];
        assert_eq!(check_at(&sandbox, START, &args).results.len(), urls.len(), "{interval}");
    }
}

#[test]
fn check_of_a_rate_limited_host_with_many_urls_ends() {
    for count in [5, 10, 11, 30] {
        let (web, sandbox) = (rate_limited_server(), Sandbox::new());
        let urls = write_list(&web, &sandbox, count);
        for run in 1..=3 {
            let rows = check_at(&sandbox, START, &[]);
            assert_eq!(rows.results.len(), count, "run {run}");
            for url in &urls {
                assert_eq!(rows.verdict(url), "blocked RL429", "{count} URLs, run {run}");
            }
        }
    }
}

#[test]
fn rate_limited_host_gets_no_request_before_its_retry_time() {
    let (web, sandbox) = (rate_limited_server(), Sandbox::new());
    let urls = write_list(&web, &sandbox, 8);
    check_at(&sandbox, START, &[]);
    let first_count = web.requests().len();
    let rows = check_at(&sandbox, "2026-03-10T12:30:00Z", &["--fresh"]);
    assert_eq!(web.requests().len(), first_count, "requests within the hour");
    let reason = rows.row(&urls[7])["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("2026-03-10T13:00:0"), "{reason}");
    check_at(&sandbox, "2026-03-10T13:01:00Z", &["--fresh"]);
    assert!(web.requests().len() > first_count, "requests after the hour");
}

#[test]
fn rate_limited_page_states_when_it_is_requested_next() {
    let (web, sandbox) = (rate_limited_server(), Sandbox::new());
    let urls = write_list(&web, &sandbox, 1);
    let rows = check_at(&sandbox, START, &[]);
    let reason = rows.row(&urls[0])["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("429") && reason.contains("2026-03-10T13:00:0"), "{reason}");
}

#[test]
fn retry_after_of_centuries_is_limited_to_a_week() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let throttled = CannedResponse::new(429, "").with_header("Retry-After", "99999999999");
    web.sequence("/p0", [throttled, CannedResponse::new(200, "text")]);
    let urls = write_list(&web, &sandbox, 1);
    assert_eq!(check_at(&sandbox, START, &[]).verdict(&urls[0]), "blocked RL429");
    assert_eq!(check_at(&sandbox, "2026-03-18T12:00:00Z", &[]).verdict(&urls[0]), "alive");
}

/// Checks missing pages at `first` and then at `second`, and asserts that all of them are dead
/// in both runs.
fn check_dead_pages_twice(first: &str, second: &str) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let urls = write_list(&web, &sandbox, 20);
    for now in [first, second] {
        let args = [CHECK, &["--format", "jsonl", "--host-interval", "1ms", "urls.txt"]].concat();
        let rows = sandbox.run_at(now, &args).exits(1).rows();
        for url in &urls {
            assert_eq!(rows.verdict(url), "dead RL101", "at {now}");
        }
    }
}

#[test]
fn check_after_the_clock_moved_back_gives_the_same_verdicts() {
    check_dead_pages_twice(START, "2026-03-07T12:00:00Z");
    check_dead_pages_twice(START, "2026-03-10T11:50:00Z");
}

#[test]
fn check_after_a_run_in_the_year_9999_gives_the_same_verdicts() {
    check_dead_pages_twice("9999-12-30T21:59:59Z", START);
}

#[test]
fn result_from_the_future_is_not_reused() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.respond("/p0", CannedResponse::new(200, "text"));
    let urls = write_list(&web, &sandbox, 1);
    assert_eq!(check_at(&sandbox, "2031-01-01T00:00:00Z", &[]).verdict(&urls[0]), "alive");
    let first_count = web.hits("/p0");
    assert_eq!(check_at(&sandbox, START, &[]).verdict(&urls[0]), "alive");
    assert!(web.hits("/p0") > first_count);
}

#[test]
fn rate_limit_survives_a_clock_that_moved_back() {
    let (web, sandbox) = (rate_limited_server(), Sandbox::new());
    let urls = write_list(&web, &sandbox, 3);
    check_at(&sandbox, START, &[]);
    let first_count = web.requests().len();
    let rows = check_at(&sandbox, "2026-03-09T12:00:00Z", &["--fresh"]);
    assert_eq!(rows.verdict(&urls[0]), "blocked RL429");
    assert_eq!(web.requests().len(), first_count);
    // The hour restarts at the run that detected the clock change.
    check_at(&sandbox, "2026-03-09T13:05:00Z", &["--fresh"]);
    assert!(web.requests().len() > first_count);
}
