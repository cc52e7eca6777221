//! The one vocabulary people meet in every output.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What a reader is told about a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The content is what was linked.
    Alive,
    /// A permanent redirect leads to the same thing.
    Moved,
    /// It answers, but the content changed beyond a threshold.
    Drifted,
    /// Gone for good.
    Dead,
    /// Bad now, not yet confirmed.
    Failing,
    /// Answers success, but is an error page or a placeholder.
    #[serde(rename = "soft-404")]
    Soft404,
    /// The name has another owner now.
    Hijacked,
    /// Cannot be told from outside.
    Blocked,
    /// Wrong in the source itself: missing file, missing anchor, malformed URL.
    Local,
    /// Alive, but in bad company or archived nowhere.
    AtRisk,
}

impl Verdict {
    /// Every word, in the order summaries list them.
    pub const ALL: [Self; 10] = [
        Self::Alive,
        Self::Moved,
        Self::Drifted,
        Self::Dead,
        Self::Soft404,
        Self::Hijacked,
        Self::Failing,
        Self::Blocked,
        Self::Local,
        Self::AtRisk,
    ];

    /// The words that fail a run unless `--fail-on` says otherwise.
    pub const DEFAULT_FAIL_ON: [Self; 4] = [Self::Dead, Self::Soft404, Self::Hijacked, Self::Local];

    /// The word as every output spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Moved => "moved",
            Self::Drifted => "drifted",
            Self::Dead => "dead",
            Self::Failing => "failing",
            Self::Soft404 => "soft-404",
            Self::Hijacked => "hijacked",
            Self::Blocked => "blocked",
            Self::Local => "local",
            Self::AtRisk => "at-risk",
        }
    }

    /// The sign that stands before the word on a terminal.
    pub const fn symbol(self) -> char {
        match self {
            Self::Alive => '✓',
            Self::Moved => '→',
            Self::Drifted => '≈',
            Self::Dead => '✗',
            Self::Failing => '◌',
            Self::Soft404 => '☁',
            Self::Hijacked => '☠',
            Self::Blocked => '⛔',
            Self::Local => '!',
            Self::AtRisk => '☆',
        }
    }

    /// Whether the linked content was reached, so that the answer may be cached.
    pub const fn is_reached(self) -> bool {
        matches!(self, Self::Alive | Self::Moved | Self::Drifted | Self::AtRisk)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The text is none of the ten words.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "`{0}` is none of alive, moved, drifted, dead, failing, soft-404, hijacked, blocked, local, at-risk"
)]
pub struct ParseVerdictError(String);

impl FromStr for Verdict {
    type Err = ParseVerdictError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|word| word.as_str() == text)
            .ok_or_else(|| ParseVerdictError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_back_from_its_own_spelling() {
        for word in Verdict::ALL {
            assert_eq!(word.as_str().parse(), Ok(word));
            let json = serde_json::to_string(&word).unwrap();
            assert_eq!(json, format!("\"{word}\""));
        }
    }
}
