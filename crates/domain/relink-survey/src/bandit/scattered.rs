//! What the default plan does once it has seen that breakage is scattered.
//!
//! Every domain is left to Wald's test; directories play no part any more.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::Bandit;
use crate::catalog::{DomainId, UrlId};
use crate::estimate::RecallEstimate;
use crate::ledger::CheckCounts;
use crate::lot_plan::estimate_from_samples;
use crate::plan::SamplingPlan;

impl Bandit<'_> {
    /// The next URLs; without any the tests have ended.
    pub(super) fn check_domains(&mut self, at_most: usize) -> Vec<UrlId> {
        let batch = self.test_domains(at_most);
        if batch.is_empty() && at_most > 0 && self.is_settled() {
            self.tests.close();
        }
        batch
    }

    /// What was missed where breakage is scattered, from the sample of each
    /// domain.
    pub(super) fn scattered_estimate(&self) -> RecallEstimate {
        let catalog = self.ledger.catalog();
        let sample = |domain| {
            let tally = self.ledger.domain(domain);
            (catalog.domain_size(domain) - tally.checked, tally)
        };
        let samples: Vec<(u32, CheckCounts)> = catalog.domains().map(sample).collect();
        estimate_from_samples(self.ledger.total().broken, samples.into_iter())
    }

    /// The rate of a domain where breakage is scattered: that of its own looks
    /// and of the other domains that were accepted.
    pub(super) fn scattered_rate(&self, domain: DomainId) -> f64 {
        let (tally, leaning) = (self.ledger.domain(domain), self.settings.shrinkage);
        (f64::from(tally.broken) + leaning * self.tests.accepted().rate())
            / (f64::from(tally.checked) + leaning)
    }

    /// The next looks of the tests, and then the domains to check in full.
    fn test_domains(&mut self, at_most: usize) -> Vec<UrlId> {
        let domains: Vec<DomainId> = self.ledger.catalog().domains().collect();
        let mut batch = self.look_at(&domains, at_most);
        let looks = batch.len();
        let mut open = domains;
        // In turn, so that no domain is asked in a burst.
        while batch.len() < at_most && !open.is_empty() {
            open.retain(|domain| {
                let next = (batch.len() < at_most)
                    .then(|| self.tests.next_of_all(*domain, &mut self.ledger))
                    .flatten();
                batch.extend(next);
                next.is_some()
            });
        }
        self.note_asked(&batch[looks..]);
        batch
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::bandit::{Bandit, BanditSettings};
    use crate::catalog::{Catalog, UrlId};
    use crate::ledger::UrlHealth;
    use crate::lot_plan::LotPlan;
    use crate::plan::SamplingPlan;
    use crate::rng::SplitMix64;
    use crate::rules::Wald;

    /// Thirty domains of twenty directories with twenty pages each.
    fn catalog() -> Catalog {
        Catalog::new((0..12_000).map(|at| {
            let (domain, directory, page) = (at / 400, at / 20 % 20, at % 20);
            (format!("{domain}.test"), format!("http://{domain}.test/{directory}/{page}"))
        }))
    }

    fn asked(mut plan: impl SamplingPlan, answer: impl Fn(UrlId) -> UrlHealth) -> HashSet<UrlId> {
        let mut asked = HashSet::new();
        loop {
            let urls = plan.next_batch(100);
            if urls.is_empty() {
                return asked;
            }
            for url in urls {
                asked.insert(url);
                plan.take(url, answer(url));
            }
        }
    }

    /// How many the default plan asks that Wald's test does not, and the other
    /// way round, where one in ten is broken at random.
    fn differences(seed: u64) -> (usize, usize) {
        let catalog = catalog();
        let mut chance = SplitMix64::new(seed);
        let broken: Vec<bool> = catalog.urls().map(|_| chance.bernoulli(0.1)).collect();
        let answer =
            |url: UrlId| if broken[url.index()] { UrlHealth::Broken } else { UrlHealth::Alive };
        let bandit = asked(Bandit::new(&catalog, BanditSettings::default(), seed), answer);
        let wald = asked(LotPlan::new(&catalog, Wald::sprt(), &[], seed), answer);
        (bandit.difference(&wald).count(), wald.difference(&bandit).count())
    }

    #[test]
    fn scattered_breakage_is_surveyed_as_by_walds_test_but_for_some_siblings() {
        for seed in 0..8 {
            let (more, fewer) = differences(seed);
            assert!(more < 200 && fewer == 0, "{seed}: {more} more, {fewer} fewer");
        }
    }
}
