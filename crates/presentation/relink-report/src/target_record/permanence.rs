//! Whether a trouble is there to stay.
//!
//! Readers act on a permanent trouble and wait for a passing one to end; the
//! two are told apart as waldens-paths asks (§3, §5). The words are the
//! judge's; this only says what they mean for waiting.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use relink_judge::{CONFIRM_DAYS, CONFIRM_RUNS};
use relink_model::{FailureStreak, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::minute;
use crate::human::counted;

/// Whether a trouble is there to stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Permanence {
    /// Waiting does not help.
    Permanent,
    /// It may end by itself.
    Passing,
    /// It cannot be told from outside.
    Unknown,
}

impl Permanence {
    /// What a word means for waiting; `None` if it tells of no trouble at the
    /// other end.
    ///
    /// ```
    /// use relink_model::Word;
    /// use relink_report::dossier::Permanence;
    /// assert_eq!(Permanence::of(Word::Failing), Some(Permanence::Passing));
    /// assert_eq!(Permanence::of(Word::Alive), None);
    /// ```
    pub const fn of(word: Verdict) -> Option<Self> {
        match word {
            Verdict::Dead | Verdict::Soft404 | Verdict::Hijacked => Some(Self::Permanent),
            Verdict::Failing => Some(Self::Passing),
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
            Self::Passing => "passing",
            Self::Unknown => "cannot be told",
        })
    }
}

/// What a word means for waiting, in plain words; nothing where it tells of no
/// trouble.
pub(super) fn sentence(word: Verdict, streak: Option<&FailureStreak>) -> String {
    match word {
        Verdict::Dead => "the page is gone; asking again will not bring it back".to_owned(),
        Verdict::Soft404 => {
            "the server answers, but the page is gone; asking again will not bring \
                          it back"
                .to_owned()
        }
        Verdict::Hijacked => "the name has another owner now; the page will not come back there \
                           by itself"
            .to_owned(),
        Verdict::Failing => unconfirmed(streak),
        Verdict::Blocked => "the server does not show the page to us, so it may be there or gone; \
                          a browser may tell"
            .to_owned(),
        Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::Local | Verdict::AtRisk => {
            String::new()
        }
    }
}

/// How far a failing page is from counting as dead.
fn unconfirmed(streak: Option<&FailureStreak>) -> String {
    let Some(streak) = streak else {
        return format!(
            "so far; it counts as dead after {CONFIRM_RUNS} failed runs in a row, the first \
             and the last at least {CONFIRM_DAYS} days apart"
        );
    };
    let missing = CONFIRM_RUNS.saturating_sub(streak.runs).max(1);
    let runs = counted(missing.into(), "more failed run");
    let when = match (missing, earliest(streak)) {
        (_, None) => String::new(),
        (1, Some(moment)) => format!(" on {} or later", minute(moment)),
        (_, Some(moment)) => format!(" in a row, the last on {} or later", minute(moment)),
    };
    format!("so far; it counts as dead after {runs}{when}")
}

/// The earliest moment at which a failed run makes the page dead, unless the
/// streak is long enough already.
fn earliest(streak: &FailureStreak) -> Option<Timestamp> {
    let wait = SignedDuration::from_hours(24 * CONFIRM_DAYS);
    let moment = streak.first.checked_add(wait).ok()?;
    (moment > streak.last).then_some(moment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::moment;

    #[track_caller]
    fn check(runs: u32, first: &str, last: &str, expect: &str) {
        let streak = FailureStreak { runs, first: moment(first), last: moment(last) };
        let expect = format!("so far; it counts as dead after {expect}");
        assert_eq!(sentence(Verdict::Failing, Some(&streak)), expect);
    }

    #[test]
    fn a_failing_page_is_told_how_far_it_is_from_dead() {
        let monday = "2026-11-09T09:00:00Z";
        check(
            1,
            monday,
            monday,
            "2 more failed runs in a row, the last on 2026-11-12 09:00 UTC or later",
        );
        check(
            2,
            monday,
            "2026-11-10T09:00:00Z",
            "1 more failed run on 2026-11-12 09:00 UTC or later",
        );
        check(
            7,
            monday,
            "2026-11-10T09:00:00Z",
            "1 more failed run on 2026-11-12 09:00 UTC or later",
        );
        check(2, monday, "2026-11-20T09:00:00Z", "1 more failed run");
        check(1, monday, "2026-11-20T09:00:00Z", "2 more failed runs");
    }

    #[test]
    fn every_trouble_has_a_sentence_and_nothing_else_has() {
        for word in Verdict::ALL {
            let is_trouble = Permanence::of(word).is_some();
            assert_eq!(!sentence(word, None).is_empty(), is_trouble, "{word}");
        }
    }
}
