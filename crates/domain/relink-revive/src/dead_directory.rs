//! Directories whose pages were deleted. Their remaining pages are not searched.
//!
//! FABLE, §4.2.2: a directory counts as deleted if the searches for its first four URLs
//! find neither an alias nor a *likely candidate*. A candidate is likely if the last
//! component of its URL can be predicted from the old page.

use serde::{Deserialize, Serialize};

use crate::Directory;
use crate::pattern::{CoarsePattern, Predictability};

/// Number of URLs to search before a directory may be declared dead (§4.2.2).
pub const MIN_ATTEMPTS: usize = 4;

/// Result of the search for the alias of one URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AliasSearchResult {
    /// An alias was found.
    Alias,
    /// No alias, but a candidate whose last component is predictable, at least
    /// in part.
    LikelyCandidate,
    /// Neither.
    Nothing,
}

impl AliasSearchResult {
    /// Returns the result of a search without an alias, by its candidates.
    pub fn without_alias<'a>(candidates: impl IntoIterator<Item = &'a CoarsePattern>) -> Self {
        let is_likely = |pattern: &CoarsePattern| {
            pattern.components().last().is_some_and(|last| *last != Predictability::Unpredictable)
        };
        if candidates.into_iter().any(is_likely) { Self::LikelyCandidate } else { Self::Nothing }
    }
}

/// A directory that is not searched any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadDirectory {
    /// The directory.
    pub directory: Directory,
}

impl DeadDirectory {
    /// Declares a directory dead if none of its first attempts found anything.
    pub fn from_attempts(directory: &Directory, attempts: &[AliasSearchResult]) -> Option<Self> {
        let first = attempts.get(..MIN_ATTEMPTS)?;
        let is_dead = first.iter().all(|attempt| *attempt == AliasSearchResult::Nothing);
        is_dead.then(|| Self { directory: directory.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts whether a directory is dead after these attempts. Each attempt is one character:
    /// `-` found nothing, `?` found a likely candidate, `!` found an alias.
    #[track_caller]
    fn check(attempts: &str, expect: bool) {
        let attempts: Vec<AliasSearchResult> = attempts
            .chars()
            .map(|sign| match sign {
                '!' => AliasSearchResult::Alias,
                '?' => AliasSearchResult::LikelyCandidate,
                _ => AliasSearchResult::Nothing,
            })
            .collect();
        let directory = Directory::from_url(&"http://example.org/a/b".parse().unwrap());
        assert_eq!(DeadDirectory::from_attempts(&directory, &attempts).is_some(), expect);
    }

    #[test]
    fn directory_is_dead_after_four_failures() {
        check("----", true);
        check("-----", true);
        check("---", false);
        check("", false);
    }

    #[test]
    fn directory_with_a_candidate_among_the_first_four_is_not_dead() {
        check("--?-", false);
        check("!---", false);
        check("----!", true);
    }
}
