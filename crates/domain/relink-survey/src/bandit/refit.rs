//! Fits the rate mixtures of domains and the indexes of directories to new results.
//!
//! A mixture is the distribution of the rates of broken URLs of directories ([`super::mixture`]).
//! The index of a directory determines when the directory is checked ([`super::index`]).

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::Bandit;
use super::index::{Prospect, prospect};
use super::mixture::{RateWeights, blend, mean_and_variance};
use crate::catalog::{DirectoryId, DomainId};

/// Number of checked directories at which a domain contributes half of the maximum weight to the
/// pooled mixture.
const HALF_WEIGHT_DIRECTORIES: f64 = 5.0;

/// Number of iterations of expectation maximization, see [`super::mixture`].
const ITERATIONS: u32 = 3;

/// A domain is fitted again when the number of its results has grown by an eighth.
const REFIT_GROWTH: u32 = 8;

/// Whether a domain is live or mostly dead. Domains share weights only within their kind,
/// because dead domains say nothing about the directories of a live domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DomainKind {
    Live,
    Dead,
}

impl DomainKind {
    pub(super) const COUNT: usize = 2;

    /// Returns the kind of a domain with this rate of broken URLs.
    fn from_rate(rate: f64) -> Self {
        if rate < 0.5 { Self::Live } else { Self::Dead }
    }
}

/// The fitted mixture of a domain.
#[derive(Debug, Clone)]
pub(super) struct DomainPosterior {
    pub(super) weights: RateWeights,
    /// The part of the pooled weights of its kind that comes from this domain.
    pub(super) contribution: RateWeights,
    pub(super) kind: DomainKind,
    /// Number of checks at the time of the last fit.
    pub(super) fitted_checks: u32,
}

/// The domains that are fitted again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefitScope {
    /// Domains with enough new results.
    Changed,
    All,
}

impl Bandit<'_> {
    /// Fits the mixture of a domain to its directories and updates their indexes.
    fn refit_domain(&mut self, domain: DomainId) {
        let catalog = self.log.catalog();
        let mut posterior = self.domains[domain.index()].clone();
        let pooled = self.prior_of(domain, posterior.kind);
        self.add_contribution(&posterior, -1.0);
        for _ in 0..ITERATIONS {
            let counts =
                catalog.directories_of(domain).map(|directory| self.log.directory(directory));
            let checked = counts.filter(|counts| counts.checked > 0);
            let (sum, directories) = self.likelihood.sum_of_posteriors(&posterior.weights, checked);
            posterior.weights = blend(&sum, 1.0, &pooled, self.settings.shrinkage);
            let mean = sum.map(|part| part / f64::max(directories, 1.0));
            // With one directory, the weight is 0: the directory contains no information about
            // the differences between the directories of the domain.
            let weight = f64::max(directories - 1.0, 0.0) / (directories + HALF_WEIGHT_DIRECTORIES);
            posterior.contribution = mean.map(|part| part * weight);
            posterior.kind =
                DomainKind::from_rate(mean_and_variance(&sum).0 / f64::max(directories, 1.0));
        }
        posterior.fitted_checks = self.log.domain(domain).checked;
        self.add_contribution(&posterior, 1.0);
        self.domains[domain.index()] = posterior;
        for directory in catalog.directories_of(domain) {
            self.update_index(directory);
        }
        self.require_first_check(domain);
    }

    /// Returns the pooled weights of the domain's kind. While no URL of the domain is checked,
    /// its kind is unknown, and the weights of both kinds are blended.
    fn prior_of(&self, domain: DomainId, kind: DomainKind) -> RateWeights {
        let [live, dead] = &self.pooled;
        if self.log.domain(domain).checked == 0 {
            return blend(live, 1.0, dead, 1.0);
        }
        // A blend with factor 0 only normalizes the pooled weights.
        blend(&self.pooled[kind as usize], 1.0, dead, 0.0)
    }

    /// Adds the contribution of a domain to its kind, or removes it if `sign` is negative.
    fn add_contribution(&mut self, posterior: &DomainPosterior, sign: f64) {
        for (pooled, part) in
            self.pooled[posterior.kind as usize].iter_mut().zip(posterior.contribution)
        {
            *pooled = (*pooled + sign * part).max(f64::MIN_POSITIVE);
        }
    }

    /// Updates the index of a directory by its posterior.
    #[expect(clippy::cast_possible_truncation, reason = "an index is only compared")]
    pub(super) fn update_index(&mut self, directory: DirectoryId) {
        self.directories[directory.index()].index = self.prospect(directory).index() as f32;
    }

    /// Returns the prospect of further checks in a directory.
    pub(super) fn prospect(&self, directory: DirectoryId) -> Prospect {
        let remaining = self.unchecked_in(directory);
        prospect(&self.posterior(directory), remaining, self.settings.full_check_rate)
    }

    /// Gives the largest directory of an unchecked domain the highest index, so that every
    /// domain is checked at least once.
    fn require_first_check(&mut self, domain: DomainId) {
        if self.log.domain(domain).checked > 0 {
            return;
        }
        let catalog = self.log.catalog();
        let largest = catalog
            .directories_of(domain)
            .max_by_key(|directory| catalog.directory_size(*directory));
        if let Some(largest) = largest {
            self.directories[largest.index()].index = 1.0;
        }
    }

    /// Fits the domains with enough new results, or all with `RefitScope::All`.
    pub(super) fn refit_domains(&mut self, scope: RefitScope) {
        for domain in self.log.catalog().domains() {
            let fitted_checks = self.domains[domain.index()].fitted_checks;
            let new_checks = self.log.domain(domain).checked - fitted_checks;
            if scope == RefitScope::All || new_checks > fitted_checks / REFIT_GROWTH {
                self.refit_domain(domain);
            }
        }
    }
}
