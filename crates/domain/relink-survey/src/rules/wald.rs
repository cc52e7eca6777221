//! Wald's sequential probability ratio test for one domain.
//!
//! The test decides whether the rate of broken URLs is closer to `good` or to `bad`. In a diagram
//! of broken URLs over checked URLs, the limits are two parallel lines. Applied to groups of URLs,
//! the test is the sequential sampling plan that Le & Shulman simplify.

use super::{percent, sample};
use crate::check_log::CheckCounts;
use crate::lot_plan::{LotRule, LotState};
use crate::plan::LotDecision;

/// The parameters of the test.
#[derive(Debug, Clone, Copy)]
pub struct Wald {
    /// Number of URLs checked between two decisions.
    pub group: u32,
    /// Rate of broken URLs of an acceptable domain.
    pub good: f64,
    /// Rate of broken URLs of a domain that must be checked in full.
    pub bad: f64,
    /// Probability that a good domain is checked in full.
    pub false_alarm: f64,
    /// Probability that a bad domain is accepted.
    pub miss_rate: f64,
}

impl Wald {
    /// Returns the sequential plan with groups of 100.
    pub fn sequential() -> Self {
        Self { group: 100, ..Self::sprt() }
    }

    /// Returns the test that is evaluated after every result. Its rates correspond to *p2⁻* (90 %
    /// good) and *p1* (50 % good) of Le & Shulman; both error probabilities are 5 %.
    pub fn sprt() -> Self {
        Self { group: 1, good: 0.10, bad: 0.50, false_alarm: 0.05, miss_rate: 0.05 }
    }

    /// Returns the logarithm of the likelihood ratio: how much more likely the counts are for a
    /// bad domain than for a good domain.
    fn log_ratio(&self, counts: CheckCounts) -> f64 {
        let alive = f64::from(counts.checked - counts.broken);
        f64::from(counts.broken) * (self.bad / self.good).ln()
            + alive * ((1.0 - self.bad) / (1.0 - self.good)).ln()
    }
}

impl LotRule for Wald {
    fn group_size(&self, _: &LotState) -> u32 {
        self.group
    }

    fn decide(&self, lot: &LotState) -> LotDecision {
        let ratio = self.log_ratio(lot.counts);
        if ratio >= ((1.0 - self.miss_rate) / self.false_alarm).ln() {
            LotDecision::CheckAll
        } else if ratio <= (self.miss_rate / (1.0 - self.false_alarm)).ln() {
            LotDecision::Accept
        } else {
            LotDecision::Continue
        }
    }

    fn reason(&self, lot: &LotState, decision: LotDecision) -> String {
        let (sample, good, bad) = (sample(lot.counts), percent(self.good), percent(self.bad));
        match decision {
            LotDecision::Accept => format!("{sample}: closer to {good} than to {bad}"),
            LotDecision::CheckAll => format!("{sample}: closer to {bad} than to {good}"),
            LotDecision::Continue => format!("{sample}: between {good} and {bad}, undecided"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the decision on a domain after these results.
    #[track_caller]
    fn check(broken: u32, checked: u32, expect: LotDecision) {
        let counts = CheckCounts { checked, broken };
        let lot = LotState { size: 1_000, counts, rechecked: CheckCounts::default() };
        assert_eq!(Wald::sprt().decide(&lot), expect);
    }

    #[test]
    fn six_good_urls_are_accepted() {
        check(0, 5, LotDecision::Continue);
        check(0, 6, LotDecision::Accept);
    }

    #[test]
    fn two_broken_urls_lead_to_a_full_check() {
        check(1, 1, LotDecision::Continue);
        check(2, 2, LotDecision::CheckAll);
    }

    #[test]
    fn sampling_continues_between_the_lines() {
        check(2, 8, LotDecision::Continue);
        check(27, 100, LotDecision::Continue);
    }
}
