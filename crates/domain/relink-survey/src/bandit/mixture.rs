//! How the rates of broken URLs are spread over directories, learned.
//!
//! A directory has one of a few rates, from all but sound to all but dead. How
//! often each occurs is learned for every domain (expectation maximization) and
//! for all of them together, and a domain of which little is known leans on
//! the others. Nothing is assumed of how completely a directory dies, nor of
//! how many broken URLs lie scattered in live ones.

use crate::ledger::CheckCounts;

/// The rates that a directory can have.
pub(super) const RATES: [f64; 16] = [
    0.001, 0.004, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.22, 0.32, 0.45, 0.6, 0.75, 0.88, 0.96, 0.995,
];

/// How often each rate is expected before anything is seen, in parts of 100:
/// most directories live, some are dead, few are in between.
const AT_FIRST: [f64; 16] =
    [20.0, 20.0, 15.0, 8.0, 5.0, 4.0, 3.0, 2.0, 1.0, 1.0, 1.0, 1.0, 2.0, 4.0, 6.0, 7.0];

/// Weights of the rates; they add up to 1.
pub(super) type RateWeights = [f64; RATES.len()];

/// The weights before anything is seen.
pub(super) fn at_first() -> RateWeights {
    AT_FIRST.map(|weight| weight / AT_FIRST.iter().sum::<f64>())
}

/// The logarithms of the rates and of their complements.
#[derive(Debug)]
pub(super) struct Likelihood {
    logs: [(f64, f64); RATES.len()],
}

impl Likelihood {
    pub(super) fn new() -> Self {
        Self { logs: RATES.map(|rate| (rate.ln(), (-rate).ln_1p())) }
    }

    /// How probable each rate is for a directory with this sample, if rates
    /// occur with these weights.
    pub(super) fn posterior(&self, prior: &RateWeights, tally: CheckCounts) -> RateWeights {
        if tally.checked == 0 {
            return *prior;
        }
        let (broken, alive) = (f64::from(tally.broken), f64::from(tally.checked - tally.broken));
        let logs = self.logs.map(|(hit, miss)| broken * hit + alive * miss);
        let greatest = logs.iter().copied().fold(f64::MIN, f64::max);
        let mut weights = *prior;
        for (weight, log) in weights.iter_mut().zip(logs) {
            *weight *= (log - greatest).exp();
        }
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    }

    /// The sum of the posteriors of some directories.
    pub(super) fn expected(
        &self,
        prior: &RateWeights,
        tallies: impl Iterator<Item = CheckCounts>,
    ) -> (RateWeights, f64) {
        let (mut sum, mut directories) = ([0.0; RATES.len()], 0.0);
        for tally in tallies {
            let posterior = self.posterior(prior, tally);
            for (sum, part) in sum.iter_mut().zip(posterior) {
                *sum += part;
            }
            directories += 1.0;
        }
        (sum, directories)
    }
}

/// The sum of weights with their factors, made to add up to 1.
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

/// The mean rate and its variance.
pub(super) fn moments(weights: &RateWeights) -> (f64, f64) {
    let mean: f64 = weights.iter().zip(RATES).map(|(weight, rate)| weight * rate).sum();
    let square: f64 = weights.iter().zip(RATES).map(|(weight, rate)| weight * rate * rate).sum();
    (mean, square - mean * mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_to_one() {
        let posterior =
            Likelihood::new().posterior(&at_first(), CheckCounts { checked: 900, broken: 31 });
        assert!((posterior.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!((at_first().iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_large_sample_tells_the_rate() {
        let posterior =
            Likelihood::new().posterior(&at_first(), CheckCounts { checked: 400, broken: 128 });
        let (mean, variance) = moments(&posterior);
        assert!((mean - 0.32).abs() < 0.02 && variance < 0.01, "{mean} {variance}");
    }

    #[test]
    fn one_hit_makes_death_probable() {
        let likelihood = Likelihood::new();
        let dead = |broken| {
            let weights = likelihood.posterior(&at_first(), CheckCounts { checked: 1, broken });
            weights[11..].iter().sum::<f64>()
        };
        assert!(dead(1) > 0.7 && dead(0) < 0.03, "{} {}", dead(1), dead(0));
    }
}
