//! Fetch tasks and their attempts.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{FetchOutcome, History, RequestRights};

/// The id of a run in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub i64);

/// The id of a target in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TargetId(pub i64);

/// The id of a task in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The reason for a fetch attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FetchPurpose {
    /// The first attempt of a run.
    Initial,
    /// Retry after a failure that may be transient.
    Retry,
    /// Second attempt after a hard failure such as 404, made before the target
    /// is reported as dead.
    Confirmation,
    /// Retry with another User-Agent, because the server may have rejected the default
    /// one.
    AlternateUserAgent,
}

impl FetchPurpose {
    /// All purposes.
    pub const ALL: [Self; 4] =
        [Self::Initial, Self::Retry, Self::Confirmation, Self::AlternateUserAgent];

    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Retry => "retry",
            Self::Confirmation => "confirmation",
            Self::AlternateUserAgent => "alternate-user-agent",
        }
    }
}

/// The summary of one fetch attempt of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The start of the attempt.
    pub requested_at: Timestamp,
    /// The reason for the attempt.
    pub purpose: FetchPurpose,
    /// The outcome of the fetch.
    pub outcome: FetchOutcome,
    /// The duration in milliseconds.
    pub duration_ms: u32,
}

/// A target to fetch, the purpose of the fetch, and the earlier attempts of
/// this run.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchTask {
    /// The id of the task.
    pub id: TaskId,
    /// The id of the target.
    pub target: TargetId,
    /// The canonical URL to fetch.
    pub url: String,
    /// The URL as written in its first link.
    pub original_url: String,
    /// Whether requests may reach private addresses and carry credentials.
    pub rights: RequestRights,
    /// The link distance from the seeds of a crawl; `None` outside of crawls.
    pub depth: Option<u32>,
    /// The reason for the next attempt.
    pub purpose: FetchPurpose,
    /// The earliest time of the next attempt.
    pub not_before: Timestamp,
    /// The earlier attempts of this run.
    pub attempts: Vec<Attempt>,
    /// The results of earlier runs.
    pub history: History,
}
