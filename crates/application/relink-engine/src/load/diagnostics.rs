//! What there is to say of documents beside their links.

use relink_page::Problem;

use crate::decompress::DecompressError;

/// Remarks of a run that are kept; the others are counted.
const REMARKS: usize = 10_000;

/// Remarks about documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    /// The remarks that are kept.
    pub remarks: Vec<Diagnostic>,
    /// How many more there were.
    pub more: u64,
}

/// A remark about a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The document, as the user knows it.
    pub path: String,
    /// The line, from 1; nothing if it is about the whole document.
    pub line: Option<u32>,
    /// What there is to say, in plain words.
    pub text: String,
}

impl Diagnostics {
    pub(super) fn add(&mut self, path: &str, problems: Vec<Problem>) {
        for Problem { line, text } in problems {
            self.push(Diagnostic { path: path.to_owned(), line: Some(line), text });
        }
    }

    pub(super) fn extend_with(&mut self, path: &str, error: Option<DecompressError>) {
        if let Some(error) = error {
            self.push(Diagnostic { path: path.to_owned(), line: None, text: error.to_string() });
        }
    }

    pub(super) fn push(&mut self, remark: Diagnostic) {
        if self.remarks.len() < REMARKS {
            self.remarks.push(remark);
        } else {
            self.more += 1;
        }
    }
}
