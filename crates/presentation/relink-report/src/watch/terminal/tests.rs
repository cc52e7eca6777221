//! Tests of the review in the terminal.

use jiff::Timestamp;
use relink_change::Level;
use relink_collection::{Availability, ComparedRow, NextStep, RowChange, TextPart};

use super::*;
use crate::human::{TextStyle, width};
use crate::watch::{CandidateKind, WatchCandidate, WatchChange, WatchList};

/// Creates a part of a compared block.
fn part(text: &str, is_changed: bool) -> TextPart {
    TextPart { text: text.to_owned(), is_changed }
}

/// Creates a member with a small change, which needs attention.
fn member(number: u32, title: &str) -> WatchMember {
    WatchMember {
        number,
        url: format!("https://example.org/{number}"),
        title: title.to_owned(),
        availability: Availability::Available,
        next_step: Some(NextStep::Review),
        change: Some(WatchChange {
            level: Level::Low,
            content: 0.05,
            links: 0.0,
            moves: 0.0,
            added: Vec::new(),
            removed: Vec::new(),
            moved: Vec::new(),
            added_links: Vec::new(),
            removed_links: Vec::new(),
        }),
        comparison: vec![
            ComparedRow {
                change: RowChange::Edited,
                old: vec![part("Owls", false), part("hoot", true)],
                new: vec![part("Owls", false), part("sleep", true)],
            },
            ComparedRow { change: RowChange::Omitted(3), old: Vec::new(), new: Vec::new() },
        ],
        ..WatchMember::default()
    }
}

/// Creates a report of one collection.
fn report(members: Vec<WatchMember>) -> WatchReport {
    let list = WatchList { name: "owls".to_owned(), members, ..WatchList::default() };
    WatchReport::new("watch diff", "owls".to_owned(), Timestamp::UNIX_EPOCH, vec![list], Vec::new())
}

/// Creates a review of three members; the second one needs no attention.
fn review() -> TerminalReview {
    let unchanged = WatchMember { next_step: Some(NextStep::None), ..member(2, "Unchanged") };
    TerminalReview::new(report(vec![member(1, "First"), unchanged, member(3, "Third")]))
}

/// Presses each letter of `keys`, and returns the last action.
fn press(review: &mut TerminalReview, keys: &str) -> ReviewAction {
    let actions = keys.chars().map(|key| review.press(ReviewKey::Char(key)));
    actions.last().unwrap_or(ReviewAction::Redraw)
}

/// Returns the screen of a terminal with 80 columns and 24 rows.
fn screen(review: &mut TerminalReview) -> String {
    review.screen(80, 24, TextStyle::Plain).join("\n")
}

#[test]
fn keys_select_members_that_need_attention() {
    let mut review = review();
    assert!(screen(&mut review).contains("›    1. First") && !screen(&mut review).contains("Unch"));
    assert_eq!(press(&mut review, "ja"), ReviewAction::Accept(3));
    assert_eq!(press(&mut review, "jjm"), ReviewAction::Mute(3));
    assert_eq!(press(&mut review, "kr"), ReviewAction::Suggest(1));
    assert_eq!(press(&mut review, "kx"), ReviewAction::Reject(1));
    assert_eq!(press(&mut review, "q"), ReviewAction::Quit);
}

#[test]
fn diff_is_shown_side_by_side_and_inline() {
    let mut review = review();
    press(&mut review, "d");
    let text = screen(&mut review);
    let line = text.lines().find(|line| line.starts_with("Owls")).unwrap();
    assert!(line.contains("Owls [-hoot-]") && line.contains("± Owls {+sleep+}"), "{text}");
    press(&mut review, "s");
    let text = screen(&mut review);
    assert!(text.contains("\n- Owls [-hoot-]\n+ Owls {+sleep+}\n"), "{text}");
    assert!(text.contains("… 3 unchanged blocks"), "{text}");
    assert_eq!(press(&mut review, "q"), ReviewAction::Redraw);
    assert!(screen(&mut review).contains("›    1. First"));
}

#[test]
fn chosen_candidate_replaces_the_member() {
    let mut review = review();
    let mut found = WatchSuggestions::new("https://example.org/1", "First");
    for (kind, url) in [
        (CandidateKind::Alias, "https://example.org/new"),
        (CandidateKind::Similar, "https://example.org/other"),
    ] {
        let (url, reason) = (url.to_owned(), "found".to_owned());
        found.add(WatchCandidate { kind, url, reason, context: None, similarity: None });
    }
    review.set_candidates(found);
    assert!(screen(&mut review).contains("› alias     https://example.org/new"));
    review.press(ReviewKey::Down);
    let url = "https://example.org/other".to_owned();
    assert_eq!(review.press(ReviewKey::Enter), ReviewAction::Replace { number: 1, url });
}

#[test]
fn update_selects_the_next_member_after_an_action() {
    let mut review = review();
    let accepted = WatchMember { next_step: Some(NextStep::None), ..member(1, "First") };
    review.update(report(vec![accepted, member(3, "Third")]), "accepted".to_owned());
    let text = screen(&mut review);
    assert!(text.contains("›    3. Third") && text.contains("\naccepted\n"), "{text}");
    review.update(report(Vec::new()), String::new());
    assert!(screen(&mut review).contains("Nothing needs your attention."));
    assert_eq!(press(&mut review, "a"), ReviewAction::Redraw);
}

#[test]
fn hostile_text_sends_no_control_sequence_and_fits_the_screen() {
    let hostile_text =
        "\u{1b}]0;x\u{7}\u{1b}[2J\r\n\u{9b}31m\u{202e}".to_owned() + &"wide 東".repeat(200);
    let mut member = member(1, &hostile_text);
    member.reason.clone_from(&hostile_text);
    member.comparison = vec![ComparedRow {
        change: RowChange::Edited,
        old: vec![part(&hostile_text, true)],
        new: vec![part(&hostile_text, false)],
    }];
    let mut review = TerminalReview::new(report(vec![member]));
    for keys in ["", "d", "s"] {
        press(&mut review, keys);
        review.set_message(hostile_text.clone());
        let lines = review.screen(60, 20, TextStyle::Plain);
        assert_eq!(lines.len(), 20);
        for line in lines {
            assert!(!line.chars().any(char::is_control), "{line:?}");
            assert!(width(&line) <= 60, "{} columns: {line:?}", width(&line));
        }
    }
}

#[test]
fn long_diff_scrolls_to_its_end_and_no_further() {
    let mut long_page = member(1, "Long");
    long_page.comparison = (0..100)
        .map(|number| ComparedRow {
            change: RowChange::Added,
            old: Vec::new(),
            new: vec![part(&format!("block {number}"), true)],
        })
        .collect();
    let mut review = TerminalReview::new(report(vec![long_page]));
    press(&mut review, "d");
    for _ in 0..50 {
        review.press(ReviewKey::PageDown);
        screen(&mut review);
    }
    assert!(screen(&mut review).contains("{+block 99+}"));
    review.press(ReviewKey::PageUp);
    assert!(!screen(&mut review).contains("{+block 99+}"));
}
