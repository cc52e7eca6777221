//! Levels of change. The names are from the paper on Walden's Paths (Dalal et al. 2004,
//! section 2).

use std::fmt;

use serde::{Deserialize, Serialize};

/// A level of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// The bytes are equal.
    None,
    /// The bytes differ, but the words outside boilerplate and volatile parts
    /// are equal.
    Checksum,
    /// A small share of the words changed.
    Low,
    /// A considerable share of the words changed.
    Moderate,
    /// A large share of the words changed.
    High,
}

impl Level {
    /// Returns the name: `none`, `checksum`, `low`, `moderate` or `high`.
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

/// Minimum content change of the upper levels. The paper gives no numbers; the defaults
/// are Relink's own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LevelThresholds {
    /// Minimum content change of the level `moderate`.
    pub moderate: f64,
    /// Minimum content change of the level `high`.
    pub high: f64,
}

impl Default for LevelThresholds {
    fn default() -> Self {
        Self { moderate: 0.10, high: 0.40 }
    }
}

impl LevelThresholds {
    /// Returns the level of a content change between versions whose bytes
    /// differ.
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
