//! Rules for readable reports and CI gates.
//!
//! Groups findings that have one common cause, identifies findings across runs,
//! and decides which findings are new: not in a baseline, or caused by the changes
//! since a git revision. All functions are pure. This crate reads no file, runs no
//! git command and judges no page.

// Untrusted input must not panic: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

mod accept;
mod baseline;
mod cause;
mod diff;
mod finding_id;
mod since;

pub use accept::{AcceptRule, AcceptedCodes, ParseAcceptError};
pub use baseline::{BaselineEntry, BaselineMatch, KnownFindings, ParseBaselineError};
pub use cause::{Cause, CauseKind, FindingKey, group_by_cause, local_path};
pub use diff::{AddedLines, Renames};
pub use finding_id::FindingId;
pub use since::{BaseLinks, LinkKey, new_links};
