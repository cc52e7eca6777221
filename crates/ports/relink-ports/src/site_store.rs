//! What is remembered of a crawl beside its errands: pages and their links,
//! what hosts allow, and notes a run leaves for its own resumption.
//!
//! The link graph is read back in two streams, pages and links, each in a
//! fixed order and in pieces, so that a site of any size can be looked at.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{Code, Errand, ErrandId, PlaceKind, RunId, Word};

use crate::{Completed, DocumentId, HostLease, HostPace, Moments, NewPage, StoreFault};

/// What a host said about robots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRobots {
    /// The origin it holds for, `https://example.org`.
    pub origin: String,
    /// When it was asked.
    pub asked: Timestamp,
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
    pub settled: u64,
    /// Pages whose links were read.
    pub pages: u64,
}

/// A target of a crawl with what its report needs.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteTarget {
    /// Its errand; targets are read in this order.
    pub errand: ErrandId,
    /// The canonical URL.
    pub url: String,
    /// Its state, if it is settled.
    pub word: Option<Word>,
    /// The code, if it is a finding.
    pub code: Option<Code>,
    /// The last status.
    pub status: Option<u16>,
    /// The reason in plain words.
    pub reason: String,
    /// How far it is from the beginning.
    pub depth: Option<u32>,
    /// When it was last asked.
    pub asked: Option<Timestamp>,
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
    /// The errand it was found on; nothing for seeds and sitemaps.
    pub errand: Option<ErrandId>,
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
    pub to: ErrandId,
    /// The line it stands in.
    pub line: u32,
    /// What it is.
    pub kind: PlaceKind,
    /// The place on the target it wants, escaped as in a URL.
    pub fragment: Option<String>,
}

/// Where a stream of links is: after the link with this target, page and
/// position.
pub type LinkCursor = (ErrandId, DocumentId, u64);

/// How a target's word changed from one run to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordChange {
    /// The canonical URL.
    pub url: String,
    /// The word in the earlier run; nothing if it did not take part.
    pub before: Option<Word>,
    /// The word in the later run; nothing if it did not take part.
    pub after: Option<Word>,
    /// The code in the later run, or else in the earlier one.
    pub code: Option<Code>,
}

/// A target settled by asking, in whichever run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastWord {
    /// The errand that settled it; they are read in this order.
    pub errand: ErrandId,
    /// The canonical URL.
    pub url: String,
    /// When it was settled.
    pub at: Timestamp,
    /// As what.
    pub word: Word,
}

/// Remembers crawls.
#[async_trait]
pub trait SiteStore: Send + Sync {
    /// Adds pages that no errand brought: seeds, sitemaps.
    async fn add_pages(
        &self,
        run: RunId,
        pages: &[NewPage],
        moments: Moments,
    ) -> Result<Completed, StoreFault>;

    /// Due errands of a leased host by their rank, the least first.
    async fn ranked(
        &self,
        run: RunId,
        lease: HostLease,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Errand>, StoreFault>;

    /// The last errand of a run, as they are numbered.
    async fn last_errand(&self, run: RunId) -> Result<ErrandId, StoreFault>;

    /// What an origin said about robots, if it was asked at this moment or
    /// later.
    async fn robots(
        &self,
        origin: &str,
        since: Timestamp,
    ) -> Result<Option<KeptRobots>, StoreFault>;

    /// Keeps what an origin said about robots, in place of what it said before.
    async fn keep_robots(&self, robots: &KeptRobots) -> Result<(), StoreFault>;

    /// When a host may be requested again and how fast, if anything is stored.
    async fn host_pace(&self, host: &str) -> Result<Option<HostPace>, StoreFault>;

    /// Stores when a host may be requested again, in place of what was stored.
    /// Only for requests outside of runs: a run holds a lease on the host.
    async fn keep_host_pace(&self, host: &str, pace: &HostPace) -> Result<(), StoreFault>;

    /// A note this run left under this name.
    async fn note(&self, run: RunId, name: &str) -> Result<Option<String>, StoreFault>;

    /// Leaves a note for the run itself, in place of an earlier one.
    async fn keep_note(&self, run: RunId, name: &str, text: &str) -> Result<(), StoreFault>;

    /// The newest runs of a use case, newest first; of all, if none is named.
    async fn runs(
        &self,
        command: Option<&str>,
        limit: usize,
    ) -> Result<Vec<RunSummary>, StoreFault>;

    /// The addresses of a run's targets after this one, in the order they were
    /// found.
    async fn site_addresses(
        &self,
        run: RunId,
        after: ErrandId,
        limit: usize,
    ) -> Result<Vec<(ErrandId, String)>, StoreFault>;

    /// Targets of a run after this one, in the order they were found.
    async fn site_targets(
        &self,
        run: RunId,
        after: ErrandId,
        limit: usize,
    ) -> Result<Vec<SiteTarget>, StoreFault>;

    /// Pages of a run after this one.
    async fn site_pages(
        &self,
        run: RunId,
        after: DocumentId,
        limit: usize,
    ) -> Result<Vec<SitePage>, StoreFault>;

    /// Links of a run after this one, by target, page and position.
    async fn site_links(
        &self,
        run: RunId,
        after: LinkCursor,
        limit: usize,
    ) -> Result<Vec<SiteLink>, StoreFault>;

    /// How words changed between two runs, for targets whose words differ,
    /// by address after this one.
    async fn word_changes(
        &self,
        before: RunId,
        after: RunId,
        beyond: &str,
        limit: usize,
    ) -> Result<Vec<WordChange>, StoreFault>;

    /// The addresses of every web target there is, in their own order, beyond
    /// this one.
    async fn known_addresses(&self, beyond: &str, limit: usize) -> Result<Vec<String>, StoreFault>;

    /// What web targets were settled as by asking, over all runs, after this
    /// errand. Answers from memory are left out.
    async fn past_words(&self, after: ErrandId, limit: usize) -> Result<Vec<PastWord>, StoreFault>;
}
