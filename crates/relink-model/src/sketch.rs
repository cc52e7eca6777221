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
    pub fn of(mut hashes: Vec<u32>) -> Self {
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

/// Eight hexadecimal digits a hash: a third of the size of a JSON array, and
/// still readable in a database shell.
impl Serialize for Sketch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = String::with_capacity(8 * self.0.len());
        // By hand: this runs once for every page fetched.
        for byte in self.0.iter().flat_map(|hash| hash.to_be_bytes()) {
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Sketch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let hash = |digits: &[u8]| {
            let digits = std::str::from_utf8(digits).map_err(serde::de::Error::custom)?;
            u32::from_str_radix(digits, 16).map_err(serde::de::Error::custom)
        };
        let hashes: Result<Vec<u32>, D::Error> = text.as_bytes().chunks(8).map(hash).collect();
        Ok(Self::of(hashes?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_back_as_written() {
        let sketch = Sketch::of(vec![7, u32::MAX, 0xdead_beef]);
        let json = serde_json::to_string(&sketch).unwrap();
        assert_eq!(json, "\"00000007deadbeefffffffff\"");
        assert_eq!(serde_json::from_str::<Sketch>(&json).unwrap(), sketch);
    }

    #[track_caller]
    fn check(left: &[u32], right: &[u32], expect: f64) {
        let (left, right) = (Sketch::of(left.to_vec()), Sketch::of(right.to_vec()));
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
        let left: Vec<u32> = (0..10_000)
            .map(|n: u32| n.wrapping_mul(2_654_435_761))
            .collect();
        let right: Vec<u32> = left[..9_000].to_vec();
        let estimate = Sketch::of(left).resemblance(&Sketch::of(right));
        assert!((estimate - 0.9).abs() < 0.1, "{estimate}");
    }
}
