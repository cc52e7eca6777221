//! Sentinels: two URLs stand for their directory.
//!
//! Pages of a directory tend to die together (FABLE, fig. 2). Two of each are
//! checked; a broken one calls for three more, and a broken one among those
//! for all.

use super::sample;
use crate::lot_plan::{Lot, LotRule, LotState};
use crate::plan::LotDecision;

/// How many URLs stand for a directory, and how many more confirm a hit.
#[derive(Debug, Clone, Copy)]
pub struct Sentinel {
    /// How many are checked at first.
    pub watch: u32,
    /// How many more after one of them is broken.
    pub confirm: u32,
}

impl Default for Sentinel {
    fn default() -> Self {
        Self { watch: 2, confirm: 3 }
    }
}

impl LotRule for Sentinel {
    fn lot(&self) -> Lot {
        Lot::Directory
    }

    fn group(&self, lot: &LotState) -> u32 {
        if lot.tally.checked == 0 { self.watch } else { self.confirm }
    }

    fn rule(&self, lot: &LotState) -> LotDecision {
        if lot.tally.broken == 0 {
            LotDecision::Accept
        } else if lot.tally.checked < self.watch + self.confirm {
            LotDecision::Continue
        } else if lot.tally.broken >= 2 {
            LotDecision::CheckAll
        } else {
            LotDecision::Accept
        }
    }

    fn reason(&self, lot: &LotState, _: LotDecision) -> String {
        sample(lot.tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::CheckCounts;

    #[track_caller]
    fn check(broken: u32, checked: u32, expect: LotDecision) {
        let tally = CheckCounts { checked, broken };
        let lot = LotState { size: 50, tally, rechecked: CheckCounts::default() };
        assert_eq!(Sentinel::default().rule(&lot), expect);
    }

    #[test]
    fn a_hit_calls_for_three_more_and_a_second_one_for_all() {
        check(0, 2, LotDecision::Accept);
        check(1, 2, LotDecision::Continue);
        check(1, 5, LotDecision::Accept);
        check(2, 5, LotDecision::CheckAll);
    }
}
