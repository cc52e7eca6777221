//! The store in memory: what is known about a task when it is inserted.

use jiff::Timestamp;
use relink_model::TaskId;
use relink_ports::{CacheWindow, NewTarget};

/// The values of a new task that do not depend on its link.
pub(super) struct TaskDefaults {
    /// Decides whether a stored result is used instead of a request.
    pub(super) window: CacheWindow,
    /// The earliest time of the request.
    pub(super) not_before: Timestamp,
    /// The distance from the start page, in crawls.
    pub(super) depth: Option<u32>,
    /// The position in the order of requests, in crawls.
    pub(super) rank: Option<i64>,
}

impl TaskDefaults {
    /// The values of a task that is due immediately, outside of crawls.
    pub(super) fn immediate(window: CacheWindow) -> Self {
        Self { window, not_before: Timestamp::UNIX_EPOCH, depth: None, rank: None }
    }
}

/// The link for which a task is inserted.
pub(super) struct TaskOrigin<'a> {
    pub(super) target: &'a NewTarget,
    pub(super) original_url: &'a str,
    /// Whether the link has a fragment to check.
    pub(super) has_fragment: bool,
}

/// The task of a target, after it was inserted or found.
pub(super) struct InsertedTask {
    pub(super) id: TaskId,
    /// Whether the task was inserted by this call.
    pub(super) is_new: bool,
    /// Whether the task needs no request.
    pub(super) is_finished: bool,
}

/// Returns a window in which no stored result is fresh.
pub(super) fn without_cache(window: CacheWindow) -> CacheWindow {
    CacheWindow { fresh_since: Timestamp::MAX, ..window }
}
