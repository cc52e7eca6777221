//! Where the next sign of something stands.
//!
//! Running text comes in thousands of short runs, nearly all of them without
//! an address. The whole text is searched once, from sign to sign, instead of
//! every run for itself.

use std::ops::Range;

use memchr::memmem::Finder;

use crate::cut::Cut as _;

/// A sign, and where it stands next.
pub(super) struct NextOccurrence<'t> {
    text: &'t [u8],
    finder: Finder<'static>,
    /// Where the search began.
    from: usize,
    /// The first place from there on, past the end if there is none.
    next: usize,
}

impl<'t> NextOccurrence<'t> {
    pub(super) fn new(text: &'t str, sign: &'static str) -> Self {
        let text = text.as_bytes();
        let finder = Finder::new(sign);
        let next = finder.find(text).unwrap_or(usize::MAX);
        Self { text, finder, from: 0, next }
    }

    /// Whether the sign stands anywhere in the text from the last part on.
    pub(super) fn is_there(&self) -> bool {
        self.next != usize::MAX
    }

    /// Whether the sign begins in a part of the text. Parts are best asked for
    /// in order.
    pub(super) fn is_in(&mut self, part: &Range<usize>) -> bool {
        if part.start < self.from || part.start > self.next {
            self.from = part.start;
            let found = self.finder.find(self.text.cut(part.start..));
            self.next = found.map_or(usize::MAX, |at| part.start + at);
        }
        self.next < part.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_found_in_its_part_in_whatever_order() {
        let mut ahead = NextOccurrence::new("a://b://c", "://");
        assert!(ahead.is_there());
        for (part, expect) in
            [(0..1, false), (0..2, true), (2..5, false), (2..6, true), (6..9, false), (0..9, true)]
        {
            assert_eq!(ahead.is_in(&part), expect, "{part:?}");
        }
        assert!(!NextOccurrence::new("abc", "://").is_there());
    }
}
