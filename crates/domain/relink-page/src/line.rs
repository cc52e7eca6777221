//! Splits text into lines, for markup formats with line-based blocks.

use std::ops::Range;

use memchr::memchr;

use crate::safe_slice::SafeSlice as _;

/// Columns per tab stop.
const TAB_STOP: usize = 8;

/// A line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Range of the content, without indentation and trailing white space.
    pub(crate) content: Range<usize>,
    /// Indentation in columns.
    pub(crate) indent: usize,
    /// Offset of the line.
    pub(crate) start: usize,
    /// Offset of the next line.
    pub(crate) next: usize,
}

impl Line {
    /// Returns the line that starts at `start`, or `None` at the end of the
    /// text.
    pub(crate) fn at(text: &str, start: usize) -> Option<Self> {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = memchr(b'\n', rest.as_bytes());
        let line = rest.slice(..length.unwrap_or(rest.len()));
        let next = start + length.map_or(rest.len(), |length| length + 1);
        let end = start + line.trim_end().len();
        let indentation = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
        let (mut indent, mut bytes) = (0, 0);
        for byte in indentation {
            bytes += 1;
            indent += if byte == b'\t' { TAB_STOP - indent % TAB_STOP } else { 1 };
        }
        Some(Self { content: (start + bytes).min(end)..end, indent, start, next })
    }

    /// Whether the line has no content.
    pub(crate) fn is_blank(&self) -> bool {
        self.content.is_empty()
    }

    /// Returns the content as a string.
    pub(crate) fn text<'t>(&self, text: &'t str) -> &'t str {
        text.slice(self.content.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_has_content_and_indentation() {
        let text = "a \r\n \tb\n\n";
        let first = Line::at(text, 0).expect("a line");
        assert_eq!((first.text(text), first.indent, first.next), ("a", 0, 4));
        let second = Line::at(text, 4).expect("a line");
        assert_eq!((second.text(text), second.indent, second.next), ("b", 8, 8));
        assert!(Line::at(text, 8).expect("a line").is_blank());
        assert_eq!(Line::at(text, 9), None);
    }
}
