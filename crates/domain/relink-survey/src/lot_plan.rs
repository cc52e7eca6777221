//! Plans that decide for each lot, from a random sample of its URLs, whether to accept it or to
//! check all of its URLs.
//!
//! The lots are the domains or the directories of a catalog. A plan checks the URLs of a lot in
//! groups, until a rule decides by the number of checked and broken URLs. The plans differ only
//! in that rule: full, single and sequential sampling, Wald's test, Algorithm 1 of Le & Shulman,
//! and sentinels ([`crate::rules`]).

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use std::collections::VecDeque;

use crate::catalog::{Catalog, DirectoryId, DomainId, UrlId};
use crate::check_log::{CheckCounts, CheckLog, UrlHealth};
use crate::estimate::RecallEstimate;
use crate::plan::{LotDecision, SamplingPlan};
use crate::rng::SplitMix64;
use crate::strata::ShuffledStrata;

/// The results of a lot at the time of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LotState {
    /// Number of URLs.
    pub size: u32,
    /// Results of this run, including re-checks.
    pub counts: CheckCounts,
    /// Results of the URLs that an earlier run found broken, which are part of `counts`.
    pub rechecked: CheckCounts,
}

/// The parts of a catalog that are lots, for which a plan decides separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LotKind {
    /// Each domain is a lot.
    Domain,
    /// Each directory is a lot.
    Directory,
}

/// A rule that decides by the sample of a lot.
pub trait LotRule: Send {
    /// Returns which parts of the catalog are lots.
    fn lot_kind(&self) -> LotKind {
        LotKind::Domain
    }

    /// Returns the number of URLs to check before the next decision. The plan checks at least
    /// one.
    fn group_size(&self, lot: &LotState) -> u32;

    /// Decides whether to accept a lot, check all of it, or check another group.
    fn decide(&self, lot: &LotState) -> LotDecision;

    /// Returns the reason for a decision.
    fn reason(&self, lot: &LotState, decision: LotDecision) -> String;
}

/// A plan that applies one rule to each lot.
#[derive(Debug)]
pub struct LotPlan<'a, R> {
    rule: R,
    log: CheckLog<'a>,
    strata: ShuffledStrata,
    progress: Vec<LotProgress>,
    /// For each URL, whether an earlier run found it broken.
    rechecks: Vec<bool>,
    /// Lots with URLs to check, by index. A lot goes to the end after each URL, so that no lot
    /// gets many requests in a row.
    queue: VecDeque<usize>,
    has_started: bool,
}

/// The progress of a lot.
#[derive(Debug, Clone, Default)]
struct LotProgress {
    /// Number of URLs to check before the next decision.
    quota: u32,
    /// Number of checks in flight.
    in_flight: u32,
    /// Number of URLs that an earlier run found broken, and that are checked first.
    known: u32,
    rechecked: CheckCounts,
    decision: Option<LotDecision>,
}

impl<'a, R: LotRule> LotPlan<'a, R> {
    /// Returns a plan for a catalog. The URLs `known_broken` of the previous run are checked
    /// first.
    pub fn new(catalog: &'a Catalog, rule: R, known_broken: &[UrlId], seed: u64) -> Self {
        let mut rechecks = vec![false; catalog.len() as usize];
        for url in known_broken {
            rechecks[url.index()] = true;
        }
        let rng = &mut SplitMix64::new(seed);
        let is_checked_first = |url: UrlId| rechecks[url.index()];
        let strata = match rule.lot_kind() {
            LotKind::Domain => {
                let strata =
                    catalog.domains().map(|domain| catalog.urls_of_domain(domain).collect());
                ShuffledStrata::new(strata, is_checked_first, rng)
            }
            LotKind::Directory => {
                let strata =
                    catalog.directories().map(|directory| catalog.urls_of(directory).collect());
                ShuffledStrata::new(strata, is_checked_first, rng)
            }
        };
        let log = CheckLog::new(catalog);
        let mut progress = vec![LotProgress::default(); strata.count()];
        for url in known_broken {
            progress[lot_of(&rule, catalog, *url)].known += 1;
        }
        // `start` fills the queue.
        let queue = VecDeque::new();
        Self { rule, log, strata, progress, rechecks, queue, has_started: false }
    }

