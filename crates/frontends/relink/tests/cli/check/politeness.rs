//! How a visit looks from the server's side.

use std::time::{Duration, Instant};

use relink_testkit::web::{CannedResponse, TestServer};

use crate::desk::{CHECK, Desk, QUICK};

const URLS: usize = 12;

/// When the requests for a list of pages arrived that answer after a while;
/// pages asked for comparison keep the same pace and answer at once.
fn arrivals(answer_after: Duration, args: &[&str]) -> Vec<Instant> {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let paths: Vec<String> = (0..URLS).map(|n| format!("/{n}")).collect();
    for path in &paths {
        web.answer(path, CannedResponse::new(200, "").after(answer_after));
    }
    desk.list("urls.txt", paths.iter().map(|path| web.url(path)));
    desk.run(&[CHECK, args, &["urls.txt"]].concat()).exits(0);
    let is_listed = |path: &String| paths.contains(path);
    let listed = web.requests().into_iter().filter(|seen| is_listed(&seen.path));
    listed.map(|seen| seen.at).collect()
}

#[test]
fn requests_of_one_host_come_a_tenth_of_a_second_apart() {
    let at = arrivals(Duration::ZERO, &[]);
    assert_eq!(at.len(), URLS);
    // One request may be held up on its way here, but not half of them.
    let mut gaps: Vec<Duration> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort();
    assert!(gaps[gaps.len() / 2] >= Duration::from_millis(90), "{gaps:?}");
    assert!(at[URLS - 1] - at[0] >= Duration::from_millis(900), "{gaps:?}");
}

#[test]
fn no_more_than_four_requests_of_one_host_are_in_flight() {
    let slow = Duration::from_millis(60);
    let at = arrivals(slow, &["--host-interval", "0"]);
    assert_eq!(at.len(), URLS);
    // The fifth may come only once the first was answered.
    for (first, fifth) in at.iter().zip(&at[4..]) {
        assert!(*fifth - *first >= slow, "{:?}", *fifth - *first);
    }
}

#[test]
fn a_host_that_asks_for_a_second_gets_it() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let wait = CannedResponse::new(429, "").header("Retry-After", "1");
    web.sequence("/page", [wait, CannedResponse::new(200, "")]);
    desk.list("urls.txt", [web.url("/page")]);
    let args = ["--format", "jsonl", "--retries", "1", "--host-interval", "0", "urls.txt"];
    let rows = desk.run(&[CHECK, &args].concat()).exits(0).rows();
    assert_eq!(rows.word(web.url("/page")), "alive");
    let seen = web.requests();
    assert_eq!(web.hits("/page"), 2);
    assert!(seen[1].at - seen[0].at >= Duration::from_secs(1));
}

#[test]
fn a_host_that_asks_for_an_hour_is_left_alone() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let wait = CannedResponse::new(429, "").header("Retry-After", "3600");
    web.sequence("/0", [wait]);
    let urls: Vec<_> = (0..5).map(|n| web.url(&format!("/{n}"))).collect();
    desk.list("urls.txt", &urls);
    let args = ["--format", "jsonl", "--host-concurrency", "1", "urls.txt"];
    let rows = desk.run(&[CHECK, &args].concat()).exits(0).rows();
    for url in urls {
        assert_eq!(rows.word(url), "blocked RL429");
    }
    assert_eq!(web.requests().len(), 1);
}

#[test]
fn what_waits_for_a_second_look_is_turned_away_with_the_rest() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.answer("/shut", CannedResponse::new(429, "").header("Retry-After", "3600"));
    let urls = [web.url("/gone"), web.url("/shut")];
    desk.list("urls.txt", &urls);
    let args = ["--format", "jsonl", "--concurrency", "1", "urls.txt"];
    let rows = desk.run(&[CHECK, &args].concat()).exits(0).rows();
    for url in urls {
        assert_eq!(rows.word(url), "blocked RL429");
    }
}

