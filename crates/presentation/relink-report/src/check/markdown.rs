//! Markdown: the body of an issue that is updated by each run, or of a job summary.
//!
//! Each finding has a stable id in an HTML comment, so that a program can compare two
//! versions of the issue.

use std::fmt::Write as _;

use super::{BrokenLink, CheckCause, CheckReport};
use crate::human::{counted, grouped};

/// Maximum number of links listed. GitHub rejects bodies of more than 65,536
/// characters.
const MAX_LINKS: usize = 200;

/// Maximum size of the text with the listed links, in bytes.
const MAX_BYTES: usize = 60_000;

/// Renders a report as Markdown.
pub fn markdown(report: &CheckReport) -> String {
    let mut text = String::from("<!-- relink -->\n## Broken links\n\n");
    let (links, files) = (counted(report.links, "link"), counted(report.documents, "file"));
    // Known links are exempted by `--since`, `--baseline` or `--accept`.
    let new_count = report.broken_links.iter().filter(|link| !link.is_known).count() as u64;
    let _ = writeln!(text, "{links} in {files} checked, {} broken.\n", grouped(new_count));
    for notice in &report.notices {
        let _ = writeln!(text, "> {}\n", escape(notice));
    }
    if !report.causes.is_empty() {
        text.push_str("| Cause | | Links |\n|---|---|---:|\n");
        for cause in report.causes.iter().take(MAX_LINKS) {
            text.push_str(&cause_row(cause));
        }
        text.push('\n');
    }
    let (known, new): (Vec<_>, Vec<_>) = report.broken_links.iter().partition(|link| link.is_known);
    push_links(&mut text, "### Links", &new);
    push_links(&mut text, "### Known links", &known);
    if let Some(gate) = &report.gate {
        text.push_str(&escape(&gate.footer()));
        text.push('\n');
    }
    text
}

/// Formats a cause as a table row.
fn cause_row(cause: &CheckCause) -> String {
    let code = cause.code.map_or(String::new(), |code| format!("{code} "));
    format!(
        "| {code}{} {} | {}: {} | {} |\n",
        cause.verdict,
        code_span(&cause.name),
        escape(&cause.description),
        escape(&cause.reason),
        grouped(cause.links)
    )
}

/// Appends a section with a list of links, if there are any.
fn push_links(text: &mut String, title: &str, links: &[&BrokenLink]) {
    if links.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}\n");
    let mut shown = 0;
    for link in links.iter().take(MAX_LINKS) {
        let line = link_line(link);
        if text.len() + line.len() > MAX_BYTES {
            break;
        }
        text.push_str(&line);
        shown += 1;
    }
    if shown < links.len() {
        let _ = writeln!(text, "\n… and {} more", grouped((links.len() - shown) as u64));
    }
    text.push('\n');
}

/// Formats a link as a list entry.
fn link_line(link: &BrokenLink) -> String {
    let location = format!("{}:{}", link.path, link.line);
    format!(
        "- {} {} in {}: {} <!-- {} -->\n",
        link.label(),
        code_span(&link.url),
        code_span(&location),
        escape(&link.reason),
        link.id
    )
}

/// Returns a code span that is also valid in a table. Backquotes and pipes are
/// replaced by their percent-encoding, which means the same in a URL.
fn code_span(text: &str) -> String {
    let text = text.replace('`', "%60").replace('|', "%7C").replace('\n', " ");
    format!("`{text}`")
}

/// Escapes the syntax of Markdown, HTML and mentions.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.trim_end().chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '@' | '#' => {
                escaped.push(character);
                // Add a word joiner (U+2060), so that GitHub does not link `@name` and `#1`.
                escaped.push('\u{2060}');
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '(' | ')' | '|' | '!' | '>' | '~' => {
                escaped.extend(['\\', character]);
            }
            '\n' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_safe, report};
    use super::*;

    #[test]
    fn markdown_lists_causes_links_and_ids() {
        let text = markdown(&report());
        assert!(text.contains("12 links in 3 files checked, 2 broken."), "{text}");
        assert!(text.contains("| RL101 dead `https://example.org/gone` |"), "{text}");
        let id = report().broken_links[0].id;
        assert!(text.contains(&format!("<!-- {id} -->")), "{text}");
        assert!(text.contains("### Known links"), "{text}");
    }

    #[test]
    fn markdown_writes_hostile_text_in_one_code_span() {
        let text = markdown(&report());
        check_safe(&text);
        let line = text.lines().find(|line| line.contains("docs/c.md")).unwrap();
        // Two code spans: the URL and the location.
        assert_eq!(line.matches('`').count(), 4, "{line}");
        assert_eq!(text.lines().filter(|line| line.contains("docs/c.md")).count(), 1);
    }

    #[test]
    fn escape_disables_markdown_html_and_mentions() {
        assert_eq!(
            escape("@all see [x](y) <b> #1"),
            "@\u{2060}all see \\[x\\]\\(y\\) &lt;b\\> #\u{2060}1"
        );
    }

    #[test]
    fn markdown_of_many_links_has_a_maximum_size() {
        let mut large_report = report();
        large_report.broken_links = vec![large_report.broken_links[0].clone(); 5000];
        let text = markdown(&large_report);
        assert!(text.len() < 65_536 && text.contains("… and "), "{}", text.len());
    }
}
