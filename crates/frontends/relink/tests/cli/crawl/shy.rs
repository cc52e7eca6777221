//! What pages ask of robots: nofollow, in all the ways it can be said.

use relink_testkit::web::{CannedResponse, TestServer};

use super::{add_pages, asked, crawl, report, written};
use crate::desk::Desk;

fn web_with(home: CannedResponse) -> TestServer {
    let web = TestServer::start_blocking();
    web.answer("/", home);
    add_pages(&web, "/a /b\n/b\n/c");
    web
}

#[track_caller]
fn check(home: CannedResponse, args: &[&str], expect: &[&str]) {
    let web = web_with(home);
    let url = web.url("/");
    crawl(&Desk::new(), &[&[url.as_str()], args].concat()).exits(0);
    let mut asked = asked(&web);
    asked.sort();
    assert_eq!(asked, expect);
}

fn marked_link() -> CannedResponse {
    CannedResponse::new(
        200,
        written::with_body("home", "<a href='/a' rel='ugc nofollow'>x</a><a href='/c'>x</a>"),
    )
}

fn marked_page(meta: &str) -> CannedResponse {
    CannedResponse::new(200, written::with_body("home", &format!("{meta}<a href='/a'>x</a>")))
}

#[test]
fn a_link_marked_nofollow_is_not_asked() {
    check(marked_link(), &[], &["/", "/c"]);
    check(marked_link(), &["--follow-nofollow"], &["/", "/a", "/b", "/c"]);
}

#[test]
fn a_page_marked_nofollow_has_no_links_that_are_asked() {
    check(marked_page("<meta name=robots content='noindex, nofollow'>"), &[], &["/"]);
    check(marked_page("<meta name=robots content='none'>"), &[], &["/"]);
    check(marked_page("<meta name=robots content='noindex'>"), &[], &["/", "/a", "/b"]);
}

#[test]
fn the_header_says_the_same() {
    let home = || marked_page("").header("X-Robots-Tag", "nofollow");
    check(home(), &[], &["/"]);
    check(home(), &["--follow-nofollow"], &["/", "/a", "/b"]);
    let other = marked_page("").header("X-Robots-Tag", "otherbot: nofollow");
    check(other, &[], &["/", "/a", "/b"]);
}

#[test]
fn what_was_not_followed_is_counted() {
    let web = web_with(marked_link());
    let url = web.url("/");
    let said = report(&Desk::new(), &[url.as_str()]).exits(0);
    assert!(said.stdout.contains("1 marked `nofollow` by their page"), "{}", said.stdout);
}

/// A link that one page marks and another does not is followed.
#[test]
fn one_honest_link_is_enough() {
    let web = web_with(marked_link());
    add_pages(&web, "/c /a");
    let url = web.url("/");
    crawl(&Desk::new(), &[url.as_str()]).exits(0);
    assert_eq!(asked(&web), ["/", "/c", "/a", "/b"]);
}
