//! What is remembered: runs, links, targets, probes and host clocks.
//!
//! The rules both databases keep:
//!
//! - Probes are only ever added. A target's current state is what was found out
//!   last, whatever the number of the run.
//! - Work is claimed by **host lease**: whoever holds a host's lease may ask
//!   its tasks and nobody else may. A lease carries a fencing number that is
//!   checked when results come in, so a worker that lost its lease cannot
//!   overwrite anything.
//! - No transaction is open during a fetch. A probe and the state change it
//!   causes are one transaction.

use std::collections::BTreeMap;
use std::net::IpAddr;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{
    Attempt, Confidence, Evidence, FailureStreak, FetchPurpose, FetchTask, FindingCode, Probe,
    RequestRights, RunId, SourceLocation, TargetId, TaskId, Verdict,
};
use thiserror::Error;

use crate::{AnchorStore, BudgetStore, ReviveStore, SiteStore};

/// One host, as the store numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub i64);

/// One document of a run, as the store numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub i64);

/// What identifies a run, so that an unfinished one can be found again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunKey {
    /// The use case, `check`.
    pub command: String,
    /// The inputs as given.
    pub inputs: Vec<String>,
    /// Everything else that decides what is asked, as one text.
    pub scope: String,
}

/// A run that was opened, anew or again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenRun {
    /// Its number.
    pub id: RunId,
    /// When it was first started.
    pub started: Timestamp,
    /// Whether an unfinished run is going on.
    pub is_resumed: bool,
    /// Whether some server was met before the interruption.
    pub network_confirmed: bool,
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// Still at work, or interrupted.
    Open,
    /// All targets are settled.
    Finished,
    /// No host could be reached at all: nothing was decided.
    NoNetwork,
}

/// One document that takes part in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDocument {
    /// The path or URL to show.
    pub label: String,
    /// A hash of its bytes.
    pub content: u64,
}

/// What the store knew of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadedDocument {
    /// Its number.
    pub id: DocumentId,
    /// Whether its links are stored already and its bytes are unchanged.
    pub is_unchanged: bool,
}

/// One link to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewLink {
    /// Where it stands.
    pub location: SourceLocation,
    /// The destination as its document writes it.
    pub original_url: String,
    /// What it leads to.
    pub target: NewTarget,
    /// The place on the target it wants, if it names one that is looked for,
    /// escaped as in a URL.
    pub fragment: Option<String>,
    /// Codes of findings that its document says to leave alone.
    pub ignored_codes: Vec<String>,
}

/// Links of one document to store, in order.
#[derive(Debug, Clone, Copy)]
pub struct LinkBatch<'a> {
    /// The document.
    pub document: DocumentId,
    /// The position of the first of them in the document.
    pub first: usize,
    /// The links.
    pub links: &'a [NewLink],
    /// When.
    pub cache_window: CacheWindow,
}

/// When links are stored, and how far memory is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheWindow {
    /// The present moment.
    pub now: Timestamp,
    /// Targets found alive at this moment or later need not be asked again.
    pub fresh_since: Timestamp,
}

/// What a link leads to.
#[derive(Debug, Clone, PartialEq)]
pub enum NewTarget {
    /// A web page to ask.
    Web {
        /// The canonical URL.
        url: String,
        /// The host it is asked at, as the frontier names hosts.
        host: String,
        /// What requests for it may do.
        rights: RequestRights,
    },
    /// Something already settled without asking: a local file, a malformed
    /// address.
    Local {
        /// A key that is the same for the same thing.
        key: String,
        /// Alive or local.
        verdict: Verdict,
        /// The code, if it is a finding.
        code: Option<FindingCode>,
        /// The reason in plain words.
        reason: String,
    },
}

/// A host held for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HostLease {
    /// The host.
    pub host: HostId,
    /// The fencing number.
    pub fencing_token: i64,
}

/// The durable part of a host's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HostSchedule {
    /// Not before this moment.
    pub next_at: Timestamp,
    /// The delay between requests learned from response times, in milliseconds.
    pub delay_ms: u32,
    /// The delay since the host asked for fewer requests, in milliseconds; zero
    /// if it did not.
    pub throttle_ms: u32,
    /// When this was stored. A time in the future means that the system clock
    /// has moved back since.
    pub stored_at: Timestamp,
    /// The address it was last asked at.
    pub address: Option<IpAddr>,
}

/// A claimed host with its first tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The lease.
    pub lease: HostLease,
    /// The host's name.
    pub name: String,
    /// Its clock.
    pub politeness: HostSchedule,
    /// Tasks that are due, oldest first.
    pub tasks: Vec<FetchTask>,
}

