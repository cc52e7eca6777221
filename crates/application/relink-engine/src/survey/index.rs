//! Index of the URLs of a catalog.

use std::collections::HashMap;

use relink_survey::{Catalog, UrlId};
use xxhash_rust::xxh3::xxh3_64;

/// The URLs of a catalog by hash. An entry takes 16 bytes, because a catalog may have
/// millions of URLs.
#[derive(Debug)]
pub(super) struct UrlIndex<'a> {
    catalog: &'a Catalog,
    urls: HashMap<u64, UrlId>,
}

impl<'a> UrlIndex<'a> {
    pub(super) fn new(catalog: &'a Catalog) -> Self {
        let entry = |url: UrlId| (xxh3_64(catalog.url(url).as_bytes()), url);
        Self { catalog, urls: catalog.urls().map(entry).collect() }
    }

    /// Returns the id of a URL, if the catalog contains it.
    pub(super) fn find(&self, url: &str) -> Option<UrlId> {
        let id = self.urls.get(&xxh3_64(url.as_bytes())).copied();
        // Another URL may have the same hash.
        id.filter(|id| self.catalog.url(*id) == url)
    }
}
