//! Storage of runs, links, targets, probes and host schedules.
//!
//! Invariants:
//!
//! - Probes are append-only. The current result of a target is the latest one,
//!   regardless of run ids.
//! - Work is claimed by **host lease**: only the holder of a lease fetches the
//!   tasks of the host. The fencing token of the lease is verified on commit,
//!   so a worker that lost its lease cannot overwrite results. Results
//!   that are judged later carry the generation of the run instead.
//! - No transaction is open during a fetch. A probe and its state change are
//!   committed in one transaction.

use std::collections::BTreeMap;
use std::net::IpAddr;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{
    Attempt, Confidence, Evidence, FailureStreak, FetchPurpose, FetchTask, FindingCode, Probe,
    RequestRights, RunId, SourceLocation, TargetId, TaskId, Verdict,
};
use thiserror::Error;

use crate::{AnchorStore, BudgetStore, DecayStore, ReviveStore, SiteStore, WorkerStore};

/// The id of a host in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub i64);

/// The id of a document of a run in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub i64);

/// The key of a run. An unfinished run with the same key is resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunKey {
    /// The command, such as `check`.
    pub command: String,
    /// The inputs as given by the user.
    pub inputs: Vec<String>,
    /// All other options that affect which URLs are fetched, as one text.
    pub scope: String,
}

/// A new or resumed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenRun {
    /// The id of the run.
    pub id: RunId,
    /// The time of the first start.
    pub started_at: Timestamp,
    /// Whether the run is the continuation of an unfinished run.
    pub is_resumed: bool,
    /// Whether a server was reached before the interruption.
    pub network_confirmed: bool,
    /// The fencing token of the run, which increases whenever it is opened.
    pub generation: i64,
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// Running or interrupted.
    Open,
    /// All targets are checked.
    Finished,
    /// No host was reachable; the run has no results.
    NoNetwork,
}

/// A document to add to a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDocument {
    /// The path or URL shown to users.
    pub label: String,
    /// The hash of its bytes.
    pub content_hash: u64,
}

/// A document after [`Store::load_document`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadedDocument {
    /// The id of the document.
    pub id: DocumentId,
    /// Whether its links are already stored and its bytes are unchanged.
    pub is_unchanged: bool,
}

/// A link to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewLink {
    /// The location of the link in its document.
    pub location: SourceLocation,
    /// The destination as written in the document.
    pub original_url: String,
    /// The target of the link.
    pub target: NewTarget,
    /// The percent-encoded fragment, if anchors are checked.
    pub fragment: Option<String>,
    /// The finding codes that the document suppresses for this link.
    pub ignored_codes: Vec<String>,
}

/// Consecutive links of one document.
#[derive(Debug, Clone, Copy)]
pub struct LinkBatch<'a> {
    /// The document.
    pub document: DocumentId,
    /// The index of the first link in the document.
    pub first_position: usize,
    /// The links, in document order.
    pub links: &'a [NewLink],
    /// The current time and the age limit of cached results.
    pub cache_window: CacheWindow,
}

/// The current time and the oldest cached result that may be reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheWindow {
    /// The current time.
    pub now: Timestamp,
    /// Targets that were alive at this time or later are not fetched again.
    pub fresh_since: Timestamp,
}

/// The target of a link.
#[derive(Debug, Clone, PartialEq)]
pub enum NewTarget {
    /// A URL to fetch.
    Web {
        /// The canonical URL.
        url: String,
        /// The host key of relink-frontier.
        host: String,
        /// The rights of requests for the URL.
        rights: RequestRights,
    },
    /// A target that is checked without a request: a local file or a malformed
    /// URL.
    Local {
        /// The unique key of the target.
        key: String,
        /// [`Verdict::Alive`] or [`Verdict::Local`].
        verdict: Verdict,
        /// The code of a finding.
        code: Option<FindingCode>,
        /// The reason shown to users.
        reason: String,
    },
}

/// A lease of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HostLease {
    /// The host.
    pub host: HostId,
    /// The token that increases with every lease of the host.
    pub fencing_token: i64,
}

