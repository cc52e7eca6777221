//! The line a link stands in, with its destination marked.
//!
//! Lines may be a megabyte long, hold tabs, wide letters or escape sequences,
//! and need not be valid UTF-8. What is shown fits a terminal all the same.

use std::ops::Range;

use relink_model::Span;
use unicode_width::UnicodeWidthChar;

use super::{COLUMNS, TextStyle, shown_prose, width};
use crate::{printable, redact};

/// Columns of a destination that are shown before it is cut.
const DESTINATION_COLUMNS: usize = 80;

/// Bytes of a line that are looked at before and after the destination: more
/// than can ever be shown.
const REACH: usize = 4096;

/// The line a link stands in, cut to what is worth showing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    before: String,
    destination: String,
    after: String,
}

impl Snippet {
    /// The bytes of a document that [`Self::cut_from`] needs.
    pub fn reach(span: Span) -> Range<usize> {
        let destination = span.range();
        destination.start.saturating_sub(REACH)..destination.end.saturating_add(REACH)
    }

    /// Cuts the line around `span` out of the bytes of a document that lie
    /// within [`Self::reach`].
    ///
    /// `None` if the span does not lie in them.
    pub fn cut_from(bytes: &[u8], span: Span) -> Option<Self> {
        let offset = Self::reach(span).start;
        Self::cut(bytes, Span { start: span.start - offset, end: span.end - offset })
    }

    /// Cuts the line around `span` out of a document.
    ///
    /// `None` if the span does not lie in the document, which has then changed
    /// since it was read.
    pub fn cut(document: &[u8], span: Span) -> Option<Self> {
        let marked = document.get(span.range())?;
        let marked = first_line(marked);
        let end = span.start + marked.len();
        let reach = end.saturating_add(REACH).min(document.len());
        let before = last_line(document.get(span.start.saturating_sub(REACH)..span.start)?);
        let after = first_line(document.get(end..reach)?);
        Some(Self::new(&lossy(before), &lossy(marked), &lossy(after)))
    }

    fn new(before: &str, destination: &str, after: &str) -> Self {
        let destination = cut_end(&printable(&redact(destination)), DESTINATION_COLUMNS);
        let before = shown_prose(before);
        let after = shown_prose(after);
        let (before, after) = (before.trim_start(), after.trim_end());
        let room = COLUMNS - width(&destination);
        // Each side gets half of what is left, and what the other leaves over.
        let room_before = (room / 2).max(room.saturating_sub(width(after)));
        let before = cut_start(before, room_before);
        let after = cut_end(after, room - width(&before));
        Self { before, destination, after }
    }

    /// The line and, under its destination, carets and the reason.
    pub(super) fn lines(
        &self,
        paint: TextStyle,
        caret: impl Fn(&str) -> String,
        reason: &str,
    ) -> String {
        let gutter = paint.quiet("   |");
        let line = format!("{}{}{}", self.before, self.destination, self.after);
        let indent = " ".repeat(width(&self.before));
        let carets = "^".repeat(width(&self.destination).max(1));
        let columns = indent.len() + carets.len() + 1 + width(reason);
        let carets = caret(&carets);
        if columns <= COLUMNS {
            return format!("{gutter}  {line}\n{gutter}  {indent}{carets} {reason}\n");
        }
        let equals = paint.quiet("   =");
        format!("{gutter}  {line}\n{gutter}  {indent}{carets}\n{equals}  {reason}\n")
    }
}

const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn first_line(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|byte| is_line_end(*byte)).unwrap_or(bytes.len());
    bytes.get(..end).unwrap_or(bytes)
}

