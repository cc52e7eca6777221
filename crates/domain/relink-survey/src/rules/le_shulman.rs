//! Algorithm 1 of Le & Shulman, "Managing Broken URLs in Federated Metadata".
//!
//! The algorithm re-checks all URLs of a domain that are known to be broken (line 3), and sets
//! *p2* by the share *r* of them that is still broken (line 4). Then it checks group after group
//! (lines 6–8) and updates *p* = good / checked (line 9). If *p* < *p1*, it checks all other URLs
//! (line 10). If *p2* ≤ *p*, it assumes that all other URLs are good (line 14). A domain that
//! stays between the two values is checked completely.
//!
//! The paper does not specify two details. Here, the number of checked URLs (`N_c`) includes the
//! re-checked URLs, and *r* is 0 if no URL is known to be broken.

use super::percent;
use crate::lot_plan::{LotRule, LotState};
use crate::plan::LotDecision;

/// The parameters of Algorithm 1.
#[derive(Debug, Clone, Copy)]
pub struct LeShulman {
    /// *G*: number of URLs per group.
    pub group: u32,
    /// *p1*: the share of good URLs below which the whole domain is checked.
    pub p1: f64,
    /// *p2⁻*: the share of good URLs from which the domain is accepted, if no known broken URL is
    /// still broken.
    pub p2_low: f64,
    /// *p2⁺*: the share of good URLs from which the domain is accepted, if all known broken URLs
    /// are still broken.
    pub p2_high: f64,
}

impl Default for LeShulman {
    /// Returns the parameters of section 3.3 of the paper: *G* = 100, *p1* = 50 %, *p2⁻* = 90 %,
    /// *p2⁺* = 95 %.
    fn default() -> Self {
        Self { group: 100, p1: 0.50, p2_low: 0.90, p2_high: 0.95 }
    }
}

impl LeShulman {
    /// Returns *p2* by equations (1) and (2) of the paper.
    fn p2(&self, lot: &LotState) -> f64 {
        let still_broken = lot.rechecked.rate();
        self.p2_low + still_broken * (self.p2_high - self.p2_low)
    }
}

impl LotRule for LeShulman {
    fn group_size(&self, _: &LotState) -> u32 {
        self.group
    }

    fn decide(&self, lot: &LotState) -> LotDecision {
        let good = 1.0 - lot.counts.rate();
        if good < self.p1 {
            LotDecision::CheckAll
        } else if self.p2(lot) <= good {
            LotDecision::Accept
        } else {
            LotDecision::Continue
        }
    }

    fn reason(&self, lot: &LotState, decision: LotDecision) -> String {
        let good = percent(1.0 - lot.counts.rate());
        let (checked, p1, p2) =
            (lot.counts.checked, percent(self.p1), format!("{:.1} %", 100.0 * self.p2(lot)));
        match decision {
            LotDecision::Accept => format!("{good} of {checked} checked are good, p2 is {p2}"),
            LotDecision::CheckAll => format!("{good} of {checked} checked are good, p1 is {p1}"),
            LotDecision::Continue => format!("{good} of {checked}: between p1 {p1} and p2 {p2}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_log::CheckCounts;

    /// Asserts the decision on a sample and re-checks. Both are pairs of the number of broken
    /// and the number of checked URLs. The re-checks are part of the sample.
    #[track_caller]
    fn check(sample: (u32, u32), rechecked: (u32, u32), expect: LotDecision) {
        let counts = |(broken, checked)| CheckCounts { checked, broken };
        let lot = LotState { size: 10_000, counts: counts(sample), rechecked: counts(rechecked) };
        assert_eq!(LeShulman::default().decide(&lot), expect);
    }

    #[test]
    fn domain_below_p1_is_checked_completely() {
        check((51, 100), (0, 0), LotDecision::CheckAll);
        check((50, 100), (0, 0), LotDecision::Continue);
    }

    #[test]
    fn domain_with_at_least_p2_good_urls_is_accepted() {
        check((10, 100), (0, 0), LotDecision::Accept);
        check((11, 100), (0, 0), LotDecision::Continue);
    }

    #[test]
    fn p2_rises_with_the_share_still_broken() {
        check((10, 200), (10, 10), LotDecision::Accept);
        check((11, 200), (11, 11), LotDecision::Continue);
        check((15, 200), (5, 10), LotDecision::Accept);
        check((16, 200), (5, 10), LotDecision::Continue);
    }
}
