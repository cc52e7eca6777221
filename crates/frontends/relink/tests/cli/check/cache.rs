//! What is remembered between runs.

use relink_testkit::web::TestServer;

use crate::desk::Desk;

fn site() -> (TestServer, Desk) {
    let (web, desk) = (TestServer::start_blocking(), Desk::new());
    web.page("/good", 200, "")
        .redirect("/old", 301, "/new")
        .page("/new", 200, "")
        .page("/wall", 403, "");
    let urls = ["/good", "/old", "/wall", "/gone"].map(|path| web.url(path));
    desk.list("urls.txt", urls);
    (web, desk)
}

#[test]
fn what_was_alive_lately_is_not_asked_again() {
    let (web, desk) = site();
    let first = desk.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(first.of(web.url("/good"))["cached"], false);
    let asked = web.hits("/good");
    let second = desk.check(&["urls.txt"]).exits(1).rows();
    let (was, is) = (first.of(web.url("/good")), second.of(web.url("/good")));
    assert_eq!((&is["cached"], &is["verdict"]), (&true.into(), &"alive".into()));
    assert_eq!((&is["since"], &is["checked"]), (&was["since"], &was["checked"]));
    assert_eq!(web.hits("/good"), asked);
}

#[test]
fn what_was_not_alive_is_always_asked_again() {
    let (web, desk) = site();
    let first = desk.check(&["urls.txt"]).exits(1).rows();
    let second = desk.check(&["urls.txt"]).exits(1).rows();
    // A wall is asked by two names, and a missing page is looked at twice.
    assert_eq!((web.hits("/wall"), web.hits("/gone")), (4, 4));
    for path in ["/wall", "/gone"] {
        let (was, is) = (first.of(web.url(path)), second.of(web.url(path)));
        assert_eq!((&is["cached"], &is["since"]), (&false.into(), &was["since"]), "{path}");
    }
}

#[test]
fn memory_has_an_age_and_zero_means_none() {
    let (web, desk) = site();
    desk.list("good.txt", [web.url("/good")]);
    let hits = |now: &str, args: &[&str]| {
        desk.check_at(now, args).exits(0);
        web.hits("/good")
    };
    assert_eq!(hits("2026-11-15T09:00:00Z", &["good.txt"]), 1);
    assert_eq!(hits("2026-11-16T08:00:00Z", &["good.txt"]), 1);
    assert_eq!(hits("2026-11-16T10:00:00Z", &["good.txt"]), 2);
    assert_eq!(hits("2026-11-16T11:00:00Z", &["good.txt", "--max-age", "30m"]), 3);
    assert_eq!(hits("2026-11-16T11:00:00Z", &["good.txt", "--max-age", "0"]), 4);
}

#[test]
fn the_report_says_what_came_from_memory() {
    let (_web, desk) = site();
    desk.report(&["urls.txt"]).exits(1);
    let said = desk.report(&["urls.txt"]).exits(1);
    assert!(said.stdout.lines().next().unwrap().ends_with("from cache ≤ 24 h)"), "{}", said.stdout);
}
