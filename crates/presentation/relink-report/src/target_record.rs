//! All that is remembered of one address: the text and the JSON of `relink
//! explain URL`.
//!
//! Shows what was asked, what came back, what it was compared with and why the
//! word follows from it. Nothing is judged again here: the grounds are told as
//! the judge left them.

mod address;
mod permanence;
mod requests;
mod row;

pub use permanence::Permanence;
pub use row::{ControlRow, PageSummaryRow, PastRow, ProbeRow, StreakRow, TargetRecordRow};

use jiff::Timestamp;
use relink_judge::codes;
use relink_model::{Control, FailureStreak, FindingCode, Probe, Verdict};

use crate::explain::{labeled, what_to_do, wrapped};
use crate::human::{
    RevivalView, TextStyle, counted, grouped, revival_lines, shown_prose, shown_url, spots,
};
use crate::{LocationView, TargetView};

/// How many of the latest words are shown.
const WORDS_SHOWN: usize = 40;

/// All that is remembered of one address, borrowed from wherever it is kept.
#[derive(Debug, Clone, Copy)]
pub struct TargetRecordView<'a> {
    /// The canonical URL.
    pub url: &'a str,
    /// How it was last settled; `None` if no run has settled it yet.
    pub latest: Option<TargetView<'a>>,
    /// The failed runs in a row, if the last run failed.
    pub streak: Option<FailureStreak>,
    /// The probes of the last run, oldest first.
    pub probes: &'a [Probe],
    /// The pages asked for comparison.
    pub controls: &'a [Control],
    /// Every settled run, oldest first: when, and which word.
    pub past_verdicts: &'a [(Timestamp, Verdict)],
    /// What came of looking for the page, if it was looked for.
    pub revival: Option<RevivalView<'a>>,
}

/// Tells all that is remembered of an address: the verdict, every request,
/// every comparison, why, what to do, and how it went before.
pub fn dossier(paint: TextStyle, view: &TargetRecordView) -> String {
    let mut text = heading(paint, view);
    text.push_str(&requests::list(paint, view));
    if let Some(latest) = &view.latest {
        text.push_str(&why(paint, latest, view.streak.as_ref()));
    }
    if let Some(revival) = &view.revival {
        text.extend(["\nlooked for on ", &date(revival.tried), "\n"]);
        text.push_str(&revival_lines(paint, revival));
    }
    text.push_str(&past(paint, view));
    text
}

fn heading(paint: TextStyle, view: &TargetRecordView) -> String {
    let url = paint.strong(&shown_url(view.url));
    let Some(latest) = &view.latest else {
        return format!("verdict none yet: no run has settled it\n {url}\n");
    };
    let code = latest.code.map_or(String::new(), |code| format!(" ({code})"));
    let word = paint.word(latest.verdict, &format!("{}{code}", latest.verdict));
    let since = date(latest.since);
    let checked = minute(latest.checked);
    format!(
        "verdict {word}, confidence {}, since {since}\n {url}, last checked {checked}\n",
        latest.confidence
    )
}

fn why(paint: TextStyle, latest: &TargetView, streak: Option<&FailureStreak>) -> String {
    let mut text = String::from("\n");
    if !latest.reason.is_empty() {
        let label = paint.strong("why: ");
        text.push_str(&labeled("why: ", &label, &shown_prose(latest.reason)));
    }
    if let Some(permanence) = Permanence::of(latest.verdict) {
        let label = format!("{permanence}: ");
        let sentence = permanence::sentence(latest.verdict, streak);
        text.push_str(&labeled(&label, &paint.word(latest.verdict, &label), &sentence));
    }
    text.push_str(&latest.code.map_or(String::new(), |code| meaning(paint, code)));
    // A blank line of its own would say nothing.
    if text == "\n" { String::new() } else { text }
}

fn meaning(paint: TextStyle, code: FindingCode) -> String {
    codes::meaning(code).map_or(String::new(), |meaning| {
        let title = format!("{code}, {}", meaning.name);
        let sentence = wrapped("  ", "", meaning.description);
        format!("\n{title}\n{sentence}{}", what_to_do(paint, meaning.advice))
    })
}

/// Where it is linked, and its words so far.
fn past(paint: TextStyle, view: &TargetRecordView) -> String {
    let places = view.latest.map_or(&[] as &[LocationView], |latest| latest.locations);
    let links = view.latest.map_or(0, |latest| latest.inlinks);
    let linked = match places {
        [] => String::new(),
        places => format!("linked in {}\n", spots(places, links)),
    };
    let history = history(paint, view.past_verdicts);
    if linked.is_empty() && history.is_empty() {
        return String::new();
    }
    format!("\n{linked}{history}")
}

/// `history ✓✓✓☁☁   5 runs since 2026-10-01`
fn history(paint: TextStyle, words: &[(Timestamp, Verdict)]) -> String {
    let Some((first, _)) = words.first() else {
        return String::new();
    };
    let hidden = words.len().saturating_sub(WORDS_SHOWN);
    let shown = words.get(hidden..).unwrap_or_default();
    let signs: String = shown
        .iter()
        .map(|(_, word)| paint.word(*word, word.symbol().encode_utf8(&mut [0; 4])))
        .collect();
    let runs = counted(words.len() as u64, "run");
    let since = date(*first);
    if hidden == 0 {
        return format!("history {signs}   {runs} since {since}\n");
    }
    let shown = grouped(shown.len() as u64);
    format!("history …{signs}   the last {shown} of {runs} since {since}\n")
}

fn date(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%d").to_string()
}

fn minute(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

#[cfg(test)]
pub(crate) mod tests;
