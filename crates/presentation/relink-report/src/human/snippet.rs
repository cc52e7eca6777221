//! The source line of a link, with its destination marked.
//!
//! A line may be a megabyte long, contain tabs, wide characters or escape sequences, and be
//! invalid UTF-8. The output always fits a terminal.

use std::ops::Range;

use relink_model::Span;
use unicode_width::UnicodeWidthChar;

use super::{COLUMNS, TextStyle, shown_prose, width};
use crate::{printable, redact};

/// Maximum width of a destination.
const DESTINATION_COLUMNS: usize = 80;

/// Number of bytes that are read before and after the destination. Bytes further away are never
/// shown, because the line is truncated.
const CONTEXT_BYTES: usize = 4096;

/// The source line of a link, truncated to fit a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    before: String,
    destination: String,
    after: String,
}

impl Snippet {
    /// Returns the byte range of a document that [`Self::cut_from`] needs.
    pub fn byte_range(span: Span) -> Range<usize> {
        let destination = span.range();
        destination.start.saturating_sub(CONTEXT_BYTES)
            ..destination.end.saturating_add(CONTEXT_BYTES)
    }

    /// Extracts the line around `span` from the bytes of a document within
    /// [`Self::byte_range`].
    ///
    /// Returns `None` if the span is outside of the bytes.
    pub fn cut_from(bytes: &[u8], span: Span) -> Option<Self> {
        let offset = Self::byte_range(span).start;
        Self::cut(bytes, Span { start: span.start - offset, end: span.end - offset })
    }

    /// Extracts the line around `span` from a document.
    ///
    /// Returns `None` if the span is outside of the document because the document
    /// has changed.
    pub fn cut(document: &[u8], span: Span) -> Option<Self> {
        // If the destination has several lines, only the first line is shown.
        let destination = first_line(document.get(span.range())?);
        let end = span.start + destination.len();
        let context_start = span.start.saturating_sub(CONTEXT_BYTES);
        let context_end = end.saturating_add(CONTEXT_BYTES).min(document.len());
        let before = last_line(document.get(context_start..span.start)?);
        let after = first_line(document.get(end..context_end)?);
        Some(Self::new(&decode_lossy(before), &decode_lossy(destination), &decode_lossy(after)))
    }

    /// Truncates the three parts of a line so that they fit a terminal together.
    fn new(before: &str, destination: &str, after: &str) -> Self {
        let destination = cut_end(&printable(&redact(destination)), DESTINATION_COLUMNS);
        let before = shown_prose(before);
        let after = shown_prose(after);
        let (before, after) = (before.trim_start(), after.trim_end());
        let free_columns = COLUMNS - width(&destination);
        // Each side gets half of the free columns, plus the columns that the other side
        // does not use.
        let columns_before = (free_columns / 2).max(free_columns.saturating_sub(width(after)));
        let before = cut_start(before, columns_before);
        let after = cut_end(after, free_columns - width(&before));
        Self { before, destination, after }
    }

    /// Formats the line and, below its destination, carets and the reason. `color` adds the color
    /// of the carets.
    pub(super) fn lines(
        &self,
        style: TextStyle,
        color: impl Fn(&str) -> String,
        reason: &str,
    ) -> String {
        let gutter = style.quiet("   |");
        let line = format!("{}{}{}", self.before, self.destination, self.after);
        let indent = " ".repeat(width(&self.before));
        let carets = "^".repeat(width(&self.destination).max(1));
        let columns = indent.len() + carets.len() + 1 + width(reason);
        let carets = color(&carets);
        if columns <= COLUMNS {
            return format!("{gutter}  {line}\n{gutter}  {indent}{carets} {reason}\n");
        }
        let equals = style.quiet("   =");
        format!("{gutter}  {line}\n{gutter}  {indent}{carets}\n{equals}  {reason}\n")
    }
}

/// Whether a byte ends a line.
const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns the bytes before the first line end.
fn first_line(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|byte| is_line_end(*byte)).unwrap_or(bytes.len());
    bytes.get(..end).unwrap_or(bytes)
}

/// Returns the bytes after the last line end.
fn last_line(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().rposition(|byte| is_line_end(*byte)).map_or(0, |end| end + 1);
    bytes.get(start..).unwrap_or_default()
}

