//! Scope and limits of a crawl, and the links that they exclude.

use jiff::Timestamp;
use relink_frontier::{CrawlScope, TrapLimits, TraversalOrder, UrlFilter};
use serde::{Deserialize, Serialize};

/// Scope and limits of a crawl.
#[derive(Debug, Clone)]
pub struct CrawlRules {
    /// Pages to follow.
    pub scope: CrawlScope,
    /// Filter for all URLs.
    pub filter: UrlFilter,
    /// Order of traversal.
    pub order: TraversalOrder,
    /// Maximum depth of fetched pages: the number of links from a start page.
    pub max_depth: Option<u32>,
    /// Maximum number of pages to follow.
    pub max_pages: Option<u64>,
    /// Maximum number of links read from one page.
    pub max_page_links: usize,
    /// Whether `nofollow` is ignored.
    pub ignores_nofollow: bool,
    /// Whether links to other sites are checked.
    pub checks_external: bool,
    /// Limits for the detection of spider traps (endless sets of generated pages).
    pub traps: TrapLimits,
    /// Cached `alive` results of other sites are reused if they are from this time or later.
    pub fresh_since: Timestamp,
}

impl CrawlRules {
    /// Default maximum number of links read from one page. That is far more
    /// than a normal page has, and few enough that one page cannot exhaust the
    /// memory.
    pub const MAX_PAGE_LINKS: usize = 100_000;
}

/// Number of links that were not fetched, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkippedLinks {
    /// Deeper than the limit.
    pub too_deep: u64,
    /// Beyond the maximum number of pages.
    pub over_page_limit: u64,
    /// Excluded by patterns.
    pub excluded: u64,
    /// Links to other sites, if links to other sites are not checked.
    pub external: u64,
    /// Marked as `nofollow`.
    pub nofollow: u64,
    /// Beyond the maximum number of links of one page.
    pub over_page_links: u64,
    /// Links to other than web pages (`mailto:` and others).
    pub not_web_pages: u64,
    /// Pages longer than the limit, which were read partly.
    pub truncated_pages: u64,
    /// Listed in sitemaps beyond the limits.
    pub sitemaps: u64,
}