/// The right to store a result, verified when the result is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fence {
    /// The lease held during the fetch.
    Host(HostLease),
    /// The generation of the run ([`OpenRun::generation`]), for results that are
    /// judged later from stored probes. Only the process that opened the run
    /// judges them.
    Run(i64),
}

impl From<HostLease> for Fence {
    fn from(lease: HostLease) -> Self {
        Self::Host(lease)
    }
}

/// Which hosts and tasks to claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimRequest {
    /// The maximum number of hosts.
    pub hosts: usize,
    /// The maximum number of tasks per host.
    pub tasks: usize,
    /// The current time.
    pub now: Timestamp,
    /// The end of the leases.
    pub until: Timestamp,
    /// Whether hosts and tasks are claimed before they are due. The leases of
    /// other workers are always respected.
    pub ignores_waits: bool,
}

impl ClaimRequest {
    /// Returns the time up to which hosts and tasks are claimed.
    pub fn due_until(&self) -> Timestamp {
        if self.ignores_waits { Timestamp::MAX } else { self.now }
    }
}

/// When the next host of a run can be claimed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NextDue {
    /// The due time of the next task whose host is not leased.
    pub at: Option<Timestamp>,
    /// Whether other workers have leased hosts with tasks. These hosts can be
    /// claimed when they are released or their leases end.
    pub is_shared: bool,
}

/// The persistent state of a host's rate limiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HostSchedule {
    /// The earliest time of the next request.
    pub next_at: Timestamp,
    /// The delay between requests derived from response times, in milliseconds.
    pub delay_ms: u32,
    /// The delay after a throttling response such as 429, in milliseconds; zero
    /// if there was none.
    pub throttle_ms: u32,
    /// The time of the last update. A time in the future means that the system
    /// clock was set back.
    pub stored_at: Timestamp,
    /// The IP address of the last request.
    pub address: Option<IpAddr>,
}

/// A claimed host with its first tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The lease.
    pub lease: HostLease,
    /// The host key.
    pub name: String,
    /// The state of its rate limiter.
    pub schedule: HostSchedule,
    /// Due tasks, oldest first.
    pub tasks: Vec<FetchTask>,
}

/// The request statistics of a host in a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostStats {
    /// The host key.
    pub name: String,
    /// All requests, including retries and confirmations.
    pub requests: u64,
    /// Requests for controls, included in `requests`.
    pub control_requests: u64,
    /// Requests that received a response.
    pub responses: u64,
    /// Throttling responses such as 429.
    pub throttled: u64,
    /// The total duration of all requests in milliseconds.
    pub request_ms: u64,
    /// The time that tasks waited for the rate limiter, in milliseconds.
    pub politeness_wait_ms: u64,
}

/// A host to release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRelease {
    /// The lease.
    pub lease: HostLease,
    /// The state of its rate limiter.
    pub schedule: HostSchedule,
    /// What is added to its statistics.
    pub stats: HostStats,
}

/// The result of one attempt, to be committed.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskCompletion {
    /// The id of the task.
    pub task: TaskId,
    /// The id of its target.
    pub target: TargetId,
    /// The right to store the result.
    pub fence: Fence,
    /// The probe, if a request was sent.
    pub probe: Option<Probe>,
    /// The next state of the task.
    pub update: TaskUpdate,
    /// The fetched page, if its links are followed.
    pub page: Option<NewPage>,
    /// The sorted [`anchor_hash`] values of the page; `None` if they are
    /// unknown or not needed.
    pub anchors: Option<Vec<u32>>,
}

/// A page of a crawl with its links.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewPage {
    /// The URL of the page.
    pub label: String,
    /// Whether the page is a sitemap, whose links are not visible to readers.
    pub is_sitemap: bool,
    /// The sorted [`anchor_hash`] values of the page; `None` if unknown.
    pub anchors: Option<Vec<u32>>,
    /// The links, in document order.
    pub links: Vec<PageLink>,
}

/// A link on a page of a crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct PageLink {
    /// The link.
    pub link: NewLink,
    /// The decision that applies if the target is new to the run.
    pub decision: LinkDecision,
}

