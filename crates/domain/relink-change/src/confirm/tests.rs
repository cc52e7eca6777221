//! Confirmation: both fetches must show the change.

use super::*;
use relink_page::{DocumentFormat, block_text};

fn page(text: &str, clock: &str) -> Signature {
    let html = format!("<h1>Owls of the north</h1><p>{text}</p><p>It is {clock} now</p><p>End");
    Signature::new(html.as_bytes(), &block_text(DocumentFormat::Html, html.as_bytes()))
}

fn confirmed(first: &Signature, second: &Signature) -> Confirmation {
    confirm(&page("They hoot", "10:00:01"), first, second, &Volatile::default()).0
}

#[test]
fn a_change_that_both_fetches_show_is_confirmed() {
    let result = confirmed(&page("They sing", "11:00:01"), &page("They sing", "11:00:02"));
    let Confirmation::Changed(change) = result else { panic!("{result:?}") };
    assert_eq!(change.added.len(), 1);
    assert_eq!(change.added[0].excerpt, "They sing");
}

#[test]
fn a_change_that_only_one_fetch_shows_is_not_confirmed() {
    let (old, new) = (page("They hoot", "11:00:02"), page("They sing", "11:00:01"));
    assert_eq!(confirmed(&new, &old), Confirmation::Unstable);
    assert_eq!(confirmed(&old, &new), Confirmation::Unstable);
}

#[test]
fn a_page_that_only_shows_another_time_is_unchanged() {
    let result = confirmed(&page("They hoot", "11:00:01"), &page("They hoot", "11:00:02"));
    assert_eq!(result, Confirmation::Unchanged);
}

#[test]
fn volatile_parts_accumulate() {
    let reference = page("They hoot", "10:00:01");
    let (first, second) = (page("They hoot", "11:00:01"), page("They hoot", "11:00:02"));
    let (_, known) = confirm(&reference, &first, &second, &Volatile::default());
    // Equal fetches teach nothing, but the clock is known by now.
    let third = page("They hoot", "12:34:56");
    assert_eq!(confirm(&reference, &third, &third, &known).0, Confirmation::Unchanged);
}
