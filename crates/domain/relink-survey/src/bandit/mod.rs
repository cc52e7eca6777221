//! The default plan: a multi-armed bandit, in which each directory is an arm. (A bandit decides
//! repeatedly which of several arms to try, each with an unknown rate of success.)
//!
//! The *rate* of a directory is the share of its URLs that are broken. The arms share
//! information: the rates of a domain's directories come from one distribution ([`mixture`]),
//! which is blended with the distribution of all domains. The next URL is always from the
//! directory with the highest *index*: the expected share of broken URLs among its further
//! checks ([`index`]). The plan ends when no further check is worthwhile ([`informed`]).
//!
//! Broken URLs that are scattered over a domain need no separate rule: if the directories of a
//! domain have similar rates, the plan decides on the domain as a whole.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

mod forecast;
mod index;
mod informed;
mod mixture;
mod reason;
mod refit;

use self::mixture::{Likelihood, RATES, RateWeights, initial_weights, mean_and_variance};
use self::refit::{DomainKind, DomainPosterior, RefitScope};
use crate::catalog::{Catalog, DirectoryId, DomainId, UrlId};
use crate::check_log::{CheckCounts, CheckLog, UrlHealth};
use crate::estimate::RecallEstimate;
use crate::plan::{Forecast, LotDecision, SamplingPlan};
use crate::rng::SplitMix64;
use crate::strata::ShuffledStrata;

/// The parameters of the bandit.
#[derive(Debug, Clone, Copy)]
pub struct BanditSettings {
    /// Minimum rate of a directory whose URLs are all checked.
    pub full_check_rate: f64,
    /// Index below which a directory is never checked.
    pub min_index: f64,
    /// Index from which a directory is always checked. In between, it is checked if that is
    /// expected to reduce the regret (module `informed`).
    pub certain_index: f64,
    /// Weight of the other domains of the same kind, as a number of directories: with this many
    /// checked directories, a domain and the other domains determine its rates equally.
    pub shrinkage: f64,
    /// Whether the plan continues until all URLs are checked, most promising directories first.
    /// The caller decides when to stop.
    pub checks_all: bool,
}

impl Default for BanditSettings {
    fn default() -> Self {
        Self {
            full_check_rate: 0.35,
            min_index: 0.2,
            certain_index: 0.45,
            shrinkage: 12.0,
            checks_all: false,
        }
    }
}

/// Weight of the initial mixture in the pooled mixture, as a number of domains.
const PRIOR_DOMAINS: f64 = 2.0;

/// Probability of a rate above the threshold at which a directory is checked in groups of
/// doubling size instead of one by one.
const GROUP_PROBABILITY: f64 = 0.9;

/// Factor by which the minimum index is lowered if all URLs are to be checked.
const INDEX_STEP: f64 = 0.8;

/// Maximum number of times that the minimum index is computed before the last directory is
/// rejected.
const MIN_INDEX_UPDATES: u32 = 200;

/// The hierarchical directory bandit.
#[derive(Debug)]
pub struct Bandit<'a> {
    settings: BanditSettings,
    likelihood: Likelihood,
    log: CheckLog<'a>,
    strata: ShuffledStrata,
    rng: SplitMix64,
    directories: Vec<Arm>,
    domains: Vec<DomainPosterior>,
    /// The pooled weights of each kind of domain, not normalized.
    pooled: [RateWeights; DomainKind::COUNT],
    /// Whether there are new results since the last fit of all domains.
    has_new_results: bool,
    /// Minimum index of a directory that is checked.
    min_index: f64,
    /// Maximum of the minimum index.
    max_min_index: f64,
    /// Number of checks when the minimum index was computed.
    min_index_checks: u32,
}

/// State of a directory in addition to its counts.
#[derive(Debug, Clone, Copy, Default)]
struct Arm {
    /// See [`index`].
    index: f32,
    /// Number of checks in flight.
    in_flight: u16,
}

