//! Claims about the judge, in a tiny notation: endings separated by spaces,
//! one per look, 100 ms apart.

use jiff::ToSpan;
use relink_model::{ConnectError, DnsError, InvalidRedirect, Phase, ProtocolError, TlsError};

use super::*;
use crate::codes::CodeStatus;

const DAY_HOURS: i64 = 24;

fn day(day: i64) -> Timestamp {
    let start: Timestamp = "2026-11-01T12:00:00Z".parse().unwrap();
    start.checked_add((day * DAY_HOURS).hours()).unwrap()
}

fn ending(text: &str) -> FetchOutcome {
    match text {
        "nxdomain" => FetchOutcome::DnsFailed(DnsError::NoSuchName),
        "no-records" => FetchOutcome::DnsFailed(DnsError::NoRecords),
        "dns-failed" => FetchOutcome::DnsFailed(DnsError::ServerFailure),
        "dns-slow" => FetchOutcome::DnsFailed(DnsError::TimedOut),
        "refused" => FetchOutcome::ConnectFailed(ConnectError::Refused),
        "unreachable" => FetchOutcome::ConnectFailed(ConnectError::Unreachable),
        "no-connection" => FetchOutcome::ConnectFailed(ConnectError::Other),
        "reset" => FetchOutcome::ProtocolError(ProtocolError::Reset),
        "truncated" => FetchOutcome::ProtocolError(ProtocolError::Truncated),
        "not-http" => FetchOutcome::ProtocolError(ProtocolError::NotHttp),
        "huge-head" => FetchOutcome::ProtocolError(ProtocolError::HeadersTooLarge),
        "slow" => FetchOutcome::TimedOut(Phase::Headers),
        "slow-dns" => FetchOutcome::TimedOut(Phase::Dns),
        "expired" => FetchOutcome::Tls(TlsError::Expired),
        "wrong-name" => FetchOutcome::Tls(TlsError::WrongName),
        "untrusted" => FetchOutcome::Tls(TlsError::Untrusted),
        "revoked" => FetchOutcome::Tls(TlsError::Revoked),
        "handshake" => FetchOutcome::Tls(TlsError::Handshake),
        "loop" => FetchOutcome::RedirectLoop,
        "endless" => FetchOutcome::TooManyRedirects,
        "malformed" => FetchOutcome::InvalidRedirect(InvalidRedirect::NotWeb),
        "internal" => FetchOutcome::InternalError,
        "private" => FetchOutcome::PrivateAddress([10, 0, 0, 1].into()),
        status => FetchOutcome::Response(status.parse().unwrap()),
    }
}

const ENDINGS: &str = "nxdomain no-records dns-failed dns-slow refused unreachable no-connection \
    reset truncated not-http huge-head slow slow-dns expired wrong-name untrusted revoked \
    handshake loop endless malformed private 100 200 204 300 301 304 305 400 401 403 404 408 410 \
    418 425 429 451 500 501 502 503 504 522 600 999";

fn is_disliked(text: &str) -> bool {
    ending(text).status().is_some_and(|status| USER_AGENT_REJECTIONS.contains(&status))
}

fn looks(endings: &str, now: Timestamp) -> Vec<Attempt> {
    let at = |index: i64| now.checked_add((index * 100).milliseconds()).unwrap();
    endings
        .split_whitespace()
        .zip(0..)
        .map(|(text, index)| Attempt {
            requested_at: at(index),
            // What a server may dislike has been asked by the other name, too.
            purpose: if is_disliked(text) {
                FetchPurpose::AlternateUserAgent
            } else {
                FetchPurpose::Initial
            },
            outcome: ending(text),
            duration_ms: 5,
        })
        .collect()
}

/// `301 https://a.test/ > 200 https://b.test/` as hops.
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

