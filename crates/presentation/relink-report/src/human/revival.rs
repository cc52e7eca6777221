//! Where a dead page went, for people at a terminal.

use std::fmt::Write as _;

use jiff::Timestamp;
use relink_model::{Confidence, Similarity};

use super::{TextStyle, shown_prose, shown_url};

/// Copies that were passed over and are named.
const PASSED_OVER: usize = 3;

/// What came of looking for a dead page, borrowed from wherever it is kept.
#[derive(Debug, Clone, Copy)]
pub struct RevivalView<'a> {
    /// The dead page.
    pub url: &'a str,
    /// Where it lives now.
    pub alias: Option<AliasView<'a>>,
    /// The best archived copy: when it was taken, and where it can be read.
    pub archived: Option<(Timestamp, &'a str)>,
    /// Copies that were looked at and are none of the page, and why.
    pub passed_over: &'a [(Timestamp, String)],
    /// Pages of other sites that have its content, the likest first.
    pub replacements: &'a [ReplacementView],
    /// Pages that are like it.
    pub others: &'a [(String, Confidence)],
    /// Why there is no alias, in plain words.
    pub reasons: &'a [String],
    /// What could not be asked.
    pub remarks: &'a [String],
    /// When it was looked for.
    pub tried: Timestamp,
}

/// An alias with what it rests on.
#[derive(Debug, Clone, Copy)]
pub struct AliasView<'a> {
    /// The address.
    pub url: &'a str,
    /// How sure it is.
    pub confidence: Confidence,
    /// By which way it was found.
    pub method: &'a str,
    /// The pattern that led to it, as people name it.
    pub pattern: Option<i64>,
    /// What it rests on, in plain words.
    pub evidence: &'a [String],
}

/// A page of another site with the content of the dead one.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplacementView {
    /// Its address.
    pub url: String,
    /// How like the dead page it is.
    pub similarity: Similarity,
    /// The share of the text of both that both have.
    pub share: f64,
    /// What it was compared with, in plain words.
    pub reason: String,
    /// The search engine that named it.
    pub engine: String,
}

/// The block that tells where a dead page went.
pub fn revival(paint: TextStyle, view: &RevivalView<'_>) -> String {
    format!("{}\n{}", shown_url(view.url), revival_lines(paint, view))
}

/// The lines of that block below the address.
pub(crate) fn revival_lines(paint: TextStyle, view: &RevivalView<'_>) -> String {
    let mut text = String::new();
    match &view.alias {
        Some(alias) => text += &alias_lines(paint, alias),
        None => text += &no_alias_lines(view),
    }
    text += &archive_line(view);
    for replacement in view.replacements {
        text += &replacement_lines(replacement);
    }
    if !view.others.is_empty() {
        let others: Vec<String> = view
            .others
            .iter()
            .map(|(url, confidence)| format!("{} ({confidence})", shown_url(url)))
            .collect();
        let _ = writeln!(text, "  other    {}", others.join(", "));
    }
    for remark in view.remarks {
        let _ = writeln!(text, "  note     {}", shown_prose(remark));
    }
    text
}

/// What to write in place of a dead address, a line each; none if nothing was
/// found.
pub(crate) fn suggestions(view: &RevivalView<'_>) -> Vec<String> {
    let alias = view.alias.as_ref().map(|alias| {
        let pattern = alias.pattern.map(|id| format!(", pattern P{id}")).unwrap_or_default();
        let url = shown_url(alias.url);
        format!("page lives at {url}   (alias, {}{pattern})", alias.confidence)
    });
    let copy = view.archived.as_ref().map(|(taken, address)| {
        format!("archived copy {}: {}", taken.strftime("%Y-%m-%d"), shown_url(address))
    });
    let replacement = view.replacements.first().map(|found| {
        let (url, likeness) = (shown_url(&found.url), found.similarity);
        if likeness.is_mirror() {
            format!("copy on another site: {url}   ({likeness}, no alias)")
        } else {
            format!("could replace it: {url}   (similar, on another site)")
        }
    });
    alias.into_iter().chain(copy).chain(replacement).collect()
}

/// A page elsewhere is told by what it is, never as an alias.
fn replacement_lines(found: &ReplacementView) -> String {
    let (label, what) = if found.similarity.is_mirror() {
        ("mirror", "on another site")
    } else {
        ("similar", "on another site, could replace it")
    };
    let (url, reason) = (shown_url(&found.url), shown_prose(&found.reason));
    format!("  {label:<8} {url}   {what}\n           {reason}\n")
}

