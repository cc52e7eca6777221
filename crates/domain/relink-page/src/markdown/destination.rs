//! Finds the destination within a link or definition.
//!
//! The parser has already validated the link (CommonMark 0.31.2, sections 4.7 and
//! 6.3), so this module does not check the syntax.

use std::ops::Range;

use memchr::{memchr, memmem};

use crate::safe_slice::{ByteAt as _, SafeSlice as _};

/// Finds the destination in `[text](destination "title")`, where `text` ends at
/// `inside_end` or later.
pub(crate) fn find_inline(
    text: &str,
    inside_end: usize,
    whole: &Range<usize>,
) -> Option<Range<usize>> {
    let bytes = text.as_bytes().slice(..whole.end);
    let mut from = inside_end.max(whole.start);
    // The parser drops trailing backslashes and spaces of the text, so the
    // closing bracket may come later.
    loop {
        let close = from + memchr(b']', bytes.get(from..)?)?;
        if bytes.get(close + 1) == Some(&b'(') {
            return Some(destination_at(text, close + 2, whole.end));
        }
        from = close + 1;
    }
}

/// Finds the destination in `[label]: destination "title"`.
pub(crate) fn find_in_definition(text: &str, whole: &Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes().slice(..whole.end);
    let mut at = whole.start + memchr(b'[', bytes.get(whole.start..)?)? + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b']' if bytes.get(at + 1) == Some(&b':') => break,
            _ => at += 1,
        }
    }
    Some(destination_at(text, at + 2, whole.end))
}

/// Finds the last occurrence of the text `dest` in the link or definition.
pub(crate) fn find_by_text(text: &str, whole: &Range<usize>, dest: &str) -> Option<Range<usize>> {
    let found = memmem::rfind(text.as_bytes().slice(whole.clone()), dest.as_bytes())?;
    let start = whole.start + found;
    Some(start..start + dest.len())
}

/// Returns the destination after the white space at `from`.
fn destination_at(text: &str, from: usize, end: usize) -> Range<usize> {
    let bytes = text.as_bytes().slice(..end);
    let start = skip_space(bytes, from);
    if bytes.get(start) == Some(&b'<') {
        return start + 1..bracketed_end(bytes, start + 1);
    }
    start..plain_end(bytes, start)
}

/// Skips white space, and block quote markers at the start of lines.
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

/// Returns the end of a `<destination>`: the first `>` that is not escaped.
fn bracketed_end(bytes: &[u8], start: usize) -> usize {
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

/// Returns the end of a plain destination: white space or an unmatched closing
/// parenthesis.
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

/// Decodes the escapes and entities of a destination (CommonMark 0.31.2, 2.4
/// and 2.5).
pub(crate) fn decode(raw: &str) -> String {
    let bytes = raw.as_bytes();
    let mut decoded = String::with_capacity(raw.len());
    let mut from = 0;
    let mut at = 0;
    while let Some(found) = memchr(b'\\', bytes.slice(at..)) {
        let escape = at + found;
        at = escape + 1;
        if is_escape(bytes, escape) {
            push_decoding_entities(raw.slice(from..escape), &mut decoded);
            // Push the escaped character separately, because it is never part of an entity.
            decoded.push(char::from(bytes.byte(at)));
            at += 1;
            from = at;
        }
    }
    push_decoding_entities(raw.slice(from..), &mut decoded);
    decoded
}

/// Appends `raw` with its entities decoded. In CommonMark, an entity ends with
/// a semicolon.
fn push_decoding_entities(raw: &str, decoded: &mut String) {
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        let (before, entity) = rest.split_at(at);
        decoded.push_str(before);
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
        let name_length =
            entity.as_bytes().slice(1..).iter().take_while(|byte| is_part(byte)).count();
        let is_entity = entity.as_bytes().get(1 + name_length) == Some(&b';');
        let (entity, after) = entity.split_at(if is_entity { name_length + 2 } else { 1 });
        decoded.push_str(&htmlize::unescape(entity));
        rest = after;
    }
    decoded.push_str(rest);
}

/// Whether the backslash at `at` escapes the character after it.
fn is_escape(bytes: &[u8], at: usize) -> bool {
    bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation)
}
