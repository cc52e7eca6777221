//! Tests of the judge in a compact notation: outcomes separated by spaces, one
//! per attempt, 100 ms apart.

use jiff::ToSpan;
use relink_model::{ConnectError, DnsError, InvalidRedirect, Phase, ProtocolError, TlsError};

use super::*;
use crate::codes::CodeStatus;

const HOURS_PER_DAY: i64 = 24;

fn day(day: i64) -> Timestamp {
    let start: Timestamp = "2026-11-01T12:00:00Z".parse().unwrap();
    start.checked_add((day * HOURS_PER_DAY).hours()).unwrap()
}

fn parse_outcome(text: &str) -> FetchOutcome {
    match text {
        "nxdomain" => FetchOutcome::DnsFailed(DnsError::NoSuchName),
        "no-records" => FetchOutcome::DnsFailed(DnsError::NoRecords),
        "dns-failed" => FetchOutcome::DnsFailed(DnsError::ServerFailure),
        "resolver-timeout" => FetchOutcome::DnsFailed(DnsError::TimedOut),
        "refused" => FetchOutcome::ConnectFailed(ConnectError::Refused),
        "unreachable" => FetchOutcome::ConnectFailed(ConnectError::Unreachable),
        "no-connection" => FetchOutcome::ConnectFailed(ConnectError::Other),
        "reset" => FetchOutcome::ProtocolError(ProtocolError::Reset),
        "truncated" => FetchOutcome::ProtocolError(ProtocolError::Truncated),
        "not-http" => FetchOutcome::ProtocolError(ProtocolError::NotHttp),
        "huge-headers" => FetchOutcome::ProtocolError(ProtocolError::HeadersTooLarge),
        "timeout" => FetchOutcome::TimedOut(Phase::Headers),
        "dns-timeout" => FetchOutcome::TimedOut(Phase::Dns),
        "expired" => FetchOutcome::TlsFailed(TlsError::Expired),
        "wrong-name" => FetchOutcome::TlsFailed(TlsError::WrongName),
        "untrusted" => FetchOutcome::TlsFailed(TlsError::Untrusted),
        "revoked" => FetchOutcome::TlsFailed(TlsError::Revoked),
        "handshake" => FetchOutcome::TlsFailed(TlsError::Handshake),
        "loop" => FetchOutcome::RedirectLoop,
        "too-many-redirects" => FetchOutcome::TooManyRedirects,
        "malformed" => FetchOutcome::InvalidRedirect(InvalidRedirect::NotHttp),
        "internal" => FetchOutcome::InternalError,
        "private" => FetchOutcome::PrivateAddress([10, 0, 0, 1].into()),
        status => FetchOutcome::Response(status.parse().unwrap()),
    }
}

/// One outcome of each kind, in the notation of [`parse_outcome`].
const OUTCOMES: &str = "nxdomain no-records dns-failed resolver-timeout refused unreachable no-connection \
    reset truncated not-http huge-headers timeout dns-timeout expired wrong-name untrusted revoked \
    handshake loop too-many-redirects malformed private 100 200 204 300 301 304 305 400 401 403 404 408 410 \
    418 425 429 451 500 501 502 503 504 522 600 999";

fn is_user_agent_rejection(text: &str) -> bool {
    parse_outcome(text).status().is_some_and(|status| USER_AGENT_REJECTIONS.contains(&status))
}

fn parse_attempts(outcomes: &str, now: Timestamp) -> Vec<Attempt> {
    let at = |index: i64| now.checked_add((index * 100).milliseconds()).unwrap();
    outcomes
        .split_whitespace()
        .zip(0..)
        .map(|(text, index)| Attempt {
            requested_at: at(index),
            // Rejections of the User-Agent come from the second User-Agent.
            purpose: if is_user_agent_rejection(text) {
                FetchPurpose::AlternateUserAgent
            } else {
                FetchPurpose::Initial
            },
            outcome: parse_outcome(text),
            duration_ms: 5,
        })
        .collect()
}

/// Parses `301 https://a.test/ > 200 https://b.test/` as hops.
fn hops(text: &str) -> Vec<Hop> {
    text.split(" > ")
        .filter_map(|hop| hop.split_once(' '))
        .map(|(status, url)| Hop {
            url: url.to_owned(),
            status: status.parse().unwrap(),
            location: None,
            ip: None,
        })
        .collect()
}

