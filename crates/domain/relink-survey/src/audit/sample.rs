//! A random sample of what a plan left unchecked.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use crate::catalog::UrlId;
use crate::estimate::{RecallEstimate, WeightedHits};
use crate::ledger::{CheckCounts, CheckLog, UrlHealth};
use crate::plan::SamplingPlan;
use crate::rng::SplitMix64;

/// An expected rate counts for at most so many times the mean rate, and for at
/// least the same part of it: it may be wrong.
const TRUST: f64 = 4.0;

/// The same where the audit itself has shown the rates.
const LEARNT_TRUST: f64 = 16.0;

/// How much more often the URLs of a directory are drawn than those of others.
#[derive(Debug, Clone, Default)]
pub(super) struct Bias {
    by_directory: Vec<f64>,
    /// The sum over the rest.
    total: f64,
    least: f64,
}

impl Bias {
    /// By the root of the rates that the plan expects; none where the sample
    /// may be a large part of the rest.
    pub(super) fn new(plan: &impl SamplingPlan, most: u32) -> Self {
        let is_even = f64::from(most) * TRUST * TRUST > f64::from(plan.ledger().unchecked());
        Self::with_trust(plan, if is_even { 1.0 } else { TRUST })
    }

    /// The same for a further draw of `wanted`, now that a part of the sample
    /// has shown the rates.
    pub(super) fn learned(plan: &impl SamplingPlan, wanted: u32) -> Self {
        let is_even = f64::from(wanted) * LEARNT_TRUST > f64::from(plan.ledger().unchecked());
        Self::with_trust(plan, if is_even { 1.0 } else { LEARNT_TRUST })
    }

    fn with_trust(plan: &impl SamplingPlan, trust: f64) -> Self {
        let ledger = plan.ledger();
        let catalog = ledger.catalog();
        let left = |directory| {
            f64::from(catalog.directory_size(directory) - ledger.directory(directory).checked)
        };
        let rest = f64::from(ledger.unchecked());
        let rates: Vec<f64> = catalog.directories().map(|it| plan.expected_rate(it)).collect();
        let expected: f64 = catalog.directories().map(|it| left(it) * rates[it.index()]).sum();
        let mean = (expected / rest.max(1.0)).max(f64::MIN_POSITIVE);
        let bias = |rate: &f64| (rate / mean).clamp(1.0 / trust, trust).sqrt();
        let by_directory: Vec<f64> = rates.iter().map(bias).collect();
        let total = catalog.directories().map(|it| left(it) * by_directory[it.index()]).sum();
        let least = by_directory.iter().copied().fold(f64::INFINITY, f64::min);
        Self { by_directory, total, least }
    }

    fn of(&self, url: UrlId, ledger: &CheckLog<'_>) -> f64 {
        self.by_directory[ledger.catalog().directory_of(url).index()]
    }
}

/// A random sample of the rest.
#[derive(Debug, Clone, Default)]
pub(super) struct Sample {
    /// How many URLs the plan had left.
    pub(super) rest: u32,
    /// How many broken ones it had found.
    pub(super) found: u32,
    /// What the sample has shown.
    pub(super) tally: CheckCounts,
    /// To be asked.
    pub(super) ready: Vec<UrlId>,
    /// How many answers are owed.
    pub(super) outstanding: u32,
    bias: Bias,
    /// The sums of the hits' weights and their squares, times the size of the
    /// sample; and the greatest weight.
    hits: WeightedHits,
    /// The broken URLs that earlier draws had taken out of the rest, summed
    /// over the URLs of each draw.
    taken_out: f64,
    /// How many of them when the current draw began.
    before: u32,
}

impl Sample {
    /// An empty sample of what is left.
    pub(super) fn new(ledger: &CheckLog<'_>, bias: Bias) -> Self {
        let (rest, found) = (ledger.unchecked(), ledger.total().broken);
        let mut sample = Self { rest, found, ..Self::default() };
        sample.follow(bias);
        sample
    }

    /// Draws by this bias from now on; every answer is in.
    pub(super) fn follow(&mut self, bias: Bias) {
        self.before = self.tally.broken;
        self.hits.greatest = self.hits.greatest.max(bias.total / bias.least);
        self.bias = bias;
    }

