//! Which URL of a catalogue a text is.

use std::collections::HashMap;

use relink_survey::{Catalogue, UrlId};
use xxhash_rust::xxh3::xxh3_64;

/// The URLs of a catalogue by their text, at sixteen bytes each.
#[derive(Debug)]
pub(super) struct UrlIndex<'a> {
    catalogue: &'a Catalogue,
    urls: HashMap<u64, UrlId>,
}

impl<'a> UrlIndex<'a> {
    pub(super) fn new(catalogue: &'a Catalogue) -> Self {
        let key = |url: UrlId| (xxh3_64(catalogue.url(url).as_bytes()), url);
        Self { catalogue, urls: catalogue.urls().map(key).collect() }
    }

    /// The URL with this text.
    pub(super) fn find(&self, url: &str) -> Option<UrlId> {
        let found = self.urls.get(&xxh3_64(url.as_bytes())).copied();
        found.filter(|found| self.catalogue.url(*found) == url)
    }
}
