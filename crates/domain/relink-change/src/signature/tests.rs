//! Signatures: contents, limits and JSON.

use super::*;
use relink_page::{DocumentFormat, block_text};

/// Returns the signature of a page.
fn signature(html: &str) -> Signature {
    Signature::new(html.as_bytes(), &block_text(DocumentFormat::Html, html.as_bytes()))
}

#[test]
fn signature_json_round_trip() {
    let page = signature(
        "<title>Owls</title><nav>x</nav><p>They <a href=/h>hoot</a> é at night, long and loud.",
    );
    let json = serde_json::to_string(&page).unwrap();
    assert_eq!(serde_json::from_str::<Signature>(&json).unwrap(), page);
    assert!(
        serde_json::from_str::<Signature>(&json.replace("\"words\":\"", "\"words\":\"x")).is_err()
    );
}

#[test]
fn equal_words_have_equal_hashes_and_different_checksums() {
    let (left, right) = (signature("<p>Owls hoot."), signature("<div><b>owls</b>  hoot!</div>"));
    assert_eq!(left.blocks[0].hash, right.blocks[0].hash);
    assert_eq!(left.letters, right.letters);
    assert_ne!(left.checksum, right.checksum);
}

#[test]
fn terms_are_the_most_frequent_words_that_are_not_stop_words() {
    let page = signature("<p>the owl and the owl and the mouse");
    let mut expect = [word_hash("owl"), word_hash("mouse")];
    expect.sort_unstable();
    assert_eq!(page.terms, expect);
}

#[test]
fn signature_of_a_hostile_page_is_bounded() {
    let long = signature(&"<p>some words here ".repeat(200_000));
    assert!(long.words.len() <= MAX_WORDS && long.blocks.len() <= MAX_SIGNATURE_BLOCKS + 1);
    let ranges = long.ranges();
    assert!(ranges.iter().all(|range| range.end <= long.words.len()));
    assert!(serde_json::to_string(&long).unwrap().len() < 3_000_000);
    let headings = signature(&"<h1>x</h1>".repeat(100_000));
    assert_eq!(headings.blocks.len(), MAX_SIGNATURE_BLOCKS + 1);
    assert_eq!(headings.content_words(), 100_000);
    let links = signature(&"<a href=/x>y</a>".repeat(20_000));
    assert_eq!(links.links.len(), MAX_SIGNATURE_LINKS);
}

#[test]
fn ranges_of_blocks_without_stored_words_are_empty() {
    let page = signature(&format!("<p>a b<p>{}<p>c", "word ".repeat(MAX_WORDS)));
    let lengths: Vec<_> = page.ranges().iter().map(Range::len).collect();
    assert_eq!(lengths, [2, 0, 0]);
}

#[test]
fn links_have_their_block_and_excerpts_are_truncated() {
    let page = signature(&format!("<p>—<p>{} <a href=/b>b</a>", "é".repeat(100)));
    assert_eq!(page.links, [SignatureLink { url: "/b".into(), block: Some(0) }]);
    assert_eq!(page.blocks[0].excerpt.chars().count(), MAX_EXCERPT_LENGTH);
}
