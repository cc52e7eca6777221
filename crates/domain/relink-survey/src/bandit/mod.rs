//! The default plan: which directory is most worth checking on in?
//!
//! A bandit over directories, whose arms share what they learn: the rates of a
//! domain's directories come from one mixture ([`mixture`]), those of all
//! domains from a common one. Next is always the directory in which further
//! checks promise most ([`index`]); the plan ends when none promises as much
//! as the floor.
//!
//! It opens with looks that tell whether directories matter at all ([`scout`]).
//! Where broken URLs lie scattered nothing beats a sequential test of each
//! domain, and that is what is run there ([`per_domain`]).

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

mod index;
mod learning;
mod mixture;
mod per_domain;
mod pilot;
mod reason;
mod scatter;
mod scattered;

use self::learning::{DomainPosterior, Kind, RefitScope};
use self::mixture::{Likelihood, RATES, RateWeights, at_first, moments};
use self::per_domain::PerDomain;
use self::pilot::PilotSample;
use self::scatter::Clustering;
use crate::catalog::{Catalog, DirectoryId, DomainId, UrlId};
use crate::estimate::RecallEstimate;
use crate::ledger::{CheckCounts, CheckLog, UrlHealth};
use crate::plan::{LotDecision, SamplingPlan};
use crate::rng::SplitMix64;
use crate::strata::ShuffledStrata;

/// How the bandit weighs what it sees.
#[derive(Debug, Clone, Copy)]
pub struct BanditSettings {
    /// The share of broken URLs that further checks must promise.
    pub floor: f64,
    /// How many directories of a domain weigh as much as what is known of all
    /// other domains of its kind.
    pub shrinkage: f64,
}

impl Default for BanditSettings {
    fn default() -> Self {
        Self { floor: 0.25, shrinkage: 6.0 }
    }
}

/// How many domains weigh as much as what is expected before anything is seen.
const FIRST_WEIGHT: f64 = 2.0;

/// The probability of being above the floor from which on a directory is
/// checked in doubling groups and no longer one by one.
const SURE: f64 = 0.9;

/// The hierarchical directory bandit.
#[derive(Debug)]
pub struct Bandit<'a> {
    settings: BanditSettings,
    likelihood: Likelihood,
    ledger: CheckLog<'a>,
    deck: ShuffledStrata,
    rng: SplitMix64,
    directories: Vec<Arm>,
    domains: Vec<DomainPosterior>,
    /// What the domains of a kind have in common, not made to add up to 1.
    common: [RateWeights; Kind::COUNT],
    /// Whether answers came in since everything was last learned anew.
    has_news: bool,
    tests: PerDomain,
    scouting: PilotSample,
    shape: Clustering,
}

/// What is known of a directory beside its sums.
#[derive(Debug, Clone, Copy, Default)]
struct Arm {
    index: f32,
    outstanding: u16,
}

impl<'a> Bandit<'a> {
    /// The plan over a catalog.
    pub fn new(catalog: &'a Catalog, settings: BanditSettings, seed: u64) -> Self {
        let mut chance = SplitMix64::new(seed);
        let piles = catalog.directories().map(|it| catalog.urls_of(it).collect());
        let deck = ShuffledStrata::new(piles, |_| false, &mut chance);
        let lore = DomainPosterior {
            weights: at_first(),
            share: [0.0; RATES.len()],
            kind: Kind::Living,
            learned: 0,
        };
        Self {
            settings,
            likelihood: Likelihood::new(),
            ledger: CheckLog::new(catalog),
            deck,
            rng: chance,
            directories: vec![Arm::default(); catalog.directories().len()],
            domains: vec![lore; catalog.domains().len()],
            common: [at_first().map(|weight| weight * FIRST_WEIGHT); Kind::COUNT],
            has_news: true,
            tests: PerDomain::new(catalog, seed),
            scouting: PilotSample::default(),
            shape: Clustering::Unknown,
        }
    }

    fn left(&self, directory: DirectoryId) -> u32 {
        self.ledger.catalog().directory_size(directory) - self.ledger.directory(directory).checked
    }

    fn posterior(&self, directory: DirectoryId) -> RateWeights {
        let domain = self.ledger.catalog().domain_of(directory);
        let prior = &self.domains[domain.index()].weights;
        self.likelihood.posterior(prior, self.ledger.directory(directory))
    }

    /// The directories worth checking, best first, at most so many.
    fn best(&self, at_most: usize) -> Vec<DirectoryId> {
        let floor = self.settings.floor;
        let is_open = |directory: &DirectoryId| {
            let arm = self.directories[directory.index()];
            f64::from(arm.index) >= floor && arm.outstanding == 0 && self.left(*directory) > 0
        };
        let by_value = |one: &DirectoryId, other: &DirectoryId| {
            let value = |it: &DirectoryId| self.directories[it.index()].index;
            value(other).total_cmp(&value(one)).then(one.cmp(other))
        };
        let mut open: Vec<DirectoryId> =
            self.ledger.catalog().directories().filter(is_open).collect();
        if open.len() > at_most && at_most > 0 {
            open.select_nth_unstable_by(at_most - 1, by_value);
            open.truncate(at_most);
        }
        open.sort_unstable_by(by_value);
        open
    }