fn describe(next: &Decision) -> String {
    match next {
        Decision::Compare(kind) => format!("compare: {}", kind.as_str()),
        Decision::Fetch { purpose, wait } => format!("fetch: {} {wait:?}", purpose.as_str()),
        Decision::Conclude(Judgment { verdict, code, reason, .. }) => {
            let code = code.map_or(String::new(), |code| format!(" {code}"));
            format!("{verdict}{code}: {reason}")
        }
    }
}

fn judge_outcomes(outcomes: &str, hops: &str, history: &History, now: Timestamp) -> Decision {
    judge_attempts(&Policy::default(), &parse_attempts(outcomes, now), hops, history, now)
}

/// Judges attempts to fetch a home page without controls.
fn judge_attempts(
    policy: &Policy,
    attempts: &[Attempt],
    hops: &str,
    history: &History,
    now: Timestamp,
) -> Decision {
    let outcomes = || attempts.iter().map(|attempt| attempt.outcome.clone());
    let success = outcomes().find(|outcome| outcome.status() == Some(200));
    let probe =
        probe(success.or(outcomes().next_back()).unwrap_or(FetchOutcome::Response(200)), hops);
    let input = JudgeInput {
        url: "https://a.test/",
        attempts,
        probe: &probe,
        phrase_scan: None,
        controls: &[],
        history,
        now,
    };
    judge(policy, &input)
}

fn probe(outcome: FetchOutcome, hops_text: &str) -> Probe {
    let (retry_after, digest, timings) = Default::default();
    Probe {
        requested_at: day(0),
        hops: hops(hops_text),
        outcome,
        timings,
        retry_after,
        digest,
        version: None,
    }
}

#[track_caller]
fn check(outcomes: &str, expect: &str) {
    let next = judge_outcomes(outcomes, "", &History::default(), day(0));
    assert_eq!(describe(&next), expect, "{outcomes}");
}

#[track_caller]
fn check_hops(hops: &str, expect: &str) {
    let next = judge_outcomes("200", hops, &History::default(), day(0));
    assert_eq!(describe(&next), expect, "{hops}");
}

#[test]
fn first_attempt_is_initial_fetch() {
    check("", "fetch: initial HostInterval");
}

#[test]
fn response_with_content_is_alive() {
    check("200", "alive: status 200");
    check("204", "alive: status 204");
    check("300", "alive: status 300");
    check("304", "alive: status 304");
}

#[test]
fn success_in_any_attempt_takes_precedence() {
    check("500 200", "alive: status 200 in 1 of 2 attempts");
    check("404 200", "alive: status 200 in 1 of 2 attempts");
    check("nxdomain 503 200", "alive: status 200 in 1 of 3 attempts");
}

#[test]
fn moved_requires_only_permanent_redirects() {
    check_hops("200 https://a.test/", "alive: status 200");
    check_hops(
        "301 http://a.test/ > 200 https://a.test/",
        "moved RL201: permanent redirect to https://a.test/",
    );
    check_hops(
        "308 https://a.test/x > 301 https://a.test/y > 200 https://a.test/y/",
        "moved RL201: 2 permanent redirects, ending at https://a.test/y/",
    );
    check_hops(
        "301 https://a.test/ > 301 https://b.test/ > 301 https://c.test/ > 200 https://d.test/",
        "moved RL202: 3 permanent redirects, ending at https://d.test/",
    );
    check_hops("302 https://a.test/ > 200 https://b.test/", "alive: status 200");
    check_hops(
        "301 https://a.test/ > 307 https://b.test/ > 200 https://c.test/",
        "alive: status 200",
    );
}

#[test]
fn redirect_chain_back_to_first_url_is_alive() {
    check_hops(
        "301 https://a.test/ > 301 https://a.test/c > 200 https://a.test/",
        "alive: status 200",
    );
}