/// What a run did to one host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostStats {
    /// The host's name.
    pub name: String,
    /// Requests made, retries and second looks included.
    pub requests: u64,
    /// Those of them that asked for a page to compare with.
    pub controls: u64,
    /// Requests that some server answered.
    pub responses: u64,
    /// Answers that asked for slower visits.
    pub throttled: u64,
    /// Milliseconds spent asking.
    pub request_ms: u64,
    /// Milliseconds the host's tasks waited out of politeness.
    pub politeness_wait_ms: u64,
}

/// A result to commit.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskCompletion {
    /// The task it answers.
    pub task: TaskId,
    /// Its target.
    pub target: TargetId,
    /// The lease it was asked under; `None` for results judged later from
    /// stored probes.
    pub lease: Option<HostLease>,
    /// What was seen, if something was asked.
    pub probe: Option<Probe>,
    /// What follows.
    pub step: TaskUpdate,
    /// The page that was found there, if its links are followed.
    pub page: Option<NewPage>,
    /// The places the page offers to fragments, as [`anchor_hash`] has them,
    /// sorted; nothing where nobody asked or they cannot be told.
    pub anchors: Option<Vec<u32>>,
}

/// A page whose links were read, and belong with the result that brought it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewPage {
    /// Its address.
    pub label: String,
    /// Whether it is a sitemap, whose links nobody follows but machines.
    pub is_sitemap: bool,
    /// The places it offers to fragments, as [`anchor_hash`] has them, sorted;
    /// nothing where they cannot be told.
    pub anchors: Option<Vec<u32>>,
    /// Its links, in order.
    pub links: Vec<PageLink>,
}

/// A link on a page of a crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct PageLink {
    /// The link.
    pub link: NewLink,
    /// What becomes of its target, if the run does not know it yet.
    pub admission: LinkDecision,
}

/// What becomes of a target that is new to a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkDecision {
    /// It is asked.
    Fetch {
        /// How many links lie between it and the beginning.
        depth: u32,
        /// Its turn where the order is not first come, first served: the
        /// least is asked first.
        rank: Option<i64>,
        /// Whether it need not be asked if it was alive lately. The links of
        /// a page are not in memory.
        may_use_cache: bool,
    },
    /// It is not asked; the link is kept if its target is known otherwise.
    Skip,
}

/// What a batch of results did to the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitSummary {
    /// Tasks whose results were refused because their lease was lost.
    pub refused: Vec<TaskId>,
    /// Targets that are new to the run.
    pub found: u64,
    /// Those of them that needed no asking.
    pub known: u64,
}

/// How the name of a place on a page is kept: in 32 bits, for pages may have
/// thousands of them and only a few are ever wanted.
pub fn anchor_hash(name: &str) -> u32 {
    // FNV-1a: it must be the same on every machine and in every version.
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, mix)
}

/// What follows from a look.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskUpdate {
    /// Ask again.
    Retry {
        /// Why.
        purpose: FetchPurpose,
        /// Not before this moment.
        not_before: Timestamp,
        /// The looks so far.
        attempts: Vec<Attempt>,
    },
    /// Wait until some host has answered, or until the neighbors have been asked,
    /// before concluding anything.
    Hold {
        /// The looks so far.
        attempts: Vec<Attempt>,
    },
    /// It is not asked after all: the task and the links to it are forgotten.
    Drop,
    /// Done.
    Finish(TargetResult),
}

/// A target's state at the end of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetResult {
    /// What the reader is told.
    pub verdict: Verdict,
    /// The code, if it is a finding.
    pub code: Option<FindingCode>,
    /// The last status seen.
    pub status: Option<u16>,
    /// The reason in plain words.
    pub reason: String,
    /// Since when the word has held.
    pub since: Timestamp,
    /// When it was settled.
    pub at: Timestamp,
    /// The looks it rests on.
    pub attempts: Vec<Attempt>,
    /// The failed runs in a row, this one included; `None` ends a streak.
    pub streak: Option<FailureStreak>,
    /// How sure it is.
    pub confidence: Confidence,
    /// What it rests on beside the looks.
    pub evidence: Vec<Evidence>,
}

/// A page asked for comparison, kept for all targets that share its key.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredControl {
    /// What the targets that may share it have in common.
    pub key: String,
    /// The address asked.
    pub url: String,
    /// What came back.
    pub probe: Probe,
}

/// Another target in the same directory.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbor {
    /// Its canonical URL.
    pub url: String,
    /// Its last probe in this run.
    pub probe: Probe,
}

