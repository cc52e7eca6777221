//! Limits on the sitemaps of a crawl.
//!
//! The protocol has sitemaps and indexes of sitemaps, no indexes of indexes
//! (<https://www.sitemaps.org/protocol.html>). Some sites have those, so a few
//! levels are followed; a server that makes up ever more levels or sitemaps is
//! stopped. Pure: it decides and counts, and asks for nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of sitemaps that are read in one run.
pub(crate) const MAX_SITEMAPS: usize = 5_000;
/// Maximum number of indexes above a sitemap.
pub(crate) const MAX_INDEX_LEVELS: u32 = 3;

/// The sitemaps that a crawl knows of.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SitemapLimits {
    /// Hashes of the URLs that indexes list, with the number of indexes above.
    listed: BTreeMap<u64, u32>,
    /// Sitemaps whose links were followed.
    read: usize,
}

impl SitemapLimits {
    /// Whether the links of one more sitemap are followed.
    pub(super) fn take_sitemap(&mut self) -> bool {
        self.read += 1;
        self.read <= MAX_SITEMAPS
    }

    /// The number of indexes above this URL.
    pub(super) fn level(&self, url: &Url) -> u32 {
        self.listed.get(&key(url)).copied().unwrap_or(0)
    }

    /// Whether a URL that an index at this level lists is followed.
    pub(super) fn list(&mut self, url: &Url, index_level: u32) -> bool {
        if self.listed.contains_key(&key(url)) {
            return true;
        }
        if index_level >= MAX_INDEX_LEVELS || self.listed.len() >= MAX_SITEMAPS {
            return false;
        }
        self.listed.insert(key(url), index_level + 1);
        true
    }

    /// A redirect leads to a URL of the same level, or an index could hide
    /// behind each redirect.
    pub(super) fn note_redirect(&mut self, from: &Url, to: &Url) {
        if let Some(level) = self.listed.get(&key(from)).copied() {
            self.listed.entry(key(to)).or_insert(level);
        }
    }
}

fn key(url: &Url) -> u64 {
    xxh3_64(url.as_str().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse(&format!("https://example.org/{path}")).unwrap()
    }

    #[test]
    fn index_below_the_level_limit_lists_nothing() {
        let mut limits = SitemapLimits::default();
        for level in 0..10 {
            let is_followed = limits.list(&url(&level.to_string()), level);
            assert_eq!(is_followed, level < MAX_INDEX_LEVELS, "{level}");
        }
    }

    #[test]
    fn redirect_keeps_the_level_of_its_source() {
        let mut limits = SitemapLimits::default();
        assert!(limits.list(&url("a"), 1));
        limits.note_redirect(&url("a"), &url("b"));
        assert_eq!(limits.level(&url("b")), 2);
        limits.note_redirect(&url("page"), &url("c"));
        assert_eq!(limits.level(&url("c")), 0);
    }

    #[test]
    fn sitemaps_beyond_the_limit_are_refused() {
        let mut limits = SitemapLimits::default();
        let taken = (0..2 * MAX_SITEMAPS).filter(|n| limits.list(&url(&n.to_string()), 0)).count();
        assert_eq!(taken, MAX_SITEMAPS);
        let read = (0..2 * MAX_SITEMAPS).filter(|_| limits.take_sitemap()).count();
        assert_eq!(read, MAX_SITEMAPS);
    }
}
