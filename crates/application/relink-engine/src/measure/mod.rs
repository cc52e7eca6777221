//! `measure`: how rotten is the neighborhood of a page?
//!
//! [`measure()`] looks at the living web, one page after the other, until the
//! score is known well enough. [`KnownWeb`] holds a graph that was seen before
//! (a crawl, a list of links) and scores all of its pages exactly, but for what
//! lies beyond its edge.
//!
//! The score itself is the business of `relink-decay`; whether a page is dead,
//! that of the judge. Nothing is stored.

mod account;
mod crawled;
mod edge_list;
mod failure_model;
mod page_prober;
mod scores;
mod web_graph;

use std::collections::HashMap;
use std::time::Duration;

use relink_decay::{
    DecayDefinition, DecayEstimator, EstimatorStep, Interval, Neighborhood, Observation, PageIndex,
    Sigma, StoppingRule,
};
use relink_frontier::PolitenessPolicy;
use relink_judge::{Policy, is_network_failure};
use relink_model::{FetchOutcome, Verdict};
use relink_ports::{Clock, Fetch, Store};
use relink_survey::SplitMix64;
use url::Url;

pub use self::account::{NamedDeadEnd, NamedRepair, OwnLinks, PageDecayDetails};
pub use self::crawled::crawled_web;
pub use self::edge_list::{EdgeListError, EdgeLists};
pub use self::failure_model::{FailureModel, FailureSet};
pub use self::scores::{BARS, PageScore, ScoreDistribution, Scores, worse_than};
pub use self::web_graph::WebGraph;

use self::account::{dead_ends, nearest, repairs};
use self::page_prober::{Destination, ObservedPage, PageProber};
use crate::polite_fetch::{PoliteFetch, Politeness};
use crate::{ControlCache, ExamineSettings, Observer, Progress, StopSignal};

/// What to measure, and how.
#[derive(Debug, Clone)]
pub struct MeasureSettings {
    /// The page.
    pub url: Url,
    /// How likely the surfer is content with a living page.
    pub sigma: Sigma,
    /// Which of the two definitions.
    pub form: DecayDefinition,
    /// When enough was seen.
    pub stopping_rule: StoppingRule,
    /// Where chance comes from: the same seed takes the same walks.
    pub seed: u64,
    /// On which pages surfers fail.
    pub fails: FailureModel,
    /// The politeness owed to each host.
    pub politeness: PolitenessPolicy,
    /// What counts as enough evidence.
    pub policy: Policy,
    /// The longest wait for a host; pages behind longer ones are not looked at.
    pub wait: Duration,
}

/// What was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestCost {
    /// Pages that were looked at.
    pub pages: u64,
    /// Requests that took, redirects and comparisons included.
    pub requests: u64,
}

/// How a measurement came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeasureEnd {
    /// Enough was seen.
    Enough,
    /// The most pages were looked at, and more were wanted.
    OutOfPages,
    /// Somebody stopped it.
    Interrupted,
    /// No host answered at all, so nothing was decided.
    NoNetwork(FetchOutcome),
    /// The page itself may not be requested, for this reason.
    NotRequested(String),
}

/// A page measured.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasureOutcome {
    /// The word for the page itself; nothing if it was not even looked at.
    pub verdict: Option<Verdict>,
    /// The reason for it.
    pub reason: String,
    /// The score.
    pub account: PageDecayDetails,
    /// Pages that turned us away. They count as sound.
    pub blocked: u64,
    /// By how much the score would rise at most if they were dead.
    pub blocked_share: f64,
    /// What was asked.
    pub expense: RequestCost,
    /// How it ended.
    pub end: MeasureEnd,
}

/// What a measurement uses of the outside.
#[derive(Clone, Copy)]
pub struct MeasurePorts<'a> {
    /// Sends requests.
    pub fetch: &'a dyn Fetch,
    /// The time of day.
    pub clock: &'a dyn Clock,
    /// Where hosts' paces and robots rules are stored, if anywhere.
    pub store: Option<&'a dyn Store>,
}

