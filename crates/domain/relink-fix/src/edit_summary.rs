//! The summary of an edit of a wiki page.

use std::fmt::Write as _;

/// Maximum number of characters of a summary in MediaWiki.
const MAX_LENGTH: usize = 500;

/// A repaired link in a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryLink {
    /// The URL of the link.
    pub old_url: String,
    /// The new URL.
    pub new_url: String,
    /// The reason for the repair and the source of the new URL.
    pub evidence: String,
}

/// Returns the summary: an introduction and one part per link. Links that exceed the maximum
/// length are only counted.
pub fn edit_summary(introduction: &str, links: &[SummaryLink]) -> String {
    let mut summary = introduction.trim().to_owned();
    for (index, link) in links.iter().enumerate() {
        let SummaryLink { old_url, new_url, evidence } = link;
        let separator = if index == 0 { ": " } else { "; " };
        let link_text = format!("{separator}{old_url} \u{2192} {new_url} ({evidence})");
        // Leave room for the number of further links.
        let remaining = links.len() - index - 1;
        let more = if remaining > 0 { format!(" and {remaining} more") } else { String::new() };
        let length = |text: &str| text.chars().count();
        if length(&summary) + length(&link_text) + length(&more) > MAX_LENGTH {
            let count = links.len() - index;
            // Writing to a string cannot fail.
            let _ = write!(summary, " and {count} more");
            break;
        }
        summary.push_str(&link_text);
    }
    summary.chars().filter(|letter| !letter.is_control()).take(MAX_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a link whose old URL has a path of this length.
    fn link(length: usize) -> SummaryLink {
        SummaryLink {
            old_url: format!("http://a.test/{}", "x".repeat(length)),
            new_url: "https://a.test/new".to_owned(),
            evidence: "404".to_owned(),
        }
    }

    #[test]
    fn summary_names_the_links_and_the_evidence() {
        let summary = edit_summary("Repair links", &[link(1), link(2)]);
        assert_eq!(
            summary,
            "Repair links: http://a.test/x \u{2192} https://a.test/new (404); http://a.test/xx \
             \u{2192} https://a.test/new (404)"
        );
    }

    #[test]
    fn long_summary_counts_the_other_links() {
        let summary = edit_summary("Repair links", &[link(200), link(200), link(200)]);
        assert!(summary.chars().count() <= MAX_LENGTH, "{summary}");
        assert!(summary.ends_with("and 2 more"), "{summary}");
        assert!(edit_summary("Repair links", &[link(600)]).ends_with("and 1 more"));
    }
}
