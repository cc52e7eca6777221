//! In which order pages are visited, by the server's own log.

use relink_testkit::web::TestServer;

use super::{asked, crawl, site};
use crate::desk::Desk;

/// The tree of the Website Health Analyser, Fig. 1.
const FIG_1: &str = "
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

/// Crawls with one worker and says in which order the pages were asked for.
#[track_caller]
fn order(web: &TestServer, start: &str, args: &[&str]) -> String {
    let alone = ["--concurrency", "1", "--host-concurrency", "1"];
    let url = web.url(start);
    crawl(&Desk::new(), &[&[url.as_str()], &alone[..], args].concat()).exits(0);
    let paths = asked(web).into_iter().map(|path| path[1..].to_owned());
    paths.collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(args: &[&str], expect: &str) {
    let web = site(FIG_1);
    assert_eq!(order(&web, "/1", args), expect);
}

#[test]
fn breadth_first_visits_the_tree_level_by_level() {
    check(&[], "1 2 3 4 5 6 7 8 9 10 11 12");
    check(&["--order", "breadth"], "1 2 3 4 5 6 7 8 9 10 11 12");
}

#[test]
fn depth_first_visits_the_tree_branch_by_branch() {
    check(&["--order", "depth"], "1 2 5 9 10 6 3 4 7 11 12 8");
}

#[test]
fn depth_first_with_a_limit_turns_back_at_it() {
    check(&["--order", "depth", "--depth", "2"], "1 2 5 6 3 4 7 8");
}

#[test]
fn breadth_first_with_a_limit_ends_at_it() {
    check(&["--depth", "1"], "1 2 3 4");
    check(&["--depth", "0"], "1");
}

/// The page that is found again deeper down belongs to the branch that is
/// being walked.
#[test]
fn depth_first_takes_a_page_where_it_is_met_last() {
    let web = site(
        "
        /1 /2 /3
        /2 /4
        /4 /3
        /3 /5
        /5
    ",
    );
    assert_eq!(order(&web, "/1", &["--order", "depth"]), "1 2 4 3 5");
}

#[test]
fn circles_end_by_themselves() {
    let web = site(
        "
        /1 /2 /1 /1#top
        /2 /3 /1
        /3 /1 /2 /3
    ",
    );
    assert_eq!(order(&web, "/1", &[]), "1 2 3");
}
