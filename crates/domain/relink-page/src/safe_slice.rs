//! Slicing of text and bytes without panics.
//!
//! Offsets come from searches in untrusted documents. An offset that is out of
//! bounds or inside a character yields an empty slice instead of a panic. The
//! lints `clippy::string_slice` and `clippy::indexing_slicing` reject indexing.

use std::slice::SliceIndex;

/// Slicing without panics.
pub(crate) trait SafeSlice<R> {
    /// Returns the slice at `range`. The slice is empty if the range is out of bounds
    /// or not on character boundaries.
    fn slice(&self, range: R) -> &Self;
}

impl<R: SliceIndex<str, Output = str>> SafeSlice<R> for str {
    #[inline]
    fn slice(&self, range: R) -> &str {
        self.get(range).unwrap_or_default()
    }
}

impl<R: SliceIndex<[u8], Output = [u8]>> SafeSlice<R> for [u8] {
    #[inline]
    fn slice(&self, range: R) -> &[u8] {
        self.get(range).unwrap_or_default()
    }
}

/// Byte access without panics.
pub(crate) trait ByteAt {
    /// Returns the byte at an offset, or 0 past the end. No markup starts with
    /// 0.
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
    fn slice_with_invalid_range_is_empty() {
        assert_eq!("aéb".slice(1..3), "é");
        assert_eq!("aéb".slice(3..), "b");
        #[expect(clippy::reversed_empty_ranges, reason = "offsets may come in any order")]
        for range in [0..9, 2..3, 9..10, 3..1] {
            assert_eq!("aéb".slice(range.clone()), "");
            assert_eq!(b"ab".slice(range), b"");
        }
        assert_eq!(b"abc".slice(1..), b"bc");
    }

    #[test]
    fn byte_past_the_end_returns_zero() {
        assert_eq!((b"a".byte(0), b"a".byte(1)), (b'a', 0));
    }
}
