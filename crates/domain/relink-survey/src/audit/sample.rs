//! A random sample of the unchecked URLs. A *hit* is a broken URL of the sample.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use crate::catalog::UrlId;
use crate::check_log::{CheckCounts, CheckLog, UrlHealth};
use crate::estimate::{RecallEstimate, WeightedHits};
use crate::plan::SamplingPlan;
use crate::rng::SplitMix64;

/// Maximum factor by which an expected rate counts as greater or smaller than the mean rate.
/// Expected rates may be wrong.
const MAX_RATIO: f64 = 4.0;

/// The relative probabilities with which the URLs of each directory are drawn.
#[derive(Debug, Clone, Default)]
pub(super) struct DrawWeights {
    by_directory: Vec<f64>,
    /// The sum of the weights of all unchecked URLs.
    total: f64,
    /// The minimum weight of a directory.
    min: f64,
}

impl DrawWeights {
    /// Returns weights by the square root of the expected rates; equal weights if the sample
    /// may contain a large part of the unchecked URLs.
    pub(super) fn new(plan: &impl SamplingPlan, max_size: u32) -> Self {
        let is_uniform =
            f64::from(max_size) * MAX_RATIO * MAX_RATIO > f64::from(plan.check_log().remaining());
        Self::with_max_ratio(plan, if is_uniform { 1.0 } else { MAX_RATIO })
    }

    /// Returns weights for expected rates that differ from the mean by at most this factor.
    fn with_max_ratio(plan: &impl SamplingPlan, max_ratio: f64) -> Self {
        let log = plan.check_log();
        let catalog = log.catalog();
        let unchecked = |directory| {
            f64::from(catalog.directory_size(directory) - log.directory(directory).checked)
        };
        let unchecked_total = f64::from(log.remaining());
        let rates: Vec<f64> =
            catalog.directories().map(|directory| plan.expected_rate(directory)).collect();
        let expected: f64 = catalog
            .directories()
            .map(|directory| unchecked(directory) * rates[directory.index()])
            .sum();
        let mean = (expected / unchecked_total.max(1.0)).max(f64::MIN_POSITIVE);
        let weight = |rate: &f64| (rate / mean).clamp(1.0 / max_ratio, max_ratio).sqrt();
        let by_directory: Vec<f64> = rates.iter().map(weight).collect();
        let total = catalog
            .directories()
            .map(|directory| unchecked(directory) * by_directory[directory.index()])
            .sum();
        let min = by_directory.iter().copied().fold(f64::INFINITY, f64::min);
        Self { by_directory, total, min }
    }

    /// Returns the weight of a URL, which is the weight of its directory.
    fn weight_of(&self, url: UrlId, log: &CheckLog<'_>) -> f64 {
        self.by_directory[log.catalog().directory_of(url).index()]
    }
}

/// A random sample of the unchecked URLs.
#[derive(Debug, Clone, Default)]
pub(super) struct Sample {
    /// Number of URLs that the plan left unchecked.
    pub(super) rest: u32,
    /// Number of broken URLs that the plan found.
    pub(super) found: u32,
    /// The results of the sample.
    pub(super) counts: CheckCounts,
    /// URLs to check next.
    pub(super) ready: Vec<UrlId>,
    /// Number of checks in flight.
    pub(super) in_flight: u32,
    weights: DrawWeights,
    /// Weights of the hits, multiplied by the sample size.
    hits: WeightedHits,
    /// The sum over all checked URLs of the number of hits that earlier draws had found. Divided
    /// by the sample size, it is the mean number of broken URLs that a draw could no longer find.
    earlier_hits: f64,
    /// Number of broken URLs found before the current draw.
    hits_before_draw: u32,
}

impl Sample {
    /// Returns an empty sample of the unchecked URLs.
    pub(super) fn new(log: &CheckLog<'_>, weights: DrawWeights) -> Self {
        let (rest, found) = (log.remaining(), log.total().broken);
        let mut sample = Self { rest, found, ..Self::default() };
        sample.set_weights(weights);
        sample
    }

    /// Sets the weights of further draws. No check may be in flight.
    pub(super) fn set_weights(&mut self, weights: DrawWeights) {
        self.hits_before_draw = self.counts.broken;
        self.hits.greatest = self.hits.greatest.max(weights.total / weights.min);
        self.weights = weights;
    }

