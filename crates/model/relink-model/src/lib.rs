//! The words of Relink and their invariants.
//!
//! Rule one: *a link is broken, a page is dead, a program has a fault.*
//! Rule two: observation ([`Probe`]), judgement ([`Verdict`]) and what a reader
//! is told ([`Word`]) are three types, so that a stored observation can be
//! judged again, years later, under other rules.
//!
//! Nothing here does input or output, asks the time or decides anything beyond
//! the validity of its own values.

// Untrusted input must not end the program: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

mod code;
mod control;
mod digest;
mod errand;
mod ground;
mod history;
mod likeness;
mod link;
mod probe;
mod redact;
mod rights;
mod search;
mod sketch;
mod snapshot;
mod verdict;
mod word;

pub use code::{Code, ParseCodeError};
pub use control::{Control, ControlKind};
pub use digest::{Digest, Mark};
pub use errand::{Errand, ErrandId, Look, Purpose, RunId, TargetId};
pub use ground::{Confidence, ControlSeen, Ground};
pub use history::{FailureStreak, History};
pub use likeness::Likeness;
pub use link::{Link, LinkTarget, Place, PlaceKind, SkipReason, Span};
pub use probe::{
    ConnectFault, DnsFault, Ending, Hop, Malformation, Phase, Probe, ProtocolFault, Timings,
    TlsFault,
};
pub use redact::{
    redact_stored_text, redact_stored_url, redact_text, redact_url, with_authority,
    without_userinfo,
};
pub use rights::{RequestRights, is_same_host_and_port};
pub use search::{SearchHit, SearchQuery};
pub use sketch::Sketch;
pub use snapshot::{Capture, Snapshot};
pub use verdict::{Cause, Doubt, Verdict};
pub use word::{ParseWordError, Word};
