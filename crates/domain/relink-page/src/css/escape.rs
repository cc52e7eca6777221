//! What the escapes of CSS mean (CSS Syntax Level 3, 4.3.7).

use crate::cut::Cut as _;

/// The text with its escapes resolved; nothing if it has none.
pub(super) fn resolved(written: &str) -> Option<String> {
    if !written.contains('\\') {
        return None;
    }
    let mut text = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = rest.find('\\') {
        text.push_str(rest.cut(..at));
        rest = escape(rest.cut(at + 1..), &mut text);
    }
    text.push_str(rest);
    Some(text)
}

/// Adds what the escape before `after` means, and returns what follows it.
fn escape<'t>(after: &'t str, text: &mut String) -> &'t str {
    let digits = after.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
    if digits > 0 {
        let code = u32::from_str_radix(after.cut(..digits), 16).ok().filter(|&code| code != 0);
        text.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
        let rest = after.cut(digits..);
        return rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix(is_space)).unwrap_or(rest);
    }
    // A line end is joined over.
    if let Some(rest) = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')) {
        return rest;
    }
    match after.chars().next() {
        Some(character) => {
            text.push(character);
            after.cut(character.len_utf8()..)
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

    #[track_caller]
    fn check(written: &str, means: &str) {
        assert_eq!(resolved(written).as_deref(), Some(means));
    }

    #[test]
    fn escapes_are_by_code_or_by_character() {
        check(r"\26 b\000026b\)\é\", "&b&b)é");
        check("a\\\nb\\41\r\nc", "abAc");
        check(r"\0 \110000 x\d800", "\u{fffd}\u{fffd}x\u{fffd}");
        assert_eq!(resolved("a"), None);
    }
}