/// All that is remembered of one target.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetRecord {
    /// The canonical URL.
    pub url: String,
    /// Its latest settled state, with the last probe.
    pub latest: Option<CheckedTarget>,
    /// Every settled run, oldest first: when, and which word.
    pub past_verdicts: Vec<(Timestamp, Verdict)>,
    /// The probes of the latest run, oldest first.
    pub probes: Vec<Probe>,
}

/// A settled target with all there is to say about it.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedTarget {
    /// Its task; results are paged through in this order.
    pub task: TaskId,
    /// The URL as its first link writes it.
    pub original_url: String,
    /// The canonical URL.
    pub url: String,
    /// Its state.
    pub result: TargetResult,
    /// Whether the answer is remembered from an earlier run.
    pub is_cached: bool,
    /// The last probe, where one was made.
    pub probe: Option<Probe>,
    /// The places that name it, as many as were asked for.
    pub locations: Vec<LinkLocation>,
    /// How many links name it.
    pub inlinks: u64,
    /// How far it is from where a crawl began.
    pub depth: Option<u32>,
}

/// Which settled targets to read.
#[derive(Debug, Clone, Copy)]
pub struct CheckedTargetQuery<'a> {
    /// Only those after this one.
    pub after: TaskId,
    /// So many at most.
    pub limit: usize,
    /// Only those of these words, if there are any.
    pub verdicts: Option<&'a [Verdict]>,
    /// Only those that needed no asking.
    pub is_unfetched: bool,
    /// So many places of each at most.
    pub locations: usize,
}

impl CheckedTargetQuery<'_> {
    /// All of them, with every place.
    pub const ALL: Self = Self {
        after: TaskId(0),
        limit: usize::MAX,
        verdicts: None,
        is_unfetched: false,
        locations: usize::MAX,
    };
}

/// The links that name a target, but for those whose documents say to leave
/// its finding alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inlinks {
    /// The first of their places.
    pub locations: Vec<LinkLocation>,
    /// How many there are.
    pub count: u64,
    /// Whether there are links, and every one of their documents says so: then
    /// the finding is not told.
    pub all_ignored: bool,
}

/// A place and the document it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkLocation {
    /// The document's label.
    pub path: String,
    /// The place in it.
    pub location: SourceLocation,
}

/// A run in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Links found.
    pub links: u64,
    /// Documents read.
    pub documents: u64,
    /// Hosts asked.
    pub hosts: u64,
    /// Distinct targets.
    pub targets: u64,
    /// Targets settled.
    pub checked: u64,
    /// Targets settled from memory.
    pub cached: u64,
    /// Targets by word.
    pub verdicts: BTreeMap<Verdict, u64>,
    /// Links left out everywhere else, because their documents say to leave
    /// what was found alone. Targets that only they name are left out, too.
    pub ignored: u64,
}

/// How far a run has come, whether or not it is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// Distinct targets.
    pub targets: u64,
    /// Targets settled.
    pub checked: u64,
}

/// How much the database holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// Bytes on disk.
    pub bytes: u64,
    /// Runs remembered.
    pub runs: u64,
    /// Targets known.
    pub targets: u64,
    /// Probes kept.
    pub probes: u64,
}

