//! What is remembered of an address, as people and programs see it.

use relink_model::{
    Attempt, Confidence, ConnectError, ControlKind, ControlSummary, Digest, Evidence, FetchOutcome,
    FetchPurpose, LinkKind, SourceLocation, Timings,
};

use super::*;
use crate::row::tests::{hop, look, moment};

/// One probe in a tiny notation: addresses and statuses of its hops, parted by
/// ` -> `, and the title of the page at its end.
fn probe(asked: &str, hops: &str, title: Option<&str>) -> Probe {
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
        requested_at: moment(asked),
        hops: (0..)
            .zip(&hops)
            .map(|(index, (url, status))| hop(url, *status, location(index)))
            .collect(),
        outcome: FetchOutcome::Response(hops.last().unwrap().1),
        timings: Timings { total: 340, ..Timings::default() },
        retry_after: None,
        digest: digest.map(Box::new),
    }
}

fn failed(asked: &str, ending: FetchOutcome) -> Probe {
    Probe { hops: Vec::new(), outcome: ending, ..probe(asked, "https://a.test/ 200", None) }
}

fn control(kind: ControlKind, url: &str, probe: Option<Probe>) -> Control {
    Control { kind, url: url.to_owned(), probe: probe.map(std::sync::Arc::new) }
}

fn ground(note: &str, seen: Option<(ControlKind, &str, u16)>, share: Option<f64>) -> Evidence {
    let control = seen.map(|(kind, url, status)| ControlSummary {
        kind,
        url: url.to_owned(),
        status: Some(status),
    });
    Evidence { note: note.to_owned(), control, resemblance: share }
}

fn words(signs: &str) -> Vec<(Timestamp, Verdict)> {
    let of_sign = |sign| Verdict::ALL.into_iter().find(|word| word.symbol() == sign).unwrap();
    let first = moment("2026-10-01T09:00:00Z");
    let at = |day: i64| first + jiff::SignedDuration::from_hours(24 * day);
    (0..).zip(signs.chars()).map(|(day, sign)| (at(day), of_sign(sign))).collect()
}

fn settled(word: Verdict, code: Option<u16>, reason: &str) -> TargetView<'_> {
    TargetView {
        inlinks: 1,
        depth: None,
        url: "https://shop.example.net/item/8812",
        verdict: word,
        code: code.map(FindingCode::new),
        status: Some(200),
        reason,
        confidence: Confidence::percent(98),
        since: moment("2026-10-29T08:00:00Z"),
        checked: moment("2026-11-10T09:00:00Z"),
        is_cached: false,
        hops: &[],
        attempts: &[],
        evidence: &[],
        locations: &[],
    }
}

