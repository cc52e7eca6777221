//! Storage of crawls: pages and their links, robots.txt files, and checkpoints
//! for resuming a run.
//!
//! The link graph is read as two paginated streams, pages and links, each in a
//! fixed order, so that memory use does not depend on the size of the site.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{FetchTask, FindingCode, LinkKind, RunId, TaskId, Verdict};

use crate::{CacheWindow, CommitSummary, DocumentId, HostLease, HostSchedule, NewPage, StoreError};

/// A cached robots.txt response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRobots {
    /// The origin, such as `https://example.org`.
    pub origin: String,
    /// The time of the request.
    pub requested_at: Timestamp,
    /// The status after redirects; `None` if there was no response.
    pub status: Option<u16>,
    /// The body.
    pub text: Vec<u8>,
}

/// An entry of the list of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// The id of the run.
    pub id: RunId,
    /// The command.
    pub command: String,
    /// The inputs as given by the user.
    pub inputs: Vec<String>,
    /// The time of the first start.
    pub started_at: Timestamp,
    /// The time when the run was closed; `None` if it is unfinished.
    pub closed_at: Option<Timestamp>,
    /// Whether all targets were checked.
    pub is_finished: bool,
    /// The number of targets.
    pub targets: u64,
    /// The number of checked targets.
    pub checked: u64,
    /// The number of parsed pages.
    pub pages: u64,
}

/// A target of a crawl, with the fields of the site report.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteTarget {
    /// The id of the task, which is the sort key of pagination.
    pub task: TaskId,
    /// The canonical URL.
    pub url: String,
    /// The verdict, if the target is checked.
    pub verdict: Option<Verdict>,
    /// The code of a finding.
    pub code: Option<FindingCode>,
    /// The last HTTP status.
    pub status: Option<u16>,
    /// The reason shown to users.
    pub reason: String,
    /// The link distance from the seeds.
    pub depth: Option<u32>,
    /// The time of the last request.
    pub requested_at: Option<Timestamp>,
    /// The duration of the last request in milliseconds.
    pub duration_ms: Option<u32>,
    /// The number of body bytes read.
    pub bytes: Option<u64>,
    /// The title of the page.
    pub title: Option<String>,
    /// The URLs of the redirect chain, including the last.
    pub hops: Vec<String>,
    /// The URL after redirects, on which the fragment of a link is checked.
    /// `None` without redirects, and if a redirect drops or replaces the
    /// fragment.
    pub final_url: Option<String>,
}

/// A page of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePage {
    /// The id of the page, which is the sort key of pagination.
    pub document: DocumentId,
    /// The URL of the page.
    pub label: String,
    /// The task that fetched the page; `None` for seed lists and sitemaps.
    pub task: Option<TaskId>,
    /// Whether the page is a sitemap.
    pub is_sitemap: bool,
    /// The number of links.
    pub links: u64,
    /// The sorted [`anchor_hash`](crate::anchor_hash) values of the page;
    /// `None` if unknown.
    pub anchors: Option<Vec<u32>>,
}

/// A link of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteLink {
    /// The page that contains the link.
    pub from: DocumentId,
    /// The index of the link on its page.
    pub position: u64,
    /// The task of the target.
    pub to: TaskId,
    /// The line of the link.
    pub line: u32,
    /// The kind of link.
    pub kind: LinkKind,
    /// The percent-encoded fragment.
    pub fragment: Option<String>,
}

/// A pagination cursor: the target, page and position of the last link.
pub type LinkCursor = (TaskId, DocumentId, u64);

/// The verdicts of a target in two runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictChange {
    /// The canonical URL.
    pub url: String,
    /// The verdict in the earlier run; `None` if the run lacks the target.
    pub before: Option<Verdict>,
    /// The verdict in the later run; `None` if the run lacks the target.
    pub after: Option<Verdict>,
    /// The code in the later run, otherwise that of the earlier run.
    pub code: Option<FindingCode>,
}

/// The verdict of a fetched target in any run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastVerdict {
    /// The id of the task, which is the sort key of pagination.
    pub task: TaskId,
    /// The canonical URL.
    pub url: String,
    /// The time of the check.
    pub checked_at: Timestamp,
    /// The verdict.
    pub verdict: Verdict,
}

/// The storage of crawls.
#[async_trait]
pub trait SiteStore: Send + Sync {
    /// Adds pages without a task: seed lists and sitemaps.
    async fn add_pages(
        &self,
        run: RunId,
        pages: &[NewPage],
        cache_window: CacheWindow,
    ) -> Result<CommitSummary, StoreError>;

    /// Returns due tasks of a leased host by rank, lowest first.
    async fn due_by_rank(
        &self,
        run: RunId,
        lease: HostLease,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError>;

    /// Returns the greatest task id of a run.
    async fn last_task_id(&self, run: RunId) -> Result<TaskId, StoreError>;

    /// Returns the robots.txt of an origin, if it was requested at `since` or
    /// later.
    async fn robots(
        &self,
        origin: &str,
        since: Timestamp,
    ) -> Result<Option<StoredRobots>, StoreError>;

    /// Saves the robots.txt of an origin, replacing an older one.
    async fn save_robots(&self, robots: &StoredRobots) -> Result<(), StoreError>;

    /// Returns the stored schedule of a host.
    async fn host_schedule(&self, host: &str) -> Result<Option<HostSchedule>, StoreError>;

    /// Replaces the stored schedule of a host. Only for requests outside of
    /// runs: a run stores the schedule when it releases the host.
    async fn save_host_schedule(
        &self,
        host: &str,
        schedule: &HostSchedule,
    ) -> Result<(), StoreError>;

    /// Returns a checkpoint of a run.
    async fn checkpoint(&self, run: RunId, name: &str) -> Result<Option<String>, StoreError>;

    /// Saves a checkpoint of a run, replacing an earlier one with this name.
    async fn save_checkpoint(&self, run: RunId, name: &str, text: &str) -> Result<(), StoreError>;

    /// Returns the runs of a command, or of all commands, newest first.
    async fn runs(
        &self,
        command: Option<&str>,
        limit: usize,
    ) -> Result<Vec<RunSummary>, StoreError>;

    /// Returns the target URLs of a run after `after`, in order of discovery.
    async fn site_urls(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<(TaskId, String)>, StoreError>;

    /// Returns the targets of a run after `after`, in order of discovery.
    async fn site_targets(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<SiteTarget>, StoreError>;

    /// Returns the pages of a run after `after`.
    async fn site_pages(
        &self,
        run: RunId,
        after: DocumentId,
        limit: usize,
    ) -> Result<Vec<SitePage>, StoreError>;

    /// Returns the links of a run after `after`, by target, page and position.
    async fn site_links(
        &self,
        run: RunId,
        after: LinkCursor,
        limit: usize,
    ) -> Result<Vec<SiteLink>, StoreError>;

    /// Returns targets whose verdicts differ between two runs, in URL order
    /// after `after_url`.
    async fn verdict_changes(
        &self,
        before: RunId,
        after: RunId,
        after_url: &str,
        limit: usize,
    ) -> Result<Vec<VerdictChange>, StoreError>;

    /// Returns the URLs of all web targets in URL order after `after_url`.
    async fn known_urls(&self, after_url: &str, limit: usize) -> Result<Vec<String>, StoreError>;

    /// Returns the verdicts of fetched web targets of all runs after the task
    /// `after`, without cached results.
    async fn past_verdicts(
        &self,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<PastVerdict>, StoreError>;
}
