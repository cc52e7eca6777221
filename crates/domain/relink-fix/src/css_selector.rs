//! CSS selectors of links, for content management systems.

use relink_model::Span;

/// Returns a CSS selector of the elements with the same attribute as the link at `span` of
/// an HTML document. `value` is the value of the attribute, without character references.
/// Returns `None` if the span is not the value of an attribute.
///
/// ```
/// let page = b"<p>An <A HREF='http://example.org/?a&amp;b'>oak</A>";
/// let start = page.iter().position(|byte| *byte == b'h').unwrap();
/// let selector = relink_fix::css_selector(page, (start..page.len() - 8).into(), "http://example.org/?a&b");
/// assert_eq!(selector.unwrap(), "a[href=\"http://example.org/?a&b\"]");
/// ```
pub fn css_selector(document: &[u8], span: Span, value: &str) -> Option<String> {
    let before = document.get(..span.start)?;
    let start = before.iter().rposition(|byte| *byte == b'<')?;
    let tag = String::from_utf8_lossy(before.get(start + 1..)?).to_ascii_lowercase();
    let is_name_end = |letter: char| letter.is_ascii_whitespace() || letter == '/';
    let element = plain_name(tag.split(is_name_end).next()?)?;
    // The tag now ends with the value: ` href='`.
    let before_value = tag.trim_end_matches(['"', '\'']).trim_end().strip_suffix('=')?.trim_end();
    let is_separator = |letter: char| letter.is_ascii_whitespace() || "\"'/".contains(letter);
    let attribute = plain_name(before_value.rsplit(is_separator).next()?)?;
    let value: String = value.chars().map(escape).collect();
    Some(format!("{element}[{attribute}=\"{value}\"]"))
}

/// Returns `text` if it is a name that needs no escapes in a selector.
fn plain_name(text: &str) -> Option<&str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let is_name =
        text.starts_with(|letter: char| letter.is_ascii_alphabetic()) && text.chars().all(is_plain);
    is_name.then_some(text)
}

/// Escapes a character for a string in CSS.
fn escape(character: char) -> String {
    match character {
        '"' | '\\' => format!("\\{character}"),
        _ if character.is_control() => format!("\\{:x} ", u32::from(character)),
        _ => character.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the selector of the element with the URL `http://example.org/`.
    #[track_caller]
    fn check(document: &str, expect: Option<&str>) {
        let start = document.find("http").unwrap();
        let end = start + "http://example.org/".len();
        let span = Span { start, end };
        let selector = css_selector(document.as_bytes(), span, "http://example.org/");
        assert_eq!(selector.as_deref(), expect, "{document}");
    }

    #[test]
    fn selector_names_the_element_and_its_attribute() {
        check("<a href=http://example.org/>", Some("a[href=\"http://example.org/\"]"));
        check("<a\n id='x'href = 'http://example.org/'>", Some("a[href=\"http://example.org/\"]"));
        check(
            "<b><IMG alt=\"\" src=\"http://example.org/",
            Some("img[src=\"http://example.org/\"]"),
        );
    }

    #[test]
    fn text_and_unusual_names_have_no_selector() {
        check("see http://example.org/", None);
        check("<p>see http://example.org/", None);
        check("<a ö=\"http://example.org/\">", None);
    }

    #[test]
    fn quotes_and_control_characters_are_escaped() {
        let document = b"<a href='x'>";
        let selector = css_selector(document, Span { start: 9, end: 10 }, "a\"b\\c\nd");
        assert_eq!(selector.as_deref(), Some("a[href=\"a\\\"b\\\\c\\a d\"]"));
    }
}
