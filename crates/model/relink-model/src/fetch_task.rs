//! A decision to ask, and the looks already taken.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{FetchOutcome, History, RequestRights};

/// One run of a use case, as the store numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub i64);

/// One target, as the store numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TargetId(pub i64);

/// One task, as the store numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why a target is asked (again).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FetchPurpose {
    /// To learn how it is.
    Initial,
    /// Because the last look may have met a passing trouble.
    Retry,
    /// To see hard evidence a second time before calling anything dead.
    Confirmation,
    /// Because the server may have turned away our name and not the question.
    AlternateUserAgent,
}

impl FetchPurpose {
    /// Every purpose.
    pub const ALL: [Self; 4] =
        [Self::Initial, Self::Retry, Self::Confirmation, Self::AlternateUserAgent];

    /// The purpose as JSON spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Initial => "first",
            Self::Retry => "retry",
            Self::Confirmation => "second-look",
            Self::AlternateUserAgent => "other-agent",
        }
    }
}

/// What one look at a target in this run came to, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// When it was asked.
    pub requested_at: Timestamp,
    /// Why.
    pub purpose: FetchPurpose,
    /// How it ended.
    pub outcome: FetchOutcome,
    /// How long it took, in milliseconds.
    pub duration_ms: u32,
}

/// A target to be asked: which, why, and what is known already.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchTask {
    /// The task's number.
    pub id: TaskId,
    /// The target's number.
    pub target: TargetId,
    /// The canonical URL to ask.
    pub url: String,
    /// The URL as its first link writes it.
    pub original_url: String,
    /// What a request for it may do.
    pub rights: RequestRights,
    /// How many links lie between it and where a crawl began; nothing outside
    /// of crawls.
    pub depth: Option<u32>,
    /// Why it is asked now.
    pub purpose: FetchPurpose,
    /// Not before this moment.
    pub not_before: Timestamp,
    /// The looks already taken in this run.
    pub attempts: Vec<Attempt>,
    /// What earlier runs concluded.
    pub history: History,
}
