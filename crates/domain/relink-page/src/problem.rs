//! Syntax problems of a document, reported in addition to its links.

use std::fmt;

/// Maximum number of problems stored per document.
pub(crate) const MAX_PROBLEMS: usize = 100;

/// A part of a document that does not conform to its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line number, from 1.
    pub line: u32,
    /// Description of the problem.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.text)
    }
}
