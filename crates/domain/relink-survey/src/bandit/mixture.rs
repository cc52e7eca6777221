//! Mixture model for the rates of broken URLs of directories.
//!
//! The rate of a directory is the share of its URLs that are broken. A directory has one of a
//! few rates between almost 0 and almost 1. A *mixture* assigns a weight to each rate: the
//! estimated share of directories with this rate. It makes no assumption about how completely
//! a directory dies, or how many broken URLs live directories contain.
//!
//! The mixture of a domain is fitted to the checked URLs of its directories by expectation
//! maximization: the probable rates of each directory are computed from the mixture, and the
//! mixture is replaced by their mean, repeatedly. A domain with few checked directories contains
//! little information, so its mixture is blended with the pooled mixture of all domains.

use crate::check_log::CheckCounts;

/// The possible rates of a directory.
pub(super) const RATES: [f64; 16] = [
    0.001, 0.004, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.22, 0.32, 0.45, 0.6, 0.75, 0.88, 0.96, 0.995,
];

/// Prior weights of the rates in percent: in most directories, most pages are live; in
/// some, most are dead; in few, about half.
const INITIAL_WEIGHTS: [f64; 16] =
    [20.0, 20.0, 15.0, 8.0, 5.0, 4.0, 3.0, 2.0, 1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 6.0, 7.0];

/// Weights of the rates; their sum is 1.
pub(super) type RateWeights = [f64; RATES.len()];

/// Returns the prior weights.
pub(super) fn initial_weights() -> RateWeights {
    INITIAL_WEIGHTS.map(|weight| weight / INITIAL_WEIGHTS.iter().sum::<f64>())
}

/// Computes how probable each rate is after a number of checks.
#[derive(Debug)]
pub(super) struct Likelihood {
    /// For each rate, the logarithms of the probabilities of a broken URL and of a live URL.
    logs: [(f64, f64); RATES.len()],
}

impl Likelihood {
    pub(super) fn new() -> Self {
        // `ln_1p(-rate)` is the logarithm of `1 - rate`.
        Self { logs: RATES.map(|rate| (rate.ln(), (-rate).ln_1p())) }
    }

    /// Returns the probabilities of the rates of a directory with these results (the posterior).
    /// Without results, they are the weights `prior`.
    pub(super) fn posterior(&self, prior: &RateWeights, counts: CheckCounts) -> RateWeights {
        if counts.checked == 0 {
            return *prior;
        }
        let (broken, alive) = (f64::from(counts.broken), f64::from(counts.checked - counts.broken));
        let logs = self.logs.map(|(log_broken, log_alive)| broken * log_broken + alive * log_alive);
        // Subtract the maximum before `exp`, which would otherwise return 0 for large samples.
        let greatest = logs.iter().copied().fold(f64::MIN, f64::max);
        let mut weights = *prior;
        for (weight, log) in weights.iter_mut().zip(logs) {
            *weight *= (log - greatest).exp();
        }
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    }

    /// Returns the sum of the posteriors of several directories, and the number of directories.
    /// The sum contains the expected number of directories with each rate.
    pub(super) fn sum_of_posteriors(
        &self,
        prior: &RateWeights,
        counts: impl Iterator<Item = CheckCounts>,
    ) -> (RateWeights, f64) {
        let (mut sum, mut directories) = ([0.0; RATES.len()], 0.0);
        for counts in counts {
            let posterior = self.posterior(prior, counts);
            for (sum, part) in sum.iter_mut().zip(posterior) {
                *sum += part;
            }
            directories += 1.0;
        }
        (sum, directories)
    }
}

/// Returns the sum of two mixtures, each multiplied by its factor, normalized to a sum of 1.
pub(super) fn blend(
    one: &RateWeights,
    factor: f64,
    other: &RateWeights,
    other_factor: f64,
) -> RateWeights {
    let mut blend = *one;
    for (part, other) in blend.iter_mut().zip(other) {
        *part = *part * factor + other * other_factor;
    }
    let sum: f64 = blend.iter().sum();
    blend.map(|part| part / sum)
}

/// Returns the mean and the variance of the rate of a directory.
pub(super) fn mean_and_variance(weights: &RateWeights) -> (f64, f64) {
    let mean: f64 = weights.iter().zip(RATES).map(|(weight, rate)| weight * rate).sum();
    let square: f64 = weights.iter().zip(RATES).map(|(weight, rate)| weight * rate * rate).sum();
    (mean, square - mean * mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_to_one() {
        let posterior = Likelihood::new()
            .posterior(&initial_weights(), CheckCounts { checked: 900, broken: 31 });
        assert!((posterior.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!((initial_weights().iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn large_sample_determines_the_rate() {
        let posterior = Likelihood::new()
            .posterior(&initial_weights(), CheckCounts { checked: 400, broken: 128 });
        let (mean, variance) = mean_and_variance(&posterior);
        assert!((mean - 0.32).abs() < 0.02 && variance < 0.01, "{mean} {variance}");
    }

    #[test]
    fn one_broken_url_makes_a_dead_directory_likely() {
        /// Minimum rate of a dead directory.
        const MIN_DEAD_RATE: f64 = 0.6;
        let likelihood = Likelihood::new();
        let dead_probability = |broken| {
            let weights =
                likelihood.posterior(&initial_weights(), CheckCounts { checked: 1, broken });
            let dead = weights.iter().zip(RATES).filter(|(_, rate)| *rate >= MIN_DEAD_RATE);
            dead.map(|(weight, _)| weight).sum::<f64>()
        };
        let (after_broken, after_alive) = (dead_probability(1), dead_probability(0));
        assert!(after_broken > 0.7 && after_alive < 0.03, "{after_broken} {after_alive}");
    }
}
