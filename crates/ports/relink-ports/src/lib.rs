//! Ports: traits for the external systems that the application needs.
//!
//! The application depends on these traits and not on their implementations;
//! the binary connects the two. Ports use the types of relink-model, so that
//! details of an adapter (rows, sockets, path separators) stay inside of it.

mod anchor_store;
mod archive;
mod archive_submission;
mod budget_store;
mod clock;
mod collection_store;
mod decay_store;
mod dial;
mod fetch;
mod files;
mod harvest_store;
mod line_history;
mod mailer;
mod record_source;
mod render;
mod revive_store;
mod search;
mod site_store;
mod store;
mod webhook;
mod wiki;
mod worker_store;

pub use anchor_store::{AnchorReference, AnchorStore, MissingAnchor};
pub use archive::{
    Archive, ArchiveError, ArchiveWriter, CaptureList, CaptureOrder, CaptureQuery, CaptureScope,
    CaptureStatusFilter, CapturedResponse, Replay,
};
pub use archive_submission::{ArchiveSubmission, SubmissionLog, SubmissionState};
pub use budget_store::BudgetStore;
pub use clock::Clock;
pub use collection_store::{
    CollectionId, CollectionStore, CollectionUpdate, MemberEvent, MemberId, PageUpdate,
    StoredCollection, StoredMember, StoredVersion, VersionId, WatchedPage,
};
pub use decay_store::{DecayStore, StoredDecay};
pub use dial::{Connection, Dial};
pub use fetch::{
    Body, Fetch, FetchRequest, FetchResult, RedirectFilter, RedirectMode, RequestBody,
    RequestOptions, UserAgent,
};
pub use files::{DirectoryEntry, DocumentSource, FileError, Files, WalkRequest, WalkResult};
pub use harvest_store::{
    DomainDay, HarvestChanges, HarvestEvent, HarvestProgress, HarvestStore, HarvestTarget,
    LocationChange, MailState, NewNotification, NewRecord, PageChanges, ProviderCounts,
    RecordFilter, StoredArrival, StoredDelivery, StoredIncident, StoredMail, StoredNotification,
    StoredOverride, StoredProvider, StoredRecord, StoredRecordLink, TargetCheck,
};
pub use line_history::LineHistory;
pub use mailer::{MailError, Mailer, OutgoingMail};
pub use record_source::{
    DatestampUnit, HarvestedRecord, RecordLink, RecordLinkRole, RecordPage, RecordQuery,
    RecordSource, RecordSourceError, RepositoryInfo,
};
pub use render::{Render, RenderError, RenderRequest, RenderedPage, Truncation};
pub use revive_store::{DeadTarget, ReviveStore, StoredPattern, StoredRevival, TextChange};
pub use search::{SearchEngine, SearchError, SearchResponse};
pub use site_store::{
    LinkCursor, PastVerdict, RunSummary, SiteLink, SitePage, SiteStore, SiteTarget, StoredRobots,
    VerdictChange,
};
pub use store::{
    CacheWindow, CheckedTarget, CheckedTargetQuery, Claim, ClaimRequest, CommitSummary, DocumentId,
    Fence, HostId, HostLease, HostRelease, HostSchedule, HostStats, Inlinks, LinkBatch,
    LinkDecision, LinkLocation, LoadedDocument, Neighbor, NewDocument, NewLink, NewPage, NewTarget,
    NextDue, OpenRun, PageLink, RunKey, RunProgress, RunState, RunStats, Store, StoreError,
    StoreSize, StoredControl, TargetRecord, TargetResult, TaskCompletion, TaskUpdate, anchor_hash,
};
pub use webhook::{WebhookError, WebhookMessage, WebhookSender};
pub use wiki::{
    Wiki, WikiAccount, WikiCheckout, WikiEdit, WikiEditRecord, WikiError, WikiJournal, WikiListing,
    WikiPage, WikiPageEntry, WikiPageList, WikiPageQuery,
};
pub use worker_store::{JoinableRun, QueueStatus, RunQueue, RunStatus, WorkerStatus, WorkerStore};
