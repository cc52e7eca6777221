//! What the engine needs from outside: one small trait for each outside thing.
//!
//! The engine knows these traits and no implementation of them; the binary
//! wires the two together in one place. A port speaks the model's words, so
//! that nothing of an edge (a row, a socket, a path separator) leaks inward.

mod anchor_store;
mod archive;
mod clock;
mod dial;
mod fetch;
mod files;
mod ledger;
mod render;
mod revive_store;
mod search;
mod site_store;
mod store;

pub use anchor_store::{AnchorStore, MissingAnchor, WantedAnchor};
pub use archive::{
    Archive, ArchiveFault, CaptureList, CaptureOrder, CaptureQuery, CaptureScope, CaptureStatuses,
    Replay,
};
pub use clock::Clock;
pub use dial::{Connection, Dial};
pub use fetch::{Agent, Body, Fetch, Fetched, Gate, Redirects, Request, Terms};
pub use files::{DocumentSource, FileFault, Files, Walk, Walked};
pub use ledger::Ledger;
pub use render::{Cut, Render, RenderFault, RenderRequest, Rendered};
pub use revive_store::{DeadTarget, KeptLesson, KeptRevival, ReviveStore, TextChange};
pub use search::{SearchAnswer, SearchEngine, SearchFault};
pub use site_store::{
    KeptRobots, LinkCursor, PastWord, RunSummary, SiteLink, SitePage, SiteStore, SiteTarget,
    WordChange,
};
pub use store::{
    Admission, Claim, Completed, Completion, DocumentId, Dossier, HostId, HostLease, HostPace,
    HostTally, KeptControl, LinkBatch, LoadedDocument, Mentions, Moments, Neighbor, NewDocument,
    NewLink, NewPage, NewTarget, OpenRun, PageLink, PlaceIn, RunPlan, RunProgress, RunState,
    Settled, SettledQuery, Settlement, Step, Store, StoreFault, StoreSize, Tally, anchor_hash,
};
