//! Where looking is futile.
//!
//! FABLE, §4.2.2: if the first four addresses of a directory yield neither an
//! alias nor a candidate whose last component follows from the old address,
//! the pages were deleted, and the rest of the directory is not worth asking.

use serde::{Deserialize, Serialize};

use crate::Directory;
use crate::pattern::{CoarsePattern, Predictability};

/// After how many addresses a directory may be given up (§4.2.2).
pub const FIRST: usize = 4;

/// What looking for one address came to.
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
    /// What an attempt without an alias came to, by its candidates.
    pub fn without_alias<'a>(candidates: impl IntoIterator<Item = &'a CoarsePattern>) -> Self {
        let is_likely = |pattern: &CoarsePattern| {
            pattern.components().last().is_some_and(|last| *last != Predictability::Unpredictable)
        };
        if candidates.into_iter().any(is_likely) { Self::LikelyCandidate } else { Self::Nothing }
    }
}

/// A directory that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadDirectory {
    /// Which one.
    pub directory: Directory,
}

impl DeadDirectory {
    /// Gives a directory up if its first attempts, in order, leave no hope.
    pub fn conclude(directory: &Directory, attempts: &[AliasSearchResult]) -> Option<Self> {
        let first = attempts.get(..FIRST)?;
        let is_dead = first.iter().all(|attempt| *attempt == AliasSearchResult::Nothing);
        is_dead.then(|| Self { directory: directory.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `-` nothing, `?` a likely candidate, `!` an alias.
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
        let directory = Directory::of(&"http://example.org/a/b".parse().unwrap());
        assert_eq!(DeadDirectory::conclude(&directory, &attempts).is_some(), expect);
    }

    #[test]
    fn four_failures_in_a_row_give_a_directory_up() {
        check("----", true);
        check("-----", true);
        check("---", false);
        check("", false);
    }

    #[test]
    fn a_single_hope_among_the_first_four_keeps_it() {
        check("--?-", false);
        check("!---", false);
        check("----!", true);
    }
}
