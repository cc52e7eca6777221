//! Compares pages whose URLs differ in one parameter, to learn parameters that do not change
//! the content.
//!
//! No page is fetched for this purpose. Only pages that the crawl fetches anyway are
//! compared.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use url::Url;

use super::{ParameterLearner, TrialOutcome};
use crate::query::{join_parameters, parameters};

/// Maximum number of stored pages. The map is cleared when it is full.
const MAX_CACHED: usize = 1 << 14;

/// Earlier pages, by a hash of a parameter key and of the URL without this parameter. Two pages
/// with the same hash have URLs that differ only in the value of the parameter.
#[derive(Debug, Default)]
pub(crate) struct DuplicateParameters {
    variants: HashMap<u64, PageVariant>,
}

/// A page with one value of a parameter.
#[derive(Debug, Clone, Copy)]
struct PageVariant {
    url_hash: u64,
    content: PageContent,
}

/// Content of a page for comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageContent {
    /// Hash of the complete text.
    pub(crate) exact: u64,
    /// Hash of the text without numbers and words of the URL.
    pub(crate) masked: u64,
    /// Whether the page looks like the page of a spider trap: all its text is known from other
    /// pages, and it links to new URLs.
    pub(crate) is_growing: bool,
}

impl PageContent {
    /// Compares two pages. Pages that differ only in numbers may be different entries of a
    /// list. They count as similar only if this page is growing.
    pub(crate) fn compare(self, other: Self) -> TrialOutcome {
        if self.exact == other.exact {
            TrialOutcome::Same
        } else if self.masked == other.masked && self.is_growing {
            TrialOutcome::Similar
        } else {
            TrialOutcome::Different
        }
    }
}

impl DuplicateParameters {
    /// Compares a page with an earlier page whose URL has another value of a parameter. Does
    /// so for each parameter whose effect is still unknown.
    pub(crate) fn compare(
        &mut self,
        url: &Url,
        content: PageContent,
        learner: &mut ParameterLearner,
    ) {
        if url.query().is_none() {
            return;
        }
        let variant = PageVariant { url_hash: hash(url.as_str()), content };
        for key in learner.undecided(url) {
            let key_hash = hash(&(&key, without_parameter(url, &key)));
            let earlier = self.variants.get(&key_hash);
            if let Some(earlier) = earlier.filter(|page| page.url_hash != variant.url_hash) {
                learner.record(url, &key, content.compare(earlier.content));
            }
            if self.variants.len() >= MAX_CACHED {
                self.variants.clear();
            }
            self.variants.insert(key_hash, variant);
        }
    }
}

fn without_parameter(url: &Url, key: &str) -> String {
    let mut bare = url.clone();
    let others = parameters(url).filter(|parameter| parameter.key != key);
    bare.set_query(join_parameters(others).as_deref());
    bare.into()
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(exact: u64) -> PageContent {
        PageContent { exact, masked: exact, is_growing: false }
    }

    fn url(query: &str) -> Url {
        format!("https://example.org/list?{query}").parse().expect("valid URL")
    }

    #[test]
    fn parameter_without_effect_is_learned() {
        for separator in ["&", ";"] {
            let (mut duplicates, mut learner) =
                (DuplicateParameters::default(), ParameterLearner::default());
            for number in 0..20 {
                for item in ["a", "b"] {
                    let url = url(&format!("item={item}{separator}visit={number}"));
                    duplicates.compare(&url, content(hash(item)), &mut learner);
                }
            }
            let (stripped, dropped) = learner.strip(&url(&format!("item=c{separator}visit=99")));
            assert_eq!(
                (stripped.query(), &dropped[..]),
                (Some("item=c"), &["visit".to_owned()][..])
            );
        }
    }

    #[test]
    fn parameter_with_effect_is_not_stripped() {
        let (mut duplicates, mut learner) =
            (DuplicateParameters::default(), ParameterLearner::default());
        for number in 0..20_u64 {
            duplicates.compare(&url(&format!("p={number}")), content(number), &mut learner);
        }
        assert!(!learner.is_irrelevant(&url("p=99"), "p"));
    }
}