fn last_line(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().rposition(|byte| is_line_end(*byte)).map_or(0, |end| end + 1);
    bytes.get(start..).unwrap_or_default()
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The longest start of a text that fits into so many columns.
pub(super) fn start_of(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let too_far = text.char_indices().find(|(_, char)| {
        used += char.width().unwrap_or(0);
        used > columns
    });
    too_far.map_or(text, |(at, _)| text.get(..at).unwrap_or_default())
}

fn end_of(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let too_far = text.char_indices().rev().find(|(_, char)| {
        used += char.width().unwrap_or(0);
        used > columns
    });
    too_far.map_or(text, |(at, char)| text.get(at + char.len_utf8()..).unwrap_or_default())
}

/// A text cut to so many columns, with a sign that it was.
pub(crate) fn cut_end(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    format!("{}…", start_of(text, columns.saturating_sub(1)))
}

fn cut_start(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    format!("…{}", end_of(text, columns.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks the text between `«` and `»` and shows what a terminal would.
    fn drawn(line: &str) -> String {
        let start = line.find('«').unwrap();
        let end = line.find('»').unwrap() - '«'.len_utf8();
        let document = line.replace(['«', '»'], "");
        let snippet = Snippet::cut(document.as_bytes(), (start..end).into()).unwrap();
        snippet.lines(TextStyle::Plain, str::to_owned, "the reason")
    }

    #[track_caller]
    fn check(line: &str, expect: &str) {
        assert_eq!(drawn(line), expect, "{line}");
    }

    #[test]
    fn carets_stand_under_the_destination() {
        check(
            "first\nsee [a](«https://a.test/»), then\nlast",
            "   |  see [a](https://a.test/), then\n   |          ^^^^^^^^^^^^^^^ the reason\n",
        );
        check("  \t[a](«b.md»)\r\n", "   |  [a](b.md)\n   |      ^^^^ the reason\n");
        check("[a](«»)", "   |  [a]()\n   |      ^ the reason\n");
    }

    #[test]
    fn wide_letters_and_tabs_do_not_shift_the_carets() {
        check("日本\t«x.md»", "   |  日本 x.md\n   |       ^^^^ the reason\n");
        check("é「«日本»」", "   |  é「日本」\n   |     ^^^^ the reason\n");
    }

    #[test]
    fn passwords_and_escapes_in_the_line_are_not_shown() {
        check(
            "https://a:b@c.test «https://d:e@f.test»\u{1b}[2J",
            "   |  https://***@c.test https://***@f.test␛[2J\n   |                     ^^^^^^^^^^^^^^^^^^ the reason\n",
        );
    }

    #[test]
    fn a_long_line_is_shown_around_its_link() {
        let filler = "lorem ipsum ".repeat(1000);
        let drawn = drawn(&format!("{filler}«https://a.test/»{filler}"));
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(width(lines[0]), COLUMNS + "   |  ".len());
        let at = lines[0].chars().position(|char| char == 'h');
        assert_eq!(at, lines[1].chars().position(|char| char == '^'));
    }

    #[test]
    fn a_long_destination_is_cut_and_the_reason_gets_its_own_line() {
        let drawn = drawn(&format!("[a](«https://a.test/{}»)", "x".repeat(5000)));
        assert_eq!(drawn.matches('^').count(), DESTINATION_COLUMNS);
        assert!(drawn.ends_with("^ the reason\n"), "{drawn}");
        let snippet = Snippet::new("", &"x".repeat(80), "");
        let lines = snippet.lines(TextStyle::Plain, str::to_owned, &"long ".repeat(10));
        assert!(lines.contains("^\n   =  long"), "{lines}");
    }

    #[test]
    fn a_span_outside_the_document_gives_nothing() {
        assert_eq!(Snippet::cut(b"short", (3..9).into()), None);
        assert_eq!(Snippet::cut(b"short", Span { start: 4, end: 2 }), None);
    }

    #[test]
    fn bytes_that_are_no_text_are_survived() {
        let snippet = Snippet::cut(b"\xff\xfe[a](\xe9.md)", (6..10).into()).unwrap();
        let lines = snippet.lines(TextStyle::Plain, str::to_owned, "why");
        assert!(lines.contains('\u{FFFD}'), "{lines}");
    }
}
