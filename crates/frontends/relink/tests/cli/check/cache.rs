//! Results cached between runs.

use relink_testkit::web::TestServer;

use crate::sandbox::Sandbox;

/// Starts a server with a live, a moved and a blocked page. Writes a list with these pages and
/// the missing page `/gone`.
fn site() -> (TestServer, Sandbox) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/good", 200, "")
        .redirect("/old", 301, "/new")
        .page("/new", 200, "")
        .page("/wall", 403, "");
    let urls = ["/good", "/old", "/wall", "/gone"].map(|path| web.url(path));
    sandbox.write_urls("urls.txt", urls);
    (web, sandbox)
}

#[test]
fn target_found_alive_recently_is_not_requested_again() {
    let (web, sandbox) = site();
    let first = sandbox.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(first.row(web.url("/good"))["cached"], false);
    let hits_before = web.hits("/good");
    let second = sandbox.check(&["urls.txt"]).exits(1).rows();
    let (original, cached) = (first.row(web.url("/good")), second.row(web.url("/good")));
    assert_eq!(cached["cached"], true);
    assert_eq!(cached["verdict"], "alive");
    assert_eq!(cached["verdict_since"], original["verdict_since"]);
    assert_eq!(cached["checked_at"], original["checked_at"]);
    assert_eq!(web.hits("/good"), hits_before);
}

#[test]
fn targets_that_were_not_alive_are_requested_again() {
    let (web, sandbox) = site();
    let first = sandbox.check(&["urls.txt"]).exits(1).rows();
    let second = sandbox.check(&["urls.txt"]).exits(1).rows();
    // Each run requests both pages twice: the blocked page with a second user agent, the
    // missing page for confirmation.
    assert_eq!(web.hits("/wall"), 4);
    assert_eq!(web.hits("/gone"), 4);
    for path in ["/wall", "/gone"] {
        let before = first.row(web.url(path));
        let after = second.row(web.url(path));
        assert_eq!(after["cached"], false, "{path}");
        assert_eq!(after["verdict_since"], before["verdict_since"], "{path}");
    }
}

#[test]
fn max_cache_age_limits_the_cache_and_zero_disables_it() {
    let (web, sandbox) = site();
    sandbox.write_urls("good.txt", [web.url("/good")]);
    // Runs a check at this time. Returns the number of requests for the page so far.
    let hits_after_check = |now: &str, args: &[&str]| {
        sandbox.check_at(now, args).exits(0);
        web.hits("/good")
    };
    assert_eq!(hits_after_check("2026-11-15T09:00:00Z", &["good.txt"]), 1);
    assert_eq!(hits_after_check("2026-11-16T08:00:00Z", &["good.txt"]), 1);
    // After 25 hours the result is older than the default of 24 hours.
    assert_eq!(hits_after_check("2026-11-16T10:00:00Z", &["good.txt"]), 2);
    assert_eq!(
        hits_after_check("2026-11-16T11:00:00Z", &["good.txt", "--max-cache-age", "30m"]),
        3
    );
    assert_eq!(hits_after_check("2026-11-16T11:00:00Z", &["good.txt", "--max-cache-age", "0"]), 4);
}

#[test]
fn report_counts_cached_results() {
    let (_web, sandbox) = site();
    sandbox.check_human(&["urls.txt"]).exits(1);
    let output = sandbox.check_human(&["urls.txt"]).exits(1);
    assert!(
        output.stdout.lines().next().unwrap().ends_with("from cache ≤ 24 h)"),
        "{}",
        output.stdout
    );
}
