//! Tests of the terminal report.

use std::collections::BTreeMap;

use relink_model::{Confidence, ControlKind, ControlSummary, Evidence, FindingCode, Verdict};

use super::*;
use crate::row::tests::location;
use crate::{HostRow, LocationView};

/// A line of Markdown.
const LINE: &[u8] = b"see the [setup guide](https://old.example.org/guide/setup)\n";

/// The bytes of the URL in [`LINE`].
const URL_SPAN: std::ops::Range<usize> = 22..57;

/// Creates a location of the URL in [`LINE`].
fn at(path: &str, line: u32, column: u32) -> LocationView<'_> {
    LocationView { path, location: location(line, column, URL_SPAN) }
}

/// Creates the view of a dead link at `locations`.
fn view<'a>(locations: &'a [LocationView<'a>], snippet: Option<&'a Snippet>) -> FindingView<'a> {
    FindingView {
        code: Some(FindingCode::new(101)),
        verdict: Verdict::Dead,
        url: "https://old.example.org/guide/setup",
        reason: "404 in 2 attempts, 100 ms apart",
        confidence: Confidence::from_percent(99),
        evidence: &[],
        locations,
        links: locations.len() as u64,
        snippet,
        help: Some("Link to the page's new URL or to an archived copy, or remove the link."),
        revival: None,
    }
}

#[test]
fn report_with_all_parts() {
    let snippet = Snippet::cut(LINE, URL_SPAN.into());
    let locations = [
        at("docs/install.md", 41, 23),
        at("docs/faq.md", 9, 3),
        at("docs/a.md", 1, 1),
        at("docs/b.md", 2, 2),
        at("docs/c.md", 3, 3),
        at("docs/d.md", 4, 4),
    ];
    let verdicts: BTreeMap<Verdict, u64> = [
        (Verdict::Alive, 1391),
        (Verdict::Moved, 9),
        (Verdict::Dead, 2),
        (Verdict::Failing, 3),
        (Verdict::Blocked, 6),
        (Verdict::Local, 0),
    ]
    .into();
    let mut moved = view(&locations[..1], None);
    moved.code = Some(FindingCode::new(201));
    moved.verdict = Verdict::Moved;
    moved.reason = "permanent redirect to https://ann:secret@new.example.org/";
    moved.help = None;
    let report = [
        headline(&Headline {
            links: 1412,
            documents: 38,
            hosts: 57,
            duration_ms: 6149,
            cached: 301,
            max_age: 86_400,
        }),
        "\n".to_owned(),
        finding(TextStyle::Plain, &view(&locations[..1], snippet.as_ref())),
        finding(TextStyle::Plain, &view(&locations, snippet.as_ref())),
        finding(TextStyle::Plain, &moved),
        finding(TextStyle::Plain, &view(&locations[..3], None)),
        finding(TextStyle::Plain, &view(&[], None)),
        "\n".to_owned(),
        summary(TextStyle::Plain, &verdicts),
        footer(&Footer { failing: 2, blocked: 6, blocked_code: Some(FindingCode::new(403)) }),
    ];
    insta::assert_snapshot!(report.concat());
}

/// Creates a comparison with a control, with the resemblance `share`.
fn evidence(kind: ControlKind, url: &str, status: Option<u16>, share: Option<f64>) -> Evidence {
    let control = ControlSummary { kind, url: url.to_owned(), status };
    Evidence { note: "the same page".to_owned(), control: Some(control), resemblance: share }
}

#[test]
fn soft_404_is_shown_with_its_comparisons() {
    let page_sign =
        Evidence { note: "apology on the page".to_owned(), control: None, resemblance: None };
    let evidence = [
        page_sign,
        evidence(ControlKind::RandomName, "https://a.test/docs/xkqv", Some(200), Some(0.999)),
        evidence(ControlKind::HomePage, "https://ann:secret@a.test/", None, None),
        evidence(ControlKind::Refetch, "https://a.test/docs/a", Some(200), Some(1.0)),
    ];
    let snippet = Snippet::cut(LINE, URL_SPAN.into());
    let locations = [at("docs/links.md", 7, 1)];
    let mut view = view(&locations, None);
    view.code = Some(FindingCode::new(301));
    view.verdict = Verdict::Soft404;
    view.reason = "status 200, but equals the response to a random name";
    view.confidence = Confidence::from_percent(97);
    view.evidence = &evidence;
    let without_snippet = finding(TextStyle::Plain, &view);
    view.snippet = snippet.as_ref();
    insta::assert_snapshot!(without_snippet + &finding(TextStyle::Plain, &view));
}

