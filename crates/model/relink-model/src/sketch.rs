//! Bottom-k sketches of the shingles (sequences of a few successive words) of a text.
//!
//! The k smallest hash values of a set are a uniform sample of the set. Two such samples
//! are enough to estimate the resemblance of two sets (Broder, "On the resemblance and
//! containment of documents"), which is the size of their intersection divided by that of
//! their union. Sets of at most k members are compared exactly.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The smallest [`Sketch::SIZE`] shingle hashes of a text, ascending, distinct.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sketch(Vec<u32>);

impl Sketch {
    /// The maximum number of hashes (k). The standard error of a resemblance
    /// near 0.9 is then below 0.03.
    pub const SIZE: usize = 128;

    /// Creates a sketch from the hashes of all shingles of a text.
    pub fn from_hashes(mut hashes: Vec<u32>) -> Self {
        hashes.sort_unstable();
        hashes.dedup();
        hashes.truncate(Self::SIZE);
        Self(hashes)
    }

    /// Returns the hashes of the sketch, ascending.
    pub fn hashes(&self) -> &[u32] {
        &self.0
    }

    /// Whether the text has no shingles.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Estimates the resemblance of two texts, from 0 (no common shingle) to 1.
    ///
    /// Two empty sketches have the resemblance 1; an empty and a non-empty one have the
    /// resemblance 0.
    pub fn resemblance(&self, other: &Self) -> f64 {
        if self.is_empty() && other.is_empty() {
            return 1.0;
        }
        // Merge the ascending hashes of both texts. The first `SIZE` distinct hashes are the
        // sample of the union; hashes of both texts are the sample of the intersection.
        let mut left_hashes = self.0.iter().peekable();
        let mut right_hashes = other.0.iter().peekable();
        let mut union_count = 0_u32;
        let mut shared_count = 0_u32;
        while (union_count as usize) < Self::SIZE {
            match (left_hashes.peek(), right_hashes.peek()) {
                (None, None) => break,
                (Some(left), Some(right)) if left == right => {
                    shared_count += 1;
                    left_hashes.next();
                    right_hashes.next();
                }
                (Some(left), Some(right)) if left > right => {
                    right_hashes.next();
                }
                (Some(_), _) => {
                    left_hashes.next();
                }
                (None, Some(_)) => {
                    right_hashes.next();
                }
            }
            union_count += 1;
        }
        f64::from(shared_count) / f64::from(union_count.max(1))
    }
}

/// The digits of an encoded hash, six bits each, in ascending byte order.
const DIGITS: &[u8; 64] = b"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/// The number of digits per hash.
const DIGITS_PER_HASH: usize = 6;

/// Writes six digits per hash, which is about half the size of a JSON array. Does not use
/// `format!`, because this code runs for every fetched page and must be fast.
impl Serialize for Sketch {
    #[expect(clippy::indexing_slicing, reason = "six bits are less than the 64 digits")]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(DIGITS_PER_HASH * self.0.len());
        for hash in &self.0 {
            for position in (0..DIGITS_PER_HASH).rev() {
                let digit = (hash >> (6 * position)) & 63;
                text.push(char::from(DIGITS[digit as usize]));
            }
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Sketch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let hashes: Option<Vec<u32>> =
            text.as_bytes().chunks(DIGITS_PER_HASH).map(decode_hash).collect();
        hashes.map(Self::from_hashes).ok_or_else(|| serde::de::Error::custom("invalid sketch"))
    }
}

/// Decodes a hash; `None` if the digits are invalid.
fn decode_hash(digits: &[u8]) -> Option<u32> {
    if digits.len() != DIGITS_PER_HASH {
        return None;
    }
    let mut hash = 0_u64;
    for digit in digits {
        let value = DIGITS.binary_search(digit).ok()?;
        hash = (hash << 6) | value as u64;
    }
    u32::try_from(hash).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serde_round_trip() {
        let sketch = Sketch::from_hashes(vec![7, u32::MAX, 0xdead_beef]);
        let json = serde_json::to_string(&sketch).unwrap();
        assert_eq!(json, "\"-----62TfQvj2zzzzz\"");
        assert_eq!(serde_json::from_str::<Sketch>(&json).unwrap(), sketch);
    }

    #[test]
    fn deserialize_rejects_invalid_text() {
        for json in ["\"-----\"", "\"------!\"", "\"-----é\"", "\"zzzzzz\""] {
            assert!(serde_json::from_str::<Sketch>(json).is_err(), "{json}");
        }
    }

    /// Checks the resemblance of two sets of hashes in both directions.
    #[track_caller]
    fn check(left: &[u32], right: &[u32], expect: f64) {
        let (left, right) =
            (Sketch::from_hashes(left.to_vec()), Sketch::from_hashes(right.to_vec()));
        assert!((left.resemblance(&right) - expect).abs() < 1e-9);
        assert!((right.resemblance(&left) - expect).abs() < 1e-9);
    }

    #[test]
    fn resemblance_of_small_sets_is_exact() {
        check(&[], &[], 1.0);
        check(&[1], &[], 0.0);
        check(&[3, 1, 2, 2], &[1, 2, 3], 1.0);
        check(&[1, 2, 3], &[2, 3, 4], 0.5);
    }

    #[test]
    fn resemblance_of_large_sets_is_estimated() {
        // A multiplicative hash (Knuth) of the numbers from 0 to 9,999.
        let left: Vec<u32> = (0..10_000).map(|n: u32| n.wrapping_mul(2_654_435_761)).collect();
        // 90 % of the hashes of `left`.
        let right: Vec<u32> = left[..9_000].to_vec();
        let estimate = Sketch::from_hashes(left).resemblance(&Sketch::from_hashes(right));
        assert!((estimate - 0.9).abs() < 0.1, "{estimate}");
    }
}
