//! A small, fixed-size memory of a text's shingles.
//!
//! Bottom-k sampling: the k smallest hash values of a set are a uniform sample
//! of it, and two such samples are enough to estimate how much two sets
//! resemble each other (Broder 1997). Sets of at most k members are compared
//! exactly.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The smallest [`Sketch::SIZE`] shingle hashes of a text, ascending, distinct.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sketch(Vec<u32>);

impl Sketch {
    /// How many hashes are kept. The standard error of a resemblance near 0.9
    /// is then below 0.03.
    pub const SIZE: usize = 128;

    /// Keeps the smallest hashes of a set.
    pub fn from_hashes(mut hashes: Vec<u32>) -> Self {
        hashes.sort_unstable();
        hashes.dedup();
        hashes.truncate(Self::SIZE);
        Self(hashes)
    }

    /// The kept hashes, ascending.
    pub fn hashes(&self) -> &[u32] {
        &self.0
    }

    /// Whether the text had no shingle at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Estimates the resemblance of two texts, from 0 (nothing shared) to 1.
    ///
    /// Two empty sketches resemble each other fully; an empty one resembles
    /// nothing else.
    pub fn resemblance(&self, other: &Self) -> f64 {
        if self.is_empty() && other.is_empty() {
            return 1.0;
        }
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let (mut seen, mut shared) = (0_u32, 0_u32);
        while (seen as usize) < Self::SIZE {
            match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(a), Some(b)) if a == b => {
                    shared += 1;
                    left.next();
                    right.next();
                }
                (Some(a), Some(b)) if a > b => {
                    right.next();
                }
                (Some(_), _) => {
                    left.next();
                }
                (None, Some(_)) => {
                    right.next();
                }
            }
            seen += 1;
        }
        f64::from(shared) / f64::from(seen.max(1))
    }
}

/// The digits a hash is written in, six bits each.
const DIGITS: &[u8; 64] = b"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/// Digits to a hash.
const WIDTH: usize = 6;

/// Six digits a hash: half the size of a JSON array. Written by hand, because
/// this runs once for every page fetched.
impl Serialize for Sketch {
    #[expect(clippy::indexing_slicing, reason = "six bits are less than the 64 digits")]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(WIDTH * self.0.len());
        for hash in &self.0 {
            for place in (0..WIDTH).rev() {
                let digit = (hash >> (6 * place)) & 63;
                text.push(char::from(DIGITS[digit as usize]));
            }
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Sketch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let hashes: Option<Vec<u32>> = text.as_bytes().chunks(WIDTH).map(read_hash).collect();
        hashes.map(Self::from_hashes).ok_or_else(|| serde::de::Error::custom("not a sketch"))
    }
}

/// The hash written in these digits. They ascend as bytes, so they can be
/// searched.
fn read_hash(digits: &[u8]) -> Option<u32> {
    let value = |digit: &u8| DIGITS.binary_search(digit).ok();
    let add = |hash: u64, digit: &u8| Some((hash << 6) | value(digit)? as u64);
    let hash = digits.iter().try_fold(0_u64, add)?;
    (digits.len() == WIDTH).then(|| u32::try_from(hash).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_back_as_written() {
        let sketch = Sketch::from_hashes(vec![7, u32::MAX, 0xdead_beef]);
        let json = serde_json::to_string(&sketch).unwrap();
        assert_eq!(json, "\"-----62TfQvj2zzzzz\"");
        assert_eq!(serde_json::from_str::<Sketch>(&json).unwrap(), sketch);
    }

    #[test]
    fn what_is_no_sketch_is_refused() {
        for json in ["\"-----\"", "\"------!\"", "\"-----é\"", "\"zzzzzz\""] {
            assert!(serde_json::from_str::<Sketch>(json).is_err(), "{json}");
        }
    }

    #[track_caller]
    fn check(left: &[u32], right: &[u32], expect: f64) {
        let (left, right) =
            (Sketch::from_hashes(left.to_vec()), Sketch::from_hashes(right.to_vec()));
        assert!((left.resemblance(&right) - expect).abs() < 1e-9);
        assert!((right.resemblance(&left) - expect).abs() < 1e-9);
    }

    #[test]
    fn small_sets_are_compared_exactly() {
        check(&[], &[], 1.0);
        check(&[1], &[], 0.0);
        check(&[3, 1, 2, 2], &[1, 2, 3], 1.0);
        check(&[1, 2, 3], &[2, 3, 4], 0.5);
    }

    #[test]
    fn large_sets_are_estimated() {
        let left: Vec<u32> = (0..10_000).map(|n: u32| n.wrapping_mul(2_654_435_761)).collect();
        let right: Vec<u32> = left[..9_000].to_vec();
        let estimate = Sketch::from_hashes(left).resemblance(&Sketch::from_hashes(right));
        assert!((estimate - 0.9).abs() < 0.1, "{estimate}");
    }
}