    /// How many URLs of a directory are checked before it is valued again.
    fn group(&self, directory: DirectoryId) -> u32 {
        let posterior = self.posterior(directory);
        let above = posterior.iter().zip(RATES).filter(|(_, rate)| *rate >= self.settings.floor);
        let is_sure = above.map(|(weight, _)| weight).sum::<f64>() >= SURE;
        let CheckCounts { checked, .. } = self.ledger.directory(directory);
        if is_sure { checked.clamp(1, u32::from(u16::MAX)) } else { 1 }
    }

    fn fill(&mut self, at_most: usize) -> Vec<UrlId> {
        let mut batch = Vec::new();
        for directory in self.best(at_most) {
            for _ in 0..self.group(directory) {
                if batch.len() >= at_most {
                    break;
                }
                let Some(url) = self.deck.draw(directory.index(), &mut self.ledger) else { break };
                batch.push(url);
            }
        }
        self.note_asked(&batch);
        // Neighbors in the batch should not all ask one server.
        self.rng.shuffle(&mut batch);
        batch
    }

    /// The next URLs where directories matter.
    fn check_directories(&mut self, at_most: usize) -> Vec<UrlId> {
        self.learn_news(RefitScope::News);
        let batch = self.fill(at_most);
        if !batch.is_empty() || !self.has_news || !self.is_settled() {
            return batch;
        }
        // Nothing seems worth it: is that so with all that is known by now?
        self.has_news = false;
        self.learn_news(RefitScope::All);
        self.fill(at_most)
    }
}

impl SamplingPlan for Bandit<'_> {
    fn next_batch(&mut self, at_most: usize) -> Vec<UrlId> {
        if at_most > 0 && self.shape == Clustering::Unknown {
            let batch = self.scout(at_most);
            if !batch.is_empty() || !self.is_settled() {
                return batch;
            }
            self.learn_news(RefitScope::All);
        }
        match self.shape {
            Clustering::Scattered => self.check_domains(at_most),
            Clustering::Clustered | Clustering::Unknown => self.check_directories(at_most),
        }
    }

    fn take(&mut self, url: UrlId, answer: UrlHealth) {
        let was_asked = !self.ledger.is_unasked(url);
        if !self.ledger.note(url, answer) {
            return;
        }
        self.has_news = true;
        let catalog = self.ledger.catalog();
        let directory = catalog.directory_of(url);
        let is_look = self.tests.take(catalog.domain_of(directory), url, answer, catalog);
        if is_look && answer == UrlHealth::Broken {
            self.scouting.hit(url);
        }
        let arm = &mut self.directories[directory.index()];
        arm.outstanding -= u16::from(was_asked);
        if arm.outstanding == 0 {
            self.value(directory);
        }
    }

    fn ledger(&self) -> &CheckLog<'_> {
        &self.ledger
    }

    fn estimate(&self) -> RecallEstimate {
        if self.is_scattered() {
            return self.scattered_estimate();
        }
        let (mut mean, mut variance) = (0.0, 0.0);
        for directory in self.ledger.catalog().directories() {
            let left = f64::from(self.left(directory));
            let (rate, spread) = moments(&self.posterior(directory));
            mean += left * rate;
            variance += left * left * spread + left * rate * (1.0 - rate);
        }
        RecallEstimate::normal(self.ledger.total().broken, self.ledger.unchecked(), mean, variance)
    }

    fn expected_rate(&self, directory: DirectoryId) -> f64 {
        if self.is_scattered() {
            return self.scattered_rate(self.ledger.catalog().domain_of(directory));
        }
        moments(&self.posterior(directory)).0
    }

    fn is_scattered(&self) -> bool {
        self.shape == Clustering::Scattered
    }

    fn ruling(&self, domain: DomainId) -> LotDecision {
        let catalog = self.ledger.catalog();
        if self.ledger.domain(domain).checked == catalog.domain_size(domain) {
            return LotDecision::CheckAll;
        }
        if self.is_scattered() {
            return self.tests.ruling(domain);
        }
        let mut directories = catalog.directories_of(domain);
        let floor = self.settings.floor;
        let is_open = directories
            .any(|it| self.left(it) > 0 && f64::from(self.directories[it.index()].index) >= floor);
        if is_open { LotDecision::Continue } else { LotDecision::Accept }
    }

    fn reason(&self, domain: DomainId) -> String {
        reason::reason(self, domain)
    }
}
