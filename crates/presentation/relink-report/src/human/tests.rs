//! The report as people see it.

use std::collections::BTreeMap;

use relink_model::{Confidence, ControlKind, ControlSummary, Evidence, FindingCode, Verdict};

use super::*;
use crate::row::tests::place;
use crate::{HostRow, LocationView};

const LINE: &[u8] = b"see the [setup guide](https://old.example.org/guide/setup)\n";

fn at(path: &str, line: u32, column: u32) -> LocationView<'_> {
    LocationView { path, location: place(line, column, 22..57) }
}

fn view<'a>(places: &'a [LocationView<'a>], snippet: Option<&'a Snippet>) -> FindingView<'a> {
    FindingView {
        code: Some(FindingCode::new(101)),
        verdict: Verdict::Dead,
        url: "https://old.example.org/guide/setup",
        reason: "404 on 2 looks, 100 ms apart",
        confidence: Confidence::percent(99),
        evidence: &[],
        locations: places,
        links: places.len() as u64,
        snippet,
        help: Some("Link to the page's new address or to an archived copy, or remove the link."),
        revival: None,
    }
}

#[test]
fn a_whole_report() {
    let snippet = Snippet::cut(LINE, (22..57).into());
    let places = [
        at("docs/install.md", 41, 23),
        at("docs/faq.md", 9, 3),
        at("docs/a.md", 1, 1),
        at("docs/b.md", 2, 2),
        at("docs/c.md", 3, 3),
        at("docs/d.md", 4, 4),
    ];
    let words: BTreeMap<Verdict, u64> = [
        (Verdict::Alive, 1391),
        (Verdict::Moved, 9),
        (Verdict::Dead, 2),
        (Verdict::Failing, 3),
        (Verdict::Blocked, 6),
        (Verdict::Local, 0),
    ]
    .into();
    let mut moved = view(&places[..1], None);
    moved.code = Some(FindingCode::new(201));
    moved.verdict = Verdict::Moved;
    moved.reason = "permanent redirect to https://ann:secret@new.example.org/";
    moved.help = None;
    let report = [
        headline(&Headline {
            links: 1412,
            documents: 38,
            hosts: 57,
            took_ms: 6149,
            cached: 301,
            max_age: 86_400,
        }),
        "\n".to_owned(),
        finding(TextStyle::Plain, &view(&places[..1], snippet.as_ref())),
        finding(TextStyle::Plain, &view(&places, snippet.as_ref())),
        finding(TextStyle::Plain, &moved),
        finding(TextStyle::Plain, &view(&places[..3], None)),
        finding(TextStyle::Plain, &view(&[], None)),
        "\n".to_owned(),
        summary(TextStyle::Plain, &words),
        closing(&Footer { failing: 2, blocked: 6, blocked_code: Some(FindingCode::new(403)) }),
    ];
    insta::assert_snapshot!(report.concat());
}

fn ground(kind: ControlKind, url: &str, status: Option<u16>, share: Option<f64>) -> Evidence {
    let control = ControlSummary { kind, url: url.to_owned(), status };
    Evidence { note: "the same page".to_owned(), control: Some(control), resemblance: share }
}

#[test]
fn a_lying_answer_is_shown_with_what_gave_it_away() {
    let sign = Evidence { note: "says sorry".to_owned(), control: None, resemblance: None };
    let grounds = [
        sign,
        ground(ControlKind::RandomName, "https://a.test/docs/xkqv", Some(200), Some(0.999)),
        ground(ControlKind::HomePage, "https://ann:secret@a.test/", None, None),
        ground(ControlKind::Refetch, "https://a.test/docs/a", Some(200), Some(1.0)),
    ];
    let snippet = Snippet::cut(LINE, (22..57).into());
    let places = [at("docs/links.md", 7, 1)];
    let mut view = view(&places, None);
    view.code = Some(FindingCode::new(301));
    view.verdict = Verdict::Soft404;
    view.reason = "answers 200, but with the page that any address gets";
    view.confidence = Confidence::percent(97);
    view.evidence = &grounds;
    let bare = finding(TextStyle::Plain, &view);
    view.snippet = snippet.as_ref();
    insta::assert_snapshot!(bare + &finding(TextStyle::Plain, &view));
}

#[track_caller]
fn check_confidence(word: Verdict, hundredths: u8, grounds: &[Evidence], is_told: bool) {
    let mut view = view(&[], None);
    view.verdict = word;
    view.confidence = Confidence::percent(hundredths);
    view.evidence = grounds;
    let text = finding(TextStyle::Plain, &view);
    assert_eq!(text.contains(&format!("apart (confidence 0.{hundredths})")), is_told, "{text}");
    assert_eq!(text.contains("confidence"), is_told, "{text}");
}

#[test]
fn confidence_is_told_where_the_content_decided() {
    let grounds = [ground(ControlKind::RandomName, "https://a.test/x", Some(200), None)];
    for word in [Verdict::Soft404, Verdict::Hijacked, Verdict::Drifted] {
        check_confidence(word, 97, &grounds, true);
        check_confidence(word, 97, &[], true);
        check_confidence(word, 100, &grounds, false);
    }
    check_confidence(Verdict::Blocked, 80, &grounds, true);
    check_confidence(Verdict::Blocked, 80, &[], false);
    check_confidence(Verdict::Dead, 97, &grounds, false);
}

