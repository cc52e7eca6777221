//! Tests of content changes and link changes.

use super::*;
use proptest::prelude::*;
use relink_page::{DocumentFormat, block_text};

/// Returns the signature of a page.
fn signature(html: &str) -> Signature {
    Signature::new(html.as_bytes(), &block_text(DocumentFormat::Html, html.as_bytes()))
}

/// Returns the change between two pages.
fn change(old: &str, new: &str) -> Change {
    compare(&signature(old), &signature(new), &VolatileParts::default())
}

/// Returns the starts of the texts of changed blocks.
fn excerpts(changes: &[BlockChange]) -> Vec<&str> {
    changes.iter().map(|change| change.excerpt.as_str()).collect()
}

/// Asserts the content change and its level.
#[track_caller]
fn check(old: &str, new: &str, content: f64, level: Level) {
    let change = change(old, new);
    assert!((change.content - content).abs() < 1e-9, "{}", change.content);
    assert_eq!(change.level, level);
}

#[test]
fn equal_bytes_have_level_none() {
    check("<p>one", "<p>one", 0.0, Level::None);
}

#[test]
fn markup_changes_have_level_checksum() {
    for new in [
        "<h2>One</h2><div>two   three</div>",
        "<P CLASS=x>One<P>Two, three!",
        "<p>One<p>two<p>three",
        "<p><b>O</b>ne<p>two three<!-- x -->",
        "<p>One</p><p>t<wbr>wo three",
        "<p>One<p>two th<div>ree</div>",
        "<style>p{}</style><p>One<p>two three<script>x()</script>",
    ] {
        check("<p>One<p>two three", new, 0.0, Level::Checksum);
        assert!(!change("<p>One<p>two three", new).is_visible(), "{new}");
    }
}

#[test]
fn changed_words_are_counted_in_both_versions() {
    // Both versions have 6 words (T), of which 2 are common (M).
    check("<p>a b c", "<p>a b d", 1.0 - 4.0 / 6.0, Level::Moderate);
    check("<p>a b c", "<p>d e f", 1.0, Level::High);
    check("<p>a", "", 1.0, Level::High);
}

#[test]
fn added_and_removed_blocks_are_listed() {
    let change = change("<p>one two<p>old news<p>end", "<p>one two<p>end<p>brand new");
    assert_eq!(excerpts(&change.added), ["brand new"]);
    assert_eq!(excerpts(&change.removed), ["old news"]);
    assert_eq!(change.added[0].changed_words, 2);
    assert!(change.moved.is_empty() && change.is_visible());
}

#[test]
fn moved_blocks_are_not_a_content_change() {
    let change = change("<p>a b<p>c d e<p>f g h", "<p>c d e<p>f g h<p>a b");
    assert!(change.content.abs() < 1e-9);
    assert_eq!(change.level, Level::Checksum);
    assert_eq!(excerpts(&change.moved), ["a b"]);
    assert!((change.moves - 0.25).abs() < 1e-9, "{}", change.moves);
    assert!(change.added.is_empty() && change.removed.is_empty());
}

#[test]
fn repeated_blocks_are_not_moved_by_an_insertion() {
    let old = "<p>Note<p>first text<p>Note<p>second text";
    let new = "<p>Note<p>zero text<p>Note<p>first text<p>Note<p>second text";
    let change = change(old, new);
    assert!(change.moved.is_empty() && change.removed.is_empty());
    assert_eq!(excerpts(&change.added).len(), 2);
}

#[test]
fn boilerplate_is_ignored() {
    let page = |nav: &str| {
        format!("<nav>{nav}</nav><main><p>The owls of the north hunt by day in summer</main>")
    };
    check(&page("Home"), &page("Home News Contact"), 0.0, Level::Checksum);
    let aside = "<aside>Buy now</aside><main><p>The owls of the north hunt by day in summer</main>";
    let div = "<div>Buy now</div><main><p>The owls of the north hunt by day in summer</main>";
    check(aside, div, 0.0, Level::Checksum);
    check(div, aside, 0.0, Level::Checksum);
}

#[test]
fn link_change_is_separate_from_content_change() {
    let change =
        change("<p><a href=/a>x</a> <a href=/b>y</a>", "<p><a href=/a>x</a> <a href=/c>y</a>");
    assert!(change.content.abs() < 1e-9 && (change.links - 0.5).abs() < 1e-9);
    assert_eq!((change.added_links, change.removed_links), (vec!["/c".into()], vec!["/b".into()]));
    assert_eq!(change.level, Level::Checksum);
}

#[test]
fn changed_price_in_a_long_page_is_a_low_change_with_an_excerpt() {
    let page = |price: &str| format!("{}<p>Price: {price} €", "<p>some long text here".repeat(50));
    let change = change(&page("10.50"), &page("11.50"));
    assert_eq!(change.level, Level::Low);
    assert_eq!(excerpts(&change.added), ["Price: 11.50 €"]);
}

#[test]
fn japanese_is_compared_by_character() {
    let change = change("<p>吾輩は猫である。", "<p>吾輩は犬である。");
    assert!((change.content - 1.0 / 7.0).abs() < 1e-9);
}

#[test]
fn comparison_of_hostile_pages_is_fast() {
    let old = signature(&"<p>a a a a".repeat(100_000));
    let new = signature(&"<p>a a b a".repeat(100_000));
    assert!(compare(&old, &new, &VolatileParts::default()).content > 0.1);
    let old = signature(&"a b c d ".repeat(300_000));
    let new = signature(&"d c b a ".repeat(300_000));
    assert!(compare(&old, &new, &VolatileParts::default()).content > 0.1);
}

proptest! {
    #[test]
    fn every_content_change_lists_changed_blocks(
        old in prop::collection::vec("[a-d]( [a-d]){0,3}", 0..8),
        new in prop::collection::vec("[a-d]( [a-d]){0,3}", 0..8),
    ) {
        let page = |blocks: &[String]| format!("<p>{}", blocks.join("<p>"));
        let change = change(&page(&old), &page(&new));
        prop_assert!((0.0..=1.0).contains(&change.content));
        let is_listed = !change.added.is_empty() || !change.removed.is_empty();
        prop_assert_eq!(change.content > 0.0, is_listed);
        prop_assert_eq!(change.content > 0.0, change.level > Level::Checksum);
    }

    #[test]
    fn content_change_exists_in_both_directions(
        old in prop::collection::vec("[a-c]( [a-c]){0,3}", 0..6),
        new in prop::collection::vec("[a-c]( [a-c]){0,3}", 0..6),
    ) {
        let page = |blocks: &[String]| format!("<p>{}", blocks.join("<p>"));
        let (forward, backward) = (change(&page(&old), &page(&new)), change(&page(&new), &page(&old)));
        prop_assert!((forward.content > 0.0) == (backward.content > 0.0));
    }
}