#[test]
fn hard_failure_requires_confirmation() {
    check("404", "fetch: confirmation HostInterval");
    check("404 404", "dead RL101: 404 in 2 attempts, 100 ms apart");
    check("404 410", "dead RL101: 404 in 1 attempt, 410 in 1 attempt, 100 ms apart");
    check("nxdomain", "fetch: confirmation HostInterval");
    check("nxdomain nxdomain", "dead RL102: no such host in 2 attempts, 100 ms apart");
    check(
        "no-records no-records",
        "dead RL102: host has no address record in 2 attempts, 100 ms apart",
    );
    check(
        "loop too-many-redirects",
        "dead RL105: redirect loop in 1 attempt, too many redirects in 1 attempt, 100 ms apart",
    );
    check("malformed", "fetch: confirmation HostInterval");
    check(
        "malformed malformed",
        "dead RL106: redirects to a URL that is not HTTP in 2 attempts, 100 ms apart",
    );
}

#[test]
fn unconfirmed_hard_failure_is_not_dead() {
    check("404 403", "blocked RL403: status 403");
    check("404 503", "fetch: retry Backoff(1)");
    check("404 503 404", "dead RL101: 404 in 2 attempts, 200 ms apart");
    check(
        "404 503 503 503",
        "failing RL503: 404 in 1 attempt, status 503 in 3 attempts; failed in 1 run, dead after 3 in a row",
    );
    check("404 nxdomain", "fetch: confirmation HostInterval");
}

#[test]
fn transient_failure_is_retried_with_backoff() {
    check("503", "fetch: retry Backoff(1)");
    check("503 timeout", "fetch: retry Backoff(2)");
    check(
        "503 503 503",
        "failing RL503: status 503 in 3 attempts; failed in 1 run, dead after 3 in a row",
    );
    check(
        "503 reset 503",
        "failing RL503: status 503 in 2 attempts, connection reset in 1 attempt; failed in 1 run, dead after 3 in a row",
    );
    for text in
        "408 421 425 500 599 timeout dns-timeout refused reset truncated handshake dns-failed"
            .split(' ')
    {
        check(text, "fetch: retry Backoff(1)");
    }
}

#[test]
fn persistent_error_is_not_retried() {
    check("400", "failing RL510: status 400; failed in 1 run, dead after 3 in a row");
    check("405", "failing RL510: status 405; failed in 1 run, dead after 3 in a row");
    check(
        "expired",
        "failing RL520: certificate has expired or is not yet valid; failed in 1 run, dead after 3 in a row",
    );
    check("305", "failing RL518: status 305; failed in 1 run, dead after 3 in a row");
    check(
        "huge-headers",
        "failing RL546: response headers too large; failed in 1 run, dead after 3 in a row",
    );
}

#[test]
fn user_agent_rejection_is_retried_with_another_user_agent() {
    for status in USER_AGENT_REJECTIONS {
        let mut attempts = parse_attempts(&status.to_string(), day(0));
        attempts[0].purpose = FetchPurpose::Initial;
        let next = judge_attempts(&Policy::default(), &attempts, "", &History::default(), day(0));
        assert_eq!(describe(&next), "fetch: alternate-user-agent HostInterval", "{status}");
    }
}

#[test]
fn reason_lists_only_attempts_with_its_code() {
    let mut attempts = parse_attempts("403 404 404", day(0));
    attempts[0].purpose = FetchPurpose::Initial;
    attempts[1].purpose = FetchPurpose::AlternateUserAgent;
    let next = judge_attempts(&Policy::default(), &attempts, "", &History::default(), day(0));
    assert_eq!(describe(&next), "dead RL101: 404 in 2 attempts, 100 ms apart");
}

#[test]
fn access_denied_statuses_are_blocked() {
    for status in ["401", "402", "403", "407", "418", "451"] {
        check(status, &format!("blocked RL{status}: status {status}"));
    }
    check("999", "blocked RL499: status 999");
    check("private", "blocked RL490: resolves to the private address 10.0.0.1");
}

#[test]
fn throttled_page_is_blocked_after_retries() {
    check("429", "fetch: retry Backoff(1)");
    check("429 200", "alive: status 200 in 1 of 2 attempts");
    check("429 429 429", "blocked RL429: status 429 in 3 attempts");
}

fn streak(runs: u32, first: i64, last: i64) -> FailureStreak {
    FailureStreak { runs, first_at: day(first), last_at: day(last) }
}