/// Checks whether a finding with this verdict, confidence and evidence shows its confidence.
#[track_caller]
fn check_confidence(verdict: Verdict, hundredths: u8, evidence: &[Evidence], is_shown: bool) {
    let mut view = view(&[], None);
    view.verdict = verdict;
    view.confidence = Confidence::from_percent(hundredths);
    view.evidence = evidence;
    let text = finding(TextStyle::Plain, &view);
    assert_eq!(text.contains(&format!("apart (confidence 0.{hundredths})")), is_shown, "{text}");
    assert_eq!(text.contains("confidence"), is_shown, "{text}");
}

#[test]
fn confidence_is_shown_for_content_based_verdicts() {
    let evidence = [evidence(ControlKind::RandomName, "https://a.test/x", Some(200), None)];
    for verdict in [Verdict::Soft404, Verdict::Hijacked, Verdict::Drifted] {
        check_confidence(verdict, 97, &evidence, true);
        check_confidence(verdict, 97, &[], true);
        check_confidence(verdict, 100, &evidence, false);
    }
    check_confidence(Verdict::Blocked, 80, &evidence, true);
    check_confidence(Verdict::Blocked, 80, &[], false);
    check_confidence(Verdict::Dead, 97, &evidence, false);
}

#[test]
fn ansi_style_adds_only_escape_sequences() {
    let snippet = Snippet::cut(LINE, URL_SPAN.into());
    let locations = [at("docs/install.md", 41, 23), at("docs/faq.md", 9, 3)];
    let view = view(&locations, snippet.as_ref());
    let ansi = finding(TextStyle::Ansi, &view);
    assert!(ansi.contains("\u{1b}["));
    let mut plain = String::new();
    for (index, piece) in ansi.split('\u{1b}').enumerate() {
        // An escape sequence ends at the letter `m`.
        let text =
            if index == 0 { Some(piece) } else { piece.split_once('m').map(|(_, text)| text) };
        plain.push_str(text.unwrap());
    }
    assert_eq!(plain, finding(TextStyle::Plain, &view));
}

#[test]
fn untrusted_text_cannot_control_the_terminal() {
    let hostile = "\u{1b}[2J\r\u{202e}\u{9b}";
    let locations = [at(hostile, 1, 1), at(hostile, 2, 2)];
    let document = format!("{hostile}x{hostile}");
    let start = hostile.len();
    let snippet = Snippet::cut(document.as_bytes(), (start..start + 1).into());
    let mut view = view(&locations, snippet.as_ref());
    view.url = hostile;
    view.reason = hostile;
    view.help = Some(hostile);
    view.verdict = Verdict::Soft404;
    let evidence = [evidence(ControlKind::RandomName, hostile, Some(200), Some(0.9))];
    view.evidence = &evidence;
    let host = HostRow {
        name: hostile.into(),
        requests: 1,
        control_requests: 0,
        responses: 1,
        throttled: 0,
        request_ms: 1,
        politeness_wait_ms: 1,
    };
    let text = finding(TextStyle::Plain, &view) + &hosts(TextStyle::Plain, &[host]);
    let is_harmful = |char: &char| (char.is_control() && *char != '\n') || *char == '\u{202e}';
    assert_eq!(text.chars().find(is_harmful), None, "{text:?}");
}

/// Checks the last line for numbers of failing findings and blocked pages.
#[track_caller]
fn check_footer(failing: u64, blocked: u64, expect: &str) {
    let text = footer(&Footer { failing, blocked, blocked_code: Some(FindingCode::new(429)) });
    assert_eq!(text, format!("{expect}\n"));
}

