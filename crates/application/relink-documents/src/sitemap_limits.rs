//! Limits on the sitemaps of a crawl.
//!
//! A sitemap lists pages; a sitemap index lists sitemaps. The protocol does not allow
//! nested indexes (<https://www.sitemaps.org/protocol.html>), but some sites have them,
//! so a few levels are followed. The limits stop servers that generate endless levels or
//! sitemaps. This module performs no I/O.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of sitemaps read in one run.
pub const MAX_SITEMAPS: usize = 5_000;
/// Maximum number of indexes above a sitemap.
pub const MAX_INDEX_LEVELS: u32 = 3;

/// The sitemaps known to a crawl.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SitemapLimits {
    /// Hashes of the URLs listed in indexes, with the number of indexes above.
    listed: BTreeMap<u64, u32>,
    /// Number of sitemaps that were read.
    read: usize,
}

impl SitemapLimits {
    /// Counts a sitemap that was read. Returns whether its links are followed.
    pub fn admit_sitemap(&mut self) -> bool {
        self.read += 1;
        self.read <= MAX_SITEMAPS
    }

    /// Returns the level of a URL: the number of indexes above it.
    pub fn level(&self, url: &Url) -> u32 {
        self.listed.get(&key(url)).copied().unwrap_or(0)
    }

    /// Records a URL listed in an index of this level. Returns whether the URL is followed.
    pub fn admit_listed(&mut self, url: &Url, index_level: u32) -> bool {
        if self.listed.contains_key(&key(url)) {
            return true;
        }
        if index_level >= MAX_INDEX_LEVELS || self.listed.len() >= MAX_SITEMAPS {
            return false;
        }
        self.listed.insert(key(url), index_level + 1);
        true
    }

    /// Gives the target of a redirect the level of its source, so that
    /// redirects cannot evade the limit.
    pub fn record_redirect(&mut self, from: &Url, to: &Url) {
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
    fn index_beyond_the_level_limit_is_rejected() {
        let mut limits = SitemapLimits::default();
        for level in 0..10 {
            let path = level.to_string();
            let is_followed = limits.admit_listed(&url(&path), level);
            assert_eq!(is_followed, level < MAX_INDEX_LEVELS, "{level}");
        }
    }

    #[test]
    fn redirect_keeps_the_level_of_its_source() {
        let mut limits = SitemapLimits::default();
        assert!(limits.admit_listed(&url("a"), 1));
        limits.record_redirect(&url("a"), &url("b"));
        assert_eq!(limits.level(&url("b")), 2);
    }

    #[test]
    fn redirect_of_an_unlisted_url_has_level_zero() {
        let mut limits = SitemapLimits::default();
        limits.record_redirect(&url("page"), &url("c"));
        assert_eq!(limits.level(&url("c")), 0);
    }

    #[test]
    fn sitemaps_beyond_the_limit_are_rejected() {
        let mut limits = SitemapLimits::default();
        let top_level = 0;
        let admitted = (0..2 * MAX_SITEMAPS)
            .filter(|number| limits.admit_listed(&url(&number.to_string()), top_level))
            .count();
        assert_eq!(admitted, MAX_SITEMAPS);
        let read = (0..2 * MAX_SITEMAPS).filter(|_| limits.admit_sitemap()).count();
        assert_eq!(read, MAX_SITEMAPS);
    }
}
