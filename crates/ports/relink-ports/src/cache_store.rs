//! Caches of the store. They reduce the number of requests of later runs.
//!
//! - A *control* is a URL that is fetched only for comparison, usually with a random name
//!   that cannot exist.
//! - A *revival* is the result of the search for the new URL of a dead page.
//! - A *pattern* is a rule by which the URLs of a directory changed.
//! - A *host schedule* is the state of the rate limiter of a host.
//!
//! Further caches contain robots.txt files and search results.
//!
//! Reports and URL programs are stored as JSON texts. The store does not parse
//! them.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{Confidence, Probe};

use crate::{BudgetStore, HostSchedule, StoreError};

/// A cached control. All targets with the same key are compared with it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredControl {
    /// The cache key.
    pub key: String,
    /// The control URL.
    pub url: String,
    /// The probe of the URL.
    pub probe: Probe,
}

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

/// The stored result of the search for the new URL of a dead page.
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
    /// Whether all pages of the directory are dead, so that searching for their new URLs
    /// is useless.
    pub is_dead: bool,
    /// Whether the user disabled the pattern.
    pub is_disabled: bool,
    /// The time of learning.
    pub learned_at: Timestamp,
    /// The URL programs as JSON.
    pub programs: String,
}

/// The caches of the store.
#[async_trait]
pub trait CacheStore: BudgetStore {
    /// Returns the control with this key, if it was requested at `since` or
    /// later.
    async fn control(
        &self,
        key: &str,
        since: Timestamp,
    ) -> Result<Option<StoredControl>, StoreError>;

    /// Saves controls. A newer control replaces an older one with the same key.
    async fn save_controls(&self, controls: &[StoredControl]) -> Result<(), StoreError>;

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

    /// Replaces the stored schedule of a host. Only commands without a task queue
    /// use this: a run stores the schedule when it releases the host.
    async fn save_host_schedule(
        &self,
        host: &str,
        schedule: &HostSchedule,
    ) -> Result<(), StoreError>;

    /// Returns the stored revival of a page.
    async fn revival(&self, url: &str) -> Result<Option<StoredRevival>, StoreError>;

    /// Returns the revivals of URLs that have this prefix and come after `after`, in URL
    /// order.
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

    /// Saves the pattern of a directory and returns its id. If the directory already has a
    /// pattern, the new pattern gets the id and `is_disabled` of the old one. The `id` of the
    /// argument is ignored.
    async fn save_pattern(&self, pattern: &StoredPattern) -> Result<i64, StoreError>;

    /// Disables or enables a pattern, and returns whether it exists.
    async fn disable_pattern(&self, id: i64, is_disabled: bool) -> Result<bool, StoreError>;

    /// Returns the cached hits of a search engine as JSON, if they were stored at
    /// `since` or later. The key is the result of
    /// [`SearchEngine::cache_key`](crate::SearchEngine::cache_key).
    async fn search(&self, key: &str, since: Timestamp) -> Result<Option<String>, StoreError>;

    /// Caches the hits of a search engine as JSON.
    async fn cache_search(&self, key: &str, hits: &str, now: Timestamp) -> Result<(), StoreError>;
}
