//! A text line by line, for markups whose blocks are made of lines.

use std::ops::Range;

use memchr::memchr;

use crate::cut::Cut as _;

/// How far a tab goes.
const TAB_STOP: usize = 8;

/// A line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Where its content stands, without indentation and white space at its end.
    pub(crate) content: Range<usize>,
    /// How many columns the content is indented by.
    pub(crate) indent: usize,
    /// Where the line begins.
    pub(crate) start: usize,
    /// Where the next line begins.
    pub(crate) next: usize,
}

impl Line {
    /// The line that begins at `start`; nothing at the end of the text.
    pub(crate) fn at(text: &str, start: usize) -> Option<Self> {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = memchr(b'\n', rest.as_bytes());
        let line = rest.cut(..length.unwrap_or(rest.len()));
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

    /// Whether nothing is written in it.
    pub(crate) fn is_blank(&self) -> bool {
        self.content.is_empty()
    }

    /// What is written in it.
    pub(crate) fn written<'t>(&self, text: &'t str) -> &'t str {
        text.cut(self.content.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_its_content_and_its_indentation() {
        let text = "a \r\n \tb\n\n";
        let first = Line::at(text, 0).expect("a line");
        assert_eq!((first.written(text), first.indent, first.next), ("a", 0, 4));
        let second = Line::at(text, 4).expect("a line");
        assert_eq!((second.written(text), second.indent, second.next), ("b", 8, 8));
        assert!(Line::at(text, 8).expect("a line").is_blank());
        assert_eq!(Line::at(text, 9), None);
    }
}
