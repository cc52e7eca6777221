//! Unescaped text with a mapping back to its source.
//!
//! Some formats contain another format in escaped form: notebooks contain Markdown
//! in JSON strings, HTML attributes contain CSS with character references. Links are
//! extracted from the unescaped text and reported at their source ranges.

use std::ops::Range;

use crate::safe_slice::SafeSlice as _;

/// Text assembled from segments of a source.
#[derive(Debug, Default)]
pub(crate) struct UnescapedText {
    text: String,
    segments: Vec<Segment>,
}

#[derive(Debug)]
struct Segment {
    /// Offset of the segment in the unescaped text.
    at: usize,
    /// Range of the segment in the source.
    source: Range<usize>,
    /// Whether the segment contains no escape.
    is_plain: bool,
}

impl UnescapedText {
    /// Appends a segment of the source that contains no escape.
    pub(crate) fn push_plain(&mut self, source: &str, range: Range<usize>) {
        if !range.is_empty() {
            self.push(source.slice(range.clone()), range, true);
        }
    }

    /// Appends `decoded`, the value of the escape at `range` of the source.
    pub(crate) fn push_escape(&mut self, range: Range<usize>, decoded: &str) {
        self.push(decoded, range, false);
    }

    fn push(&mut self, text: &str, source: Range<usize>, is_plain: bool) {
        self.segments.push(Segment { at: self.text.len(), source, is_plain });
        self.text.push_str(text);
    }

    /// Returns the unescaped text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Maps a range of the text to the source. An escape that is partly in the range is
    /// included in full.
    pub(crate) fn source_range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.source_start(range.start);
        if range.is_empty() { start..start } else { start..self.source_end(range.end).max(start) }
    }

    /// Maps an offset in the text, at which a range starts, to the source. Within an escape,
    /// returns the start of the escape.
    fn source_start(&self, at: usize) -> usize {
        let following = self.segments.partition_point(|segment| segment.at <= at);
        match following.checked_sub(1).and_then(|index| self.segments.get(index)) {
            None => 0,
            Some(segment) if segment.is_plain => segment.source.start + (at - segment.at),
            Some(segment) if at == self.text.len() => segment.source.end,
            Some(segment) => segment.source.start,
        }
    }

    /// Maps an offset in the text, at which a range ends, to the source. Within an escape,
    /// returns the end of the escape.
    fn source_end(&self, at: usize) -> usize {
        let following = self.segments.partition_point(|segment| segment.at < at);
        match following.checked_sub(1).and_then(|index| self.segments.get(index)) {
            None => 0,
            Some(segment) if segment.is_plain => segment.source.start + (at - segment.at),
            Some(segment) => segment.source.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_range_covers_whole_escapes() {
        let source = "ab\\u0063\"d";
        let mut unescaped = UnescapedText::default();
        unescaped.push_plain(source, 0..2);
        unescaped.push_escape(2..8, "c");
        unescaped.push_plain(source, 9..10);
        assert_eq!(unescaped.text(), "abcd");
        assert_eq!(unescaped.source_range(0..2), 0..2);
        assert_eq!(unescaped.source_range(1..3), 1..8);
        assert_eq!(unescaped.source_range(2..4), 2..10);
        assert_eq!(unescaped.source_range(3..4), 9..10);
        assert_eq!(unescaped.source_range(4..4), 10..10);
        assert_eq!(UnescapedText::default().source_range(0..0), 0..0);
    }
}
