//! Wald's test per domain, look by look, within the default plan.
//!
//! The rule is [`Wald::sprt`] and the order of the looks is the one that the
//! plan by that name has with the same seed, so that a survey which falls back
//! to it makes the same requests. Only looks drawn here count in the test.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use crate::catalogue::{Catalogue, DomainId, UrlId};
use crate::chance::Chance;
use crate::deck::Deck;
use crate::ledger::{Answer, Ledger, Tally};
use crate::lot_plan::{LotRule, LotState};
use crate::plan::Ruling;
use crate::rules::Wald;

/// The tests of all domains.
#[derive(Debug)]
pub(super) struct PerDomain {
    rule: Wald,
    deck: Deck,
    lanes: Vec<Lane>,
    /// Whether the tests have ended: what is learnt later comes from others.
    is_closed: bool,
    /// What is known of the domains that were accepted when the tests ended.
    accepted: Tally,
}

/// Where the test of a domain stands.
#[derive(Debug, Clone)]
struct Lane {
    tally: Tally,
    /// The look whose answer is owed.
    waiting: Option<UrlId>,
    ruling: Ruling,
}

impl PerDomain {
    /// The tests over a catalogue, before any look.
    pub(super) fn new(catalogue: &Catalogue, seed: u64) -> Self {
        let piles = catalogue.domains().map(|it| catalogue.urls_of_domain(it).collect());
        let deck = Deck::new(piles, |_| false, &mut Chance::new(seed));
        let lane = Lane { tally: Tally::default(), waiting: None, ruling: Ruling::TakeAnother };
        let lanes = vec![lane; catalogue.domains().len()];
        Self { rule: Wald::sprt(), deck, lanes, is_closed: false, accepted: Tally::default() }
    }

    /// What the test makes of a domain.
    pub(super) fn ruling(&self, domain: DomainId) -> Ruling {
        self.lanes[domain.index()].ruling
    }

    /// What the looks at a domain have shown.
    pub(super) fn tally(&self, domain: DomainId) -> Tally {
        self.lanes[domain.index()].tally
    }

    /// The next look at a domain, if its test needs one and owes no answer.
    pub(super) fn look(&mut self, domain: DomainId, ledger: &mut Ledger<'_>) -> Option<UrlId> {
        while self.needs_a_look(domain) {
            let url = self.deck.turn(domain.index())?;
            if ledger.ask(url) {
                self.lanes[domain.index()].waiting = Some(url);
                return Some(url);
            }
            if let (Some(answer), false) = (ledger.answer(url), self.is_closed) {
                self.count(domain, answer, ledger.catalogue());
            }
        }
        None
    }

    /// The next URL of a domain that is to be checked in full.
    pub(super) fn next_of_all(
        &mut self,
        domain: DomainId,
        ledger: &mut Ledger<'_>,
    ) -> Option<UrlId> {
        if self.ruling(domain) != Ruling::CheckAll {
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
        answer: Answer,
        catalogue: &Catalogue,
    ) -> bool {
        let lane = &mut self.lanes[domain.index()];
        let is_look = lane.waiting == Some(url);
        if is_look {
            lane.waiting = None;
        }
        if is_look || self.is_closed {
            self.count(domain, answer, catalogue);
        }
        is_look
    }

    /// Ends the tests.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        self.accepted = Tally::default();
        for lane in self.lanes.iter().filter(|lane| lane.ruling != Ruling::CheckAll) {
            self.accepted.join(lane.tally);
        }
    }

    /// What is known of the domains that were accepted.
    pub(super) fn accepted(&self) -> Tally {
        self.accepted
    }

    /// Why a domain was ruled on as it was.
    pub(super) fn reason(&self, domain: DomainId, catalogue: &Catalogue) -> String {
        let Lane { tally, ruling, .. } = self.lanes[domain.index()];
        self.rule.reason(&state(tally, catalogue.domain_size(domain)), ruling)
    }

    fn needs_a_look(&self, domain: DomainId) -> bool {
        let lane = &self.lanes[domain.index()];
        lane.ruling == Ruling::TakeAnother && lane.waiting.is_none()
    }

    fn count(&mut self, domain: DomainId, answer: Answer, catalogue: &Catalogue) {
        let lane = &mut self.lanes[domain.index()];
        lane.tally.add(answer);
        // Once all is to be checked, no later answer takes it back.
        if lane.ruling != Ruling::CheckAll {
            lane.ruling = self.rule.rule(&state(lane.tally, catalogue.domain_size(domain)));
        }
    }
}

fn state(tally: Tally, size: u32) -> LotState {
    LotState { size, tally, rechecked: Tally::default() }
}
