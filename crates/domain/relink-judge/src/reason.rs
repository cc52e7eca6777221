//! The reason of a judgment as one plain sentence.
//!
//! Lower case, no full stop: it stands after carets, in a JSON field and in a
//! table cell alike.

use std::fmt::Write as _;

use relink_model::{Attempt, FailureStreak, FetchOutcome, Hop};

use crate::Policy;

/// Why a page that was reached counts as reached.
pub(crate) fn reached(ending: &FetchOutcome, looks: &[Attempt]) -> String {
    match looks.len() {
        0 | 1 => ending.to_string(),
        all => {
            let good = looks.iter().filter(|look| look.outcome == *ending).count();
            format!("{ending} on {good} of {all} looks")
        }
    }
}

/// Where a chain of `redirects` permanent redirects leads.
pub(crate) fn moved(redirects: usize, last: &Hop) -> String {
    match redirects {
        1 => format!("permanent redirect to {}", last.url),
        _ => format!("{redirects} permanent redirects, ending at {}", last.url),
    }
}

/// Hard evidence, and how far apart it was seen.
pub(crate) fn confirmed<'a>(looks: impl Iterator<Item = &'a Attempt> + Clone) -> String {
    let told = told(looks.clone());
    let asked = looks.map(|look| look.requested_at);
    let span = asked.clone().min().zip(asked.max());
    match span.map(|(first, last)| last.duration_since(first).as_millis()) {
        None | Some(0) => told,
        Some(millis) if millis < 1000 => format!("{told}, {millis} ms apart"),
        Some(millis) => format!("{told}, {}.{} s apart", millis / 1000, millis % 1000 / 100),
    }
}

/// What was seen in this run, each ending once: `answered 503 on 2 looks,
/// connection reset on 1 look`.
pub(crate) fn told<'a>(looks: impl Iterator<Item = &'a Attempt>) -> String {
    let mut groups: Vec<(String, usize)> = Vec::new();
    let mut looks: Vec<&Attempt> = looks.collect();
    looks.sort_by_cached_key(|look| (look.requested_at, said(&look.outcome)));
    for look in looks {
        let said = said(&look.outcome);
        match groups.iter_mut().find(|(known, _)| *known == said) {
            Some((_, count)) => *count += 1,
            None => groups.push((said, 1)),
        }
    }
    tell(&groups)
}

fn tell(groups: &[(String, usize)]) -> String {
    if let [(said, 1)] = groups {
        return said.clone();
    }
    let parts: Vec<String> = groups
        .iter()
        .map(|(said, count)| format!("{said} on {count} look{}", plural(*count)))
        .collect();
    parts.join(", ")
}

/// How far a failing page is from counting as dead.
pub(crate) fn unconfirmed(told: &str, streak: &FailureStreak, policy: &Policy) -> String {
    let runs = streak.runs;
    let wanted = policy.confirm_runs;
    if runs < wanted {
        return format!("{told}; failing {runs} of {wanted} runs");
    }
    let days = policy.confirm_days;
    format!("{told}; failing {runs} runs in a row, but not yet for {days} days")
}

/// How long a page has failed that now counts as dead.
pub(crate) fn worn_out(told: &str, streak: &FailureStreak) -> String {
    let days = streak.last.duration_since(streak.first).as_hours() / 24;
    let mut reason = format!("{told}; failed {} runs in a row", streak.runs);
    if days > 0 {
        // Writing to a string cannot fail.
        let _ = write!(reason, " over {days} day{}", if days == 1 { "" } else { "s" });
    }
    reason
}

fn said(ending: &FetchOutcome) -> String {
    match ending {
        FetchOutcome::Response(status @ (404 | 410)) => status.to_string(),
        other => other.to_string(),
    }
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