/// Whether a crawl fetches a new target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkDecision {
    /// Fetch the target.
    Fetch {
        /// The link distance from the seeds.
        depth: u32,
        /// The traversal rank, lowest first; `None` in order of discovery.
        rank: Option<i64>,
        /// Whether a cached result may replace the fetch. It cannot if the
        /// links of the page are needed, because they are not cached.
        may_use_cache: bool,
    },
    /// Do not fetch the target. The link is stored only if another link
    /// already made it a target of the run.
    Skip,
}

/// The effect of a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitSummary {
    /// Tasks whose results were rejected because the fence is outdated.
    pub rejected: Vec<TaskId>,
    /// Targets that are new to the run.
    pub new_targets: u64,
    /// New targets that need no request, included in `new_targets`.
    pub already_checked: u64,
}

/// Returns the hash of an anchor name.
///
/// Anchors are stored as 32-bit hashes, because a page may have thousands of
/// them and links refer to only a few.
pub fn anchor_hash(name: &str) -> u32 {
    // FNV-1a, because the value must not depend on the machine or version.
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, mix)
}

/// The next state of a task.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskUpdate {
    /// Fetch the target again.
    Retry {
        /// The reason for the next attempt.
        purpose: FetchPurpose,
        /// The earliest time of the next attempt.
        not_before: Timestamp,
        /// The attempts so far.
        attempts: Vec<Attempt>,
    },
    /// Postpone the judgment until the network is confirmed or the neighbors
    /// are fetched.
    Hold {
        /// The attempts so far.
        attempts: Vec<Attempt>,
    },
    /// Delete the task and the links to it.
    Drop,
    /// Store the result.
    Finish(TargetResult),
}

/// The result of a target in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetResult {
    /// The verdict.
    pub verdict: Verdict,
    /// The code of a finding.
    pub code: Option<FindingCode>,
    /// The last HTTP status.
    pub status: Option<u16>,
    /// The reason shown to users.
    pub reason: String,
    /// The time from which the verdict has been the same.
    pub since: Timestamp,
    /// The time of the check.
    pub checked_at: Timestamp,
    /// The attempts of the run.
    pub attempts: Vec<Attempt>,
    /// The consecutive failed runs, including this one; `None` ends a streak.
    pub streak: Option<FailureStreak>,
    /// The confidence of the verdict.
    pub confidence: Confidence,
    /// The evidence in addition to the attempts.
    pub evidence: Vec<Evidence>,
}

/// A cached control, shared by all targets with the same key.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredControl {
    /// The cache key.
    pub key: String,
    /// The control URL.
    pub url: String,
    /// The probe of the URL.
    pub probe: Probe,
}

/// Another target in the same directory.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbor {
    /// The canonical URL.
    pub url: String,
    /// The last probe in this run.
    pub probe: Probe,
}

/// Everything that is stored about one target.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetRecord {
    /// The canonical URL.
    pub url: String,
    /// The latest result, with the last probe.
    pub latest: Option<CheckedTarget>,
    /// The time and verdict of every check, oldest first.
    pub past_verdicts: Vec<(Timestamp, Verdict)>,
    /// The probes of the latest run, oldest first.
    pub probes: Vec<Probe>,
}

/// A target with its result.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedTarget {
    /// The id of the task, which is the sort key of pagination.
    pub task: TaskId,
    /// The URL as written in its first link.
    pub original_url: String,
    /// The canonical URL.
    pub url: String,
    /// The result.
    pub result: TargetResult,
    /// Whether the result was reused from an earlier run.
    pub is_cached: bool,
    /// The last probe, if there is one.
    pub probe: Option<Probe>,
    /// The first link locations, up to the limit of the query.
    pub locations: Vec<LinkLocation>,
    /// The number of links to the target.
    pub inlinks: u64,
    /// The link distance from the seeds of a crawl.
    pub depth: Option<u32>,
}

/// A query for one page of checked targets.
#[derive(Debug, Clone, Copy)]
pub struct CheckedTargetQuery<'a> {
    /// Return only targets after this task.
    pub after: TaskId,
    /// The maximum number of targets.
    pub limit: usize,
    /// Return only targets with one of these verdicts.
    pub verdicts: Option<&'a [Verdict]>,
    /// Return only targets that needed no request.
    pub is_unfetched: bool,
    /// The maximum number of link locations per target.
    pub max_locations: usize,
}

