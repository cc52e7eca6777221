//! Text with its escapes resolved, and the way back to where it is written.
//!
//! A notebook keeps Markdown in JSON strings, an attribute keeps CSS behind
//! character references. Their links are read from the resolved text, and
//! their places are those of the text as written.

use std::ops::Range;

use crate::cut::Cut as _;

/// A text put together from pieces of a source.
#[derive(Debug, Default)]
pub(crate) struct UnescapedText {
    text: String,
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    /// Where the piece begins in the resolved text.
    at: usize,
    /// Where it is written.
    source: Range<usize>,
    /// Whether it is written as it reads.
    is_plain: bool,
}

impl UnescapedText {
    /// Adds a piece of the source that reads as it is written.
    pub(crate) fn push_plain(&mut self, source: &str, range: Range<usize>) {
        if !range.is_empty() {
            self.push(source.cut(range.clone()), range, true);
        }
    }

    /// Adds what the escape at `range` of the source means.
    pub(crate) fn push_escape(&mut self, range: Range<usize>, means: &str) {
        self.push(means, range, false);
    }

    fn push(&mut self, text: &str, source: Range<usize>, is_plain: bool) {
        self.pieces.push(Piece { at: self.text.len(), source, is_plain });
        self.text.push_str(text);
    }

    /// The text with every escape resolved.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Where in the source a range of the text is written. An escape is
    /// covered whole.
    pub(crate) fn written(&self, range: Range<usize>) -> Range<usize> {
        let start = self.start_of(range.start);
        if range.is_empty() { start..start } else { start..self.end_of(range.end).max(start) }
    }

    fn start_of(&self, at: usize) -> usize {
        let next = self.pieces.partition_point(|piece| piece.at <= at);
        match next.checked_sub(1).and_then(|index| self.pieces.get(index)) {
            None => 0,
            Some(piece) if piece.is_plain => piece.source.start + (at - piece.at),
            Some(piece) if at == self.text.len() => piece.source.end,
            Some(piece) => piece.source.start,
        }
    }

    fn end_of(&self, at: usize) -> usize {
        let next = self.pieces.partition_point(|piece| piece.at < at);
        match next.checked_sub(1).and_then(|index| self.pieces.get(index)) {
            None => 0,
            Some(piece) if piece.is_plain => piece.source.start + (at - piece.at),
            Some(piece) => piece.source.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_leads_back_to_what_is_written() {
        let source = "ab\\u0063\"d";
        let mut resolved = UnescapedText::default();
        resolved.push_plain(source, 0..2);
        resolved.push_escape(2..8, "c");
        resolved.push_plain(source, 9..10);
        assert_eq!(resolved.text(), "abcd");
        assert_eq!(resolved.written(0..2), 0..2);
        assert_eq!(resolved.written(1..3), 1..8);
        assert_eq!(resolved.written(2..4), 2..10);
        assert_eq!(resolved.written(3..4), 9..10);
        assert_eq!(resolved.written(4..4), 10..10);
        assert_eq!(UnescapedText::default().written(0..0), 0..0);
    }
}
