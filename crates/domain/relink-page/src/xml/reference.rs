//! Entities and character references of XML (XML 1.0, 4.1 and 4.6).

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use crate::cut::Cut as _;

/// The longest reference that is resolved: `&#x10FFFF;`, with a few zeros.
const REFERENCE_LENGTH: usize = 16;

/// The text with the five entities and character references resolved. Any
/// other entity stays as it is written.
pub(super) fn unescape(written: &str) -> Cow<'_, str> {
    if !written.contains('&') {
        return Cow::Borrowed(written);
    }
    let mut text = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = rest.find('&') {
        text.push_str(rest.cut(..at));
        rest = rest.cut(at..);
        let (character, length) = reference(rest).unwrap_or(('&', 1));
        text.push(character);
        rest = rest.cut(length..);
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// What the reference at the start of `text` means, and its length.
fn reference(text: &str) -> Option<(char, usize)> {
    let near = text.as_bytes().cut(..text.len().min(REFERENCE_LENGTH));
    let end = memchr(b';', near)?;
    let name = text.cut(1..end);
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => by_number(name.strip_prefix('#')?)?,
    };
    Some((character, end + 1))
}

fn by_number(number: &str) -> Option<char> {
    let (digits, radix) = match number.strip_prefix('x') {
        Some(hex) => (hex, 16),
        None => (number, 10),
    };
    let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number.then(|| u32::from_str_radix(digits, radix).ok()).flatten().and_then(char::from_u32)
}

/// The parts of a text between references to `<`, `>`, quotes and white space,
/// none of which an address goes past. Without `marks_count` it is one part.
pub(super) fn parts_between_marks(
    text: &str,
    range: Range<usize>,
    marks_count: bool,
) -> impl Iterator<Item = Range<usize>> {
    let mut start = Some(range.start);
    std::iter::from_fn(move || {
        let from = start?;
        let mut at = from;
        while let Some(next) =
            memchr(b'&', text.as_bytes().cut(at..range.end)).filter(|_| marks_count)
        {
            let sign = at + next;
            match reference(text.cut(sign..range.end)) {
                Some((mark, length)) if is_mark(mark) => {
                    start = Some(sign + length);
                    return Some(from..sign);
                }
                _ => at = sign + 1,
            }
        }
        start = None;
        Some(from..range.end)
    })
}

fn is_mark(character: char) -> bool {
    character.is_whitespace() || matches!(character, '<' | '>' | '"' | '\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_xml_itself_defines_is_resolved() {
        assert_eq!(unescape("a&amp;&lt;&gt;&quot;&apos;&#65;&#x42;"), "a&<>\"'AB");
        assert_eq!(
            unescape("&xxe; &copy; & &; &#; &#x; &#xD800; &amp"),
            "&xxe; &copy; & &; &#; &#x; &#xD800; &amp"
        );
        assert_eq!(unescape("&amp;amp;"), "&amp;");
        assert_eq!(unescape("&ééééééééé;"), "&ééééééééé;");
    }

    #[test]
    fn parts_end_at_marks() {
        let text = "a&quot;b&amp;c&lt;&gt;d";
        let parts = |counts| -> Vec<&str> {
            parts_between_marks(text, 0..text.len(), counts).map(|range| text.cut(range)).collect()
        };
        assert_eq!(parts(true), ["a", "b&amp;c", "", "d"]);
        assert_eq!(parts(false), [text]);
    }
}
