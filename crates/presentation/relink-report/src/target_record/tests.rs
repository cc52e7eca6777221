//! Tests of the text and the JSON of a target record.

use relink_model::{
    Confidence, ConnectError, ControlKind, ControlSummary, Digest, Evidence, FetchOutcome,
    FetchPurpose, Timings,
};

use super::*;
use crate::row::tests::{attempt, hop, location, timestamp};

/// Creates a probe from a short notation: URL and status of each hop, separated
/// by ` -> `, and the title of the final page.
fn probe(requested_at: &str, hops: &str, title: Option<&str>) -> Probe {
    let hops: Vec<(&str, u16)> = hops
        .split(" -> ")
        .map(|hop| hop.split_once(' ').unwrap())
        .map(|(url, status)| (url, status.parse().unwrap()))
        .collect();
    let location = |index: usize| hops.get(index + 1).map(|(url, _)| *url);
    let digest = title.map(|title| Digest {
        content_type: Some("text/html".to_owned()),
        bytes: 11_234,
        title: Some(title.to_owned()),
        ..Digest::default()
    });
    Probe {
        requested_at: timestamp(requested_at),
        hops: (0..)
            .zip(&hops)
            .map(|(index, (url, status))| hop(url, *status, location(index)))
            .collect(),
        outcome: FetchOutcome::Response(hops.last().unwrap().1),
        timings: Timings { total: 340, ..Timings::default() },
        retry_after: None,
        version: None,
        digest: digest.map(Box::new),
    }
}

/// Creates a probe without a response.
fn failed_probe(requested_at: &str, outcome: FetchOutcome) -> Probe {
    Probe { hops: Vec::new(), outcome, ..probe(requested_at, "https://a.test/ 200", None) }
}

fn control(kind: ControlKind, url: &str, probe: Option<Probe>) -> Control {
    Control { kind, url: url.to_owned(), probe: probe.map(std::sync::Arc::new) }
}

/// Creates a comparison with a control, or a sign on the page if `control` is `None`.
fn evidence(note: &str, control: Option<(ControlKind, &str, u16)>, share: Option<f64>) -> Evidence {
    let control = control.map(|(kind, url, status)| ControlSummary {
        kind,
        url: url.to_owned(),
        status: Some(status),
    });
    Evidence { note: note.to_owned(), control, resemblance: share }
}

/// Returns one verdict per day, given by its symbol in the report: ✓ is alive, ✗ dead.
fn verdicts(symbols: &str) -> Vec<(Timestamp, Verdict)> {
    let from_symbol =
        |symbol| Verdict::ALL.into_iter().find(|verdict| verdict.symbol() == symbol).unwrap();
    let first = timestamp("2026-10-01T09:00:00Z");
    let at = |day: i64| first + jiff::SignedDuration::from_hours(24 * day);
    (0..).zip(symbols.chars()).map(|(day, symbol)| (at(day), from_symbol(symbol))).collect()
}

/// Creates the result of a check without hops, attempts and evidence.
fn checked_target(verdict: Verdict, code: Option<u16>, reason: &str) -> TargetView<'_> {
    TargetView {
        inlinks: 1,
        depth: None,
        url: "https://shop.example.net/item/8812",
        verdict,
        code: code.map(FindingCode::new),
        status: Some(200),
        reason,
        confidence: Confidence::from_percent(98),
        verdict_since: timestamp("2026-10-29T08:00:00Z"),
        checked_at: timestamp("2026-11-10T09:00:00Z"),
        is_cached: false,
        hops: &[],
        attempts: &[],
        evidence: &[],
        locations: &[],
    }
}

