//! Whether a failure is permanent or transient.
//!
//! Users fix a permanent failure and wait until a transient one ends. The distinction
//! comes from the paper on Walden's Paths (sections 3 and 5). It depends only on the
//! verdict.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use relink_judge::{CONFIRM_DAYS, CONFIRM_RUNS};
use relink_model::{FailureStreak, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::time_text;
use crate::human::counted;

/// Whether a failure is permanent or transient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Permanence {
    /// The failure does not end by itself.
    Permanent,
    /// The failure may end by itself.
    Transient,
    /// The state of the page is unknown.
    Unknown,
}

impl Permanence {
    /// Returns the permanence of a verdict; `None` if the verdict is not a
    /// failure of the server.
    ///
    /// ```
    /// use relink_model::Verdict;
    /// use relink_report::target_record::Permanence;
    /// assert_eq!(Permanence::from_verdict(Verdict::Failing), Some(Permanence::Transient));
    /// assert_eq!(Permanence::from_verdict(Verdict::Alive), None);
    /// ```
    pub const fn from_verdict(verdict: Verdict) -> Option<Self> {
        match verdict {
            Verdict::Dead | Verdict::Soft404 | Verdict::Hijacked => Some(Self::Permanent),
            Verdict::Failing => Some(Self::Transient),
            Verdict::Blocked => Some(Self::Unknown),
            Verdict::Alive
            | Verdict::Moved
            | Verdict::Drifted
            | Verdict::Local
            | Verdict::AtRisk => None,
        }
    }
}

impl fmt::Display for Permanence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Permanent => "permanent",
            Self::Transient => "transient",
            Self::Unknown => "unknown",
        })
    }
}

/// Describes the permanence of a failure. Returns an empty string for verdicts
/// that are not failures.
pub(super) fn sentence(verdict: Verdict, streak: Option<&FailureStreak>) -> String {
    match verdict {
        Verdict::Dead => "the page is gone; waiting will not help".to_owned(),
        Verdict::Soft404 => {
            "the server responds, but the page is gone; waiting will not help".to_owned()
        }
        Verdict::Hijacked => "the domain has another owner; waiting will not help".to_owned(),
        Verdict::Failing => failing_sentence(streak),
        Verdict::Blocked => "the server denied access, so the page may exist or be gone; open it \
                          in a browser to find out"
            .to_owned(),
        Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::Local | Verdict::AtRisk => {
            String::new()
        }
    }
}

/// States when a failing page will count as dead.
fn failing_sentence(streak: Option<&FailureStreak>) -> String {
    let Some(streak) = streak else {
        return format!(
            "the page counts as dead if it fails in {CONFIRM_RUNS} runs in a row over at least \
             {CONFIRM_DAYS} days"
        );
    };
    // Even after a long streak, the page must fail in one more run.
    let missing_runs = CONFIRM_RUNS.saturating_sub(streak.runs).max(1);
    let runs = counted(missing_runs.into(), "more run");
    let when = match (missing_runs, earliest_death(streak)) {
        (_, None) => String::new(),
        (1, Some(time)) => format!(", on {} or later", time_text(time)),
        (_, Some(time)) => format!(" in a row, the last on {} or later", time_text(time)),
    };
    format!("the page counts as dead if it fails in {runs}{when}")
}

/// Returns the earliest time at which a further failure makes the page dead. Returns `None` if
/// the streak already covers enough days.
fn earliest_death(streak: &FailureStreak) -> Option<Timestamp> {
    let wait = SignedDuration::from_hours(24 * CONFIRM_DAYS);
    let time = streak.first_at.checked_add(wait).ok()?;
    (time > streak.last_at).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::timestamp;

    /// Checks the sentence of a page that failed in `runs` runs between `first` and `last`.
    #[track_caller]
    fn check(runs: u32, first: &str, last: &str, expect: &str) {
        let streak = FailureStreak { runs, first_at: timestamp(first), last_at: timestamp(last) };
        let expect = format!("the page counts as dead if it fails in {expect}");
        assert_eq!(sentence(Verdict::Failing, Some(&streak)), expect);
    }

    #[test]
    fn failing_sentence_states_the_missing_runs_and_date() {
        let monday = "2026-11-09T09:00:00Z";
        check(1, monday, monday, "2 more runs in a row, the last on 2026-11-12 09:00 UTC or later");
        check(2, monday, "2026-11-10T09:00:00Z", "1 more run, on 2026-11-12 09:00 UTC or later");
        check(7, monday, "2026-11-10T09:00:00Z", "1 more run, on 2026-11-12 09:00 UTC or later");
        check(2, monday, "2026-11-20T09:00:00Z", "1 more run");
        check(1, monday, "2026-11-20T09:00:00Z", "2 more runs");
    }

    #[test]
    fn only_failures_have_a_sentence() {
        for verdict in Verdict::ALL {
            let is_failure = Permanence::from_verdict(verdict).is_some();
            assert_eq!(!sentence(verdict, None).is_empty(), is_failure, "{verdict}");
        }
    }
}
