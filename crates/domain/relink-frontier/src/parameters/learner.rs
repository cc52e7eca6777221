//! Learns which query parameters do not affect a page.
//!
//! Results are counted for each parameter and URL pattern, and for each parameter and
//! *section*: the first path segment. A parameter that is irrelevant in a whole section
//! is also removed from URLs with new patterns.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use url::Url;

use super::remove_parameters;
use crate::UrlPattern;
use crate::query::parameters;

/// Number of equal trials after which a parameter is irrelevant.
const MIN_EQUAL_TRIALS: u32 = 8;

/// Number of similar pages that count as one equal page.
const SIMILAR_PER_SAME: u32 = 3;

/// Number of equal trials that excuse one different trial, because pages may change between
/// two requests.
const TRIALS_PER_DIFFERENCE: u32 = 20;

/// Maximum number of parameters with trials. Further parameters are not tested.
const MAX_PARAMETERS: usize = 8_192;

/// The result of comparing a page with the page without a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialOutcome {
    /// Exactly the same text and numbers.
    Same,
    /// The same text with other numbers, and no links to new content.
    Similar,
    /// Another page or an error.
    Different,
}

/// The results of trials, by URL pattern and parameter.
///
/// ```
/// use relink_frontier::{ParameterLearner, TrialOutcome};
/// let mut learner = ParameterLearner::default();
/// let url = "https://example.org/item/7?id=1&ref=menu".parse()?;
/// while learner.is_undecided(&url, "ref") {
///     learner.record(&url, "ref", TrialOutcome::Same);
/// }
/// let other = "https://example.org/item/8?id=2&ref=search".parse()?;
/// assert_eq!(learner.strip(&other).0.as_str(), "https://example.org/item/8?id=2");
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParameterLearner {
    /// Results by map key: URL pattern and parameter, see [`pattern_key`] and [`section_key`].
    counts: BTreeMap<String, Counts>,
}

/// Numbers of trials by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Counts {
    same: u32,
    #[serde(default)]
    similar: u32,
    different: u32,
}

impl ParameterLearner {
    /// Records the result of fetching a page with and without a parameter. The caller must
    /// compare numbers, too, because pages of a list may differ only in numbers.
    pub fn record(&mut self, url: &Url, key: &str, outcome: TrialOutcome) {
        self.record_entry(pattern_key(url, key), outcome);
        self.record_entry(section_key(url, key), outcome);
    }

    /// Counts a result under a key of the map.
    fn record_entry(&mut self, entry: String, outcome: TrialOutcome) {
        if self.counts.len() >= MAX_PARAMETERS && !self.counts.contains_key(&entry) {
            return;
        }
        let counts = self.counts.entry(entry).or_default();
        match outcome {
            TrialOutcome::Same => counts.same = counts.same.saturating_add(1),
            TrialOutcome::Similar => counts.similar = counts.similar.saturating_add(1),
            TrialOutcome::Different => counts.different = counts.different.saturating_add(1),
        }
    }

    /// Whether a parameter is irrelevant on URLs with the path pattern of `url`, or in its
    /// whole section.
    pub fn is_irrelevant(&self, url: &Url, key: &str) -> bool {
        let counts_of = |entry: &String| self.counts.get(entry).copied().unwrap_or_default();
        let of_pattern = counts_of(&pattern_key(url, key));
        let of_section = counts_of(&section_key(url, key));
        of_pattern.is_irrelevant() || of_pattern.different == 0 && of_section.is_always_irrelevant()
    }

    /// Whether another trial of the parameter is useful: it never changed a page, and too few
    /// trials prove that it is irrelevant.
    pub fn is_undecided(&self, url: &Url, key: &str) -> bool {
        match self.counts.get(&pattern_key(url, key)) {
            Some(counts) => counts.different == 0 && !counts.is_irrelevant(),
            None => self.counts.len() < MAX_PARAMETERS,
        }
    }

    /// Returns the parameters of `url` for which another trial is useful, sorted.
    pub fn undecided(&self, url: &Url) -> Vec<String> {
        let keys: BTreeSet<&str> = parameters(url).map(|parameter| parameter.key).collect();
        keys.into_iter().filter(|key| self.is_undecided(url, key)).map(str::to_owned).collect()
    }