fn told(next: &Decision) -> String {
    match next {
        Decision::Compare(kind) => format!("compare: {}", kind.as_str()),
        Decision::Fetch { purpose, wait } => format!("ask: {} {wait:?}", purpose.as_str()),
        Decision::Settle(Judgment { verdict: word, code, reason, .. }) => {
            let code = code.map_or(String::new(), |code| format!(" {code}"));
            format!("{word}{code}: {reason}")
        }
    }
}

fn judged(endings: &str, way: &str, history: &History, now: Timestamp) -> Decision {
    judged_by(&Policy::default(), &looks(endings, now), way, history, now)
}

/// Judges looks at a front page whose site refuses strays.
fn judged_by(
    policy: &Policy,
    looks: &[Attempt],
    way: &str,
    history: &History,
    now: Timestamp,
) -> Decision {
    let endings = || looks.iter().map(|look| look.outcome.clone());
    let reached = endings().find(|ending| ending.status() == Some(200));
    let probe =
        probe(reached.or(endings().next_back()).unwrap_or(FetchOutcome::Response(200)), way);
    let case = JudgeInput {
        url: "https://a.test/",
        attempts: looks,
        probe: &probe,
        phrase_scan: None,
        controls: &[],
        soft404_profile: Soft404Profile::default(),
        history,
        now,
    };
    judge(policy, &case)
}

fn probe(ending: FetchOutcome, way: &str) -> Probe {
    let (retry_after, digest, timings) = Default::default();
    Probe { requested_at: day(0), hops: hops(way), outcome: ending, timings, retry_after, digest }
}

#[track_caller]
fn check(endings: &str, expect: &str) {
    let next = judged(endings, "", &History::default(), day(0));
    assert_eq!(told(&next), expect, "{endings}");
}

#[track_caller]
fn check_way(way: &str, expect: &str) {
    let next = judged("200", way, &History::default(), day(0));
    assert_eq!(told(&next), expect, "{way}");
}

#[test]
fn nothing_seen_yet_means_a_first_look() {
    check("", "ask: first HostInterval");
}

#[test]
fn content_is_alive() {
    check("200", "alive: answered 200");
    check("204", "alive: answered 204");
    check("300", "alive: answered 300");
    check("304", "alive: answered 304");
}

#[test]
fn a_success_in_any_look_outweighs_the_rest() {
    check("500 200", "alive: answered 200 on 1 of 2 looks");
    check("404 200", "alive: answered 200 on 1 of 2 looks");
    check("nxdomain 503 200", "alive: answered 200 on 1 of 3 looks");
}

#[test]
fn only_permanent_redirects_all_the_way_mean_moved() {
    check_way("200 https://a.test/", "alive: answered 200");
    check_way(
        "301 http://a.test/ > 200 https://a.test/",
        "moved RL201: permanent redirect to https://a.test/",
    );
    check_way(
        "308 https://a.test/x > 301 https://a.test/y > 200 https://a.test/y/",
        "moved RL201: 2 permanent redirects, ending at https://a.test/y/",
    );
    check_way(
        "301 https://a.test/ > 301 https://b.test/ > 301 https://c.test/ > 200 https://d.test/",
        "moved RL202: 3 permanent redirects, ending at https://d.test/",
    );
    check_way("302 https://a.test/ > 200 https://b.test/", "alive: answered 200");
    check_way(
        "301 https://a.test/ > 307 https://b.test/ > 200 https://c.test/",
        "alive: answered 200",
    );
}

#[test]
fn a_chain_that_ends_where_it_began_has_moved_nowhere() {
    check_way(
        "301 https://a.test/ > 301 https://a.test/c > 200 https://a.test/",
        "alive: answered 200",
    );
}

