//! The dates of lines in local files, from version control.

use std::path::Path;

use jiff::Timestamp;

/// A version control system.
pub trait LineHistory: Send + Sync {
    /// Returns when each of these lines was last changed; `None` if it is not known. Lines
    /// start at 1. Blocks the thread.
    fn line_dates(&self, file: &Path, lines: &[u32]) -> Vec<Option<Timestamp>>;
}
