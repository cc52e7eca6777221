//! Brackets by the thousand, which only mean to harm.
//!
//! The parser keeps a node for every bracket that may begin or end a link. Of a
//! run of opening ones that is longer than any text needs, all but the last
//! ones are read as letters, and so are brackets that crowd the end of a text
//! in which no link can end any more; every place stays where it is.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem, memrchr};

use crate::cut::Cut as _;

/// Brackets in a row that are all believed.
const LONGEST: usize = 64;

/// What the brackets before those are read as.
const LETTER: &str = "x";

/// Bytes of a text that no link ends in, from which on its brackets are
/// doubted. No paragraph is that long.
const LONG: usize = 64 << 10;

/// One byte in so many being a bracket is a crowd.
const CROWD: usize = 8;

/// The text without brackets that only mean to harm.
pub(crate) fn neutralize_brackets(text: Cow<'_, str>) -> Cow<'_, str> {
    let text = without_runs(text);
    // A definition anywhere makes links of brackets alone.
    if text.len() < LONG || memmem::find(text.as_bytes(), b"]:").is_some() {
        return text;
    }
    without_crowds(text)
}

/// The text with brackets as letters where they crowd, and no link can end.
fn without_crowds(text: Cow<'_, str>) -> Cow<'_, str> {
    let mut blunted = String::new();
    let mut kept = 0;
    for part in parts(&text) {
        let tail = memrchr(b')', text.as_bytes().cut(part.clone())).map_or(0, |at| at + 1);
        let tail = text.cut(part.start + tail..part.end);
        if is_crowd(tail) {
            blunted.push_str(text.cut(kept..part.end - tail.len()));
            blunted.push_str(&tail.replace(['[', ']'], LETTER));
            kept = part.end;
        }
    }
    if kept == 0 {
        return text;
    }
    blunted.push_str(text.cut(kept..));
    blunted.into()
}

/// The parts between empty lines, which no link reaches across.
fn parts(text: &str) -> impl Iterator<Item = Range<usize>> {
    let gaps = memmem::find_iter(text.as_bytes(), b"\n\n").map(|gap| gap + 2);
    let ends = gaps.clone().chain([text.len()]);
    [0].into_iter().chain(gaps).zip(ends).map(|(start, end)| start..end)
}

/// Whether brackets crowd here, and stand for nothing else that is looked for:
/// pages in double brackets, addresses, HTML.
fn is_crowd(tail: &str) -> bool {
    let bytes = tail.as_bytes();
    let holds = |sign: &[u8]| memmem::find(bytes, sign).is_some();
    bytes.len() >= LONG
        && memchr_iter(b'[', bytes).count() + memchr_iter(b']', bytes).count() > bytes.len() / CROWD
        && memchr(b'<', bytes).is_none()
        && !holds(b"]]")
        && !holds(b"://")
        && !holds(b"www.")
}

/// The text with long runs of brackets cut to their ends.
fn without_runs(text: Cow<'_, str>) -> Cow<'_, str> {
    let run = [b'['; LONGEST + 1];
    if memmem::find(text.as_bytes(), &run).is_none() {
        return text;
    }
    let mut blunted = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = memmem::find(rest.as_bytes(), &run) {
        let after = rest.cut(at..).trim_start_matches('[');
        let length = rest.len() - at - after.len();
        blunted.push_str(rest.cut(..at));
        blunted.push_str(&LETTER.repeat(length - LONGEST));
        blunted.push_str(rest.cut(at + length - LONGEST..at + length));
        rest = after;
    }
    blunted.push_str(rest);
    blunted.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runs_past_all_need_lose_their_brackets() {
        let kept = format!("a {} b", "[".repeat(LONGEST));
        assert_eq!(neutralize_brackets(Cow::Borrowed(&kept)), kept);
        let long = format!("{kept} {}[c](d) {}", "[".repeat(9 + LONGEST), "[".repeat(1 + LONGEST));
        let blunt = neutralize_brackets(Cow::Borrowed(&long)).into_owned();
        let all = "[".repeat(LONGEST);
        assert_eq!(blunt, format!("{kept} {}{all}c](d) x{all}", "x".repeat(10)));
        assert_eq!(blunt.len(), long.len());
    }

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert!(
            neutralize_brackets(Cow::Borrowed(text)) == expect,
            "{}",
            text.cut(text.len() - 20..)
        );
    }

    #[test]
    fn a_crowd_that_no_link_ends_in_loses_its_brackets() {
        let crowd = "[a](".repeat(LONG / 4);
        let letters = "xax(".repeat(LONG / 4);
        check(&crowd, &letters);
        check(&format!("[a](b) {crowd}\n\n[c](d)"), &format!("[a](b) {letters}\n\n[c](d)"));
    }

    #[test]
    fn a_crowd_that_may_mean_something_stays() {
        let crowd = "[a](".repeat(LONG / 4);
        for text in [
            format!("{crowd})"),
            format!("{crowd}\n\n[a]: b"),
            format!("{crowd}[[b]]"),
            format!("{crowd} https://a.test/[]"),
            format!("{crowd} <a href=b>"),
            "[a](".repeat(LONG / 8),
            "[a] and a lot of words ".repeat(LONG / 8),
        ] {
            check(&text, &text);
        }
    }
}
