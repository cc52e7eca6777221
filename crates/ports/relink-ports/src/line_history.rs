//! The dates of lines in local files, from version control.

use std::path::Path;

use jiff::Timestamp;

/// A version control system.
pub trait LineHistory: Send + Sync {
    /// Returns the times of the last changes of lines, in the order of `lines`; `None` for an
    /// unknown time. The first line has the number 1. Blocks the thread.
    fn line_dates(&self, file: &Path, lines: &[u32]) -> Vec<Option<Timestamp>>;
}