#[track_caller]
fn conclude_outcomes(outcomes: &str, history: &History, now: Timestamp) -> Judgment {
    match judge_outcomes(outcomes, "", history, now) {
        Decision::Conclude(judgment) => judgment,
        Decision::Fetch { .. } | Decision::Compare(_) => panic!("{outcomes} is not concluded"),
    }
}

#[test]
fn page_is_dead_after_three_failed_runs_over_three_days() {
    let mut history = History::default();
    let mut results = Vec::new();
    for (today, outcomes) in
        [(0, "timeout timeout timeout"), (1, "400"), (2, "expired"), (4, "500 500 500")]
    {
        let judgment = conclude_outcomes(outcomes, &history, day(today));
        results.push(format!("day {today}: {}", describe(&Decision::Conclude(judgment.clone()))));
        history.verdict = Some(judgment.verdict);
        history.since = Some(judgment.since);
        history.streak = judgment.streak;
    }
    assert_eq!(
        results.join("\n"),
        "day 0: failing RL540: timed out (waiting for the response headers) in 3 attempts; failed in 1 run, dead after 3 in a row\n\
         day 1: failing RL510: status 400; failed in 2 runs, dead after 3 in a row\n\
         day 2: failing RL520: certificate has expired or is not yet valid; failed in 3 runs in a row, but not yet for 3 days\n\
         day 4: dead RL500: status 500 in 3 attempts; failed in 4 runs in a row over 4 days"
    );
}

#[test]
fn confirm_days_tolerates_ten_minutes() {
    let history = History { streak: Some(streak(2, 0, 1)), ..History::default() };
    for (minutes, verdict) in [(0, Verdict::Dead), (10, Verdict::Dead), (11, Verdict::Failing)] {
        let time = day(3).checked_sub(minutes.minutes()).unwrap();
        assert_eq!(conclude_outcomes("400", &history, time).verdict, verdict, "{minutes}");
    }
}

#[test]
fn success_ends_streak_and_wall_leaves_it_unchanged() {
    let history = History { streak: Some(streak(2, 0, 1)), ..History::default() };
    assert_eq!(conclude_outcomes("200", &history, day(9)).streak, None);
    assert_eq!(conclude_outcomes("403", &history, day(9)).streak, history.streak);
    assert_eq!(conclude_outcomes("404 404", &history, day(9)).streak, Some(streak(3, 0, 9)));
}

#[test]
fn since_is_kept_while_verdict_is_the_same() {
    let history =
        History { verdict: Some(Verdict::Failing), since: Some(day(-5)), ..History::default() };
    assert_eq!(conclude_outcomes("400", &history, day(0)).since, day(-5));
    assert_eq!(conclude_outcomes("200", &history, day(0)).since, day(0));
}

#[test]
fn is_network_failure_classifies_outcomes() {
    for text in ["nxdomain", "dns-failed", "refused", "dns-timeout"] {
        assert!(is_network_failure(&parse_outcome(text)), "{text}");
    }
    for text in ["404", "timeout", "expired", "reset", "private"] {
        assert!(!is_network_failure(&parse_outcome(text)), "{text}");
    }
}

#[test]
fn every_reported_code_is_in_use() {
    for text in OUTCOMES.split_whitespace() {
        if let Some(code) = classify(&parse_outcome(text)).code {
            let status = codes::lookup(code).map(|row| row.status);
            assert_eq!(status, Some(CodeStatus::InUse), "{text}: {code}");
        }
    }
}

#[test]
fn internal_error_fails_at_once_and_leaves_streak_unchanged() {
    let history = History { streak: Some(streak(9, -9, -1)), ..History::default() };
    for outcomes in ["internal", "503 internal"] {
        let judgment = conclude_outcomes(outcomes, &history, day(0));
        assert_eq!(judgment.verdict, Verdict::Failing, "{outcomes}");
        assert_eq!(judgment.code, Some(codes::INTERNAL_ERROR));
        assert_eq!(judgment.reason, "internal error while reading this page");
        assert_eq!(judgment.streak, history.streak);
    }
    assert!(!is_network_failure(&FetchOutcome::InternalError));
}

mod properties;
