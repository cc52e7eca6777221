//! `robots.txt`, by the server's own log.

use std::time::{Duration, Instant};

use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, RecordedRequest, TestServer};

use super::{add_pages, asked, crawl, report, rows_of, site, written};
use crate::desk::{Desk, Said};
use crate::servers::{Beside, Deserted};

/// A day, as it is written for the clock of a run.
const MONDAY: &str = "2026-03-02T08:00:00Z";
const LATER_THAT_DAY: &str = "2026-03-02T20:00:00Z";
const TUESDAY_EVENING: &str = "2026-03-03T20:00:00Z";

fn robots(status: u16, text: &str) -> CannedResponse {
    CannedResponse::new(status, text).header("Content-Type", "text/plain")
}

/// A site with this `robots.txt`.
fn ruled(text: &str) -> TestServer {
    let web = site(
        "
        / /open /closed/a /closed/b /moved
        /open /closed/
        /closed/a
        /closed/b
        /closed/
    ",
    );
    web.redirect("/moved", 302, "/closed/a");
    web.answer("/robots.txt", robots(200, text));
    web
}

fn at(desk: &Desk, now: &str, args: &[&str]) -> Said {
    Said::of(&desk.command(&rows_of(args)).env("RELINK_NOW", now).output().unwrap())
}

/// Every path below a folder that was asked for.
fn below(web: &TestServer, folder: &str) -> Vec<String> {
    let paths = web.requests().into_iter().map(|seen| seen.path);
    paths.filter(|path| path.starts_with(folder)).collect()
}

#[test]
fn what_is_disallowed_is_never_fetched_by_no_way() {
    let web = ruled("User-agent: *\nDisallow: /closed/\n");
    let url = web.url("/");
    let rows = crawl(&Desk::new(), &[url.as_str()]).exits(0).rows();
    assert_eq!(below(&web, "/closed"), [""; 0]);
    let row = rows.of(web.url("/closed/a"));
    assert_eq!(row["verdict"], "blocked");
    let reason = row["reason"].as_str().unwrap();
    assert!(reason.contains("robots.txt says `Disallow: /closed/`"), "{reason}");
    assert_eq!(rows.of(web.url("/moved"))["verdict"], "blocked");
    assert_eq!(rows.word(web.url("/open")), "alive");
}

/// A site that sends every stray to a page that is closed to robots.
#[test]
fn a_page_asked_for_comparison_obeys_too() {
    let web = ruled("User-agent: *\nDisallow: /closed/\n");
    web.below("/", CannedResponse::redirect(302, "/closed/missing"));
    let url = web.url("/");
    crawl(&Desk::new(), &[url.as_str()]);
    assert!(asked(&web).len() > 1, "{:?}", asked(&web));
    assert_eq!(below(&web, "/closed"), [""; 0]);
}

/// The rules of one host say nothing about the pages of another.
#[test]
fn a_redirect_to_another_host_is_not_closed_by_the_first() {
    let other = site("/closed/there");
    let web = ruled("User-agent: *\nDisallow: /closed/\n");
    web.redirect("/moved", 302, other.url("/closed/there").as_str());
    let url = web.url("/");
    let rows = crawl(&Desk::new(), &[url.as_str(), "--allow-private"]).exits(0).rows();
    assert_eq!(rows.of(web.url("/moved"))["status"], 200);
    assert_eq!(other.hits("/closed/there"), 1);
}

#[test]
fn rules_for_relink_come_before_rules_for_all() {
    let web = ruled("User-agent: *\nDisallow: /\n\nUser-agent: Relink\nDisallow: /closed/b\n");
    let url = web.url("/open");
    add_pages(&web, "/open /closed/a /closed/b");
    crawl(&Desk::new(), &[url.as_str()]);
    assert_eq!((web.hits("/closed/a"), web.hits("/closed/b")), (1, 0));
}

