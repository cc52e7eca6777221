//! Limits the memory that crafted input with many brackets can cause the parser
//! to use.
//!
//! The parser allocates a node for every bracket that may start or end a link. In a
//! long run of `[`, all but the last brackets are replaced with letters. In a text with
//! a high density of brackets, all brackets after the last position where a link could
//! end are replaced. Replacements do not change offsets.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::safe_slice::SafeSlice as _;

/// Maximum number of consecutive `[` that are left unchanged.
const MAX_RUN: usize = 64;

/// The text that replaces a bracket.
const REPLACEMENT: &str = "x";

/// Minimum length of a dense text whose brackets are replaced, in bytes. It is
/// longer than any real paragraph.
const MIN_DENSE_TAIL: usize = 64 << 10;

/// A text is dense if more than one byte in 8 is a bracket.
const DENSITY: usize = 8;

/// Replaces brackets that cannot be part of a link.
pub(crate) fn neutralize_brackets(text: Cow<'_, str>) -> Cow<'_, str> {
    let text = shorten_runs(text);
    // With a reference definition, any `[label]` may be a link.
    if text.len() < MIN_DENSE_TAIL || memmem::find(text.as_bytes(), b"]:").is_some() {
        return text;
    }
    neutralize_dense_tails(text)
}

/// Replaces the brackets of dense text at the end of a block, where no link can
/// end.
fn neutralize_dense_tails(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut output = String::new();
    let mut copied = 0;
    for block in blocks(&text) {
        // No link ends after the last closing parenthesis.
        let tail_start = memrchr(b')', text.as_bytes().slice(block.clone())).map_or(0, |at| at + 1);
        let tail = text.slice(block.start + tail_start..block.end);
        if is_dense(tail) {
            output.push_str(text.slice(copied..block.end - tail.len()));
            output.push_str(&tail.replace(['[', ']'], REPLACEMENT));
            copied = block.end;
        }
    }
    if copied == 0 {
        return text;
    }
    output.push_str(text.slice(copied..));
    output.into()
}

/// Returns the blocks between empty lines. Links do not span blocks.
fn blocks(text: &str) -> impl Iterator<Item = Range<usize>> {
    let inner_starts = memmem::find_iter(text.as_bytes(), b"\n\n").map(|gap| gap + 2);
    // Each block ends where the next block starts.
    let ends = inner_starts.clone().chain([text.len()]);
    let starts = [0].into_iter().chain(inner_starts);
    starts.zip(ends).map(|(start, end)| start..end)
}

/// Whether the text has a high density of brackets and contains no wiki links,
/// URLs or HTML.
fn is_dense(tail: &str) -> bool {
    let bytes = tail.as_bytes();
    let contains = |marker: &[u8]| memmem::find(bytes, marker).is_some();
    bytes.len() >= MIN_DENSE_TAIL
        && memchr_iter(b'[', bytes).count() + memchr_iter(b']', bytes).count()
            > bytes.len() / DENSITY
        && memchr(b'<', bytes).is_none()
        && !contains(b"]]")
        && !contains(b"://")
        && !contains(b"www.")
}

/// Replaces the first brackets of long runs, so that `MAX_RUN` brackets are left.
fn shorten_runs(text: Cow<'_, str>) -> Cow<'_, str> {
    let run = [b'['; MAX_RUN + 1];
    if memmem::find(text.as_bytes(), &run).is_none() {
        return text;
    }
    let mut output = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = memmem::find(rest.as_bytes(), &run) {
        let after = rest.slice(at..).trim_start_matches('[');
        let length = rest.len() - at - after.len();
        output.push_str(rest.slice(..at));
        output.push_str(&REPLACEMENT.repeat(length - MAX_RUN));
        output.push_str(rest.slice(at + length - MAX_RUN..at + length));
        rest = after;
    }
    output.push_str(rest);
    output.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_runs_are_shortened() {
        let at_limit = format!("a {} b", "[".repeat(MAX_RUN));
        assert_eq!(neutralize_brackets(Cow::Borrowed(&at_limit)), at_limit);
        let over_limit =
            format!("{at_limit} {}[c](d) {}", "[".repeat(9 + MAX_RUN), "[".repeat(1 + MAX_RUN));
        let shortened = neutralize_brackets(Cow::Borrowed(&over_limit)).into_owned();
        let run = "[".repeat(MAX_RUN);
        assert_eq!(shortened, format!("{at_limit} {}{run}c](d) x{run}", "x".repeat(10)));
        assert_eq!(shortened.len(), over_limit.len());
    }

    /// Asserts the text after the replacement. The message contains only the end of the text,
    /// because texts are long.
    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert!(
            neutralize_brackets(Cow::Borrowed(text)) == expect,
            "{}",
            text.slice(text.len() - 20..)
        );
    }

    #[test]
    fn dense_brackets_without_a_link_end_are_replaced() {
        let dense = "[a](".repeat(MIN_DENSE_TAIL / 4);
        let letters = "xax(".repeat(MIN_DENSE_TAIL / 4);
        check(&dense, &letters);
        check(&format!("[a](b) {dense}\n\n[c](d)"), &format!("[a](b) {letters}\n\n[c](d)"));
    }

    #[test]
    fn dense_brackets_that_may_be_links_are_unchanged() {
        let dense = "[a](".repeat(MIN_DENSE_TAIL / 4);
        for text in [
            format!("{dense})"),
            format!("{dense}\n\n[a]: b"),
            format!("{dense}[[b]]"),
            format!("{dense} https://a.test/[]"),
            format!("{dense} <a href=b>"),
            "[a](".repeat(MIN_DENSE_TAIL / 8),
            "[a] and a lot of words ".repeat(MIN_DENSE_TAIL / 8),
        ] {
            check(&text, &text);
        }
    }
}
