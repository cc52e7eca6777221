//! The decay of one page of a web that can only be asked page by page.
//!
//! First *push*: look where most of the crowd stands, until little is gained.
//! Then walks: single surfers go on from the edge of what is known. Every page
//! is looked at once; what a walk sees narrows the certain bounds too, and the
//! next walk starts at the new edge. The survey ends as soon as the interval is
//! narrow enough.
//!
//! Nothing here fetches: [`Survey::next`] says which page to look at, and
//! [`Survey::learn`] takes what was seen.

use crate::graph::PageIndex;
use crate::neighborhood::{Neighborhood, Observation, WalkState};
use crate::repair::{self, Repair};
use crate::score::{Decay, DecayDefinition, Interval, Sigma};
use crate::tally::WalkStats;

/// Where walks start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WalkStart {
    /// At the page itself, as in the paper.
    Page,
    /// At the edge of what is known.
    Edge,
}

/// When enough was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoppingRule {
    /// How many pages are looked at before the first walk.
    pub push: usize,
    /// Where walks start.
    pub from: WalkStart,
    /// The most walks.
    pub walks: u32,
    /// The most pages that are looked at.
    pub pages_fetched: usize,
    /// The half width at which the interval is narrow enough.
    pub half_width: f64,
}

impl Default for StoppingRule {
    /// An interval of at most 0.08 to either side: on web graphs about 40
    /// pages, and 98 of 100 scores are then within 0.1 of the truth. How many
    /// of the pages are for push hardly matters.
    fn default() -> Self {
        Self { push: 20, from: WalkStart::Edge, walks: 1_000, pages_fetched: 300, half_width: 0.08 }
    }
}

impl StoppingRule {
    /// The paper's: 300 walks from the page itself, however far they lead
    /// (section 5.1).
    pub fn sic_transit() -> Self {
        Self {
            push: 0,
            from: WalkStart::Page,
            walks: 300,
            pages_fetched: usize::MAX,
            half_width: 0.0,
        }
    }
}

/// What a survey wants.
#[derive(Debug, Clone, PartialEq)]
pub enum EstimatorStep {
    /// To know what is at a page.
    Visit(PageIndex),
    /// Nothing more.
    Settle(DecayEstimate),
}

/// A dead page that surfers come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeadEnd {
    /// The page.
    pub page: PageIndex,
    /// At least this share of all surfers fails here. The score falls by as
    /// much if the page comes back sound.
    pub share: f64,
}

/// What is known of the decay of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct DecayEstimate {
    /// The best guess.
    pub decay: Decay,
    /// Holds the truth 95 times in 100, or more often.
    pub interval: Interval,
    /// Holds the truth always.
    pub bounds: Interval,
    /// How many pages were looked at.
    pub pages_fetched: usize,
    /// How many walks ended.
    pub walks: u32,
    /// The dead pages that were met, those that matter most first.
    pub dead_ends: Vec<DeadEnd>,
}

/// A walk under way.
#[derive(Debug, Clone, Copy)]
struct Walk {
    at: u32,
    /// The share of the crowd known to fail when it started.
    lost: f64,
    /// The share of the crowd it speaks for.
    open: f64,
}

/// Finds the decay of one page, asking for one page after the other.
///
/// ```
/// use relink_decay::{Form, Look, Next, Patience, Sigma, Survey};
/// let mut survey = Survey::new(0, Sigma::default(), Form::Plain, Patience::default());
/// let mut chance = || 0.5;
/// let estimate = loop {
///     match survey.next(&mut chance) {
///         Next::Visit(0) => survey.learn(0, &Look::alive(vec![1, 2])),
///         Next::Visit(page) => survey.learn(page, &Look::dead()),
///         Next::Settle(estimate) => break estimate,
///     }
/// };
/// assert_eq!((estimate.decay.get(), estimate.looks), (0.9, 3));
/// ```
#[derive(Debug)]
pub struct DecayEstimator {
    neighborhood: Neighborhood,
    patience: StoppingRule,
    tally: WalkStats,
    walk: Option<Walk>,
}

impl DecayEstimator {
    /// Of a page, in one form, with so much patience.
    pub fn new(
        page: PageIndex,
        sigma: Sigma,
        form: DecayDefinition,
        patience: StoppingRule,
    ) -> Self {
        let neighborhood = Neighborhood::new(page, sigma, form);
        Self { neighborhood, patience, tally: WalkStats::default(), walk: None }
    }

    /// What to do next. `chance` gives numbers from 0 to below 1.
    pub fn next(&mut self, chance: &mut dyn FnMut() -> f64) -> EstimatorStep {
        loop {
            if self.is_enough() {
                return EstimatorStep::Settle(self.estimate());
            }
            if self.neighborhood.looks() < self.patience.push
                && let Some(page) = self.neighborhood.largest_residual()
            {
                return EstimatorStep::Visit(page);
            }
            let walk = match self.walk.take() {
                Some(walk) => walk,
                None => self.start(chance),
            };
            match self.neighborhood.walk(walk.at, chance) {
                WalkState::Stuck(at) => {
                    self.walk = Some(Walk { at, ..walk });
                    return EstimatorStep::Visit(self.neighborhood.page_at(at));
                }
                WalkState::Failed => self.tally.add(walk.lost, walk.open, true),
                WalkState::Content => self.tally.add(walk.lost, walk.open, false),
            }
        }
    }

    /// Takes what was seen at a page.
    pub fn learn(&mut self, page: PageIndex, look: &Observation) {
        self.neighborhood.learn(page, look);
    }

    /// What is known so far.
    pub fn estimate(&self) -> DecayEstimate {
        let (interval, bounds) = (self.interval(), self.neighborhood.bounds());
        let guess = self.tally.mean().unwrap_or(interval.middle().get());
        DecayEstimate {
            decay: Decay::rounded(guess.clamp(interval.low.get(), interval.high.get())),
            interval,
            bounds,
            pages_fetched: self.neighborhood.looks(),
            walks: self.tally.walks(),
            dead_ends: self.dead_ends(),
        }
    }

    /// Which links to repair first, as far as pages were looked at.
    pub fn repairs(&self) -> Vec<Repair> {
        repair::repairs(&self.neighborhood, self.estimate().decay)
    }

    fn start(&self, chance: &mut dyn FnMut() -> f64) -> Walk {
        match self.patience.from {
            WalkStart::Page => Walk { at: 0, lost: 0.0, open: 1.0 },
            WalkStart::Edge => Walk {
                at: self.neighborhood.draw_spot(chance()),
                lost: self.neighborhood.failed(),
                open: self.neighborhood.open(),
            },
        }
    }

    fn is_enough(&self) -> bool {
        self.tally.walks() >= self.patience.walks
            || self.neighborhood.looks() >= self.patience.pages_fetched
            || self.neighborhood.open() <= 0.0
            || self.interval().half_width() <= self.patience.half_width
    }

    /// What the walks say, within what is certain.
    fn interval(&self) -> Interval {
        self.tally.interval().within(self.neighborhood.bounds())
    }

    fn dead_ends(&self) -> Vec<DeadEnd> {
        let mut dead_ends: Vec<DeadEnd> =
            self.neighborhood.failures().map(|(page, share)| DeadEnd { page, share }).collect();
        dead_ends.sort_by(|a, b| b.share.total_cmp(&a.share));
        dead_ends
    }
}
