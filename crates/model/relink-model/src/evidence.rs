//! The evidence for a judgment, and the confidence of a judgment. The fetch attempts, which
//! are also evidence, are stored separately.
//!
//! A control is a URL fetched only for comparison. The resemblance of two pages is the
//! share of their text that both have.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ControlKind;

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The description shown to users: lower case, no period.
    pub note: String,
    /// The control that the page was compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlSummary>,
    /// The resemblance of the page and the control, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resemblance: Option<f64>,
}

/// The summary of a [`Control`](crate::Control).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlSummary {
    /// The kind of control.
    pub kind: ControlKind,
    /// The control URL.
    pub url: String,
    /// The status of the response, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

/// The confidence of a judgment: the expected share of correct judgments of
/// this kind, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Confidence(u8);

impl Confidence {
    /// 100 percent, for facts such as an existing file.
    pub const CERTAIN: Self = Self(100);

    /// Creates a confidence from a percentage. Values above 100 become 100.
    pub const fn from_percent(percent: u8) -> Self {
        Self(if percent > 100 { 100 } else { percent })
    }

    /// Returns the percentage.
    pub const fn as_percent(self) -> u8 {
        self.0
    }
}

/// Formats a fraction with two decimals: `0.98`.
impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

impl Serialize for Confidence {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.0) / 100.0)
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fraction = f64::deserialize(deserializer)?;
        if !(0.0..=1.0).contains(&fraction) {
            return Err(serde::de::Error::custom("confidence must be between 0 and 1"));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the fraction is between 0 and 1"
        )]
        let percent = (fraction * 100.0).round() as u8;
        Ok(Self::from_percent(percent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_round_trips_with_two_decimals() {
        for percent in 0..=100 {
            let confidence = Confidence::from_percent(percent);
            let json = serde_json::to_string(&confidence).unwrap();
            assert_eq!(serde_json::from_str::<Confidence>(&json).unwrap(), confidence);
        }
        assert_eq!(Confidence::from_percent(98).to_string(), "0.98");
        assert_eq!(Confidence::CERTAIN.to_string(), "1.00");
        assert!(serde_json::from_str::<Confidence>("1.2").is_err());
    }
}
