//! Sentinels: two URLs represent their directory.
//!
//! Pages of a directory tend to die together (paper "FABLE", figure 2). Two URLs of each directory
//! are checked. If one is broken, three more are checked. If at least two of the five are broken,
//! the whole directory is checked.

use super::sample;
use crate::lot_plan::{LotKind, LotRule, LotState};
use crate::plan::LotDecision;

/// The number of sentinels per directory.
#[derive(Debug, Clone, Copy)]
pub struct Sentinel {
    /// Number of URLs checked first.
    pub initial: u32,
    /// Number of URLs checked after one of them is broken.
    pub confirm: u32,
}

impl Default for Sentinel {
    fn default() -> Self {
        Self { initial: 2, confirm: 3 }
    }
}

impl LotRule for Sentinel {
    fn lot_kind(&self) -> LotKind {
        LotKind::Directory
    }

    fn group_size(&self, lot: &LotState) -> u32 {
        if lot.counts.checked == 0 { self.initial } else { self.confirm }
    }

    fn decide(&self, lot: &LotState) -> LotDecision {
        if lot.counts.broken == 0 {
            LotDecision::Accept
        } else if lot.counts.checked < self.initial + self.confirm {
            LotDecision::Continue
        } else if lot.counts.broken >= 2 {
            LotDecision::CheckAll
        } else {
            LotDecision::Accept
        }
    }

    fn reason(&self, lot: &LotState, _: LotDecision) -> String {
        sample(lot.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_log::CheckCounts;

    /// Asserts the decision on a directory after these results.
    #[track_caller]
    fn check(broken: u32, checked: u32, expect: LotDecision) {
        let counts = CheckCounts { checked, broken };
        let lot = LotState { size: 50, counts, rechecked: CheckCounts::default() };
        assert_eq!(Sentinel::default().decide(&lot), expect);
    }

    #[test]
    fn broken_sentinel_leads_to_three_more_and_then_to_all() {
        check(0, 2, LotDecision::Accept);
        check(1, 2, LotDecision::Continue);
        check(1, 5, LotDecision::Accept);
        check(2, 5, LotDecision::CheckAll);
    }
}
