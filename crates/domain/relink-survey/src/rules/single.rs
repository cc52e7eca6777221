//! Single sampling: one sample decides (Le & Shulman, §3.2).

use super::{percent, sample};
use crate::lot_plan::{LotRule, LotState};
use crate::plan::LotDecision;

/// One sample of each domain, and then all or nothing.
#[derive(Debug, Clone, Copy)]
pub struct SingleSampling {
    /// The share of the URLs in the sample.
    pub share: f64,
    /// The share of good URLs in it from which the rest is taken for good.
    pub accept: f64,
}

impl Default for SingleSampling {
    /// 10 % of the URLs, 90 % of them good (Le & Shulman, §3.2).
    fn default() -> Self {
        Self { share: 0.10, accept: 0.90 }
    }
}

impl LotRule for SingleSampling {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a size is at most the size"
    )]
    fn group(&self, lot: &LotState) -> u32 {
        (self.share.clamp(0.0, 1.0) * f64::from(lot.size)).ceil().max(1.0) as u32
    }

    fn rule(&self, lot: &LotState) -> LotDecision {
        if 1.0 - lot.tally.rate() >= self.accept {
            LotDecision::Accept
        } else {
            LotDecision::CheckAll
        }
    }

    fn reason(&self, lot: &LotState, ruling: LotDecision) -> String {
        let (sample, line) = (sample(lot.tally), percent(self.accept));
        match ruling {
            LotDecision::Accept => format!("{sample}: at least {line} are good"),
            LotDecision::CheckAll => format!("{sample}: fewer than {line} are good"),
            LotDecision::Continue => format!("{sample} so far"),
        }
    }
}
