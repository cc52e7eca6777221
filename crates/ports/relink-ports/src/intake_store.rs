//! Intake: stores documents, pages and their links, and creates a task for each
//! new target.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{FindingCode, RequestRights, RunId, SourceLocation, Verdict};

use crate::{CommitSummary, LinkCursor, StoreError};

/// The id of a document of a run in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub i64);

/// A document to add to a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDocument {
    /// The path or URL shown to users.
    pub label: String,
    /// The hash of the bytes of the document.
    pub content_hash: u64,
    /// The git commit or wiki revision of the content, if it is known.
    pub revision: Option<String>,
}

/// A document after [`IntakeStore::load_document`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadedDocument {
    /// The id of the document.
    pub id: DocumentId,
    /// Whether the links of the document are already stored and its bytes are unchanged.
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
        /// The host name, with the port if it is not the default one.
        host: String,
        /// The rights of requests for the URL.
        rights: RequestRights,
    },
    /// A target that is checked without a request: a local file or a malformed
    /// URL.
    Local {
        /// The unique key of the target, such as the path of the file.
        key: String,
        /// [`Verdict::Alive`] or [`Verdict::Local`].
        verdict: Verdict,
        /// The code of the finding; `None` if the target is alive.
        code: Option<FindingCode>,
        /// The reason shown to users.
        reason: String,
    },
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
    /// The decision if the target is new to the run.
    pub decision: LinkDecision,
}

/// Whether a crawl fetches a new target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkDecision {
    /// Fetch the target.
    Fetch {
        /// The number of links to follow from a start URL of the crawl.
        depth: u32,
        /// The traversal rank: targets of lower rank are fetched first. `None`
        /// fetches targets in order of discovery.
        rank: Option<i64>,
        /// Whether a cached result may replace the fetch. `false` if the links of
        /// the page are needed, because the links are not cached.
        may_use_cache: bool,
    },
    /// Do not fetch the target. The link is stored only if the target is already
    /// in the run because of another link.
    Skip,
}

/// A link whose fragment refers to an anchor that does not exist on the live
/// target page.
#[derive(Debug, Clone, PartialEq)]
pub struct MissingAnchor {
    /// The link.
    pub link: LinkCursor,
    /// The finding, stored as a target without a request.
    pub target: NewTarget,
}

/// The 32-bit prime of the FNV hash.
const FNV_PRIME: u32 = 0x0100_0193;
/// The 32-bit start value of the FNV hash.
const FNV_OFFSET_BASIS: u32 = 0x811c_9dc5;

/// Returns the hash of an anchor name.
///
/// Anchors are stored as 32-bit hashes, because a page may have thousands of
/// them and links refer to only a few.
pub fn anchor_hash(name: &str) -> u32 {
    // FNV-1a, because the value must not depend on the machine or version.
    let add_byte = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(FNV_PRIME);
    name.bytes().fold(FNV_OFFSET_BASIS, add_byte)
}

/// The part of the store that loaders and crawls write to.
#[async_trait]
pub trait IntakeStore: Send + Sync {
    /// Adds a document to the run. If the content of the document has changed since the last
    /// load, deletes the old links.
    async fn load_document(
        &self,
        run: RunId,
        document: &NewDocument,
    ) -> Result<LoadedDocument, StoreError>;

    /// Returns the hash of the content that the document of the run with this label had
    /// when it was loaded.
    async fn document_hash(&self, run: RunId, label: &str) -> Result<Option<u64>, StoreError>;

    /// Adds links of a document. New targets become tasks, unless a cached result can be
    /// reused. If the link has a fragment, a cached result is reused only if the anchors
    /// of the page are stored.
    async fn add_links(&self, run: RunId, batch: LinkBatch<'_>) -> Result<(), StoreError>;

    /// Marks a document as completely loaded.
    async fn finish_document(&self, document: DocumentId) -> Result<(), StoreError>;

    /// Finishes loading: deletes documents that are not in `documents`, and
    /// tasks without links.
    async fn finish_loading(&self, run: RunId, documents: &[DocumentId]) -> Result<(), StoreError>;

    /// Adds pages without a task: seed lists and sitemaps.
    async fn add_pages(
        &self,
        run: RunId,
        pages: &[NewPage],
        cache_window: CacheWindow,
    ) -> Result<CommitSummary, StoreError>;

    /// Adds findings of missing anchors at the locations of their links, and
    /// returns the number of targets that are new to the run. Each of these links then
    /// has two targets, the page and the finding, but is counted once.
    async fn add_missing_anchors(
        &self,
        run: RunId,
        missing: &[MissingAnchor],
        cache_window: CacheWindow,
    ) -> Result<u64, StoreError>;
}
