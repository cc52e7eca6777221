//! Problems with documents.

use relink_page::Problem;

use crate::decompress::DecompressError;

/// Maximum number of stored diagnostics. Further ones are counted.
const MAX_ENTRIES: usize = 10_000;

/// Problems with documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    /// The stored diagnostics.
    pub entries: Vec<Diagnostic>,
    /// Number of diagnostics that are not stored.
    pub omitted: u64,
}

/// A problem with a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Name of the document for users.
    pub path: String,
    /// The line, from 1; `None` for the whole document.
    pub line: Option<u32>,
    /// The message.
    pub text: String,
}

impl Diagnostics {
    pub(super) fn add(&mut self, path: &str, problems: Vec<Problem>) {
        for Problem { line, text } in problems {
            self.push(Diagnostic { path: path.to_owned(), line: Some(line), text });
        }
    }

    pub(super) fn push_error(&mut self, path: &str, error: Option<DecompressError>) {
        if let Some(error) = error {
            self.push(Diagnostic { path: path.to_owned(), line: None, text: error.to_string() });
        }
    }

    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        if self.entries.len() < MAX_ENTRIES {
            self.entries.push(diagnostic);
        } else {
            self.omitted += 1;
        }
    }
}