impl<'a> Bandit<'a> {
    /// Returns the plan for a catalog.
    pub fn new(catalog: &'a Catalog, settings: BanditSettings, seed: u64) -> Self {
        let mut rng = SplitMix64::new(seed);
        let strata = catalog.directories().map(|directory| catalog.urls_of(directory).collect());
        let strata = ShuffledStrata::new(strata, |_| false, &mut rng);
        let posterior = DomainPosterior {
            weights: initial_weights(),
            contribution: [0.0; RATES.len()],
            kind: DomainKind::Live,
            fitted_checks: 0,
        };
        Self {
            settings,
            likelihood: Likelihood::new(),
            log: CheckLog::new(catalog),
            strata,
            rng,
            directories: vec![Arm::default(); catalog.directories().len()],
            domains: vec![posterior; catalog.domains().len()],
            pooled: [initial_weights().map(|weight| weight * PRIOR_DOMAINS); DomainKind::COUNT],
            has_new_results: true,
            min_index: settings.min_index,
            max_min_index: 1.0,
            min_index_checks: 0,
        }
    }

    /// Returns the number of URLs of a directory without a result.
    fn unchecked_in(&self, directory: DirectoryId) -> u32 {
        self.log.catalog().directory_size(directory) - self.log.directory(directory).checked
    }

    /// Returns the probabilities of the rates of a directory, given its results.
    fn posterior(&self, directory: DirectoryId) -> RateWeights {
        let domain = self.log.catalog().domain_of(directory);
        let prior = &self.domains[domain.index()].weights;
        self.likelihood.posterior(prior, self.log.directory(directory))
    }

    /// Returns the directories worth checking, best first, at most `max` of them.
    fn best_directories(&self, max: usize) -> Vec<DirectoryId> {
        let threshold = self.min_index;
        let is_open = |directory: &DirectoryId| {
            let arm = self.directories[directory.index()];
            f64::from(arm.index) >= threshold
                && arm.in_flight == 0
                && self.unchecked_in(*directory) > 0
        };
        let by_index = |one: &DirectoryId, other: &DirectoryId| {
            let index = |directory: &DirectoryId| self.directories[directory.index()].index;
            index(other).total_cmp(&index(one)).then(one.cmp(other))
        };
        let mut open: Vec<DirectoryId> = self.log.catalog().directories().filter(is_open).collect();
        if open.len() > max && max > 0 {
            open.select_nth_unstable_by(max - 1, by_index);
            open.truncate(max);
        }
        open.sort_unstable_by(by_index);
        open
    }

    /// Returns the number of URLs to check before the index of a directory is updated.
    fn group_size(&self, directory: DirectoryId) -> u32 {
        let posterior = self.posterior(directory);
        let above =
            posterior.iter().zip(RATES).filter(|(_, rate)| *rate >= self.settings.full_check_rate);
        let is_likely_above = above.map(|(weight, _)| weight).sum::<f64>() >= GROUP_PROBABILITY;
        let CheckCounts { checked, .. } = self.log.directory(directory);
        // `Arm::in_flight` counts up to `u16::MAX`.
        if is_likely_above { checked.clamp(1, u32::from(u16::MAX)) } else { 1 }
    }

    /// Returns the next URLs of the best directories.
    fn next_directory_batch(&mut self, max_urls: usize) -> Vec<UrlId> {
        let mut batch = Vec::new();
        for directory in self.best_directories(max_urls) {
            for _ in 0..self.group_size(directory) {
                if batch.len() >= max_urls {
                    break;
                }
                let Some(url) = self.strata.draw(directory.index(), &mut self.log) else { break };
                batch.push(url);
            }
        }
        self.record_started(&batch);
        // Shuffle, so that consecutive URLs are on different servers.
        self.rng.shuffle(&mut batch);
        batch
    }

    /// Records that checks in the directories of these URLs are in flight.
    fn record_started(&mut self, urls: &[UrlId]) {
        for url in urls {
            let directory = self.log.catalog().directory_of(*url);
            self.directories[directory.index()].in_flight += 1;
        }
    }