/// Decodes UTF-8; invalid bytes are replaced.
fn decode_lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the longest prefix of a text that fits into `columns`.
pub(super) fn prefix_of(text: &str, columns: usize) -> &str {
    let mut used_columns = 0;
    for (start, character) in text.char_indices() {
        used_columns += character.width().unwrap_or(0);
        if used_columns > columns {
            return text.get(..start).unwrap_or_default();
        }
    }
    text
}

/// Returns the longest suffix of a text that fits into `columns`.
fn suffix_of(text: &str, columns: usize) -> &str {
    let mut used_columns = 0;
    for (start, character) in text.char_indices().rev() {
        used_columns += character.width().unwrap_or(0);
        if used_columns > columns {
            return text.get(start + character.len_utf8()..).unwrap_or_default();
        }
    }
    text
}

/// Truncates a text to `columns`, with an ellipsis if it is longer.
pub(crate) fn cut_end(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    format!("{}…", prefix_of(text, columns.saturating_sub(1)))
}

/// Truncates the start of a text to `columns`, with an ellipsis if it is longer.
fn cut_start(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    format!("…{}", suffix_of(text, columns.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats a snippet that marks the text between `«` and `»`.
    fn formatted(line: &str) -> String {
        let start = line.find('«').unwrap();
        let end = line.find('»').unwrap() - '«'.len_utf8();
        let document = line.replace(['«', '»'], "");
        let snippet = Snippet::cut(document.as_bytes(), (start..end).into()).unwrap();
        snippet.lines(TextStyle::Plain, str::to_owned, "the reason")
    }

    /// Checks the snippet of `line`, whose destination is between `«` and `»`.
    #[track_caller]
    fn check(line: &str, expect: &str) {
        assert_eq!(formatted(line), expect, "{line}");
    }

    #[test]
    fn carets_are_below_the_destination() {
        check(
            "first\nsee [a](«https://a.test/»), then\nlast",
            "   |  see [a](https://a.test/), then\n   |          ^^^^^^^^^^^^^^^ the reason\n",
        );
        check("  \t[a](«b.md»)\r\n", "   |  [a](b.md)\n   |      ^^^^ the reason\n");
        check("[a](«»)", "   |  [a]()\n   |      ^ the reason\n");
    }

    #[test]
    fn wide_characters_and_tabs_do_not_shift_the_carets() {
        check("日本\t«x.md»", "   |  日本 x.md\n   |       ^^^^ the reason\n");
        check("é「«日本»」", "   |  é「日本」\n   |     ^^^^ the reason\n");
    }

    #[test]
    fn snippet_masks_passwords_and_escape_sequences() {
        check(
            "https://a:b@c.test «https://d:e@f.test»\u{1b}[2J",
            "   |  https://***@c.test https://***@f.test␛[2J\n   |                     ^^^^^^^^^^^^^^^^^^ the reason\n",
        );
    }

    #[test]
    fn long_line_is_truncated_around_its_link() {
        let filler = "lorem ipsum ".repeat(1000);
        let formatted = formatted(&format!("{filler}«https://a.test/»{filler}"));
        let lines: Vec<&str> = formatted.lines().collect();
        assert_eq!(width(lines[0]), COLUMNS + "   |  ".len());
        let link_column = lines[0].chars().position(|char| char == 'h');
        assert_eq!(link_column, lines[1].chars().position(|char| char == '^'));
    }

    #[test]
    fn long_destination_is_truncated_and_long_reason_is_on_its_own_line() {
        let formatted = formatted(&format!("[a](«https://a.test/{}»)", "x".repeat(5000)));
        assert_eq!(formatted.matches('^').count(), DESTINATION_COLUMNS);
        assert!(formatted.ends_with("^ the reason\n"), "{formatted}");
        let snippet = Snippet::new("", &"x".repeat(80), "");
        let lines = snippet.lines(TextStyle::Plain, str::to_owned, &"long ".repeat(10));
        assert!(lines.contains("^\n   =  long"), "{lines}");
    }

    #[test]
    fn cut_rejects_span_outside_the_document() {
        assert_eq!(Snippet::cut(b"short", (3..9).into()), None);
        assert_eq!(Snippet::cut(b"short", Span { start: 4, end: 2 }), None);
    }

    #[test]
    fn cut_accepts_invalid_utf8() {
        let snippet = Snippet::cut(b"\xff\xfe[a](\xe9.md)", (6..10).into()).unwrap();
        let lines = snippet.lines(TextStyle::Plain, str::to_owned, "why");
        assert!(lines.contains('\u{FFFD}'), "{lines}");
    }
}
