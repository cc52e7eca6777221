//! Politeness, as seen in the log of the server.

use std::time::{Duration, Instant};

use relink_testkit::web::{CannedResponse, TestServer};

use crate::sandbox::{CHECK, NO_DELAYS, Sandbox};

/// Number of URLs in the list of [`arrival_times`].
const URL_COUNT: usize = 12;

/// Returns the arrival times of the requests for a list of slow pages. Other URLs, such as those
/// fetched only for comparison (controls), respond at once.
fn arrival_times(delay: Duration, args: &[&str]) -> Vec<Instant> {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let paths: Vec<String> = (0..URL_COUNT).map(|n| format!("/{n}")).collect();
    for path in &paths {
        web.respond(path, CannedResponse::new(200, "").with_delay(delay));
    }
    sandbox.write_urls("urls.txt", paths.iter().map(|path| web.url(path)));
    sandbox.run(&[CHECK, args, &["urls.txt"]].concat()).exits(0);
    let is_listed = |path: &String| paths.contains(path);
    let listed = web.requests().into_iter().filter(|request| is_listed(&request.path));
    listed.map(|request| request.at).collect()
}

#[test]
fn requests_to_one_host_are_100_ms_apart() {
    let arrivals = arrival_times(Duration::ZERO, &[]);
    assert_eq!(arrivals.len(), URL_COUNT);
    // Compare the median, because single requests may arrive late on a busy machine.
    let mut gaps: Vec<Duration> = arrivals.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort();
    assert!(gaps[gaps.len() / 2] >= Duration::from_millis(90), "{gaps:?}");
    assert!(arrivals[URL_COUNT - 1] - arrivals[0] >= Duration::from_millis(900), "{gaps:?}");
}

#[test]
fn at_most_four_requests_to_one_host_are_in_flight() {
    let slow = Duration::from_millis(60);
    let arrivals = arrival_times(slow, &["--host-interval", "0"]);
    assert_eq!(arrivals.len(), URL_COUNT);
    // The fifth request may start only after the first response.
    for (first, fifth) in arrivals.iter().zip(&arrivals[4..]) {
        assert!(*fifth - *first >= slow, "{:?}", *fifth - *first);
    }
}

#[test]
fn retry_after_of_one_second_is_obeyed() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let throttled = CannedResponse::new(429, "").with_header("Retry-After", "1");
    web.sequence("/page", [throttled, CannedResponse::new(200, "")]);
    sandbox.write_urls("urls.txt", [web.url("/page")]);
    let args = ["--format", "jsonl", "--retries", "1", "--host-interval", "0", "urls.txt"];
    let rows = sandbox.run(&[CHECK, &args].concat()).exits(0).rows();
    assert_eq!(rows.verdict(web.url("/page")), "alive");
    let requests = web.requests();
    assert_eq!(web.hits("/page"), 2);
    assert!(requests[1].at - requests[0].at >= Duration::from_secs(1));
}

#[test]
fn host_with_retry_after_of_an_hour_gets_no_more_requests() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let throttled = CannedResponse::new(429, "").with_header("Retry-After", "3600");
    web.sequence("/0", [throttled]);
    let urls: Vec<_> = (0..5).map(|n| web.url(&format!("/{n}"))).collect();
    sandbox.write_urls("urls.txt", &urls);
    let args = ["--format", "jsonl", "--host-concurrency", "1", "urls.txt"];
    let rows = sandbox.run(&[CHECK, &args].concat()).exits(0).rows();
    for url in urls {
        assert_eq!(rows.verdict(url), "blocked RL429");
    }
    assert_eq!(web.requests().len(), 1);
}

#[test]
fn page_that_waits_for_confirmation_is_blocked_with_its_host() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.respond("/shut", CannedResponse::new(429, "").with_header("Retry-After", "3600"));
    let urls = [web.url("/gone"), web.url("/shut")];
    sandbox.write_urls("urls.txt", &urls);
    let args = ["--format", "jsonl", "--concurrency", "1", "urls.txt"];
    let rows = sandbox.run(&[CHECK, &args].concat()).exits(0).rows();
    for url in urls {
        assert_eq!(rows.verdict(url), "blocked RL429");
    }
}

