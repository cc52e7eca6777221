//! The opening of the default plan: first looks that tell how breakage lies.
//!
//! Domains of many directories are looked at by Wald's test, which costs
//! nothing: their directories would be looked into anyway. Siblings of what
//! was found broken then tell whether directories matter ([`scatter`]). Where
//! they do not, every domain is left to the test that was begun.
//!
//! [`scatter`]: super::scatter

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::Bandit;
use super::scatter::{Clustering, shape};
use crate::catalog::{DirectoryId, DomainId, UrlId};
use crate::ledger::{CheckCounts, UrlHealth};
use crate::plan::{LotDecision, SamplingPlan};

/// A domain with fewer directories is not scouted: the test would make more
/// looks than it has directories.
const SCOUTED: usize = 6;

/// The most siblings that are asked for each broken URL.
const SIBLINGS: u32 = 8;

/// How many looks the rate of all scouted domains weighs in that of one.
const PRIOR_LOOKS: f64 = 2.0;

/// What was asked to learn how breakage lies.
#[derive(Debug, Default)]
pub(super) struct PilotSample {
    /// Looks that were broken.
    hits: Vec<UrlId>,
    /// Siblings asked for them.
    siblings: Vec<UrlId>,
    rounds: u32,
}

impl PilotSample {
    /// Notes a broken look.
    pub(super) fn hit(&mut self, url: UrlId) {
        self.hits.push(url);
    }
}

impl Bandit<'_> {
    /// The next looks and siblings; none once the shape is known, or while
    /// answers are owed.
    pub(super) fn scout(&mut self, at_most: usize) -> Vec<UrlId> {
        let catalog = self.ledger.catalog();
        let is_scouted = |domain: &DomainId| catalog.directories_of(*domain).len() >= SCOUTED;
        let scouted: Vec<DomainId> = catalog.domains().filter(is_scouted).collect();
        let batch = self.look_at(&scouted, at_most);
        if !batch.is_empty() || !self.is_settled() {
            return batch;
        }
        self.shape = self.shape_so_far(&scouted);
        if self.shape != Clustering::Unknown {
            return Vec::new();
        }
        let batch = self.ask_siblings(at_most);
        if batch.is_empty() {
            self.shape = Clustering::Clustered;
        }
        batch
    }

    /// One look at each of these domains whose test needs one.
    pub(super) fn look_at(&mut self, domains: &[DomainId], at_most: usize) -> Vec<UrlId> {
        let mut batch = Vec::new();
        for domain in domains {
            if batch.len() >= at_most {
                break;
            }
            batch.extend(self.tests.look(*domain, &mut self.ledger));
        }
        self.note_asked(&batch);
        batch
    }

    /// One sibling more for each hit.
    fn ask_siblings(&mut self, at_most: usize) -> Vec<UrlId> {
        let mut batch = Vec::new();
        if self.scouting.rounds >= SIBLINGS {
            return batch;
        }
        self.scouting.rounds += 1;
        for hit in self.scouting.hits.iter().take(at_most) {
            let directory = self.ledger.catalog().directory_of(*hit);
            if self.is_accepted(self.ledger.catalog().domain_of(directory)) {
                batch.extend(self.deck.draw(directory.index(), &mut self.ledger));
            }
        }
        self.scouting.siblings.extend(&batch);
        self.note_asked(&batch);
        batch
    }

    /// Siblings tell nothing where nearly everything is broken.
    fn is_accepted(&self, domain: DomainId) -> bool {
        self.tests.ruling(domain) == LotDecision::Accept
    }

    fn shape_so_far(&self, scouted: &[DomainId]) -> Clustering {
        let mut all = CheckCounts::default();
        for domain in scouted.iter().filter(|it| self.is_accepted(**it)) {
            all.join(self.tests.tally(*domain));
        }
        let sibling = |url: &UrlId| -> Option<(f64, UrlHealth)> {
            let catalog = self.ledger.catalog();
            let CheckCounts { checked, broken } =
                self.tests.tally(catalog.domain_of(catalog.directory_of(*url)));
            let rate =
                (f64::from(broken) + PRIOR_LOOKS * all.rate()) / (f64::from(checked) + PRIOR_LOOKS);
            Some((rate, self.ledger.answer(*url)?))
        };
        shape(self.scouting.siblings.iter().filter_map(sibling))
    }

    /// Notes that answers are owed to the directories of these URLs.
    pub(super) fn note_asked(&mut self, urls: &[UrlId]) {
        for url in urls {
            let directory: DirectoryId = self.ledger.catalog().directory_of(*url);
            self.directories[directory.index()].outstanding += 1;
        }
    }
}
