//! Tests of the comparison of two versions.

use relink_change::{VolatileParts, compare};
use relink_page::{DocumentFormat, block_text};

use super::*;

/// Returns the signature of a page.
fn version(html: &str) -> Signature {
    Signature::new(html.as_bytes(), &block_text(DocumentFormat::Html, html.as_bytes()))
}

/// Compares two versions without stored texts.
fn rows(old: &str, new: &str) -> Vec<ComparedRow> {
    let (old, new) = (version(old), version(new));
    let change = compare(&old, &new, &VolatileParts::default());
    let text = |signature| ComparedText { signature, text: None };
    side_by_side(text(&old), text(&new), &change)
}

/// Returns a text with its changed parts in brackets.
fn marked(parts: &[TextPart]) -> String {
    let mark = |part: &TextPart| {
        if part.is_changed { format!("[{}]", part.text) } else { part.text.clone() }
    };
    parts.iter().map(mark).collect::<Vec<_>>().join(" ")
}

#[test]
fn edited_words_are_marked_on_both_sides() {
    let rows = rows("<p>The owl costs 10 euros today", "<p>The owl costs 12 euros today");
    assert_eq!(marked(&rows[0].old), "The owl costs [10] euros today");
    assert_eq!(marked(&rows[0].new), "The owl costs [12] euros today");
}

#[test]
fn block_with_additional_words_is_next_to_its_old_text() {
    let old = "<p>Owls hunt mice at night<p>The nest is in a tree";
    let new = "<p>A new first sentence<p>Owls hunt mice and voles at night<p>The nest is in a tree";
    let rows = rows(old, new);
    let changes: Vec<RowChange> = rows.iter().map(|row| row.change).collect();
    assert_eq!(changes, [RowChange::Added, RowChange::Edited, RowChange::Same], "{rows:?}");
    assert_eq!(marked(&rows[1].old), "Owls hunt mice at night");
    assert_eq!(marked(&rows[1].new), "Owls hunt mice [and voles] at night");
    assert_eq!(marked(&rows[2].old), marked(&rows[2].new));
}

#[test]
fn volatile_block_is_not_marked() {
    let page = |clock: &str, price: &str| {
        version(&format!("<p>It is {clock} now<p>The owl costs {price} euros<p>The end of it"))
    };
    let volatile = VolatileParts::learn(&page("10:01", "5"), &page("10:02", "5"));
    let (old, new) = (page("10:03", "5"), page("11:07", "6"));
    let change = compare(&old, &new, &volatile);
    let text = |signature| ComparedText { signature, text: None };
    let rows = side_by_side(text(&old), text(&new), &change);
    let changes: Vec<RowChange> = rows.iter().map(|row| row.change).collect();
    assert_eq!(changes, [RowChange::Same, RowChange::Edited, RowChange::Same], "{rows:?}");
}

#[test]
fn added_and_removed_blocks_have_one_side() {
    let added = rows("<p>One thing", "<p>One thing<p>Another new block");
    assert_eq!(added.last().unwrap().change, RowChange::Added);
    assert!(added.last().unwrap().old.is_empty());
    let removed = rows("<p>One thing<p>Another old block", "<p>One thing");
    assert_eq!(removed.last().unwrap().change, RowChange::Removed);
}

#[test]
fn unchanged_blocks_far_from_a_change_are_omitted() {
    let block = |number: usize| format!("<p>Sentence number {number} of the page");
    let body: String = (0..30).map(block).collect();
    let rows = rows(&body, &format!("{body}<p>Something new at the end"));
    assert_eq!(rows[0].change, RowChange::Omitted(28));
    assert_eq!(rows.len(), 1 + CONTEXT_ROWS + 1);
}

#[test]
fn number_of_rows_is_limited() {
    let body = |word: &str| {
        (0..2_000).map(|number| format!("<p>{word} {number} {word}")).collect::<Vec<_>>().concat()
    };
    assert!(rows(&body("old"), &body("new")).len() <= MAX_ROWS + 1);
}

#[test]
fn stored_text_replaces_the_excerpts() {
    let long = format!("<p>{} end", "word ".repeat(50));
    let (old, new) = (version(&long), version(&long.replace(" end", " finish")));
    let change = compare(&old, &new, &VolatileParts::default());
    let text = |html: &str| html.trim_start_matches("<p>").to_owned();
    let (old_text, new_text) = (text(&long), text(&long.replace(" end", " finish")));
    let rows = side_by_side(
        ComparedText { signature: &old, text: Some(&old_text) },
        ComparedText { signature: &new, text: Some(&new_text) },
        &change,
    );
    assert_eq!(rows[0].new.last().unwrap().text, "finish");
}
