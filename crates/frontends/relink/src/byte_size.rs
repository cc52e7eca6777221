//! Parses sizes: `500k`, `16M`, `2G`, or a number of bytes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

/// A number of bytes, from a flag or a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSize(pub usize);

/// The error of a text that is not a size. Contains the text.
#[derive(Debug, PartialEq, Eq)]
pub struct ParseByteSizeError(String);

impl fmt::Display for ParseByteSizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid size: `{}` (expected a number such as `500k`, `16M` or `2G`)", self.0)
    }
}

impl std::error::Error for ParseByteSizeError {}

impl FromStr for ByteSize {
    type Err = ParseByteSizeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid_size = || ParseByteSizeError(text.to_owned());
        let size = text.trim();
        let unit_start =
            size.find(|character: char| !character.is_ascii_digit()).unwrap_or(size.len());
        let (number, unit) = size.split_at(unit_start);
        let number: usize = number.parse().map_err(|_| invalid_size())?;
        // A unit is a power of 2: `k`, `KB` and `KiB` are 2^10 bytes.
        let shift = match unit.trim().to_ascii_lowercase().trim_end_matches("ib") {
            "" | "b" => 0,
            "k" | "kb" => 10,
            "m" | "mb" => 20,
            "g" | "gb" => 30,
            _ => return Err(invalid_size()),
        };
        number.checked_mul(1 << shift).map(Self).ok_or_else(invalid_size)
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum TextOrNumber {
            Text(String),
            Number(usize),
        }
        match TextOrNumber::deserialize(deserializer)? {
            TextOrNumber::Text(text) => text.parse().map_err(serde::de::Error::custom),
            TextOrNumber::Number(number) => Ok(Self(number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the number of bytes in a text; `None` means that the text is rejected.
    #[track_caller]
    fn check(text: &str, expected: Option<usize>) {
        assert_eq!(text.parse::<ByteSize>().ok().map(|size| size.0), expected, "{text}");
    }

    #[test]
    fn parse_accepts_bytes_and_binary_units() {
        check("0", Some(0));
        check("512", Some(512));
        check("500k", Some(500 << 10));
        check("16M", Some(16 << 20));
        check("16 MiB", Some(16 << 20));
        check("2gb", Some(2 << 30));
    }

    #[test]
    fn parse_rejects_other_units_and_overflow() {
        for text in ["", "M", "-1", "1.5M", "3 pages", "99999999999999999999", "99999999999999G"] {
            check(text, None);
        }
    }
}
