//! Formats one finding as a block of lines.
//!
//! A control is a URL that was fetched only for comparison, such as a random name.

use relink_model::{Confidence, Evidence, FindingCode, Verdict};

use super::{
    RevivalView, Snippet, TextStyle, compared, grouped, shown_prose, shown_url, suggestions,
};
use crate::LocationView;

/// Maximum number of listed locations. The others are counted.
const MAX_LOCATIONS: usize = 3;

/// Maximum number of comparisons; `relink explain URL` shows all of them.
const MAX_COMPARISONS: usize = 2;

/// A finding, with all text borrowed.
#[derive(Debug, Clone, Copy)]
pub struct FindingView<'a> {
    /// The code.
    pub code: Option<FindingCode>,
    /// The verdict.
    pub verdict: Verdict,
    /// The URL as its first link writes it.
    pub url: &'a str,
    /// The reason for the verdict.
    pub reason: &'a str,
    /// The confidence of the verdict.
    pub confidence: Confidence,
    /// The evidence in addition to the attempts.
    pub evidence: &'a [Evidence],
    /// The first locations of the links to the URL.
    pub locations: &'a [LocationView<'a>],
    /// The total number of links to the URL.
    pub links: u64,
    /// The line of the first location, if it could be read.
    pub snippet: Option<&'a Snippet>,
    /// The advice.
    pub help: Option<&'a str>,
    /// The result of a search for the page. Suggestions replace the advice.
    pub revival: Option<&'a RevivalView<'a>>,
}

/// Formats a finding: URL, location, reason and advice.
pub fn finding(style: TextStyle, view: &FindingView) -> String {
    let reason = format!("{}{}", shown_prose(view.reason), confidence_note(view));
    let body = match (view.locations, view.snippet) {
        ([], _) => reason_line(style, &reason),
        ([only], None) => format!("{} {}   {reason}\n", style.quiet("  -->"), location_text(only)),
        ([first, others @ ..], None) => {
            location_line(style, first, others, view.links) + &reason_line(style, &reason)
        }
        ([first, others @ ..], Some(snippet)) => {
            let caret = |carets: &str| style.verdict(view.verdict, carets);
            location_line(style, first, others, view.links) + &snippet.lines(style, caret, &reason)
        }
    };
    title(style, view) + &body + &comparisons(style, view) + &help_lines(style, view)
}

/// Formats the first line: code, verdict and URL.
fn title(style: TextStyle, view: &FindingView) -> String {
    let code = view.code.map_or(String::new(), |code| format!("{code} "));
    let label = style.verdict(view.verdict, &format!("{code}{}", view.verdict));
    format!("{label} · {}\n", style.strong(&shown_url(view.url)))
}

/// Formats the confidence of a verdict that is based on page content. Verdicts
/// based on a status are printed without it.
fn confidence_note(view: &FindingView) -> String {
    let is_content_based = match view.verdict {
        Verdict::Soft404 | Verdict::Hijacked | Verdict::Drifted => true,
        // A blocked page is detected by its status or by its content. Only detection by
        // content has evidence.
        Verdict::Blocked => !view.evidence.is_empty(),
        _ => false,
    };
    if is_content_based && view.confidence < Confidence::CERTAIN {
        return format!(" (confidence {})", view.confidence);
    }
    String::new()
}

/// Lists the controls that a soft-404 or hijacked page was compared with.
fn comparisons(style: TextStyle, view: &FindingView) -> String {
    if !matches!(view.verdict, Verdict::Soft404 | Verdict::Hijacked) {
        return String::new();
    }
    let comparisons =
        view.evidence.iter().filter_map(|evidence| Some((evidence, evidence.control.as_ref()?)));
    let mut text = String::new();
    for (evidence, control) in comparisons.take(MAX_COMPARISONS) {
        let line = compared(&shown_url(&control.url), control, evidence.resemblance);
        text += &reason_line(style, &line);
    }
    text
}

/// Formats the first location, and the number of others.
fn location_line(
    style: TextStyle,
    first: &LocationView,
    others: &[LocationView],
    links: u64,
) -> String {
    let arrow = style.quiet("  -->");
    let other_locations = other_locations(others, links.saturating_sub(1));
    format!("{arrow} {}{other_locations}\n", location_text(first))
}

/// Formats a reason on a line of its own.
pub(super) fn reason_line(style: TextStyle, reason: &str) -> String {
    format!("{}  {reason}\n", style.quiet("   ="))
}

/// Formats the suggestions, or the advice if there are none.
fn help_lines(style: TextStyle, view: &FindingView) -> String {
    let suggestions = view.revival.map(suggestions).unwrap_or_default();
    let lines = if suggestions.is_empty() {
        view.help.map(shown_prose).into_iter().collect()
    } else {
        suggestions
    };
    let label = style.help("help:");
    lines.iter().flat_map(|line| [&label, " ", line, "\n"]).collect()
}

/// Formats the locations after the first one; `links` is their total number.
fn other_locations(others: &[LocationView], links: u64) -> String {
    if others.is_empty() {
        return String::new();
    }
    format!("        also {}", location_list(others, links))
}

/// Lists the first locations and the number of the others. `links` is the total number of links,
/// also of those without a loaded location.
pub(crate) fn location_list(locations: &[LocationView], links: u64) -> String {
    let listed: Vec<String> = locations.iter().take(MAX_LOCATIONS).map(location_text).collect();
    let total = links.max(locations.len() as u64);
    let others = match total.saturating_sub(listed.len() as u64) {
        0 => String::new(),
        count => format!(" and {} more", grouped(count)),
    };
    format!("{}{others}", listed.join(", "))
}

/// Formats a location: `path:line:column`.
fn location_text(view: &LocationView) -> String {
    let path = shown_url(view.path);
    format!("{path}:{}:{}", view.location.line, view.location.column)
}