impl CheckedTargetQuery<'_> {
    /// All targets with all link locations.
    pub const ALL: Self = Self {
        after: TaskId(0),
        limit: usize::MAX,
        verdicts: None,
        is_unfetched: false,
        max_locations: usize::MAX,
    };
}

/// The links to a target, except those whose document suppresses the finding.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inlinks {
    /// The first locations, up to the limit of the query.
    pub locations: Vec<LinkLocation>,
    /// The number of links.
    pub count: u64,
    /// Whether there are links and all of their documents suppress the
    /// finding. Such a finding is not reported.
    pub all_ignored: bool,
}

/// A link location with its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkLocation {
    /// The label of the document.
    pub path: String,
    /// The location in the document.
    pub location: SourceLocation,
}

/// The statistics of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Links found.
    pub links: u64,
    /// Documents read.
    pub documents: u64,
    /// Hosts contacted.
    pub hosts: u64,
    /// Distinct targets.
    pub targets: u64,
    /// Checked targets.
    pub checked: u64,
    /// Targets with a cached result.
    pub cached: u64,
    /// Targets by verdict.
    pub verdicts: BTreeMap<Verdict, u64>,
    /// Links whose document suppresses the finding. The other counters exclude
    /// these links, and targets that have no other links.
    pub ignored: u64,
}

/// The progress of a run, including suppressed findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// Distinct targets.
    pub targets: u64,
    /// Checked targets.
    pub checked: u64,
}

/// The size of the database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// Bytes on disk.
    pub bytes: u64,
    /// Stored runs.
    pub runs: u64,
    /// Stored targets.
    pub targets: u64,
    /// Stored probes.
    pub probes: u64,
}

