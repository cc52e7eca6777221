//! Read access to results and links.
//!
//! Every list has a fixed order and is read in parts. The caller passes the last
//! entry it has received (`after`) and a limit, so that memory use does not
//! depend on the number of targets.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{
    Digest, FindingCode, Probe, RequestRights, RunId, SourceLocation, TaskId, Verdict,
};

use crate::{DocumentId, SiteLink, SitePage, SiteTarget, StoreError, TargetResult};

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
    /// The number of links to follow from a start URL of the crawl.
    pub depth: Option<u32>,
}

/// A query for one part of the list of checked targets.
#[derive(Debug, Clone, Copy)]
pub struct CheckedTargetQuery<'a> {
    /// Return only targets after this task.
    pub after: TaskId,
    /// The maximum number of targets.
    pub limit: usize,
    /// Return only targets with one of these verdicts.
    pub verdicts: Option<&'a [Verdict]>,
    /// Return only targets that needed no request, such as local files.
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
    /// Whether there are links, and all their documents suppress the finding. The finding is
    /// then not reported.
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

/// Another target of the run in the same directory of its host.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbor {
    /// The canonical URL.
    pub url: String,
    /// The last probe in this run.
    pub probe: Probe,
}

/// A page with its title.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TitledPage {
    /// The URL.
    pub url: String,
    /// The title, if the page has one and it is known.
    pub title: Option<String>,
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
    /// The changes of the verdict, oldest first. They are never pruned.
    pub changes: Vec<PastChange>,
    /// The probes of the latest run, oldest first.
    pub probes: Vec<Probe>,
}

/// A change of the verdict of a target between two checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastChange {
    /// The time from which the new verdict has applied.
    pub changed_at: Timestamp,
    /// The previous verdict.
    pub before: Verdict,
    /// The new verdict.
    pub after: Verdict,
    /// The code of the new verdict.
    pub code: Option<FindingCode>,
}

/// The first time that a document was seen with a link to a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkOrigin {
    /// The time at which the link was stored.
    pub seen_at: Timestamp,
    /// The run. It may have been pruned since.
    pub run: RunId,
    /// The git commit or wiki revision of the document at that time.
    pub revision: Option<String>,
}

/// The last link that a caller has received: its target, its page, and its
/// position on the page.
pub type LinkCursor = (TaskId, DocumentId, u64);

/// A link with a fragment to a page whose anchors are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorReference {
    /// The link, as the sort key of pagination.
    pub link: LinkCursor,
    /// The canonical URL of the page.
    pub url: String,
    /// The percent-encoded fragment.
    pub fragment: String,
    /// The sorted [`anchor_hash`](crate::anchor_hash) values of the page.
    pub anchors: Vec<u32>,
}

/// The verdicts of a target in two runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictChange {
    /// The canonical URL.
    pub url: String,
    /// The verdict in the earlier run; `None` if the run lacks the target.
    pub before: Option<Verdict>,
    /// The verdict in the later run; `None` if the run lacks the target.
    pub after: Option<Verdict>,
    /// The code in the later run; if it has none, the code in the earlier run.
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

/// A dead page for which an alias can be searched.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadTarget {
    /// The canonical URL.
    pub url: String,
    /// The current verdict.
    pub verdict: Verdict,
    /// The code of the verdict.
    pub code: Option<FindingCode>,
    /// The status of the last response, if there was one.
    pub status: Option<u16>,
    /// The time of the last check.
    pub checked_at: Option<Timestamp>,
    /// The time since which every check had this verdict.
    pub since: Option<Timestamp>,
    /// The digest of the page when it was last alive.
    pub digest: Option<Digest>,
    /// The time when the page was last alive.
    pub last_reached_at: Option<Timestamp>,
    /// The rights of requests for the URL. If the URL was user-supplied in any run, it has
    /// the rights of a user-supplied URL.
    pub rights: RequestRights,
}

/// The text of a page in its latest probe, for the local search index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextChange {
    /// The id of the probe. Later probes have greater ids.
    pub probe_id: i64,
    /// The canonical URL.
    pub url: String,
    /// Two texts: the title, and the headings with the start and end of the page text.
    /// `None` if the page is no longer alive.
    pub text: Option<(String, String)>,
}

/// The part of the store that reports read.
#[async_trait]
pub trait ResultStore: Send + Sync {
    /// Returns checked targets in order of discovery, except findings that
    /// all documents suppress.
    async fn checked_targets(
        &self,
        run: RunId,
        query: CheckedTargetQuery<'_>,
    ) -> Result<Vec<CheckedTarget>, StoreError>;

    /// Returns the links to the target of each task, in the order of `tasks`,
    /// with at most `max_locations` locations each.
    async fn inlinks(
        &self,
        tasks: &[TaskId],
        max_locations: usize,
    ) -> Result<Vec<Inlinks>, StoreError>;

    /// Returns other targets fetched in this run whose URLs start with
    /// `directory`. The targets nearest to `url` in the order of URLs are first.
    async fn neighbors(
        &self,
        run: RunId,
        directory: &str,
        url: &str,
        limit: usize,
    ) -> Result<Vec<Neighbor>, StoreError>;

    /// Returns everything stored about the target with this canonical URL.
    async fn target_record(&self, url: &str) -> Result<Option<TargetRecord>, StoreError>;

    /// Returns when a link to the target was first seen in each of these documents, in
    /// the order of `documents`. This history is never pruned.
    async fn link_origins(
        &self,
        url: &str,
        documents: &[&str],
    ) -> Result<Vec<Option<LinkOrigin>>, StoreError>;

    /// Returns the links of a run after `after` that have a fragment and lead
    /// to a reached page whose anchors are known.
    async fn anchor_references(
        &self,
        run: RunId,
        after: LinkCursor,
        limit: usize,
    ) -> Result<Vec<AnchorReference>, StoreError>;

    /// Counts the links of a run whose fragment cannot be checked: they lead to a reached page
    /// whose anchors are unknown.
    async fn count_unchecked_fragments(&self, run: RunId) -> Result<u64, StoreError>;

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

    /// Returns the current result of a target, also if the target is alive.
    async fn dead_target(&self, url: &str) -> Result<Option<DeadTarget>, StoreError>;

    /// Returns targets with one of these verdicts, in URL order after `after`.
    async fn dead_targets(
        &self,
        verdicts: &[Verdict],
        after: &str,
        limit: usize,
    ) -> Result<Vec<DeadTarget>, StoreError>;

    /// Returns the texts of pages that have a probe with an id above `after`, in
    /// the order of probe ids. A page is returned once, with its latest probe.
    async fn text_changes(&self, after: i64, limit: usize) -> Result<Vec<TextChange>, StoreError>;

    /// Returns the greatest probe id, or 0. If a caller has saved a greater id, the
    /// database was restored from a backup, and new probes may get ids that the caller
    /// knows.
    async fn last_probe_id(&self) -> Result<i64, StoreError>;

    /// Returns a token of the current epoch: the period in which each probe id denotes the same
    /// probe. Deleting probes starts a new epoch with a new token, because their ids may be
    /// used again. Probe ids that a caller saved with another token are invalid.
    async fn probe_id_epoch(&self) -> Result<String, StoreError>;

    /// Returns the live HTML pages whose URL has this prefix, in URL order after the URL
    /// `after`.
    async fn live_pages(
        &self,
        prefix: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<TitledPage>, StoreError>;
}
