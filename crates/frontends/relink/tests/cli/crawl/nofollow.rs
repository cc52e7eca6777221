//! `nofollow` in links, meta elements and headers.
//!
//! Sites are written in the notation of [`super::site`]: each line has the path of a page and
//! its links.

use relink_testkit::web::{CannedResponse, TestServer};

use super::{add_pages, crawl, crawl_human, generated_pages, requested_paths};
use crate::sandbox::Sandbox;

/// Starts a site with the home page `home`, and the pages `/a`, `/b` and `/c`. `/a` links to `/b`.
fn site_with_home(home: CannedResponse) -> TestServer {
    let web = TestServer::start_blocking();
    web.respond("/", home);
    add_pages(&web, "/a /b\n/b\n/c");
    web
}

/// Crawls the site of [`site_with_home`] and asserts the requested paths.
#[track_caller]
fn check(home: CannedResponse, args: &[&str], expected: &[&str]) {
    let web = site_with_home(home);
    let url = web.url("/");
    crawl(&Sandbox::new(), &[&[url.as_str()], args].concat()).exits(0);
    let mut requests = requested_paths(&web);
    requests.sort();
    assert_eq!(requests, expected);
}

/// A home page with a `nofollow` link to `/a`, and a plain link to `/c`.
fn page_with_nofollow_link() -> CannedResponse {
    CannedResponse::new(
        200,
        generated_pages::with_body(
            "home",
            "<a href='/a' rel='ugc nofollow'>x</a><a href='/c'>x</a>",
        ),
    )
}

/// A home page with a `meta` element, and a link to `/a`.
fn page_with_meta(meta: &str) -> CannedResponse {
    CannedResponse::new(
        200,
        generated_pages::with_body("home", &format!("{meta}<a href='/a'>x</a>")),
    )
}

#[test]
fn nofollow_link_is_not_requested() {
    check(page_with_nofollow_link(), &[], &["/", "/c"]);
    check(page_with_nofollow_link(), &["--follow-nofollow"], &["/", "/a", "/b", "/c"]);
}

#[test]
fn links_of_a_nofollow_page_are_not_requested() {
    check(page_with_meta("<meta name=robots content='noindex, nofollow'>"), &[], &["/"]);
    check(page_with_meta("<meta name=robots content='none'>"), &[], &["/"]);
    check(page_with_meta("<meta name=robots content='noindex'>"), &[], &["/", "/a", "/b"]);
}

#[test]
fn robots_header_nofollow_is_obeyed() {
    let home = || page_with_meta("").with_header("X-Robots-Tag", "nofollow");
    check(home(), &[], &["/"]);
    check(home(), &["--follow-nofollow"], &["/", "/a", "/b"]);
    let other = page_with_meta("").with_header("X-Robots-Tag", "otherbot: nofollow");
    check(other, &[], &["/", "/a", "/b"]);
}

#[test]
fn nofollow_links_are_counted() {
    let web = site_with_home(page_with_nofollow_link());
    let url = web.url("/");
    let output = crawl_human(&Sandbox::new(), &[url.as_str()]).exits(0);
    assert!(output.stdout.contains("1 marked `nofollow` by their page"), "{}", output.stdout);
}

/// `/a` is marked `nofollow` by the home page, but not by `/c`.
#[test]
fn link_with_nofollow_on_only_one_of_two_pages_is_followed() {
    let web = site_with_home(page_with_nofollow_link());
    add_pages(&web, "/c /a");
    let url = web.url("/");
    crawl(&Sandbox::new(), &[url.as_str()]).exits(0);
    assert_eq!(requested_paths(&web), ["/", "/c", "/a", "/b"]);
}
