//! Formats the search result for a dead page.
//!
//! An *alias* is a live URL of the same page. A *pattern* is a learned rule by which the
//! URLs of a directory changed. A *replacement* is a page of another site with the same or
//! similar text.

use jiff::Timestamp;
use relink_model::{Confidence, Similarity};

use super::{TextStyle, shown_prose, shown_url};

/// Maximum number of listed rejected copies. The others are counted.
const MAX_REJECTED: usize = 3;

/// Width of the label column; `candidate` is the longest label.
const LABEL_COLUMNS: usize = 9;

/// The search result for a dead page, with all text borrowed.
#[derive(Debug, Clone, Copy)]
pub struct RevivalView<'a> {
    /// The URL of the dead page.
    pub url: &'a str,
    /// The new URL of the page.
    pub alias: Option<AliasView<'a>>,
    /// The capture time and the URL of the best archived copy.
    pub archived: Option<(Timestamp, &'a str)>,
    /// The capture times of rejected copies, with the reason.
    pub rejected_copies: &'a [(Timestamp, String)],
    /// Pages of other sites with the content of the dead page, most similar first.
    pub replacements: &'a [ReplacementView],
    /// Pages of the site that resemble the dead page, below the confidence threshold.
    pub other_candidates: &'a [(String, Confidence)],
    /// The reasons why there is no alias.
    pub reasons: &'a [String],
    /// Services that could not be queried.
    pub warnings: &'a [String],
    /// The time of the search.
    pub searched_at: Timestamp,
}

/// An alias with its evidence.
#[derive(Debug, Clone, Copy)]
pub struct AliasView<'a> {
    /// The URL.
    pub url: &'a str,
    /// The confidence.
    pub confidence: Confidence,
    /// The method that found the alias.
    pub method: &'a str,
    /// The id of the pattern that produced the alias.
    pub pattern: Option<i64>,
    /// The evidence.
    pub evidence: &'a [String],
}

/// A page of another site with the content of the dead one.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplacementView {
    /// The URL.
    pub url: String,
    /// The similarity to the dead page.
    pub similarity: Similarity,
    /// The share of the text of both pages that they have in common.
    pub resemblance: f64,
    /// The archived copy that the page was compared with.
    pub reason: String,
    /// The search engine that returned the page.
    pub engine: String,
}

/// Formats a search result, starting with the URL of the dead page.
pub fn revival(style: TextStyle, view: &RevivalView<'_>) -> String {
    format!("{}\n{}", shown_url(view.url), revival_lines(style, view))
}

/// Formats a search result without the URL of the dead page.
pub(crate) fn revival_lines(style: TextStyle, view: &RevivalView<'_>) -> String {
    let mut text = String::new();
    match &view.alias {
        Some(alias) => text += &alias_lines(style, alias),
        None => text += &no_alias_lines(view),
    }
    text += &archive_lines(view);
    for replacement in view.replacements {
        text += &replacement_lines(replacement);
    }
    if !view.other_candidates.is_empty() {
        let others: Vec<String> = view
            .other_candidates
            .iter()
            .map(|(url, confidence)| format!("{} ({confidence})", shown_url(url)))
            .collect();
        text += &labeled_line("candidate", &others.join(", "));
    }
    for warning in view.warnings {
        text += &labeled_line("warning", &shown_prose(warning));
    }
    text
}

/// Formats the suggestions for a dead link, one per line. Returns no lines if
/// nothing was found.
pub(crate) fn suggestions(view: &RevivalView<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(alias) = &view.alias {
        let pattern = alias.pattern.map(|id| format!(", pattern P{id}")).unwrap_or_default();
        let url = shown_url(alias.url);
        lines.push(format!("new URL: {url}   (alias, {}{pattern})", alias.confidence));
    }
    if let Some((captured_at, url)) = &view.archived {
        let day = captured_at.strftime("%Y-%m-%d");
        lines.push(format!("archived copy {day}: {}", shown_url(url)));
    }
    if let Some(replacement) = view.replacements.first() {
        let (url, similarity) = (shown_url(&replacement.url), replacement.similarity);
        lines.push(if similarity.is_mirror() {
            format!("copy on another site: {url}   ({similarity}, not an alias)")
        } else {
            format!("similar page on another site: {url}")
        });
    }
    lines
}

/// Formats a replacement. The text distinguishes replacements from aliases.
fn replacement_lines(replacement: &ReplacementView) -> String {
    let label = if replacement.similarity.is_mirror() { "mirror" } else { "similar" };
    let (url, reason) = (shown_url(&replacement.url), shown_prose(&replacement.reason));
    labeled_line(label, &format!("{url}   on another site")) + &labeled_line("", &reason)
}

