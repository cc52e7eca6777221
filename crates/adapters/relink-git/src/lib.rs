//! Reads a git repository with the `git` program, and its current commit without it.
//!
//! Nothing in the repository is changed: files of a revision are written to
//! another directory with a temporary index. Hooks, external diff programs and text
//! conversions are disabled. All calls block.

mod head;
mod line_history;
mod repository;

pub use head::head_commit;
pub use line_history::GitLineHistory;
pub use repository::{GitError, Repository};