/// Measures the decay of one page of the living web.
pub async fn measure(
    ports: MeasurePorts<'_>,
    settings: &MeasureSettings,
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> MeasureOutcome {
    let mut chance = SplitMix64::new(settings.seed);
    let mut walker = DecayMeasurement::new(ports, settings, chance.bits());
    let end = walker.run(&mut || chance.unit(), observer, stop).await;
    let requests = walker.looking.fetch.requests().await;
    walker.told(end, requests)
}

/// A measurement under way.
struct DecayMeasurement<'a> {
    settings: &'a MeasureSettings,
    looking: PageProber<'a>,
    survey: DecayEstimator,
    /// Every address met so far, by its number.
    places: Vec<Destination>,
    numbers: HashMap<Destination, PageIndex>,
    /// In the order they were seen.
    sights: Vec<(PageIndex, ObservedPage)>,
}

impl<'a> DecayMeasurement<'a> {
    fn new(ports: MeasurePorts<'a>, settings: &'a MeasureSettings, salt: u64) -> Self {
        let MeasurePorts { fetch, clock, store } = ports;
        let MeasureSettings { politeness: pace, wait: patience, .. } = *settings;
        let politeness =
            Politeness { fetch, clock, store, politeness: pace, max_host_wait: patience };
        let start = Destination::Page(settings.url.to_string());
        Self {
            settings,
            looking: PageProber {
                fetch: PoliteFetch::new(politeness),
                clock,
                settings: ExamineSettings {
                    policy: settings.policy,
                    max_host_wait: settings.wait,
                    salt,
                },
                start: settings.url.clone(),
                controls: ControlCache::default(),
            },
            survey: DecayEstimator::new(0, settings.sigma, settings.form, settings.stopping_rule),
            places: vec![start.clone()],
            numbers: HashMap::from([(start, 0)]),
            sights: Vec::new(),
        }
    }

