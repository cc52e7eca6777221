//! Entities and character references (XML 1.0, sections 4.1 and 4.6). A *reference* is
//! `&name;`, `&#65;` or `&#x41;`.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use crate::safe_slice::SafeSlice as _;

/// Maximum length of a reference: `&#x10FFFF;` with leading zeros.
const REFERENCE_LENGTH: usize = 16;

/// Resolves character references and the five predefined entities. Other
/// entities are unchanged.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('&') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        text.push_str(rest.slice(..at));
        rest = rest.slice(at..);
        // An `&` that does not start a known reference is copied.
        let (character, length) = decode_reference(rest).unwrap_or(('&', 1));
        text.push(character);
        rest = rest.slice(length..);
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Decodes the reference at the start of `text`. Returns the character and the
/// length of the reference.
fn decode_reference(text: &str) -> Option<(char, usize)> {
    let head = text.as_bytes().slice(..text.len().min(REFERENCE_LENGTH));
    let end = memchr(b';', head)?;
    let name = text.slice(1..end);
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => decode_number(name.strip_prefix('#')?)?,
    };
    Some((character, end + 1))
}

/// Decodes the number of a character: `65` or `x41`.
fn decode_number(number: &str) -> Option<char> {
    let (digits, radix) = match number.strip_prefix('x') {
        Some(hex) => (hex, 16),
        None => (number, 10),
    };
    let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number.then(|| u32::from_str_radix(digits, radix).ok()).flatten().and_then(char::from_u32)
}

/// Splits a range at references to `<`, `>`, quotes and white space, because a URL cannot
/// contain these characters. If `is_escaped` is false, the text has no references, and the
/// whole range is returned.
pub(super) fn split_at_delimiters(
    text: &str,
    range: Range<usize>,
    is_escaped: bool,
) -> impl Iterator<Item = Range<usize>> {
    let mut next_start = Some(range.start);
    std::iter::from_fn(move || {
        let part_start = next_start?;
        let mut search_start = part_start;
        while let Some(offset) =
            memchr(b'&', text.as_bytes().slice(search_start..range.end)).filter(|_| is_escaped)
        {
            let ampersand = search_start + offset;
            match decode_reference(text.slice(ampersand..range.end)) {
                Some((character, length)) if is_delimiter(character) => {
                    next_start = Some(ampersand + length);
                    return Some(part_start..ampersand);
                }
                _ => search_start = ampersand + 1,
            }
        }
        // The part after the last delimiter ends the iteration.
        next_start = None;
        Some(part_start..range.end)
    })
}

fn is_delimiter(character: char) -> bool {
    character.is_whitespace() || matches!(character, '<' | '>' | '"' | '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_predefined_entities_and_character_references_are_resolved() {
        assert_eq!(unescape("a&amp;&lt;&gt;&quot;&apos;&#65;&#x42;"), "a&<>\"'AB");
        assert_eq!(
            unescape("&xxe; &copy; & &; &#; &#x; &#xD800; &amp"),
            "&xxe; &copy; & &; &#; &#x; &#xD800; &amp"
        );
        assert_eq!(unescape("&amp;amp;"), "&amp;");
        assert_eq!(unescape("&ééééééééé;"), "&ééééééééé;");
    }

    #[test]
    fn split_at_delimiters_ends_parts_at_references() {
        let text = "a&quot;b&amp;c&lt;&gt;d";
        let parts = |is_escaped| -> Vec<&str> {
            split_at_delimiters(text, 0..text.len(), is_escaped)
                .map(|range| text.slice(range))
                .collect()
        };
        assert_eq!(parts(true), ["a", "b&amp;c", "", "d"]);
        assert_eq!(parts(false), [text]);
    }
}
