//! `measure`: measures the decay of a page.
//!
//! The *decay* of a page is the probability that a random walk over links, which starts at
//! the page, ends on a dead page. At each live page the walk stops with the probability
//! *sigma*. "The paper" is *Sic transit gloria telae* (Bar-Yossef et al., WWW 2004).
//!
//! [`measure()`] probes the live web, one page after the other, until the
//! estimate is precise enough; with a radius, it probes several hosts at the same time. [`WebGraph`] is a stored graph (a crawl or a
//! list of links). All its pages are scored exactly, except for unknown pages
//! at its edge.
//!
//! [`measure_list`] measures many pages at the same time with one page cache and stores
//! their scores.
//!
//! `relink-decay` computes the score and `relink-judge` the verdicts. Stored
//! results of dead pages are reused.

mod crawl_graph;
mod edge_list;
mod failure_list;
mod failure_model;
mod list;
mod outcome;
mod page_decay_details;
mod page_prober;
mod scores;
mod web_graph;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use relink_decay::{
    DecayDefinition, DecayEstimator, EstimatorStep, Observation, PageIndex, Sigma, StoppingRule,
};
use relink_frontier::PolitenessPolicy;
use relink_judge::{Policy, is_network_failure};
use relink_model::{FetchOutcome, Verdict};
use relink_page::Abandonment;
use relink_ports::{Clock, Fetch, Store};
use relink_survey::SplitMix64;
use url::Url;

pub use self::crawl_graph::crawl_graph;
pub use self::edge_list::{EdgeListError, EdgeLists};
pub use self::failure_list::FailureList;
pub use self::failure_model::{FailureModel, FailureSet};
pub use self::list::{DecayDay, ListOutcome, MeasuredPage, decay_over_time, measure_list};
pub use self::page_decay_details::{NamedDeadEnd, NamedRepair, OwnLinks, PageDecayDetails};
pub use self::scores::{
    DISTRIBUTION_BINS, PageScore, ScoreDistribution, Scores, share_with_lower_decay,
};
pub use self::web_graph::WebGraph;

use self::page_prober::{Destination, ObservedPage, PageProber};
use relink_engine::{Observer, Progress};
use relink_requests::{MAX_CONCURRENT_PARTS, StopSignal, run_in_order};

/// Index of the measured page.
const START_PAGE: PageIndex = 0;

/// Settings of a measurement.
#[derive(Debug, Clone)]
pub struct MeasureSettings {
    /// The page to measure.
    pub url: Url,
    /// Whether the user named the page. Only then may requests to its host reach private
    /// addresses and carry the user's headers.
    pub is_user_supplied: bool,
    /// Probability that a random walk stops at a live page.
    pub sigma: Sigma,
    /// The definition of decay to use.
    pub definition: DecayDefinition,
    /// Limits after which the estimate stops.
    pub stopping_rule: StoppingRule,
    /// Random seed. The same seed results in the same walks.
    pub seed: u64,
    /// Which pages count as failures.
    pub failure_model: FailureModel,
    /// Rate limits per host.
    pub politeness: PolitenessPolicy,
    /// Rules that decide which evidence is sufficient.
    pub policy: Policy,
    /// Maximum wait for a host. Pages with longer waits are not fetched.
    pub max_host_wait: Duration,
    /// Whether pages are compared with controls (pages fetched only for comparison).
    pub uses_controls: bool,
    /// Pages that count as dead without a request.
    pub failure_list: FailureList,
    /// If set, all pages up to this distance are fetched, and no walks are
    /// taken.
    pub radius: Option<u32>,
    /// Whether stored results of dead pages are reused. They must have been
    /// judged by the same policy.
    pub reuses_results: bool,
}

/// Cost of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestCost {
    /// Probed pages.
    pub pages: u64,
    /// Requests, including redirects and controls.
    pub requests: u64,
    /// Dead pages whose stored result was reused.
    pub reused: u64,
}

/// Dead pages that the measurement met (section 5.2 of the paper).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DeadPagesMet {
    /// Dead pages.
    pub dead: u64,
    /// Dead pages that are soft-404s (missing pages with a success status).
    pub soft_404: u64,
    /// Share of failed walks that end on a soft-404.
    pub soft_404_share: f64,
}

