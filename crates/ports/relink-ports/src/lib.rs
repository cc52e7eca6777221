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

pub use anchor_store::{AnchorReference, AnchorStore, MissingAnchor};
pub use archive::{
    Archive, ArchiveError, CaptureList, CaptureOrder, CaptureQuery, CaptureScope,
    CaptureStatusFilter, Replay,
};
pub use clock::Clock;
pub use dial::{Connection, Dial};
pub use fetch::{
    Body, Fetch, FetchRequest, FetchResult, RedirectFilter, RedirectMode, RequestOptions, UserAgent,
};
pub use files::{DocumentSource, FileError, Files, WalkRequest, WalkResult};
pub use ledger::BudgetStore;
pub use render::{Render, RenderError, RenderRequest, RenderedPage, Truncation};
pub use revive_store::{DeadTarget, ReviveStore, StoredPattern, StoredRevival, TextChange};
pub use search::{SearchEngine, SearchError, SearchResponse};
pub use site_store::{
    LinkCursor, PastVerdict, RunSummary, SiteLink, SitePage, SiteStore, SiteTarget, StoredRobots,
    VerdictChange,
};
pub use store::{
    CacheWindow, CheckedTarget, CheckedTargetQuery, Claim, CommitSummary, DocumentId, HostId,
    HostLease, HostSchedule, HostStats, Inlinks, LinkBatch, LinkDecision, LinkLocation,
    LoadedDocument, Neighbor, NewDocument, NewLink, NewPage, NewTarget, OpenRun, PageLink, RunKey,
    RunProgress, RunState, RunStats, Store, StoreError, StoreSize, StoredControl, TargetRecord,
    TargetResult, TaskCompletion, TaskUpdate, anchor_hash,
};