#[test]
fn hard_evidence_is_looked_at_twice() {
    check("404", "ask: second-look HostInterval");
    check("404 404", "dead RL101: 404 on 2 looks, 100 ms apart");
    check("404 410", "dead RL101: 404 on 1 look, 410 on 1 look, 100 ms apart");
    check("nxdomain", "ask: second-look HostInterval");
    check("nxdomain nxdomain", "dead RL102: no such host on 2 looks, 100 ms apart");
    check(
        "no-records no-records",
        "dead RL102: the host name has no address on 2 looks, 100 ms apart",
    );
    check(
        "loop endless",
        "dead RL105: redirects lead in a circle on 1 look, too many redirects on 1 look, 100 ms apart",
    );
    check("malformed", "ask: second-look HostInterval");
    check(
        "malformed malformed",
        "dead RL106: redirects to something that is no web address on 2 looks, 100 ms apart",
    );
}

#[test]
fn hard_evidence_that_a_second_look_does_not_bear_out_kills_nothing() {
    check("404 403", "blocked RL403: answered 403");
    check("404 503", "ask: retry Backoff(1)");
    check("404 503 404", "dead RL101: 404 on 2 looks, 200 ms apart");
    check(
        "404 503 503 503",
        "failing RL503: 404 on 1 look, answered 503 on 3 looks; failing 1 of 3 runs",
    );
    check("404 nxdomain", "ask: second-look HostInterval");
}

#[test]
fn a_passing_trouble_is_retried_with_growing_delay() {
    check("503", "ask: retry Backoff(1)");
    check("503 slow", "ask: retry Backoff(2)");
    check("503 503 503", "failing RL503: answered 503 on 3 looks; failing 1 of 3 runs");
    check(
        "503 reset 503",
        "failing RL503: answered 503 on 2 looks, connection reset on 1 look; failing 1 of 3 runs",
    );
    for text in
        "408 421 425 500 599 slow slow-dns refused reset truncated handshake dns-failed".split(' ')
    {
        check(text, "ask: retry Backoff(1)");
    }
}

#[test]
fn what_will_not_change_in_seconds_is_not_retried() {
    check("400", "failing RL510: answered 400; failing 1 of 3 runs");
    check("405", "failing RL510: answered 405; failing 1 of 3 runs");
    check(
        "expired",
        "failing RL520: the certificate has expired or is not yet valid; failing 1 of 3 runs",
    );
    check("305", "failing RL518: answered 305; failing 1 of 3 runs");
    check("huge-head", "failing RL546: the answer's head is too large; failing 1 of 3 runs");
}

#[test]
fn a_server_that_may_dislike_our_name_is_asked_by_another() {
    for status in USER_AGENT_REJECTIONS {
        let mut looks = looks(&status.to_string(), day(0));
        looks[0].purpose = FetchPurpose::Initial;
        let next = judged_by(&Policy::default(), &looks, "", &History::default(), day(0));
        assert_eq!(told(&next), "ask: other-agent HostInterval", "{status}");
    }
}

#[test]
fn a_reason_tells_only_of_the_looks_it_rests_on() {
    let mut looks = looks("403 404 404", day(0));
    looks[0].purpose = FetchPurpose::Initial;
    looks[1].purpose = FetchPurpose::AlternateUserAgent;
    let next = judged_by(&Policy::default(), &looks, "", &History::default(), day(0));
    assert_eq!(told(&next), "dead RL101: 404 on 2 looks, 100 ms apart");
}

#[test]
fn walls_are_blocked_and_not_dead() {
    for status in ["401", "402", "403", "407", "418", "451"] {
        check(status, &format!("blocked RL{status}: answered {status}"));
    }
    check("999", "blocked RL499: answered 999");
    check("private", "blocked RL490: leads to the private address 10.0.0.1");
}

#[test]
fn a_throttled_page_is_asked_again_before_it_counts_as_blocked() {
    check("429", "ask: retry Backoff(1)");
    check("429 200", "alive: answered 200 on 1 of 2 looks");
    check("429 429 429", "blocked RL429: answered 429 on 3 looks");
}

fn streak(runs: u32, first: i64, last: i64) -> FailureStreak {
    FailureStreak { runs, first: day(first), last: day(last) }
}

