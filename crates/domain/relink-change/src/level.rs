//! Degrees of change, as Walden's Paths names them (section 2).

use std::fmt;

use serde::{Deserialize, Serialize};

/// A degree of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// The bytes are equal.
    None,
    /// The bytes differ, the words outside boilerplate and volatile parts do
    /// not.
    Checksum,
    /// Few words changed.
    Low,
    /// A considerable part of the words changed.
    Moderate,
    /// The page is mostly another one.
    High,
}

impl Level {
    /// Its name: `none`, `checksum`, `low`, `moderate` or `high`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Checksum => "checksum",
            Self::Low => "low",
            Self::Moderate => "moderate",
            Self::High => "high",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// From which content change on a change is moderate or high. The paper names
/// the levels and no numbers; these are ours.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LevelThresholds {
    /// Content change from which on the level is moderate.
    pub moderate: f64,
    /// Content change from which on the level is high.
    pub high: f64,
}

impl Default for LevelThresholds {
    fn default() -> Self {
        Self { moderate: 0.10, high: 0.40 }
    }
}

impl LevelThresholds {
    /// The level of a content change between versions whose bytes differ.
    ///
    /// ```
    /// use relink_change::{Level, LevelThresholds};
    /// assert_eq!(LevelThresholds::default().level(0.05), Level::Low);
    /// ```
    pub fn level(&self, content: f64) -> Level {
        if content <= 0.0 {
            Level::Checksum
        } else if content < self.moderate {
            Level::Low
        } else if content < self.high {
            Level::Moderate
        } else {
            Level::High
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_follows_the_thresholds() {
        let level = |content| LevelThresholds::default().level(content);
        let expect = [Level::Checksum, Level::Low, Level::Moderate, Level::Moderate, Level::High];
        assert_eq!([0.0, 0.001, 0.10, 0.399, 0.4].map(level), expect);
    }
}