    /// Draws `size` unchecked URLs.
    pub(super) fn draw(&mut self, log: &CheckLog<'_>, size: u32, rng: &mut SplitMix64) {
        let unchecked = log.catalog().urls().filter(|url| log.is_unchecked(*url));
        let weighted: Vec<(UrlId, f64)> =
            unchecked.map(|url| (url, self.weights.weight_of(url, log))).collect();
        self.ready = stratified_sample(&weighted, size, rng);
        rng.shuffle(&mut self.ready);
    }

    /// Records the result of a URL of the sample.
    pub(super) fn record(&mut self, url: UrlId, health: UrlHealth, log: &CheckLog<'_>) {
        self.counts.add(health);
        self.in_flight = self.in_flight.saturating_sub(1);
        self.earlier_hits += f64::from(self.hits_before_draw);
        if health == UrlHealth::Broken {
            let weight = self.weights.total / self.weights.weight_of(url, log);
            self.hits.sum += weight;
            self.hits.squares += weight * weight;
        }
    }

    /// Returns the estimate, given the number of broken URLs found so far.
    pub(super) fn estimate(&self, found: u32, deviations: f64) -> RecallEstimate {
        let rest = f64::from(self.rest);
        let size = f64::from(self.counts.checked.max(1));
        let hits = WeightedHits {
            sum: self.hits.sum / size,
            squares: self.hits.squares / (size * size),
            greatest: self.hits.greatest / size,
        };
        let (low, high) = hits.interval(deviations);
        // The weighted hits estimate the URLs that a draw could find.
        let broken = hits.sum + self.earlier_hits / size;
        // Finite population correction: the interval is narrower if the sample contains a large
        // part of all unchecked URLs.
        let correction = (f64::from(self.rest - self.counts.checked) / rest.max(1.0)).sqrt();
        // Broken URLs that were found since the plan ended are no longer missed.
        let found_since = f64::from(found - self.found);
        let missed = |broken: f64| (broken.min(rest) - found_since).max(0.0);
        RecallEstimate {
            found,
            missed: missed(broken),
            missed_low: missed(broken - (hits.sum - low) * correction),
            missed_high: missed(broken + (high - hits.sum) * correction),
        }
    }
}

/// Draws one URL from each of `size` strata: consecutive parts of `weighted` with equal weight.
fn stratified_sample(weighted: &[(UrlId, f64)], size: u32, rng: &mut SplitMix64) -> Vec<UrlId> {
    if size as usize >= weighted.len() {
        return weighted.iter().map(|(url, _)| *url).collect();
    }
    let stratum_weight = weighted.iter().map(|(_, weight)| weight).sum::<f64>() / f64::from(size);
    let mut drawn: Vec<UrlId> = Vec::new();
    // The weight of the URLs so far, and the index of the current stratum.
    let (mut cumulated, mut stratum) = (0.0, 0.0);
    // A random point in the current stratum. The URL whose weight contains the point is drawn.
    let mut point = stratum_weight * rng.unit();
    for (url, weight) in weighted {
        cumulated += weight;
        let is_drawn = point < cumulated;
        // A URL with a great weight may contain the points of several strata.
        while point < cumulated {
            stratum += 1.0;
            point = stratum_weight * (stratum + rng.unit());
        }
        if is_drawn {
            drawn.push(*url);
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;

    /// Returns one URL for each weight.
    fn weighted_urls(weights: &[f64]) -> Vec<(UrlId, f64)> {
        let urls = (0..weights.len()).map(|page| ("a.test", format!("http://a.test/{page}")));
        let catalog = Catalog::new(urls);
        catalog.urls().zip(weights.iter().copied()).collect()
    }

    #[test]
    fn stratified_sample_has_the_requested_size() {
        let urls = weighted_urls(&[1.0; 1_000]);
        assert_eq!(stratified_sample(&urls, 50, &mut SplitMix64::new(1)).len(), 50);
        assert_eq!(stratified_sample(&urls, 2_000, &mut SplitMix64::new(1)).len(), 1_000);
        assert_eq!(stratified_sample(&urls, 0, &mut SplitMix64::new(1)).len(), 0);
    }

    #[test]
    fn stratified_sample_draws_greater_weights_more_often() {
        let weights: Vec<f64> = (0..1_000).map(|at| if at % 2 == 0 { 3.0 } else { 1.0 }).collect();
        let urls = weighted_urls(&weights);
        let mut rng = SplitMix64::new(2);
        let mut even = 0;
        for _ in 0..200 {
            let drawn = stratified_sample(&urls, 100, &mut rng);
            even += drawn.iter().filter(|url| url.index() % 2 == 0).count();
        }
        // The even URLs have three quarters of the weight, and 20,000 URLs were drawn.
        assert!((14_500..15_500).contains(&even), "{even}");
    }
}
