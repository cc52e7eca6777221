//! The results of earlier runs for a target.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Digest, FindingCode, ResponseVersion, Verdict};

/// The stored results of a target from earlier runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The latest verdict.
    pub verdict: Option<Verdict>,
    /// The code of the latest verdict.
    pub code: Option<FindingCode>,
    /// The time from which the verdict has been the same in every run.
    pub since: Option<Timestamp>,
    /// The time of the latest check.
    pub checked_at: Option<Timestamp>,
    /// The last time the content was reached.
    pub last_reached_at: Option<Timestamp>,
    /// The consecutive runs in which the page failed since `last_reached_at`.
    pub streak: Option<FailureStreak>,
    /// The digest of the page at `last_reached_at`.
    pub digest: Option<Box<Digest>>,
    /// The URL after redirects at `last_reached_at`.
    pub final_url: Option<String>,
    /// The version of the page at `last_reached_at` according to its headers.
    #[serde(default)]
    pub version: Option<Box<ResponseVersion>>,
}

/// Consecutive runs in which the page failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureStreak {
    /// The number of runs.
    pub runs: u32,
    /// The time of the first run.
    pub first_at: Timestamp,
    /// The time of the last run.
    pub last_at: Timestamp,
}

impl FailureStreak {
    /// Returns the streak with one more failed run, at `now`. Without a streak, starts one.
    #[must_use]
    pub fn extend(streak: Option<Self>, now: Timestamp) -> Self {
        match streak {
            None => Self { runs: 1, first_at: now, last_at: now },
            Some(streak) => Self {
                runs: streak.runs.saturating_add(1),
                first_at: streak.first_at,
                last_at: now.max(streak.last_at),
            },
        }
    }
}
