//! Messages about repairs: commit messages, and the body of a pull request.
//!
//! For each repair, both contain the old and the new URL, the finding, the source of the
//! new URL, and the locations of the link.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::fix::{FixRow, FixRowStatus};
use crate::human::counted;
use crate::printable;

/// The causes of repairs and their headings, in the order in which they are shown.
pub const REPAIR_CAUSES: [(&str, &str); 5] = [
    ("redirect", "Permanent redirects"),
    ("alias", "New locations of dead pages"),
    ("archived-copy", "Archived copies of dead pages"),
    ("not-found", "Dead links without a new URL"),
    ("back-to-life", "Pages that work again"),
];

/// Maximum length of the first line of a commit message.
const MAX_SUBJECT_LENGTH: usize = 72;
/// Maximum number of locations that are listed for a repair.
const MAX_LOCATIONS: usize = 20;

/// Returns the message of a commit with repairs of one cause and host.
pub fn commit_message(host: &str, rows: &[FixRow<'_>]) -> String {
    let mut message = subject(host, rows);
    message.push('\n');
    for repair in group_by_urls(rows) {
        // Writing to a string cannot fail.
        let _ = write!(message, "\n{}\n", printable(&repair.old_url));
        let _ = writeln!(message, "  -> {}", printable(&repair.new_url));
        let _ = writeln!(message, "  {}", printable(&repair.evidence));
        let _ = writeln!(message, "  in {}", repair.locations_text());
    }
    message
}

/// Returns the subject of a commit that contains these repairs.
fn subject(host: &str, rows: &[FixRow<'_>]) -> String {
    let verb = match rows.first().map(|row| (row.cause, row.style)) {
        Some(("alias", "beside")) => "Add new locations of dead links",
        Some(("archived-copy", "beside")) => "Add archived copies of dead links",
        Some(("not-found", _)) => "Mark dead links",
        Some(("back-to-life", _)) => "Restore links that work again",
        Some(("alias" | "archived-copy", _)) => "Replace dead links",
        _ => "Update redirected links",
    };
    let subject = format!("{verb} to {}", printable(host));
    if subject.chars().count() <= MAX_SUBJECT_LENGTH { subject } else { verb.to_owned() }
}

/// Returns the body of a pull request in Markdown. Repairs that are not written
/// are listed with the reason.
pub fn pull_request_body(rows: &[FixRow<'_>]) -> String {
    let rows_with = |status: FixRowStatus| -> Vec<FixRow<'_>> {
        rows.iter().filter(|row| row.status == status).cloned().collect()
    };
    let ready = rows_with(FixRowStatus::Ready);
    let files: std::collections::BTreeSet<&str> = ready.iter().map(|row| row.path).collect();
    let mut body = format!(
        "Repairs {} in {}.\n",
        counted(ready.len() as u64, "link"),
        counted(files.len() as u64, "file")
    );
    for (cause, title) in REPAIR_CAUSES {
        let rows: Vec<FixRow<'_>> =
            ready.iter().filter(|row| row.cause == cause).cloned().collect();
        push_table(&mut body, title, &rows);
    }
    push_table(&mut body, "Not repaired: needs a decision", &rows_with(FixRowStatus::NeedsReview));
    body
}

/// Appends a table of repairs, if there are any.
fn push_table(body: &mut String, title: &str, rows: &[FixRow<'_>]) {
    if rows.is_empty() {
        return;
    }
    let _ = write!(body, "\n## {title}\n\n| Old URL | New URL | Evidence | Used in |\n");
    body.push_str("|---|---|---|---|\n");
    for repair in group_by_urls(rows) {
        let _ = writeln!(
            body,
            "| {} | {} | {} | {} |",
            code_span(&repair.old_url),
            code_span(&repair.new_url),
            code_span(&repair.evidence),
            code_span(&repair.locations_text()),
        );
    }
}

/// Returns text as a code span in a table cell. Markup, links and `@names` of documents
/// have no effect in a code span.
fn code_span(text: &str) -> String {
    let text = printable(text).replace('`', "'").replace('|', "\\|");
    format!("`{text}`")
}

/// All links with one old and one new URL.
struct Repair {
    old_url: String,
    new_url: String,
    evidence: String,
    /// The locations as `PATH:LINE`.
    locations: Vec<String>,
}

impl Repair {
    /// Formats the first locations and the number of the others.
    fn locations_text(&self) -> String {
        let listed: Vec<&str> =
            self.locations.iter().take(MAX_LOCATIONS).map(String::as_str).collect();
        let mut text = listed.join(", ");
        let omitted = self.locations.len() - listed.len();
        if omitted > 0 {
            let _ = write!(text, " and {omitted} more");
        }
        printable(&text).into_owned()
    }
}

/// Groups rows with the same old and new URL.
fn group_by_urls(rows: &[FixRow<'_>]) -> impl Iterator<Item = Repair> {
    let mut repairs: BTreeMap<(String, String), Repair> = BTreeMap::new();
    for row in rows {
        let (old_url, new_url) = (row.old_url.to_string(), new_url_text(row));
        let repair = repairs.entry((old_url.clone(), new_url.clone())).or_insert_with(|| Repair {
            old_url,
            new_url,
            evidence: evidence_text(row),
            locations: Vec::new(),
        });
        repair.locations.push(format!("{}:{}", row.path, row.line));
    }
    repairs.into_values()
}

/// Returns the new URL, or `marked as dead` if there is none.
fn new_url_text(row: &FixRow<'_>) -> String {
    row.new_url.as_ref().map_or_else(|| "marked as dead".to_owned(), ToString::to_string)
}

/// Returns the finding and the source of the new URL.
fn evidence_text(row: &FixRow<'_>) -> String {
    let code = row.code.as_ref().map(|code| format!("{code} ")).unwrap_or_default();
    let reason = row.reason.as_ref().map(|reason| format!("; {reason}")).unwrap_or_default();
    let gaps = match row.copy_gaps.as_slice() {
        [] => String::new(),
        gaps => format!("; archived copy: {}", gaps.join(", ")),
    };
    let finding = row.finding.to_string();
    // Omit the source if the finding already names it, such as `permanent redirect`.
    let source =
        if finding.contains(&row.evidence) { String::new() } else { format!("; {}", row.evidence) };
    format!("{code}{finding}{source}{gaps}{reason}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact;

    /// Creates the row of a repair of the URL `old` in line 3 of a document.
    fn row<'a>(path: &'a str, old: &'a str, cause: &'static str) -> FixRow<'a> {
        FixRow {
            path,
            line: 3,
            column: 1,
            old_url: redact(old),
            new_url: Some(redact("https://example.org/new")),
            copy_gaps: Vec::new(),
            code: Some("RL101".into()),
            finding: redact("HTTP 404 twice"),
            cause,
            evidence: "new URL of the page, confidence 97%".into(),
            style: "beside",
            status: FixRowStatus::Ready,
            reason: None,
        }
    }

    #[test]
    fn commit_message_lists_each_pair_of_urls_once() {
        let old = "http://example.org/old";
        let rows = [row("a.md", old, "alias"), row("b.md", old, "alias")];
        assert_eq!(
            commit_message("example.org", &rows),
            "Add new locations of dead links to example.org\n\n\
             http://example.org/old\n  -> https://example.org/new\n  \
             RL101 HTTP 404 twice; new URL of the page, confidence 97%\n  in a.md:3, b.md:3\n"
        );
    }

    #[test]
    fn commit_message_omits_a_long_host() {
        let rows = [row("a.md", "http://example.org/old", "redirect")];
        let message = commit_message(&"a".repeat(60), &rows);
        assert!(message.starts_with("Update redirected links\n"), "{message}");
    }

    #[test]
    fn pull_request_body_contains_no_markup_of_documents() {
        let rows = [row("a|`b`\u{1b}.md", "http://example.org/x|y", "archived-copy")];
        let body = pull_request_body(&rows);
        assert!(body.starts_with("Repairs 1 link in 1 file.\n"), "{body}");
        let line = body.lines().last().unwrap();
        assert!(line.ends_with("| `a\\|'b'\u{241b}.md:3` |"), "{line}");
        assert!(line.contains("`http://example.org/x\\|y`"), "{line}");
    }

    #[test]
    fn commit_message_counts_locations_beyond_the_maximum() {
        let rows = vec![row("a.md", "http://example.org/old", "redirect"); 25];
        assert!(commit_message("example.org", &rows).contains("a.md:3 and 5 more\n"));
    }
}
