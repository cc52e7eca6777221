//! How the bandit learns: the mixture of each domain, what domains of a kind
//! have in common, and what each directory is worth.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::Bandit;
use super::index::index;
use super::mixture::{RateWeights, blend, moments};
use crate::catalog::{DirectoryId, DomainId};

/// A domain counts half for the others once so many directories are known.
const HALF_KNOWN: f64 = 5.0;

/// How often a mixture is fitted again to the same answers.
const FITS: u32 = 3;

/// A domain is learned anew when its answers have grown by this part.
const GROWTH: u32 = 8;

/// Whether a domain lives, or is dead for the most part. Domains lean on their
/// own kind: that some are dead as a whole does not make it more probable that
/// a directory of a living one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Living,
    Dying,
}

impl Kind {
    pub(super) const COUNT: usize = 2;

    /// The kind of a domain with this rate of broken URLs.
    fn of(rate: f64) -> Self {
        if rate < 0.5 { Self::Living } else { Self::Dying }
    }
}

/// What is known of a domain beside its sums.
#[derive(Debug, Clone)]
pub(super) struct DomainPosterior {
    pub(super) weights: RateWeights,
    /// What it adds to the common weights of its kind.
    pub(super) share: RateWeights,
    pub(super) kind: Kind,
    /// How many answers there were when it was last learned.
    pub(super) learned: u32,
}

/// How much is learned anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefitScope {
    News,
    All,
}

impl Bandit<'_> {
    /// Learns the mixture of a domain from its directories, and the value of
    /// each from that.
    fn learn(&mut self, domain: DomainId) {
        let catalog = self.ledger.catalog();
        let mut lore = self.domains[domain.index()].clone();
        let common = self.common_of(domain, lore.kind);
        self.share(&lore, -1.0);
        for _ in 0..FITS {
            let tallies = catalog.directories_of(domain).map(|it| self.ledger.directory(it));
            let seen = tallies.filter(|tally| tally.checked > 0);
            let (expected, directories) = self.likelihood.expected(&lore.weights, seen);
            lore.weights = blend(&expected, 1.0, &common, self.settings.shrinkage);
            // One directory says nothing of how those of a domain differ.
            let known = f64::max(directories - 1.0, 0.0) / (directories + HALF_KNOWN);
            lore.share = expected.map(|part| part / f64::max(directories, 1.0) * known);
            lore.kind = Kind::of(moments(&expected).0 / f64::max(directories, 1.0));
        }
        lore.learned = self.ledger.domain(domain).checked;
        self.share(&lore, 1.0);
        self.domains[domain.index()] = lore;
        for directory in catalog.directories_of(domain) {
            self.value(directory);
        }
        self.look_once(domain);
    }

    /// What a domain leans on: its own kind, or all while it is unseen.
    fn common_of(&self, domain: DomainId, kind: Kind) -> RateWeights {
        let [living, dying] = &self.common;
        if self.ledger.domain(domain).checked == 0 {
            return blend(living, 1.0, dying, 1.0);
        }
        blend(&self.common[kind as usize], 1.0, dying, 0.0)
    }

    /// Adds what a domain shares with its kind, or takes it back.
    fn share(&mut self, lore: &DomainPosterior, sign: f64) {
        for (common, part) in self.common[lore.kind as usize].iter_mut().zip(lore.share) {
            *common = (*common + sign * part).max(f64::MIN_POSITIVE);
        }
    }

    /// Values a directory by its posterior.
    #[expect(clippy::cast_possible_truncation, reason = "values are compared, not added up")]
    pub(super) fn value(&mut self, directory: DirectoryId) {
        let value = index(&self.posterior(directory), self.left(directory), self.settings.floor);
        self.directories[directory.index()].index = value as f32;
    }

    /// No domain is accepted unseen: the largest directory of one that was
    /// never asked is worth a look.
    fn look_once(&mut self, domain: DomainId) {
        if self.ledger.domain(domain).checked > 0 {
            return;
        }
        let catalog = self.ledger.catalog();
        let largest = catalog.directories_of(domain).max_by_key(|it| catalog.directory_size(*it));
        if let Some(largest) = largest {
            self.directories[largest.index()].index = 1.0;
        }
    }

    /// Learns anew what has changed much; with `Thoroughness::All` everything.
    pub(super) fn learn_news(&mut self, thoroughness: RefitScope) {
        for domain in self.ledger.catalog().domains() {
            let learned = self.domains[domain.index()].learned;
            let news = self.ledger.domain(domain).checked - learned;
            if thoroughness == RefitScope::All || news > learned / GROWTH {
                self.learn(domain);
            }
        }
    }
}
