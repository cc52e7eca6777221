//! Verdicts: the results shown in every output.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The result of a check, as shown to users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The page exists and has the linked content.
    Alive,
    /// A permanent redirect leads to the same content.
    Moved,
    /// The page responds, but its content changed beyond a threshold.
    Drifted,
    /// The page is permanently gone.
    Dead,
    /// The page fails, but the failure is not confirmed yet.
    Failing,
    /// The status is a success, but the page is an error page or a placeholder.
    #[serde(rename = "soft-404")]
    Soft404,
    /// The domain has changed its owner.
    Hijacked,
    /// The server does not let Relink see the page.
    Blocked,
    /// An error in the document: missing file, missing anchor, malformed URL.
    Local,
    /// The page is alive, but likely to disappear: many neighbors (pages in the same
    /// directory) are dead, or no archive has a copy of the page.
    AtRisk,
}

impl Verdict {
    /// All verdicts, in the order in which the summary of a run lists them.
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

    /// The default of `--fail-on`: verdicts that set the exit code.
    pub const DEFAULT_FAIL_ON: [Self; 4] = [Self::Dead, Self::Soft404, Self::Hijacked, Self::Local];

    /// Verdicts on pages that are gone and may have a new URL or an archived copy.
    pub const GONE: [Self; 3] = [Self::Dead, Self::Soft404, Self::Hijacked];

    /// Whether the page is gone, so that it may have a new URL or an archived copy.
    pub const fn is_gone(self) -> bool {
        matches!(self, Self::Dead | Self::Soft404 | Self::Hijacked)
    }

    /// Returns the name used in every output.
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

    /// Returns the symbol printed before the verdict in a terminal.
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

    /// Whether the linked content was reached, so that the result may be cached.
    pub const fn is_reached(self) -> bool {
        matches!(self, Self::Alive | Self::Moved | Self::Drifted | Self::AtRisk)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The text is not a verdict.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "unknown verdict `{0}`; expected alive, moved, drifted, dead, failing, soft-404, hijacked, blocked, local or at-risk"
)]
pub struct ParseVerdictError(String);

impl FromStr for Verdict {
    type Err = ParseVerdictError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.as_str() == text)
            .ok_or_else(|| ParseVerdictError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdict_names_round_trip() {
        for verdict in Verdict::ALL {
            assert_eq!(verdict.as_str().parse(), Ok(verdict));
            let json = serde_json::to_string(&verdict).unwrap();
            assert_eq!(json, format!("\"{verdict}\""));
        }
    }
}
