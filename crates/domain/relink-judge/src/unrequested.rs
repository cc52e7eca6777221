//! Pages that are not requested because their host is down.
//!
//! A host that cannot be connected to at all is evidence about each of its
//! pages: the failed run counts, as if the page had been requested. Server
//! errors of other pages are not: such a page stays failing, and only requests
//! of its own can make it dead.

use jiff::Timestamp;
use relink_model::{FailureStreak, FetchOutcome, History, Phase, Verdict};

use crate::judgment::{Judgment, is_worn_out};
use crate::outcome_class::read;
use crate::{Policy, confidence, reason};

/// The result of a page whose host is down: how the last request of the host
/// ended, and since when it has only failed.
pub fn unrequested(
    policy: &Policy,
    history: &History,
    host_ending: &FetchOutcome,
    down_since: Timestamp,
    now: Timestamp,
) -> Judgment {
    let reading = read(host_ending);
    let streak = if is_unconnected(host_ending) {
        Some(FailureStreak::extended(history.streak, now))
    } else {
        history.streak
    };
    let told = told(host_ending, down_since);
    let enough = streak.filter(|streak| is_unconnected(host_ending) && is_worn_out(policy, streak));
    let (word, reason, confidence) = match enough {
        Some(streak) => {
            (Verdict::Dead, reason::worn_out(&told, &streak), confidence::FAILED_REPEATEDLY)
        }
        None => (Verdict::Failing, told, confidence::FAILED_NOW),
    };
    Judgment {
        assessment: reading.assessment,
        verdict: word,
        code: reading.code,
        reason,
        streak,
        since: history.since.filter(|_| history.verdict == Some(word)).unwrap_or(now),
        confidence,
        evidence: Vec::new(),
    }
}

/// Whether no server was reached, so that no page of the host can be.
fn is_unconnected(ending: &FetchOutcome) -> bool {
    matches!(ending, FetchOutcome::ConnectFailed(_) | FetchOutcome::TimedOut(Phase::Connect))
}

fn told(ending: &FetchOutcome, since: Timestamp) -> String {
    let since = since.strftime("%Y-%m-%d %H:%M:%S");
    match ending {
        FetchOutcome::Response(_) => {
            format!("not requested: the host has answered only errors since {since} UTC ({ending})")
        }
        _ => format!("not requested: the host has not answered since {since} UTC ({ending})"),
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use relink_model::ConnectError;

    use super::*;

    /// Such a result in each of so many daily runs; the last one comes back.
    fn after_runs(runs: i64, ending: &FetchOutcome) -> Judgment {
        let mut history = History::default();
        let mut last = None;
        for day in 0..runs {
            let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * day);
            let judgment = unrequested(&Policy::default(), &history, ending, now, now);
            (history.streak, history.verdict) = (judgment.streak, Some(judgment.verdict));
            last = Some(judgment);
        }
        last.unwrap()
    }

    #[test]
    fn page_of_a_host_with_server_errors_is_never_dead_unrequested() {
        let judgment = after_runs(9, &FetchOutcome::Response(502));
        assert_eq!((judgment.verdict, judgment.streak), (Verdict::Failing, None));
        assert_eq!(judgment.code, Some(crate::codes::BAD_GATEWAY));
        assert!(judgment.reason.starts_with("not requested: the host has answered only errors"));
    }

    #[test]
    fn page_of_a_host_without_connection_is_dead_after_enough_runs() {
        let refused = FetchOutcome::ConnectFailed(ConnectError::Refused);
        assert_eq!(after_runs(1, &refused).verdict, Verdict::Failing);
        assert_eq!(after_runs(3, &refused).verdict, Verdict::Failing);
        assert_eq!(after_runs(4, &refused).verdict, Verdict::Dead);
    }
}
