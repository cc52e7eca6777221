//! Algorithm 1 of Le & Shulman, "Managing Broken URLs in Federated Metadata".
//!
//! Line by line: re-check all known broken URLs of the domain (3), set *p2* by the share that is
//! still broken (4), then check group after group (6–8), update *p* = good / checked (9), and stop
//! at *p* < *p1* (10: check all others) or *p2* ≤ *p* (14: assume that all others are good). A
//! domain that stays between the lines is checked completely.
//!
//! Not specified in the paper: `N_c` includes the re-checked URLs, and *r* = 0 / 0 is 0.

use super::percent;
use crate::lot_plan::{LotRule, LotState};
use crate::plan::LotDecision;

/// The parameters of Algorithm 1.
#[derive(Debug, Clone, Copy)]
pub struct LeShulman {
    /// *G*: number of URLs per group.
    pub group: u32,
    /// *p1*, the reject line: the share of good URLs below which the whole domain is checked.
    pub p1: f64,
    /// *p2⁻*: the accept line if no known broken URL is still broken.
    pub p2_low: f64,
    /// *p2⁺*: the accept line if all of them are.
    pub p2_high: f64,
}

impl Default for LeShulman {
    /// *G* = 100, *p1* = 50 %, *p2⁻* = 90 %, *p2⁺* = 95 % (§3.3).
    fn default() -> Self {
        Self { group: 100, p1: 0.50, p2_low: 0.90, p2_high: 0.95 }
    }
}

impl LeShulman {
    /// Returns *p2* by equations (1) and (2).
    fn p2(&self, lot: &LotState) -> f64 {
        let r = lot.rechecked.rate();
        self.p2_low + r * (self.p2_high - self.p2_low)
    }
}

impl LotRule for LeShulman {
    fn group_size(&self, _: &LotState) -> u32 {
        self.group
    }

    fn decide(&self, lot: &LotState) -> LotDecision {
        let p = 1.0 - lot.counts.rate();
        if p < self.p1 {
            LotDecision::CheckAll
        } else if self.p2(lot) <= p {
            LotDecision::Accept
        } else {
            LotDecision::Continue
        }
    }

    fn reason(&self, lot: &LotState, decision: LotDecision) -> String {
        let p = percent(1.0 - lot.counts.rate());
        let (checked, p1, p2) =
            (lot.counts.checked, percent(self.p1), format!("{:.1} %", 100.0 * self.p2(lot)));
        match decision {
            LotDecision::Accept => format!("{p} of {checked} checked are good, p2 is {p2}"),
            LotDecision::CheckAll => format!("{p} of {checked} checked are good, p1 is {p1}"),
            LotDecision::Continue => format!("{p} of {checked}: between p1 {p1} and p2 {p2}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_log::CheckCounts;

    /// Checks a sample of `broken` of `checked` URLs with re-checks given in the same form.
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
    fn domain_from_p2_is_accepted() {
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