#[test]
fn footer_states_whether_the_run_fails() {
    check_footer(0, 0, "No finding fails this run.");
    check_footer(1, 0, "1 finding fails this run.");
    check_footer(
        3,
        1,
        "3 findings fail this run. 1 blocked page was not judged: `relink explain RL429`.",
    );
}

/// Checks the line after the totals, for numbers of dead, soft-404 and hijacked links.
#[track_caller]
fn check_soft_404_share(dead: u64, soft_404s: u64, hijacked: u64, expect: &str) {
    let verdicts =
        [(Verdict::Dead, dead), (Verdict::Soft404, soft_404s), (Verdict::Hijacked, hijacked)]
            .into();
    let text = summary(TextStyle::Plain, &verdicts);
    let line = text.split_once('\n').unwrap().1;
    let expect = if expect.is_empty() { String::new() } else { format!("  {expect}\n") };
    assert_eq!(line, expect);
}

#[test]
fn summary_states_the_soft_404_share() {
    check_soft_404_share(0, 0, 0, "");
    check_soft_404_share(
        8,
        3,
        1,
        "soft-404s: 3 of 12 missing pages (dead, soft-404 or hijacked), 25 %",
    );
    check_soft_404_share(
        2,
        0,
        0,
        "soft-404s: 0 of 2 missing pages (dead, soft-404 or hijacked), 0 %",
    );
    check_soft_404_share(
        11,
        1,
        0,
        "soft-404s: 1 of 12 missing pages (dead, soft-404 or hijacked), 8 %",
    );
    check_soft_404_share(
        0,
        1,
        0,
        "soft-404s: 1 of 1 missing page (dead, soft-404 or hijacked), 100 %",
    );
    check_soft_404_share(
        0,
        0,
        1,
        "soft-404s: 0 of 1 missing page (dead, soft-404 or hijacked), 0 %",
    );
}

#[test]
fn percent_is_0_only_for_none_and_100_only_for_all() {
    check_soft_404_share(
        9_998,
        2,
        0,
        "soft-404s: 2 of 10,000 missing pages (dead, soft-404 or hijacked), 1 %",
    );
    check_soft_404_share(
        1,
        9_999,
        0,
        "soft-404s: 9,999 of 10,000 missing pages (dead, soft-404 or hijacked), 99 %",
    );
}

#[test]
fn headline_uses_the_singular_for_one() {
    let text = headline(&Headline {
        links: 1,
        documents: 1,
        hosts: 1,
        duration_ms: 12,
        cached: 0,
        max_age: 0,
    });
    assert_eq!(text, "Checked 1 link in 1 file, 1 host, 12 ms\n");
    assert_eq!(summary(TextStyle::Plain, &BTreeMap::new()), "  ✓ 0 alive\n");
}

#[test]
fn host_table_is_aligned() {
    let row = |name: &'static str, requests, politeness_wait_ms| HostRow {
        name: name.into(),
        requests,
        control_requests: requests / 10,
        responses: requests,
        throttled: 0,
        request_ms: 340,
        politeness_wait_ms,
    };
    let rows = [row("old.example.org", 1200, 61_000), row("a.test:8080", 3, 0)];
    insta::assert_snapshot!(hosts(TextStyle::Plain, &rows));
    assert_eq!(hosts(TextStyle::Plain, &[]), "");
}

#[test]
fn suggestions_replace_the_advice() {
    let mut view = view(&[], None);
    let revival = crate::suggestion::tests::found(&[]);
    view.revival = Some(&revival);
    let text = finding(TextStyle::Plain, &view);
    assert!(text.contains("\nhelp: new URL: https://***@example.org/b   (alias"), "{text}");
    assert!(text.contains("\nhelp: archived copy 1970-01-01: "), "{text}");
    assert!(!text.contains("remove the link"), "{text}");
    let nothing = crate::suggestion::tests::nothing();
    view.revival = Some(&nothing);
    assert!(finding(TextStyle::Plain, &view).contains("remove the link"));
}
