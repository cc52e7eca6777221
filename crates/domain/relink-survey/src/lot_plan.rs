//! Plans that judge each lot by a random sample of its URLs.
//!
//! A lot is what one ruling is about: a domain, or a directory. The plans
//! differ in one rule only: what follows from so many checked and so many
//! broken. Full, single and sequential sampling, Wald's test, the paper's
//! Algorithm 1 and sentinels are such rules.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use std::collections::VecDeque;

use crate::catalog::{Catalog, DirectoryId, DomainId, UrlId};
use crate::estimate::RecallEstimate;
use crate::ledger::{CheckCounts, CheckLog, UrlHealth};
use crate::plan::{LotDecision, SamplingPlan};
use crate::rng::SplitMix64;
use crate::strata::ShuffledStrata;

/// What is known of a lot when it is ruled on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LotState {
    /// How many URLs it has.
    pub size: u32,
    /// What was checked in this run, re-checks included.
    pub tally: CheckCounts,
    /// Those of them that an earlier run found broken.
    pub rechecked: CheckCounts,
}

/// What a lot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lot {
    /// Each domain.
    Domain,
    /// Each directory.
    Directory,
}

/// What follows from the sample of a lot.
pub trait LotRule: Send {
    /// What is ruled on.
    fn lot(&self) -> Lot {
        Lot::Domain
    }

    /// How many URLs are checked before the next ruling.
    fn group(&self, lot: &LotState) -> u32;

    /// The ruling on a lot of which a group has been checked.
    fn rule(&self, lot: &LotState) -> LotDecision;

    /// Why, in plain words.
    fn reason(&self, lot: &LotState, ruling: LotDecision) -> String;
}

/// A plan that applies one rule to each lot.
#[derive(Debug)]
pub struct LotPlan<'a, R> {
    rule: R,
    ledger: CheckLog<'a>,
    deck: ShuffledStrata,
    lanes: Vec<LotProgress>,
    rechecks: Vec<bool>,
    /// Lots with URLs to ask, in turn, so that none is asked in a burst.
    turns: VecDeque<usize>,
    has_begun: bool,
}

/// Where a lot stands.
#[derive(Debug, Clone, Default)]
struct LotProgress {
    /// How many may be asked before the next ruling.
    quota: u32,
    /// How many answers are owed.
    outstanding: u32,
    /// How many URLs of an earlier run are to be checked first.
    known: u32,
    rechecked: CheckCounts,
    ruling: Option<LotDecision>,
}

impl<'a, R: LotRule> LotPlan<'a, R> {
    /// A plan over a catalog, in which the URLs `known_broken` from the
    /// previous run are checked first.
    pub fn new(catalog: &'a Catalog, rule: R, known_broken: &[UrlId], seed: u64) -> Self {
        let mut rechecks = vec![false; catalog.len() as usize];
        for url in known_broken {
            rechecks[url.index()] = true;
        }
        let chance = &mut SplitMix64::new(seed);
        let is_first = |url: UrlId| rechecks[url.index()];
        let deck = match rule.lot() {
            Lot::Domain => {
                let piles = catalog.domains().map(|it| catalog.urls_of_domain(it).collect());
                ShuffledStrata::new(piles, is_first, chance)
            }
            Lot::Directory => {
                let piles = catalog.directories().map(|it| catalog.urls_of(it).collect());
                ShuffledStrata::new(piles, is_first, chance)
            }
        };
        let ledger = CheckLog::new(catalog);
        let mut lanes = vec![LotProgress::default(); deck.piles()];
        for url in known_broken {
            lanes[lot_of(&rule, catalog, *url)].known += 1;
        }
        let turns = (0..lanes.len()).collect();
        Self { rule, ledger, deck, lanes, rechecks, turns, has_begun: false }
    }

    fn state(&self, lot: usize) -> LotState {
        let rechecked = self.lanes[lot].rechecked;
        let catalog = self.ledger.catalog();
        match self.rule.lot() {
            Lot::Domain => {
                let domain = DomainId::at(lot);
                let size = catalog.domain_size(domain);
                LotState { size, tally: self.ledger.domain(domain), rechecked }
            }
            Lot::Directory => {
                let directory = DirectoryId::at(lot);
                let size = catalog.directory_size(directory);
                LotState { size, tally: self.ledger.directory(directory), rechecked }
            }
        }
    }

    /// The lots of a domain.
    fn lots_of(&self, domain: DomainId) -> Vec<usize> {
        match self.rule.lot() {
            Lot::Domain => vec![domain.index()],
            Lot::Directory => {
                self.ledger.catalog().directories_of(domain).map(DirectoryId::index).collect()
            }
        }
    }

    /// Rules on a lot of which every answer is in.
    fn rule_on(&mut self, lot: usize) {
        // Once all is to be checked, no later answer takes it back.
        if self.lanes[lot].ruling == Some(LotDecision::CheckAll) {
            return;
        }
        let state = self.state(lot);
        let ruling = self.rule.rule(&state);
        let lane = &mut self.lanes[lot];
        lane.ruling = Some(ruling);
        lane.quota = match ruling {
            LotDecision::Accept => return,
            LotDecision::CheckAll => state.size,
            LotDecision::Continue => self.rule.group(&state),
        };
        self.turns.push_back(lot);
    }

