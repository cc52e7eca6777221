//! What is remembered of dead pages that were looked for: where each one went,
//! what was learned of its directory, and what search engines said.
//!
//! Answers and programs are kept as the JSON their owner wrote; nothing here
//! needs to understand them.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{Confidence, Digest, RequestRights, Verdict};

use crate::StoreError;

/// What came of looking for a dead page.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRevival {
    /// The dead page.
    pub url: String,
    /// Where it lives now, if that is known.
    pub alias: Option<String>,
    /// How sure that is.
    pub confidence: Option<Confidence>,
    /// When it was looked for.
    pub searched_at: Timestamp,
    /// The whole story as JSON.
    pub report: String,
}

/// What was learned of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPattern {
    /// Its number, by which people name it: `P14` is 14.
    pub id: i64,
    /// The directory.
    pub directory: String,
    /// Whether looking for its pages is futile.
    pub is_dead: bool,
    /// Whether somebody switched it off.
    pub is_disabled: bool,
    /// When it was learned.
    pub learned: Timestamp,
    /// Its programs as JSON.
    pub programs: String,
}

/// A dead page that may be looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadTarget {
    /// The canonical URL.
    pub url: String,
    /// How it is dead.
    pub verdict: Verdict,
    /// Since when.
    pub since: Option<Timestamp>,
    /// What it said when it was last alive, if it was seen then.
    pub digest: Option<Digest>,
    /// When that was.
    pub seen: Option<Timestamp>,
    /// What requests for it may do: whether the user named it in any run.
    pub rights: RequestRights,
}

/// What the latest look at a page says of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextChange {
    /// The number of the look; a later one has a greater.
    pub number: i64,
    /// The canonical URL.
    pub url: String,
    /// Its title, and its headings, its beginning and its end; nothing if the
    /// page is not alive any more.
    pub text: Option<(String, String)>,
}

/// Remembers where dead pages went.
#[async_trait]
pub trait ReviveStore: Send + Sync {
    /// What is remembered of a target that may be dead.
    async fn dead_target(&self, url: &str) -> Result<Option<DeadTarget>, StoreError>;

    /// Targets of these words after this address, in the order of addresses.
    async fn dead_targets(
        &self,
        words: &[Verdict],
        after: &str,
        limit: usize,
    ) -> Result<Vec<DeadTarget>, StoreError>;

    /// What came of looking for a page, if it was looked for.
    async fn revival(&self, url: &str) -> Result<Option<StoredRevival>, StoreError>;

    /// What came of looking for the pages whose addresses begin so, in their
    /// order, after this one.
    async fn revivals(
        &self,
        prefix: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<StoredRevival>, StoreError>;

    /// Keeps what came of looking for pages, in place of what was kept before.
    async fn save_revivals(&self, revivals: &[StoredRevival]) -> Result<(), StoreError>;

    /// What was learned of a directory.
    async fn pattern(&self, directory: &str) -> Result<Option<StoredPattern>, StoreError>;

    /// Everything that was learned, by number.
    async fn patterns(&self) -> Result<Vec<StoredPattern>, StoreError>;

    /// Keeps what was learned of a directory, in place of what was known; its
    /// number stays, and so does its being switched off. The number of the
    /// lesson given does not matter.
    async fn save_pattern(&self, lesson: &StoredPattern) -> Result<i64, StoreError>;

    /// Switches a lesson off or on; says whether there is one of that number.
    async fn disable_pattern(&self, id: i64, is_disabled: bool) -> Result<bool, StoreError>;

    /// What a search engine said under this key, if it was asked at this
    /// moment or later.
    async fn search(&self, key: &str, since: Timestamp) -> Result<Option<String>, StoreError>;

    /// Keeps what a search engine said.
    async fn cache_search(&self, key: &str, hits: &str, now: Timestamp) -> Result<(), StoreError>;

    /// What looks after this one say of the texts of pages, in their order;
    /// all of them after 0. A page that was looked at again comes with the
    /// later look.
    async fn text_changes(&self, after: i64, limit: usize) -> Result<Vec<TextChange>, StoreError>;

    /// The greatest number of a look, or 0. Where a greater one is remembered,
    /// the store is an earlier state of itself, and its numbers are given again.
    async fn last_probe_id(&self) -> Result<i64, StoreError>;

    /// The word under which the numbers of looks hold. Where it is another,
    /// numbers that are remembered mean nothing any more.
    async fn probe_id_epoch(&self) -> Result<String, StoreError>;

    /// Pages of a site that were alive when last looked at, with their titles:
    /// those whose addresses begin so, after this one.
    async fn live_pages(
        &self,
        prefix: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<(String, Option<String>)>, StoreError>;
}
