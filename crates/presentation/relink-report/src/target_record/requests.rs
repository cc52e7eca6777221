//! Formats the numbered list of requests and comparisons for `relink explain URL`.
//!
//! A probe is one fetch with its redirects (hops); an attempt is the summary of a probe.
//! A control is a URL that is fetched only for comparison.

use relink_model::{Attempt, Control, Evidence, FetchOutcome, FetchPurpose, Hop, Probe};

use super::TargetRecordView;
use super::short_url::short_url;
use crate::human::{
    COLUMNS, TextStyle, compared, cut_end, duration, padded, resemblance, shown_prose, shown_url,
    size, width,
};

/// Maximum width of the URL column. A longer URL is not aligned, so that one long URL does
/// not move the responses of all others off the screen.
const URL_COLUMNS: usize = 40;

/// Maximum width of a title.
const TITLE_COLUMNS: usize = 40;

/// One fetch, with a line per request.
struct RequestEntry {
    lines: Vec<RequestLine>,
}

/// One request: the URL and the result.
struct RequestLine {
    url: String,
    outcome: String,
    details: Vec<String>,
}

/// Lists every request and every comparison, numbered from 1. Returns an empty string if there
/// are none.
pub(super) fn list(style: TextStyle, view: &TargetRecordView) -> String {
    let mut entries = target_entries(view);
    let mut numbered_controls: Vec<(usize, &Control)> = Vec::new();
    for control in view.controls {
        if let Some(entry) = control_entry(view, control) {
            entries.push(entry);
            numbered_controls.push((entries.len(), control));
        }
    }
    let mut text = format_entries(style, &entries);
    let evidence = view.latest.map_or(&[] as &[Evidence], |latest| latest.evidence);
    for (number, evidence) in (entries.len() + 1..).zip(evidence) {
        text.push_str(&format_evidence(style, view, number, evidence, &numbered_controls));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// Returns the requests for the page itself. If old probes were deleted, the entries are made
/// from the attempts, which are stored longer.
fn target_entries(view: &TargetRecordView) -> Vec<RequestEntry> {
    let attempts = view.latest.map_or(&[] as &[Attempt], |latest| latest.attempts);
    if view.probes.is_empty() {
        return attempts.iter().map(|attempt| attempt_entry(view, attempt)).collect();
    }
    let attempt_of =
        |probe: &Probe| attempts.iter().find(|attempt| attempt.requested_at == probe.requested_at);
    view.probes
        .iter()
        .map(|probe| {
            let label = attempt_of(probe).and_then(|attempt| purpose_label(attempt.purpose));
            probe_entry(view.url, view.url, probe, label)
        })
        .collect()
}

/// Returns the entry of an attempt. The redirects of an attempt are not stored.
fn attempt_entry(view: &TargetRecordView, attempt: &Attempt) -> RequestEntry {
    let mut details = vec![duration(attempt.duration_ms.into())];
    details.extend(purpose_label(attempt.purpose).map(str::to_owned));
    let line = RequestLine {
        url: short_url(view.url, view.url),
        outcome: outcome_text(&attempt.outcome),
        details,
    };
    RequestEntry { lines: vec![line] }
}

/// Returns the entry of a control page; `None` if the site has no such page.
fn control_entry(view: &TargetRecordView, control: &Control) -> Option<RequestEntry> {
    let kind = format!("({})", control.kind);
    match &control.probe {
        Some(probe) => Some(probe_entry(view.url, &control.url, probe, Some(&kind))),
        None if control.url.is_empty() => None,
        None => {
            let url = short_url(view.url, &control.url);
            let outcome = "not fetched: control budget exhausted".to_owned();
            Some(RequestEntry { lines: vec![RequestLine { url, outcome, details: vec![kind] }] })
        }
    }
}

/// Returns the entry of a probe of `url`: its hops, and the page or the error at the end.
fn probe_entry(target_url: &str, url: &str, probe: &Probe, label: Option<&str>) -> RequestEntry {
    let mut lines: Vec<RequestLine> =
        probe.hops.iter().map(|hop| hop_line(target_url, hop)).collect();
    let has_final_response = probe.outcome.status().is_some() && !lines.is_empty();
    if !has_final_response {
        // After a redirect, the URL that failed is already shown as `→ URL`.
        let url = if lines.is_empty() { short_url(target_url, url) } else { String::new() };
        lines.push(RequestLine { url, outcome: outcome_text(&probe.outcome), details: Vec::new() });
    }
    if let Some(last) = lines.last_mut() {
        last.details.extend(page_details(probe));
        last.details.extend(label.map(str::to_owned));
    }
    RequestEntry { lines }
}

/// Returns the line of a request in a redirect chain.
fn hop_line(target_url: &str, hop: &Hop) -> RequestLine {
    let location = hop.location.as_deref().map(|location| format!("→ {}", shown_url(location)));
    RequestLine {
        url: short_url(target_url, &hop.url),
        outcome: hop.status.to_string(),
        details: location.into_iter().collect(),
    }
}

/// Returns the properties of the final page, and the duration of the probe.
fn page_details(probe: &Probe) -> Vec<String> {
    let mut details = Vec::new();
    if let Some(digest) = &probe.digest {
        let at_least = if digest.is_truncated { "≥ " } else { "" };
        details.push(format!("{at_least}{}", size(digest.bytes)));
        details.extend(digest.content_type.as_deref().map(shown_prose));
        let title =
            digest.title.as_deref().map(|title| cut_end(&shown_prose(title), TITLE_COLUMNS));
        details.extend(title.map(|title| format!("\"{title}\"")));
    }
    details.push(duration(probe.timings.total.into()));
    details
}

/// Describes the outcome of a fetch.
fn outcome_text(outcome: &FetchOutcome) -> String {
    outcome.status().map_or_else(|| outcome.to_string(), |status| status.to_string())
}

/// Returns the label of a repeated request.
const fn purpose_label(purpose: FetchPurpose) -> Option<&'static str> {
    match purpose {
        FetchPurpose::Initial => None,
        FetchPurpose::Retry => Some("(retry)"),
        FetchPurpose::Confirmation => Some("(confirmation)"),
        FetchPurpose::AlternateUserAgent => Some("(other User-Agent)"),
    }
}

/// Formats all entries, numbered.
fn format_entries(style: TextStyle, entries: &[RequestEntry]) -> String {
    let widths = entries.iter().flat_map(|entry| &entry.lines).map(|line| width(&line.url));
    let columns = widths.max().unwrap_or(0).min(URL_COLUMNS);
    let mut text = String::new();
    for (number, entry) in (1..).zip(entries) {
        for (index, line) in entry.lines.iter().enumerate() {
            let label = if index == 0 { format!("{number:>2} GET ") } else { "       ".to_owned() };
            text.push_str(&format_line(style, &label, line, columns));
        }
    }
    text
}

/// Formats a line. The URL is padded to `columns`.
fn format_line(style: TextStyle, label: &str, line: &RequestLine, columns: usize) -> String {
    let label = style.quiet(label);
    let url = padded(&line.url, columns);
    let outcome = style.strong(&line.outcome);
    let details = line.details.iter().map(String::as_str);
    let parts: Vec<&str> = [outcome.as_str()].into_iter().chain(details).collect();
    format!("{label}{url}  {}\n", parts.join("  "))
}

/// Formats a piece of evidence. A control that is already in the list is
/// referenced by its number.
fn format_evidence(
    style: TextStyle,
    view: &TargetRecordView,
    number: usize,
    evidence: &Evidence,
    controls: &[(usize, &Control)],
) -> String {
    let label = style.quiet(&format!("{number:>2} "));
    let note = shown_prose(&evidence.note);
    let Some(summary) = &evidence.control else {
        let resemblance = match evidence.resemblance {
            Some(share) => format!(" (resemblance {})", resemblance(share)),
            None => String::new(),
        };
        return format!("{label}{note}{resemblance}\n");
    };
    let listed_control = controls
        .iter()
        .find(|(_, control)| control.kind == summary.kind && control.url == summary.url);
    let url = match listed_control {
        Some((number, _)) => number.to_string(),
        None => short_url(view.url, &summary.url),
    };
    let comparison = compared(&url, summary, evidence.resemblance);
    let conclusion = format!("→ {note}");
    let is_one_line = width(&comparison) + 1 + width(&conclusion) <= COLUMNS;
    let gap = if is_one_line { " " } else { "\n    " };
    format!("{label}{comparison}{gap}{conclusion}\n")
}
