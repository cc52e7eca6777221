//! Formats findings as a compact list below titles: a file, a host or a code.

use relink_model::{FindingCode, Verdict};

use super::{TextStyle, counted, shown_prose, shown_url};

/// One line of a list of findings.
#[derive(Debug, Clone, Copy)]
pub struct ListedFinding<'a> {
    /// The code.
    pub code: Option<FindingCode>,
    /// The verdict.
    pub verdict: Verdict,
    /// The URL as written.
    pub url: &'a str,
    /// The reason.
    pub reason: &'a str,
    /// The location: `41:12` below its file, otherwise with the path.
    pub location: &'a str,
    /// The number of links.
    pub links: u64,
}

/// Formats the title of a group: `docs/a.md (3 links)`.
pub fn group_title(style: TextStyle, name: &str, links: u64) -> String {
    format!("\n{} ({})\n", style.strong(&shown_url(name)), counted(links, "link"))
}

/// Formats a finding as one line.
pub fn listed_finding(style: TextStyle, finding: &ListedFinding) -> String {
    let code = finding.code.map_or(String::new(), |code| format!("{code} "));
    let label = style.verdict(finding.verdict, &format!("{code}{}", finding.verdict));
    let link_count = match finding.links {
        0 | 1 => String::new(),
        links => format!(" ({})", counted(links, "link")),
    };
    let (location, url) = (shown_url(finding.location), shown_url(finding.url));
    format!("  {location}  {label} {url}: {}{link_count}\n", shown_prose(finding.reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_finding_is_one_printable_line() {
        let finding = ListedFinding {
            code: Some(FindingCode::new(101)),
            verdict: Verdict::Dead,
            url: "https://u:secret@example.org/\n\u{1b}[2J",
            reason: "404 in 2 attempts",
            location: "41:12",
            links: 3,
        };
        let text = listed_finding(TextStyle::Plain, &finding);
        assert!(text.starts_with("  41:12  RL101 dead https://***@example.org/"), "{text}");
        assert!(text.ends_with(": 404 in 2 attempts (3 links)\n"), "{text}");
        assert!(text.lines().count() == 1 && !text.contains('\u{1b}'), "{text:?}");
    }
}
