//! The report of `relink archive`: which live pages have an archived copy.

use std::fmt::Write as _;

use serde::Serialize;

use crate::human::counted;
use crate::{Redacted, SCHEMA, printable};

/// The report of `relink archive`.
#[derive(Debug, Clone, Serialize)]
pub struct ArchiveReport<'a> {
    /// The version of the format.
    pub schema: u32,
    /// The command.
    pub command: &'static str,
    /// The file with the saved pages, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warc: Option<&'a str>,
    /// The number of live pages in each state.
    pub summary: ArchiveCounts,
    /// All live pages, by URL.
    pub pages: Vec<ArchiveRow<'a>>,
}

/// The number of live pages in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ArchiveCounts {
    /// All live pages.
    pub live: usize,
    /// Pages with an archived copy.
    pub archived: usize,
    /// Pages that were saved.
    pub saved: usize,
    /// Pages without a copy.
    pub missing: usize,
    /// Pages for which an archive could not be queried.
    pub unknown: usize,
}

/// One live page.
#[derive(Debug, Clone, Serialize)]
pub struct ArchiveRow<'a> {
    /// The canonical URL.
    pub url: Redacted<'a>,
    /// Whether the page has a copy.
    pub state: ArchiveRowState,
    /// `RL902` if no archive has a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The name of the archive with a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<&'a str>,
    /// The time of the newest copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captured_at: Option<String>,
    /// The URL of the copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_url: Option<Redacted<'a>>,
    /// The reason why the page is not saved, or why its state is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// The first locations of links to the page, as `PATH:LINE`.
    pub locations: Vec<String>,
}

/// Whether a page has an archived copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArchiveRowState {
    /// An archive has a copy.
    Archived,
    /// The page was saved by this run.
    Saved,
    /// No archive has a copy.
    Missing,
    /// An archive could not be queried.
    Unknown,
}

impl<'a> ArchiveReport<'a> {
    /// Creates a report.
    pub fn new(warc: Option<&'a str>, pages: Vec<ArchiveRow<'a>>) -> Self {
        let count = |state| pages.iter().filter(|page| page.state == state).count();
        let summary = ArchiveCounts {
            live: pages.len(),
            archived: count(ArchiveRowState::Archived),
            saved: count(ArchiveRowState::Saved),
            missing: count(ArchiveRowState::Missing),
            unknown: count(ArchiveRowState::Unknown),
        };
        Self { schema: SCHEMA, command: "archive", warc, summary, pages }
    }

    /// Returns the report as text: every page without a copy, and the counts.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for page in &self.pages {
            // Writing to a string cannot fail.
            let _ = match page.state {
                ArchiveRowState::Missing => push_missing(&mut text, page),
                ArchiveRowState::Unknown => push_line(&mut text, "unknown", page),
                ArchiveRowState::Archived | ArchiveRowState::Saved => Ok(()),
            };
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&self.summary_line());
        text
    }

    /// Formats the counts of the report as one line.
    fn summary_line(&self) -> String {
        let ArchiveCounts { live, archived, saved, missing, unknown } = self.summary;
        let mut parts = vec![format!("{archived} archived")];
        for (count, name) in [(saved, "saved"), (missing, "without a copy"), (unknown, "unknown")] {
            if count > 0 {
                parts.push(format!("{count} {name}"));
            }
        }
        let warc = self.warc.map(|path| format!("; saved in `{}`", printable(path)));
        format!(
            "{}: {}{}\n",
            counted(live as u64, "live page"),
            parts.join(", "),
            warc.unwrap_or_default()
        )
    }
}

/// Appends a page without an archived copy.
fn push_missing(text: &mut String, page: &ArchiveRow<'_>) -> std::fmt::Result {
    let code = page.code.as_deref().unwrap_or_default();
    push_line(text, &format!("{code} at-risk"), page)
}

/// Appends a page and the first location of a link to it.
fn push_line(text: &mut String, label: &str, page: &ArchiveRow<'_>) -> std::fmt::Result {
    writeln!(text, "{label} · {}", printable(&page.url))?;
    if let Some(location) = page.locations.first() {
        let other_locations = match page.locations.len() - 1 {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        writeln!(text, "  --> {}{other_locations}", printable(location))?;
    }
    match page.reason {
        Some(reason) => writeln!(text, "  {}", printable(reason)),
        None => writeln!(text, "  no archive has a copy"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact;

    /// Creates the row of a page with two links.
    fn row(url: &str, state: ArchiveRowState) -> ArchiveRow<'_> {
        ArchiveRow {
            url: redact(url),
            state,
            code: (state == ArchiveRowState::Missing).then(|| "RL902".to_owned()),
            archive: None,
            captured_at: None,
            replay_url: None,
            reason: None,
            locations: vec!["a.md:3".to_owned(), "b.md:1".to_owned()],
        }
    }

    #[test]
    fn text_lists_pages_without_a_copy_and_counts_all() {
        let pages = vec![
            row("http://example.org/a", ArchiveRowState::Archived),
            row("http://example.org/b\u{1b}", ArchiveRowState::Missing),
            row("http://example.org/c", ArchiveRowState::Saved),
        ];
        assert_eq!(
            ArchiveReport::new(Some("out/x.warc.gz"), pages).to_text(),
            "RL902 at-risk · http://example.org/b␛\n  --> a.md:3 and 1 more\n  \
             no archive has a copy\n\n3 live pages: 1 archived, 1 saved, 1 without a copy; \
             saved in `out/x.warc.gz`\n"
        );
    }
}
