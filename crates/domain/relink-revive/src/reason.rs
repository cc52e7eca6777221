//! Reasons why no alias was found, each with a code and a sentence.
//!
//! The first eight are the rows of Table 10 of the FABLE paper, grouped by method. Section
//! numbers (§) refer to that paper.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cost::RevivalMethod;

/// Reason why a method found no alias.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoAliasReason {
    /// Search: no good archived copy provides search terms.
    NoArchivedCopy,
    /// Search: no results.
    NoSearchResults,
    /// Search: no result matches.
    NoMatch,
    /// Historical redirects: no archived 3xx.
    NoRedirect,
    /// Historical redirects: all archived 3xx responses were rejected.
    ErroneousRedirect,
    /// Inference: too few examples of moved pages.
    TooFewExamples,
    /// Inference: no program produces the new URLs from the old ones.
    NotLearnable,
    /// Inference: no URL that the programs produce is alive.
    NothingLive,
    /// The pages of the directory were deleted (§4.2.2).
    DeadDirectory,
}

impl NoAliasReason {
    /// All reasons, in the order of the paper's table.
    pub const ALL: [Self; 9] = [
        Self::NoArchivedCopy,
        Self::NoSearchResults,
        Self::NoMatch,
        Self::NoRedirect,
        Self::ErroneousRedirect,
        Self::TooFewExamples,
        Self::NotLearnable,
        Self::NothingLive,
        Self::DeadDirectory,
    ];

    /// Returns the code used in reports.
    pub fn code(self) -> &'static str {
        match self {
            Self::NoArchivedCopy => "no-archived-copy",
            Self::NoSearchResults => "no-search-results",
            Self::NoMatch => "no-match",
            Self::NoRedirect => "no-redirect",
            Self::ErroneousRedirect => "erroneous-redirect",
            Self::TooFewExamples => "too-few-examples",
            Self::NotLearnable => "not-learnable",
            Self::NothingLive => "nothing-live",
            Self::DeadDirectory => "dead-directory",
        }
    }

    /// Returns the method that failed, or `None` for a dead directory.
    pub fn method(self) -> Option<RevivalMethod> {
        Some(match self {
            Self::NoArchivedCopy | Self::NoSearchResults | Self::NoMatch => RevivalMethod::Search,
            Self::NoRedirect | Self::ErroneousRedirect => RevivalMethod::HistoricalRedirect,
            Self::TooFewExamples | Self::NotLearnable | Self::NothingLive => {
                RevivalMethod::Inference
            }
            Self::DeadDirectory => return None,
        })
    }
}

/// The reason as a sentence: lower case, no period.
impl fmt::Display for NoAliasReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoArchivedCopy => "no good archived copy of the page to search by",
            Self::NoSearchResults => "searching the site for the page found nothing",
            Self::NoMatch => "none of the pages found on the site matches the old one",
            Self::NoRedirect => "no archived copy of the URL is a redirect",
            Self::ErroneousRedirect => {
                "the archived redirects have the same target as those of other pages"
            }
            Self::TooFewExamples => "too few similar pages are known to have moved",
            Self::NotLearnable => "the new URLs of similar pages do not follow from the old ones",
            Self::NothingLive => "no page is alive at the URLs learned from similar pages",
            Self::DeadDirectory => "the pages of this directory appear to have been deleted",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_equals_serialized_name() {
        for reason in NoAliasReason::ALL {
            let stored = serde_json::to_string(&reason).unwrap();
            assert_eq!(stored, format!("\"{}\"", reason.code()));
        }
    }

    #[test]
    fn reasons_cover_fable_table_10() {
        let count = |method| {
            NoAliasReason::ALL.iter().filter(|reason| reason.method() == Some(method)).count()
        };
        let counts =
            [RevivalMethod::Search, RevivalMethod::HistoricalRedirect, RevivalMethod::Inference]
                .map(count);
        assert_eq!(counts, [3, 2, 3]);
    }

    #[test]
    fn sentences_are_distinct_and_have_no_period() {
        let mut sentences = NoAliasReason::ALL.map(|reason| reason.to_string()).to_vec();
        assert!(sentences.iter().all(|sentence| !sentence.ends_with('.')));
        sentences.sort();
        sentences.dedup();
        assert_eq!(sentences.len(), NoAliasReason::ALL.len());
    }
}
