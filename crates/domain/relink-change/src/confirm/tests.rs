//! Tests that a change is confirmed only if both fetches show it.

use super::*;
use relink_page::{DocumentFormat, block_text};

/// Returns the signature of a page with a text and a clock.
fn page(text: &str, clock: &str) -> Signature {
    let html = format!("<h1>Owls of the north</h1><p>{text}</p><p>It is {clock} now</p><p>End");
    Signature::new(html.as_bytes(), &block_text(DocumentFormat::Html, html.as_bytes()))
}

/// Compares two fetches with a reference version with the text "They hoot".
fn confirm_fetches(first: &Signature, second: &Signature) -> Confirmation {
    confirm(&page("They hoot", "10:00:01"), first, second, &VolatileParts::default()).0
}

#[test]
fn change_in_both_fetches_is_confirmed() {
    let result = confirm_fetches(&page("They sing", "11:00:01"), &page("They sing", "11:00:02"));
    let Confirmation::Changed(change) = result else { panic!("{result:?}") };
    assert_eq!(change.added.len(), 1);
    assert_eq!(change.added[0].excerpt, "They sing");
}

#[test]
fn change_in_one_fetch_is_unstable() {
    let (old, new) = (page("They hoot", "11:00:02"), page("They sing", "11:00:01"));
    assert_eq!(confirm_fetches(&new, &old), Confirmation::Unstable);
    assert_eq!(confirm_fetches(&old, &new), Confirmation::Unstable);
}

#[test]
fn page_with_a_different_time_is_unchanged() {
    let result = confirm_fetches(&page("They hoot", "11:00:01"), &page("They hoot", "11:00:02"));
    assert_eq!(result, Confirmation::Unchanged);
}

#[test]
fn volatile_parts_accumulate() {
    let reference = page("They hoot", "10:00:01");
    let (first, second) = (page("They hoot", "11:00:01"), page("They hoot", "11:00:02"));
    let (_, known) = confirm(&reference, &first, &second, &VolatileParts::default());
    // Equal fetches show no volatile parts, but the clock is already known.
    let third = page("They hoot", "12:34:56");
    assert_eq!(confirm(&reference, &third, &third, &known).0, Confirmation::Unchanged);
}

/// Fetches a page with one block three times: the reference version with `old`, then both
/// fetches of a later version with `new`. The letter N is a number that differs each time.
fn confirm_edit(old: &str, new: &str) -> Confirmation {
    let fetch = |text: &str, number: u32| {
        let text = text.replace('N', &number.to_string());
        let html = format!("<h1>Owls of the north</h1><p>{text}<p>The end");
        Signature::new(html.as_bytes(), &block_text(DocumentFormat::Html, html.as_bytes()))
    };
    let known = VolatileParts::learn(&fetch(old, 17), &fetch(old, 18));
    confirm(&fetch(old, 17), &fetch(new, 31), &fetch(new, 32), &known).0
}

#[test]
fn edited_words_next_to_a_counter_are_a_change() {
    for (old, new) in [
        ("Updated at N: our barn owls nest again", "Updated at N: play roulette and win money"),
        ("Viewed N times", "Gambled N times"),
        ("Owl lamps (N readers)", "Cheap loans (N readers)"),
        ("Price: 19.90 euros, as of N", "Price: 24.90 euros, as of N"),
    ] {
        let result = confirm_edit(old, new);
        assert!(matches!(result, Confirmation::Changed(_)), "{old}: {result:?}");
        assert_eq!(confirm_edit(old, old), Confirmation::Unchanged, "{old}");
    }
}
