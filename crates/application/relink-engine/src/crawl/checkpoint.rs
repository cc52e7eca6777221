//! The state of a crawl that survives an interruption.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_frontier::{DetectedTrap, TrapGuard, TrapLimits};
use serde::{Deserialize, Serialize};

use super::rules::SkippedLinks;
use relink_documents::SitemapLimits;

/// Persistent state of a crawl, stored as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CrawlCheckpoint {
    /// State of the trap detection, which rejects endless sets of generated pages.
    pub(super) traps: TrapGuard,
    pub(super) skipped_links: SkippedLinks,
    #[serde(default)]
    pub(super) sitemaps: SitemapLimits,
    /// URLs at `/sitemap.xml` that pages link to, so they are not guesses.
    #[serde(default)]
    pub(super) linked_sitemaps: BTreeSet<String>,
}

impl CrawlCheckpoint {
    /// Returns the state at the start of a crawl. The trap detection needs the current year
    /// to recognize calendars.
    pub(super) fn new(now: Timestamp, limits: TrapLimits) -> Self {
        let year = now.to_zoned(TimeZone::UTC).year();
        let (skipped_links, sitemaps, linked_sitemaps) = Default::default();
        let traps = TrapGuard::new(year, limits);
        Self { traps, skipped_links, sitemaps, linked_sitemaps }
    }

    /// Restores a checkpoint. Returns `None` for a checkpoint of another version of Relink;
    /// the crawl then starts with an empty state.
    pub(super) fn restore(json: &str, limits: TrapLimits) -> Option<Self> {
        let checkpoint: Self = serde_json::from_str(json).ok()?;
        Some(Self { traps: checkpoint.traps.resume(limits), ..checkpoint })
    }
}

/// Returns the traps and skipped links of a stored checkpoint.
pub(super) fn parse_checkpoint(checkpoint: &str) -> (Vec<DetectedTrap>, SkippedLinks) {
    let checkpoint: Option<CrawlCheckpoint> = serde_json::from_str(checkpoint).ok();
    checkpoint.map_or_else(Default::default, |checkpoint| {
        (checkpoint.traps.report(), checkpoint.skipped_links)
    })
}
