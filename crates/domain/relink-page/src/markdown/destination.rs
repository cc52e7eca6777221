//! Where in a whole link or definition the destination itself stands.
//!
//! The parser has already said that the link is one (CommonMark 0.31.2, 4.7
//! and 6.3), so the rules here only need to find the place, not to judge it.

use std::ops::Range;

use memchr::{memchr, memmem};

use crate::cut::{ByteAt as _, Cut as _};

/// The destination in `[text](destination "title")`, where `text` ends at
/// `inside_end`.
pub(crate) fn of_inline(
    text: &str,
    inside_end: usize,
    whole: &Range<usize>,
) -> Option<Range<usize>> {
    let bytes = text.as_bytes().cut(..whole.end);
    let mut from = inside_end.max(whole.start);
    // What the parser drops at the end of the text (a lone escape, space) may
    // stand before the closing bracket.
    loop {
        let close = from + memchr(b']', bytes.get(from..)?)?;
        if bytes.get(close + 1) == Some(&b'(') {
            return Some(at(text, close + 2, whole.end));
        }
        from = close + 1;
    }
}

/// The destination in `[label]: destination "title"`.
pub(crate) fn of_definition(text: &str, whole: &Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes().cut(..whole.end);
    let mut place = whole.start + memchr(b'[', bytes.get(whole.start..)?)? + 1;
    loop {
        match bytes.get(place)? {
            b'\\' => place += 2,
            b']' if bytes.get(place + 1) == Some(&b':') => break,
            _ => place += 1,
        }
    }
    Some(at(text, place + 2, whole.end))
}

/// The last place where the destination is written as it reads.
pub(crate) fn by_text(text: &str, whole: &Range<usize>, dest: &str) -> Option<Range<usize>> {
    let found = memmem::rfind(text.as_bytes().cut(whole.clone()), dest.as_bytes())?;
    let start = whole.start + found;
    Some(start..start + dest.len())
}

/// The destination that begins after the white space at `from`.
fn at(text: &str, from: usize, end: usize) -> Range<usize> {
    let bytes = text.as_bytes().cut(..end);
    let start = skip_space(bytes, from);
    if bytes.get(start) == Some(&b'<') {
        return start + 1..pointed_end(bytes, start + 1);
    }
    start..plain_end(bytes, start)
}

/// Passes over white space, and over the marks of a quotation after a line end.
fn skip_space(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    let mut is_line_start = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' | b'\r' => is_line_start = true,
            b' ' | b'\t' | 0x0B | 0x0C => {}
            b'>' if is_line_start => {}
            _ => break,
        }
        at += 1;
    }
    at
}

/// Where `<destination>` ends: at the first `>` that is not escaped.
fn pointed_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() {
        match bytes.byte(at) {
            b'>' => return at,
            b'\\' if is_escape(bytes, at) => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Where a plain destination ends: at white space or at a closing parenthesis
/// that it did not open.
fn plain_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while at < bytes.len() {
        match bytes.byte(at) {
            0..=b' ' | 0x7F => break,
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            b'\\' if is_escape(bytes, at) => at += 1,
            _ => {}
        }
        at += 1;
    }
    at.min(bytes.len())
}

/// What a destination means as it is written, its escapes and entities
/// resolved (CommonMark 0.31.2, 2.4 and 2.5).
pub(crate) fn meaning(written: &str) -> String {
    let bytes = written.as_bytes();
    let mut meaning = String::with_capacity(written.len());
    let mut from = 0;
    let mut at = 0;
    while let Some(found) = memchr(b'\\', bytes.cut(at..)) {
        let escape = at + found;
        at = escape + 1;
        if is_escape(bytes, escape) {
            push_unescaped(written.cut(from..escape), &mut meaning);
            // What is escaped is never the end of something longer.
            meaning.push(char::from(bytes.byte(at)));
            at += 1;
            from = at;
        }
    }
    push_unescaped(written.cut(from..), &mut meaning);
    meaning
}

/// Resolves entities, which end in a semicolon here.
fn push_unescaped(written: &str, meaning: &mut String) {
    let mut rest = written;
    while let Some(at) = rest.find('&') {
        let (before, entity) = rest.split_at(at);
        meaning.push_str(before);
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
        let name = entity.as_bytes().cut(1..).iter().take_while(|byte| is_part(byte)).count();
        let is_entity = entity.as_bytes().get(1 + name) == Some(&b';');
        let (entity, after) = entity.split_at(if is_entity { name + 2 } else { 1 });
        meaning.push_str(&htmlize::unescape(entity));
        rest = after;
    }
    meaning.push_str(rest);
}

fn is_escape(bytes: &[u8], at: usize) -> bool {
    bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation)
}
