//! Index of the URLs of a catalog.

use std::collections::HashMap;

use relink_survey::{Catalog, UrlId};
use xxhash_rust::xxh3::xxh3_64;

/// The URLs of a catalog by hash, 16 bytes each.
#[derive(Debug)]
pub(super) struct UrlIndex<'a> {
    catalog: &'a Catalog,
    urls: HashMap<u64, UrlId>,
}

impl<'a> UrlIndex<'a> {
    pub(super) fn new(catalog: &'a Catalog) -> Self {
        let key = |url: UrlId| (xxh3_64(catalog.url(url).as_bytes()), url);
        Self { catalog, urls: catalog.urls().map(key).collect() }
    }

    /// Returns the id of a URL.
    pub(super) fn find(&self, url: &str) -> Option<UrlId> {
        let found = self.urls.get(&xxh3_64(url.as_bytes())).copied();
        found.filter(|found| self.catalog.url(*found) == url)
    }
}
