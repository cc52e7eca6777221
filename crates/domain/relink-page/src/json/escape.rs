//! JSON string escapes (RFC 8259, 7).

use std::ops::Range;

use memchr::memchr;

use crate::safe_slice::SafeSlice as _;
use crate::unescaped_text::UnescapedText;

/// Appends the content of a string at `range` to `unescaped`. Invalid escapes are
/// copied unchanged.
pub(crate) fn unescape_into(text: &str, range: Range<usize>, unescaped: &mut UnescapedText) {
    let (mut plain_start, mut search_start) = (range.start, range.start);
    while let Some(offset) = memchr(b'\\', text.as_bytes().slice(search_start..range.end)) {
        let backslash = search_start + offset;
        let Some((character, length)) = decode_escape(text.slice(backslash..range.end)) else {
            search_start = backslash + 1;
            continue;
        };
        let escape_end = backslash + length;
        unescaped.push_plain(text, plain_start..backslash);
        unescaped.push_escape(backslash..escape_end, character.encode_utf8(&mut [0; 4]));
        search_start = escape_end;
        plain_start = escape_end;
    }
    unescaped.push_plain(text, plain_start..range.end);
}

/// Decodes the escape at the start of `text`. Returns the character and the
/// length of the escape.
fn decode_escape(text: &str) -> Option<(char, usize)> {
    let character = match text.as_bytes().get(1)? {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        b'u' => return decode_unicode_escape(text),
        _ => return None,
    };
    Some((character, 2))
}

/// Decodes `\u0041`, or a surrogate pair of two such escapes.
fn decode_unicode_escape(text: &str) -> Option<(char, usize)> {
    let first = decode_code_unit(text)?;
    let second = text.get(6..).and_then(decode_code_unit);
    let pair = [Some(first), second].into_iter().flatten();
    match char::decode_utf16(pair).next()? {
        Ok(character) => Some((character, 6 * character.len_utf16())),
        Err(_) => Some((char::REPLACEMENT_CHARACTER, 6)),
    }
}

/// Decodes the UTF-16 code unit of one escape: `\u0041` is 0x41.
fn decode_code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the decoded text of the content of a JSON string.
    #[track_caller]
    fn check(raw: &str, decoded: &str) {
        let mut unescaped = UnescapedText::default();
        unescape_into(raw, 0..raw.len(), &mut unescaped);
        assert_eq!(unescaped.text(), decoded);
    }

    #[test]
    fn each_escape_decodes_to_one_character() {
        check(r#"a\"b\\c\/d\n"#, "a\"b\\c/d\n");
        check(r"\u0026\u00e9\ud83d\ude00!", "&é😀!");
    }

    #[test]
    fn invalid_escapes_are_unchanged() {
        check(r"\x \u12 \u12g4 \", r"\x \u12 \u12g4 \");
        check(r"\ud83d \u+123", "\u{fffd} \\u+123");
        check("\\é", "\\é");
    }
}
