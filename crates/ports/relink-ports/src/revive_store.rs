//! Storage of revivals, learned patterns and cached searches.
//!
//! Reports and programs are opaque JSON texts of the application.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{Confidence, Digest, FindingCode, RequestRights, Verdict};

use crate::StoreError;

/// The stored result of the search for a dead page.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRevival {
    /// The URL of the dead page.
    pub url: String,
    /// The new URL of the page, if it was found.
    pub alias: Option<String>,
    /// The confidence of the alias.
    pub confidence: Option<Confidence>,
    /// The time of the search.
    pub searched_at: Timestamp,
    /// The complete report as JSON.
    pub report: String,
}

/// A stored pattern: what was learned about the URLs of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPattern {
    /// The id shown to users: `P14` is 14.
    pub id: i64,
    /// The URL of the directory.
    pub directory: String,
    /// Whether all pages of the directory are dead, so that a search is
    /// useless.
    pub is_dead: bool,
    /// Whether the user disabled the pattern.
    pub is_disabled: bool,
    /// The time of learning.
    pub learned_at: Timestamp,
    /// The URL programs as JSON.
    pub programs: String,
}

/// A dead page to search for.
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
    /// The time from which the verdict has been the same.
    pub since: Option<Timestamp>,
    /// The digest of the last reached content.
    pub digest: Option<Digest>,
    /// The time when the content was last reached.
    pub last_reached_at: Option<Timestamp>,
    /// The rights of requests. The URL is user-supplied if it was so in any
    /// run.
    pub rights: RequestRights,
}

/// The text of a page in its latest probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextChange {
    /// The id of the probe. Later probes have greater ids.
    pub probe_id: i64,
    /// The canonical URL.
    pub url: String,
    /// The title, and the headings with the start and end of the text; `None`
    /// if the page is no longer alive.
    pub text: Option<(String, String)>,
}

/// The storage of revivals.
#[async_trait]
pub trait ReviveStore: Send + Sync {
    /// Returns the stored state of a target.
    async fn dead_target(&self, url: &str) -> Result<Option<DeadTarget>, StoreError>;

    /// Returns targets with one of these verdicts, in URL order after `after`.
    async fn dead_targets(
        &self,
        verdicts: &[Verdict],
        after: &str,
        limit: usize,
    ) -> Result<Vec<DeadTarget>, StoreError>;

    /// Returns the stored revival of a page.
    async fn revival(&self, url: &str) -> Result<Option<StoredRevival>, StoreError>;

    /// Returns the revivals of URLs with this prefix, in URL order after
    /// `after`.
    async fn revivals(
        &self,
        prefix: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<StoredRevival>, StoreError>;

    /// Saves revivals, replacing older ones of the same URLs.
    async fn save_revivals(&self, revivals: &[StoredRevival]) -> Result<(), StoreError>;

    /// Returns the pattern of a directory.
    async fn pattern(&self, directory: &str) -> Result<Option<StoredPattern>, StoreError>;

    /// Returns all patterns by id.
    async fn patterns(&self) -> Result<Vec<StoredPattern>, StoreError>;

    /// Saves the pattern of a directory and returns its id. An existing pattern
    /// keeps its id and stays disabled if it is; the `id` of the argument is
    /// ignored.
    async fn save_pattern(&self, pattern: &StoredPattern) -> Result<i64, StoreError>;

    /// Disables or enables a pattern, and returns whether it exists.
    async fn disable_pattern(&self, id: i64, is_disabled: bool) -> Result<bool, StoreError>;

    /// Returns the cached hits of a search, if they were stored at `since` or
    /// later.
    async fn search(&self, key: &str, since: Timestamp) -> Result<Option<String>, StoreError>;

    /// Caches the hits of a search.
    async fn cache_search(&self, key: &str, hits: &str, now: Timestamp) -> Result<(), StoreError>;

    /// Returns the texts of pages probed after the probe `after`, by probe id;
    /// 0 returns all. A page is returned once, with its latest probe.
    async fn text_changes(&self, after: i64, limit: usize) -> Result<Vec<TextChange>, StoreError>;

    /// Returns the greatest probe id, or 0. If a client has cached a greater
    /// id, the database was restored from a backup and reuses ids.
    async fn last_probe_id(&self) -> Result<i64, StoreError>;

    /// Returns the token of the current probe ids. If it has changed, cached
    /// probe ids are invalid.
    async fn probe_id_epoch(&self) -> Result<String, StoreError>;

    /// Returns the URLs and titles of live pages with this prefix, in URL order
    /// after `after`.
    async fn live_pages(
        &self,
        prefix: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<(String, Option<String>)>, StoreError>;
}
