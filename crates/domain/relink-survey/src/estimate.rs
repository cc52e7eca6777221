//! How much of what is broken has been found, with an interval.

/// The deviations of the normal distribution that hold 95 %.
const DEVIATIONS: f64 = 1.96;

/// Recall, the share of the broken URLs that have been found, in percent.
///
/// It rests on how many may have been missed; where nothing is broken, nothing
/// is missed and recall is 100.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecallEstimate {
    /// How many broken URLs have been found.
    pub found: u32,
    /// How many have probably been missed.
    pub missed: f64,
    /// The fewest that have been missed, with the plan's confidence.
    pub missed_low: f64,
    /// The most that have been missed, with the plan's confidence.
    pub missed_high: f64,
}

impl RecallEstimate {
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

/// Hits of a random sample, each standing for `1 / probability` of its draw.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct WeightedHits {
    /// The sum of the weights of the hits.
    pub(crate) sum: f64,
    /// The sum of their squares.
    pub(crate) squares: f64,
    /// The greatest weight that a hit could have had.
    pub(crate) greatest: f64,
}

impl WeightedHits {
    /// The numbers between which the sum's expectation lies, at this many
    /// deviations of the normal distribution to each side (Fay & Feuer,
    /// Statistics in Medicine 1997: gamma limits, exact for equal weights and
    /// never found too narrow).
    pub(crate) fn interval(self, deviations: f64) -> (f64, f64) {
        let low = gamma_quantile(self.sum, self.squares, -deviations);
        let sum = self.sum + self.greatest;
        let squares = self.squares + self.greatest * self.greatest;
        (low, gamma_quantile(sum, squares, deviations))
    }
}

/// The quantile of the gamma distribution with this mean and variance, as many
/// deviations from its median as the normal quantile (Wilson & Hilferty, 1931).
fn gamma_quantile(mean: f64, variance: f64, deviations: f64) -> f64 {
    if mean <= 0.0 || variance <= 0.0 {
        return 0.0;
    }
    let ninth = variance / (9.0 * mean * mean);
    mean * (1.0 - ninth + deviations * ninth.sqrt()).max(0.0).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits for so many hits of weight 1, beside those of the tables.
    #[track_caller]
    fn check(hits: u32, expect: (f64, f64)) {
        let hits = f64::from(hits);
        let hits = WeightedHits { sum: hits, squares: hits, greatest: 1.0 };
        let (low, high) = hits.interval(DEVIATIONS);
        assert!(low <= expect.0 + 0.01 && low > expect.0 - 0.05, "{low}");
        assert!((high / expect.1 - 1.0).abs() < 0.01, "{high}");
    }

    #[test]
    fn the_interval_of_equal_weights_is_the_exact_one_of_poisson() {
        check(0, (0.0, 3.689));
        check(1, (0.0253, 5.572));
        check(5, (1.623, 11.668));
        check(20, (12.217, 30.888));
        check(400, (361.76, 441.20));
    }

    #[test]
    fn weights_scale_the_interval() {
        let of = |weight: f64| {
            let hits = WeightedHits {
                sum: 9.0 * weight,
                squares: 9.0 * weight * weight,
                greatest: weight,
            };
            hits.interval(DEVIATIONS)
        };
        assert!((of(7.0).0 / of(1.0).0 - 7.0).abs() < 1e-9);
        assert!((of(7.0).1 / of(1.0).1 - 7.0).abs() < 1e-9);
    }

    #[test]
    fn recall_is_what_was_found_of_all() {
        let estimate =
            RecallEstimate { found: 95, missed: 5.0, missed_low: 0.0, missed_high: 95.0 };
        assert!((estimate.recall() - 95.0).abs() < 1e-9);
        assert!((estimate.low() - 50.0).abs() < 1e-9 && (estimate.high() - 100.0).abs() < 1e-9);
    }

    #[test]
    fn where_nothing_is_broken_nothing_was_missed() {
        assert!((RecallEstimate::exact(0).recall() - 100.0).abs() < 1e-9);
    }
}