/// Creates a record without probes and history.
fn record(latest: Option<TargetView<'_>>) -> TargetRecordView<'_> {
    TargetRecordView {
        url: "https://shop.example.net/item/8812",
        latest,
        streak: None,
        probes: &[],
        controls: &[],
        past_verdicts: &[],
        changes: &[],
        first_seen: &[],
        revival: None,
    }
}

/// Calls `then` with the record of a soft-404 page.
pub(crate) fn with_soft_404<T>(then: impl FnOnce(&TargetRecordView) -> T) -> T {
    const RANDOM: &str = "https://shop.example.net/item/kq3vz0x1";
    let page = "https://shop.example.net/item/8812 302 -> https://shop.example.net/sorry 200";
    let probes = [
        probe(
            "2026-11-10T09:00:00Z",
            page,
            Some("Sorry, we could not find what you were looking for"),
        ),
        probe("2026-11-10T09:00:01Z", page, Some("Sorry")),
    ];
    let attempts = [
        attempt("2026-11-10T09:00:00Z", FetchPurpose::Initial, FetchOutcome::Response(200)),
        attempt("2026-11-10T09:00:01Z", FetchPurpose::Confirmation, FetchOutcome::Response(200)),
    ];
    let random = probe("2026-11-10T09:00:02Z", &format!("{RANDOM} 200"), Some("Sorry"));
    let controls = [
        control(ControlKind::RandomName, RANDOM, Some(random)),
        control(ControlKind::RandomQueryValue, "", None),
        control(ControlKind::HomePage, "https://ann:secret@shop.example.net/", None),
    ];
    let evidence = [
        evidence(
            "same response as a random name (threshold 0.90)",
            Some((ControlKind::RandomName, RANDOM, 200)),
            Some(0.999),
        ),
        evidence(
            "another page",
            Some((ControlKind::Neighbor, "https://cdn.example.net/9", 200)),
            None,
        ),
        evidence("the title says that nothing was found", None, None),
        evidence("no common text with the page of 2026-03-01", None, Some(0.04)),
    ];
    let locations = [LocationView { path: "docs/links.md", location: location(7, 1, 0..9) }];
    let verdicts = verdicts("✓✓✓✓✓☁☁☁");
    let latest = TargetView {
        attempts: &attempts,
        evidence: &evidence,
        locations: &locations,
        ..checked_target(
            Verdict::Soft404,
            Some(301),
            "status 200, but equals the response to a random name",
        )
    };
    let view = TargetRecordView {
        probes: &probes,
        controls: &controls,
        past_verdicts: &verdicts,
        ..record(Some(latest))
    };
    then(&view)
}

#[test]
fn soft_404_record_lists_every_request_and_comparison() {
    insta::assert_snapshot!(with_soft_404(|view| target_record(TextStyle::Plain, view)));
}

#[test]
fn failing_record_states_the_missing_runs() {
    let refused = FetchOutcome::ConnectFailed(ConnectError::Refused);
    let redirect = "https://shop.example.net/item/8812 302 -> https://old.example.net/8812 200";
    let mut redirected = probe("2026-11-10T09:00:05Z", redirect, None);
    redirected.hops.pop();
    redirected.outcome = refused.clone();
    let probes = [failed_probe("2026-11-10T09:00:00Z", refused.clone()), redirected];
    let attempts = [attempt("2026-11-10T09:00:05Z", FetchPurpose::Retry, refused)];
    let first = timestamp("2026-11-09T09:00:00Z");
    let reason = "connection refused in 2 attempts; failed in 2 runs, dead after 3 in a row";
    let latest =
        TargetView { attempts: &attempts, ..checked_target(Verdict::Failing, Some(541), reason) };
    let verdicts = verdicts("✓✓◌◌");
    let view = TargetRecordView {
        streak: Some(FailureStreak {
            runs: 2,
            first_at: first,
            last_at: timestamp("2026-11-10T09:00:00Z"),
        }),
        probes: &probes,
        past_verdicts: &verdicts,
        ..record(Some(latest))
    };
    insta::assert_snapshot!(target_record(TextStyle::Plain, &view));
}

#[test]
fn record_without_probes_lists_the_attempts() {
    let attempts = [
        attempt("2026-11-10T09:00:00Z", FetchPurpose::Initial, FetchOutcome::Response(403)),
        attempt(
            "2026-11-10T09:00:01Z",
            FetchPurpose::AlternateUserAgent,
            FetchOutcome::Response(403),
        ),
    ];
    let latest = TargetView {
        attempts: &attempts,
        ..checked_target(Verdict::Blocked, Some(403), "status 403 in 2 attempts")
    };
    insta::assert_snapshot!(target_record(TextStyle::Plain, &record(Some(latest))));
}

/// Checks the text of a record.
#[track_caller]
fn check_text(view: &TargetRecordView, expect: &str) {
    assert_eq!(target_record(TextStyle::Plain, view), expect);
}

#[test]
fn unknown_values_are_omitted() {
    check_text(&record(None), "not checked yet\n https://shop.example.net/item/8812\n");
    check_text(
        &record(Some(checked_target(Verdict::Alive, None, ""))),
        "verdict alive, confidence 0.98, since 2026-10-29\n \
         https://shop.example.net/item/8812, last checked 2026-11-10 09:00 UTC\n",
    );
}

/// Checks the line of past verdicts; for symbols see [`verdicts`].
#[track_caller]
fn check_history(symbols: &str, expect: &str) {
    assert_eq!(history_line(TextStyle::Plain, &verdicts(symbols)), expect);
}

#[test]
fn history_shows_the_latest_verdicts() {
    check_history("", "");
    check_history("✓", "history ✓   1 run since 2026-10-01\n");
    check_history("✓→✗⛔", "history ✓→✗⛔   4 runs since 2026-10-01\n");
    let shown = "✗".repeat(MAX_VERDICTS);
    check_history(
        &format!("✓✓{shown}"),
        &format!("history …{shown}   the last 40 of 42 runs since 2026-10-01\n"),
    );
}

#[test]
fn every_failure_has_a_permanence() {
    for verdict in Verdict::ALL {
        let text = target_record(
            TextStyle::Plain,
            &record(Some(checked_target(verdict, None, "a reason"))),
        );
        let label = |line: &str| line.split_once(": ").map(|(label, _)| label.to_owned());
        let labels: Vec<String> =
            text.lines().filter_map(label).filter(|label| label != "why").collect();
        let expect = match verdict {
            Verdict::Dead | Verdict::Soft404 | Verdict::Hijacked => vec!["permanent"],
            Verdict::Failing => vec!["transient"],
            Verdict::Blocked => vec!["unknown"],
            _ => vec![],
        };
        assert_eq!(labels, expect, "{verdict}");
    }
}

#[test]
fn ansi_style_adds_only_escape_sequences() {
    let ansi = with_soft_404(|view| target_record(TextStyle::Ansi, view));
    let mut pieces = ansi.split('\u{1b}');
    let mut plain = pieces.next().unwrap().to_owned();
    for piece in pieces {
        // An escape sequence ends at the letter `m`.
        plain += piece.split_once('m').unwrap().1;
    }
    assert_eq!(plain, with_soft_404(|view| target_record(TextStyle::Plain, view)));
}

/// Untrusted text with escape sequences and a password.
const HOSTILE: &str = "https://ann:secret@a.test/\u{1b}[2J\r\u{202e}\u{9b}";

/// Calls `then` with a record in which every text is [`HOSTILE`].
fn with_hostile_texts<T>(then: impl FnOnce(&TargetRecordView) -> T) -> T {
    let mut probe = probe("2026-11-10T09:00:00Z", "https://a.test/ 200", Some(HOSTILE));
    probe.hops = vec![hop(HOSTILE, 302, Some(HOSTILE)), hop(HOSTILE, 200, None)];
    probe.digest.as_mut().unwrap().content_type = Some(HOSTILE.to_owned());
    let controls = [
        control(ControlKind::RandomName, HOSTILE, Some(probe.clone())),
        control(ControlKind::HomePage, HOSTILE, None),
    ];
    let evidence = [
        evidence(HOSTILE, Some((ControlKind::Refetch, HOSTILE, 200)), Some(0.5)),
        evidence(HOSTILE, None, None),
    ];
    let locations = [LocationView { path: HOSTILE, location: location(7, 1, 0..9) }];
    let latest = TargetView {
        url: HOSTILE,
        evidence: &evidence,
        locations: &locations,
        ..checked_target(Verdict::Soft404, Some(301), HOSTILE)
    };
    let probes = [probe];
    let view = TargetRecordView {
        url: HOSTILE,
        probes: &probes,
        controls: &controls,
        ..record(Some(latest))
    };
    then(&view)
}

#[test]
fn untrusted_text_cannot_control_the_terminal() {
    let text = with_hostile_texts(|view| target_record(TextStyle::Plain, view));
    let is_harmful = |char: &char| (char.is_control() && *char != '\n') || *char == '\u{202e}';
    assert_eq!(text.chars().find(is_harmful), None, "{text:?}");
}

/// Returns the JSON line of a record.
fn json(view: &TargetRecordView) -> String {
    let mut out = Vec::new();
    TargetRecordRow::new(view).write_line(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn record_contains_no_password() {
    let texts = [
        with_hostile_texts(|view| target_record(TextStyle::Plain, view)),
        with_soft_404(|view| target_record(TextStyle::Plain, view)),
        with_hostile_texts(json),
        with_soft_404(json),
    ];
    for text in texts {
        assert!(!text.contains("secret"), "{text}");
    }
}

#[test]
fn json_row_is_one_line_with_all_fields() {
    let line = with_soft_404(json);
    assert_eq!(line.matches('\n').count(), 1);
    insta::assert_snapshot!(line.replace(",\"", ",\n\""));
}

#[test]
fn json_row_is_equal_after_deserialization() {
    with_soft_404(|view| {
        let line = json(view);
        let row: TargetRecordRow = serde_json::from_str(&line).unwrap();
        assert_eq!(row, TargetRecordRow::new(view));
    });
}

#[test]
fn unknown_values_are_null() {
    let line = json(&record(None));
    assert!(line.contains(r#""latest":null,"permanence":null,"streak":null"#), "{line}");
}

#[test]
fn record_includes_the_search_result() {
    let evidence = ["3 of 3 known pages of example.org/old/ moved in this way".to_owned()];
    let revival = crate::suggestion::tests::found(&evidence);
    let latest = checked_target(Verdict::Dead, Some(101), "404 in 2 attempts");
    let view = TargetRecordView { revival: Some(revival), ..record(Some(latest)) };
    let text = target_record(TextStyle::Plain, &view);
    for part in [
        "\nsearched for on 1970-01-01\n  alias     https://***@example.org/b   0.97   pattern P14\n",
        "            3 of 3 known pages of example.org/old/ moved in this way\n",
        "  archive   1970-01-01 good copy https://archive.test/1\n",
    ] {
        assert!(text.contains(part), "`{part}` in:\n{text}");
    }
    let row = serde_json::to_value(TargetRecordRow::new(&view)).unwrap();
    assert_eq!(row["revival"]["suggestion"]["pattern"], "P14");
    assert_eq!(row["revival"]["evidence"][0], evidence[0]);
}

#[test]
fn changes_of_the_verdict_are_listed() {
    let change = |time, before, after| VerdictChangeView {
        at: timestamp(time),
        before,
        after,
        code: (after == Verdict::Dead).then(|| FindingCode::new(101)),
    };
    let changes = [
        change("2026-10-29T08:00:00Z", Verdict::Alive, Verdict::Dead),
        change("2026-11-02T08:00:00Z", Verdict::Dead, Verdict::Alive),
    ];
    let seen = [FirstSeenView {
        document: "docs/links.md",
        at: timestamp("2026-03-01T08:00:00Z"),
        revision: Some("1a2b3c4d"),
    }];
    let view = TargetRecordView {
        changes: &changes,
        first_seen: &seen,
        ..record(Some(checked_target(Verdict::Alive, None, "")))
    };
    let text = target_record(TextStyle::Plain, &view);
    let expect = "changes alive → dead (RL101) on 2026-10-29\n        dead → alive on 2026-11-02\n";
    assert!(text.ends_with(expect), "{text}");
    let json = serde_json::to_value(TargetRecordRow::new(&view)).unwrap();
    assert_eq!(json["changes"][1]["after"], "alive");
    assert_eq!(json["first_seen"][0]["revision"], "1a2b3c4d");
}
