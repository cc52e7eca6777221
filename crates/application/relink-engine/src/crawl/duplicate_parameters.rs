//! Compares pages whose URLs differ in one parameter, to learn parameters that
//! do not change the content.
//!
//! No page is fetched for this purpose. Only pages that the crawl fetches
//! anyway are compared.

use std::collections::HashMap;

use relink_frontier::{ParameterLearner, TrialOutcome};
use relink_model::Digest;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of stored pages. The map is cleared when it is full.
const MAX_CACHED: usize = 1 << 14;

/// Contents of pages, by their URL without one parameter.
#[derive(Debug, Default)]
pub(super) struct DuplicateParameters {
    variants: HashMap<u64, PageVariant>,
}

#[derive(Debug, Clone, Copy)]
struct PageVariant {
    url_hash: u64,
    content_hash: u64,
}

impl DuplicateParameters {
    /// Compares a page with earlier ones, for each parameter that is not
    /// decided yet.
    pub(super) fn compare(&mut self, url: &Url, digest: &Digest, learner: &mut ParameterLearner) {
        if url.query().is_none() {
            return;
        }
        let variant =
            PageVariant { url_hash: hash(url.as_str()), content_hash: content_hash(digest) };
        for key in learner.undecided(url) {
            let key_hash = hash(&format!("{key}\n{}", without_parameter(url, &key)));
            if let Some(other) =
                self.variants.get(&key_hash).filter(|other| other.url_hash != variant.url_hash)
            {
                let is_same = other.content_hash == variant.content_hash;
                let outcome = if is_same { TrialOutcome::Same } else { TrialOutcome::Different };
                learner.record(url, &key, outcome);
            }
            if self.variants.len() >= MAX_CACHED {
                self.variants.clear();
            }
            self.variants.insert(key_hash, variant);
        }
    }
}

fn without_parameter(url: &Url, key: &str) -> String {
    let query = url.query().unwrap_or_default();
    let remaining: Vec<&str> =
        query.split('&').filter(|pair| pair.split('=').next().unwrap_or_default() != key).collect();
    let mut url = url.clone();
    url.set_query(Some(&remaining.join("&")));
    url.into()
}

/// Returns a hash of the complete content.
fn content_hash(digest: &Digest) -> u64 {
    let parts = (&digest.title, &digest.text_length, &digest.text_start, &digest.text_end);
    hash(&format!("{parts:?}{:?}", digest.sketch))
}

fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Digest {
        Digest { text_start: text.to_owned(), ..Digest::default() }
    }

    fn url(query: &str) -> Url {
        format!("https://example.org/list?{query}").parse().expect("valid URL")
    }

    #[test]
    fn parameter_without_effect_is_learned() {
        let (mut duplicates, mut learner) =
            (DuplicateParameters::default(), ParameterLearner::default());
        for number in 0..20 {
            for item in ["a", "b"] {
                let url = url(&format!("item={item}&visit={number}"));
                duplicates.compare(&url, &page(item), &mut learner);
            }
        }
        let (stripped, dropped) = learner.strip(&url("item=c&visit=99"));
        assert_eq!((stripped.query(), &dropped[..]), (Some("item=c"), &["visit".to_owned()][..]));
    }

    #[test]
    fn parameter_with_effect_is_not_stripped() {
        let (mut duplicates, mut learner) =
            (DuplicateParameters::default(), ParameterLearner::default());
        for number in 0..20 {
            duplicates.compare(
                &url(&format!("p={number}")),
                &page(&number.to_string()),
                &mut learner,
            );
        }
        assert!(!learner.is_irrelevant(&url("p=99"), "p"));
    }
}
