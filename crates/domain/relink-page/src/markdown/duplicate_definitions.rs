//! Finds definitions whose label is already defined.
//!
//! If two definitions have the same label, the first is used (CommonMark 0.31.2,
//! section 4.7), and the parser does not report the second. A line that looks like a
//! definition is a duplicate if it is neither part of a reported definition nor
//! covered by any parser event.

use std::ops::Range;

use memchr::{memchr, memmem};
use pulldown_cmark::{Event, Tag, TagEnd};

use crate::safe_slice::SafeSlice as _;

/// Maximum length of a label in bytes (CommonMark 0.31.2, 4.7: 999 characters).
const MAX_LABEL: usize = 999 * 4;

/// Lines that look like definitions and are not covered by parser events.
pub(super) struct DuplicateDefinitions<'t> {
    text: &'t str,
    /// Offsets of lines that look like definitions, in order.
    starts: Vec<usize>,
    /// Index of the first line in `starts` that events have not reached yet.
    next: usize,
    /// Offsets of the lines that no event covered.
    unparsed: Vec<usize>,
}

impl<'t> DuplicateDefinitions<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let starts = if memmem::find(text.as_bytes(), b"]:").is_some() {
            definition_starts(text.as_bytes())
        } else {
            Vec::new()
        };
        Self { text, starts, next: 0, unparsed: Vec::new() }
    }

    /// Records that the parser reported an event for `range`.
    pub(super) fn record_event(&mut self, event: &Event<'_>, range: &Range<usize>) {
        if self.next == self.starts.len() || is_container(event) {
            return;
        }
        self.advance_to(range.start);
        while self.starts.get(self.next).is_some_and(|start| *start < range.end) {
            self.next += 1;
        }
    }

    /// Records the lines before `end` that no event covered.
    fn advance_to(&mut self, end: usize) {
        while let Some(start) = self.starts.get(self.next).filter(|start| **start < end) {
            self.unparsed.push(*start);
            self.next += 1;
        }
    }

    /// Returns the duplicate definitions. Each range ends at the last possible end of
    /// its destination. `known` are the definitions that the parser reported.
    pub(super) fn finish(mut self, mut known: Vec<Range<usize>>) -> Vec<Range<usize>> {
        self.advance_to(usize::MAX);
        known.sort_unstable_by_key(|range| range.start);
        // Whether `start` is in the last reported definition that starts at or before it.
        let is_known = |start: usize| {
            let following = known.partition_point(|range| range.start <= start);
            let last = following.checked_sub(1).and_then(|index| known.get(index));
            last.is_some_and(|range| start < range.end)
        };
        let duplicates = self.unparsed.iter().copied().filter(|start| !is_known(*start));
        duplicates.map(|start| start..destination_limit(self.text.as_bytes(), start)).collect()
    }
}

/// Whether an event only starts or ends a container of other blocks.
fn is_container(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::Item | Tag::FootnoteDefinition(_))
            | Event::End(
                TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item | TagEnd::FootnoteDefinition
            )
    )
}

/// Returns the offsets of lines that start with `[label]:`, after quote and
/// list markers.
fn definition_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut line = 0;
    loop {
        let end = memchr(b'\n', bytes.slice(line..)).map_or(bytes.len(), |length| line + length);
        let marker_length =
            bytes.slice(line..end).iter().take_while(|byte| is_marker_byte(**byte)).count();
        if is_definition(bytes.slice(line + marker_length..end)) {
            starts.push(line + marker_length);
        }
        if end == bytes.len() {
            return starts;
        }
        line = end + 1;
    }
}

/// Whether a byte may be part of the quote and list markers of a line.
fn is_marker_byte(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b' ' | b'\t' | b'>' | b'-' | b'+' | b'*' | b'.' | b')')
}

/// Whether a line starts like a definition. Footnote definitions are excluded.
fn is_definition(line: &[u8]) -> bool {
    let [b'[', rest @ ..] = line else { return false };
    if rest.first() == Some(&b'^') {
        return false;
    }
    let mut at = 0;
    let mut is_blank = true;
    while let Some(byte) = rest.get(at).filter(|_| at <= MAX_LABEL) {
        match byte {
            b'[' => return false,
            b']' => return !is_blank && rest.get(at + 1) == Some(&b':'),
            b'\\' => at += 1,
            _ => {}
        }
        is_blank &= byte.is_ascii_whitespace();
        at += 1;
    }
    false
}

/// Returns the last possible end of a destination: the end of the second line of the
/// definition.
fn destination_limit(bytes: &[u8], start: usize) -> usize {
    let line_end = |from: usize| {
        memchr(b'\n', bytes.slice(from..)).map_or(bytes.len(), |length| from + length + 1)
    };
    line_end(line_end(start))
}
