//! What is remembered of a crawl beside its tasks: pages and their links,
//! what hosts allow, and notes a run leaves for its own resumption.
//!
//! The link graph is read back in two streams, pages and links, each in a
//! fixed order and in pieces, so that a site of any size can be looked at.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{FetchTask, FindingCode, LinkKind, RunId, TaskId, Verdict};

use crate::{CacheWindow, CommitSummary, DocumentId, HostLease, HostSchedule, NewPage, StoreError};

/// What a host said about robots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRobots {
    /// The origin it holds for, `https://example.org`.
    pub origin: String,
    /// When it was asked.
    pub requested_at: Timestamp,
    /// The status of the answer, redirects followed; nothing if nobody
    /// answered.
    pub status: Option<u16>,
    /// The text, if there was one.
    pub text: Vec<u8>,
}

/// One run, in a list of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// Its number.
    pub id: RunId,
    /// The use case.
    pub command: String,
    /// The inputs as given.
    pub inputs: Vec<String>,
    /// When it was first started.
    pub started: Timestamp,
    /// When it was closed; nothing if it is unfinished.
    pub closed: Option<Timestamp>,
    /// Whether it came to its proper end.
    pub is_finished: bool,
    /// Targets known to it.
    pub targets: u64,
    /// Targets settled.
    pub checked: u64,
    /// Pages whose links were read.
    pub pages: u64,
}

/// A target of a crawl with what its report needs.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteTarget {
    /// Its task; targets are read in this order.
    pub task: TaskId,
    /// The canonical URL.
    pub url: String,
    /// Its state, if it is settled.
    pub verdict: Option<Verdict>,
    /// The code, if it is a finding.
    pub code: Option<FindingCode>,
    /// The last status.
    pub status: Option<u16>,
    /// The reason in plain words.
    pub reason: String,
    /// How far it is from the beginning.
    pub depth: Option<u32>,
    /// When it was last asked.
    pub requested_at: Option<Timestamp>,
    /// How long that took, in milliseconds.
    pub took_ms: Option<u32>,
    /// The body's length as far as it was read.
    pub bytes: Option<u64>,
    /// The page's title.
    pub title: Option<String>,
    /// The addresses it led over, the last included.
    pub hops: Vec<String>,
    /// The page that redirects led to and that a link's fragment is then
    /// searched on; nothing without redirects, and where one of them drops the
    /// fragment or names its own.
    pub landing: Option<String>,
}

/// A page of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePage {
    /// Its number; pages are read in this order.
    pub document: DocumentId,
    /// Its address.
    pub label: String,
    /// The task it was found on; nothing for seeds and sitemaps.
    pub task: Option<TaskId>,
    /// Whether it is a sitemap.
    pub is_sitemap: bool,
    /// How many links it has.
    pub links: u64,
    /// The places it offers, see [`anchor_hash`](crate::anchor_hash), sorted;
    /// nothing where they cannot be told.
    pub anchors: Option<Vec<u32>>,
}

/// A link of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteLink {
    /// The page it stands on.
    pub from: DocumentId,
    /// Which of its links.
    pub position: u64,
    /// Where it leads.
    pub to: TaskId,
    /// The line it stands in.
    pub line: u32,
    /// What it is.
    pub kind: LinkKind,
    /// The place on the target it wants, escaped as in a URL.
    pub fragment: Option<String>,
}

/// Where a stream of links is: after the link with this target, page and
/// position.
pub type LinkCursor = (TaskId, DocumentId, u64);

/// How a target's word changed from one run to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictChange {
    /// The canonical URL.
    pub url: String,
    /// The word in the earlier run; nothing if it did not take part.
    pub before: Option<Verdict>,
    /// The word in the later run; nothing if it did not take part.
    pub after: Option<Verdict>,
    /// The code in the later run, or else in the earlier one.
    pub code: Option<FindingCode>,
}

/// A target settled by asking, in whichever run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastVerdict {
    /// The task that settled it; they are read in this order.
    pub task: TaskId,
    /// The canonical URL.
    pub url: String,
    /// When it was settled.
    pub at: Timestamp,
    /// As what.
    pub verdict: Verdict,
}

/// Remembers crawls.
#[async_trait]
pub trait SiteStore: Send + Sync {
    /// Adds pages that no task brought: seeds, sitemaps.
    async fn add_pages(
        &self,
        run: RunId,
        pages: &[NewPage],
        moments: CacheWindow,
    ) -> Result<CommitSummary, StoreError>;

    /// Due tasks of a leased host by their rank, the least first.
    async fn due_by_rank(
        &self,
        run: RunId,
        lease: HostLease,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError>;

    /// The last task of a run, as they are numbered.
    async fn last_task_id(&self, run: RunId) -> Result<TaskId, StoreError>;

    /// What an origin said about robots, if it was asked at this moment or
    /// later.
    async fn robots(
        &self,
        origin: &str,
        since: Timestamp,
    ) -> Result<Option<StoredRobots>, StoreError>;

    /// Keeps what an origin said about robots, in place of what it said before.
    async fn save_robots(&self, robots: &StoredRobots) -> Result<(), StoreError>;

    /// When a host may be requested again and how fast, if anything is stored.
    async fn host_schedule(&self, host: &str) -> Result<Option<HostSchedule>, StoreError>;

    /// Stores when a host may be requested again, in place of what was stored.
    /// Only for requests outside of runs: a run holds a lease on the host.
    async fn save_host_schedule(&self, host: &str, pace: &HostSchedule) -> Result<(), StoreError>;

    /// A note this run left under this name.
    async fn checkpoint(&self, run: RunId, name: &str) -> Result<Option<String>, StoreError>;

    /// Leaves a note for the run itself, in place of an earlier one.
    async fn save_checkpoint(&self, run: RunId, name: &str, text: &str) -> Result<(), StoreError>;

    /// The newest runs of a use case, newest first; of all, if none is named.
    async fn runs(
        &self,
        command: Option<&str>,
        limit: usize,
    ) -> Result<Vec<RunSummary>, StoreError>;

    /// The addresses of a run's targets after this one, in the order they were
    /// found.
    async fn site_urls(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<(TaskId, String)>, StoreError>;

    /// Targets of a run after this one, in the order they were found.
    async fn site_targets(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<SiteTarget>, StoreError>;

    /// Pages of a run after this one.
    async fn site_pages(
        &self,
        run: RunId,
        after: DocumentId,
        limit: usize,
    ) -> Result<Vec<SitePage>, StoreError>;

    /// Links of a run after this one, by target, page and position.
    async fn site_links(
        &self,
        run: RunId,
        after: LinkCursor,
        limit: usize,
    ) -> Result<Vec<SiteLink>, StoreError>;

    /// How words changed between two runs, for targets whose words differ,
    /// by address after this one.
    async fn verdict_changes(
        &self,
        before: RunId,
        after: RunId,
        beyond: &str,
        limit: usize,
    ) -> Result<Vec<VerdictChange>, StoreError>;

    /// The addresses of every web target there is, in their own order, beyond
    /// this one.
    async fn known_urls(&self, beyond: &str, limit: usize) -> Result<Vec<String>, StoreError>;

    /// What web targets were settled as by asking, over all runs, after this
    /// task. Answers from memory are left out.
    async fn past_verdicts(
        &self,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<PastVerdict>, StoreError>;
}
