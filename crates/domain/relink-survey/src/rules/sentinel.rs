//! Sentinels: two URLs stand for their directory.
//!
//! Pages of a directory tend to die together (FABLE, fig. 2). Two of each are
//! checked; a broken one calls for three more, and a broken one among those
//! for all.

use super::sample;
use crate::lot_plan::{Lot, LotRule, LotState};
use crate::plan::Ruling;

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

    fn rule(&self, lot: &LotState) -> Ruling {
        if lot.tally.broken == 0 {
            Ruling::AcceptRest
        } else if lot.tally.checked < self.watch + self.confirm {
            Ruling::TakeAnother
        } else if lot.tally.broken >= 2 {
            Ruling::CheckAll
        } else {
            Ruling::AcceptRest
        }
    }

    fn reason(&self, lot: &LotState, _: Ruling) -> String {
        sample(lot.tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Tally;

    #[track_caller]
    fn check(broken: u32, checked: u32, expect: Ruling) {
        let tally = Tally { checked, broken };
        let lot = LotState { size: 50, tally, rechecked: Tally::default() };
        assert_eq!(Sentinel::default().rule(&lot), expect);
    }

    #[test]
    fn a_hit_calls_for_three_more_and_a_second_one_for_all() {
        check(0, 2, Ruling::AcceptRest);
        check(1, 2, Ruling::TakeAnother);
        check(1, 5, Ruling::AcceptRest);
        check(2, 5, Ruling::CheckAll);
    }
}