/// Why a measurement ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeasureEnd {
    /// The estimate is precise enough.
    Converged,
    /// The maximum number of pages was probed before the estimate was precise
    /// enough.
    PageLimitReached,
    /// Interrupted by the user.
    Interrupted,
    /// No host responded, so nothing was measured.
    NoNetwork(FetchOutcome),
    /// The page itself may not be fetched, for this reason.
    NotRequested(String),
}

/// Result of a measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasureOutcome {
    /// The verdict on the page itself, or `None` if it was not probed.
    pub verdict: Option<Verdict>,
    /// The reason of the verdict.
    pub reason: String,
    /// The score and its details.
    pub details: PageDecayDetails,
    /// Number of pages that block the client. They count as alive.
    pub blocked: u64,
    /// Maximum increase of the score if the blocked pages were dead.
    pub blocked_share: f64,
    /// Number of pages and requests.
    pub cost: RequestCost,
    /// The dead pages that were met.
    pub dead_pages_met: DeadPagesMet,
    /// Signs that the page itself is abandoned, if it is alive.
    pub abandonment: Option<Abandonment>,
    /// Why the measurement ended.
    pub end: MeasureEnd,
}

/// Ports that a measurement needs.
#[derive(Clone, Copy)]
pub struct MeasurePorts<'a> {
    /// HTTP client.
    pub fetch: &'a dyn Fetch,
    /// System clock.
    pub clock: &'a dyn Clock,
    /// Store of schedules and robots.txt rules, if there is one.
    pub store: Option<&'a dyn Store>,
}

