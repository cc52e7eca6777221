//! Domain types and their invariants.
//!
//! Terms: *a link is broken, a page is dead, a program has an error.*
//!
//! An observation ([`Probe`]), the conclusion drawn from it ([`Assessment`])
//! and the result shown to users ([`Verdict`]) are separate types, so that a
//! stored observation can be judged again under other rules.
//!
//! This crate does no I/O and does not read the clock. It validates its own values and
//! makes no other decisions.

// Untrusted input must not cause a panic; see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

mod assessment;
mod code;
mod control;
mod digest;
mod evidence;
mod fetch_task;
mod history;
mod link;
mod probe;
mod redact;
mod rights;
mod search;
mod similarity;
mod sketch;
mod snapshot;
mod text;
mod verdict;
mod xml;

pub use assessment::{Assessment, DeadReason, InconclusiveReason};
pub use code::{FindingCode, ParseCodeError};
pub use control::{Control, ControlKind};
pub use digest::{Digest, PageFlag, PageFunction};
pub use evidence::{Confidence, ControlSummary, Evidence};
pub use fetch_task::{Attempt, FetchPurpose, FetchTask, RunId, TargetId, TaskId};
pub use history::{FailureStreak, History};
pub use link::{Link, LinkKind, LinkTarget, SkipReason, SourceLocation, Span};
pub use probe::{
    ConnectError, DnsError, FetchOutcome, Hop, InvalidRedirect, Phase, Probe, ProtocolError,
    ResponseVersion, Timings, TlsError,
};
pub use redact::{
    redact_stored_text, redact_stored_url, redact_text, redact_url, with_authority,
    without_userinfo,
};
pub use rights::{RequestRights, is_same_host_and_port};
pub use search::{SearchHit, SearchQuery};
pub use similarity::Similarity;
pub use sketch::Sketch;
pub use snapshot::{Capture, Snapshot};
pub use text::is_indic_punctuation;
pub use verdict::{ParseVerdictError, Verdict};
pub use xml::escape_xml;
