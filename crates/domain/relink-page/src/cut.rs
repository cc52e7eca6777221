//! Pieces of a text or of bytes by offsets, without panics.
//!
//! Offsets come from searches in untrusted documents. One that is past the end
//! or inside a character gives an empty piece, where an index would end the
//! program; `clippy::string_slice` and `clippy::indexing_slicing` keep such
//! indexes out.

use std::slice::SliceIndex;

/// Cuts pieces out of a document.
pub(crate) trait Cut<R> {
    /// Returns the piece in this range; an empty one if the range does not lie
    /// within the document and, in a text, between characters.
    fn cut(&self, range: R) -> &Self;
}

impl<R: SliceIndex<str, Output = str>> Cut<R> for str {
    #[inline]
    fn cut(&self, range: R) -> &str {
        self.get(range).unwrap_or_default()
    }
}

impl<R: SliceIndex<[u8], Output = [u8]>> Cut<R> for [u8] {
    #[inline]
    fn cut(&self, range: R) -> &[u8] {
        self.get(range).unwrap_or_default()
    }
}

/// Reads single bytes of a document.
pub(crate) trait ByteAt {
    /// Returns the byte at an offset; 0, which no markup begins with, past the
    /// end.
    fn byte(&self, at: usize) -> u8;
}

impl ByteAt for [u8] {
    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.get(at).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_range_outside_or_inside_character_returns_empty_piece() {
        assert_eq!("aéb".cut(1..3), "é");
        assert_eq!("aéb".cut(3..), "b");
        #[expect(clippy::reversed_empty_ranges, reason = "offsets may come in any order")]
        for range in [0..9, 2..3, 9..10, 3..1] {
            assert_eq!("aéb".cut(range.clone()), "");
            assert_eq!(b"ab".cut(range), b"");
        }
        assert_eq!(b"abc".cut(1..), b"bc");
    }

    #[test]
    fn byte_past_the_end_returns_zero() {
        assert_eq!((b"a".byte(0), b"a".byte(1)), (b'a', 0));
    }
}