    /// Sets the first groups. Answers known beforehand count toward them.
    fn begin(&mut self) {
        self.has_begun = true;
        for lot in 0..self.lanes.len() {
            let state = self.state(lot);
            let unasked = LotState { tally: CheckCounts::default(), ..state };
            let first = self.lanes[lot].known.saturating_add(self.rule.group(&unasked));
            self.lanes[lot].quota = first.saturating_sub(state.tally.checked);
        }
        self.turns.clear();
        for lot in 0..self.lanes.len() {
            if self.lanes[lot].quota > 0 {
                self.turns.push_back(lot);
            } else {
                self.rule_on(lot);
            }
        }
    }

    /// The next URL of a lot; without one its group has come to an end.
    fn draw(&mut self, lot: usize) -> Option<UrlId> {
        let url = self.deck.draw(lot, &mut self.ledger);
        let lane = &mut self.lanes[lot];
        match url {
            Some(_) => (lane.quota, lane.outstanding) = (lane.quota - 1, lane.outstanding + 1),
            None => lane.quota = 0,
        }
        url
    }
}

/// The lot of a URL.
fn lot_of(rule: &impl LotRule, catalog: &Catalog, url: UrlId) -> usize {
    let directory = catalog.directory_of(url);
    match rule.lot() {
        Lot::Domain => catalog.domain_of(directory).index(),
        Lot::Directory => directory.index(),
    }
}

impl<R: LotRule> SamplingPlan for LotPlan<'_, R> {
    fn next_batch(&mut self, at_most: usize) -> Vec<UrlId> {
        if !self.has_begun {
            self.begin();
        }
        let mut batch = Vec::new();
        while batch.len() < at_most {
            let Some(lot) = self.turns.pop_front() else { break };
            if let Some(url) = self.draw(lot) {
                batch.push(url);
                if self.lanes[lot].quota > 0 {
                    self.turns.push_back(lot);
                }
            }
        }
        batch
    }

    fn take(&mut self, url: UrlId, answer: UrlHealth) {
        let lot = lot_of(&self.rule, self.ledger.catalog(), url);
        let was_asked = !self.ledger.is_unasked(url);
        if !self.ledger.note(url, answer) {
            return;
        }
        let lane = &mut self.lanes[lot];
        lane.outstanding -= u32::from(was_asked);
        if self.rechecks[url.index()] {
            lane.rechecked.add(answer);
        }
        if self.has_begun && lane.outstanding == 0 && lane.quota == 0 {
            self.rule_on(lot);
        }
    }

    fn ledger(&self) -> &CheckLog<'_> {
        &self.ledger
    }

    fn estimate(&self) -> RecallEstimate {
        let samples = (0..self.lanes.len()).map(|lot| {
            let LotState { size, tally, rechecked } = self.state(lot);
            let checked = tally.checked - rechecked.checked;
            let broken = tally.broken - rechecked.broken;
            (size - tally.checked, CheckCounts { checked, broken })
        });
        estimate_from_samples(self.ledger.total().broken, samples)
    }

    fn expected_rate(&self, directory: DirectoryId) -> f64 {
        let lot = match self.rule.lot() {
            Lot::Domain => self.ledger.catalog().domain_of(directory).index(),
            Lot::Directory => directory.index(),
        };
        let (tally, total) = (self.state(lot).tally, self.ledger.total());
        (f64::from(tally.broken) + total.rate()) / (f64::from(tally.checked) + 1.0)
    }

    fn ruling(&self, domain: DomainId) -> LotDecision {
        let open: Vec<usize> = self
            .lots_of(domain)
            .into_iter()
            .filter(|lot| self.state(*lot).tally.checked < self.state(*lot).size)
            .collect();
        let rulings = open.iter().map(|lot| self.lanes[*lot].ruling);
        if rulings.clone().all(|ruling| ruling == Some(LotDecision::CheckAll)) {
            LotDecision::CheckAll
        } else if rulings.clone().all(|ruling| ruling == Some(LotDecision::Accept)) {
            LotDecision::Accept
        } else {
            LotDecision::Continue
        }
    }

    fn reason(&self, domain: DomainId) -> String {
        let (size, tally) = (self.ledger.catalog().domain_size(domain), self.ledger.domain(domain));
        if tally.checked == size {
            return format!("all {size} URLs were checked, {} are broken", tally.broken);
        }
        let lots = self.lots_of(domain);
        if let [lot] = lots[..] {
            return self.rule.reason(&self.state(lot), self.ruling(domain));
        }
        let all = |lot: &&usize| self.lanes[**lot].ruling == Some(LotDecision::CheckAll);
        let full = lots.iter().filter(all).count();
        format!("{full} of {} directories are checked in full, the others by sample", lots.len())
    }
}

/// What was missed, from the random samples of parts and the number of URLs
/// left in each: the beta-binomial distribution, whose prior is the rate of all
/// samples with the weight of one check.
pub(crate) fn estimate_from_samples(
    found: u32,
    samples: impl Iterator<Item = (u32, CheckCounts)> + Clone,
) -> RecallEstimate {
    let open = samples.filter(|(left, _)| *left > 0);
    let (mut checked, mut broken, mut unchecked) = (0_u32, 0_u32, 0_u32);
    for (left, tally) in open.clone() {
        (checked, broken, unchecked) =
            (checked + tally.checked, broken + tally.broken, unchecked + left);
    }
    let prior = (f64::from(broken) + 0.5) / (f64::from(checked) + 1.0);
    let (mut mean, mut variance) = (0.0, 0.0);
    for (left, tally) in open {
        let (left, weight) = (f64::from(left), f64::from(tally.checked) + 1.0);
        let rate = (f64::from(tally.broken) + prior) / weight;
        mean += left * rate;
        variance += left * rate * (1.0 - rate) * (weight + left) / (weight + 1.0);
    }
    RecallEstimate::normal(found, unchecked, mean, variance)
}
