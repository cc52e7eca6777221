//! What a judgment rests on beside the looks at the page itself.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ControlKind;

/// One thing a judgment rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What was found, in plain words: lower case, no full stop.
    pub note: String,
    /// The page it was compared with, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlSummary>,
    /// How much the two texts resemble each other, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resemblance: Option<f64>,
}

/// A page asked for comparison, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlSummary {
    /// Which other address it is.
    pub kind: ControlKind,
    /// The address.
    pub url: String,
    /// How the server answered it, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

/// How sure a judgment is: the share of such judgments that are right, in
/// hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Confidence(u8);

impl Confidence {
    /// Beyond all doubt, as for a file that is there.
    pub const CERTAIN: Self = Self(100);

    /// So many hundredths, at most a hundred.
    pub const fn percent(hundredths: u8) -> Self {
        Self(if hundredths > 100 { 100 } else { hundredths })
    }

    /// The hundredths.
    pub const fn as_percent(self) -> u8 {
        self.0
    }
}

/// As a share with two decimals: `0.98`.
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
        let share = f64::deserialize(deserializer)?;
        if !(0.0..=1.0).contains(&share) {
            return Err(serde::de::Error::custom("a confidence lies between 0 and 1"));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the share was just seen to lie between 0 and 1"
        )]
        let hundredths = (share * 100.0).round() as u8;
        Ok(Self::percent(hundredths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_is_told_and_stored_with_two_decimals() {
        for hundredths in 0..=100 {
            let confidence = Confidence::percent(hundredths);
            let json = serde_json::to_string(&confidence).unwrap();
            assert_eq!(serde_json::from_str::<Confidence>(&json).unwrap(), confidence);
        }
        assert_eq!(Confidence::percent(98).to_string(), "0.98");
        assert_eq!(Confidence::CERTAIN.to_string(), "1.00");
        assert!(serde_json::from_str::<Confidence>("1.2").is_err());
    }
}
