//! Wald's sequential probability ratio test, for one domain.
//!
//! Is the rate of broken URLs nearer to `good` or to `bad`? In the plane of
//! checked and broken the test is two parallel lines with a slope; asked in
//! groups it is the sequential sampling plan that the paper simplifies.

use super::{percent, sample};
use crate::ledger::CheckCounts;
use crate::lot_plan::{LotRule, LotState};
use crate::plan::LotDecision;

/// The lines between which sampling goes on.
#[derive(Debug, Clone, Copy)]
pub struct Wald {
    /// How many URLs are checked between two rulings.
    pub group: u32,
    /// The rate of broken URLs of a domain that is good enough.
    pub good: f64,
    /// The rate of one that must be checked in full.
    pub bad: f64,
    /// How often a good domain may be checked in full.
    pub false_alarm: f64,
    /// How often a bad one may be accepted.
    pub miss_rate: f64,
}

impl Wald {
    /// The sequential plan with slope, asked in groups of 100.
    pub fn sequential() -> Self {
        Self { group: 100, ..Self::sprt() }
    }

    /// The test after every answer. 10 % and 50 % broken are the paper's lines
    /// *p2⁻* and *p1*; both errors are allowed 5 %.
    pub fn sprt() -> Self {
        Self { group: 1, good: 0.10, bad: 0.50, false_alarm: 0.05, miss_rate: 0.05 }
    }

    /// How much more likely the sample is in a bad domain, as a logarithm.
    fn log_ratio(&self, tally: CheckCounts) -> f64 {
        let alive = f64::from(tally.checked - tally.broken);
        f64::from(tally.broken) * (self.bad / self.good).ln()
            + alive * ((1.0 - self.bad) / (1.0 - self.good)).ln()
    }
}

impl LotRule for Wald {
    fn group(&self, _: &LotState) -> u32 {
        self.group
    }

    fn rule(&self, lot: &LotState) -> LotDecision {
        let ratio = self.log_ratio(lot.tally);
        if ratio >= ((1.0 - self.miss_rate) / self.false_alarm).ln() {
            LotDecision::CheckAll
        } else if ratio <= (self.miss_rate / (1.0 - self.false_alarm)).ln() {
            LotDecision::Accept
        } else {
            LotDecision::Continue
        }
    }

    fn reason(&self, lot: &LotState, ruling: LotDecision) -> String {
        let (sample, good, bad) = (sample(lot.tally), percent(self.good), percent(self.bad));
        match ruling {
            LotDecision::Accept => format!("{sample}: nearer to {good} than to {bad}"),
            LotDecision::CheckAll => format!("{sample}: nearer to {bad} than to {good}"),
            LotDecision::Continue => format!("{sample}: between {good} and {bad}, undecided"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(broken: u32, checked: u32, expect: LotDecision) {
        let tally = CheckCounts { checked, broken };
        let lot = LotState { size: 1_000, tally, rechecked: CheckCounts::default() };
        assert_eq!(Wald::sprt().rule(&lot), expect);
    }

    #[test]
    fn six_good_ones_are_enough() {
        check(0, 5, LotDecision::Continue);
        check(0, 6, LotDecision::Accept);
    }

    #[test]
    fn two_broken_ones_are_enough() {
        check(1, 1, LotDecision::Continue);
        check(2, 2, LotDecision::CheckAll);
    }

    #[test]
    fn between_the_lines_sampling_goes_on() {
        check(2, 8, LotDecision::Continue);
        check(27, 100, LotDecision::Continue);
    }
}
