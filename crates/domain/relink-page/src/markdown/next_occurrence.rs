//! Substring search with a cached result.
//!
//! The parser reports running text in thousands of short ranges, most of which contain
//! no URL. The text is searched once, from match to match, instead of once per range.

use std::ops::Range;

use memchr::memmem::Finder;

use crate::safe_slice::SafeSlice as _;

/// A marker and its next occurrence.
pub(super) struct NextOccurrence<'t> {
    text: &'t [u8],
    finder: Finder<'static>,
    /// Offset at which the last search started.
    from: usize,
    /// First occurrence from `from` on; `usize::MAX` if there is none.
    next: usize,
}

impl<'t> NextOccurrence<'t> {
    pub(super) fn new(text: &'t str, marker: &'static str) -> Self {
        let text = text.as_bytes();
        let finder = Finder::new(marker);
        let next = finder.find(text).unwrap_or(usize::MAX);
        Self { text, finder, from: 0, next }
    }

    /// Whether the marker occurs after the last searched range.
    pub(super) fn has_next(&self) -> bool {
        self.next != usize::MAX
    }

    /// Whether the marker starts in `part`. Fastest if parts are passed in
    /// order.
    pub(super) fn occurs_in(&mut self, part: &Range<usize>) -> bool {
        if part.start < self.from || part.start > self.next {
            self.from = part.start;
            let found = self.finder.find(self.text.slice(part.start..));
            self.next = found.map_or(usize::MAX, |at| part.start + at);
        }
        self.next < part.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occurs_in_accepts_ranges_in_any_order() {
        let mut occurrences = NextOccurrence::new("a://b://c", "://");
        assert!(occurrences.has_next());
        for (part, expect) in
            [(0..1, false), (0..2, true), (2..5, false), (2..6, true), (6..9, false), (0..9, true)]
        {
            assert_eq!(occurrences.occurs_in(&part), expect, "{part:?}");
        }
        assert!(!NextOccurrence::new("abc", "://").has_next());
    }
}
