//! The second crawl of a site.

use relink_testkit::web::CannedResponse;

use super::{add_pages, asked, rows_of, site, written};
use crate::desk::{Desk, Said};

fn at(desk: &Desk, now: &str, args: &[&str]) -> Said {
    Said::of(&desk.command(&rows_of(args)).env("RELINK_NOW", now).output().unwrap())
}

#[test]
fn the_second_crawl_asks_every_page_again_and_remembers_the_first() {
    let web = site(
        "
        / /a /b
        /a
        /b
    ",
    );
    let (desk, url) = (Desk::new(), web.url("/"));
    at(&desk, "2026-03-02T08:00:00Z", &[url.as_str()]).exits(0);
    assert_eq!(asked(&web), ["/", "/a", "/b"]);
    // One page goes, one comes.
    web.answer("/a", CannedResponse::new(404, "gone"));
    add_pages(&web, "/b /c\n/c");
    let rows = at(&desk, "2026-03-09T08:00:00Z", &[url.as_str()]).exits(1).rows();
    assert_eq!(rows.word(web.url("/a")), "dead RL101");
    let since = |path: &str| rows.of(web.url(path))["since"].as_str().unwrap()[..10].to_owned();
    assert_eq!((since("/a"), since("/b")), ("2026-03-09".to_owned(), "2026-03-02".to_owned()));
    assert_eq!(rows.word(web.url("/c")), "alive");
    assert_eq!(rows.0.len(), 4);
    let status = desk.run(&["crawl", "status", "--db", "relink.db"]).exits(0);
    assert_eq!(status.stdout.lines().filter(|line| line.contains("finished")).count(), 2);
}

#[test]
fn other_sites_found_alive_lately_are_not_asked_again() {
    let other = site("/page");
    let web = site("");
    web.page("/", 200, &written::page("home", &[other.url("/page").as_str(), "/a"]));
    add_pages(&web, "/a");
    let (desk, url) = (Desk::new(), web.url("/"));
    let args = [url.as_str(), "--allow-private"];
    at(&desk, "2026-03-02T08:00:00Z", &args).exits(0);
    let rows = at(&desk, "2026-03-02T12:00:00Z", &args).exits(0).rows();
    assert_eq!((other.hits("/page"), web.hits("/a")), (1, 2));
    assert_eq!(rows.of(other.url("/page"))["cached"], true);
    assert_eq!(rows.0.len(), 3);
}
