//! What is remembered of places on pages: which ones links want, and which
//! ones the pages offer.
//!
//! A page's places belong to its present state. Once the page is settled anew
//! without them, they are not known any more.

use async_trait::async_trait;
use relink_model::RunId;

use crate::{CacheWindow, LinkCursor, NewTarget, StoreError};

/// A link that wants a place on a page whose places are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorReference {
    /// Which link it is; they are read in this order.
    pub link: LinkCursor,
    /// The canonical URL of the page.
    pub url: String,
    /// The place it wants, escaped as in a URL.
    pub fragment: String,
    /// The places the page offers, see [`anchor_hash`](crate::anchor_hash),
    /// sorted.
    pub anchors: Vec<u32>,
}

/// A link whose page is there, and whose place on it is not.
#[derive(Debug, Clone, PartialEq)]
pub struct MissingAnchor {
    /// Which link it is.
    pub link: LinkCursor,
    /// The finding, settled as it is.
    pub target: NewTarget,
}

/// Remembers places on pages.
#[async_trait]
pub trait AnchorStore: Send + Sync {
    /// Links of a run after this one that want a place on a page which was
    /// reached and whose places are known.
    async fn anchor_references(
        &self,
        run: RunId,
        after: LinkCursor,
        limit: usize,
    ) -> Result<Vec<AnchorReference>, StoreError>;

    /// How many links of a run want a place on a page which was reached and
    /// whose places are unknown.
    async fn count_unknown_anchors(&self, run: RunId) -> Result<u64, StoreError>;

    /// Adds findings of missing places, each at the place of its link; says
    /// how many are new to the run. The links stay links to their pages, too,
    /// and are counted once.
    async fn add_missing_anchors(
        &self,
        run: RunId,
        missing: &[MissingAnchor],
        moments: CacheWindow,
    ) -> Result<u64, StoreError>;
}
