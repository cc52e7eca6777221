//! Results cached between runs.

use relink_testkit::web::TestServer;

use crate::sandbox::Sandbox;

fn site() -> (TestServer, Sandbox) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/good", 200, "")
        .redirect("/old", 301, "/new")
        .page("/new", 200, "")
        .page("/wall", 403, "");
    let urls = ["/good", "/old", "/wall", "/gone"].map(|path| web.url(path));
    sandbox.list("urls.txt", urls);
    (web, sandbox)
}

#[test]
fn check_skips_targets_found_alive_recently() {
    let (web, sandbox) = site();
    let first = sandbox.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(first.row(web.url("/good"))["cached"], false);
    let requests = web.hits("/good");
    let second = sandbox.check(&["urls.txt"]).exits(1).rows();
    let (before, after) = (first.row(web.url("/good")), second.row(web.url("/good")));
    assert_eq!((&after["cached"], &after["verdict"]), (&true.into(), &"alive".into()));
    assert_eq!(
        (&after["verdict_since"], &after["checked_at"]),
        (&before["verdict_since"], &before["checked_at"])
    );
    assert_eq!(web.hits("/good"), requests);
}

#[test]
fn targets_that_were_not_alive_are_requested_again() {
    let (web, sandbox) = site();
    let first = sandbox.check(&["urls.txt"]).exits(1).rows();
    let second = sandbox.check(&["urls.txt"]).exits(1).rows();
    // A blocked page gets a second user agent, a missing page a confirmation.
    assert_eq!((web.hits("/wall"), web.hits("/gone")), (4, 4));
    for path in ["/wall", "/gone"] {
        let (before, after) = (first.row(web.url(path)), second.row(web.url(path)));
        assert_eq!(
            (&after["cached"], &after["verdict_since"]),
            (&false.into(), &before["verdict_since"]),
            "{path}"
        );
    }
}

#[test]
fn max_cache_age_limits_the_cache_and_zero_disables_it() {
    let (web, sandbox) = site();
    sandbox.list("good.txt", [web.url("/good")]);
    let hits = |now: &str, args: &[&str]| {
        sandbox.check_at(now, args).exits(0);
        web.hits("/good")
    };
    assert_eq!(hits("2026-11-15T09:00:00Z", &["good.txt"]), 1);
    assert_eq!(hits("2026-11-16T08:00:00Z", &["good.txt"]), 1);
    assert_eq!(hits("2026-11-16T10:00:00Z", &["good.txt"]), 2);
    assert_eq!(hits("2026-11-16T11:00:00Z", &["good.txt", "--max-cache-age", "30m"]), 3);
    assert_eq!(hits("2026-11-16T11:00:00Z", &["good.txt", "--max-cache-age", "0"]), 4);
}

#[test]
fn report_counts_cached_results() {
    let (_web, sandbox) = site();
    sandbox.report(&["urls.txt"]).exits(1);
    let output = sandbox.report(&["urls.txt"]).exits(1);
    assert!(
        output.stdout.lines().next().unwrap().ends_with("from cache ≤ 24 h)"),
        "{}",
        output.stdout
    );
}
