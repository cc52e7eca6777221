//! The error of a command of `cargo xtask`, with an optional hint.

use std::fmt;
use std::path::Path;

/// An error that stopped a step. Rule violations are results, not errors.
#[derive(Debug)]
pub struct XtaskError {
    message: String,
    hint: Option<String>,
}

impl XtaskError {
    /// Creates an error with a message of one sentence.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Creates the error of a failed file operation.
    pub fn io(path: &Path, source: &std::io::Error) -> Self {
        Self::new(format!("cannot use `{}`: {source}", path.display()))
    }
}

impl fmt::Display for XtaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for XtaskError {}