/// An error of the database.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another process has locked the file.
    #[error("the database `{path}` is in use by another process")]
    Locked {
        /// The file.
        path: String,
    },
    /// The file was written by a newer version of Relink.
    #[error(
        "the database `{path}` was written by a newer version of Relink (schema {found}, supported: {known})"
    )]
    SchemaTooNew {
        /// The file.
        path: String,
        /// The schema version of the file.
        found: i64,
        /// The schema version of this build.
        known: i64,
    },
    /// The file was written by a development version of Relink.
    #[error(
        "the database `{path}` was written by a development version of Relink (schema {found}, supported: {known})"
    )]
    SchemaTooOld {
        /// The file.
        path: String,
        /// The schema version of the file.
        found: i64,
        /// The schema version of this build.
        known: i64,
    },
    /// The file is not a Relink database.
    #[error("`{path}` is not a Relink database")]
    NotRelinkDatabase {
        /// The file.
        path: String,
    },
    /// The file cannot be opened.
    #[error("cannot open the database `{path}`")]
    Unreachable {
        /// The file.
        path: String,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Another process works on the run.
    #[error("the run is in progress in another process")]
    RunInUse,
    /// The disk is full.
    #[error("disk full while writing the database `{path}`")]
    Full {
        /// The file.
        path: String,
    },
    /// A statement failed, or a stored value is invalid.
    #[error("database error while {operation}")]
    Failed {
        /// The operation that failed.
        operation: &'static str,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// The storage of all commands.
#[async_trait]
pub trait Store:
    SiteStore + AnchorStore + ReviveStore + DecayStore + BudgetStore + WorkerStore + Send + Sync
{
    /// Opens the unfinished run with this key, or a new run.
    ///
    /// With `fresh`, always opens a new run. An unfinished run is then never
    /// resumed.
    async fn open_run(
        &self,
        key: &RunKey,
        fresh: bool,
        now: Timestamp,
    ) -> Result<OpenRun, StoreError>;

    /// Adds a document to the run. If its content has changed since the last
    /// load, deletes its old links.
    async fn load_document(
        &self,
        run: RunId,
        document: &NewDocument,
    ) -> Result<LoadedDocument, StoreError>;

    /// Adds links of a document. New targets become tasks, unless a cached
    /// result can be reused. A cached result of a link with a fragment can be
    /// reused only if the anchors of the page are stored.
    async fn add_links(&self, run: RunId, batch: LinkBatch<'_>) -> Result<(), StoreError>;

    /// Marks a document as completely loaded.
    async fn finish_document(&self, document: DocumentId) -> Result<(), StoreError>;

    /// Finishes loading: deletes documents that are not in `documents`, and
    /// tasks without links.
    async fn finish_loading(&self, run: RunId, documents: &[DocumentId]) -> Result<(), StoreError>;

    /// Leases hosts with due tasks and returns their first tasks.
    async fn claim(&self, run: RunId, request: ClaimRequest) -> Result<Vec<Claim>, StoreError>;

    /// Returns due tasks of a leased host after the last returned one.
    async fn more_tasks(
        &self,
        run: RunId,
        lease: HostLease,
        after: (Timestamp, TaskId),
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError>;

    /// Extends leases, and returns those that were lost: another worker may
    /// have claimed the host. Also records that this worker is alive.
    async fn renew(
        &self,
        leases: &[HostLease],
        until: Timestamp,
    ) -> Result<Vec<HostLease>, StoreError>;

    /// Releases hosts, and stores their schedules and statistics. A lease that
    /// was lost is ignored.
    async fn release(&self, run: RunId, hosts: &[HostRelease]) -> Result<(), StoreError>;

    /// Returns when the next host can be claimed. The run has no task to fetch
    /// if the default is returned and this worker has leased no host.
    async fn next_due(&self, run: RunId) -> Result<NextDue, StoreError>;

    /// Commits results and the links of their pages in one transaction.
    async fn commit(
        &self,
        run: RunId,
        completions: &[TaskCompletion],
        cache_window: CacheWindow,
    ) -> Result<CommitSummary, StoreError>;

    /// Records that a server was reached.
    async fn confirm_network(&self, run: RunId) -> Result<(), StoreError>;

    /// Returns held tasks after `after`, each with its last probe.
    async fn held_tasks(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<(FetchTask, Probe)>, StoreError>;

    /// Returns checked targets in order of discovery, except findings that
    /// all documents suppress.
    async fn checked_targets(
        &self,
        run: RunId,
        query: CheckedTargetQuery<'_>,
    ) -> Result<Vec<CheckedTarget>, StoreError>;

    /// Returns the inlinks of the target of each task, in the order of
    /// `tasks`, with at most `max_locations` locations each.
    async fn inlinks(
        &self,
        tasks: &[TaskId],
        max_locations: usize,
    ) -> Result<Vec<Inlinks>, StoreError>;

    /// Returns the control with this key, if it was requested at `since` or
    /// later.
    async fn control(
        &self,
        key: &str,
        since: Timestamp,
    ) -> Result<Option<StoredControl>, StoreError>;

    /// Saves controls. A newer control replaces an older one with the same key.
    async fn save_controls(&self, controls: &[StoredControl]) -> Result<(), StoreError>;

    /// Returns other targets fetched in this run whose URLs start with
    /// `directory`: those nearest to `url` in URL order, nearest first.
    async fn neighbors(
        &self,
        run: RunId,
        directory: &str,
        url: &str,
        limit: usize,
    ) -> Result<Vec<Neighbor>, StoreError>;

    /// Returns everything stored about the target with this canonical URL.
    async fn target_record(&self, url: &str) -> Result<Option<TargetRecord>, StoreError>;

    /// Returns the progress of the run.
    async fn progress(&self, run: RunId) -> Result<RunProgress, StoreError>;

    /// Returns the statistics of the run without the target counters.
    async fn source_stats(&self, run: RunId) -> Result<RunStats, StoreError>;

    /// Returns the statistics of the run.
    async fn run_stats(&self, run: RunId) -> Result<RunStats, StoreError>;

    /// Returns the hosts of the run with the most requests, busiest first.
    async fn host_stats(&self, run: RunId, limit: usize) -> Result<Vec<HostStats>, StoreError>;

    /// Closes a run.
    async fn close_run(
        &self,
        run: RunId,
        state: RunState,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns the size of the database.
    async fn size(&self) -> Result<StoreSize, StoreError>;

    /// Deletes runs closed before `before` and older probes, except the current
    /// result of each target and the digest of its last reached content.
    async fn prune(&self, before: Timestamp) -> Result<StoreSize, StoreError>;

    /// Shrinks the database file.
    async fn vacuum(&self) -> Result<(), StoreError>;
}
