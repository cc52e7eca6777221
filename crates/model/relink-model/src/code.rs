//! Stable finding codes such as `RL101`.
//!
//! This module parses and formats codes. Their meanings are in the code table
//! of relink-judge.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// The stable code of a finding: `RL` and three digits.
///
/// ```
/// use relink_model::FindingCode;
/// let code: FindingCode = "rl101".parse()?;
/// assert_eq!(code, FindingCode::new(101));
/// assert_eq!(code.to_string(), "RL101");
/// # Ok::<(), relink_model::ParseCodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FindingCode(u16);

impl FindingCode {
    /// Creates a code from the last three digits of `number`.
    pub const fn new(number: u16) -> Self {
        Self(number % 1000)
    }

    /// Returns the number without `RL`.
    pub const fn number(self) -> u16 {
        self.0
    }
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RL{:03}", self.0)
    }
}

/// The text is not `RL` and three digits.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("invalid code: `{0}` (expected `RL` and three digits)")]
pub struct ParseCodeError(String);

impl FromStr for FindingCode {
    type Err = ParseCodeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || ParseCodeError(text.to_owned());
        let (letters, digits) = text.split_at_checked(2).ok_or_else(invalid)?;
        let is_well_formed = letters.eq_ignore_ascii_case("RL")
            && digits.len() == 3
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_well_formed {
            return Err(invalid());
        }
        digits.parse().map(Self).map_err(|_| invalid())
    }
}

impl Serialize for FindingCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FindingCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_rejects_invalid_codes() {
        for text in ["", "RL", "RL1", "RL1000", "XX101", "RL+10", "é101"] {
            assert!(text.parse::<FindingCode>().is_err(), "{text}");
        }
    }
}
