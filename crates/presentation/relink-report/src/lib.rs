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
pub mod dossier;
pub mod explain;
pub mod extract;
pub mod graph;
pub mod human;
pub mod schema;
pub mod site;
pub mod survey;

mod dead_links;
mod ending_name;
mod json_string;
mod printable;
mod redact;
mod report;
mod revive_summary;
mod revived;
mod row;
mod suggestion;

pub use dead_links::DeadLinks;
pub use ending_name::EndingName;
pub use printable::printable;
pub use redact::{Redacted, redact, redact_prose};
pub use report::{
    HostRow, JsonReport, ProblemRow, ProjectConfigRow, Report, ReportHead, ReportTail, Summary,
    Tool,
};
pub use revive_summary::{FoundShare, ReviveSummary};
pub use revived::{AliasRow, CopyRow, CostRow, EvidenceRow, RevivedAlias, RevivedRow, RevivedView};
pub use row::{Evidence, HopRow, PlaceRow, PlaceView, SCHEMA, TargetRow, TargetView};
pub use suggestion::{OtherRow, PassedOverRow, ReplacementRow, RevivalRow, SuggestionRow};
