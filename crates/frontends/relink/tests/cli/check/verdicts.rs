//! Verdicts of responses.

use relink_testkit::web::{CannedResponse, TestServer};

use crate::sandbox::{CHECK, Sandbox};

/// Checks a page with successive responses; the last response is repeated. Asserts the verdict,
/// the number of requests, and that only a dead page fails the run.
#[track_caller]
fn check(responses: impl IntoIterator<Item = CannedResponse>, expected: &str, hits: usize) {
    let exit_code = i32::from(expected.starts_with("dead"));
    let web = TestServer::start_blocking();
    web.sequence("/page", responses).page("/new", 200, "");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/page")]);
    let rows = sandbox.check(&["urls.txt"]).exits(exit_code).rows();
    assert_eq!(rows.verdict(web.url("/page")), expected);
    assert_eq!(web.hits("/page"), hits);
}

/// Creates a response with a status and a short body.
fn page_with_status(status: u16) -> CannedResponse {
    CannedResponse::new(status, "<title>x</title>")
}

#[test]
fn page_with_status_200_is_alive() {
    check([page_with_status(200)], "alive", 1);
}

#[test]
fn permanent_redirect_is_moved_and_temporary_redirect_alive() {
    check([CannedResponse::redirect(301, "/new")], "moved RL201", 1);
    check([CannedResponse::redirect(308, "/new")], "moved RL201", 1);
    check([CannedResponse::redirect(302, "/new")], "alive", 1);
    check([CannedResponse::redirect(307, "/new")], "alive", 1);
}

#[test]
fn not_found_is_dead_after_two_attempts() {
    check([page_with_status(404)], "dead RL101", 2);
    check([page_with_status(410)], "dead RL101", 2);
}

#[test]
fn page_found_on_the_second_attempt_is_alive() {
    check([page_with_status(404), page_with_status(200)], "alive", 2);
}

#[test]
fn redirect_loop_is_dead() {
    check([CannedResponse::redirect(302, "/page")], "dead RL105", 2);
}

#[test]
fn blocked_pages_do_not_fail_the_run() {
    for code in [401, 402, 451] {
        check([page_with_status(code)], &format!("blocked RL{code}"), 1);
    }
    // The server may have rejected the user agent. Relink sends a second request with another
    // user agent.
    for code in [403, 418] {
        check([page_with_status(code)], &format!("blocked RL{code}"), 2);
    }
    check([page_with_status(999)], "blocked RL499", 2);
}

#[test]
fn server_error_is_failing_and_does_not_fail_the_run() {
    check([page_with_status(500)], "failing RL500", 1);
    check([page_with_status(503)], "failing RL503", 1);
}

#[test]
fn transient_server_error_is_not_a_finding() {
    let web = TestServer::start_blocking();
    web.sequence("/page", [page_with_status(500), page_with_status(200)]);
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/page")]);
    // The retry is sent after half a second.
    let args = ["--retries", "1", "--host-interval", "0", "--format", "jsonl", "urls.txt"];
    let rows = sandbox.run(&[CHECK, &args].concat()).exits(0).rows();
    assert_eq!(rows.verdict(web.url("/page")), "alive");
    let arrivals: Vec<_> = web.requests().iter().map(|request| request.at).collect();
    assert_eq!(web.hits("/page"), 2);
    assert!((arrivals[1] - arrivals[0]).as_millis() >= 450, "{arrivals:?}");
}

#[test]
fn fail_on_replaces_the_verdicts_that_fail_a_run() {
    let web = TestServer::start_blocking();
    web.page("/wall", 403, "");
    let sandbox = Sandbox::new();
    sandbox.write_urls("wall.txt", [web.url("/wall")]).write_urls("gone.txt", [web.url("/gone")]);
    sandbox.check(&["wall.txt", "--fail-on", "blocked"]).exits(1);
    sandbox.check(&["gone.txt", "--fail-on", "blocked,failing"]).exits(0);
    let output = sandbox.check(&["gone.txt", "--fail-on", "unknown"]).exits(2);
    assert!(output.stderr.contains("unknown"), "{}", output.stderr);
}

/// Checks a failing page at times such as `01T09:00` (1 November 2026) and returns one line per
/// check.
fn verdicts_at(times: &[&str]) -> String {
    let web = TestServer::start_blocking();
    web.page("/page", 500, "");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/page")]);
    let check_at = |time: &&str| {
        let output = sandbox.check_at(&format!("2026-11-{time}:00Z"), &["urls.txt"]);
        let row = &output.rows().results[0];
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        let verdict = text("verdict");
        let reason = text("reason");
        // The day and time of the timestamp, such as `01T09:00`.
        let since = &text("verdict_since")["2026-11-".len().."2026-11-01T09:00".len()];
        format!("{time}: {verdict} since {since}, exit {}: {reason}\n", output.exit_code)
    };
    times.iter().map(check_at).collect()
}

#[test]
fn failing_page_is_dead_after_three_runs_over_three_days() {
    insta::assert_snapshot!(verdicts_at(&["01T09:00", "02T09:00", "04T09:30", "05T09:30"]), @r"
    01T09:00: failing since 01T09:00, exit 0: status 500; failed in 1 run, dead after 3 in a row
    02T09:00: failing since 01T09:00, exit 0: status 500; failed in 2 runs, dead after 3 in a row
    04T09:30: dead since 04T09:30, exit 1: status 500; failed in 3 runs in a row over 3 days
    05T09:30: dead since 04T09:30, exit 1: status 500; failed in 4 runs in a row over 4 days
    ");
}

#[test]
fn three_failed_runs_within_two_days_are_not_dead() {
    insta::assert_snapshot!(verdicts_at(&["01T09:00", "01T10:00", "02T11:00"]), @r"
    01T09:00: failing since 01T09:00, exit 0: status 500; failed in 1 run, dead after 3 in a row
    01T10:00: failing since 01T09:00, exit 0: status 500; failed in 2 runs, dead after 3 in a row
    02T11:00: failing since 01T09:00, exit 0: status 500; failed in 3 runs in a row, but not yet for 3 days
    ");
}

#[test]
fn success_resets_the_failure_streak() {
    let web = TestServer::start_blocking();
    let responses = [500, 500, 200, 500].map(page_with_status);
    web.sequence("/page", responses);
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/page")]);
    let reasons = ["01", "02", "05", "09"].map(|day| {
        let now = format!("2026-11-{day}T09:00:00Z");
        let output = sandbox.check_at(&now, &["urls.txt"]).exits(0);
        output.rows().results[0]["reason"].as_str().unwrap().to_owned()
    });
    // The run after the success is the first one of a new streak.
    assert_eq!(reasons[3], "status 500; failed in 1 run, dead after 3 in a row");
}
