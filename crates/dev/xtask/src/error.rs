//! Why an automation step could not do its work.

use std::fmt;
use std::path::Path;

/// A step could not be carried out; a rule that is broken is not an error.
#[derive(Debug)]
pub struct XtaskError {
    message: String,
    hint: Option<String>,
}

impl XtaskError {
    /// An error, said in one sentence.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// The same error with a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// An error of the disk.
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