    /// Returns the results of a lot, by its index.
    fn state(&self, lot: usize) -> LotState {
        let rechecked = self.progress[lot].rechecked;
        let catalog = self.log.catalog();
        match self.rule.lot_kind() {
            LotKind::Domain => {
                let domain = DomainId::at(lot);
                let size = catalog.domain_size(domain);
                LotState { size, counts: self.log.domain(domain), rechecked }
            }
            LotKind::Directory => {
                let directory = DirectoryId::at(lot);
                let size = catalog.directory_size(directory);
                LotState { size, counts: self.log.directory(directory), rechecked }
            }
        }
    }

    /// Returns the lots of a domain.
    fn lots_of(&self, domain: DomainId) -> Vec<usize> {
        match self.rule.lot_kind() {
            LotKind::Domain => vec![domain.index()],
            LotKind::Directory => {
                self.log.catalog().directories_of(domain).map(DirectoryId::index).collect()
            }
        }
    }

    /// Decides on a lot without checks in flight.
    fn decide_on(&mut self, lot: usize) {
        // The decision to check all URLs is final.
        if self.progress[lot].decision == Some(LotDecision::CheckAll) {
            return;
        }
        let state = self.state(lot);
        let decision = self.rule.decide(&state);
        let progress = &mut self.progress[lot];
        progress.decision = Some(decision);
        progress.quota = match decision {
            LotDecision::Accept => return,
            LotDecision::CheckAll => state.size,
            LotDecision::Continue => self.rule.group_size(&state).max(1),
        };
        self.queue.push_back(lot);
    }

    /// Sets the size of the first group of each lot. Results that were recorded before count as
    /// part of the group.
    fn start(&mut self) {
        self.has_started = true;
        for lot in 0..self.progress.len() {
            let state = self.state(lot);
            let unchecked = LotState { counts: CheckCounts::default(), ..state };
            let group_size = self.rule.group_size(&unchecked).max(1);
            let first = self.progress[lot].known.saturating_add(group_size);
            self.progress[lot].quota = first.saturating_sub(state.counts.checked);
        }
        for lot in 0..self.progress.len() {
            if self.progress[lot].quota > 0 {
                self.queue.push_back(lot);
            } else {
                self.decide_on(lot);
            }
        }
    }

    /// Returns the next unchecked URL of a lot whose quota is not used up. If none is left, the
    /// group ends.
    fn draw(&mut self, lot: usize) -> Option<UrlId> {
        let url = self.strata.draw(lot, &mut self.log);
        let progress = &mut self.progress[lot];
        match url {
            Some(_) => {
                (progress.quota, progress.in_flight) = (progress.quota - 1, progress.in_flight + 1);
            }
            None => progress.quota = 0,
        }
        url
    }
}

/// Returns the lot of a URL.
fn lot_of(rule: &impl LotRule, catalog: &Catalog, url: UrlId) -> usize {
    let directory = catalog.directory_of(url);
    match rule.lot_kind() {
        LotKind::Domain => catalog.domain_of(directory).index(),
        LotKind::Directory => directory.index(),
    }
}

