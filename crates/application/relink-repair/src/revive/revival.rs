//! Result of the search for a dead page: alias, evidence, rejected copies and
//! cost.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use relink_model::{Confidence, FindingCode, Similarity, Snapshot, Verdict};
use relink_revive::NoAliasReason;
use relink_revive::copy_gap::CopyGap;
use relink_revive::cost::{Cost, RevivalMethod};
use relink_revive::evidence::AliasEvidence;
use serde::{Deserialize, Serialize};
use url::Url;

/// Result of the search for a dead page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Revival {
    /// The dead page.
    pub url: Url,
    /// Its verdict, if it was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The code of the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<FindingCode>,
    /// The new URL of the page.
    pub alias: Option<Alias>,
    /// Pages of other sites with the content of the dead page, most similar first. They
    /// are never used as an alias.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replacements: Vec<Replacement>,
    /// The best archived copy.
    pub archived: Option<Snapshot>,
    /// Archived copies that are not the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected_copies: Vec<RejectedCopy>,
    /// Similar pages below the minimum confidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weak_candidates: Vec<WeakCandidate>,
    /// Why there is no alias, by method.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<NoAliasReason>,
    /// Services that could not be used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Cost by method.
    #[serde(default)]
    pub costs: BTreeMap<RevivalMethod, Cost>,
    /// What the archived copy lacks compared with the alias, or `None` if there is
    /// no alias, or if no archive was queried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_gaps: Option<Vec<CopyGap>>,
    /// The time to load the archived copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_time: Option<Duration>,
    /// Minimum cost of `SimilarCT`, the method with which the paper on FABLE compares, or
    /// `None` if there is no text to search for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similar_ct: Option<Cost>,
    /// When the page was searched.
    pub searched_at: Timestamp,
}

/// A live URL of the same page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alias {
    /// The URL.
    pub url: Url,
    /// The confidence.
    pub confidence: Confidence,
    /// The method that found the alias.
    pub method: RevivalMethod,
    /// The evidence.
    pub evidence: Vec<AliasEvidence>,
    /// The learned pattern that led to it, shown as `P14`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<i64>,
}

/// A live page of another site with the content of the dead one. It has no
/// alias confidence, because the origin of the copy is unknown. The user
/// decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replacement {
    /// The URL of the page.
    pub url: Url,
    /// Similarity to the dead page.
    pub similarity: Similarity,
    /// The share of common text, from 0 to 1.
    pub share: f64,
    /// How similar the page is, and with which copy it was compared.
    pub reason: String,
    /// The search engine that found it.
    pub engine: String,
}

/// An archived copy that is not the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectedCopy {
    /// When it was archived.
    pub captured_at: Timestamp,
    /// Why it was rejected.
    pub reason: String,
}

/// A page similar to the dead one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WeakCandidate {
    /// The URL of the page.
    pub url: Url,
    /// The confidence.
    pub confidence: Confidence,
}

impl Revival {
    pub(super) fn new(url: Url, verdict: Option<Verdict>, searched_at: Timestamp) -> Self {
        Self {
            url,
            verdict,
            code: None,
            alias: None,
            replacements: Vec::new(),
            archived: None,
            rejected_copies: Vec::new(),
            weak_candidates: Vec::new(),
            reasons: Vec::new(),
            warnings: Vec::new(),
            costs: BTreeMap::new(),
            copy_gaps: None,
            copy_time: None,
            similar_ct: None,
            searched_at,
        }
    }

    /// Adds the cost of a step.
    pub(super) fn add_cost(&mut self, method: RevivalMethod, cost: Cost) {
        let sum = self.costs.entry(method).or_default();
        *sum = *sum + cost;
    }

    /// Adds a reason once.
    pub(super) fn add_reason(&mut self, reason: NoAliasReason) {
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    /// Adds a warning once.
    pub(super) fn add_warning(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Sets the alias, unless the current alias has a higher confidence.
    pub(super) fn accept(&mut self, alias: Alias) {
        let is_better =
            self.alias.as_ref().is_none_or(|current| alias.confidence > current.confidence);
        if is_better {
            self.alias = Some(alias);
        }
    }

    /// Adds a similar page. If the page is in the list, its confidence is replaced.
    pub(super) fn add_weak_candidate(&mut self, url: Url, confidence: Confidence) {
        match self.weak_candidates.iter_mut().find(|candidate| candidate.url == url) {
            Some(known) => known.confidence = confidence,
            None => self.weak_candidates.push(WeakCandidate { url, confidence }),
        }
    }

    /// Whether an archive was queried for the page. Pages found by a pattern and pages of dead
    /// directories are not searched in archives.
    pub fn has_archive_query(&self) -> bool {
        self.costs.contains_key(&RevivalMethod::HistoricalRedirect)
    }

    /// Returns the total cost.
    pub fn cost(&self) -> Cost {
        self.costs.values().copied().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_candidate_is_added_once_with_the_last_confidence() {
        let url = |path: &str| Url::parse("https://example.org/").unwrap().join(path).unwrap();
        let mut revival = Revival::new(url("dead"), None, Timestamp::UNIX_EPOCH);
        for (path, percent) in [("a", 60), ("b", 50), ("a", 50)] {
            revival.add_weak_candidate(url(path), Confidence::from_percent(percent));
        }
        let half = Confidence::from_percent(50);
        let candidates: Vec<_> = revival
            .weak_candidates
            .iter()
            .map(|candidate| (candidate.url.path(), candidate.confidence))
            .collect();
        assert_eq!(candidates, [("/a", half), ("/b", half)]);
    }
}