fn alias_lines(paint: TextStyle, alias: &AliasView<'_>) -> String {
    let url = paint.strong(&shown_url(alias.url));
    let pattern = alias.pattern.map(|id| format!("   pattern P{id}")).unwrap_or_default();
    let mut text = format!("  alias    {url}   {}{pattern}\n", alias.confidence);
    for note in alias.evidence {
        let _ = writeln!(text, "           {}", shown_prose(note));
    }
    text
}

fn no_alias_lines(view: &RevivalView<'_>) -> String {
    let mut lines = view.reasons.iter();
    let first = lines.next().map_or("nothing was found", String::as_str);
    let mut text = format!("  alias    none: {}\n", shown_prose(first));
    for reason in lines {
        let _ = writeln!(text, "           {}", shown_prose(reason));
    }
    text
}

fn archive_line(view: &RevivalView<'_>) -> String {
    let day = |moment: &Timestamp| moment.strftime("%Y-%m-%d").to_string();
    let mut parts = Vec::new();
    if let Some((taken, address)) = &view.archived {
        parts.push(format!("{} good copy {}", day(taken), shown_url(address)));
    }
    for (taken, reason) in view.passed_over.iter().take(PASSED_OVER) {
        parts.push(format!("{} {} (ignored)", day(taken), shown_prose(reason)));
    }
    let more = view.passed_over.len().saturating_sub(PASSED_OVER);
    if more > 0 {
        parts.push(format!("{more} more ignored"));
    }
    if parts.is_empty() {
        return String::new();
    }
    format!("  archive  {}\n", parts.join("\n           "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_told_with_what_it_rests_on() {
        let evidence = ["37 of 37 known pages of example.org/guide/ moved in this way".to_owned()];
        let passed_over =
            [("2025-08-30T00:00:00Z".parse().unwrap(), "redirect to /404".to_owned())];
        let taken: Timestamp = "2024-02-11T08:00:00Z".parse().unwrap();
        let view = RevivalView {
            url: "https://example.org/guide/setup",
            alias: Some(AliasView {
                url: "https://docs.example.org/setup",
                confidence: Confidence::percent(97),
                method: "inference",
                pattern: Some(14),
                evidence: &evidence,
            }),
            archived: Some((taken, "https://archive.test/1")),
            passed_over: &passed_over,
            replacements: &[],
            others: &[],
            reasons: &[],
            remarks: &[],
            tried: taken,
        };
        assert_eq!(
            revival(TextStyle::Plain, &view),
            "https://example.org/guide/setup\n\
             \u{20} alias    https://docs.example.org/setup   0.97   pattern P14\n\
             \u{20}          37 of 37 known pages of example.org/guide/ moved in this way\n\
             \u{20} archive  2024-02-11 good copy https://archive.test/1\n\
             \u{20}          2025-08-30 redirect to /404 (ignored)\n"
        );
    }

    #[test]
    fn a_page_elsewhere_is_told_by_what_it_is() {
        let mirror = crate::suggestion::tests::replacement(Similarity::Identical);
        let similar = crate::suggestion::tests::replacement(Similarity::Similar);
        let replacements = [mirror, similar];
        let nothing = crate::suggestion::tests::nothing();
        let view = RevivalView { replacements: &replacements, ..nothing };
        assert_eq!(
            revival_lines(TextStyle::Plain, &view),
            "\u{20} alias    none: nothing was found\n\
             \u{20} mirror   https://mirror.test/a   on another site\n\
             \u{20}          its text is that of the copy of 2021-03-02\n\
             \u{20} similar  https://mirror.test/a   on another site, could replace it\n\
             \u{20}          its text is that of the copy of 2021-03-02\n"
        );
        let line = "copy on another site: https://mirror.test/a   (identical, no alias)";
        assert_eq!(suggestions(&view), [line]);
        let view = RevivalView { replacements: &replacements[1..], ..nothing };
        let line = "could replace it: https://mirror.test/a   (similar, on another site)";
        assert_eq!(suggestions(&view), [line]);
    }

    #[test]
    fn a_suggestion_is_one_line() {
        let view = crate::suggestion::tests::found(&[]);
        assert_eq!(
            suggestions(&view),
            [
                "page lives at https://***@example.org/b   (alias, 0.97, pattern P14)",
                "archived copy 1970-01-01: https://archive.test/1"
            ]
        );
        assert!(suggestions(&crate::suggestion::tests::nothing()).is_empty());
    }
}
