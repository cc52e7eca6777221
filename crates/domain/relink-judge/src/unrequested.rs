//! Pages that are not requested because their host is down.
//!
//! If no connection to the host is possible, the failure counts for each of
//! its pages as if the page had been requested. Server errors of other pages do
//! not count: such a page stays failing, and only its own requests can make it
//! dead.

use jiff::Timestamp;
use relink_model::{FailureStreak, FetchOutcome, History, Phase, Verdict};

use crate::judgment::{Judgment, has_failed_long_enough};
use crate::outcome_class::classify;
use crate::{Policy, confidence, reason};

/// Returns the judgment of a page whose host is down. `host_outcome` is the
/// outcome of the host's last request; all its requests have failed since
/// `down_since`.
pub fn judge_unrequested(
    policy: &Policy,
    history: &History,
    host_outcome: &FetchOutcome,
    down_since: Timestamp,
    now: Timestamp,
) -> Judgment {
    let class = classify(host_outcome);
    let streak = if is_unconnected(host_outcome) {
        Some(FailureStreak::extend(history.streak, now))
    } else {
        history.streak
    };
    let summary = summarize(host_outcome, down_since);
    let enough = streak
        .filter(|streak| is_unconnected(host_outcome) && has_failed_long_enough(policy, streak));
    let (verdict, reason, confidence) = match enough {
        Some(streak) => (
            Verdict::Dead,
            reason::failed_repeatedly(&summary, &streak),
            confidence::FAILED_REPEATEDLY,
        ),
        None => (Verdict::Failing, summary, confidence::FAILED_NOW),
    };
    Judgment {
        assessment: class.assessment,
        verdict,
        code: class.code,
        reason,
        streak,
        since: history.since.filter(|_| history.verdict == Some(verdict)).unwrap_or(now),
        confidence,
        evidence: Vec::new(),
    }
}

/// Whether no server was reached, so that no page of the host is reachable.
fn is_unconnected(outcome: &FetchOutcome) -> bool {
    matches!(outcome, FetchOutcome::ConnectFailed(_) | FetchOutcome::TimedOut(Phase::Connect))
}

fn summarize(outcome: &FetchOutcome, since: Timestamp) -> String {
    let since = since.strftime("%Y-%m-%d %H:%M:%S");
    match outcome {
        FetchOutcome::Response(_) => {
            format!(
                "not requested: the host has returned only errors since {since} UTC ({outcome})"
            )
        }
        _ => format!("not requested: the host has not responded since {since} UTC ({outcome})"),
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use relink_model::ConnectError;

    use super::*;

    /// Judges an unrequested page in `runs` daily runs and returns the last judgment.
    fn after_runs(runs: i64, outcome: &FetchOutcome) -> Judgment {
        let mut history = History::default();
        let mut last = None;
        for day in 0..runs {
            let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * day);
            let judgment = judge_unrequested(&Policy::default(), &history, outcome, now, now);
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
        assert!(judgment.reason.starts_with("not requested: the host has returned only errors"));
    }

    #[test]
    fn page_of_a_host_without_connection_is_dead_after_enough_runs() {
        let refused = FetchOutcome::ConnectFailed(ConnectError::Refused);
        assert_eq!(after_runs(1, &refused).verdict, Verdict::Failing);
        assert_eq!(after_runs(3, &refused).verdict, Verdict::Failing);
        assert_eq!(after_runs(4, &refused).verdict, Verdict::Dead);
    }
}
