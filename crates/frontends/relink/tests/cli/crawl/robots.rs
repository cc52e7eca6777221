//! `robots.txt`, checked in the log of the server.
//!
//! Sites are written in the notation of [`super::site`]: each line has the path of a page and
//! its links.

use std::time::{Duration, Instant};

use relink_testkit::hostile::{Hostile, Misbehavior};
use relink_testkit::web::{CannedResponse, RecordedRequest, TestServer};

use super::{add_pages, crawl, crawl_human, generated_pages, jsonl_args, requested_paths, site};
use crate::sandbox::{CommandOutput, Sandbox};
use crate::servers::{BackgroundServer, RefusedPort};

/// Start times of runs. The second time is within 24 hours of the first, the third is not.
const MONDAY: &str = "2026-03-02T08:00:00Z";
const LATER_THAT_DAY: &str = "2026-03-02T20:00:00Z";
const TUESDAY_EVENING: &str = "2026-03-03T20:00:00Z";

/// Creates a response for `/robots.txt`.
fn robots_response(status: u16, text: &str) -> CannedResponse {
    CannedResponse::new(status, text).with_header("Content-Type", "text/plain")
}

/// Starts a site with `text` as its `robots.txt`.
fn site_with_robots(text: &str) -> TestServer {
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
    web.respond("/robots.txt", robots_response(200, text));
    web
}

/// Crawls as if it were `now`.
fn crawl_at(sandbox: &Sandbox, now: &str, args: &[&str]) -> CommandOutput {
    CommandOutput::new(&sandbox.command(&jsonl_args(args)).env("RELINK_NOW", now).output().unwrap())
}

/// Returns the requested paths below a directory.
fn requests_below(web: &TestServer, dir: &str) -> Vec<String> {
    let paths = web.requests().into_iter().map(|request| request.path);
    paths.filter(|path| path.starts_with(dir)).collect()
}

#[test]
fn disallowed_url_is_never_requested() {
    let web = site_with_robots("User-agent: *\nDisallow: /closed/\n");
    let url = web.url("/");
    let rows = crawl(&Sandbox::new(), &[url.as_str()]).exits(0).rows();
    assert_eq!(requests_below(&web, "/closed"), [""; 0]);
    let row = rows.row(web.url("/closed/a"));
    assert_eq!(row["verdict"], "blocked");
    let reason = row["reason"].as_str().unwrap();
    assert!(reason.contains("robots.txt says `Disallow: /closed/`"), "{reason}");
    assert_eq!(rows.row(web.url("/moved"))["verdict"], "blocked");
    assert_eq!(rows.verdict(web.url("/open")), "alive");
}

/// A site that redirects unknown URLs to a disallowed page.
#[test]
fn control_request_obeys_robots() {
    let web = site_with_robots("User-agent: *\nDisallow: /closed/\n");
    web.respond_below("/", CannedResponse::redirect(302, "/closed/missing"));
    let url = web.url("/");
    crawl(&Sandbox::new(), &[url.as_str()]);
    assert!(requested_paths(&web).len() > 1, "{:?}", requested_paths(&web));
    assert_eq!(requests_below(&web, "/closed"), [""; 0]);
}

/// The rules of one host do not apply to another host.
#[test]
fn redirect_to_another_host_uses_its_own_robots() {
    let other = site("/closed/there");
    let web = site_with_robots("User-agent: *\nDisallow: /closed/\n");
    web.redirect("/moved", 302, other.url("/closed/there").as_str());
    let url = web.url("/");
    let rows = crawl(&Sandbox::new(), &[url.as_str(), "--allow-private"]).exits(0).rows();
    assert_eq!(rows.row(web.url("/moved"))["status"], 200);
    assert_eq!(other.hits("/closed/there"), 1);
}

#[test]
fn rules_for_relink_take_precedence_over_rules_for_all() {
    let web =
        site_with_robots("User-agent: *\nDisallow: /\n\nUser-agent: Relink\nDisallow: /closed/b\n");
    let url = web.url("/open");
    add_pages(&web, "/open /closed/a /closed/b");
    crawl(&Sandbox::new(), &[url.as_str()]);
    assert_eq!(web.hits("/closed/a"), 1);
    assert_eq!(web.hits("/closed/b"), 0);
}

