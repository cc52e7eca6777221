//! Storage of anchors: those that links refer to, and those that pages have.
//!
//! The anchors of a page belong to its current result. A later result without
//! anchors removes them.

use async_trait::async_trait;
use relink_model::RunId;

use crate::{CacheWindow, LinkCursor, NewTarget, StoreError};

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

/// A link to a live page that lacks the anchor.
#[derive(Debug, Clone, PartialEq)]
pub struct MissingAnchor {
    /// The link.
    pub link: LinkCursor,
    /// The finding.
    pub target: NewTarget,
}

/// The storage of anchors.
#[async_trait]
pub trait AnchorStore: Send + Sync {
    /// Returns the links of a run after `after` that have a fragment and lead
    /// to a reached page whose anchors are known.
    async fn anchor_references(
        &self,
        run: RunId,
        after: LinkCursor,
        limit: usize,
    ) -> Result<Vec<AnchorReference>, StoreError>;

    /// Counts the links of a run that have a fragment and lead to a reached
    /// page whose anchors are unknown.
    async fn count_unknown_anchors(&self, run: RunId) -> Result<u64, StoreError>;

    /// Adds findings of missing anchors at the locations of their links, and
    /// returns the number of targets that are new to the run. The links still
    /// belong to their pages and are counted once.
    async fn add_missing_anchors(
        &self,
        run: RunId,
        missing: &[MissingAnchor],
        cache_window: CacheWindow,
    ) -> Result<u64, StoreError>;
}
