//! Full check, the baseline of all other plans.

use crate::lot_plan::{LotRule, LotState};
use crate::plan::LotDecision;

/// Checks every URL.
#[derive(Debug, Clone, Copy, Default)]
pub struct Full;

impl LotRule for Full {
    fn group_size(&self, lot: &LotState) -> u32 {
        lot.size
    }

    fn decide(&self, _: &LotState) -> LotDecision {
        LotDecision::CheckAll
    }

    fn reason(&self, _: &LotState, _: LotDecision) -> String {
        "all URLs are checked".to_owned()
    }
}
