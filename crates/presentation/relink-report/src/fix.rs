//! The report of `relink fix` as JSON.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::fix_message::REPAIR_CAUSES;
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
    /// The edits of wiki pages, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wiki_edits: Vec<FixWikiEditRow>,
    /// The repairs that can be written, or were written, counted by cause.
    pub causes: Vec<FixCauseRow>,
    /// All repairs, by document and position.
    pub fixes: Vec<FixRow<'a>>,
}

/// The number of repairs with one cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FixCauseRow {
    /// The cause, as in [`FixRow`].
    pub cause: &'static str,
    /// Number of repaired links.
    pub links: usize,
    /// Number of documents with repaired links.
    pub files: usize,
}

/// Counts the repairs that can be written by cause.
fn count_causes(fixes: &[FixRow<'_>]) -> Vec<FixCauseRow> {
    let mut rows = Vec::new();
    for (cause, _title) in REPAIR_CAUSES {
        let is_ready = |row: &&FixRow<'_>| row.cause == cause && row.status == FixRowStatus::Ready;
        let paths: Vec<&str> = fixes.iter().filter(is_ready).map(|row| row.path).collect();
        let documents: BTreeSet<&str> = paths.iter().copied().collect();
        if !paths.is_empty() {
            rows.push(FixCauseRow { cause, links: paths.len(), files: documents.len() });
        }
    }
    rows
}

impl<'a> FixReport<'a> {
    /// Creates a report of repairs. The repairs were applied if there is an `undo` id, a
    /// commit or a saved wiki edit.
    pub fn new(
        undo: Option<&'a str>,
        commits: Vec<FixCommitRow>,
        wiki_edits: Vec<FixWikiEditRow>,
        fixes: Vec<FixRow<'a>>,
    ) -> Self {
        let has_edits = wiki_edits.iter().any(|edit| edit.revision.is_some());
        let applied = undo.is_some() || !commits.is_empty() || has_edits;
        let causes = count_causes(&fixes);
        Self { schema: SCHEMA, command: "fix", applied, undo, commits, wiki_edits, causes, fixes }
    }
}

/// The edit of a wiki page by `relink fix --wiki`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FixWikiEditRow {
    /// The title of the page.
    pub title: String,
    /// The number of the new revision; missing if the page was not edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The reason why the page was not edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A commit that `relink fix --commit` created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FixCommitRow {
    /// The short id.
    pub id: String,
    /// The first line of the message.
    pub subject: String,
}

/// The repairs of pages without a source file, for a content management system.
#[derive(Debug, Clone, Serialize)]
pub struct SiteFixList<'a> {
    /// The version of the format.
    pub schema: u32,
    /// The command.
    pub command: &'static str,
    /// The repairs, by page.
    pub fixes: Vec<SiteFixRow<'a>>,
}

impl<'a> SiteFixList<'a> {
    /// Creates a list.
    pub fn new(fixes: Vec<SiteFixRow<'a>>) -> Self {
        Self { schema: SCHEMA, command: "fix", fixes }
    }
}

/// The repair of a link on a page.
#[derive(Debug, Clone, Serialize)]
pub struct SiteFixRow<'a> {
    /// The URL of the page.
    pub page: Redacted<'a>,
    /// A CSS selector of the link.
    pub selector: String,
    /// The URL of the link.
    pub dead_link: Redacted<'a>,
    /// The new URL.
    pub new_url: Redacted<'a>,
    /// The source of the new URL, as in [`FixRow`].
    pub cause: &'static str,
    /// The source of the new URL as a sentence.
    pub evidence: String,
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
    /// The new URL; missing if none was found and the link is only marked as dead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_url: Option<Redacted<'a>>,
    /// The code of the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The reason why the link is a finding.
    pub finding: Redacted<'a>,
    /// The source of the new URL: `redirect`, `alias` or `archived-copy`; `not-found` if
    /// there is none, `back-to-life` if an archived copy is no longer needed.
    pub cause: &'static str,
    /// The source as a sentence, with the confidence or the date of the copy.
    pub evidence: String,
    /// The style of the repair: `replace` the old URL or add the new one `beside` it.
    pub style: &'static str,
    /// The parts of the page that the archived copy lacks, if the new URL is an alias (the
    /// new location of the page).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copy_gaps: Vec<String>,
    /// Whether the repair can be written.
    pub status: FixRowStatus,
    /// The reason why a person must confirm the repair, or why it is not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Whether a repair can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FixRowStatus {
    /// The repair can be written, or was written.
    Ready,
    /// A person must confirm the repair.
    NeedsReview,
    /// The repair is not written.
    Rejected,
}