#[test]
fn paint_adds_nothing_but_escapes() {
    let snippet = Snippet::cut(LINE, (22..57).into());
    let places = [at("docs/install.md", 41, 23), at("docs/faq.md", 9, 3)];
    let view = view(&places, snippet.as_ref());
    let painted = finding(TextStyle::Ansi, &view);
    assert!(painted.contains("\u{1b}["));
    let mut bare = String::new();
    for (index, piece) in painted.split('\u{1b}').enumerate() {
        let rest =
            if index == 0 { Some(piece) } else { piece.split_once('m').map(|(_, rest)| rest) };
        bare.push_str(rest.unwrap());
    }
    assert_eq!(bare, finding(TextStyle::Plain, &view));
}

#[test]
fn no_stranger_s_text_steers_the_terminal() {
    let evil = "\u{1b}[2J\r\u{202e}\u{9b}";
    let places = [at(evil, 1, 1), at(evil, 2, 2)];
    let document = format!("{evil}x{evil}");
    let start = evil.len();
    let snippet = Snippet::cut(document.as_bytes(), (start..start + 1).into());
    let mut view = view(&places, snippet.as_ref());
    view.url = evil;
    view.reason = evil;
    view.help = Some(evil);
    view.verdict = Verdict::Soft404;
    let grounds = [ground(ControlKind::RandomName, evil, Some(200), Some(0.9))];
    view.evidence = &grounds;
    let host = HostRow {
        name: evil.into(),
        requests: 1,
        controls: 0,
        responses: 1,
        throttled: 0,
        busy_ms: 1,
        waited_ms: 1,
    };
    let text = finding(TextStyle::Plain, &view) + &hosts(TextStyle::Plain, &[host]);
    let is_harmful = |char: &char| (char.is_control() && *char != '\n') || *char == '\u{202e}';
    assert_eq!(text.chars().find(is_harmful), None, "{text:?}");
}

#[track_caller]
fn check_closing(failing: u64, blocked: u64, expect: &str) {
    let text = closing(&Footer { failing, blocked, blocked_code: Some(FindingCode::new(429)) });
    assert_eq!(text, format!("{expect}\n"));
}

#[test]
fn the_last_sentence_says_whether_the_run_fails() {
    check_closing(0, 0, "Nothing fails this run.");
    check_closing(1, 0, "1 finding fails this run.");
    check_closing(
        3,
        1,
        "3 findings fail this run. 1 blocked page was not judged: `relink explain RL429`.",
    );
}

#[track_caller]
fn check_lying(dead: u64, soft: u64, hijacked: u64, expect: &str) {
    let words =
        [(Verdict::Dead, dead), (Verdict::Soft404, soft), (Verdict::Hijacked, hijacked)].into();
    let text = summary(TextStyle::Plain, &words);
    let told = text.split_once('\n').unwrap().1;
    let expect = if expect.is_empty() { String::new() } else { format!("  {expect}\n") };
    assert_eq!(told, expect);
}

#[test]
fn the_sums_say_how_many_dead_links_lie() {
    check_lying(0, 0, 0, "");
    check_lying(8, 3, 1, "3 of 12 dead links (25 %) answer as if they were alive (soft-404).");
    check_lying(2, 0, 0, "0 of 2 dead links (0 %) answer as if they were alive (soft-404).");
    check_lying(11, 1, 0, "1 of 12 dead links (8 %) answers as if it were alive (soft-404).");
    check_lying(0, 1, 0, "1 of 1 dead link (100 %) answers as if it were alive (soft-404).");
    check_lying(0, 0, 1, "0 of 1 dead link (0 %) answers as if it were alive (soft-404).");
}

#[test]
fn only_nothing_is_no_percent_and_only_all_is_a_hundred() {
    check_lying(
        9_998,
        2,
        0,
        "2 of 10,000 dead links (1 %) answer as if they were alive (soft-404).",
    );
    check_lying(
        1,
        9_999,
        0,
        "9,999 of 10,000 dead links (99 %) answer as if they were alive (soft-404).",
    );
}

#[test]
fn a_small_run_is_told_in_the_singular() {
    let text = headline(&Headline {
        links: 1,
        documents: 1,
        hosts: 1,
        took_ms: 12,
        cached: 0,
        max_age: 0,
    });
    assert_eq!(text, "Checked 1 link in 1 file, 1 host, 12 ms\n");
    assert_eq!(summary(TextStyle::Plain, &BTreeMap::new()), "  ✓ 0 alive\n");
}

#[test]
fn the_host_table_lines_up() {
    let row = |name: &'static str, asked, waited_ms| HostRow {
        name: name.into(),
        requests: asked,
        controls: asked / 10,
        responses: asked,
        throttled: 0,
        busy_ms: 340,
        waited_ms,
    };
    let rows = [row("old.example.org", 1200, 61_000), row("a.test:8080", 3, 0)];
    insta::assert_snapshot!(hosts(TextStyle::Plain, &rows));
    assert_eq!(hosts(TextStyle::Plain, &[]), "");
}

#[test]
fn what_was_found_is_better_help_than_any_advice() {
    let mut view = view(&[], None);
    let revival = crate::suggestion::tests::found(&[]);
    view.revival = Some(&revival);
    let text = finding(TextStyle::Plain, &view);
    assert!(text.contains("\nhelp: page lives at https://***@example.org/b   (alias"), "{text}");
    assert!(text.contains("\nhelp: archived copy 1970-01-01: "), "{text}");
    assert!(!text.contains("remove the link"), "{text}");
    let nothing = crate::suggestion::tests::nothing();
    view.revival = Some(&nothing);
    assert!(finding(TextStyle::Plain, &view).contains("remove the link"));
}
