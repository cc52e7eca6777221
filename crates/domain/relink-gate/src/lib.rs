//! Rules for readable reports and CI gates.
//!
//! Groups findings that have one common cause, identifies findings across runs,
//! and decides which findings are new: not in a baseline, or caused by the changes
//! since a git revision. All functions are pure. This crate reads no file, runs no
//! git command and judges no page.

// Untrusted input must not panic: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

mod cause;

pub use cause::{Cause, CauseKind, FindingKey, group_by_cause, local_path};
