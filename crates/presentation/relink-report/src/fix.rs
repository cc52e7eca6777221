//! The report of `relink fix` as JSON.

use serde::Serialize;

use crate::{Redacted, SCHEMA};

/// The report of `relink fix`.
#[derive(Debug, Clone, Serialize)]
pub struct FixReport<'a> {
    /// The version of the format.
    pub schema: u32,
    /// The command.
    pub command: &'static str,
    /// Whether the files were changed.
    pub applied: bool,
    /// The id for `relink fix --undo`, if files were changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<&'a str>,
    /// The commits that were created, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<FixCommitRow>,
    /// All repairs, by document and position.
    pub fixes: Vec<FixRow<'a>>,
}

impl<'a> FixReport<'a> {
    /// Creates a report of repairs. They were applied if there is an `undo` id or
    /// a commit.
    pub fn new(undo: Option<&'a str>, commits: Vec<FixCommitRow>, fixes: Vec<FixRow<'a>>) -> Self {
        let applied = undo.is_some() || !commits.is_empty();
        Self { schema: SCHEMA, command: "fix", applied, undo, commits, fixes }
    }
}

/// A commit that `relink fix --commit` created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FixCommitRow {
    /// The short id.
    pub id: String,
    /// The first line of the message.
    pub subject: String,
}

/// The repair of one link.
#[derive(Debug, Clone, Serialize)]
pub struct FixRow<'a> {
    /// The path of the document.
    pub path: &'a str,
    /// The line of the link, from 1.
    pub line: u32,
    /// The column of the link, from 1.
    pub column: u32,
    /// The URL of the link.
    pub old_url: Redacted<'a>,
    /// The URL that replaces it.
    pub new_url: Redacted<'a>,
    /// The code of the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Why the link is a finding.
    pub finding: Redacted<'a>,
    /// Where the new URL comes from: `redirect`, `alias` or `archived-copy`.
    pub cause: &'static str,
    /// The same as a sentence, with the confidence or the date of the copy.
    pub evidence: String,
    /// How it is written: `replace` or `beside`.
    pub style: &'static str,
    /// Whether the repair can be written.
    pub status: FixRowStatus,
    /// Why a person must confirm the repair, or why it is not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Whether a repair can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FixRowStatus {
    /// It can be written, or was written.
    Ready,
    /// A person must confirm it.
    NeedsReview,
    /// It is not written.
    Rejected,
}
