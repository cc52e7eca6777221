//! Learning which parameters do not matter.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use url::Url;

use super::without;
use crate::UrlPattern;

/// Trials without a difference after which a parameter does not matter.
const ENOUGH: u32 = 8;

/// One difference is forgiven for so many trials without: pages change
/// between two visits.
const FORGIVEN: u32 = 20;

/// Parameters on trial; beyond that nothing more is learned, and nothing lost
/// but time.
const MOST_TRIALS: usize = 8_192;

/// What a page was without the parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialOutcome {
    /// Word for word and number for number the same.
    Same,
    /// Another page, or none.
    Different,
}

/// What has been learned about parameters, by the kind of address they are on.
///
/// ```
/// use relink_frontier::{ParameterTrials, TrialOutcome};
/// let mut trials = ParameterTrials::default();
/// let url = "https://example.org/item/7?id=1&ref=menu".parse()?;
/// while trials.is_undecided(&url, "ref") {
///     trials.tell(&url, "ref", TrialOutcome::Same);
/// }
/// let other = "https://example.org/item/8?id=2&ref=search".parse()?;
/// assert_eq!(trials.strip(&other).0.as_str(), "https://example.org/item/8?id=2");
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParameterLearner {
    /// By path pattern and key, parted by a space, which neither can hold.
    counts: BTreeMap<String, Counts>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Counts {
    same: u32,
    different: u32,
}

impl ParameterLearner {
    /// A page was asked for with and without a parameter. Compare exactly: in
    /// a list only the numbers may differ.
    pub fn record(&mut self, url: &Url, key: &str, outcome: TrialOutcome) {
        let name = name(url, key);
        if self.counts.len() >= MOST_TRIALS && !self.counts.contains_key(&name) {
            return;
        }
        let counts = self.counts.entry(name).or_default();
        match outcome {
            TrialOutcome::Same => counts.same = counts.same.saturating_add(1),
            TrialOutcome::Different => counts.different = counts.different.saturating_add(1),
        }
    }

    /// Whether a parameter was found not to matter on addresses like `url`.
    pub fn is_irrelevant(&self, url: &Url, key: &str) -> bool {
        self.counts.get(&name(url, key)).is_some_and(|counts| counts.is_irrelevant())
    }

    /// Whether another trial would tell something.
    pub fn is_undecided(&self, url: &Url, key: &str) -> bool {
        match self.counts.get(&name(url, key)) {
            Some(counts) => counts.different == 0 && !counts.is_irrelevant(),
            None => self.counts.len() < MOST_TRIALS,
        }
    }

    /// The keys of `url` on which another trial would tell something, in order.
    pub fn undecided(&self, url: &Url) -> Vec<String> {
        let pairs = url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let keys: BTreeSet<&str> =
            pairs.map(|pair| pair.split('=').next().unwrap_or_default()).collect();
        keys.into_iter().filter(|key| self.is_undecided(url, key)).map(str::to_owned).collect()
    }

    /// Leaves out what was found not to matter, and names it.
    pub fn strip(&self, url: &Url) -> (Url, Vec<String>) {
        if self.counts.is_empty() || url.query().is_none() {
            return (url.clone(), Vec::new());
        }
        without(url, |key, _| self.is_irrelevant(url, key))
    }
}

impl Counts {
    fn is_irrelevant(self) -> bool {
        self.same >= ENOUGH && self.different.saturating_mul(FORGIVEN) <= self.same
    }
}

/// Addresses of one path pattern share what is learned, whatever their query.
fn name(url: &Url, key: &str) -> String {
    let mut bare = url.clone();
    bare.set_query(None);
    // No date is far from no year, so that all are of one kind.
    format!("{} {key}", UrlPattern::of(&bare, 0).as_str().replace("far-", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(&format!("https://example.org{text}")).unwrap()
    }

    fn told(same: u32, different: u32) -> ParameterLearner {
        let mut trials = ParameterLearner::default();
        for _ in 0..same {
            trials.record(&url("/item/1?ref=a"), "ref", TrialOutcome::Same);
        }
        for _ in 0..different {
            trials.record(&url("/item/1?ref=a"), "ref", TrialOutcome::Different);
        }
        trials
    }

    #[track_caller]
    fn check(same: u32, different: u32, expect: bool) {
        let trials = told(same, different);
        assert_eq!(trials.is_irrelevant(&url("/item/2"), "ref"), expect, "{same} {different}");
    }

    #[test]
    fn a_parameter_does_not_matter_after_enough_trials() {
        check(ENOUGH - 1, 0, false);
        check(ENOUGH, 0, true);
        check(ENOUGH, 1, false);
        check(FORGIVEN, 1, true);
    }

    #[test]
    fn what_is_learnt_holds_for_addresses_of_one_kind() {
        let trials = told(ENOUGH, 0);
        assert_eq!(trials.strip(&url("/item/9?a=1&ref=x")).0, url("/item/9?a=1"));
        assert_eq!(trials.strip(&url("/list?ref=x")).0, url("/list?ref=x"));
        assert!(!trials.is_irrelevant(&url("/item/9"), "id"));
    }

    #[test]
    fn one_difference_ends_the_trials() {
        assert_eq!(told(0, 0).undecided(&url("/item/1?ref=a&b=1&b=2")), ["b", "ref"]);
        assert!(told(3, 1).undecided(&url("/item/1?ref=a")).is_empty());
        assert!(told(ENOUGH, 0).undecided(&url("/item/1?ref=a")).is_empty());
    }

    #[test]
    fn it_comes_back_from_a_store_as_it_was() {
        let trials = told(3, 1);
        let json = serde_json::to_string(&trials).unwrap();
        assert_eq!(serde_json::from_str::<ParameterLearner>(&json).unwrap(), trials);
    }
}
