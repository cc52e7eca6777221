//! Estimates the decay from finished walks.
//!
//! Each walk starts at the frontier, the set of pages that are known but not
//! fetched. When the walk starts, `failed_mass` is the probability that a walk
//! from the start page fails before it reaches the frontier, and
//! `residual_mass` the probability that it reaches the frontier. A walk that
//! fails therefore estimates the decay as `failed_mass + residual_mass`, and a walk
//! that succeeds as `failed_mass`. `residual_mass` shrinks as more pages are
//! fetched, which makes later walks more precise. The weight of a walk is
//! 1 / `residual_mass`².

use crate::score::Interval;

/// Half-width of the confidence interval, in standard errors.
///
/// 1.96 would give 95 % coverage for a fixed number of walks. The estimator
/// tests the interval after each walk and stops as soon as it is narrow enough,
/// which favors intervals that are narrow by chance. The larger value
/// compensates for that.
const STANDARD_ERRORS: f64 = 2.1;

/// Weighted sums over the finished walks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct WalkStats {
    walks: u32,
    /// Sum of the weights.
    weight: f64,
    /// Sum of weight × `failed_mass`.
    failed_mass: f64,
    /// Sum of weight × `residual_mass`.
    residual_mass: f64,
    /// Sum of (weight × `residual_mass`)².
    squares: f64,
    /// Sum of weight × `residual_mass` over the walks that failed.
    failed_walks: f64,
}

impl WalkStats {
    /// Adds a finished walk.
    pub(crate) fn add(&mut self, failed_mass: f64, residual_mass: f64, has_failed: bool) {
        self.walks += 1;
        let weight = 1.0 / (residual_mass * residual_mass);
        let share = weight * residual_mass;
        self.weight += weight;
        self.failed_mass += weight * failed_mass;
        self.residual_mass += share;
        self.squares += share * share;
        if has_failed {
            self.failed_walks += share;
        }
    }

    /// Returns the number of finished walks.
    pub(crate) fn walks(&self) -> u32 {
        self.walks
    }

    /// Returns the estimated decay, or `None` before the first walk.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.walks > 0).then(|| (self.failed_mass + self.failed_walks) / self.weight)
    }

    /// Returns the confidence interval of the decay: Wilson's interval for a
    /// proportion, with the effective number of equally weighted walks.
    pub(crate) fn interval(&self) -> Interval {
        if self.walks == 0 {
            return Interval::clamped(0.0, 1.0);
        }
        let share = self.failed_walks / self.residual_mass;
        // The number of equally weighted walks with the same precision.
        let walks = self.residual_mass * self.residual_mass / self.squares;
        let squared_errors = STANDARD_ERRORS * STANDARD_ERRORS;
        let center = (share + squared_errors / (2.0 * walks)) / (1.0 + squared_errors / walks);
        let variance = share * (1.0 - share) / walks + squared_errors / (4.0 * walks * walks);
        let half_width = STANDARD_ERRORS * variance.sqrt() / (1.0 + squared_errors / walks);
        let to_decay = |share: f64| (self.failed_mass + self.residual_mass * share) / self.weight;
        let (low, high) = ((center - half_width).max(0.0), (center + half_width).min(1.0));
        Interval::clamped(to_decay(low), to_decay(high))
    }
}