/// Times between requests, robots.txt aside.
fn gaps(seen: &[RecordedRequest]) -> Vec<Duration> {
    let times: Vec<Instant> =
        seen.iter().filter(|seen| seen.path != "/robots.txt").map(|seen| seen.at).collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn a_crawl_delay_is_kept_whatever_the_flags_say() {
    let web = ruled("User-agent: *\nCrawl-delay: 0.3\n");
    let url = web.url("/");
    let args = [url.as_str(), "--concurrency", "8", "--host-concurrency", "8"];
    let said = report(&Desk::new(), &args).exits(0);
    let gaps = gaps(&web.requests());
    assert!(gaps.len() >= 4, "{gaps:?}");
    // The log is written when a request arrives, a while after it left. On a
    // busy machine that shifts single arrivals, but never the whole row.
    let count = u32::try_from(gaps.len()).unwrap();
    let row: Duration = gaps.iter().sum();
    assert!(row + Duration::from_millis(200) >= Duration::from_millis(300) * count, "{gaps:?}");
    assert!(gaps.iter().all(|gap| *gap >= Duration::from_millis(100)), "{gaps:?}");
    assert_eq!(web.most_at_once(), 1);
    assert!(said.stdout.contains("robots.txt asks for 300 ms between visits"), "{}", said.stdout);
}

#[test]
fn crawl_without_robots_after_retries_exits_3_with_the_reason() {
    for status in [500, 503] {
        let web = site("/ /a\n/a");
        web.answer("/robots.txt", robots(status, "User-agent: *\nAllow: /\n"));
        let url = web.url("/");
        let said = report(&Desk::new(), &[url.as_str()]).exits(3);
        let reason = format!("robots.txt could not be fetched: answered {status}");
        assert!(said.stdout.contains(&reason), "{}", said.stdout);
        let cause = format!("cause: {url}: not asked: {reason}");
        assert!(said.stderr.contains("error: no page was read"), "{}", said.stderr);
        assert!(said.stderr.contains(&cause), "{}", said.stderr);
        assert_eq!(web.hits("/robots.txt"), 3, "it is retried");
        let others = web.requests().into_iter().filter(|seen| seen.path != "/robots.txt");
        assert_eq!(others.count(), 0);
    }
}

#[test]
fn crawl_goes_on_after_a_robots_file_that_failed_once() {
    let web = site("/ /a /closed/a\n/a\n/closed/a");
    let rules = robots(200, "User-agent: *\nDisallow: /closed/\n");
    web.sequence("/robots.txt", [robots(503, "later"), rules]);
    let url = web.url("/");
    let rows = crawl(&Desk::new(), &[url.as_str()]).exits(0).rows();
    assert_eq!((rows.word(web.url("/a")), web.hits("/closed/a")), ("alive".to_owned(), 0));
    assert_eq!(web.hits("/robots.txt"), 2);
}

/// A server that resets the connection of the first request for robots.txt.
#[test]
fn crawl_goes_on_after_a_robots_request_that_was_reset() {
    let web = site("/ /a\n/a");
    let rules = robots(200, "User-agent: *\nAllow: /\n");
    // A head that promises more than comes breaks the connection off.
    let broken = robots(200, "").header("Content-Length", "999").header("Connection", "close");
    web.sequence("/robots.txt", [broken, rules]);
    let url = web.url("/");
    crawl(&Desk::new(), &[url.as_str()]).exits(0);
    assert_eq!(asked(&web), ["/", "/a"]);
}

#[test]
fn crawl_asks_again_for_a_robots_file_that_failed_in_the_last_run() {
    let web = site("/ /a\n/a");
    let down = robots(503, "later");
    let rules = robots(200, "User-agent: *\nAllow: /\n");
    web.sequence("/robots.txt", [down.clone(), down.clone(), down, rules]);
    let (desk, url) = (Desk::new(), web.url("/"));
    crawl(&desk, &[url.as_str()]).exits(3);
    crawl(&desk, &[url.as_str()]).exits(0);
    assert_eq!(asked(&web), ["/", "/a"]);
}

#[test]
fn crawl_of_a_start_page_that_robots_forbids_exits_3_with_the_reason() {
    let web = ruled("User-agent: *\nDisallow: /\n");
    let url = web.url("/");
    let said = crawl(&Desk::new(), &[url.as_str()]).exits(3);
    let cause = format!("cause: {url}: not asked: robots.txt says `Disallow: /`");
    assert!(said.stderr.contains(&cause), "{}", said.stderr);
    assert_eq!(said.rows().word(url), "blocked RL491");
    assert_eq!(asked(&web), [""; 0]);
}

/// The rules of a host that is down cannot be known, and its links fail as
/// they would without rules; only its robots.txt is requested.
#[test]
fn crawl_reports_links_to_a_host_that_is_down_as_failing() {
    let deserted = Deserted::new();
    let (one, two) = (deserted.url("/x"), deserted.url("/y"));
    let web = site(&format!("/ {one} {two}"));
    let url = web.url("/");
    let rows = crawl(&Desk::new(), &[url.as_str(), "--allow-private"]).exits(0).rows();
    for link in [&one, &two] {
        assert_eq!(rows.word(link), "failing RL541", "{rows:?}");
        let reason = rows.of(link)["reason"].as_str().unwrap();
        assert!(reason.contains("refused"), "{reason}");
    }
}

/// A host that resets connections is closed to crawling; a link to it that is
/// only checked fails. Only robots.txt is requested.
#[test]
fn crawl_sends_no_request_for_pages_of_a_host_that_resets_robots() {
    let other = Beside::start(Hostile::start(Misbehavior::Reset));
    let link = other.url("/there");
    let web = site(&format!("/ {link}"));
    let url = web.url("/");
    let rows = crawl(&Desk::new(), &[url.as_str(), "--allow-private"]).exits(0).rows();
    assert_eq!(rows.word(&link), "failing RL542", "{rows:?}");
    assert_eq!(other.connects(), 3);
    let said = crawl(&Desk::new(), &[link.as_str()]).exits(3);
    assert_eq!(said.rows().word(&link), "blocked RL491");
    assert!(said.stderr.contains("robots.txt could not be fetched"), "{}", said.stderr);
    assert_eq!(other.connects(), 6);
}

#[test]
fn check_of_blocked_pages_alone_exits_0() {
    let web = TestServer::start_blocking();
    web.page("/", 403, "no");
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/")]);
    desk.check(&["urls.txt"]).exits(0);
}

#[test]
fn a_site_without_a_robots_file_is_open() {
    for status in [404, 403, 410] {
        let web = site("/ /a\n/a");
        web.answer("/robots.txt", robots(status, "User-agent: *\nDisallow: /\n"));
        let url = web.url("/");
        crawl(&Desk::new(), &[url.as_str()]).exits(0);
        assert_eq!(asked(&web), ["/", "/a"]);
        assert_eq!(web.hits("/robots.txt"), 1);
    }
}

#[test]
fn a_robots_file_may_be_moved() {
    let web = ruled("");
    web.redirect("/robots.txt", 301, "/rules.txt");
    web.answer("/rules.txt", robots(200, "User-agent: *\nDisallow: /closed/\n"));
    let url = web.url("/");
    crawl(&Desk::new(), &[url.as_str()]);
    assert_eq!(below(&web, "/closed"), [""; 0]);
}

#[test]
fn a_robots_file_is_kept_for_a_day() {
    let web = ruled("User-agent: *\nDisallow: /closed/\n");
    let (desk, url) = (Desk::new(), web.url("/"));
    at(&desk, MONDAY, &[url.as_str()]).exits(0);
    at(&desk, LATER_THAT_DAY, &[url.as_str()]).exits(0);
    assert_eq!((web.hits("/robots.txt"), web.hits("/")), (1, 2));
    assert_eq!(below(&web, "/closed"), [""; 0]);
    at(&desk, TUESDAY_EVENING, &[url.as_str()]).exits(0);
    assert_eq!(web.hits("/robots.txt"), 2);
}

/// A large file is cut, and what stands before the cut counts.
#[test]
fn a_huge_robots_file_is_read_as_far_as_it_must_be() {
    let filler = "# nothing to see here, really nothing at all\n".repeat(15_000);
    let web = ruled(&format!("User-agent: *\nDisallow: /closed/\n{filler}Disallow: /open\n"));
    let url = web.url("/");
    crawl(&Desk::new(), &[url.as_str()]);
    assert_eq!((below(&web, "/closed").len(), web.hits("/open")), (0, 1));
}

#[test]
fn the_visitor_says_who_it_is_and_where_to_complain() {
    let web = ruled("");
    let url = web.url("/");
    crawl(&Desk::new(), &[url.as_str(), "--contact", "https://example.org/bot"]);
    for seen in web.requests() {
        let agent = seen.header("user-agent").unwrap_or_default();
        let is_honest =
            agent.to_lowercase().contains("relink/") && agent.contains("+https://example.org/bot");
        assert!(is_honest, "{agent} at {}", seen.path);
    }
}

/// Every page takes a while, so that requests would pile up if they could.
fn slow_fan() -> TestServer {
    let web = TestServer::start_blocking();
    let links: Vec<String> = (0..24).map(|n| format!("/{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    add_pages(&web, &format!("/ {}", links.join(" ")));
    for path in links {
        let answer =
            CannedResponse::new(200, written::page(path, &[])).after(Duration::from_millis(20));
        web.answer(path, answer);
    }
    web
}

#[test]
fn a_host_never_sees_more_at_once_than_configured() {
    for most in [1, 3] {
        let web = slow_fan();
        let (url, most_text) = (web.url("/"), most.to_string());
        let args = [url.as_str(), "--concurrency", "64", "--host-concurrency", &most_text];
        crawl(&Desk::new(), &args).exits(0);
        assert_eq!(web.most_at_once(), most);
    }
}

#[test]
fn a_crawl_is_gentle_unless_told_otherwise() {
    let web = site("/ /a /b\n/a\n/b");
    let url = web.url("/");
    Desk::new().run(&[super::CRAWL, &[url.as_str(), "--retries", "0"]].concat()).exits(0);
    let requests = web.requests();
    let gaps: Vec<Duration> = requests.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    assert!(gaps.iter().all(|gap| *gap >= Duration::from_millis(980)), "{gaps:?}");
    assert_eq!(web.most_at_once(), 1);
}