#[test]
fn a_host_that_is_still_to_be_left_alone_holds_no_later_run_up() {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.answer("/shut", CannedResponse::new(429, "").header("Retry-After", "3600"));
    desk.list("urls.txt", [web.url("/shut")]);
    let args = ["--format", "jsonl", "urls.txt"];
    desk.run(&[CHECK, &args].concat()).exits(0);
    let rows = desk.run(&[CHECK, &args].concat()).exits(0).rows();
    assert_eq!(rows.word(web.url("/shut")), "blocked RL429");
    assert_eq!(web.requests().len(), 1);
}

/// So many directories with so many pages each, all of them listed.
fn crowded(directories: usize, pages: usize) -> (TestServer, Desk) {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    let paths = (0..directories * pages).map(|n| format!("/{}/{n}", n / pages));
    let html = || CannedResponse::new(200, "<h1>Words</h1>").header("Content-Type", "text/html");
    let brief = Duration::from_millis(1);
    let urls = paths.map(|path| web.answer(&path, html().after(brief)).url(&path));
    desk.list("urls.txt", urls);
    (web, desk)
}

#[test]
fn pages_asked_for_comparison_keep_to_the_limit() {
    let (web, desk) = crowded(2, 40);
    // Strays, too, take their time: whatever else is out would be met.
    for directory in ["/0/", "/1/"] {
        web.below(directory, CannedResponse::new(404, "").after(Duration::from_millis(50)));
    }
    let wide = ["--concurrency", "1", "--host-concurrency", "32", "--host-interval", "0"];
    let args = [&["check", "--db", "relink.db"][..], &wide, &["--format", "jsonl", "urls.txt"]];
    let rows = desk.run(&args.concat()).exits(0).rows();
    assert!(rows.0.iter().all(|row| row["verdict"] == "alive"));
    assert_eq!(web.most_at_once(), 1);
}

#[test]
fn a_comparison_that_has_to_be_repeated_holds_nothing_up() {
    let (web, desk) = crowded(8, 20);
    for directory in 0..8 {
        web.below(&format!("/{directory}/"), CannedResponse::new(500, ""));
    }
    for concurrency in ["1", "2", "16"] {
        let wide = ["--concurrency", concurrency, "--host-concurrency", "64"];
        let args = ["--host-interval", "0", "--fresh", "--format", "jsonl", "urls.txt"];
        let args = [&["check", "--db", concurrency][..], &wide, &args].concat();
        let rows = desk.run(&args).exits(0).rows();
        assert_eq!(rows.0.len(), 160);
    }
}

#[test]
fn check_of_several_input_pages_of_a_host_keeps_the_interval() {
    let web = TestServer::start_blocking();
    let paths = ["/a", "/b", "/c"];
    for path in paths {
        web.page(path, 200, "<title>Without links</title>");
    }
    let urls = paths.map(|path| web.url(path).to_string());
    let mut args = vec!["check", "--db", "relink.db", "--host-interval", "150ms"];
    args.extend(urls.iter().map(String::as_str));
    Desk::new().run(&args).exits(0);
    let seen = web.requests();
    let first = |path: &str| seen.iter().find(|seen| seen.path == path).unwrap().at;
    let all = first("/c") - first("/a");
    assert!(all >= Duration::from_millis(280), "{seen:?}");
}

#[test]
fn check_requests_no_input_page_of_a_host_that_asked_to_wait() {
    let web = TestServer::start_blocking();
    let later = CannedResponse::new(429, "slow down").header("Retry-After", "3600");
    web.page("/", 200, "<a href=/p>p</a>").answer("/p", later);
    let (desk, url) = (Desk::new(), web.url("/"));
    let args = [&["decay", "--db", "relink.db", url.as_str()], QUICK].concat();
    desk.run(&args).exits(0);
    let before = web.requests().len();
    let rows = desk.check(&[url.as_str()]).exits(0).rows();
    assert_eq!(rows.word(&url), "blocked RL429");
    assert_eq!(web.requests().len(), before);
}
