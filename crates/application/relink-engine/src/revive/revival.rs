//! What came of looking for a dead page: the answer, what it rests on, what
//! was passed over, and what it took.

use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_model::{Confidence, Similarity, Snapshot, Verdict};
use relink_revive::NoAliasReason;
use relink_revive::cost::{Cost, RevivalMethod};
use relink_revive::evidence::AliasEvidence;
use serde::{Deserialize, Serialize};
use url::Url;

/// What came of looking for a dead page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Revival {
    /// The dead page.
    pub url: Url,
    /// How it is dead, if it was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Where it lives now.
    pub alias: Option<Alias>,
    /// Pages of other sites that have its content, the likest first. They are
    /// never taken for the page itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replacements: Vec<Replacement>,
    /// The best copy that an archive has of it.
    pub archived: Option<Snapshot>,
    /// Copies that were looked at and are none of the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<RejectedCopy>,
    /// Pages that are like it, and not sure enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<WeakCandidate>,
    /// Why there is no alias, by method.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<NoAliasReason>,
    /// What could not be asked, in plain words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// What it took, by method.
    #[serde(default)]
    pub costs: BTreeMap<RevivalMethod, Cost>,
    /// When it was looked for.
    pub tried: Timestamp,
}

/// Another address, alive, for the same page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alias {
    /// The address.
    pub url: Url,
    /// How sure it is.
    pub confidence: Confidence,
    /// By which way it was found.
    pub method: RevivalMethod,
    /// What it rests on.
    pub evidence: Vec<AliasEvidence>,
    /// The lesson that led to it, as people name it (`P14`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<i64>,
}

/// A living page of another site with the content of the dead one. How sure an
/// alias is says nothing here: nobody knows who put the copy there, so a person
/// decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replacement {
    /// Its address.
    pub url: Url,
    /// How like the dead page it is.
    pub similarity: Similarity,
    /// The share of the text of both that both have, from 0 to 1.
    pub share: f64,
    /// What it was compared with, in plain words.
    pub reason: String,
    /// The search engine that named it.
    pub engine: String,
}

/// An archived copy that is none of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectedCopy {
    /// When it was archived.
    pub captured_at: Timestamp,
    /// Why it was passed over, in plain words.
    pub reason: String,
}

/// A page that is like the dead one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WeakCandidate {
    /// Its address.
    pub url: Url,
    /// How sure it is.
    pub confidence: Confidence,
}

impl Revival {
    pub(super) fn new(url: Url, word: Option<Verdict>, tried: Timestamp) -> Self {
        Self {
            url,
            verdict: word,
            alias: None,
            replacements: Vec::new(),
            archived: None,
            passed_over: Vec::new(),
            others: Vec::new(),
            reasons: Vec::new(),
            remarks: Vec::new(),
            costs: BTreeMap::new(),
            tried,
        }
    }

    /// Adds what a step took.
    pub(super) fn charge(&mut self, method: RevivalMethod, cost: Cost) {
        let sum = self.costs.entry(method).or_default();
        *sum = *sum + cost;
    }

    /// Adds a reason, once.
    pub(super) fn because(&mut self, reason: NoAliasReason) {
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    /// Notes what could not be asked, once.
    pub(super) fn remark(&mut self, remark: String) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// Takes an alias, unless a surer one is there.
    pub(super) fn accept(&mut self, alias: Alias) {
        let is_surer = self.alias.as_ref().is_none_or(|known| alias.confidence > known.confidence);
        if is_surer {
            self.alias = Some(alias);
        }
    }

    /// Notes a page that is like it, each address once; what is known of it
    /// last counts.
    pub(super) fn other(&mut self, url: Url, confidence: Confidence) {
        match self.others.iter_mut().find(|other| other.url == url) {
            Some(known) => known.confidence = confidence,
            None => self.others.push(WeakCandidate { url, confidence }),
        }
    }

    /// What all methods took together.
    pub fn cost(&self) -> Cost {
        self.costs.values().copied().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_page_is_noted_once() {
        let url = |path: &str| Url::parse("https://example.org/").unwrap().join(path).unwrap();
        let mut revival = Revival::new(url("dead"), None, Timestamp::UNIX_EPOCH);
        for (path, percent) in [("a", 60), ("b", 50), ("a", 50)] {
            revival.other(url(path), Confidence::percent(percent));
        }
        let half = Confidence::percent(50);
        let noted: Vec<_> =
            revival.others.iter().map(|it| (it.url.path(), it.confidence)).collect();
        assert_eq!(noted, [("/a", half), ("/b", half)]);
    }
}
