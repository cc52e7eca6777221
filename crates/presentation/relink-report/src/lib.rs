//! Renders results as JSON, terminal text, HTML and SVG.
//!
//! All functions are pure: they take values and return a string or write to a
//! writer. This crate sends no request and decides no verdict.
//!
//! Two invariants hold for all output: secrets in URLs are masked
//! ([`Redacted`]), and untrusted text is printed without control characters
//! ([`printable()`]).

// Untrusted input must not panic: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

pub mod bars;
pub mod check;
pub mod decay;
pub mod explain;
pub mod extract;
pub mod graph;
pub mod harvest;
pub mod human;
pub mod schema;
pub mod site;
pub mod survey;
pub mod target_record;
pub mod watch;

mod archive;
mod dead_links;
mod fetch_outcome_name;
mod fix;
mod fix_message;
mod gate;
mod json_string;
mod lines;
mod printable;
mod redact;
mod report;
mod revive_result;
mod revive_summary;
mod row;
mod suggestion;

pub use archive::{ArchiveCounts, ArchiveReport, ArchiveRow, ArchiveRowState};
pub use dead_links::DeadLinks;
pub use fetch_outcome_name::FetchOutcomeName;
pub use fix::{
    FixCauseRow, FixCommitRow, FixReport, FixRow, FixRowStatus, FixWikiEditRow, SiteFixList,
    SiteFixRow,
};
pub use fix_message::{REPAIR_CAUSES, commit_message, pull_request_body};
pub use gate::{GateRow, GateRowKind};
pub use lines::FindingLine;
pub use printable::printable;
pub use redact::{Redacted, redact, redact_prose};
pub use report::{
    HostRow, JsonReport, ProblemRow, ProjectConfigRow, Report, ReportHead, ReportTail, Summary,
    Tool,
};
pub use revive_result::{
    AliasDetails, AliasEvidenceRow, AliasRow, ArchivedCopyRow, CostRow, ReviveResultRow,
    ReviveResultView,
};
pub use revive_summary::{AliasShare, CopyGapSummary, CostComparison, ReviveSummary};
pub use row::{EvidenceRow, HopRow, LocationRow, LocationView, SCHEMA, TargetRow, TargetView};
pub use suggestion::{
    OtherCandidateRow, RejectedCopyRow, ReplacementRow, RevivalRow, SuggestionRow,
};