#[track_caller]
fn settled(endings: &str, history: &History, now: Timestamp) -> Judgment {
    match judged(endings, "", history, now) {
        Decision::Settle(judgment) => judgment,
        Decision::Fetch { .. } | Decision::Compare(_) => panic!("{endings} is not settled"),
    }
}

#[test]
fn three_failed_runs_over_three_days_make_a_page_dead() {
    let mut history = History::default();
    let mut story = Vec::new();
    for (today, endings) in [(0, "slow slow slow"), (1, "400"), (2, "expired"), (4, "500 500 500")]
    {
        let judgment = settled(endings, &history, day(today));
        story.push(format!("day {today}: {}", told(&Decision::Settle(judgment.clone()))));
        history.verdict = Some(judgment.verdict);
        history.since = Some(judgment.since);
        history.streak = judgment.streak;
    }
    assert_eq!(
        story.join("\n"),
        "day 0: failing RL540: no answer in time (waiting for the answer) on 3 looks; failing 1 of 3 runs\n\
         day 1: failing RL510: answered 400; failing 2 of 3 runs\n\
         day 2: failing RL520: the certificate has expired or is not yet valid; failing 3 runs in a row, but not yet for 3 days\n\
         day 4: dead RL500: answered 500 on 3 looks; failed 4 runs in a row over 4 days"
    );
}

#[test]
fn days_are_counted_with_some_patience_for_the_clock() {
    let history = History { streak: Some(streak(2, 0, 1)), ..History::default() };
    for (minutes, word) in [(0, Verdict::Dead), (10, Verdict::Dead), (11, Verdict::Failing)] {
        let moment = day(3).checked_sub(minutes.minutes()).unwrap();
        assert_eq!(settled("400", &history, moment).verdict, word, "{minutes}");
    }
}

#[test]
fn a_success_ends_a_streak_and_a_wall_does_not_touch_it() {
    let history = History { streak: Some(streak(2, 0, 1)), ..History::default() };
    assert_eq!(settled("200", &history, day(9)).streak, None);
    assert_eq!(settled("403", &history, day(9)).streak, history.streak);
    assert_eq!(settled("404 404", &history, day(9)).streak, Some(streak(3, 0, 9)));
}

#[test]
fn since_holds_while_the_word_does() {
    let history =
        History { verdict: Some(Verdict::Failing), since: Some(day(-5)), ..History::default() };
    assert_eq!(settled("400", &history, day(0)).since, day(-5));
    assert_eq!(settled("200", &history, day(0)).since, day(0));
}

#[test]
fn endings_that_our_own_network_may_have_caused_are_known() {
    for text in ["nxdomain", "dns-failed", "refused", "slow-dns"] {
        assert!(is_network_failure(&ending(text)), "{text}");
    }
    for text in ["404", "slow", "expired", "reset", "private"] {
        assert!(!is_network_failure(&ending(text)), "{text}");
    }
}

#[test]
fn every_code_the_judge_gives_is_listed_as_in_use() {
    for text in ENDINGS.split_whitespace() {
        if let Some(code) = read(&ending(text)).code {
            let standing = codes::meaning(code).map(|row| row.status);
            assert_eq!(standing, Some(CodeStatus::InUse), "{text}: {code}");
        }
    }
}

#[test]
fn judge_internal_error_fails_at_once_and_counts_towards_nothing() {
    let history = History { streak: Some(streak(9, -9, -1)), ..History::default() };
    for endings in ["internal", "503 internal"] {
        let judgment = settled(endings, &history, day(0));
        assert_eq!(judgment.verdict, Verdict::Failing, "{endings}");
        assert_eq!(judgment.code, Some(codes::INTERNAL_ERROR));
        assert_eq!(judgment.reason, "internal error while reading this page");
        assert_eq!(judgment.streak, history.streak);
    }
    assert!(!is_network_failure(&FetchOutcome::InternalError));
}

mod properties;
