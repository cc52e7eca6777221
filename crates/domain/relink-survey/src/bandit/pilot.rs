//! The pilot sample of the default plan, which shows how breakage is distributed.
//!
//! Domains with many directories are sampled by Wald's test. This costs nothing, because their
//! directories would be sampled anyway. Siblings of broken URLs then show whether breakage
//! depends on directories ([`clustering`]). If it does not, Wald's tests continue for all
//! domains.
//!
//! [`clustering`]: super::clustering

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::Bandit;
use super::clustering::{Clustering, classify};
use crate::catalog::{DirectoryId, DomainId, UrlId};
use crate::check_log::{CheckCounts, UrlHealth};
use crate::plan::{LotDecision, SamplingPlan};

/// Minimum number of directories of a domain in the pilot sample. With fewer, the test would
/// check more URLs than there are directories.
const MIN_DIRECTORIES: usize = 6;

/// Maximum number of siblings per broken URL.
const MAX_SIBLINGS: u32 = 8;

/// Weight of the mean rate of all sampled domains, in checks, when the rate of one is
/// estimated.
const PRIOR_WEIGHT: f64 = 2.0;

/// The URLs of the pilot sample.
#[derive(Debug, Default)]
pub(super) struct PilotSample {
    /// Broken URLs.
    hits: Vec<UrlId>,
    /// Checked siblings of them.
    siblings: Vec<UrlId>,
    rounds: u32,
}

impl PilotSample {
    /// Records a broken URL.
    pub(super) fn record_hit(&mut self, url: UrlId) {
        self.hits.push(url);
    }
}

impl Bandit<'_> {
    /// Returns the next URLs of the pilot sample; none if the clustering is known, or while
    /// checks are in flight.
    pub(super) fn next_pilot_batch(&mut self, max_urls: usize) -> Vec<UrlId> {
        let catalog = self.log.catalog();
        let is_candidate =
            |domain: &DomainId| catalog.directories_of(*domain).len() >= MIN_DIRECTORIES;
        let candidates: Vec<DomainId> = catalog.domains().filter(is_candidate).collect();
        let batch = self.sample_domains(&candidates, max_urls);
        if !batch.is_empty() || !self.is_idle() {
            return batch;
        }
        self.clustering = self.current_clustering(&candidates);
        if self.clustering != Clustering::Unknown {
            return Vec::new();
        }
        let batch = self.sample_siblings(max_urls);
        if batch.is_empty() {
            self.clustering = Clustering::Clustered;
        }
        batch
    }

    /// Returns one URL of each of these domains whose test needs one.
    pub(super) fn sample_domains(&mut self, domains: &[DomainId], max_urls: usize) -> Vec<UrlId> {
        let mut batch = Vec::new();
        for domain in domains {
            if batch.len() >= max_urls {
                break;
            }
            batch.extend(self.tests.next_sample(*domain, &mut self.log));
        }
        self.record_started(&batch);
        batch
    }

    /// Returns one more sibling of each hit.
    fn sample_siblings(&mut self, max_urls: usize) -> Vec<UrlId> {
        let mut batch = Vec::new();
        if self.pilot.rounds >= MAX_SIBLINGS {
            return batch;
        }
        self.pilot.rounds += 1;
        for hit in self.pilot.hits.iter().take(max_urls) {
            let directory = self.log.catalog().directory_of(*hit);
            if self.is_accepted(self.log.catalog().domain_of(directory)) {
                batch.extend(self.strata.draw(directory.index(), &mut self.log));
            }
        }
        self.pilot.siblings.extend(&batch);
        self.record_started(&batch);
        batch
    }

    /// Whether the test accepted a domain. Siblings are not evidence where almost everything is
    /// broken.
    fn is_accepted(&self, domain: DomainId) -> bool {
        self.tests.decision(domain) == LotDecision::Accept
    }

    /// Classifies the siblings checked so far.
    fn current_clustering(&self, candidates: &[DomainId]) -> Clustering {
        let mut all = CheckCounts::default();
        for domain in candidates.iter().filter(|it| self.is_accepted(**it)) {
            all.merge(self.tests.counts(*domain));
        }
        let sibling = |url: &UrlId| -> Option<(f64, UrlHealth)> {
            let catalog = self.log.catalog();
            let CheckCounts { checked, broken } =
                self.tests.counts(catalog.domain_of(catalog.directory_of(*url)));
            let rate = (f64::from(broken) + PRIOR_WEIGHT * all.rate())
                / (f64::from(checked) + PRIOR_WEIGHT);
            Some((rate, self.log.health(*url)?))
        };
        classify(self.pilot.siblings.iter().filter_map(sibling))
    }

    /// Records that checks in the directories of these URLs are in flight.
    pub(super) fn record_started(&mut self, urls: &[UrlId]) {
        for url in urls {
            let directory: DirectoryId = self.log.catalog().directory_of(*url);
            self.directories[directory.index()].in_flight += 1;
        }
    }
}