    /// Returns the next URLs, after a fit of the domains with new results.
    fn check_directories(&mut self, max_urls: usize) -> Vec<UrlId> {
        self.refit_domains(RefitScope::Changed);
        self.update_min_index();
        let batch = self.next_directory_batch(max_urls);
        if !batch.is_empty() || !self.is_idle() || !self.has_new_results {
            return batch;
        }
        // No directory seems worth checking. Fit all domains, and select again.
        self.has_new_results = false;
        self.refit_domains(RefitScope::All);
        self.min_index_checks = 0;
        self.update_min_index();
        let batch = self.next_directory_batch(max_urls);
        if batch.is_empty() && self.settings.checks_all {
            self.lower_min_index();
            return self.next_directory_batch(max_urls);
        }
        batch
    }

    /// Lowers the minimum index, so that the best of the remaining directories are checked.
    fn lower_min_index(&mut self) {
        let open =
            self.log.catalog().directories().filter(|directory| self.unchecked_in(*directory) > 0);
        let best = open.map(|directory| self.directories[directory.index()].index);
        self.max_min_index = INDEX_STEP * f64::from(best.fold(0.0, f32::max));
        self.min_index = self.max_min_index;
    }

    /// Updates the minimum index if there are enough new results.
    fn update_min_index(&mut self) {
        let checked = self.log.total().checked;
        if checked - self.min_index_checks > self.log.catalog().len() / MIN_INDEX_UPDATES {
            self.min_index = informed::worthwhile_index(self).min(self.max_min_index);
            self.min_index_checks = checked;
        }
    }
}

impl SamplingPlan for Bandit<'_> {
    fn next_batch(&mut self, max_urls: usize) -> Vec<UrlId> {
        self.check_directories(max_urls)
    }

    fn record(&mut self, url: UrlId, health: UrlHealth) {
        let was_in_flight = self.log.is_in_flight(url);
        if !self.log.record(url, health) {
            return;
        }
        self.has_new_results = true;
        let directory = self.log.catalog().directory_of(url);
        let arm = &mut self.directories[directory.index()];
        arm.in_flight -= u16::from(was_in_flight);
        if arm.in_flight == 0 {
            self.update_index(directory);
        }
    }

    fn check_log(&self) -> &CheckLog<'_> {
        &self.log
    }

    fn estimate(&self) -> RecallEstimate {
        let (mut mean, mut variance) = (0.0, 0.0);
        for directory in self.log.catalog().directories() {
            let remaining = f64::from(self.unchecked_in(directory));
            let (rate, rate_variance) = mean_and_variance(&self.posterior(directory));
            mean += remaining * rate;
            // The uncertainty of the rate, and the binomial variance of the URLs at this rate.
            variance += remaining * remaining * rate_variance + remaining * rate * (1.0 - rate);
        }
        RecallEstimate::normal(self.log.total().broken, self.log.remaining(), mean, variance)
    }

    fn forecast(&self, recall: f64) -> Option<Forecast> {
        forecast::forecast(self, recall)
    }

    fn expected_rate(&self, directory: DirectoryId) -> f64 {
        mean_and_variance(&self.posterior(directory)).0
    }

    fn decision(&self, domain: DomainId) -> LotDecision {
        let catalog = self.log.catalog();
        if self.log.domain(domain).checked == catalog.domain_size(domain) {
            return LotDecision::CheckAll;
        }
        let mut directories = catalog.directories_of(domain);
        let threshold = self.min_index;
        let is_open = directories.any(|directory| {
            self.unchecked_in(directory) > 0
                && f64::from(self.directories[directory.index()].index) >= threshold
        });
        if is_open { LotDecision::Continue } else { LotDecision::Accept }
    }

    fn reason(&self, domain: DomainId) -> String {
        reason::reason(self, domain)
    }
}
