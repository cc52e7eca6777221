//! Walks that ended, and what they say about the part nobody has looked at.
//!
//! Each walk starts at the edge of what is known when it starts. Of a surfer
//! from the first page, `lost` is the share that is known to fail before the
//! edge and `open` the share that comes to it, so a walk from the edge that
//! fails says `lost + open`, one that does not says `lost`. As more becomes
//! known, `open` shrinks and later walks say more: they count by 1 / open².

use crate::score::Interval;

/// How many standard errors the interval reaches to either side.
///
/// 1.96 would hold the truth 95 times in 100 for one look at a fixed number of
/// walks. We look again after each walk and stop when we like what we see,
/// which favors intervals that are narrow by luck; the excess makes up for it.
const STANDARD_ERRORS: f64 = 2.1;

/// Sums over the walks so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct WalkStats {
    walks: u32,
    /// Of the weights.
    weight: f64,
    /// Of weight × lost.
    lost: f64,
    /// Of weight × open.
    open: f64,
    /// Of (weight × open)².
    squares: f64,
    /// Of weight × open, over the walks that failed.
    failed: f64,
}

impl WalkStats {
    /// Counts one walk.
    pub(crate) fn add(&mut self, lost: f64, open: f64, has_failed: bool) {
        self.walks += 1;
        let weight = 1.0 / (open * open);
        let share = weight * open;
        self.weight += weight;
        self.lost += weight * lost;
        self.open += share;
        self.squares += share * share;
        if has_failed {
            self.failed += share;
        }
    }

    /// How many walks ended.
    pub(crate) fn walks(&self) -> u32 {
        self.walks
    }

    /// The decay that the walks speak for; `None` before the first.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.walks > 0).then(|| (self.lost + self.failed) / self.weight)
    }

    /// Where the decay is, in all likelihood (Wilson's interval for a share,
    /// with as many walks as would say the same if all weighed alike).
    pub(crate) fn interval(&self) -> Interval {
        if self.walks == 0 {
            return Interval::rounded(0.0, 1.0);
        }
        let share = self.failed / self.open;
        let walks = self.open * self.open / self.squares;
        let square = STANDARD_ERRORS * STANDARD_ERRORS;
        let middle = (share + square / (2.0 * walks)) / (1.0 + square / walks);
        let spread = share * (1.0 - share) / walks + square / (4.0 * walks * walks);
        let half = STANDARD_ERRORS * spread.sqrt() / (1.0 + square / walks);
        let decay = |share: f64| (self.lost + self.open * share) / self.weight;
        Interval::rounded(decay((middle - half).max(0.0)), decay((middle + half).min(1.0)))
    }
}