fn remembered(latest: Option<TargetView<'_>>) -> TargetRecordView<'_> {
    TargetRecordView {
        url: "https://shop.example.net/item/8812",
        latest,
        streak: None,
        probes: &[],
        controls: &[],
        past_verdicts: &[],
        revival: None,
    }
}

/// Hands `then` what is remembered of a page that lies.
pub(crate) fn with_soft_404<T>(then: impl FnOnce(&TargetRecordView) -> T) -> T {
    const STRAY: &str = "https://shop.example.net/item/kq3vz0x1";
    let page = "https://shop.example.net/item/8812 302 -> https://shop.example.net/sorry 200";
    let probes = [
        probe(
            "2026-11-10T09:00:00Z",
            page,
            Some("Sorry, we could not find what you were looking for"),
        ),
        probe("2026-11-10T09:00:01Z", page, Some("Sorry")),
    ];
    let looks = [
        look("2026-11-10T09:00:00Z", FetchPurpose::Initial, FetchOutcome::Response(200)),
        look("2026-11-10T09:00:01Z", FetchPurpose::Confirmation, FetchOutcome::Response(200)),
    ];
    let stray = probe("2026-11-10T09:00:02Z", &format!("{STRAY} 200"), Some("Sorry"));
    let controls = [
        control(ControlKind::RandomName, STRAY, Some(stray)),
        control(ControlKind::RandomQueryValue, "", None),
        control(ControlKind::HomePage, "https://ann:secret@shop.example.net/", None),
    ];
    let grounds = [
        ground(
            "the site answers so for anything here (0.90 is enough)",
            Some((ControlKind::RandomName, STRAY, 200)),
            Some(0.999),
        ),
        ground(
            "another page",
            Some((ControlKind::Neighbor, "https://cdn.example.net/9", 200)),
            None,
        ),
        ground("the title says that nothing was found", None, None),
        ground("nothing like the page of 2026-03-01", None, Some(0.04)),
    ];
    let place =
        SourceLocation { span: (0..9).into(), line: 7, column: 1, kind: LinkKind::Hyperlink };
    let places = [LocationView { path: "docs/links.md", location: place }];
    let words = words("✓✓✓✓✓☁☁☁");
    let latest = TargetView {
        inlinks: 1,
        depth: None,
        attempts: &looks,
        evidence: &grounds,
        locations: &places,
        ..settled(
            Verdict::Soft404,
            Some(301),
            "answers 200, but with the page that any address gets",
        )
    };
    let view = TargetRecordView {
        probes: &probes,
        controls: &controls,
        past_verdicts: &words,
        ..remembered(Some(latest))
    };
    then(&view)
}

#[test]
fn a_lying_page_is_explained_with_every_request_and_comparison() {
    insta::assert_snapshot!(with_soft_404(|view| dossier(TextStyle::Plain, view)));
}

#[test]
fn a_failing_page_is_explained_with_what_is_still_missing() {
    let refused = FetchOutcome::ConnectFailed(ConnectError::Refused);
    let redirect = "https://shop.example.net/item/8812 302 -> https://old.example.net/8812 200";
    let mut redirected = probe("2026-11-10T09:00:05Z", redirect, None);
    redirected.hops.pop();
    redirected.outcome = refused.clone();
    let probes = [failed("2026-11-10T09:00:00Z", refused.clone()), redirected];
    let looks = [look("2026-11-10T09:00:05Z", FetchPurpose::Retry, refused)];
    let first = moment("2026-11-09T09:00:00Z");
    let reason = "connection refused on 2 looks; failing 2 of 3 runs";
    let latest = TargetView { attempts: &looks, ..settled(Verdict::Failing, Some(541), reason) };
    let words = words("✓✓◌◌");
    let view = TargetRecordView {
        streak: Some(FailureStreak { runs: 2, first, last: moment("2026-11-10T09:00:00Z") }),
        probes: &probes,
        past_verdicts: &words,
        ..remembered(Some(latest))
    };
    insta::assert_snapshot!(dossier(TextStyle::Plain, &view));
}

#[test]
fn where_probes_are_forgotten_the_looks_still_tell() {
    let looks: [Attempt; 2] = [
        look("2026-11-10T09:00:00Z", FetchPurpose::Initial, FetchOutcome::Response(403)),
        look("2026-11-10T09:00:01Z", FetchPurpose::AlternateUserAgent, FetchOutcome::Response(403)),
    ];
    let latest = TargetView {
        inlinks: 1,
        depth: None,
        attempts: &looks,
        ..settled(Verdict::Blocked, Some(403), "answered 403 on 2 looks")
    };
    insta::assert_snapshot!(dossier(TextStyle::Plain, &remembered(Some(latest))));
}

#[track_caller]
fn check(view: &TargetRecordView, expect: &str) {
    assert_eq!(dossier(TextStyle::Plain, view), expect);
}

#[test]
fn what_is_not_known_is_left_out() {
    check(
        &remembered(None),
        "verdict none yet: no run has settled it\n https://shop.example.net/item/8812\n",
    );
    check(
        &remembered(Some(settled(Verdict::Alive, None, ""))),
        "verdict alive, confidence 0.98, since 2026-10-29\n \
         https://shop.example.net/item/8812, last checked 2026-11-10 09:00 UTC\n",
    );
}

#[track_caller]
fn check_history(signs: &str, expect: &str) {
    assert_eq!(history(TextStyle::Plain, &words(signs)), expect);
}

#[test]
fn only_the_latest_words_are_shown() {
    check_history("", "");
    check_history("✓", "history ✓   1 run since 2026-10-01\n");
    check_history("✓→✗⛔", "history ✓→✗⛔   4 runs since 2026-10-01\n");
    let shown = "✗".repeat(WORDS_SHOWN);
    check_history(
        &format!("✓✓{shown}"),
        &format!("history …{shown}   the last 40 of 42 runs since 2026-10-01\n"),
    );
}

#[test]
fn every_trouble_is_called_permanent_or_passing_or_neither() {
    for word in Verdict::ALL {
        let text = dossier(TextStyle::Plain, &remembered(Some(settled(word, None, "so it is"))));
        let label = |line: &str| line.split_once(": ").map(|(label, _)| label.to_owned());
        let told: Vec<String> =
            text.lines().filter_map(label).filter(|label| label != "why").collect();
        let expect = match word {
            Verdict::Dead | Verdict::Soft404 | Verdict::Hijacked => vec!["permanent"],
            Verdict::Failing => vec!["passing"],
            Verdict::Blocked => vec!["cannot be told"],
            _ => vec![],
        };
        assert_eq!(told, expect, "{word}");
    }
}

#[test]
fn paint_adds_nothing_but_escapes() {
    let painted = with_soft_404(|view| dossier(TextStyle::Ansi, view));
    let mut pieces = painted.split('\u{1b}');
    let first = pieces.next().unwrap().to_owned();
    let bare = pieces.fold(first, |bare, piece| bare + piece.split_once('m').unwrap().1);
    assert_eq!(bare, with_soft_404(|view| dossier(TextStyle::Plain, view)));
}

/// A stranger's text that would steer a terminal and show a password.
const EVIL: &str = "https://ann:secret@a.test/\u{1b}[2J\r\u{202e}\u{9b}";

fn with_evil<T>(then: impl FnOnce(&TargetRecordView) -> T) -> T {
    let mut told = probe("2026-11-10T09:00:00Z", "https://a.test/ 200", Some(EVIL));
    told.hops = vec![hop(EVIL, 302, Some(EVIL)), hop(EVIL, 200, None)];
    told.digest.as_mut().unwrap().content_type = Some(EVIL.to_owned());
    let controls = [
        control(ControlKind::RandomName, EVIL, Some(told.clone())),
        control(ControlKind::HomePage, EVIL, None),
    ];
    let grounds = [
        ground(EVIL, Some((ControlKind::Refetch, EVIL, 200)), Some(0.5)),
        ground(EVIL, None, None),
    ];
    let place =
        SourceLocation { span: (0..9).into(), line: 7, column: 1, kind: LinkKind::Hyperlink };
    let places = [LocationView { path: EVIL, location: place }];
    let latest = TargetView {
        inlinks: 1,
        depth: None,
        url: EVIL,
        evidence: &grounds,
        locations: &places,
        ..settled(Verdict::Soft404, Some(301), EVIL)
    };
    let probes = [told];
    let view = TargetRecordView {
        url: EVIL,
        probes: &probes,
        controls: &controls,
        ..remembered(Some(latest))
    };
    then(&view)
}

#[test]
fn no_stranger_s_text_steers_the_terminal() {
    let text = with_evil(|view| dossier(TextStyle::Plain, view));
    let is_harmful = |char: &char| (char.is_control() && *char != '\n') || *char == '\u{202e}';
    assert_eq!(text.chars().find(is_harmful), None, "{text:?}");
}

fn json(view: &TargetRecordView) -> String {
    let mut out = Vec::new();
    TargetRecordRow::new(view).write_line(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn no_password_is_shown_in_any_form() {
    let texts = [
        with_evil(|view| dossier(TextStyle::Plain, view)),
        with_soft_404(|view| dossier(TextStyle::Plain, view)),
        with_evil(json),
        with_soft_404(json),
    ];
    for text in texts {
        assert!(!text.contains("secret"), "{text}");
    }
}

#[test]
fn a_row_is_one_line_with_the_contract_s_fields() {
    let line = with_soft_404(json);
    assert_eq!(line.matches('\n').count(), 1);
    insta::assert_snapshot!(line.replace(",\"", ",\n\""));
}

#[test]
fn a_row_can_be_read_back() {
    with_soft_404(|view| {
        let line = json(view);
        let row: TargetRecordRow = serde_json::from_str(&line).unwrap();
        assert_eq!(row, TargetRecordRow::new(view));
    });
}

#[test]
fn what_is_not_known_is_null() {
    let line = json(&remembered(None));
    assert!(line.contains(r#""latest":null,"permanence":null,"streak":null"#), "{line}");
}

#[test]
fn where_a_dead_page_went_is_told() {
    let evidence = ["3 of 3 known pages of example.org/old/ moved in this way".to_owned()];
    let revival = crate::suggestion::tests::found(&evidence);
    let latest = settled(Verdict::Dead, Some(101), "404 on 2 looks");
    let view = TargetRecordView { revival: Some(revival), ..remembered(Some(latest)) };
    let text = dossier(TextStyle::Plain, &view);
    for part in [
        "\nlooked for on 1970-01-01\n  alias    https://***@example.org/b   0.97   pattern P14\n",
        "           3 of 3 known pages of example.org/old/ moved in this way\n",
        "  archive  1970-01-01 good copy https://archive.test/1\n",
    ] {
        assert!(text.contains(part), "`{part}` in:\n{text}");
    }
    let row = serde_json::to_value(TargetRecordRow::new(&view)).unwrap();
    assert_eq!(row["revival"]["suggestion"]["pattern"], "P14");
    assert_eq!(row["revival"]["evidence"][0], evidence[0]);
}
