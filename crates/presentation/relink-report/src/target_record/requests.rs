//! The numbered list of what was asked and what it was compared with.

use relink_model::{Attempt, Control, Evidence, FetchOutcome, FetchPurpose, Hop, Probe};

use super::TargetRecordView;
use super::address::beside;
use crate::human::{
    COLUMNS, TextStyle, compared, cut_end, duration, padded, resemblance, shown_prose, shown_url,
    size, width,
};

/// Columns that addresses are filled up to at most, so that one long address
/// does not push all answers off the screen.
const ADDRESS_COLUMNS: usize = 40;

/// Columns of a title that are shown before it is cut.
const TITLE_COLUMNS: usize = 40;

/// One request, answered or not.
struct RequestEntry {
    lines: Vec<RequestLine>,
}

/// One line of a request: an address asked and what came back.
struct RequestLine {
    address: String,
    answer: String,
    details: Vec<String>,
}

/// Every request and every comparison, numbered; nothing if there is none.
pub(super) fn list(paint: TextStyle, view: &TargetRecordView) -> String {
    let (controls, controls_asked): (Vec<&Control>, Vec<RequestEntry>) = view
        .controls
        .iter()
        .filter_map(|control| Some((control, of_control(view, control)?)))
        .unzip();
    let mut asked = of_target(view);
    let first_control = asked.len() + 1;
    asked.extend(controls_asked);
    let numbers: Vec<(usize, &Control)> = (first_control..).zip(controls).collect();
    let mut text = drawn(paint, &asked);
    let grounds = view.latest.map_or(&[] as &[Evidence], |latest| latest.evidence);
    for (number, ground) in (asked.len() + 1..).zip(grounds) {
        text.push_str(&of_ground(paint, view, number, ground, &numbers));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// The requests for the page itself. Where the probes are forgotten, the looks
/// still tell how each ended.
fn of_target(view: &TargetRecordView) -> Vec<RequestEntry> {
    let looks = view.latest.map_or(&[] as &[Attempt], |latest| latest.attempts);
    if view.probes.is_empty() {
        return looks.iter().map(|look| of_look(view, look)).collect();
    }
    let purpose = |probe: &Probe| looks.iter().find(|look| look.requested_at == probe.requested_at);
    view.probes
        .iter()
        .map(|probe| {
            let remark = purpose(probe).and_then(|look| remark(look.purpose));
            of_probe(view.url, view.url, probe, remark)
        })
        .collect()
}

fn of_look(view: &TargetRecordView, look: &Attempt) -> RequestEntry {
    let mut details = vec![duration(look.duration_ms.into())];
    details.extend(remark(look.purpose).map(str::to_owned));
    let address = beside(view.url, view.url);
    RequestEntry { lines: vec![RequestLine { address, answer: answer(&look.outcome), details }] }
}

/// A page asked for comparison; `None` if there is no such page.
fn of_control(view: &TargetRecordView, control: &Control) -> Option<RequestEntry> {
    let kind = format!("({})", control.kind);
    match &control.probe {
        Some(probe) => Some(of_probe(view.url, &control.url, probe, Some(&kind))),
        None if control.url.is_empty() => None,
        None => {
            let address = beside(view.url, &control.url);
            let answer = "not asked, to spare the host".to_owned();
            Some(RequestEntry { lines: vec![RequestLine { address, answer, details: vec![kind] }] })
        }
    }
}

/// A probe: its hops, and at the end the page or what went wrong.
fn of_probe(home: &str, url: &str, probe: &Probe, remark: Option<&str>) -> RequestEntry {
    let mut lines: Vec<RequestLine> = probe.hops.iter().map(|hop| of_hop(home, hop)).collect();
    let is_told = probe.outcome.status().is_some() && !lines.is_empty();
    if !is_told {
        let address = if lines.is_empty() { beside(home, url) } else { String::new() };
        lines.push(RequestLine { address, answer: answer(&probe.outcome), details: Vec::new() });
    }
    if let Some(last) = lines.last_mut() {
        last.details.extend(page(probe));
        last.details.extend(remark.map(str::to_owned));
    }
    RequestEntry { lines }
}

fn of_hop(home: &str, hop: &Hop) -> RequestLine {
    let location = hop.location.as_deref().map(|location| format!("→ {}", shown_url(location)));
    RequestLine {
        address: beside(home, &hop.url),
        answer: hop.status.to_string(),
        details: location.into_iter().collect(),
    }
}

/// What is known of the page a probe ended at, and how long it all took.
fn page(probe: &Probe) -> Vec<String> {
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

fn answer(ending: &FetchOutcome) -> String {
    ending.status().map_or_else(|| ending.to_string(), |status| status.to_string())
}

/// Why the page was asked again, in a few words.
const fn remark(purpose: FetchPurpose) -> Option<&'static str> {
    match purpose {
        FetchPurpose::Initial => None,
        FetchPurpose::Retry => Some("(asked again)"),
        FetchPurpose::Confirmation => Some("(second look)"),
        FetchPurpose::AlternateUserAgent => Some("(by the other form of our name)"),
    }
}

fn drawn(paint: TextStyle, asked: &[RequestEntry]) -> String {
    let addresses = asked.iter().flat_map(|asked| &asked.lines).map(|line| width(&line.address));
    let columns = addresses.max().unwrap_or(0).min(ADDRESS_COLUMNS);
    let mut text = String::new();
    for (number, asked) in (1..).zip(asked) {
        for (index, line) in asked.lines.iter().enumerate() {
            let label = if index == 0 { format!("{number:>2} GET ") } else { "       ".to_owned() };
            text.push_str(&drawn_line(paint, &label, line, columns));
        }
    }
    text
}

fn drawn_line(paint: TextStyle, label: &str, line: &RequestLine, columns: usize) -> String {
    let label = paint.quiet(label);
    let address = padded(&line.address, columns);
    let answer = paint.strong(&line.answer);
    let details = line.details.iter().map(String::as_str);
    let told: Vec<&str> = [answer.as_str()].into_iter().chain(details).collect();
    format!("{label}{address}  {}\n", told.join("  "))
}

/// One thing the judgment rests on. A page that stands in the list already is
/// called by its number.
fn of_ground(
    paint: TextStyle,
    view: &TargetRecordView,
    number: usize,
    ground: &Evidence,
    controls: &[(usize, &Control)],
) -> String {
    let label = paint.quiet(&format!("{number:>2} "));
    let note = shown_prose(&ground.note);
    let Some(seen) = &ground.control else {
        let share = ground.resemblance.map(resemblance);
        let share = share.map_or(String::new(), |share| format!(" (resemblance {share})"));
        return format!("{label}{note}{share}\n");
    };
    let listed =
        controls.iter().find(|(_, control)| control.kind == seen.kind && control.url == seen.url);
    let address =
        listed.map_or_else(|| beside(view.url, &seen.url), |(number, _)| number.to_string());
    let told = compared(&address, seen, ground.resemblance);
    let conclusion = format!("→ {note}");
    let is_one_line = width(&told) + 1 + width(&conclusion) <= COLUMNS;
    let gap = if is_one_line { " " } else { "\n    " };
    format!("{label}{told}{gap}{conclusion}\n")
}
