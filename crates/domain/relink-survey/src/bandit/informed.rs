//! Whether further checks are worthwhile, by comparison with a plan that knows the rate of every
//! directory.
//!
//! Such an *informed plan* checks the directories in the order of their rates. Where whole
//! directories are dead, it soon finds nothing more, so every directory that the bandit finds
//! later catches up with it. Where broken URLs are scattered, it always has small directories left
//! that have a high rate by chance. No other plan can find those, so further checks only increase
//! the distance.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::index::Prospect;
use super::mixture::{RATES, RateWeights};
use super::{Bandit, BanditSettings};
use crate::rng::SplitMix64;

/// Seed of the drawn rates. It is the same each time, so that the result changes only with the
/// checks.
const SEED: u64 = 0x696e_666f;

/// Number of URLs from which the binomial distribution is approximated by the normal one.
const LARGE_DIRECTORY: u32 = 40;

/// Returns the minimum index of directories whose checks are worthwhile: those that are expected
/// to reduce the regret (how much less the bandit finds than an informed plan with as many
/// checks), and those from [`BanditSettings::certain_index`] on.
pub(super) fn worthwhile_index(bandit: &Bandit<'_>) -> f64 {
    let BanditSettings { min_index, certain_index, .. } = bandit.settings;
    let mut prospects: Vec<Prospect> = bandit
        .log
        .catalog()
        .directories()
        .filter(|directory| f64::from(bandit.directories[directory.index()].index) >= min_index)
        .map(|directory| bandit.prospect(directory))
        .collect();
    prospects.sort_unstable_by(|one, other| other.index().total_cmp(&one.index()));
    let mut informed = InformedPlan::draw(bandit);
    informed.check(f64::from(bandit.log.total().checked));
    let (mut regret, mut lowest_regret, mut index) = (0.0, 0.0, certain_index);
    for prospect in prospects {
        regret += informed.check(prospect.checks) - prospect.found;
        if regret <= lowest_regret || prospect.index() >= certain_index {
            (lowest_regret, index) = (regret, prospect.index());
        }
    }
    index.min(certain_index)
}

/// A plan that knows the rates of directories, here as drawn from their posteriors.
struct InformedPlan {
    /// The rate and the number of unchecked URLs of each directory; the lowest rate is first.
    directories: Vec<(f64, f64)>,
}

impl InformedPlan {
    fn draw(bandit: &Bandit<'_>) -> Self {
        let mut rng = SplitMix64::new(SEED);
        let catalog = bandit.log.catalog();
        let mut directories: Vec<(f64, f64)> = catalog
            .directories()
            .map(|directory| {
                let size = f64::from(catalog.directory_size(directory));
                let remaining = bandit.unchecked_in(directory);
                let found = f64::from(bandit.log.directory(directory).broken);
                let missed = if remaining == 0 {
                    0.0
                } else {
                    let rate = draw_rate(&bandit.posterior(directory), &mut rng);
                    draw_broken(remaining, rate, &mut rng)
                };
                ((found + missed) / size, size)
            })
            .collect();
        directories.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        Self { directories }
    }

    /// Does a number of checks. Returns how many broken URLs they find.
    fn check(&mut self, mut checks: f64) -> f64 {
        let mut found = 0.0;
        while let Some((rate, size)) = self.directories.last_mut() {
            if *size > checks {
                *size -= checks;
                return found + checks * *rate;
            }
            found += *size * *rate;
            checks -= *size;
            self.directories.pop();
        }
        found
    }
}

/// Draws a rate of a mixture.
fn draw_rate(weights: &RateWeights, rng: &mut SplitMix64) -> f64 {
    let mut point = rng.unit();
    for (weight, rate) in weights.iter().zip(RATES) {
        point -= weight;
        if point < 0.0 {
            return rate;
        }
    }
    RATES[RATES.len() - 1]
}

/// Draws the number of broken URLs among `urls` URLs.
fn draw_broken(urls: u32, rate: f64, rng: &mut SplitMix64) -> f64 {
    if urls < LARGE_DIRECTORY {
        return (0..urls).map(|_| f64::from(u8::from(rng.bernoulli(rate)))).sum();
    }
    let urls = f64::from(urls);
    let deviation = (urls * rate * (1.0 - rate)).sqrt();
    (urls * rate + deviation * rng.normal()).clamp(0.0, urls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn informed_plan_checks_the_highest_rates_first() {
        let mut plan = InformedPlan { directories: vec![(0.1, 50.0), (0.5, 20.0), (1.0, 10.0)] };
        assert!((plan.check(5.0) - 5.0).abs() < 1e-9);
        assert!((plan.check(15.0) - 10.0).abs() < 1e-9);
        assert!((plan.check(1_000.0) - 10.0).abs() < 1e-9);
        assert!(plan.check(1.0) <= 0.0);
    }

    #[test]
    fn drawn_numbers_have_the_expected_mean() {
        let mut rng = SplitMix64::new(1);
        for urls in [10, 400] {
            let mean = (0..2_000).map(|_| draw_broken(urls, 0.3, &mut rng)).sum::<f64>() / 2_000.0;
            assert!((mean / (0.3 * f64::from(urls)) - 1.0).abs() < 0.05, "{mean}");
        }
    }
}
