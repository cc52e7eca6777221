//! What readers and providers lose if an archived copy is shown instead of the
//! alias: the rows of FABLE's Table 11 (§5.3).
//!
//! The paper's authors compared the pages by hand. Here the functions of the
//! live page come from its markup, and a copy is stale if the TF-IDF similarity of the
//! main texts is below [`MIN_COPY_SIMILARITY`].

use std::collections::BTreeSet;
use std::fmt;

use relink_model::PageFunction;
use serde::{Deserialize, Serialize};

/// A disadvantage of an archived copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CopyGap {
    /// There is no good archived copy.
    NoArchivedCopy,
    /// The text of the live page has changed since the copy.
    StaleContent,
    /// A login, subscription, comment form or search does not work on a copy.
    ServiceNotUsable,
    /// Readers do not see what the provider recommends now.
    LossOfRecommendations,
    /// The provider earns nothing from advertisements.
    LossOfAdRevenue,
}

impl CopyGap {
    /// All rows, in the order of the paper's table.
    pub const ALL: [Self; 5] = [
        Self::NoArchivedCopy,
        Self::StaleContent,
        Self::ServiceNotUsable,
        Self::LossOfRecommendations,
        Self::LossOfAdRevenue,
    ];

    /// Returns the name used in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Self::NoArchivedCopy => "no-archived-copy",
            Self::StaleContent => "stale-content",
            Self::ServiceNotUsable => "service-not-usable",
            Self::LossOfRecommendations => "loss-of-recommendations",
            Self::LossOfAdRevenue => "loss-of-ad-revenue",
        }
    }
}

/// The gap as a phrase: lower case, no period.
impl fmt::Display for CopyGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoArchivedCopy => "there is no archived copy",
            Self::StaleContent => "the text has changed since the copy",
            Self::ServiceNotUsable => "a login, subscription, comments or search do not work there",
            Self::LossOfRecommendations => "recommended pages are missing or old",
            Self::LossOfAdRevenue => "the provider loses revenue from advertisements",
        })
    }
}

/// Minimum TF-IDF similarity of the main texts of a copy and the live page, below which
/// the copy is stale (§2.2).
pub const MIN_COPY_SIMILARITY: f64 = 0.8;

/// What is known about the last good copy of a page with an alias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyComparison {
    /// The archives have no good copy.
    Missing,
    /// The copy has the text of the live page.
    SameText,
    /// The copy has another text.
    OtherText,
    /// A page has too little text to compare.
    NotComparable,
}

impl CopyComparison {
    /// Returns the result for the similarity of two main texts; `None` if one of them has
    /// no words.
    pub fn from_similarity(similarity: Option<f64>) -> Self {
        match similarity {
            None => Self::NotComparable,
            Some(similarity) if similarity < MIN_COPY_SIMILARITY => Self::OtherText,
            Some(_) => Self::SameText,
        }
    }
}

/// Returns what a copy lacks, compared with the live page at the alias. `live` are the
/// functions of the live page. A missing copy lacks everything, so this is its only gap.
pub fn copy_gaps(copy: CopyComparison, live: &BTreeSet<PageFunction>) -> Vec<CopyGap> {
    if copy == CopyComparison::Missing {
        return vec![CopyGap::NoArchivedCopy];
    }
    let services = [
        PageFunction::Login,
        PageFunction::Subscription,
        PageFunction::Comments,
        PageFunction::Search,
    ];
    let gaps = [
        (CopyGap::StaleContent, copy == CopyComparison::OtherText),
        (CopyGap::ServiceNotUsable, services.iter().any(|service| live.contains(service))),
        (CopyGap::LossOfRecommendations, live.contains(&PageFunction::Recommendations)),
        (CopyGap::LossOfAdRevenue, live.contains(&PageFunction::Advertisements)),
    ];
    gaps.into_iter().filter(|(_, applies)| *applies).map(|(gap, _)| gap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_equals_serialized_name() {
        for gap in CopyGap::ALL {
            assert_eq!(serde_json::to_value(gap).unwrap(), gap.code());
        }
    }

    #[test]
    fn copy_is_stale_below_the_minimum_similarity() {
        let compare = CopyComparison::from_similarity;
        assert_eq!(compare(Some(0.799)), CopyComparison::OtherText);
        assert_eq!(compare(Some(0.8)), CopyComparison::SameText);
        assert_eq!(compare(None), CopyComparison::NotComparable);
    }

    #[test]
    fn missing_copy_is_the_only_gap() {
        let live = BTreeSet::from([PageFunction::Comments]);
        assert_eq!(copy_gaps(CopyComparison::Missing, &live), [CopyGap::NoArchivedCopy]);
    }

    #[test]
    fn changed_page_with_comments_and_advertisements_has_three_gaps() {
        let live = BTreeSet::from([PageFunction::Comments, PageFunction::Advertisements]);
        let gaps = copy_gaps(CopyComparison::OtherText, &live);
        assert_eq!(
            gaps,
            [CopyGap::StaleContent, CopyGap::ServiceNotUsable, CopyGap::LossOfAdRevenue]
        );
    }

    #[test]
    fn complete_copy_has_no_gap() {
        for copy in [CopyComparison::SameText, CopyComparison::NotComparable] {
            assert_eq!(copy_gaps(copy, &BTreeSet::new()), []);
        }
    }
}
