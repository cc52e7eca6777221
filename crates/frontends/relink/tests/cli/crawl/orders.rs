//! Traversal order, checked in the log of the server.
//!
//! Sites are written in the notation of [`super::site`]: each line has the path of a page and
//! its links.

use relink_testkit::web::TestServer;

use super::{crawl, requested_paths, site};
use crate::sandbox::Sandbox;

/// The tree in figure 1 of the paper on the Website Health Analyser.
const FIGURE_1: &str = "
    /1 /2 /3 /4
    /2 /5 /6
    /3
    /4 /7 /8
    /5 /9 /10
    /6
    /7 /11 /12
    /8
    /9
    /10
    /11
    /12
";

/// Crawls with one worker from `start`. Returns the requested paths in order, without their
/// slashes.
#[track_caller]
fn crawl_order(web: &TestServer, start: &str, args: &[&str]) -> String {
    let single_worker = ["--concurrency", "1", "--host-concurrency", "1"];
    let url = web.url(start);
    crawl(&Sandbox::new(), &[&[url.as_str()], &single_worker[..], args].concat()).exits(0);
    let paths = requested_paths(web).into_iter().map(|path| path[1..].to_owned());
    paths.collect::<Vec<_>>().join(" ")
}

/// Crawls the tree with further flags and asserts the order of the requests.
#[track_caller]
fn check(args: &[&str], expected: &str) {
    let web = site(FIGURE_1);
    assert_eq!(crawl_order(&web, "/1", args), expected);
}

#[test]
fn breadth_first_crawls_level_by_level() {
    check(&[], "1 2 3 4 5 6 7 8 9 10 11 12");
    check(&["--order", "breadth"], "1 2 3 4 5 6 7 8 9 10 11 12");
}

#[test]
fn depth_first_crawls_branch_by_branch() {
    check(&["--order", "depth"], "1 2 5 9 10 6 3 4 7 11 12 8");
}

#[test]
fn depth_first_stops_at_the_depth_limit() {
    check(&["--order", "depth", "--depth", "2"], "1 2 5 6 3 4 7 8");
}

#[test]
fn breadth_first_stops_at_the_depth_limit() {
    check(&["--depth", "1"], "1 2 3 4");
    check(&["--depth", "0"], "1");
}

/// A page that is found again deeper belongs to the branch that is being
/// crawled.
#[test]
fn depth_first_uses_the_last_discovery_of_a_page() {
    let web = site(
        "
        /1 /2 /3
        /2 /4
        /4 /3
        /3 /5
        /5
    ",
    );
    assert_eq!(crawl_order(&web, "/1", &["--order", "depth"]), "1 2 4 3 5");
}

#[test]
fn link_cycles_end() {
    let web = site(
        "
        /1 /2 /1 /1#top
        /2 /3 /1
        /3 /1 /2 /3
    ",
    );
    assert_eq!(crawl_order(&web, "/1", &[]), "1 2 3");
}
