//! One finding as a block of lines.

use relink_model::{Code, Word};

use super::{Paint, Snippet, grouped, shown_prose, shown_url};
use crate::PlaceView;

/// How many further places are named before they are only counted.
const PLACES_NAMED: usize = 3;

/// A finding to show.
#[derive(Debug, Clone, Copy)]
pub struct FindingView<'a> {
    /// The code.
    pub code: Option<Code>,
    /// What the reader is told.
    pub word: Word,
    /// The URL as its first link writes it.
    pub url: &'a str,
    /// The reason in plain words.
    pub reason: &'a str,
    /// Every place that names it; the first is shown in full.
    pub places: &'a [PlaceView<'a>],
    /// The line of the first place, where it could be read.
    pub snippet: Option<&'a Snippet>,
    /// What to do about it.
    pub help: Option<&'a str>,
}

/// Draws a finding: what, where, why and what to do.
pub fn finding(paint: Paint, view: &FindingView) -> String {
    let reason = shown_prose(view.reason);
    let body = match (view.places, view.snippet) {
        ([], _) => reason_line(paint, &reason),
        ([only], None) => format!("{} {}   {reason}\n", paint.quiet("  -->"), spot(only)),
        ([first, others @ ..], None) => {
            place_line(paint, first, others) + &reason_line(paint, &reason)
        }
        ([first, others @ ..], Some(snippet)) => {
            let caret = |carets: &str| paint.word(view.word, carets);
            place_line(paint, first, others) + &snippet.lines(paint, caret, &reason)
        }
    };
    title(paint, view) + &body + &help_line(paint, view.help)
}

fn title(paint: Paint, view: &FindingView) -> String {
    let code = view.code.map_or(String::new(), |code| format!("{code} "));
    let label = paint.word(view.word, &format!("{code}{}", view.word));
    format!("{label} · {}\n", paint.strong(&shown_url(view.url)))
}

fn place_line(paint: Paint, first: &PlaceView, others: &[PlaceView]) -> String {
    let arrow = paint.quiet("  -->");
    let also = also(others);
    format!("{arrow} {}{also}\n", spot(first))
}

fn reason_line(paint: Paint, reason: &str) -> String {
    format!("{}  {reason}\n", paint.quiet("   ="))
}

fn help_line(paint: Paint, help: Option<&str>) -> String {
    help.map_or(String::new(), |help| format!("{} {}\n", paint.help("help:"), shown_prose(help)))
}

fn also(others: &[PlaceView]) -> String {
    if others.is_empty() {
        return String::new();
    }
    let named: Vec<String> = others.iter().take(PLACES_NAMED).map(spot).collect();
    let unnamed = others.len().saturating_sub(PLACES_NAMED);
    let more = match unnamed {
        0 => String::new(),
        unnamed => format!(" and {} more", grouped(unnamed as u64)),
    };
    format!("        also {}{more}", named.join(", "))
}

fn spot(view: &PlaceView) -> String {
    let path = shown_url(view.path);
    format!("{path}:{}:{}", view.place.line, view.place.column)
}
