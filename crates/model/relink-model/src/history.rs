//! What earlier runs concluded about a target.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Digest, FindingCode, Verdict};

/// What is remembered of a target between runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The word of the last run that settled it.
    pub verdict: Option<Verdict>,
    /// Its code.
    pub code: Option<FindingCode>,
    /// Since when that word has held without a break.
    pub since: Option<Timestamp>,
    /// When it was last settled.
    pub checked: Option<Timestamp>,
    /// When its content was last reached.
    pub last_reached: Option<Timestamp>,
    /// The failed runs since then.
    pub streak: Option<FailureStreak>,
    /// What the page said when its content was last reached.
    pub digest: Option<Box<Digest>>,
    /// The address at which it was then found.
    pub final_url: Option<String>,
}

/// Failed runs in a row, with no success between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureStreak {
    /// How many runs failed.
    pub runs: u32,
    /// When the first of them did.
    pub first: Timestamp,
    /// When the last of them did.
    pub last: Timestamp,
}

impl FailureStreak {
    /// The streak after one more failed run at `now`.
    #[must_use]
    pub fn extended(streak: Option<Self>, now: Timestamp) -> Self {
        match streak {
            None => Self { runs: 1, first: now, last: now },
            Some(streak) => Self {
                runs: streak.runs.saturating_add(1),
                first: streak.first,
                last: now.max(streak.last),
            },
        }
    }
}