    /// Draws some URLs that have not been asked.
    pub(super) fn draw(&mut self, ledger: &CheckLog<'_>, wanted: u32, chance: &mut SplitMix64) {
        let unasked = ledger.catalog().urls().filter(|url| ledger.is_unasked(*url));
        let rest: Vec<(UrlId, f64)> = unasked.map(|url| (url, self.bias.of(url, ledger))).collect();
        self.ready = one_of_each_stretch(&rest, wanted, chance);
        chance.shuffle(&mut self.ready);
    }

    /// Takes the answer of a URL of the sample.
    pub(super) fn take(&mut self, url: UrlId, answer: UrlHealth, ledger: &CheckLog<'_>) {
        self.tally.add(answer);
        self.outstanding = self.outstanding.saturating_sub(1);
        self.taken_out += f64::from(self.before);
        if answer == UrlHealth::Broken {
            let weight = self.bias.total / self.bias.of(url, ledger);
            self.hits.sum += weight;
            self.hits.squares += weight * weight;
        }
    }

    /// What was missed, if so many are found by now.
    pub(super) fn estimate(&self, found: u32, deviations: f64) -> RecallEstimate {
        let rest = f64::from(self.rest);
        let size = f64::from(self.tally.checked.max(1));
        let hits = WeightedHits {
            sum: self.hits.sum / size,
            squares: self.hits.squares / (size * size),
            greatest: self.hits.greatest / size,
        };
        let (low, high) = hits.interval(deviations);
        let broken = hits.sum + self.taken_out / size;
        // The rest is finite: the more of it was seen, the less is unknown.
        let unseen = (f64::from(self.rest - self.tally.checked) / rest.max(1.0)).sqrt();
        let since = f64::from(found - self.found);
        let missed = |broken: f64| (broken.min(rest) - since).max(0.0);
        RecallEstimate {
            found,
            missed: missed(broken),
            missed_low: missed(broken - (hits.sum - low) * unseen),
            missed_high: missed(broken + (high - hits.sum) * unseen),
        }
    }
}

/// One URL at random from each of `wanted` stretches of equal weight.
fn one_of_each_stretch(rest: &[(UrlId, f64)], wanted: u32, chance: &mut SplitMix64) -> Vec<UrlId> {
    if wanted as usize >= rest.len() {
        return rest.iter().map(|(url, _)| *url).collect();
    }
    let stretch = rest.iter().map(|(_, bias)| bias).sum::<f64>() / f64::from(wanted);
    let mut drawn: Vec<UrlId> = Vec::new();
    let (mut passed, mut number) = (0.0, 0.0);
    let mut point = stretch * chance.unit();
    for (url, bias) in rest {
        passed += bias;
        let is_drawn = point < passed;
        while point < passed {
            number += 1.0;
            point = stretch * (number + chance.unit());
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

    fn rest(biases: &[f64]) -> Vec<(UrlId, f64)> {
        let urls = (0..biases.len()).map(|page| ("a.test", format!("http://a.test/{page}")));
        let catalog = Catalog::new(urls);
        catalog.urls().zip(biases.iter().copied()).collect()
    }

    #[test]
    fn as_many_are_drawn_as_were_wanted() {
        let rest = rest(&[1.0; 1_000]);
        assert_eq!(one_of_each_stretch(&rest, 50, &mut SplitMix64::new(1)).len(), 50);
        assert_eq!(one_of_each_stretch(&rest, 2_000, &mut SplitMix64::new(1)).len(), 1_000);
        assert_eq!(one_of_each_stretch(&rest, 0, &mut SplitMix64::new(1)).len(), 0);
    }

    #[test]
    fn a_greater_weight_is_drawn_more_often() {
        let biases: Vec<f64> = (0..1_000).map(|at| if at % 2 == 0 { 3.0 } else { 1.0 }).collect();
        let rest = rest(&biases);
        let mut chance = SplitMix64::new(2);
        let mut even = 0;
        for _ in 0..200 {
            let drawn = one_of_each_stretch(&rest, 100, &mut chance);
            even += drawn.iter().filter(|url| url.index() % 2 == 0).count();
        }
        assert!((14_500..15_500).contains(&even), "{even}");
    }
}
