//! Measures how many verdicts per second the judge derives from stored probes, on one
//! core.
//!
//! Sends no requests. The cases are serialized as in the store and parsed again before
//! the measurement, so that only judging is measured.

mod cases;

use std::fmt;
use std::time::Instant;

use jiff::Timestamp;
use relink_judge::{Decision, JudgeInput, Policy, judge};
use relink_model::Verdict;

use self::cases::{JudgeCase, generate_cases};
use crate::XtaskError;

/// Minimum verdicts per second.
const MIN_VERDICTS_PER_SECOND: f64 = 100_000.0;

/// The time of a round is the 10th percentile of all rounds, because other programs on the machine
/// only slow a round down.
const ROUNDS_PER_FASTER_ROUND: usize = 10;

/// Size of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgeSize {
    /// Different cases.
    pub cases: usize,
    /// Rounds per case.
    pub rounds: usize,
}

impl Default for JudgeSize {
    fn default() -> Self {
        Self { cases: 2_000, rounds: 200 }
    }
}

/// The result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgeBenchResult {
    cases: usize,
    /// Number of verdicts in all rounds.
    verdicts: usize,
    /// Number of cases with the expected verdict.
    as_expected: usize,
    /// Time to judge each case once.
    seconds: f64,
}

impl JudgeBenchResult {
    /// Whether every case got its expected verdict.
    pub fn is_correct(&self) -> bool {
        self.as_expected == self.cases
    }

    /// Whether the time limit is kept.
    pub fn is_fast(&self) -> bool {
        self.rate() >= MIN_VERDICTS_PER_SECOND
    }

    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    fn rate(&self) -> f64 {
        self.cases as f64 / self.seconds
    }
}

impl fmt::Display for JudgeBenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rate, Self { cases, verdicts, as_expected, .. }) = (self.rate(), self);
        write!(
            f,
            "judge {rate:.0}/s (minimum {MIN_VERDICTS_PER_SECOND:.0}/s)  {verdicts} verdicts  "
        )?;
        write!(f, "{as_expected} of {cases} cases as expected")
    }
}

/// Judges the cases of this size.
pub fn bench_judge(size: JudgeSize) -> Result<JudgeBenchResult, XtaskError> {
    let cases = generate_cases(size.cases)?;
    let as_expected = cases.iter().filter(|case| verdict(case) == Some(case.expected)).count();
    let mut rounds = Vec::with_capacity(size.rounds);
    let mut verdicts = 0;
    for _ in 0..size.rounds {
        let start = Instant::now();
        verdicts += cases.iter().filter(|case| verdict(case).is_some()).count();
        rounds.push(start.elapsed().as_secs_f64());
    }
    rounds.sort_by(f64::total_cmp);
    Ok(JudgeBenchResult {
        cases: cases.len(),
        verdicts,
        as_expected,
        seconds: rounds.get(rounds.len() / ROUNDS_PER_FASTER_ROUND).copied().unwrap_or_default(),
    })
}

/// Returns the verdict of a case, or `None` if the judge needs another request.
fn verdict(case: &JudgeCase) -> Option<Verdict> {
    let case = JudgeInput {
        url: &case.url,
        attempts: &case.attempts,
        probe: &case.probe,
        phrase_scan: None,
        controls: &case.controls,
        history: &case.history,
        now: Timestamp::UNIX_EPOCH,
    };
    match judge(&Policy::default(), &case) {
        Decision::Conclude(judgment) => Some(judgment.verdict),
        Decision::Fetch { .. } | Decision::Compare(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judge_bench_gives_expected_verdicts() {
        let outcome = bench_judge(JudgeSize { cases: 40, rounds: 2 }).unwrap();
        assert!(outcome.is_correct(), "{outcome}");
        assert_eq!(outcome.verdicts, 80);
    }

    #[test]
    fn display_is_one_line() {
        let outcome =
            JudgeBenchResult { cases: 600, verdicts: 1200, as_expected: 600, seconds: 0.002 };
        assert_eq!(
            outcome.to_string(),
            "judge 300000/s (minimum 100000/s)  1200 verdicts  600 of 600 cases as expected"
        );
        assert!(outcome.is_fast() && outcome.is_correct());
    }
}