/// Measures the decay of one page of the live web.
pub async fn measure(
    ports: MeasurePorts<'_>,
    settings: &MeasureSettings,
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> MeasureOutcome {
    let mut random = SplitMix64::new(settings.seed);
    let prober = PageProber::new(ports, settings, random.next_u64());
    let mut measurement = DecayMeasurement::new(settings.clone(), &prober);
    let end = measurement.run(&mut || random.unit(), observer, stop).await;
    measurement.outcome(end)
}

/// A running measurement.
struct DecayMeasurement<'p, 'a> {
    settings: MeasureSettings,
    prober: &'p PageProber<'a>,
    estimator: DecayEstimator,
    /// All destinations found so far, by index.
    destinations: Vec<Destination>,
    page_indexes: HashMap<Destination, PageIndex>,
    /// Probed pages, in order.
    observed_pages: Vec<(PageIndex, Arc<ObservedPage>)>,
}

impl<'p, 'a> DecayMeasurement<'p, 'a> {
    fn new(settings: MeasureSettings, prober: &'p PageProber<'a>) -> Self {
        let start = Destination::Page(settings.url.to_string());
        Self {
            estimator: DecayEstimator::new(
                START_PAGE,
                settings.sigma,
                settings.definition,
                settings.stopping_rule,
            ),
            settings,
            prober,
            destinations: vec![start.clone()],
            page_indexes: HashMap::from([(start, START_PAGE)]),
            observed_pages: Vec::new(),
        }
    }

    /// Fetches pages until the estimate is precise enough or the measurement must end.
    /// `random` returns numbers from 0 to 1.
    async fn run(
        &mut self,
        random: &mut (dyn FnMut() -> f64 + Send),
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> MeasureEnd {
        if let Some(radius) = self.settings.radius {
            return self.fetch_neighborhood(radius, observer, stop).await;
        }
        loop {
            let page = match self.estimator.next(random) {
                EstimatorStep::Fetch(page) => page,
                EstimatorStep::Done(estimate)
                    if self.is_page_limit_reached(estimate.pages_fetched) =>
                {
                    return MeasureEnd::PageLimitReached;
                }
                EstimatorStep::Done(_) => return MeasureEnd::Converged,
            };
            if let Err(end) = self.fetch_page(page, observer, stop).await {
                return end;
            }
        }
    }

    /// Fetches all pages up to a distance from the start page, nearest first.
    async fn fetch_neighborhood(
        &mut self,
        radius: u32,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> MeasureEnd {
        let mut next_page = START_PAGE;
        for _distance in 0..=radius {
            // Pages are numbered as they are found, so the pages at one distance are
            // consecutive.
            let page_count = PageIndex::try_from(self.destinations.len()).unwrap_or(PageIndex::MAX);
            let max_pages = self.settings.stopping_rule.max_pages_fetched;
            let remaining = max_pages.saturating_sub(self.observed_pages.len());
            let pages: Vec<PageIndex> = (next_page..page_count).take(remaining).collect();
            if let Err(end) = self.fetch_pages(&pages, observer, stop).await {
                return end;
            }
            next_page += PageIndex::try_from(pages.len()).unwrap_or(PageIndex::MAX);
            if next_page < page_count {
                return MeasureEnd::PageLimitReached;
            }
        }
        MeasureEnd::Converged
    }

    /// Fetches pages at the same time, and records them in order. Returns why the
    /// measurement ends, if it does.
    async fn fetch_pages(
        &mut self,
        pages: &[PageIndex],
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<(), MeasureEnd> {
        let (prober, start) = (self.prober, self.start());
        let found: Vec<(PageIndex, Destination)> =
            pages.iter().map(|page| (*page, self.destinations[*page as usize].clone())).collect();
        let probe = |(page, destination): (PageIndex, Destination)| {
            let start = start.as_ref();
            async move { Ok((page, prober.probe(&destination, start).await)) }
        };
        let record = |(page, probed)| self.accept_page(page, probed, observer);
        tokio::select! {
            // After a stop, no request is started.
            biased;
            () = stop.stopped() => Err(MeasureEnd::Interrupted),
            fetched = run_in_order(found, MAX_CONCURRENT_PARTS, probe, record) => fetched,
        }
    }

    /// Fetches and records one page, or returns why the measurement ends.
    async fn fetch_page(
        &mut self,
        page: PageIndex,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<(), MeasureEnd> {
        self.fetch_pages(&[page], observer, stop).await
    }

    /// Returns the URL given by the user, if there is one.
    fn start(&self) -> Option<Url> {
        self.settings.is_user_supplied.then(|| self.settings.url.clone())
    }

    /// Records a fetched page, or returns why the measurement ends.
    fn accept_page(
        &mut self,
        page: PageIndex,
        probed: Arc<ObservedPage>,
        observer: &mut dyn Observer,
    ) -> Result<(), MeasureEnd> {
        // The first page is the measured page itself.
        if self.observed_pages.is_empty() && probed.is_refused() {
            return Err(MeasureEnd::NotRequested(probed.reason.clone()));
        }
        if let Some(outcome) = self.network_failure(&probed) {
            return Err(MeasureEnd::NoNetwork(outcome));
        }
        self.record_page(page, probed);
        observer.on_progress(&Progress::Checking {
            checked: self.observed_pages.len() as u64,
            targets: self.destinations.len() as u64,
            in_flight: 1,
            waiting: Vec::new(),
        });
        Ok(())
    }

    /// Whether the estimate ended only because of the page limit.
    fn is_page_limit_reached(&self, fetched: usize) -> bool {
        let StoppingRule {
            max_pages_fetched: max_pages,
            target_half_width: half_width,
            max_walks: walks,
            ..
        } = self.settings.stopping_rule;
        let estimate = self.estimator.estimate();
        // None of the other conditions to stop is met.
        fetched >= max_pages
            && estimate.interval.half_width() > half_width
            && estimate.walks < walks
            && estimate.bounds.half_width() > 0.0
    }

    /// Returns the failure if it may be caused by the local network, because no
    /// server has responded yet.
    fn network_failure(&self, probed: &ObservedPage) -> Option<FetchOutcome> {
        let outcome = probed.outcome.as_ref().filter(|outcome| is_network_failure(outcome))?;
        (!self.prober.fetch.has_reached_server()).then(|| outcome.clone())
    }

    /// Passes a page and its links to the estimator.
    fn record_page(&mut self, page: PageIndex, probed: Arc<ObservedPage>) {
        let links = probed.links.iter().map(|link| self.page_index(link)).collect();
        let failure_probability = self.settings.failure_model.failure_probability(probed.verdict);
        self.estimator
            .record(page, &Observation { failure_probability, ..Observation::alive(links) });
        self.observed_pages.push((page, probed));
    }

    /// Returns the index of a destination, and adds it if it is new.
    fn page_index(&mut self, destination: &Destination) -> PageIndex {
        if let Some(&index) = self.page_indexes.get(destination) {
            return index;
        }
        let index = PageIndex::try_from(self.destinations.len()).unwrap_or(PageIndex::MAX);
        self.destinations.push(destination.clone());
        self.page_indexes.insert(destination.clone(), index);
        index
    }
}

#[cfg(test)]
mod tests;
