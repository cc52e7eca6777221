//! Pages whose addresses differ in one parameter: do they show the same?
//!
//! No page is asked for this. Two that the crawl meets anyway are compared, and
//! after enough of them a parameter is known not to matter.

use std::collections::HashMap;

use relink_frontier::{ParameterLearner, TrialOutcome};
use relink_model::Digest;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Pages remembered; when there are more, all are forgotten and it begins anew.
const REMEMBERED: usize = 1 << 14;

/// What pages showed, by their address without one of its parameters.
#[derive(Debug, Default)]
pub(super) struct DuplicateParameters {
    seen: HashMap<u64, PageVariant>,
}

#[derive(Debug, Clone, Copy)]
struct PageVariant {
    address: u64,
    content: u64,
}

impl DuplicateParameters {
    /// Compares a page with those met before, for each of its parameters that
    /// another comparison would tell something about.
    pub(super) fn note(&mut self, url: &Url, digest: &Digest, trials: &mut ParameterLearner) {
        if url.query().is_none() {
            return;
        }
        let sight = PageVariant { address: hash(url.as_str()), content: content(digest) };
        for key in trials.undecided(url) {
            let rest = hash(&format!("{key}\n{}", without(url, &key)));
            if let Some(other) = self.seen.get(&rest).filter(|other| other.address != sight.address)
            {
                let is_same = other.content == sight.content;
                let outcome = if is_same { TrialOutcome::Same } else { TrialOutcome::Different };
                trials.record(url, &key, outcome);
            }
            if self.seen.len() >= REMEMBERED {
                self.seen.clear();
            }
            self.seen.insert(rest, sight);
        }
    }
}

fn without(url: &Url, key: &str) -> String {
    let query = url.query().unwrap_or_default();
    let kept: Vec<&str> =
        query.split('&').filter(|pair| pair.split('=').next().unwrap_or_default() != key).collect();
    let mut url = url.clone();
    url.set_query(Some(&kept.join("&")));
    url.into()
}

/// What a page shows, in one number: all of its text counts.
fn content(digest: &Digest) -> u64 {
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
        format!("https://example.org/list?{query}").parse().expect("it is an address")
    }

    #[test]
    fn a_parameter_that_changes_nothing_is_soon_known() {
        let (mut lookalikes, mut trials) =
            (DuplicateParameters::default(), ParameterLearner::default());
        for number in 0..20 {
            for item in ["a", "b"] {
                let url = url(&format!("item={item}&visit={number}"));
                lookalikes.note(&url, &page(item), &mut trials);
            }
        }
        let (stripped, dropped) = trials.strip(&url("item=c&visit=99"));
        assert_eq!((stripped.query(), &dropped[..]), (Some("item=c"), &["visit".to_owned()][..]));
    }

    #[test]
    fn one_difference_is_enough_to_keep_a_parameter() {
        let (mut lookalikes, mut trials) =
            (DuplicateParameters::default(), ParameterLearner::default());
        for number in 0..20 {
            lookalikes.note(&url(&format!("p={number}")), &page(&number.to_string()), &mut trials);
        }
        assert!(!trials.is_irrelevant(&url("p=99"), "p"));
    }
}