/// The database could not do its work.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another process holds it.
    #[error("the database `{path}` is in use by another process")]
    Locked {
        /// The file.
        path: String,
    },
    /// It was written by a newer Relink.
    #[error(
        "the database `{path}` was written by a newer Relink (schema {found}, this build knows {known})"
    )]
    SchemaTooNew {
        /// The file.
        path: String,
        /// Its schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The file is something else.
    #[error("`{path}` is not a Relink database")]
    NotRelinkDatabase {
        /// The file.
        path: String,
    },
    /// It cannot be reached.
    #[error("cannot open the database `{path}`")]
    Unreachable {
        /// The file.
        path: String,
        /// What the system said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// There is no room left.
    #[error("no room left for the database `{path}`")]
    Full {
        /// The file.
        path: String,
    },
    /// A statement failed, or a stored value cannot be read.
    #[error("the database failed while {operation}")]
    Failed {
        /// What was being done.
        operation: &'static str,
        /// What it said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Remembers everything.
#[async_trait]
pub trait Store: SiteStore + AnchorStore + ReviveStore + BudgetStore + Send + Sync {
    /// Opens the unfinished run of the same plan, or a new one.
    ///
    /// With `fresh`, an unfinished one is left as it is and never resumed.
    async fn open_run(
        &self,
        plan: &RunKey,
        fresh: bool,
        now: Timestamp,
    ) -> Result<OpenRun, StoreError>;

    /// Says that a document takes part in the run. If its bytes changed since
    /// it was last loaded, its old links are forgotten.
    async fn load_document(
        &self,
        run: RunId,
        document: &NewDocument,
    ) -> Result<LoadedDocument, StoreError>;

    /// Adds links of a document. Targets not yet known to the run become
    /// tasks, or are settled from memory if they were alive lately. Where a
    /// link wants a place, memory must know which places there are.
    async fn add_links(&self, run: RunId, batch: LinkBatch<'_>) -> Result<(), StoreError>;

    /// Marks a document as loaded whole.
    async fn finish_document(&self, document: DocumentId) -> Result<(), StoreError>;

    /// Ends loading: forgets documents that no longer take part and tasks
    /// that no link names any more.
    async fn finish_loading(&self, run: RunId, documents: &[DocumentId]) -> Result<(), StoreError>;

    /// Leases up to `hosts` hosts with tasks that are due, with up to
    /// `tasks` of each.
    async fn claim(
        &self,
        run: RunId,
        hosts: usize,
        tasks: usize,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Claim>, StoreError>;

    /// More due tasks of a leased host, after the last one it was given.
    async fn more_tasks(
        &self,
        run: RunId,
        lease: HostLease,
        after: (Timestamp, TaskId),
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError>;

    /// Keeps leases a while longer.
    async fn renew(&self, leases: &[HostLease], until: Timestamp) -> Result<(), StoreError>;

    /// Gives a host back, with its clock and what was done to it.
    async fn release(
        &self,
        run: RunId,
        lease: HostLease,
        pace: &HostSchedule,
        tally: &HostStats,
    ) -> Result<(), StoreError>;

    /// When the next task of a host that is not leased falls due.
    async fn next_due(&self, run: RunId) -> Result<Option<Timestamp>, StoreError>;

    /// Commits results in one transaction, with the links of their pages.
    async fn commit(
        &self,
        run: RunId,
        completions: &[TaskCompletion],
        moments: CacheWindow,
    ) -> Result<CommitSummary, StoreError>;

    /// Remembers that some server was met.
    async fn confirm_network(&self, run: RunId) -> Result<(), StoreError>;

    /// Tasks on hold with the last probe of each, after `after`.
    async fn held_tasks(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<(FetchTask, Probe)>, StoreError>;

    /// Settled targets, in the order they were found. Findings that every
    /// document says to leave alone are left out.
    async fn checked_targets(
        &self,
        run: RunId,
        query: CheckedTargetQuery<'_>,
    ) -> Result<Vec<CheckedTarget>, StoreError>;

    /// The links that name each of these tasks' targets, with so many of
    /// their places at most, in the order of the tasks.
    async fn inlinks(&self, tasks: &[TaskId], places: usize) -> Result<Vec<Inlinks>, StoreError>;

    /// The control kept under this key, if it was asked at this moment or later.
    async fn control(
        &self,
        key: &str,
        since: Timestamp,
    ) -> Result<Option<StoredControl>, StoreError>;

    /// Keeps controls; a newer one takes the place of an older one.
    async fn save_controls(&self, controls: &[StoredControl]) -> Result<(), StoreError>;

    /// Other targets whose URLs begin with `directory` and that were asked in
    /// this run: those next to `url` in the order of their URLs, the nearest
    /// first.
    async fn neighbors(
        &self,
        run: RunId,
        directory: &str,
        url: &str,
        limit: usize,
    ) -> Result<Vec<Neighbor>, StoreError>;

    /// All that is remembered of the target with this canonical URL.
    async fn target_record(&self, url: &str) -> Result<Option<TargetRecord>, StoreError>;

    /// How far the run has come.
    async fn progress(&self, run: RunId) -> Result<RunProgress, StoreError>;

    /// The run in numbers, its targets aside.
    async fn source_stats(&self, run: RunId) -> Result<RunStats, StoreError>;

    /// The run in numbers.
    async fn run_stats(&self, run: RunId) -> Result<RunStats, StoreError>;

    /// The hosts of the run that were asked most, busiest first.
    async fn hosts(&self, run: RunId, limit: usize) -> Result<Vec<HostStats>, StoreError>;

    /// Closes a run.
    async fn close_run(
        &self,
        run: RunId,
        state: RunState,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// How much the database holds.
    async fn size(&self) -> Result<StoreSize, StoreError>;

    /// Forgets runs closed before `before` and probes older than that, but
    /// never a target's current state nor what its last good page said.
    async fn prune(&self, before: Timestamp) -> Result<StoreSize, StoreError>;

    /// Gives unused room back to the disk.
    async fn vacuum(&self) -> Result<(), StoreError>;
}
