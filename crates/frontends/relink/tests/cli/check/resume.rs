//! Going on after an interruption.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use relink_testkit::web::{CannedResponse, TestServer};

use crate::desk::{Desk, Rows};

/// How many pages the slow site has.
const PAGES: usize = 30;
/// Requests in flight at a time.
const AT_ONCE: &str = "2";

/// A site that takes its time, a list of its pages, and their addresses.
fn slow_site() -> (TestServer, Desk, Vec<String>) {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let urls: Vec<String> = (10..10 + PAGES).map(|n| web.url(&format!("/{n}")).into()).collect();
    for n in 10..10 + PAGES {
        web.answer(&format!("/{n}"), CannedResponse::new(200, "").after(Duration::from_millis(25)));
    }
    desk.list("urls.txt", &urls);
    (web, desk, urls)
}

fn args() -> [&'static str; 3] {
    ["--host-concurrency", AT_ONCE, "urls.txt"]
}

/// The addresses asked more than once.
fn repeated(web: &TestServer, urls: &[String]) -> HashSet<String> {
    urls.iter().filter(|url| web.hits(path(url)) > 1).cloned().collect()
}

fn path(url: &str) -> &str {
    &url[url.rfind('/').unwrap()..]
}

/// The addresses a run reported, each once.
#[track_caller]
fn reported(rows: &Rows) -> HashSet<String> {
    let urls = rows.urls();
    let distinct: HashSet<String> = urls.iter().cloned().collect();
    assert_eq!(distinct.len(), urls.len(), "each once: {urls:?}");
    distinct
}

#[test]
fn an_interrupted_run_exits_130_and_goes_on_without_repeating() {
    let (web, desk, urls) = slow_site();
    let mut running = desk.start(&args());
    let mut finished = vec![running.next_row(), running.next_row()];
    running.interrupt();
    let said = running.finish().exits(130);
    finished.extend(said.rows().0);
    let finished = reported(&Rows(finished));
    assert!(finished.len() < PAGES, "it was interrupted too late to show anything");

    let rows = desk.check(&args()).exits(0).rows();
    assert_eq!(reported(&rows), urls.iter().cloned().collect());
    let repeated = repeated(&web, &urls);
    assert!(repeated.is_disjoint(&finished), "{repeated:?}");
    assert!(repeated.len() <= 2, "{repeated:?}");
}

#[test]
fn a_killed_run_goes_on_and_repeats_only_what_was_in_flight() {
    let (web, desk, urls) = slow_site();
    let mut running = desk.start(&args());
    running.next_row();
    running.kill();
    let rows = desk.check(&args()).exits(0).rows();
    assert_eq!(reported(&rows), urls.iter().cloned().collect());
    // What was out, and what had come back but was not yet stored.
    let repeated = repeated(&web, &urls);
    assert!(repeated.len() <= 4, "{repeated:?}");
}

#[test]
fn fresh_asks_everything_again() {
    let (web, desk, urls) = slow_site();
    let mut running = desk.start(&[&args()[..], &["--max-age", "0"]].concat());
    running.next_row();
    running.interrupt();
    running.finish().exits(130);
    let hits = || -> usize { urls.iter().map(|url| web.hits(path(url))).sum() };
    let before = hits();
    let rows = desk.check(&[&args()[..], &["--max-age", "0", "--fresh"]].concat()).exits(0).rows();
    assert_eq!(reported(&rows), urls.iter().cloned().collect());
    assert_eq!(hits() - before, PAGES);
}

#[test]
fn a_list_that_changed_in_between_is_honored() {
    let (web, desk, urls) = slow_site();
    let mut running = desk.start(&args());
    running.next_row();
    running.interrupt();
    running.finish().exits(130);
    web.page("/new", 200, "");
    let mut urls: Vec<String> = urls[..PAGES / 2].to_vec();
    urls.push(web.url("/new").into());
    desk.list("urls.txt", &urls);
    let rows = desk.check(&args()).exits(0).rows();
    assert_eq!(reported(&rows), urls.into_iter().collect());
    assert_eq!(web.hits("/new"), 1);
}

#[test]
fn an_interrupted_report_says_how_far_it_came() {
    let (web, desk, _) = slow_site();
    web.answer("/10", CannedResponse::new(200, "").after(Duration::from_mins(1)));
    // The lines of one report tell when to interrupt; the other is the claim.
    let mut running = desk.start(&[&args()[..], &["-o", "out.txt"]].concat());
    running.next_row();
    running.interrupt();
    running.finish().exits(130);
    let report = desk.read("out.txt");
    assert!(report.contains("the same command goes on from there"), "{report}");
}

#[test]
fn a_page_that_hangs_does_not_hold_up_an_interruption() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.answer("/slow", CannedResponse::new(200, "").after(Duration::from_mins(1)));
    let began = Instant::now();
    let running = desk.start(&[web.url("/slow").as_str(), "--timeout", "30s"]);
    while web.hits("/slow") == 0 {
        std::thread::yield_now();
    }
    running.interrupt();
    running.finish().exits(130);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left_of_standard_input_that_was_put_aside() {
    use std::io::Write as _;
    let desk = Desk::new();
    let folder = desk.path("aside");
    std::fs::create_dir(&folder).unwrap();
    let mut command = desk.command(&["check", "--db", "relink.db", "--offline", "-"]);
    command
        .env("TMPDIR", &folder)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A pipe holds less than what is beyond the first 16 MiB: they are read.
    child.stdin.as_mut().unwrap().write_all(&vec![b'a'; 18 << 20]).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}
