//! Everything is checked: what all other plans are compared with.

use crate::lot_plan::{LotRule, LotState};
use crate::plan::Ruling;

/// Checks every URL.
#[derive(Debug, Clone, Copy, Default)]
pub struct Full;

impl LotRule for Full {
    fn group(&self, lot: &LotState) -> u32 {
        lot.size
    }

    fn rule(&self, _: &LotState) -> Ruling {
        Ruling::CheckAll
    }

    fn reason(&self, _: &LotState, _: Ruling) -> String {
        "every URL is to be checked".to_owned()
    }
}
