//! Wald's sequential test of each domain as a part of the default plan.
//!
//! The rule is [`Wald::sprt`], and the order of the URLs is that of the plan of that name with
//! the same seed. A survey that falls back to these tests therefore sends the same requests.
//! Only URLs drawn here count in a test.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use crate::catalog::{Catalog, DomainId, UrlId};
use crate::check_log::{CheckCounts, CheckLog, UrlHealth};
use crate::lot_plan::{LotRule, LotState};
use crate::plan::LotDecision;
use crate::rng::SplitMix64;
use crate::rules::Wald;
use crate::strata::ShuffledStrata;

/// The tests of all domains.
#[derive(Debug)]
pub(super) struct DomainTests {
    rule: Wald,
    strata: ShuffledStrata,
    tests: Vec<DomainTest>,
    /// Whether the tests have ended. Later results come from the audit.
    is_closed: bool,
    /// Counts of the domains that were accepted when the tests ended.
    accepted: CheckCounts,
}

/// The test of one domain.
#[derive(Debug, Clone)]
struct DomainTest {
    counts: CheckCounts,
    /// The URL whose check is in flight.
    in_flight: Option<UrlId>,
    decision: LotDecision,
}

impl DomainTests {
    /// Returns the tests of all domains of a catalog.
    pub(super) fn new(catalog: &Catalog, seed: u64) -> Self {
        let strata = catalog.domains().map(|it| catalog.urls_of_domain(it).collect());
        let strata = ShuffledStrata::new(strata, |_| false, &mut SplitMix64::new(seed));
        let test = DomainTest {
            counts: CheckCounts::default(),
            in_flight: None,
            decision: LotDecision::Continue,
        };
        let tests = vec![test; catalog.domains().len()];
        Self {
            rule: Wald::sprt(),
            strata,
            tests,
            is_closed: false,
            accepted: CheckCounts::default(),
        }
    }

    /// Returns the decision on a domain.
    pub(super) fn decision(&self, domain: DomainId) -> LotDecision {
        self.tests[domain.index()].decision
    }

    /// Returns the results of the test of a domain.
    pub(super) fn counts(&self, domain: DomainId) -> CheckCounts {
        self.tests[domain.index()].counts
    }

    /// Returns the next URL of a test, if it needs one and none is in flight.
    pub(super) fn next_sample(
        &mut self,
        domain: DomainId,
        log: &mut CheckLog<'_>,
    ) -> Option<UrlId> {
        while self.needs_sample(domain) {
            let url = self.strata.pop(domain.index())?;
            if log.start(url) {
                self.tests[domain.index()].in_flight = Some(url);
                return Some(url);
            }
            if let (Some(health), false) = (log.health(url), self.is_closed) {
                self.count(domain, health, log.catalog());
            }
        }
        None
    }

    /// Returns the next URL of a domain that is checked in full.
    pub(super) fn next_url(&mut self, domain: DomainId, log: &mut CheckLog<'_>) -> Option<UrlId> {
        if self.decision(domain) != LotDecision::CheckAll {
            return None;
        }
        self.strata.draw(domain.index(), log)
    }

    /// Records a result and returns whether the URL was drawn by the test. After the tests
    /// have ended, results of other URLs count as well.
    pub(super) fn record(
        &mut self,
        domain: DomainId,
        url: UrlId,
        health: UrlHealth,
        catalog: &Catalog,
    ) -> bool {
        let test = &mut self.tests[domain.index()];
        let is_sample = test.in_flight == Some(url);
        if is_sample {
            test.in_flight = None;
        }
        if is_sample || self.is_closed {
            self.count(domain, health, catalog);
        }
        is_sample
    }

    /// Ends the tests.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        self.accepted = CheckCounts::default();
        for test in self.tests.iter().filter(|test| test.decision != LotDecision::CheckAll) {
            self.accepted.merge(test.counts);
        }
    }

    /// Returns the counts of the accepted domains.
    pub(super) fn accepted(&self) -> CheckCounts {
        self.accepted
    }

    /// Returns the reason for the decision on a domain.
    pub(super) fn reason(&self, domain: DomainId, catalog: &Catalog) -> String {
        let DomainTest { counts, decision, .. } = self.tests[domain.index()];
        self.rule.reason(&state(counts, catalog.domain_size(domain)), decision)
    }

    fn needs_sample(&self, domain: DomainId) -> bool {
        let test = &self.tests[domain.index()];
        test.decision == LotDecision::Continue && test.in_flight.is_none()
    }

    fn count(&mut self, domain: DomainId, health: UrlHealth, catalog: &Catalog) {
        let test = &mut self.tests[domain.index()];
        test.counts.add(health);
        // The decision to check all URLs is final.
        if test.decision != LotDecision::CheckAll {
            test.decision = self.rule.decide(&state(test.counts, catalog.domain_size(domain)));
        }
    }
}

fn state(counts: CheckCounts, size: u32) -> LotState {
    LotState { size, counts, rechecked: CheckCounts::default() }
}
