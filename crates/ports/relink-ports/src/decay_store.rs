//! Storage of decay scores. The *decay* of a page is the probability that a reader who starts
//! at the page and follows random links reaches a dead page.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::StoreError;

/// The decay of a page at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredDecay {
    /// The canonical URL.
    pub url: String,
    /// The time of the measurement.
    pub measured_at: Timestamp,
    /// The decay score, from 0 to 1.
    pub decay: f64,
    /// The lower bound of the confidence interval.
    pub low: f64,
    /// The upper bound of the confidence interval.
    pub high: f64,
    /// The share of the page's own links that are dead; `None` if the page itself is
    /// dead or has no links.
    pub dead_share: Option<f64>,
    /// URLs of dead pages that readers reach from the page, most frequently reached first.
    pub dead_ends: Vec<String>,
}

/// The storage of decay scores.
#[async_trait]
pub trait DecayStore: Send + Sync {
    /// Stores scores. A score of the same page and time is replaced.
    async fn save_decay(&self, scores: &[StoredDecay]) -> Result<(), StoreError>;

    /// Returns all scores of pages, by URL, oldest first.
    async fn decay_history(&self, urls: &[String]) -> Result<Vec<StoredDecay>, StoreError>;

    /// Returns the latest score of every page whose latest score is at least
    /// `min_decay`, by URL.
    async fn decayed_pages(&self, min_decay: f64) -> Result<Vec<StoredDecay>, StoreError>;
}
