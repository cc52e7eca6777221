//! CSS escapes (CSS Syntax Level 3, 4.3.7).

use crate::safe_slice::SafeSlice as _;

/// Decodes the escapes of a text. Returns `None` if the text has no escapes.
pub(super) fn unescape(raw: &str) -> Option<String> {
    if !raw.contains('\\') {
        return None;
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(rest.slice(..at));
        rest = push_escape(rest.slice(at + 1..), &mut text);
    }
    text.push_str(rest);
    Some(text)
}

/// Decodes the escape after a backslash, appends it to `text`, and returns the
/// rest.
fn push_escape<'t>(after: &'t str, text: &mut String) -> &'t str {
    let digits = after.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    if digits > 0 {
        let code = u32::from_str_radix(after.slice(..digits), 16).ok().filter(|&code| code != 0);
        text.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
        let rest = after.slice(digits..);
        return rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix(is_space)).unwrap_or(rest);
    }
    // An escaped line end is removed.
    if let Some(rest) = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')) {
        return rest;
    }
    match after.chars().next() {
        Some(character) => {
            text.push(character);
            after.slice(character.len_utf8()..)
        }
        None => after,
    }
}

fn is_space(character: char) -> bool {
    character.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the decoded text of a CSS token with escapes.
    #[track_caller]
    fn check(raw: &str, decoded: &str) {
        assert_eq!(unescape(raw).as_deref(), Some(decoded));
    }

    #[test]
    fn escapes_by_code_point_and_by_character() {
        check(r"\26 b\000026b\)\é\", "&b&b)é");
        check("a\\\nb\\41\r\nc", "abAc");
        check(r"\0 \110000 x\d800", "\u{fffd}\u{fffd}x\u{fffd}");
        assert_eq!(unescape("a"), None);
    }
}
