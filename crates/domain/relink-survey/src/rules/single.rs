//! Single sampling: one sample of a domain determines whether the rest is checked (Le &
//! Shulman, section 3.2).

use super::{percent, sample};
use crate::lot_plan::{LotRule, LotState};
use crate::plan::LotDecision;

/// Decides by one sample of each domain.
#[derive(Debug, Clone, Copy)]
pub struct SingleSampling {
    /// Share of the URLs in the sample.
    pub share: f64,
    /// Minimum share of good URLs at which the rest is accepted.
    pub accept: f64,
}

impl Default for SingleSampling {
    /// Returns a sample of 10 % of the URLs, of which at least 90 % must be good (Le & Shulman,
    /// section 3.2).
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
    fn group_size(&self, lot: &LotState) -> u32 {
        (self.share.clamp(0.0, 1.0) * f64::from(lot.size)).ceil().max(1.0) as u32
    }

    fn decide(&self, lot: &LotState) -> LotDecision {
        if 1.0 - lot.counts.rate() >= self.accept {
            LotDecision::Accept
        } else {
            LotDecision::CheckAll
        }
    }

    fn reason(&self, lot: &LotState, decision: LotDecision) -> String {
        let (sample, line) = (sample(lot.counts), percent(self.accept));
        match decision {
            LotDecision::Accept => format!("{sample}: at least {line} are good"),
            LotDecision::CheckAll => format!("{sample}: fewer than {line} are good"),
            LotDecision::Continue => format!("{sample} so far"),
        }
    }
}