/// Returns the times between requests, without robots.txt.
fn request_gaps(requests: &[RecordedRequest]) -> Vec<Duration> {
    let times: Vec<Instant> = requests
        .iter()
        .filter(|request| request.path != "/robots.txt")
        .map(|request| request.at)
        .collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn crawl_delay_overrides_flags() {
    let web = site_with_robots("User-agent: *\nCrawl-delay: 0.3\n");
    let url = web.url("/");
    let args = [url.as_str(), "--concurrency", "8", "--host-concurrency", "8"];
    let result = crawl_human(&Sandbox::new(), &args).exits(0);
    let gaps = request_gaps(&web.requests());
    assert!(gaps.len() >= 4, "{gaps:?}");
    // The log contains arrival times. On a busy machine, single requests may arrive late, but
    // not all of them.
    let count = u32::try_from(gaps.len()).unwrap();
    let total: Duration = gaps.iter().sum();
    let delay = Duration::from_millis(300);
    let tolerance = Duration::from_millis(200);
    assert!(total + tolerance >= delay * count, "{gaps:?}");
    assert!(gaps.iter().all(|gap| *gap >= Duration::from_millis(100)), "{gaps:?}");
    assert_eq!(web.max_concurrent(), 1);
    assert!(result.stdout.contains("robots.txt sets a Crawl-delay of 300 ms"), "{}", result.stdout);
}

#[test]
fn crawl_without_robots_after_retries_exits_3_with_the_reason() {
    for status in [500, 503] {
        let web = site("/ /a\n/a");
        web.respond("/robots.txt", robots_response(status, "User-agent: *\nAllow: /\n"));
        let url = web.url("/");
        let result = crawl_human(&Sandbox::new(), &[url.as_str()]).exits(3);
        let reason = format!("robots.txt could not be fetched: status {status}");
        assert!(result.stdout.contains(&reason), "{}", result.stdout);
        let cause = format!("cause: {url}: not requested: {reason}");
        assert!(result.stderr.contains("error: no page was read"), "{}", result.stderr);
        assert!(result.stderr.contains(&cause), "{}", result.stderr);
        assert_eq!(web.hits("/robots.txt"), 3, "the request is retried");
        let others = web.requests().into_iter().filter(|request| request.path != "/robots.txt");
        assert_eq!(others.count(), 0);
    }
}

#[test]
fn crawl_continues_after_one_failed_robots_request() {
    let web = site("/ /a /closed/a\n/a\n/closed/a");
    let rules = robots_response(200, "User-agent: *\nDisallow: /closed/\n");
    web.sequence("/robots.txt", [robots_response(503, "later"), rules]);
    let url = web.url("/");
    let rows = crawl(&Sandbox::new(), &[url.as_str()]).exits(0).rows();
    assert_eq!(rows.verdict(web.url("/a")), "alive");
    assert_eq!(web.hits("/closed/a"), 0);
    assert_eq!(web.hits("/robots.txt"), 2);
}

/// A server that resets the connection of the first request for robots.txt.
#[test]
fn crawl_continues_after_a_reset_robots_request() {
    let web = site("/ /a\n/a");
    let rules = robots_response(200, "User-agent: *\nAllow: /\n");
    // A response shorter than its Content-Length resets the connection.
    let broken = robots_response(200, "")
        .with_header("Content-Length", "999")
        .with_header("Connection", "close");
    web.sequence("/robots.txt", [broken, rules]);
    let url = web.url("/");
    crawl(&Sandbox::new(), &[url.as_str()]).exits(0);
    assert_eq!(requested_paths(&web), ["/", "/a"]);
}

#[test]
fn crawl_retries_robots_that_failed_in_the_last_run() {
    let web = site("/ /a\n/a");
    let down = robots_response(503, "later");
    let rules = robots_response(200, "User-agent: *\nAllow: /\n");
    web.sequence("/robots.txt", [down.clone(), down.clone(), down, rules]);
    let (sandbox, url) = (Sandbox::new(), web.url("/"));
    crawl(&sandbox, &[url.as_str()]).exits(3);
    crawl(&sandbox, &[url.as_str()]).exits(0);
    assert_eq!(requested_paths(&web), ["/", "/a"]);
}

#[test]
fn crawl_of_a_start_page_that_robots_forbids_exits_3_with_the_reason() {
    let web = site_with_robots("User-agent: *\nDisallow: /\n");
    let url = web.url("/");
    let result = crawl(&Sandbox::new(), &[url.as_str()]).exits(3);
    let cause = format!("cause: {url}: not requested: robots.txt says `Disallow: /`");
    assert!(result.stderr.contains(&cause), "{}", result.stderr);
    assert_eq!(result.rows().verdict(url), "blocked RL491");
    assert_eq!(requested_paths(&web), [""; 0]);
}

/// The rules of an unreachable host are unknown, so only its robots.txt is requested. Links to its
/// pages are failing.
#[test]
fn crawl_reports_links_to_a_host_that_is_down_as_failing() {
    let refused = RefusedPort::new();
    let links = [refused.url("/x"), refused.url("/y")];
    let web = site(&format!("/ {}", links.join(" ")));
    let url = web.url("/");
    let rows = crawl(&Sandbox::new(), &[url.as_str(), "--allow-private"]).exits(0).rows();
    for link in &links {
        assert_eq!(rows.verdict(link), "failing RL541", "{rows:?}");
        let reason = rows.row(link)["reason"].as_str().unwrap();
        assert!(reason.contains("refused"), "{reason}");
    }
}

/// The host resets the connections for robots.txt. An external link to the host is failing. The
/// start page of a crawl of the host is blocked.
#[test]
fn crawl_sends_no_request_for_pages_of_a_host_that_resets_robots() {
    let other = BackgroundServer::start(Hostile::start(Misbehavior::Reset));
    let link = other.url("/there");
    let web = site(&format!("/ {link}"));
    let url = web.url("/");
    let rows = crawl(&Sandbox::new(), &[url.as_str(), "--allow-private"]).exits(0).rows();
    assert_eq!(rows.verdict(&link), "failing RL542", "{rows:?}");
    // The request for robots.txt and two retries.
    assert_eq!(other.connects(), 3);
    let result = crawl(&Sandbox::new(), &[link.as_str()]).exits(3);
    assert_eq!(result.rows().verdict(&link), "blocked RL491");
    assert!(result.stderr.contains("robots.txt could not be fetched"), "{}", result.stderr);
    assert_eq!(other.connects(), 6);
}

#[test]
fn check_of_blocked_pages_alone_exits_0() {
    let web = TestServer::start_blocking();
    web.page("/", 403, "no");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/")]);
    sandbox.check(&["urls.txt"]).exits(0);
}

#[test]
fn site_without_robots_txt_allows_everything() {
    for status in [404, 403, 410] {
        let web = site("/ /a\n/a");
        web.respond("/robots.txt", robots_response(status, "User-agent: *\nDisallow: /\n"));
        let url = web.url("/");
        crawl(&Sandbox::new(), &[url.as_str()]).exits(0);
        assert_eq!(requested_paths(&web), ["/", "/a"]);
        assert_eq!(web.hits("/robots.txt"), 1);
    }
}

#[test]
fn robots_txt_may_be_redirected() {
    let web = site_with_robots("");
    web.redirect("/robots.txt", 301, "/rules.txt");
    web.respond("/rules.txt", robots_response(200, "User-agent: *\nDisallow: /closed/\n"));
    let url = web.url("/");
    crawl(&Sandbox::new(), &[url.as_str()]);
    assert_eq!(requests_below(&web, "/closed"), [""; 0]);
}

#[test]
fn robots_txt_is_cached_for_a_day() {
    let web = site_with_robots("User-agent: *\nDisallow: /closed/\n");
    let (sandbox, url) = (Sandbox::new(), web.url("/"));
    crawl_at(&sandbox, MONDAY, &[url.as_str()]).exits(0);
    crawl_at(&sandbox, LATER_THAT_DAY, &[url.as_str()]).exits(0);
    assert_eq!(web.hits("/robots.txt"), 1);
    assert_eq!(web.hits("/"), 2);
    assert_eq!(requests_below(&web, "/closed"), [""; 0]);
    crawl_at(&sandbox, TUESDAY_EVENING, &[url.as_str()]).exits(0);
    assert_eq!(web.hits("/robots.txt"), 2);
}

/// A large file is truncated; the rules before the limit apply.
#[test]
fn huge_robots_txt_is_read_up_to_the_limit() {
    let filler = "# a comment that only makes the file longer\n".repeat(15_000);
    let web =
        site_with_robots(&format!("User-agent: *\nDisallow: /closed/\n{filler}Disallow: /open\n"));
    let url = web.url("/");
    crawl(&Sandbox::new(), &[url.as_str()]);
    assert_eq!(requests_below(&web, "/closed").len(), 0);
    assert_eq!(web.hits("/open"), 1);
}

#[test]
fn user_agent_states_name_and_contact() {
    let web = site_with_robots("");
    let url = web.url("/");
    crawl(&Sandbox::new(), &[url.as_str(), "--contact", "https://example.org/bot"]);
    for request in web.requests() {
        let agent = request.header("user-agent").unwrap_or_default();
        let names_relink =
            agent.to_lowercase().contains("relink/") && agent.contains("+https://example.org/bot");
        assert!(names_relink, "{agent} at {}", request.path);
    }
}

/// Starts a site whose home page links to 24 slow pages, so that requests overlap if the crawler
/// allows it.
fn site_with_slow_pages() -> TestServer {
    let web = TestServer::start_blocking();
    let links: Vec<String> = (0..24).map(|n| format!("/{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    add_pages(&web, &format!("/ {}", links.join(" ")));
    for path in links {
        let response = CannedResponse::new(200, generated_pages::page(path, &[]))
            .with_delay(Duration::from_millis(20));
        web.respond(path, response);
    }
    web
}

#[test]
fn host_concurrency_is_never_exceeded() {
    for max in [1, 3] {
        let web = site_with_slow_pages();
        let (url, max_text) = (web.url("/"), max.to_string());
        let args = [url.as_str(), "--concurrency", "64", "--host-concurrency", &max_text];
        crawl(&Sandbox::new(), &args).exits(0);
        assert_eq!(web.max_concurrent(), max);
    }
}

#[test]
fn crawl_is_polite_by_default() {
    let web = site("/ /a /b\n/a\n/b");
    let url = web.url("/");
    Sandbox::new().run(&[super::CRAWL, &[url.as_str(), "--retries", "0"]].concat()).exits(0);
    let requests = web.requests();
    let gaps: Vec<Duration> = requests.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    // On a busy machine, the server sees a request late, which shortens the next gap. Tests in
    // virtual time check the exact interval.
    assert!(gaps.iter().all(|gap| *gap >= Duration::from_millis(500)), "{gaps:?}");
    assert_eq!(web.max_concurrent(), 1);
}
