//! Parses durations: `0`, `500ms`, `2s`, `10m`, `24h`, `7d`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

/// A duration from a flag or a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DurationArg(pub Duration);

/// The error of a text that is not a duration. Contains the text.
#[derive(Debug, PartialEq, Eq)]
pub struct ParseDurationError(String);

impl fmt::Display for ParseDurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid duration: `{}` (expected a value such as `500ms`, `2s`, `10m`, `24h` or `7d`)",
            self.0
        )
    }
}

impl std::error::Error for ParseDurationError {}

impl FromStr for DurationArg {
    type Err = ParseDurationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid_duration = || ParseDurationError(text.to_owned());
        let text = text.trim();
        let unit_start =
            text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(unit_start);
        let number: u64 = number.parse().map_err(|_| invalid_duration())?;
        let seconds_per_unit = match unit.trim() {
            // Only 0 needs no unit.
            "" if number == 0 => 0,
            "ms" => return Ok(Self(Duration::from_millis(number))),
            "s" => 1,
            "m" | "min" => 60,
            "h" => 60 * 60,
            "d" => 24 * 60 * 60,
            _ => return Err(invalid_duration()),
        };
        let seconds = number.checked_mul(seconds_per_unit).ok_or_else(invalid_duration)?;
        Ok(Self(Duration::from_secs(seconds)))
    }
}

impl<'de> Deserialize<'de> for DurationArg {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum TextOrNumber {
            Text(String),
            Number(u64),
        }
        let text = match TextOrNumber::deserialize(deserializer)? {
            TextOrNumber::Text(text) => text,
            TextOrNumber::Number(number) => number.to_string(),
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the milliseconds in a text; `None` means that the text is rejected.
    #[track_caller]
    fn check(text: &str, expected: Option<u64>) {
        let parsed = text.parse::<DurationArg>().ok().map(|duration| duration.0.as_millis());
        assert_eq!(parsed, expected.map(u128::from), "{text}");
    }

    #[test]
    fn parse_accepts_numbers_with_units() {
        check("0", Some(0));
        check("500ms", Some(500));
        check("2s", Some(2_000));
        check("1 d", Some(86_400_000));
    }

    #[test]
    fn parse_rejects_missing_and_unknown_units() {
        for text in ["5", "", "s", "-1s", "2 weeks", "99999999999999999999s"] {
            check(text, None);
        }
    }
}
