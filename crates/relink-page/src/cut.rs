//! Pieces of a text by byte offsets, without panics.
//!
//! Offsets come from searches in untrusted text. One that is past the end or
//! inside a character gives the empty text, where an index would end the
//! program; `clippy::string_slice` keeps such indexes out.

use std::slice::SliceIndex;

/// Cuts pieces out of a text.
pub(crate) trait Cut {
    /// Returns the text in this range of bytes; the empty text if the range does
    /// not lie within the text and between characters.
    fn cut<R: SliceIndex<str, Output = str>>(&self, range: R) -> &str;
}

impl Cut for str {
    #[inline]
    fn cut<R: SliceIndex<str, Output = str>>(&self, range: R) -> &str {
        self.get(range).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_range_outside_or_inside_character_returns_empty_text() {
        assert_eq!("aéb".cut(1..3), "é");
        assert_eq!("aéb".cut(3..), "b");
        #[expect(clippy::reversed_empty_ranges, reason = "offsets may come in any order")]
        for range in [0..9, 2..3, 9..10, 3..1] {
            assert_eq!("aéb".cut(range), "");
        }
    }
}
