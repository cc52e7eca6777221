//! The default plan after it has found that breakage is scattered.
//!
//! Every domain is decided by Wald's test; directories are ignored.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::Bandit;
use crate::catalog::{DomainId, UrlId};
use crate::check_log::CheckCounts;
use crate::estimate::RecallEstimate;
use crate::lot_plan::estimate_from_samples;
use crate::plan::SamplingPlan;

impl Bandit<'_> {
    /// Returns the next URLs. If there are none, the tests have ended.
    pub(super) fn check_domains(&mut self, max_urls: usize) -> Vec<UrlId> {
        let batch = self.test_domains(max_urls);
        if batch.is_empty() && max_urls > 0 && self.is_idle() {
            self.tests.close();
        }
        batch
    }

    /// Returns the estimate from the sample of each domain.
    pub(super) fn scattered_estimate(&self) -> RecallEstimate {
        let catalog = self.log.catalog();
        let sample = |domain| {
            let counts = self.log.domain(domain);
            (catalog.domain_size(domain) - counts.checked, counts)
        };
        let samples: Vec<(u32, CheckCounts)> = catalog.domains().map(sample).collect();
        estimate_from_samples(self.log.total().broken, samples.into_iter())
    }

    /// Returns the rate of a domain, shrunk towards that of all accepted domains.
    pub(super) fn scattered_rate(&self, domain: DomainId) -> f64 {
        let (counts, shrinkage) = (self.log.domain(domain), self.settings.shrinkage);
        (f64::from(counts.broken) + shrinkage * self.tests.accepted().rate())
            / (f64::from(counts.checked) + shrinkage)
    }

    /// Returns the next URLs of the tests, and then of the domains to check in full.
    fn test_domains(&mut self, max_urls: usize) -> Vec<UrlId> {
        let domains: Vec<DomainId> = self.log.catalog().domains().collect();
        let mut batch = self.sample_domains(&domains, max_urls);
        let samples = batch.len();
        let mut open = domains;
        // Round robin, so that no domain gets many requests in a row.
        while batch.len() < max_urls && !open.is_empty() {
            open.retain(|domain| {
                let next = (batch.len() < max_urls)
                    .then(|| self.tests.next_url(*domain, &mut self.log))
                    .flatten();
                batch.extend(next);
                next.is_some()
            });
        }
        self.record_started(&batch[samples..]);
        batch
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::bandit::{Bandit, BanditSettings};
    use crate::catalog::{Catalog, UrlId};
    use crate::check_log::UrlHealth;
    use crate::lot_plan::LotPlan;
    use crate::plan::SamplingPlan;
    use crate::rng::SplitMix64;
    use crate::rules::Wald;

    /// Returns 30 domains with 20 directories of 20 pages each.
    fn catalog() -> Catalog {
        Catalog::new((0..12_000).map(|at| {
            let (domain, directory, page) = (at / 400, at / 20 % 20, at % 20);
            (format!("{domain}.test"), format!("http://{domain}.test/{directory}/{page}"))
        }))
    }

    fn check_all(
        mut plan: impl SamplingPlan,
        health: impl Fn(UrlId) -> UrlHealth,
    ) -> HashSet<UrlId> {
        let mut requested = HashSet::new();
        loop {
            let urls = plan.next_batch(100);
            if urls.is_empty() {
                return requested;
            }
            for url in urls {
                requested.insert(url);
                plan.record(url, health(url));
            }
        }
    }

    /// Returns the number of URLs that only the default plan checks, and that only Wald's test
    /// checks, if 10 % are broken at random.
    fn differences(seed: u64) -> (usize, usize) {
        let catalog = catalog();
        let mut rng = SplitMix64::new(seed);
        let broken: Vec<bool> = catalog.urls().map(|_| rng.bernoulli(0.1)).collect();
        let health =
            |url: UrlId| if broken[url.index()] { UrlHealth::Broken } else { UrlHealth::Alive };
        let bandit = check_all(Bandit::new(&catalog, BanditSettings::default(), seed), health);
        let wald = check_all(LotPlan::new(&catalog, Wald::sprt(), &[], seed), health);
        (bandit.difference(&wald).count(), wald.difference(&bandit).count())
    }

    #[test]
    fn scattered_breakage_is_checked_as_by_sprt_plus_some_siblings() {
        for seed in 0..8 {
            let (more, fewer) = differences(seed);
            assert!(more < 200 && fewer == 0, "{seed}: {more} more, {fewer} fewer");
        }
    }
}
