//! From what servers say to one word.

use relink_testkit::web::{CannedResponse, TestServer};

use crate::desk::{CHECK, Desk};

/// Claims what is said, after how many requests, about one page.
#[track_caller]
fn check(answers: impl IntoIterator<Item = CannedResponse>, expect: &str, hits: usize, exit: i32) {
    let web = TestServer::start_blocking();
    web.sequence("/page", answers).page("/new", 200, "");
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/page")]);
    let rows = desk.check(&["urls.txt"]).exits(exit).rows();
    assert_eq!(rows.word(web.url("/page")), expect);
    assert_eq!(web.hits("/page"), hits);
}

fn status(status: u16) -> CannedResponse {
    CannedResponse::new(status, "<title>x</title>")
}

#[test]
fn a_page_that_answers_is_alive() {
    check([status(200)], "alive", 1, 0);
}

#[test]
fn a_permanent_redirect_means_moved_and_a_temporary_one_alive() {
    check([CannedResponse::redirect(301, "/new")], "moved RL201", 1, 0);
    check([CannedResponse::redirect(308, "/new")], "moved RL201", 1, 0);
    check([CannedResponse::redirect(302, "/new")], "alive", 1, 0);
    check([CannedResponse::redirect(307, "/new")], "alive", 1, 0);
}

#[test]
fn not_found_is_dead_once_seen_twice() {
    check([status(404)], "dead RL101", 2, 1);
    check([status(410)], "dead RL101", 2, 1);
}

#[test]
fn a_page_that_is_found_on_the_second_look_is_alive() {
    check([status(404), status(200)], "alive", 2, 0);
}

#[test]
fn redirects_in_a_circle_are_dead() {
    check([CannedResponse::redirect(302, "/page")], "dead RL105", 2, 1);
}

#[test]
fn walls_are_blocked_and_fail_no_run() {
    for code in [401, 402, 451] {
        check([status(code)], &format!("blocked RL{code}"), 1, 0);
    }
    // These may turn away our name only, so they are asked by another one.
    for code in [403, 418] {
        check([status(code)], &format!("blocked RL{code}"), 2, 0);
    }
    check([status(999)], "blocked RL499", 2, 0);
}

#[test]
fn a_server_error_is_failing_and_fails_no_run() {
    check([status(500)], "failing RL500", 1, 0);
    check([status(503)], "failing RL503", 1, 0);
}

#[test]
fn a_server_error_that_passes_is_no_finding() {
    let web = TestServer::start_blocking();
    web.sequence("/page", [status(500), status(200)]);
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/page")]);
    // The one test that waits for a retry: half a second.
    let args = ["--retries", "1", "--host-interval", "0", "--format", "jsonl", "urls.txt"];
    let rows = desk.run(&[CHECK, &args].concat()).exits(0).rows();
    assert_eq!(rows.word(web.url("/page")), "alive");
    let arrivals: Vec<_> = web.requests().iter().map(|seen| seen.at).collect();
    assert_eq!(web.hits("/page"), 2);
    assert!((arrivals[1] - arrivals[0]).as_millis() >= 450, "{arrivals:?}");
}

#[test]
fn fail_on_replaces_the_words_that_fail_a_run() {
    let web = TestServer::start_blocking();
    web.page("/wall", 403, "");
    let desk = Desk::new();
    desk.list("wall.txt", [web.url("/wall")]).list("gone.txt", [web.url("/gone")]);
    desk.check(&["wall.txt", "--fail-on", "blocked"]).exits(1);
    desk.check(&["gone.txt", "--fail-on", "blocked,failing"]).exits(0);
    let said = desk.check(&["gone.txt", "--fail-on", "rotten"]).exits(2);
    assert!(said.stderr.contains("rotten"), "{}", said.stderr);
}

/// What is said of a failing page at each of these moments of a month.
fn diary(moments: &[&str]) -> String {
    let web = TestServer::start_blocking();
    web.page("/page", 500, "");
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/page")]);
    let at = |moment: &&str| {
        let said = desk.check_at(&format!("2026-11-{moment}:00Z"), &["urls.txt"]);
        let row = &said.rows().0[0];
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        let (word, since, reason) = (text("verdict"), text("since"), text("reason"));
        format!("{moment}: {word} since {}, exit {}: {reason}\n", &since[8..16], said.exit)
    };
    moments.iter().map(at).collect()
}

#[test]
fn a_failing_page_is_dead_after_three_runs_over_three_days() {
    insta::assert_snapshot!(diary(&["01T09:00", "02T09:00", "04T09:30", "05T09:30"]), @r"
    01T09:00: failing since 01T09:00, exit 0: answered 500; failing 1 of 3 runs
    02T09:00: failing since 01T09:00, exit 0: answered 500; failing 2 of 3 runs
    04T09:30: dead since 04T09:30, exit 1: answered 500; failed 3 runs in a row over 3 days
    05T09:30: dead since 04T09:30, exit 1: answered 500; failed 4 runs in a row over 4 days
    ");
}

#[test]
fn three_failed_runs_within_two_days_kill_nothing() {
    insta::assert_snapshot!(diary(&["01T09:00", "01T10:00", "02T11:00"]), @r"
    01T09:00: failing since 01T09:00, exit 0: answered 500; failing 1 of 3 runs
    01T10:00: failing since 01T09:00, exit 0: answered 500; failing 2 of 3 runs
    02T11:00: failing since 01T09:00, exit 0: answered 500; failing 3 runs in a row, but not yet for 3 days
    ");
}

#[test]
fn a_success_between_ends_the_count() {
    let web = TestServer::start_blocking();
    let answers = [500, 500, 200, 500].map(status);
    web.sequence("/page", answers);
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/page")]);
    let words = ["01", "02", "05", "09"].map(|day| {
        let now = format!("2026-11-{day}T09:00:00Z");
        let said = desk.check_at(&now, &["urls.txt"]).exits(0);
        said.rows().0[0]["reason"].as_str().unwrap().to_owned()
    });
    assert_eq!(words[3], "answered 500; failing 1 of 3 runs");
}
