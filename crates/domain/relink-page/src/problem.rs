//! What is wrong with a document, told beside the links that could be read.

use std::fmt;

/// How many problems of one document are kept; more say nothing new.
pub(crate) const PROBLEMS: usize = 100;

/// Something in a document that could not be read as its format has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line it is on, from 1.
    pub line: u32,
    /// What is wrong, in plain words.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.text)
    }
}