impl<R: LotRule> SamplingPlan for LotPlan<'_, R> {
    fn next_batch(&mut self, max_urls: usize) -> Vec<UrlId> {
        if !self.has_started {
            self.start();
        }
        let mut batch = Vec::new();
        while batch.len() < max_urls {
            let Some(lot) = self.queue.pop_front() else { break };
            if let Some(url) = self.draw(lot) {
                batch.push(url);
                if self.progress[lot].quota > 0 {
                    self.queue.push_back(lot);
                }
            }
        }
        batch
    }

    fn record(&mut self, url: UrlId, health: UrlHealth) {
        let lot = lot_of(&self.rule, self.log.catalog(), url);
        let was_in_flight = self.log.is_in_flight(url);
        if !self.log.record(url, health) {
            return;
        }
        let progress = &mut self.progress[lot];
        progress.in_flight -= u32::from(was_in_flight);
        if self.rechecks[url.index()] {
            progress.rechecked.add(health);
        }
        if self.has_started && progress.in_flight == 0 && progress.quota == 0 {
            self.decide_on(lot);
        }
    }

    fn check_log(&self) -> &CheckLog<'_> {
        &self.log
    }

    fn estimate(&self) -> RecallEstimate {
        // Re-checked URLs are not a random sample.
        let samples = (0..self.progress.len()).map(|lot| {
            let LotState { size, counts, rechecked } = self.state(lot);
            let checked = counts.checked - rechecked.checked;
            let broken = counts.broken - rechecked.broken;
            (size - counts.checked, CheckCounts { checked, broken })
        });
        estimate_from_samples(self.log.total().broken, samples)
    }

    fn expected_rate(&self, directory: DirectoryId) -> f64 {
        let lot = match self.rule.lot_kind() {
            LotKind::Domain => self.log.catalog().domain_of(directory).index(),
            LotKind::Directory => directory.index(),
        };
        let (counts, total) = (self.state(lot).counts, self.log.total());
        // The rate of the whole catalog has the weight of one check.
        (f64::from(counts.broken) + total.rate()) / (f64::from(counts.checked) + 1.0)
    }

    fn decision(&self, domain: DomainId) -> LotDecision {
        let open: Vec<usize> = self
            .lots_of(domain)
            .into_iter()
            .filter(|lot| self.state(*lot).counts.checked < self.state(*lot).size)
            .collect();
        let decisions = open.iter().map(|lot| self.progress[*lot].decision);
        if decisions.clone().all(|decision| decision == Some(LotDecision::CheckAll)) {
            LotDecision::CheckAll
        } else if decisions.clone().all(|decision| decision == Some(LotDecision::Accept)) {
            LotDecision::Accept
        } else {
            LotDecision::Continue
        }
    }

    fn reason(&self, domain: DomainId) -> String {
        let (size, counts) = (self.log.catalog().domain_size(domain), self.log.domain(domain));
        if counts.checked == size {
            return format!("all {size} URLs were checked, {} are broken", counts.broken);
        }
        let lots = self.lots_of(domain);
        if let [lot] = lots[..] {
            return self.rule.reason(&self.state(lot), self.decision(domain));
        }
        let is_full = |lot: &&usize| self.progress[**lot].decision == Some(LotDecision::CheckAll);
        let full = lots.iter().filter(is_full).count();
        format!("{full} of {} directories are checked in full, the others by a sample", lots.len())
    }
}

/// Estimates the number of missed broken URLs. Each item of `samples` is a part of the catalog:
/// its number of unchecked URLs and the results of a random sample. Uses the beta-binomial
/// distribution. Its prior is the rate of all samples with the weight of one check.
pub(crate) fn estimate_from_samples(
    found: u32,
    samples: impl Iterator<Item = (u32, CheckCounts)> + Clone,
) -> RecallEstimate {
    let open = samples.filter(|(unchecked, _)| *unchecked > 0);
    let (mut checked, mut broken, mut unchecked_total) = (0_u32, 0_u32, 0_u32);
    for (unchecked, counts) in open.clone() {
        checked += counts.checked;
        broken += counts.broken;
        unchecked_total += unchecked;
    }
    let prior = (f64::from(broken) + 0.5) / (f64::from(checked) + 1.0);
    // The mean and the variance of the beta-binomial distribution of each part.
    let (mut mean, mut variance) = (0.0, 0.0);
    for (unchecked, counts) in open {
        let (unchecked, weight) = (f64::from(unchecked), f64::from(counts.checked) + 1.0);
        let rate = (f64::from(counts.broken) + prior) / weight;
        mean += unchecked * rate;
        variance += unchecked * rate * (1.0 - rate) * (weight + unchecked) / (weight + 1.0);
    }
    RecallEstimate::normal(found, unchecked_total, mean, variance)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule without a group size that never accepts a lot.
    struct Undecided;

    impl LotRule for Undecided {
        fn group_size(&self, _: &LotState) -> u32 {
            0
        }

        fn decide(&self, _: &LotState) -> LotDecision {
            LotDecision::Continue
        }

        fn reason(&self, _: &LotState, _: LotDecision) -> String {
            String::new()
        }
    }

    #[test]
    fn group_size_0_checks_one_url_at_a_time() {
        let catalog = Catalog::new([("a", "a/1"), ("a", "a/2"), ("a", "a/3")]);
        let mut plan = LotPlan::new(&catalog, Undecided, &[], 1);
        for _ in 0..3 {
            let batch = plan.next_batch(10);
            assert_eq!(batch.len(), 1);
            plan.record(batch[0], UrlHealth::Alive);
        }
        assert_eq!(plan.next_batch(10), []);
        assert_eq!(plan.check_log().total().checked, 3);
    }
}
