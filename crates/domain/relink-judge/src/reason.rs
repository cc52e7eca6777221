//! Texts that state the reason of a judgment.
//!
//! A reason is one sentence in lower case without a period. It is shown after
//! carets, in a JSON field and in a table cell.

use std::fmt::Write as _;

use relink_model::{Attempt, FailureStreak, FetchOutcome, Hop};

use crate::Policy;

/// Describes the outcome that counts, and how many attempts had it.
pub(crate) fn reached(outcome: &FetchOutcome, attempts: &[Attempt]) -> String {
    match attempts.len() {
        0 | 1 => outcome.to_string(),
        total => {
            let same = attempts.iter().filter(|attempt| attempt.outcome == *outcome).count();
            format!("{outcome} in {same} of {total} attempts")
        }
    }
}

/// Describes a chain of `redirects` permanent redirects and its last URL.
pub(crate) fn moved(redirects: usize, last: &Hop) -> String {
    match redirects {
        1 => format!("permanent redirect to {}", last.url),
        _ => format!("{redirects} permanent redirects, ending at {}", last.url),
    }
}

/// Summarizes attempts and appends the time between the first and the last.
pub(crate) fn confirmed<'a>(attempts: impl Iterator<Item = &'a Attempt> + Clone) -> String {
    let summary = summarize(attempts.clone());
    let times = attempts.map(|attempt| attempt.requested_at);
    let span = times.clone().min().zip(times.max());
    match span.map(|(first, last)| last.duration_since(first).as_millis()) {
        None | Some(0) => summary,
        Some(millis) if millis < 1000 => format!("{summary}, {millis} ms apart"),
        Some(millis) => format!("{summary}, {}.{} s apart", millis / 1000, millis % 1000 / 100),
    }
}

/// Lists each outcome once with its count: `status 503 in 2 attempts, connection
/// reset in 1 attempt`.
pub(crate) fn summarize<'a>(attempts: impl Iterator<Item = &'a Attempt>) -> String {
    let mut groups: Vec<(String, usize)> = Vec::new();
    let mut attempts: Vec<&Attempt> = attempts.collect();
    attempts.sort_by_cached_key(|attempt| (attempt.requested_at, describe(&attempt.outcome)));
    for attempt in attempts {
        let text = describe(&attempt.outcome);
        match groups.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => groups.push((text, 1)),
        }
    }
    join_groups(&groups)
}

fn join_groups(groups: &[(String, usize)]) -> String {
    if let [(text, 1)] = groups {
        return text.clone();
    }
    let parts: Vec<String> = groups
        .iter()
        .map(|(text, count)| format!("{text} in {count} attempt{}", plural(*count)))
        .collect();
    parts.join(", ")
}

/// Appends the number of runs in which a page failed that is not yet dead.
pub(crate) fn failing(summary: &str, streak: &FailureStreak, policy: &Policy) -> String {
    let runs = streak.runs;
    let required = policy.confirm_runs;
    if runs < required {
        let plural = if runs == 1 { "" } else { "s" };
        return format!("{summary}; failed in {runs} run{plural}, dead after {required} in a row");
    }
    let days = policy.confirm_days;
    format!("{summary}; failed in {runs} runs in a row, but not yet for {days} days")
}

/// Appends the number of runs in which a dead page failed, and how many days they span.
pub(crate) fn failed_repeatedly(summary: &str, streak: &FailureStreak) -> String {
    let days = streak.last_at.duration_since(streak.first_at).as_hours() / 24;
    let mut reason = format!("{summary}; failed in {} runs in a row", streak.runs);
    if days > 0 {
        // Writing to a string cannot fail.
        let _ = write!(reason, " over {days} day{}", if days == 1 { "" } else { "s" });
    }
    reason
}

fn describe(outcome: &FetchOutcome) -> String {
    match outcome {
        FetchOutcome::Response(status @ (404 | 410)) => status.to_string(),
        other => other.to_string(),
    }
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