    /// Removes the irrelevant parameters and returns their keys.
    pub fn strip(&self, url: &Url) -> (Url, Vec<String>) {
        if self.counts.is_empty() || url.query().is_none() {
            return (url.clone(), Vec::new());
        }
        remove_parameters(url, |key, _| self.is_irrelevant(url, key))
    }
}

impl Counts {
    /// Whether there are many equal trials and no different trial. A section requires twice as
    /// many equal trials as a pattern, because its URLs are less alike.
    fn is_always_irrelevant(self) -> bool {
        self.different == 0 && self.same / 2 + self.similar / SIMILAR_PER_SAME >= MIN_EQUAL_TRIALS
    }

    /// Whether there are enough equal trials, and few different trials compared to them.
    fn is_irrelevant(self) -> bool {
        let same = self.same.saturating_add(self.similar / SIMILAR_PER_SAME);
        same >= MIN_EQUAL_TRIALS && self.different.saturating_mul(TRIALS_PER_DIFFERENCE) <= same
    }
}

/// Returns the map key of a parameter in the section of a URL, its first path segment.
fn section_key(url: &Url, key: &str) -> String {
    let mut bare = url.clone();
    let first = url.path().split('/').find(|segment| !segment.is_empty());
    bare.set_path(first.unwrap_or_default());
    format!("{} in section", pattern_key(&bare, key))
}

/// Returns the map key of a parameter: the path pattern of the URL, a space and the parameter.
/// Neither part contains a space. URLs with one path pattern share their results.
fn pattern_key(url: &Url, key: &str) -> String {
    let mut bare = url.clone();
    bare.set_query(None);
    // The pattern must not depend on the current year. With year 0, the prefix `far-` marks all
    // dates as far from the current year. Remove these prefixes.
    format!("{} {key}", UrlPattern::new(&bare, 0).as_str().replace("far-", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(&format!("https://example.org{text}")).unwrap()
    }

    fn learner_with(same: u32, different: u32) -> ParameterLearner {
        let mut learner = ParameterLearner::default();
        for _ in 0..same {
            learner.record(&url("/item/1?ref=a"), "ref", TrialOutcome::Same);
        }
        for _ in 0..different {
            learner.record(&url("/item/1?ref=a"), "ref", TrialOutcome::Different);
        }
        learner
    }

    /// Asserts whether a parameter is irrelevant after these numbers of trials.
    #[track_caller]
    fn check(same: u32, different: u32, expect: bool) {
        let learner = learner_with(same, different);
        assert_eq!(learner.is_irrelevant(&url("/item/2"), "ref"), expect, "{same} {different}");
    }

    #[test]
    fn parameter_is_irrelevant_after_enough_equal_trials() {
        check(MIN_EQUAL_TRIALS - 1, 0, false);
        check(MIN_EQUAL_TRIALS, 0, true);
        check(MIN_EQUAL_TRIALS, 1, false);
        check(TRIALS_PER_DIFFERENCE, 1, true);
    }

    #[test]
    fn result_applies_to_urls_with_the_same_pattern() {
        let learner = learner_with(MIN_EQUAL_TRIALS, 0);
        assert_eq!(learner.strip(&url("/item/9?a=1&ref=x")).0, url("/item/9?a=1"));
        assert_eq!(learner.strip(&url("/list?ref=x")).0, url("/list?ref=x"));
        assert!(!learner.is_irrelevant(&url("/item/9"), "id"));
    }

    #[test]
    fn trials_end_after_one_difference() {
        assert_eq!(learner_with(0, 0).undecided(&url("/item/1?ref=a&b=1&b=2")), ["b", "ref"]);
        assert!(learner_with(3, 1).undecided(&url("/item/1?ref=a")).is_empty());
        assert!(learner_with(MIN_EQUAL_TRIALS, 0).undecided(&url("/item/1?ref=a")).is_empty());
    }

    #[test]
    fn stored_learner_is_read_unchanged() {
        let learner = learner_with(3, 1);
        let json = serde_json::to_string(&learner).unwrap();
        assert_eq!(serde_json::from_str::<ParameterLearner>(&json).unwrap(), learner);
    }
}