    async fn run(
        &mut self,
        chance: &mut (dyn FnMut() -> f64 + Send),
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> MeasureEnd {
        loop {
            let page = match self.survey.next(chance) {
                EstimatorStep::Visit(page) => page,
                EstimatorStep::Settle(estimate) if self.is_cut_short(estimate.pages_fetched) => {
                    return MeasureEnd::OutOfPages;
                }
                EstimatorStep::Settle(_) => return MeasureEnd::Enough,
            };
            let place = self.places[page as usize].clone();
            let sight = tokio::select! {
                sight = self.looking.probe(&place) => sight,
                () = stop.raised() => return MeasureEnd::Interrupted,
            };
            if self.sights.is_empty() && sight.is_refused() {
                return MeasureEnd::NotRequested(sight.reason);
            }
            if let Some(ending) = self.no_network(&sight).await {
                return MeasureEnd::NoNetwork(ending);
            }
            self.learn(page, sight);
            observer.progress(&Progress::Asking {
                checked: self.sights.len() as u64,
                targets: self.places.len() as u64,
                in_flight: 1,
                waiting: Vec::new(),
            });
        }
    }

    /// Whether the survey ended for want of pages alone.
    fn is_cut_short(&self, looks: usize) -> bool {
        let StoppingRule { pages_fetched: most, half_width, walks, .. } =
            self.settings.stopping_rule;
        let estimate = self.survey.estimate();
        looks >= most
            && estimate.interval.half_width() > half_width
            && estimate.walks < walks
            && estimate.bounds.half_width() > 0.0
    }

    /// An error that may be our own network's, while nobody has answered.
    async fn no_network(&self, sight: &ObservedPage) -> Option<FetchOutcome> {
        let ending = sight.outcome.as_ref().filter(|ending| is_network_failure(ending))?;
        (!self.looking.fetch.has_met_a_server().await).then(|| ending.clone())
    }

    fn learn(&mut self, page: PageIndex, sight: ObservedPage) {
        let links = sight.links.iter().map(|link| self.number(link)).collect();
        let fails = self.settings.fails.chance(sight.verdict);
        self.survey.learn(page, &Observation { fails, links });
        self.sights.push((page, sight));
    }

    /// The number of an address, new if it was never met.
    fn number(&mut self, place: &Destination) -> PageIndex {
        if let Some(&number) = self.numbers.get(place) {
            return number;
        }
        let number = PageIndex::try_from(self.places.len()).unwrap_or(PageIndex::MAX);
        self.places.push(place.clone());
        self.numbers.insert(place.clone(), number);
        number
    }

    fn told(&self, end: MeasureEnd, requests: u64) -> MeasureOutcome {
        let first = self.sights.first().map(|(_, sight)| sight);
        let blocked = self.sights.iter().filter(|(_, sight)| self.is_open(sight)).count();
        let asked = self.sights.iter().filter(|(_, sight)| sight.outcome.is_some()).count();
        MeasureOutcome {
            verdict: first.map(|sight| sight.verdict),
            reason: first.map_or_else(String::new, |sight| sight.reason.clone()),
            account: self.account(&end),
            blocked: blocked as u64,
            blocked_share: if blocked == 0 { 0.0 } else { self.blocked_share() },
            expense: RequestCost { pages: asked as u64, requests },
            end,
        }
    }

    fn is_open(&self, sight: &ObservedPage) -> bool {
        self.settings.fails.leaves_open(sight.verdict)
    }

    fn account(&self, end: &MeasureEnd) -> PageDecayDetails {
        let estimate = self.survey.estimate();
        let name = |page: PageIndex| self.places[page as usize].text().to_owned();
        let interval = match end {
            MeasureEnd::Enough => estimate.interval,
            _ => cut_short(estimate.interval, estimate.walks, estimate.bounds),
        };
        let MeasureSettings { sigma, form, .. } = *self.settings;
        PageDecayDetails {
            decay: estimate.decay,
            interval,
            bounds: estimate.bounds,
            walks: estimate.walks,
            sigma,
            form,
            own: self.own_links(estimate.decay),
            dead_ends: dead_ends(&self.survey, name),
            repairs: repairs(&self.survey, name),
        }
    }

    fn own_links(&self, decay: relink_decay::Decay) -> Option<OwnLinks> {
        let MeasureSettings { sigma, form, fails, .. } = *self.settings;
        let (_, first) = self.sights.first()?;
        if fails.chance(first.verdict) >= 1.0 {
            return None;
        }
        let seen: HashMap<PageIndex, f64> =
            self.sights.iter().map(|(page, sight)| (*page, fails.chance(sight.verdict))).collect();
        let chance = |link: &Destination| seen.get(self.numbers.get(link)?).copied();
        Some(OwnLinks::new(first.links.iter().map(chance), decay, sigma, form))
    }

    /// The share of surfers who come to pages that turned us away.
    fn blocked_share(&self) -> f64 {
        let failed = |blocked: f64| {
            let MeasureSettings { sigma, form, .. } = *self.settings;
            let mut around = Neighborhood::new(0, sigma, form);
            for (page, sight) in &self.sights {
                let fails = self.settings.fails.chance(sight.verdict);
                let fails = if self.is_open(sight) { blocked } else { fails };
                let links = sight.links.iter().map(|link| self.numbers[link]).collect();
                around.learn(*page, &Observation { fails, links });
            }
            around.bounds().low.get()
        };
        failed(1.0) - failed(0.0)
    }
}

/// The interval of a survey that was cut short: the walk that was under way
/// may have ended either way, and long walks are the likeliest to be cut.
fn cut_short(interval: Interval, walks: u32, bounds: Interval) -> Interval {
    let walks = f64::from(walks);
    let low = interval.low.get() * walks / (walks + 1.0);
    let high = (interval.high.get() * walks + 1.0) / (walks + 1.0);
    Interval { low: nearest(low.max(bounds.low.get())), high: nearest(high.min(bounds.high.get())) }
}

#[cfg(test)]
mod tests;