#[test]
fn host_in_backoff_does_not_delay_a_later_run() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.respond("/shut", CannedResponse::new(429, "").with_header("Retry-After", "3600"));
    sandbox.write_urls("urls.txt", [web.url("/shut")]);
    let args = ["--format", "jsonl", "urls.txt"];
    sandbox.run(&[CHECK, &args].concat()).exits(0);
    let rows = sandbox.run(&[CHECK, &args].concat()).exits(0).rows();
    assert_eq!(rows.verdict(web.url("/shut")), "blocked RL429");
    assert_eq!(web.requests().len(), 1);
}

/// Starts a server with directories `/0/`, `/1/`, …, each with this number of pages. Writes a
/// list of the URLs of all pages.
fn site_with_directories(directories: usize, pages: usize) -> (TestServer, Sandbox) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let mut urls = Vec::new();
    for number in 0..directories * pages {
        let path = format!("/{}/{number}", number / pages);
        let page = CannedResponse::new(200, "<h1>Page</h1>")
            .with_header("Content-Type", "text/html")
            .with_delay(Duration::from_millis(1));
        urls.push(web.respond(&path, page).url(&path));
    }
    sandbox.write_urls("urls.txt", urls);
    (web, sandbox)
}

#[test]
fn control_requests_obey_the_rate_limit() {
    let (web, sandbox) = site_with_directories(2, 40);
    // Controls (URLs fetched only for comparison) are slow, so that the server would notice
    // overlapping requests.
    for directory in ["/0/", "/1/"] {
        web.respond_below(
            directory,
            CannedResponse::new(404, "").with_delay(Duration::from_millis(50)),
        );
    }
    let flags = ["--concurrency", "1", "--host-concurrency", "32", "--host-interval", "0"];
    let args = [&["check", "--db", "relink.db"][..], &flags, &["--format", "jsonl", "urls.txt"]];
    let rows = sandbox.run(&args.concat()).exits(0).rows();
    assert!(rows.results.iter().all(|row| row["verdict"] == "alive"));
    assert_eq!(web.max_concurrent(), 1);
}

#[test]
fn run_ends_although_all_control_requests_fail() {
    let (web, sandbox) = site_with_directories(8, 20);
    for directory in 0..8 {
        web.respond_below(&format!("/{directory}/"), CannedResponse::new(500, ""));
    }
    for concurrency in ["1", "2", "16"] {
        let flags = ["--concurrency", concurrency, "--host-concurrency", "64"];
        let args = ["--host-interval", "0", "--fresh", "--format", "jsonl", "urls.txt"];
        let args = [&["check", "--db", concurrency][..], &flags, &args].concat();
        let rows = sandbox.run(&args).exits(0).rows();
        assert_eq!(rows.results.len(), 160);
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
    Sandbox::new().run(&args).exits(0);
    let requests = web.requests();
    let first_arrival =
        |path: &str| requests.iter().find(|request| request.path == path).unwrap().at;
    let elapsed = first_arrival("/c") - first_arrival("/a");
    assert!(elapsed >= Duration::from_millis(280), "{requests:?}");
}

#[test]
fn check_requests_no_input_page_of_a_host_with_retry_after() {
    let web = TestServer::start_blocking();
    let throttled = CannedResponse::new(429, "slow down").with_header("Retry-After", "3600");
    web.page("/", 200, "<a href=/p>p</a>").respond("/p", throttled);
    let (sandbox, url) = (Sandbox::new(), web.url("/"));
    let args = [&["decay", "--db", "relink.db", url.as_str()], NO_DELAYS].concat();
    sandbox.run(&args).exits(0);
    let requests_before = web.requests().len();
    let rows = sandbox.check(&[url.as_str()]).exits(0).rows();
    assert_eq!(rows.verdict(&url), "blocked RL429");
    assert_eq!(web.requests().len(), requests_before);
}
