//! Wald's test per domain, look by look, within the default plan.
//!
//! The rule is [`Wald::sprt`] and the order of the looks is the one that the
//! plan by that name has with the same seed, so that a survey which falls back
//! to it makes the same requests. Only looks drawn here count in the test.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use crate::catalog::{Catalog, DomainId, UrlId};
use crate::ledger::{CheckCounts, CheckLog, UrlHealth};
use crate::lot_plan::{LotRule, LotState};
use crate::plan::LotDecision;
use crate::rng::SplitMix64;
use crate::rules::Wald;
use crate::strata::ShuffledStrata;

/// The tests of all domains.
#[derive(Debug)]
pub(super) struct PerDomain {
    rule: Wald,
    deck: ShuffledStrata,
    lanes: Vec<DomainTest>,
    /// Whether the tests have ended: what is learned later comes from others.
    is_closed: bool,
    /// What is known of the domains that were accepted when the tests ended.
    accepted: CheckCounts,
}

/// Where the test of a domain stands.
#[derive(Debug, Clone)]
struct DomainTest {
    tally: CheckCounts,
    /// The look whose answer is owed.
    waiting: Option<UrlId>,
    ruling: LotDecision,
}

impl PerDomain {
    /// The tests over a catalog, before any look.
    pub(super) fn new(catalog: &Catalog, seed: u64) -> Self {
        let piles = catalog.domains().map(|it| catalog.urls_of_domain(it).collect());
        let deck = ShuffledStrata::new(piles, |_| false, &mut SplitMix64::new(seed));
        let lane = DomainTest {
            tally: CheckCounts::default(),
            waiting: None,
            ruling: LotDecision::Continue,
        };
        let lanes = vec![lane; catalog.domains().len()];
        Self { rule: Wald::sprt(), deck, lanes, is_closed: false, accepted: CheckCounts::default() }
    }

    /// What the test makes of a domain.
    pub(super) fn ruling(&self, domain: DomainId) -> LotDecision {
        self.lanes[domain.index()].ruling
    }

    /// What the looks at a domain have shown.
    pub(super) fn tally(&self, domain: DomainId) -> CheckCounts {
        self.lanes[domain.index()].tally
    }

    /// The next look at a domain, if its test needs one and owes no answer.
    pub(super) fn look(&mut self, domain: DomainId, ledger: &mut CheckLog<'_>) -> Option<UrlId> {
        while self.needs_a_look(domain) {
            let url = self.deck.turn(domain.index())?;
            if ledger.ask(url) {
                self.lanes[domain.index()].waiting = Some(url);
                return Some(url);
            }
            if let (Some(answer), false) = (ledger.answer(url), self.is_closed) {
                self.count(domain, answer, ledger.catalog());
            }
        }
        None
    }

    /// The next URL of a domain that is to be checked in full.
    pub(super) fn next_of_all(
        &mut self,
        domain: DomainId,
        ledger: &mut CheckLog<'_>,
    ) -> Option<UrlId> {
        if self.ruling(domain) != LotDecision::CheckAll {
            return None;
        }
        self.deck.draw(domain.index(), ledger)
    }

    /// Takes an answer; true if it was a look of the test. Once the tests have
    /// ended, what others find counts in as well.
    pub(super) fn take(
        &mut self,
        domain: DomainId,
        url: UrlId,
        answer: UrlHealth,
        catalog: &Catalog,
    ) -> bool {
        let lane = &mut self.lanes[domain.index()];
        let is_look = lane.waiting == Some(url);
        if is_look {
            lane.waiting = None;
        }
        if is_look || self.is_closed {
            self.count(domain, answer, catalog);
        }
        is_look
    }

    /// Ends the tests.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        self.accepted = CheckCounts::default();
        for lane in self.lanes.iter().filter(|lane| lane.ruling != LotDecision::CheckAll) {
            self.accepted.join(lane.tally);
        }
    }

    /// What is known of the domains that were accepted.
    pub(super) fn accepted(&self) -> CheckCounts {
        self.accepted
    }

    /// Why a domain was ruled on as it was.
    pub(super) fn reason(&self, domain: DomainId, catalog: &Catalog) -> String {
        let DomainTest { tally, ruling, .. } = self.lanes[domain.index()];
        self.rule.reason(&state(tally, catalog.domain_size(domain)), ruling)
    }

    fn needs_a_look(&self, domain: DomainId) -> bool {
        let lane = &self.lanes[domain.index()];
        lane.ruling == LotDecision::Continue && lane.waiting.is_none()
    }

    fn count(&mut self, domain: DomainId, answer: UrlHealth, catalog: &Catalog) {
        let lane = &mut self.lanes[domain.index()];
        lane.tally.add(answer);
        // Once all is to be checked, no later answer takes it back.
        if lane.ruling != LotDecision::CheckAll {
            lane.ruling = self.rule.rule(&state(lane.tally, catalog.domain_size(domain)));
        }
    }
}

fn state(tally: CheckCounts, size: u32) -> LotState {
    LotState { size, tally, rechecked: CheckCounts::default() }
}
