//! Hosts that have had enough of us.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use relink_testkit::web::{CannedResponse, RecordedRequest, TestServer};

use super::{CRAWL, asked, crawl, report, site, written};
use crate::desk::Desk;

#[test]
fn retry_after_is_kept_and_said() {
    let web = site("/ /a /b /c\n/b\n/c");
    let busy = CannedResponse::new(429, "slow down").header("Retry-After", "1");
    web.sequence("/a", [busy, CannedResponse::new(200, written::page("/a", &[]))]);
    let url = web.url("/");
    let args = [url.as_str(), "--host-interval", "0", "--host-concurrency", "4"];
    let said = Desk::new().run(&[CRAWL, &args].concat()).exits(0);
    assert!(said.stdout.contains("4 alive"), "{}", said.stdout);
    assert!(said.stdout.contains("throttled"), "{}", said.stdout);
    let requests: Vec<RecordedRequest> = web.requests();
    let busy = requests.iter().position(|seen| seen.path == "/a").unwrap();
    let again = requests.iter().rposition(|seen| seen.path == "/a").unwrap();
    let gap = requests[again].at - requests[busy].at;
    assert!(again > busy && gap >= Duration::from_millis(980), "{gap:?}");
}

/// A site of a hundred pages that serves so many and then refuses everybody,
/// until it forgives.
struct Touchy {
    web: TestServer,
    is_angry: Arc<AtomicBool>,
}

const PAGES: usize = 100;

impl Touchy {
    fn start(patience: usize) -> Self {
        let web = TestServer::start_blocking();
        let (is_angry, served) = (Arc::new(AtomicBool::new(true)), AtomicUsize::new(0));
        let anger = Arc::clone(&is_angry);
        web.made_below("/", move |seen| {
            let served = served.fetch_add(1, Ordering::Relaxed);
            if served >= patience && anger.load(Ordering::Relaxed) {
                return CannedResponse::new(403, "go away");
            }
            answer(&seen.path)
        });
        Self { web, is_angry }
    }
}

/// Each page links to two more.
fn answer(path: &str) -> CannedResponse {
    let number: Option<usize> = path.trim_start_matches('/').parse().ok();
    let Some(number) = number.filter(|number| *number < PAGES) else {
        return CannedResponse::new(404, "nothing here");
    };
    let links = [2 * number + 1, 2 * number + 2].map(|n| format!("/{n}"));
    let links =
        links.iter().map(String::as_str).filter(|link| link[1..].parse::<usize>().unwrap() < PAGES);
    CannedResponse::new(200, written::page(path, &links.collect::<Vec<_>>()))
}

#[test]
fn a_host_that_refuses_everything_ends_the_crawl_with_a_word() {
    let (touchy, desk) = (Touchy::start(30), Desk::new());
    let url = touchy.web.url("/0");
    let said = report(&desk, &[url.as_str()]).exits(3);
    assert!(said.stdout.contains("stopped answering us"), "{}", said.stdout);
    assert!(said.stdout.contains("the same command goes on"), "{}", said.stdout);
    let refused = touchy.web.requests().len() - 30;
    assert!(refused <= 60, "{refused} requests after the door was shut");
    let status = desk.run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert!(status.stdout.contains("unfinished"), "{}", status.stdout);
    assert!(status.stdout.contains("the same command goes on"), "{}", status.stdout);
}

#[test]
fn a_crawl_that_was_shut_out_is_finished_another_day() {
    let (touchy, desk) = (Touchy::start(30), Desk::new());
    let url = touchy.web.url("/0");
    report(&desk, &[url.as_str()]).exits(3);
    touchy.is_angry.store(false, Ordering::Relaxed);
    let rows = crawl(&desk, &[url.as_str()]).exits(0).rows();
    assert_eq!(rows.0.len(), PAGES);
    for row in &rows.0 {
        assert_eq!(row["verdict"], "alive", "{row}");
    }
    let status = desk.run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert!(status.stdout.contains("finished"), "{}", status.stdout);
    assert!(status.stdout.contains("100 pages, 100 of 100 targets"), "{}", status.stdout);
}

/// A section that is closed to everybody is no reason to go.
#[test]
fn a_closed_section_does_not_end_the_crawl() {
    let closed: Vec<String> = (0..20).map(|n| format!("/members/{n}")).collect();
    let web = site(&format!("/ {} /a\n/a /b\n/b", closed.join(" ")));
    web.below("/members/", CannedResponse::new(403, "members only"));
    let url = web.url("/");
    let rows = crawl(&Desk::new(), &[url.as_str()]).exits(0).rows();
    assert_eq!(rows.0.len(), 23);
    assert!(asked(&web).contains(&"/b".to_owned()));
}

#[test]
fn crawl_with_an_interval_of_four_milliseconds_ends() {
    let web = TestServer::start_blocking();
    web.made_below("/", |seen| answer(&seen.path));
    let url = web.url("/0");
    let args = ["--render", "never", "--host-interval", "4ms", "--host-concurrency", "8"];
    let said = Desk::new().run(&[CRAWL, &args, &[url.as_str()]].concat());
    assert!(asked(&web).len() >= PAGES, "{}", said.stdout);
}

#[test]
fn crawl_of_a_host_that_asks_for_an_hour_ends_in_every_run() {
    let web = TestServer::start_blocking();
    let served = AtomicUsize::new(0);
    web.made_below("/", move |seen| {
        if served.fetch_add(1, Ordering::Relaxed) < 5 {
            return answer(&seen.path);
        }
        CannedResponse::new(429, "slow down").header("Retry-After", "3600")
    });
    let (url, desk) = (web.url("/0"), Desk::new());
    let mut requests = Vec::new();
    for _run in 1..=2 {
        crawl(&desk, &[url.as_str(), "--render", "never"]);
        requests.push(web.requests().len());
    }
    assert_eq!(requests[0], requests[1], "no request before the hour is over");
}
