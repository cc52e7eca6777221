//! Estimates of recall with confidence intervals.

/// Half width of a 95 % interval in standard deviations.
const DEVIATIONS: f64 = 1.96;

/// An estimate of recall: the percentage of all broken URLs that were found.
///
/// It is derived from the number of missed broken URLs. If nothing is broken, recall is 100.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecallEstimate {
    /// Number of broken URLs found.
    pub found: u32,
    /// Expected number of missed broken URLs.
    pub missed: f64,
    /// Lower bound of the number of missed broken URLs.
    pub missed_low: f64,
    /// Upper bound of the number of missed broken URLs.
    pub missed_high: f64,
}

impl RecallEstimate {
    /// Returns the estimate after all URLs were checked.
    pub fn exact(found: u32) -> Self {
        Self { found, missed: 0.0, missed_low: 0.0, missed_high: 0.0 }
    }

    /// Returns the estimate from the mean and variance of the number of broken URLs among the
    /// `unchecked` URLs.
    pub fn normal(found: u32, unchecked: u32, mean: f64, variance: f64) -> Self {
        let max = f64::from(unchecked);
        let margin = DEVIATIONS * variance.max(0.0).sqrt();
        Self {
            found,
            missed: mean.clamp(0.0, max),
            missed_low: (mean - margin).clamp(0.0, max),
            missed_high: (mean + margin).clamp(0.0, max),
        }
    }

    /// Returns the expected recall in percent.
    pub fn recall(&self) -> f64 {
        self.recall_with(self.missed)
    }

    /// Returns the lower bound of recall in percent.
    pub fn low(&self) -> f64 {
        self.recall_with(self.missed_high)
    }

    /// Returns the upper bound of recall in percent.
    pub fn high(&self) -> f64 {
        self.recall_with(self.missed_low)
    }

    fn recall_with(&self, missed: f64) -> f64 {
        let all = f64::from(self.found) + missed;
        if all <= 0.0 { 100.0 } else { 100.0 * f64::from(self.found) / all }
    }
}

/// The broken URLs (hits) of a random sample, each weighted by `1 / probability` of its draw.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct WeightedHits {
    /// The sum of the weights.
    pub(crate) sum: f64,
    /// The sum of the squared weights.
    pub(crate) squares: f64,
    /// The greatest weight that a draw can have, whether the URL is broken or not.
    pub(crate) greatest: f64,
}

impl WeightedHits {
    /// Returns a confidence interval for the expectation of the sum. `deviations` is the normal
    /// quantile of each side, such as 1.96.
    ///
    /// The limits are quantiles of gamma distributions (Fay & Feuer, Statistics in Medicine
    /// 1997). If all weights are equal, they are the exact limits of a Poisson distribution,
    /// apart from the error of [`gamma_quantile`]. Otherwise they are wider than needed.
    pub(crate) fn interval(self, deviations: f64) -> (f64, f64) {
        let low = gamma_quantile(self.sum, self.squares, -deviations);
        let sum = self.sum + self.greatest;
        let squares = self.squares + self.greatest * self.greatest;
        (low, gamma_quantile(sum, squares, deviations))
    }
}

/// Returns the quantile of the gamma distribution with this mean and variance. `deviations` is
/// the corresponding quantile of the normal distribution (Wilson & Hilferty, 1931).
fn gamma_quantile(mean: f64, variance: f64, deviations: f64) -> f64 {
    if mean <= 0.0 || variance <= 0.0 {
        return 0.0;
    }
    // The cube root of a gamma variable, divided by the mean, is almost normally distributed.
    let root_variance = variance / (9.0 * mean * mean);
    let root_mean = 1.0 - root_variance;
    mean * (root_mean + deviations * root_variance.sqrt()).max(0.0).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts that the limits for hits of weight 1 are close to the exact Poisson limits
    /// `expect`.
    #[track_caller]
    fn check(hits: u32, expect: (f64, f64)) {
        let hits = f64::from(hits);
        let hits = WeightedHits { sum: hits, squares: hits, greatest: 1.0 };
        let (low, high) = hits.interval(DEVIATIONS);
        assert!(low <= expect.0 + 0.01 && low > expect.0 - 0.05, "{low}");
        assert!((high / expect.1 - 1.0).abs() < 0.01, "{high}");
    }

    #[test]
    fn interval_of_equal_weights_is_exact_poisson() {
        check(0, (0.0, 3.689));
        check(1, (0.0253, 5.572));
        check(5, (1.623, 11.668));
        check(20, (12.217, 30.888));
        check(400, (361.76, 441.20));
    }

    #[test]
    fn interval_scales_with_weights() {
        let interval = |weight: f64| {
            let hits = WeightedHits {
                sum: 9.0 * weight,
                squares: 9.0 * weight * weight,
                greatest: weight,
            };
            hits.interval(DEVIATIONS)
        };
        assert!((interval(7.0).0 / interval(1.0).0 - 7.0).abs() < 1e-9);
        assert!((interval(7.0).1 / interval(1.0).1 - 7.0).abs() < 1e-9);
    }

    #[test]
    fn recall_is_the_found_share() {
        let estimate =
            RecallEstimate { found: 95, missed: 5.0, missed_low: 0.0, missed_high: 95.0 };
        assert!((estimate.recall() - 95.0).abs() < 1e-9);
        assert!((estimate.low() - 50.0).abs() < 1e-9 && (estimate.high() - 100.0).abs() < 1e-9);
    }

    #[test]
    fn recall_is_100_if_nothing_is_broken() {
        assert!((RecallEstimate::exact(0).recall() - 100.0).abs() < 1e-9);
    }
}
