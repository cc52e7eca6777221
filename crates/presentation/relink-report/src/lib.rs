//! How do we say it? The renderings shared by files, terminal and API.
//!
//! Everything here is pure: values come in, text goes out through a writer or
//! as a string. Nothing asks, judges or decides; whoever calls has done so.
//!
//! Two promises hold for every rendering. No secret of a URL is ever shown
//! ([`Redacted`]), and untrusted text reaches a terminal without control
//! characters ([`printable()`]).

// Untrusted input must not end the program: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

pub mod bars;
pub mod decay;
pub mod explain;
pub mod extract;
pub mod graph;
pub mod human;
pub mod schema;
pub mod site;
pub mod survey;
pub mod target_record;

mod dead_links;
mod fetch_outcome_name;
mod json_string;
mod printable;
mod redact;
mod report;
mod revive_summary;
mod revived;
mod row;
mod suggestion;

pub use dead_links::DeadLinks;
pub use fetch_outcome_name::FetchOutcomeName;
pub use printable::printable;
pub use redact::{Redacted, redact, redact_prose};
pub use report::{
    HostRow, JsonReport, ProblemRow, ProjectConfigRow, Report, ReportHead, ReportTail, Summary,
    Tool,
};
pub use revive_summary::{FoundShare, ReviveSummary};
pub use revived::{
    AliasEvidenceRow, AliasRow, CopyRow, CostRow, RevivedAlias, RevivedRow, RevivedView,
};
pub use row::{EvidenceRow, HopRow, LocationRow, LocationView, SCHEMA, TargetRow, TargetView};
pub use suggestion::{OtherRow, PassedOverRow, ReplacementRow, RevivalRow, SuggestionRow};
