//! The text of a link, for reports and reviews.
//!
//! The rules are approximate. If the text of a link is not found, it is empty.

use relink_model::Span;
use relink_page::DocumentFormat;

use crate::citation_template::template_parameter;

/// Maximum number of bytes of a text.
const MAX_LENGTH: usize = 300;

/// Returns the text of the link at `span`.
pub fn anchor_text(format: DocumentFormat, document: &[u8], span: Span) -> String {
    let before = document.get(..span.start).unwrap_or_default();
    let after = document.get(span.end..).unwrap_or_default();
    let text = match format {
        DocumentFormat::Wikitext if before.ends_with(b"[") => text_before(after, b"]"),
        DocumentFormat::Wikitext => {
            return template_parameter(document, span, "title").unwrap_or_default();
        }
        DocumentFormat::Markdown => bracket_text(before),
        // The text starts after the start tag, which contains the URL.
        DocumentFormat::Html => text_before(after, b"</a").and_then(|text| {
            text.iter().position(|byte| *byte == b'>').and_then(|start| text.get(start + 1..))
        }),
        _ => None,
    };
    let text = String::from_utf8_lossy(text.unwrap_or_default()).into_owned();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the text before the first occurrence of `mark`, regardless of upper and lower case.
fn text_before<'a>(text: &'a [u8], mark: &[u8]) -> Option<&'a [u8]> {
    let text = text.get(..text.len().min(MAX_LENGTH))?;
    let end = text.windows(mark.len()).position(|part| part.eq_ignore_ascii_case(mark))?;
    text.get(..end)
}

/// Returns the text in brackets if `before`, the text before the destination, ends like
/// `[text](`.
fn bracket_text(before: &[u8]) -> Option<&[u8]> {
    let before = before.strip_suffix(b"<").unwrap_or(before).strip_suffix(b"](")?;
    let mut depth = 0_usize;
    for (index, byte) in before.iter().enumerate().rev().take(MAX_LENGTH) {
        match byte {
            b']' => depth += 1,
            b'[' if depth == 0 => return before.get(index + 1..),
            b'[' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://example.org/a";

    /// Asserts the text of the link with the URL [`URL`].
    #[track_caller]
    fn check(format: DocumentFormat, document: &str, expected: &str) {
        let start = document.find(URL).unwrap();
        let span = (start..start + URL.len()).into();
        assert_eq!(anchor_text(format, document.as_bytes(), span), expected, "{document}");
    }

    #[test]
    fn text_of_a_link_is_found() {
        check(DocumentFormat::Wikitext, "x [http://example.org/a the  oak] y", "the oak");
        check(DocumentFormat::Wikitext, "{{cite web|url=http://example.org/a|title=Oak}}", "Oak");
        check(DocumentFormat::Markdown, "[a [b] c](http://example.org/a)", "a [b] c");
        check(DocumentFormat::Html, "<a href=\"http://example.org/a\" id=x>oak</A>", "oak");
    }

    #[test]
    fn text_of_a_link_without_text_is_empty() {
        check(DocumentFormat::Wikitext, "http://example.org/a", "");
        check(DocumentFormat::Markdown, "<http://example.org/a>", "");
        check(DocumentFormat::PlainText, "http://example.org/a", "");
    }
}
