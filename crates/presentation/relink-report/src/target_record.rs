//! The stored record of one target: the text and the JSON of `relink explain
//! URL`.
//!
//! Shows every request, every comparison with a control (a URL fetched only for comparison),
//! and the evidence for the verdict. The evidence is shown as it was stored; the page is not
//! judged again.

mod permanence;
mod requests;
mod row;
mod short_url;

pub use permanence::Permanence;
pub use row::{
    ControlRow, FirstSeenRow, PageSummaryRow, PastVerdictRow, ProbeRow, StreakRow, TargetRecordRow,
    VerdictChangeRow,
};

use jiff::Timestamp;
use relink_judge::codes;
use relink_model::{Control, FailureStreak, FindingCode, Probe, Verdict};

use crate::explain::{labeled, what_to_do, wrapped};
use crate::human::{
    RevivalView, TextStyle, counted, grouped, location_list, revival_lines, shown_prose, shown_url,
};
use crate::{LocationView, TargetView};

/// Number of past verdicts that are shown.
const MAX_VERDICTS: usize = 40;

/// Number of changes of the verdict that are shown.
const MAX_CHANGES: usize = 10;

/// The stored record of one target, with all text borrowed.
#[derive(Debug, Clone, Copy)]
pub struct TargetRecordView<'a> {
    /// The canonical URL.
    pub url: &'a str,
    /// The latest result; `None` if no run has checked the target yet.
    pub latest: Option<TargetView<'a>>,
    /// The current failure streak, if the last run failed.
    pub streak: Option<FailureStreak>,
    /// The probes of the last run, oldest first.
    pub probes: &'a [Probe],
    /// The control pages.
    pub controls: &'a [Control],
    /// The verdict of every run, oldest first.
    pub past_verdicts: &'a [(Timestamp, Verdict)],
    /// The changes of the verdict, oldest first.
    pub changes: &'a [VerdictChangeView],
    /// The first time that each document was seen with a link to the target.
    pub first_seen: &'a [FirstSeenView<'a>],
    /// The result of a search for the page, if there was one.
    pub revival: Option<RevivalView<'a>>,
}

/// A change of the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerdictChangeView {
    /// The time from which the new verdict has applied.
    pub at: Timestamp,
    /// The verdict before.
    pub before: Verdict,
    /// The new verdict.
    pub after: Verdict,
    /// The code of the new verdict.
    pub code: Option<FindingCode>,
}

/// The first time that a document was seen with a link to the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstSeenView<'a> {
    /// The label of the document.
    pub document: &'a str,
    /// The time.
    pub at: Timestamp,
    /// The git commit or wiki revision of the document at that time.
    pub revision: Option<&'a str>,
}

/// Formats the record of a target: verdict, requests, comparisons, reason,
/// advice and history.
pub fn target_record(style: TextStyle, view: &TargetRecordView) -> String {
    let mut text = heading(style, view);
    text.push_str(&requests::list(style, view));
    if let Some(latest) = &view.latest {
        text.push_str(&reason_paragraphs(style, latest, view.streak.as_ref()));
    }
    if let Some(revival) = &view.revival {
        text.extend(["\nsearched for on ", &date(revival.searched_at), "\n"]);
        text.push_str(&revival_lines(style, revival));
    }
    text.push_str(&links_and_history(style, view));
    text
}

/// Formats the verdict, the URL and the times of the latest check.
fn heading(style: TextStyle, view: &TargetRecordView) -> String {
    let url = style.strong(&shown_url(view.url));
    let Some(latest) = &view.latest else {
        return format!("not checked yet\n {url}\n");
    };
    let code = latest.code.map_or(String::new(), |code| format!(" ({code})"));
    let verdict = style.verdict(latest.verdict, &format!("{}{code}", latest.verdict));
    let since = date(latest.verdict_since);
    let checked = time_text(latest.checked_at);
    format!(
        "verdict {verdict}, confidence {}, since {since}\n {url}, last checked {checked}\n",
        latest.confidence
    )
}

/// Formats the reason for the verdict, whether the failure is permanent, and the description of
/// the code.
fn reason_paragraphs(
    style: TextStyle,
    latest: &TargetView,
    streak: Option<&FailureStreak>,
) -> String {
    let mut text = String::from("\n");
    if !latest.reason.is_empty() {
        let label = style.strong("why: ");
        text.push_str(&labeled("why: ", &label, &shown_prose(latest.reason)));
    }
    if let Some(permanence) = Permanence::from_verdict(latest.verdict) {
        let label = format!("{permanence}: ");
        let sentence = permanence::sentence(latest.verdict, streak);
        text.push_str(&labeled(&label, &style.verdict(latest.verdict, &label), &sentence));
    }
    if let Some(code) = latest.code {
        text.push_str(&code_description(style, code));
    }
    // Without any content, omit the blank line too.
    if text == "\n" { String::new() } else { text }
}

/// Formats the description of the finding code.
fn code_description(style: TextStyle, code: FindingCode) -> String {
    let Some(info) = codes::lookup(code) else { return String::new() };
    let title = format!("{code}, {}", info.name);
    let description = wrapped("  ", "", info.description);
    format!("\n{title}\n{description}{}", what_to_do(style, info.advice))
}

/// Formats the locations of the links and the past verdicts.
fn links_and_history(style: TextStyle, view: &TargetRecordView) -> String {
    let locations = view.latest.map_or(&[] as &[LocationView], |latest| latest.locations);
    let links = view.latest.map_or(0, |latest| latest.inlinks);
    let link_line = match locations {
        [] => String::new(),
        locations => format!("linked in {}\n", location_list(locations, links)),
    };
    let history = history_line(style, view.past_verdicts) + &change_lines(style, view.changes);
    if link_line.is_empty() && history.is_empty() {
        return String::new();
    }
    format!("\n{link_line}{history}")
}

/// Formats the past verdicts: `history ✓✓✓☁☁   5 runs since 2026-10-01`.
fn history_line(style: TextStyle, verdicts: &[(Timestamp, Verdict)]) -> String {
    let Some((first, _)) = verdicts.first() else {
        return String::new();
    };
    let omitted = verdicts.len().saturating_sub(MAX_VERDICTS);
    let shown = verdicts.get(omitted..).unwrap_or_default();
    let symbols: String = shown
        .iter()
        .map(|(_, verdict)| style.verdict(*verdict, verdict.symbol().encode_utf8(&mut [0; 4])))
        .collect();
    let runs = counted(verdicts.len() as u64, "run");
    let since = date(*first);
    if omitted == 0 {
        return format!("history {symbols}   {runs} since {since}\n");
    }
    let shown = grouped(shown.len() as u64);
    format!("history …{symbols}   the last {shown} of {runs} since {since}\n")
}

/// Formats one line per change: `changes alive → dead on 2026-10-29`.
fn change_lines(style: TextStyle, changes: &[VerdictChangeView]) -> String {
    let shown = changes.get(changes.len().saturating_sub(MAX_CHANGES)..).unwrap_or_default();
    let line = |(index, change): (usize, &VerdictChangeView)| {
        let label = if index == 0 { "changes" } else { "       " };
        let after = style.verdict(change.after, &change.after.to_string());
        let code = change.code.map_or(String::new(), |code| format!(" ({code})"));
        format!("{label} {} → {after}{code} on {}\n", change.before, date(change.at))
    };
    shown.iter().enumerate().map(line).collect()
}

/// Formats the date of a time.
fn date(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d").to_string()
}

/// Formats a time: `2026-11-10 09:00 UTC`.
fn time_text(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

#[cfg(test)]
pub(crate) mod tests;
