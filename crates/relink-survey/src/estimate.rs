//! How much of what is broken has been found, with an interval.

/// The deviations of the normal distribution that hold 95 %.
const DEVIATIONS: f64 = 1.96;

/// Halvings that narrow a share down to the last digit of a `f64`.
const HALVINGS: u32 = 60;

/// Recall, the share of the broken URLs that have been found, in percent.
///
/// It rests on how many may have been missed; where nothing is broken, nothing
/// is missed and recall is 100.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// How many broken URLs have been found.
    pub found: u32,
    /// How many have probably been missed.
    pub missed: f64,
    /// The fewest that have been missed, with the plan's confidence.
    pub missed_low: f64,
    /// The most that have been missed, with the plan's confidence.
    pub missed_high: f64,
}

impl Estimate {
    /// Everything has been checked, or nothing is there to check.
    pub fn exact(found: u32) -> Self {
        Self { found, missed: 0.0, missed_low: 0.0, missed_high: 0.0 }
    }

    /// From the mean and the variance of what was missed among `unchecked`.
    pub fn normal(found: u32, unchecked: u32, mean: f64, variance: f64) -> Self {
        let most = f64::from(unchecked);
        let margin = DEVIATIONS * variance.max(0.0).sqrt();
        Self {
            found,
            missed: mean.clamp(0.0, most),
            missed_low: (mean - margin).clamp(0.0, most),
            missed_high: (mean + margin).clamp(0.0, most),
        }
    }

    /// The probable recall, in percent.
    pub fn recall(&self) -> f64 {
        self.recall_with(self.missed)
    }

    /// The least recall, in percent.
    pub fn low(&self) -> f64 {
        self.recall_with(self.missed_high)
    }

    /// The greatest recall, in percent.
    pub fn high(&self) -> f64 {
        self.recall_with(self.missed_low)
    }

    fn recall_with(&self, missed: f64) -> f64 {
        let all = f64::from(self.found) + missed;
        if all <= 0.0 { 100.0 } else { 100.0 * f64::from(self.found) / all }
    }
}

/// The shares between which the truth lies with this confidence, given `hits`
/// in `draws` (Clopper & Pearson, Biometrika 1934: never too narrow).
pub fn exact_interval(hits: u32, draws: u32, confidence: f64) -> (f64, f64) {
    let tail = (1.0 - confidence) / 2.0;
    let low = if hits == 0 {
        0.0
    } else {
        // As the share grows, so does the chance of this many hits or more.
        crossing(|share| 1.0 - at_most(hits - 1, draws, share) < tail)
    };
    let high =
        if hits >= draws { 1.0 } else { crossing(|share| at_most(hits, draws, share) > tail) };
    (low, high)
}

/// The share up to which a claim holds that fails for all greater ones.
fn crossing(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The chance of at most `hits` in `draws` when each hits with this share.
fn at_most(hits: u32, draws: u32, share: f64) -> f64 {
    let (log_hit, log_miss) = (share.ln(), (-share).ln_1p());
    let mut log_term = f64::from(draws) * log_miss;
    let mut sum = log_term.exp();
    for hit in 1..=hits {
        log_term += (f64::from(draws - hit + 1) / f64::from(hit)).ln() + log_hit - log_miss;
        sum += log_term.exp();
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(hits: u32, draws: u32, expect: (f64, f64)) {
        let (low, high) = exact_interval(hits, draws, 0.95);
        let is_near = |one: f64, other: f64| (one - other).abs() < 5e-4;
        assert!(is_near(low, expect.0) && is_near(high, expect.1), "{low} {high}");
    }

    #[test]
    fn the_interval_is_that_of_the_tables() {
        check(0, 10, (0.0, 0.3085));
        check(10, 10, (0.6915, 1.0));
        check(1, 20, (0.0013, 0.2487));
        check(50, 1_000, (0.0373, 0.0654));
        check(0, 0, (0.0, 1.0));
    }

    #[test]
    fn thousands_of_draws_do_not_underflow() {
        let (low, high) = exact_interval(2_500, 50_000, 0.95);
        assert!((0.047..0.05).contains(&low) && (0.05..0.053).contains(&high), "{low} {high}");
    }

    #[test]
    fn recall_is_what_was_found_of_all() {
        let estimate = Estimate { found: 95, missed: 5.0, missed_low: 0.0, missed_high: 95.0 };
        assert!((estimate.recall() - 95.0).abs() < 1e-9);
        assert!((estimate.low() - 50.0).abs() < 1e-9 && (estimate.high() - 100.0).abs() < 1e-9);
    }

    #[test]
    fn where_nothing_is_broken_nothing_was_missed() {
        assert!((Estimate::exact(0).recall() - 100.0).abs() < 1e-9);
    }
}
