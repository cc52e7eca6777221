//! Every `RL` code: its word, its meaning and what to do about it.
//!
//! One number per cause, stable for ever: 1xx gone, 2xx redirects, 3xx lying
//! answers, 4xx blocked, 5xx failing (servers from 500, encryption from 520,
//! connections from 540, Relink itself 590), 6xx local, 9xx at risk. A number is never given a
//! second meaning; codes that nothing gives yet are listed as reserved.

mod names;
mod table;

use relink_model::{FindingCode, Verdict};

pub use names::*;

/// What a code means and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeInfo {
    /// The code.
    pub code: FindingCode,
    /// The word it usually comes with; a failing page keeps its code when it
    /// is later called dead.
    pub verdict: Verdict,
    /// A few words to list it by.
    pub name: &'static str,
    /// What it means, in plain sentences.
    pub description: &'static str,
    /// What to do about it.
    pub advice: &'static str,
    /// Whether this build gives it.
    pub status: CodeStatus,
}

/// Whether a code is given by this build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeStatus {
    /// This build gives it.
    InUse,
    /// The number is set aside; this build does not give it.
    Reserved,
}

/// Every code there is, in order of number.
pub fn all() -> &'static [CodeInfo] {
    table::TABLE
}

/// What a code means, if there is such a code.
///
/// ```
/// let gone = relink_judge::codes::meaning("RL101".parse()?).unwrap();
/// assert_eq!(gone.name, "not found or gone");
/// # Ok::<(), relink_model::ParseCodeError>(())
/// ```
pub fn meaning(code: FindingCode) -> Option<CodeInfo> {
    let found = all().binary_search_by_key(&code, |row| row.code);
    found.ok().and_then(|index| all().get(index)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_names_nothing_twice() {
        for pair in all().windows(2) {
            assert!(pair[0].code < pair[1].code, "{}", pair[1].code);
        }
        let names: std::collections::BTreeSet<_> = all().iter().map(|row| row.name).collect();
        assert_eq!(names.len(), all().len());
    }

    #[test]
    fn every_code_has_a_sentence_and_advice_that_end_like_sentences() {
        for row in all() {
            assert_eq!(meaning(row.code), Some(*row));
            assert!(row.description.ends_with('.'), "{}", row.code);
            assert!(row.advice.ends_with('.'), "{}", row.code);
            assert!(!row.name.ends_with('.'), "{}", row.code);
        }
    }

    #[test]
    fn an_unknown_code_has_no_meaning() {
        assert_eq!(meaning(FindingCode::new(999)), None);
    }
}
