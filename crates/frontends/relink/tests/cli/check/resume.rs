//! Resuming an interrupted check.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use relink_testkit::web::{CannedResponse, TestServer};

use crate::sandbox::{Rows, Sandbox};

/// Number of pages of the slow site.
const PAGE_COUNT: usize = 30;
/// Maximum number of requests in flight.
const HOST_CONCURRENCY: &str = "2";

/// Starts a slow site and writes a list of its URLs. Returns the server, the directory with the
/// list, and the URLs.
fn slow_site() -> (TestServer, Sandbox, Vec<String>) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let urls: Vec<String> =
        (10..10 + PAGE_COUNT).map(|n| web.url(&format!("/{n}")).into()).collect();
    for n in 10..10 + PAGE_COUNT {
        web.respond(
            &format!("/{n}"),
            CannedResponse::new(200, "").with_delay(Duration::from_millis(25)),
        );
    }
    sandbox.write_urls("urls.txt", &urls);
    (web, sandbox, urls)
}

/// Returns the arguments of a check. Without controls (URLs fetched for comparison), each row is
/// printed as soon as its page is fetched.
fn check_args() -> [&'static str; 4] {
    ["--no-controls", "--host-concurrency", HOST_CONCURRENCY, "urls.txt"]
}

/// Returns the URLs requested more than once.
fn repeated_urls(web: &TestServer, urls: &[String]) -> HashSet<String> {
    urls.iter().filter(|url| web.hits(url_path(url)) > 1).cloned().collect()
}

/// Returns the path of a URL.
fn url_path(url: &str) -> &str {
    &url[url.rfind('/').unwrap()..]
}

/// Returns the URLs that a run reported. Asserts that no URL was reported twice.
#[track_caller]
fn reported_urls(rows: &Rows) -> HashSet<String> {
    let urls = rows.urls();
    let distinct: HashSet<String> = urls.iter().cloned().collect();
    assert_eq!(distinct.len(), urls.len(), "each URL is reported once: {urls:?}");
    distinct
}

#[test]
fn interrupted_run_exits_130_and_resumes_without_repeating() {
    let (web, sandbox, urls) = slow_site();
    let mut running = sandbox.spawn_check(&check_args());
    let mut finished = vec![running.next_row(), running.next_row()];
    running.interrupt();
    let output = running.finish().exits(130);
    finished.extend(output.rows().results);
    let finished = reported_urls(&Rows { results: finished });
    assert!(finished.len() < PAGE_COUNT, "the run finished before it was interrupted");

    let rows = sandbox.check(&check_args()).exits(0).rows();
    assert_eq!(reported_urls(&rows), urls.iter().cloned().collect());
    let repeated = repeated_urls(&web, &urls);
    assert!(repeated.is_disjoint(&finished), "{repeated:?}");
    // Only the requests in flight are repeated.
    assert!(repeated.len() <= 2, "{repeated:?}");
}

#[test]
fn killed_run_resumes_and_repeats_only_requests_in_flight() {
    let (web, sandbox, urls) = slow_site();
    let mut running = sandbox.spawn_check(&check_args());
    running.next_row();
    running.kill();
    let rows = sandbox.check(&check_args()).exits(0).rows();
    assert_eq!(reported_urls(&rows), urls.iter().cloned().collect());
    // Requests in flight are repeated, and requests whose results were not stored yet.
    let repeated = repeated_urls(&web, &urls);
    assert!(repeated.len() <= 4, "{repeated:?}");
}

#[test]
fn fresh_flag_requests_all_urls_again() {
    let (web, sandbox, urls) = slow_site();
    let mut running = sandbox.spawn_check(&[&check_args()[..], &["--max-cache-age", "0"]].concat());
    running.next_row();
    running.interrupt();
    running.finish().exits(130);
    let total_hits = || -> usize { urls.iter().map(|url| web.hits(url_path(url))).sum() };
    let hits_before = total_hits();
    let rows = sandbox
        .check(&[&check_args()[..], &["--max-cache-age", "0", "--fresh"]].concat())
        .exits(0)
        .rows();
    assert_eq!(reported_urls(&rows), urls.iter().cloned().collect());
    assert_eq!(total_hits() - hits_before, PAGE_COUNT);
}

#[test]
fn list_changed_before_resuming_is_used() {
    let (web, sandbox, urls) = slow_site();
    let mut running = sandbox.spawn_check(&check_args());
    running.next_row();
    running.interrupt();
    running.finish().exits(130);
    web.page("/new", 200, "");
    let mut urls: Vec<String> = urls[..PAGE_COUNT / 2].to_vec();
    urls.push(web.url("/new").into());
    sandbox.write_urls("urls.txt", &urls);
    let rows = sandbox.check(&check_args()).exits(0).rows();
    assert_eq!(reported_urls(&rows), urls.into_iter().collect());
    assert_eq!(web.hits("/new"), 1);
}

#[test]
fn interrupted_report_states_progress() {
    let (web, sandbox, _) = slow_site();
    web.respond("/10", CannedResponse::new(200, "").with_delay(Duration::from_mins(1)));
    // The JSON lines on standard output show when to interrupt. The test reads the text report
    // in a file.
    let mut running = sandbox.spawn_check(&[&check_args()[..], &["-o", "out.txt"]].concat());
    running.next_row();
    running.interrupt();
    running.finish().exits(130);
    let report = sandbox.read("out.txt");
    assert!(report.contains("run the same command to resume"), "{report}");
}

#[test]
fn hanging_page_does_not_delay_an_interrupt() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.respond("/slow", CannedResponse::new(200, "").with_delay(Duration::from_mins(1)));
    let started = Instant::now();
    let running = sandbox.spawn_check(&[web.url("/slow").as_str(), "--timeout", "30s"]);
    while web.hits("/slow") == 0 {
        std::thread::yield_now();
    }
    running.interrupt();
    running.finish().exits(130);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[cfg(target_os = "linux")]
#[test]
fn spooled_standard_input_is_removed() {
    use std::io::Write as _;
    let sandbox = Sandbox::new();
    let dir = sandbox.path("tmp");
    std::fs::create_dir(&dir).unwrap();
    let mut command = sandbox.command(&["check", "--db", "relink.db", "--offline", "-"]);
    command
        .env("TMPDIR", &dir)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Input over 16 MiB is spooled. The rest of the input does not fit into the pipe buffer.
    // Spooling has therefore started when all input is written.
    child.stdin.as_mut().unwrap().write_all(&vec![b'a'; 18 << 20]).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
}
