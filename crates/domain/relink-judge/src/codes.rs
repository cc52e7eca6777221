//! The `RL` codes with their names, verdicts, descriptions and advice.
//!
//! There is one code per cause, and a code never changes its meaning: 1xx gone,
//! 2xx redirects, 3xx wrong content with a success status, 4xx blocked, 5xx
//! failing (servers from 500, TLS from 520, connections from 540, Relink itself
//! 590), 6xx local, 9xx at risk. Codes that are not used yet are reserved.

mod names;
mod table;

use relink_model::{FindingCode, Verdict};

pub use names::*;

/// The description of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeInfo {
    /// The code.
    pub code: FindingCode,
    /// The verdict it usually comes with. A failing page retains its code when
    /// its verdict becomes dead.
    pub verdict: Verdict,
    /// A short name for lists.
    pub name: &'static str,
    /// The meaning, in full sentences.
    pub description: &'static str,
    /// What the user can do about it.
    pub advice: &'static str,
    /// Whether this version reports it.
    pub status: CodeStatus,
}

/// Whether a code is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeStatus {
    /// This version reports it.
    InUse,
    /// The number is reserved for a later version.
    Reserved,
}

/// Returns all codes in numerical order.
pub fn all() -> &'static [CodeInfo] {
    table::TABLE
}

/// Returns the description of a code, or `None` if there is no such code.
///
/// ```
/// let gone = relink_judge::codes::lookup("RL101".parse()?).unwrap();
/// assert_eq!(gone.name, "not found or gone");
/// # Ok::<(), relink_model::ParseCodeError>(())
/// ```
pub fn lookup(code: FindingCode) -> Option<CodeInfo> {
    let found = all().binary_search_by_key(&code, |row| row.code);
    found.ok().and_then(|index| all().get(index)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_and_names_are_unique() {
        for pair in all().windows(2) {
            assert!(pair[0].code < pair[1].code, "{}", pair[1].code);
        }
        let names: std::collections::BTreeSet<_> = all().iter().map(|row| row.name).collect();
        assert_eq!(names.len(), all().len());
    }

    #[test]
    fn descriptions_and_advice_end_with_a_period() {
        for row in all() {
            assert_eq!(lookup(row.code), Some(*row));
            assert!(row.description.ends_with('.'), "{}", row.code);
            assert!(row.advice.ends_with('.'), "{}", row.code);
            assert!(!row.name.ends_with('.'), "{}", row.code);
        }
    }

    #[test]
    fn lookup_returns_none_for_unknown_code() {
        assert_eq!(lookup(FindingCode::new(999)), None);
    }
}
