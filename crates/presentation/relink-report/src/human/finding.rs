//! One finding as a block of lines.

use relink_model::{Confidence, Evidence, FindingCode, Verdict};

use super::{
    RevivalView, Snippet, TextStyle, compared, grouped, shown_prose, shown_url, suggestions,
};
use crate::LocationView;

/// How many places are named before they are only counted.
const PLACES_NAMED: usize = 3;

/// How many comparisons are shown; `relink explain URL` shows them all.
const COMPARISONS_SHOWN: usize = 2;

/// A finding to show.
#[derive(Debug, Clone, Copy)]
pub struct FindingView<'a> {
    /// The code.
    pub code: Option<FindingCode>,
    /// What the reader is told.
    pub verdict: Verdict,
    /// The URL as its first link writes it.
    pub url: &'a str,
    /// The reason in plain words.
    pub reason: &'a str,
    /// How sure it is.
    pub confidence: Confidence,
    /// What it rests on beside the looks.
    pub evidence: &'a [Evidence],
    /// The first places that name it; the very first is shown in full.
    pub locations: &'a [LocationView<'a>],
    /// How many links name it in all.
    pub links: u64,
    /// The line of the first place, where it could be read.
    pub snippet: Option<&'a Snippet>,
    /// What to do about it.
    pub help: Option<&'a str>,
    /// What came of looking for the page; what was found is the better help.
    pub revival: Option<&'a RevivalView<'a>>,
}

/// Draws a finding: what, where, why and what to do.
pub fn finding(paint: TextStyle, view: &FindingView) -> String {
    let reason = format!("{}{}", shown_prose(view.reason), confidence(view));
    let body = match (view.locations, view.snippet) {
        ([], _) => reason_line(paint, &reason),
        ([only], None) => format!("{} {}   {reason}\n", paint.quiet("  -->"), spot(only)),
        ([first, others @ ..], None) => {
            place_line(paint, first, others, view.links) + &reason_line(paint, &reason)
        }
        ([first, others @ ..], Some(snippet)) => {
            let caret = |carets: &str| paint.word(view.verdict, carets);
            place_line(paint, first, others, view.links) + &snippet.lines(paint, caret, &reason)
        }
    };
    title(paint, view) + &body + &comparisons(paint, view) + &help_lines(paint, view)
}

fn title(paint: TextStyle, view: &FindingView) -> String {
    let code = view.code.map_or(String::new(), |code| format!("{code} "));
    let label = paint.word(view.verdict, &format!("{code}{}", view.verdict));
    format!("{label} · {}\n", paint.strong(&shown_url(view.url)))
}

/// How sure a judgment is that rests on what a page shows. A status speaks for
/// itself.
fn confidence(view: &FindingView) -> String {
    let rests_on_content = match view.verdict {
        Verdict::Soft404 | Verdict::Hijacked | Verdict::Drifted => true,
        // A wall is told by its status or by its content; only the latter needs
        // grounds.
        Verdict::Blocked => !view.evidence.is_empty(),
        _ => false,
    };
    if rests_on_content && view.confidence < Confidence::CERTAIN {
        return format!(" (confidence {})", view.confidence);
    }
    String::new()
}

/// The pages that gave a lying answer away.
fn comparisons(paint: TextStyle, view: &FindingView) -> String {
    if !matches!(view.verdict, Verdict::Soft404 | Verdict::Hijacked) {
        return String::new();
    }
    let seen = view.evidence.iter().filter_map(|ground| Some((ground, ground.control.as_ref()?)));
    seen.take(COMPARISONS_SHOWN)
        .map(|(ground, control)| compared(&shown_url(&control.url), control, ground.resemblance))
        .map(|line| reason_line(paint, &line))
        .collect()
}

fn place_line(
    paint: TextStyle,
    first: &LocationView,
    others: &[LocationView],
    links: u64,
) -> String {
    let arrow = paint.quiet("  -->");
    let also = also(others, links.saturating_sub(1));
    format!("{arrow} {}{also}\n", spot(first))
}

fn reason_line(paint: TextStyle, reason: &str) -> String {
    format!("{}  {reason}\n", paint.quiet("   ="))
}

fn help_lines(paint: TextStyle, view: &FindingView) -> String {
    let found = view.revival.map(suggestions).unwrap_or_default();
    let lines =
        if found.is_empty() { view.help.map(shown_prose).into_iter().collect() } else { found };
    let label = paint.help("help:");
    lines.iter().flat_map(|line| [&label, " ", line, "\n"]).collect()
}

fn also(others: &[LocationView], links: u64) -> String {
    if others.is_empty() {
        return String::new();
    }
    format!("        also {}", spots(others, links))
}

/// The first places by name, the others of `links` in all counted.
pub(crate) fn spots(places: &[LocationView], links: u64) -> String {
    let named: Vec<String> = places.iter().take(PLACES_NAMED).map(spot).collect();
    let all = links.max(places.len() as u64);
    let more = match all.saturating_sub(named.len() as u64) {
        0 => String::new(),
        unnamed => format!(" and {} more", grouped(unnamed)),
    };
    format!("{}{more}", named.join(", "))
}

fn spot(view: &LocationView) -> String {
    let path = shown_url(view.path);
    format!("{path}:{}:{}", view.location.line, view.location.column)
}
