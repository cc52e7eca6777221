//! Why there is no alias: one code and one plain sentence each.
//!
//! The first eight are the rows of FABLE's Table 10, under its three methods.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cost::RevivalMethod;

/// Why no alias was found by some method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoAliasReason {
    /// Search: no good archived copy tells what to search for.
    NoArchivedCopy,
    /// Search: nothing was found.
    NoSearchResults,
    /// Search: what was found does not match.
    NoMatch,
    /// Historical redirects: no archived 3xx.
    NoRedirect,
    /// Historical redirects: every archived 3xx is an erroneous one.
    ErroneousRedirect,
    /// Inference: too few examples of moved pages.
    TooFewExamples,
    /// Inference: no program makes the new addresses from the old ones.
    NotLearnable,
    /// Inference: nothing alive is where the programs lead.
    NothingLive,
    /// The directory is one in which looking is futile (§4.2.2).
    DeadDirectory,
}

impl NoAliasReason {
    /// Every reason, in the order of the paper's table.
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

    /// Its code, as in reports.
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

    /// The method that failed; none for a directory that is not searched.
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

/// The reason as a sentence: lower case, no full stop.
impl fmt::Display for NoAliasReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoArchivedCopy => "no good archived copy tells what the page was about",
            Self::NoSearchResults => "searching the site for the page found nothing",
            Self::NoMatch => "none of the pages found on the site matches the old one",
            Self::NoRedirect => "no archived copy of the address is a redirect",
            Self::ErroneousRedirect => "the archived redirects lead where other pages' lead too",
            Self::TooFewExamples => "too few pages like it are known to have moved",
            Self::NotLearnable => "the new addresses of pages like it do not follow from the old",
            Self::NothingLive => "no page is alive where pages like it have gone",
            Self::DeadDirectory => "pages of this directory were deleted, as far as is known",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_what_is_stored() {
        for reason in NoAliasReason::ALL {
            let stored = serde_json::to_string(&reason).unwrap();
            assert_eq!(stored, format!("\"{}\"", reason.code()));
        }
    }

    #[test]
    fn fable_table_10_has_three_methods() {
        let count = |method| {
            NoAliasReason::ALL.iter().filter(|reason| reason.method() == Some(method)).count()
        };
        let counts =
            [RevivalMethod::Search, RevivalMethod::HistoricalRedirect, RevivalMethod::Inference]
                .map(count);
        assert_eq!(counts, [3, 2, 3]);
    }

    #[test]
    fn every_reason_is_a_sentence_of_its_own() {
        let mut sentences = NoAliasReason::ALL.map(|reason| reason.to_string()).to_vec();
        assert!(sentences.iter().all(|sentence| !sentence.ends_with('.')));
        sentences.sort();
        sentences.dedup();
        assert_eq!(sentences.len(), NoAliasReason::ALL.len());
    }
}
