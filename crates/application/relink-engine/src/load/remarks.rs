//! What there is to say of documents beside their links.

use relink_page::Problem;

use crate::unpack::UnpackFault;

/// Remarks of a run that are kept; the others are counted.
const REMARKS: usize = 10_000;

/// Remarks about documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remarked {
    /// The remarks that are kept.
    pub remarks: Vec<Remark>,
    /// How many more there were.
    pub more: u64,
}

/// A remark about a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The document, as the user knows it.
    pub path: String,
    /// The line, from 1; nothing if it is about the whole document.
    pub line: Option<u32>,
    /// What there is to say, in plain words.
    pub text: String,
}

impl Remarked {
    pub(super) fn add(&mut self, path: &str, problems: Vec<Problem>) {
        for Problem { line, text } in problems {
            self.push(Remark { path: path.to_owned(), line: Some(line), text });
        }
    }

    pub(super) fn extend_with(&mut self, path: &str, fault: Option<UnpackFault>) {
        if let Some(fault) = fault {
            self.push(Remark { path: path.to_owned(), line: None, text: fault.to_string() });
        }
    }

    pub(super) fn push(&mut self, remark: Remark) {
        if self.remarks.len() < REMARKS {
            self.remarks.push(remark);
        } else {
            self.more += 1;
        }
    }
}
