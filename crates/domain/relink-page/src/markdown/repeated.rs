//! Definitions whose label is taken already.
//!
//! Of two definitions with one label the first counts (CommonMark 0.31.2, 4.7),
//! and the parser says nothing of the second. What looks like a definition, and
//! stands neither in a definition that counts nor in anything else the parser
//! tells of, is one.

use std::ops::Range;

use memchr::{memchr, memmem};
use pulldown_cmark::{Event, Tag, TagEnd};

use crate::cut::Cut as _;

/// The longest label (CommonMark 0.31.2, 4.7: 999 characters).
const LONGEST_LABEL: usize = 999 * 4;

/// Lines that look like definitions, and which of them the parser tells of.
pub(super) struct Repeated<'t> {
    text: &'t str,
    /// Where they begin, in order.
    starts: Vec<usize>,
    /// The first that no event has come to yet.
    next: usize,
    /// Those that no event told of.
    untold: Vec<usize>,
}

impl<'t> Repeated<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let starts = if memmem::find(text.as_bytes(), b"]:").is_some() {
            starts(text.as_bytes())
        } else {
            Vec::new()
        };
        Self { text, starts, next: 0, untold: Vec::new() }
    }

    /// The parser tells of this part of the text.
    pub(super) fn pass(&mut self, event: &Event<'_>, range: &Range<usize>) {
        if self.next == self.starts.len() || is_container(event) {
            return;
        }
        self.pass_to(range.start);
        while self.starts.get(self.next).is_some_and(|start| *start < range.end) {
            self.next += 1;
        }
    }

    fn pass_to(&mut self, end: usize) {
        while let Some(start) = self.starts.get(self.next).filter(|start| **start < end) {
            self.untold.push(*start);
            self.next += 1;
        }
    }

    /// The definitions that do not count, each with where it may end; `known`
    /// are those that do.
    pub(super) fn finish(mut self, mut known: Vec<Range<usize>>) -> Vec<Range<usize>> {
        self.pass_to(usize::MAX);
        known.sort_unstable_by_key(|range| range.start);
        let counts = |start: usize| {
            let after = known.partition_point(|range| range.start <= start);
            let last = after.checked_sub(1).and_then(|last| known.get(last));
            last.is_some_and(|range| start < range.end)
        };
        let repeated = self.untold.iter().copied().filter(|start| !counts(*start));
        repeated.map(|start| start..end(self.text.as_bytes(), start)).collect()
    }
}

/// Whether an event only says that something holds other things.
fn is_container(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::Item | Tag::FootnoteDefinition(_))
            | Event::End(
                TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item | TagEnd::FootnoteDefinition
            )
    )
}

/// Where `[label]:` begins a line, marks of quotations and lists aside.
fn starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut line = 0;
    loop {
        let end = memchr(b'\n', bytes.cut(line..)).map_or(bytes.len(), |length| line + length);
        let marks = bytes.cut(line..end).iter().take_while(|byte| is_mark(**byte)).count();
        if is_definition(bytes.cut(line + marks..end)) {
            starts.push(line + marks);
        }
        if end == bytes.len() {
            return starts;
        }
        line = end + 1;
    }
}

/// Whether a byte may stand before a definition in its line.
fn is_mark(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b' ' | b'\t' | b'>' | b'-' | b'+' | b'*' | b'.' | b')')
}

/// Whether a line begins as a definition does. Those of footnotes are none.
fn is_definition(line: &[u8]) -> bool {
    let [b'[', rest @ ..] = line else { return false };
    if rest.first() == Some(&b'^') {
        return false;
    }
    let mut at = 0;
    let mut is_blank = true;
    while let Some(byte) = rest.get(at).filter(|_| at <= LONGEST_LABEL) {
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

/// Where a definition's destination must have ended: with the line after its
/// first.
fn end(bytes: &[u8], start: usize) -> usize {
    let line_end = |from: usize| {
        memchr(b'\n', bytes.cut(from..)).map_or(bytes.len(), |length| from + length + 1)
    };
    line_end(line_end(start))
}
