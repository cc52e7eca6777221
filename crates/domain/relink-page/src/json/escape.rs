//! What the escapes of a JSON string mean (RFC 8259, 7).

use std::ops::Range;

use memchr::memchr;

use crate::cut::Cut as _;
use crate::resolved::UnescapedText;

/// Adds the content of a string that stands at `range` to `resolved`. What is
/// no escape is taken as it is written.
pub(crate) fn resolve(text: &str, range: Range<usize>, resolved: &mut UnescapedText) {
    let (mut plain, mut from) = (range.start, range.start);
    while let Some(next) = memchr(b'\\', text.as_bytes().cut(from..range.end)) {
        let at = from + next;
        let Some((character, length)) = escape(text.cut(at..range.end)) else {
            from = at + 1;
            continue;
        };
        resolved.push_plain(text, plain..at);
        resolved.push_escape(at..at + length, character.encode_utf8(&mut [0; 4]));
        from = at + length;
        plain = from;
    }
    resolved.push_plain(text, plain..range.end);
}

/// What the escape at the start of `text` means, and its length.
fn escape(text: &str) -> Option<(char, usize)> {
    let character = match text.as_bytes().get(1)? {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
        b'u' => return unicode(text),
        _ => return None,
    };
    Some((character, 2))
}

/// `\u0041`, or two of them that stand for one character (UTF-16).
fn unicode(text: &str) -> Option<(char, usize)> {
    let first = code_unit(text)?;
    let second = text.get(6..).and_then(code_unit);
    let pair = [Some(first), second].into_iter().flatten();
    match char::decode_utf16(pair).next()? {
        Ok(character) => Some((character, 6 * character.len_utf16())),
        Err(_) => Some((char::REPLACEMENT_CHARACTER, 6)),
    }
}

fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, means: &str) {
        let mut resolved = UnescapedText::default();
        resolve(written, 0..written.len(), &mut resolved);
        assert_eq!(resolved.text(), means);
    }

    #[test]
    fn escapes_mean_one_character() {
        check(r#"a\"b\\c\/d\n"#, "a\"b\\c/d\n");
        check(r"\u0026\u00e9\ud83d\ude00!", "&é😀!");
    }

    #[test]
    fn what_is_no_escape_stays() {
        check(r"\x \u12 \u12g4 \", r"\x \u12 \u12g4 \");
        check(r"\ud83d \u+123", "\u{fffd} \\u+123");
        check("\\é", "\\é");
    }
}