/// Formats an alias with its evidence.
fn alias_lines(style: TextStyle, alias: &AliasView<'_>) -> String {
    let url = style.strong(&shown_url(alias.url));
    let pattern = alias.pattern.map(|id| format!("   pattern P{id}")).unwrap_or_default();
    let mut text = labeled_line("alias", &format!("{url}   {}{pattern}", alias.confidence));
    for note in alias.evidence {
        text += &labeled_line("", &shown_prose(note));
    }
    text
}

/// Formats the reasons why there is no alias.
fn no_alias_lines(view: &RevivalView<'_>) -> String {
    let mut reasons = view.reasons.iter();
    let first = reasons.next().map_or("nothing found", String::as_str);
    let mut text = labeled_line("alias", &format!("none: {}", shown_prose(first)));
    for reason in reasons {
        text += &labeled_line("", &shown_prose(reason));
    }
    text
}

/// Formats the archived copies that were accepted or rejected.
fn archive_lines(view: &RevivalView<'_>) -> String {
    let day = |time: &Timestamp| time.strftime("%Y-%m-%d").to_string();
    let mut copies = Vec::new();
    if let Some((captured_at, url)) = &view.archived {
        copies.push(format!("{} good copy {}", day(captured_at), shown_url(url)));
    }
    for (captured_at, reason) in view.rejected_copies.iter().take(MAX_REJECTED) {
        copies.push(format!("{} {} (rejected)", day(captured_at), shown_prose(reason)));
    }
    let omitted = view.rejected_copies.len().saturating_sub(MAX_REJECTED);
    if omitted > 0 {
        copies.push(format!("{omitted} more rejected"));
    }
    // Only the first line has the label.
    let labels = ["archive"].into_iter().chain(std::iter::repeat(""));
    labels.zip(&copies).map(|(label, copy)| labeled_line(label, copy)).collect()
}

/// Formats one line after a label, which may be empty.
fn labeled_line(label: &str, text: &str) -> String {
    format!("  {label:<LABEL_COLUMNS$} {text}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revival_lists_alias_evidence_and_copies() {
        let evidence = ["37 of 37 known pages of example.org/guide/ moved in this way".to_owned()];
        let rejected = [("2025-08-30T00:00:00Z".parse().unwrap(), "redirect to /404".to_owned())];
        let captured_at: Timestamp = "2024-02-11T08:00:00Z".parse().unwrap();
        let view = RevivalView {
            url: "https://example.org/guide/setup",
            alias: Some(AliasView {
                url: "https://docs.example.org/setup",
                confidence: Confidence::from_percent(97),
                method: "inference",
                pattern: Some(14),
                evidence: &evidence,
            }),
            archived: Some((captured_at, "https://archive.test/1")),
            rejected_copies: &rejected,
            replacements: &[],
            other_candidates: &[],
            reasons: &[],
            warnings: &[],
            searched_at: captured_at,
        };
        assert_eq!(
            revival(TextStyle::Plain, &view),
            "https://example.org/guide/setup\n\
             \u{20} alias     https://docs.example.org/setup   0.97   pattern P14\n\
             \u{20}           37 of 37 known pages of example.org/guide/ moved in this way\n\
             \u{20} archive   2024-02-11 good copy https://archive.test/1\n\
             \u{20}           2025-08-30 redirect to /404 (rejected)\n"
        );
    }

    #[test]
    fn revival_labels_replacements_as_mirror_or_similar() {
        let mirror = crate::suggestion::tests::replacement(Similarity::Identical);
        let similar = crate::suggestion::tests::replacement(Similarity::Similar);
        let replacements = [mirror, similar];
        let nothing = crate::suggestion::tests::nothing();
        let view = RevivalView { replacements: &replacements, ..nothing };
        assert_eq!(
            revival_lines(TextStyle::Plain, &view),
            "\u{20} alias     none: nothing found\n\
             \u{20} mirror    https://mirror.test/a   on another site\n\
             \u{20}           same text as the copy of 2021-03-02\n\
             \u{20} similar   https://mirror.test/a   on another site\n\
             \u{20}           same text as the copy of 2021-03-02\n"
        );
        let line = "copy on another site: https://mirror.test/a   (identical, not an alias)";
        assert_eq!(suggestions(&view), [line]);
        let view = RevivalView { replacements: &replacements[1..], ..nothing };
        let line = "similar page on another site: https://mirror.test/a";
        assert_eq!(suggestions(&view), [line]);
    }

    #[test]
    fn suggestions_are_one_line_each() {
        let view = crate::suggestion::tests::found(&[]);
        assert_eq!(
            suggestions(&view),
            [
                "new URL: https://***@example.org/b   (alias, 0.97, pattern P14)",
                "archived copy 1970-01-01: https://archive.test/1"
            ]
        );
        assert!(suggestions(&crate::suggestion::tests::nothing()).is_empty());
    }
}
