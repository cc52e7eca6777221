//! The second crawl of a site.
//!
//! Sites are written in the notation of [`super::site`]: each line has the path of a page and
//! its links.

use relink_testkit::web::CannedResponse;

use super::{add_pages, generated_pages, jsonl_args, requested_paths, site};
use crate::sandbox::{CommandOutput, Sandbox};

/// Crawls as if it were `now`.
fn crawl_at(sandbox: &Sandbox, now: &str, args: &[&str]) -> CommandOutput {
    CommandOutput::new(&sandbox.command(&jsonl_args(args)).env("RELINK_NOW", now).output().unwrap())
}

#[test]
fn second_crawl_requests_all_pages_again_and_dates_changes() {
    let web = site(
        "
        / /a /b
        /a
        /b
    ",
    );
    let (sandbox, url) = (Sandbox::new(), web.url("/"));
    crawl_at(&sandbox, "2026-03-02T08:00:00Z", &[url.as_str()]).exits(0);
    assert_eq!(requested_paths(&web), ["/", "/a", "/b"]);
    // The page `/a` is removed, and the page `/c` is added.
    web.respond("/a", CannedResponse::new(404, "gone"));
    add_pages(&web, "/b /c\n/c");
    let rows = crawl_at(&sandbox, "2026-03-09T08:00:00Z", &[url.as_str()]).exits(1).rows();
    assert_eq!(rows.verdict(web.url("/a")), "dead RL101");
    let since_day = |path: &str| {
        let since = rows.row(web.url(path))["verdict_since"].as_str().unwrap();
        since.split('T').next().unwrap().to_owned()
    };
    assert_eq!(since_day("/a"), "2026-03-09");
    assert_eq!(since_day("/b"), "2026-03-02");
    assert_eq!(rows.verdict(web.url("/c")), "alive");
    assert_eq!(rows.results.len(), 4);
    let status = sandbox.run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert_eq!(status.stdout.lines().filter(|line| line.contains("finished")).count(), 2);
}

#[test]
fn external_links_found_alive_recently_are_cached() {
    let other = site("/page");
    let web = site("");
    web.page("/", 200, &generated_pages::page("home", &[other.url("/page").as_str(), "/a"]));
    add_pages(&web, "/a");
    let (sandbox, url) = (Sandbox::new(), web.url("/"));
    let args = [url.as_str(), "--allow-private"];
    crawl_at(&sandbox, "2026-03-02T08:00:00Z", &args).exits(0);
    let rows = crawl_at(&sandbox, "2026-03-02T12:00:00Z", &args).exits(0).rows();
    assert_eq!(other.hits("/page"), 1);
    assert_eq!(web.hits("/a"), 2);
    assert_eq!(rows.row(other.url("/page"))["cached"], true);
    assert_eq!(rows.results.len(), 3);
}
