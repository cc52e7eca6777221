//! Everything is checked: what all other plans are compared with.

use crate::lot_plan::{LotRule, LotState};
use crate::plan::LotDecision;

/// Checks every URL.
#[derive(Debug, Clone, Copy, Default)]
pub struct Full;

impl LotRule for Full {
    fn group(&self, lot: &LotState) -> u32 {
        lot.size
    }

    fn rule(&self, _: &LotState) -> LotDecision {
        LotDecision::CheckAll
    }

    fn reason(&self, _: &LotState, _: LotDecision) -> String {
        "every URL is to be checked".to_owned()
    }
}
