//! Ports: traits for the external systems that the application needs.
//!
//! The application depends on these traits and not on their implementations;
//! the binary connects the two. Ports use the types of relink-model, so that
//! details of an adapter (rows, sockets, path separators) stay inside of it.

mod archive;
mod archive_submission;
mod budget_store;
mod cache_store;
mod clock;
mod collection_store;
mod decay_store;
mod dial;
mod fetch;
mod files;
mod harvest_store;
mod intake_store;
mod line_history;
mod mailer;
mod record_source;
mod render;
mod result_store;
mod run_store;
mod search;
mod site_records;
mod store;
mod store_error;
mod store_maintenance;
mod webhook;
mod wiki;
mod work_queue;

pub use archive::{
    Archive, ArchiveError, ArchiveWriter, CaptureList, CaptureOrder, CaptureQuery, CaptureScope,
    CaptureStatusFilter, CapturedResponse, Replay,
};
pub use archive_submission::{ArchiveJobState, ArchiveSubmission, SubmissionLog};
pub use budget_store::BudgetStore;
pub use cache_store::{CacheStore, StoredControl, StoredPattern, StoredRevival, StoredRobots};
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
    IncidentFilter, LocationChange, MailState, NewNotification, NewRecord, PageChanges,
    ProviderCounts, RecordFilter, StoredArrival, StoredDelivery, StoredIncident, StoredMail,
    StoredNotification, StoredOverride, StoredProvider, StoredRecord, StoredRecordLink,
    TargetCheck, TargetSelection,
};
pub use intake_store::{
    CacheWindow, DocumentId, IntakeStore, LinkBatch, LinkDecision, LoadedDocument, MissingAnchor,
    NewDocument, NewLink, NewPage, NewTarget, PageLink, anchor_hash,
};
pub use line_history::LineHistory;
pub use mailer::{MailError, Mailer, OutgoingMail};
pub use record_source::{
    DatestampUnit, HarvestedRecord, RecordLink, RecordLinkRole, RecordPage, RecordQuery,
    RecordSource, RecordSourceError, RepositoryInfo,
};
pub use render::{Render, RenderError, RenderRequest, RenderedPage, Truncation};
pub use result_store::{
    AnchorReference, CheckedTarget, CheckedTargetQuery, DeadTarget, Inlinks, LinkCursor,
    LinkLocation, LinkOrigin, Neighbor, PastChange, PastVerdict, ResultStore, TargetRecord,
    TextChange, TitledPage, VerdictChange,
};
pub use run_store::{
    HostStats, OpenRun, RunKey, RunProgress, RunState, RunStats, RunStore, RunSummary,
};
pub use search::{SearchEngine, SearchError, SearchResponse};
pub use site_records::{SiteLink, SitePage, SiteTarget};
pub use store::{ManagedStore, Store};
pub use store_error::StoreError;
pub use store_maintenance::{StoreMaintenance, StoreSize};
pub use webhook::{WebhookError, WebhookMessage, WebhookSender};
pub use wiki::{
    Wiki, WikiAccount, WikiCheckout, WikiEdit, WikiEditRecord, WikiError, WikiJournal, WikiListing,
    WikiPage, WikiPageEntry, WikiPageList, WikiPageQuery,
};
pub use work_queue::{
    Claim, ClaimRequest, CommitSummary, Fence, HostId, HostLease, HostRelease, HostSchedule,
    JoinableRun, NextDue, QueueStatus, RunQueue, RunStatus, TargetResult, TargetState,
    TaskCompletion, TaskUpdate, WorkQueue, WorkerStatus,
};
