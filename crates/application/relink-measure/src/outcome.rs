//! Summarizes a measurement: score, interval, dead ends, repairs and cost.
//!
//! A random *walk* over links *fails* if it ends on a dead page, a *dead end*. A *repair*
//! is a link whose change lowers the score.

use std::collections::HashMap;

use relink_decay::{Interval, Neighborhood, Observation, PageIndex};
use relink_model::Verdict;

use super::page_decay_details::{clamped, dead_ends, repairs};
use super::page_prober::{Destination, ObservedPage};
use super::{
    DeadPagesMet, DecayMeasurement, MeasureEnd, MeasureOutcome, MeasureSettings, OwnLinks,
    PageDecayDetails, RequestCost, START_PAGE,
};

impl DecayMeasurement<'_, '_> {
    /// Returns the result of the measurement so far.
    pub(super) fn outcome(&self, end: MeasureEnd) -> MeasureOutcome {
        let first = self.observed_pages.first().map(|(_, probed)| probed);
        let blocked =
            self.observed_pages.iter().filter(|(_, probed)| self.is_unknown(probed)).count();
        let requested =
            self.observed_pages.iter().filter(|(_, probed)| probed.outcome.is_some()).count();
        MeasureOutcome {
            verdict: first.map(|probed| probed.verdict),
            reason: first.map_or_else(String::new, |probed| probed.reason.clone()),
            details: self.details(&end),
            blocked: blocked as u64,
            blocked_share: if blocked == 0 { 0.0 } else { self.blocked_share() },
            cost: RequestCost {
                pages: requested as u64,
                requests: self.prober.fetch.requests(),
                reused: self.prober.reused(),
            },
            dead_pages_met: self.dead_pages_met(),
            abandonment: first.and_then(|probed| probed.abandonment.clone()),
            end,
        }
    }

    /// Counts the dead pages, and how many of them and of the failed walks are soft-404s.
    fn dead_pages_met(&self) -> DeadPagesMet {
        let model = self.settings.failure_model;
        let dead: HashMap<PageIndex, Verdict> = self
            .observed_pages
            .iter()
            .filter(|(_, probed)| model.failure_probability(probed.verdict) >= 1.0)
            .map(|(page, probed)| (*page, probed.verdict))
            .collect();
        let is_soft_404 = |page: &PageIndex| dead.get(page) == Some(&Verdict::Soft404);
        let ends = self.estimator.estimate().dead_ends;
        let failed_walks: f64 = ends.iter().map(|end| end.share).sum();
        let soft_404_ends = ends.iter().filter(|end| is_soft_404(&end.page));
        // `sum` would return −0 for no numbers.
        let soft_404_walks = soft_404_ends.fold(0.0, |sum, end| sum + end.share);
        DeadPagesMet {
            dead: dead.len() as u64,
            soft_404: dead.keys().filter(|page| is_soft_404(page)).count() as u64,
            soft_404_share: if failed_walks > 0.0 { soft_404_walks / failed_walks } else { 0.0 },
        }
    }

    /// Whether the state of the page cannot be known.
    pub(super) fn is_unknown(&self, probed: &ObservedPage) -> bool {
        self.settings.failure_model.is_unknown(probed.verdict)
    }

    /// Returns the score with its interval, dead ends and repairs.
    fn details(&self, end: &MeasureEnd) -> PageDecayDetails {
        let estimate = self.estimator.estimate();
        let name = |page: PageIndex| self.destinations[page as usize].text().to_owned();
        let MeasureSettings { sigma, definition, radius, .. } = self.settings;
        let interval = match end {
            MeasureEnd::Converged => estimate.interval,
            _ if radius.is_some() => estimate.bounds,
            _ => widen_interval(estimate.interval, estimate.walks, estimate.bounds),
        };
        // With a radius, no walks are taken. Pages that were not read count as healthy, as
        // in a crawl.
        let decay = if radius.is_some() { estimate.bounds.low } else { estimate.decay };
        PageDecayDetails {
            decay,
            interval,
            bounds: estimate.bounds,
            walks: estimate.walks,
            sigma,
            definition,
            own_links: self.own_links(decay),
            dead_ends: dead_ends(&self.estimator, name),
            repairs: repairs(&self.estimator, name),
        }
    }

    /// Returns the share of the own links of the page, or `None` if the page is dead.
    fn own_links(&self, decay: relink_decay::Decay) -> Option<OwnLinks> {
        let MeasureSettings { sigma, definition, failure_model, .. } = self.settings;
        let (_, first) = self.observed_pages.first()?;
        if failure_model.failure_probability(first.verdict) >= 1.0 {
            return None;
        }
        let probabilities: HashMap<PageIndex, f64> = self
            .observed_pages
            .iter()
            .map(|(page, probed)| (*page, failure_model.failure_probability(probed.verdict)))
            .collect();
        let probability =
            |link: &Destination| probabilities.get(self.page_indexes.get(link)?).copied();
        Some(OwnLinks::new(first.links.iter().map(probability), decay, sigma, definition))
    }

    /// Returns the increase of the score if all blocked pages were dead.
    fn blocked_share(&self) -> f64 {
        let decay_with = |blocked_probability: f64| {
            let MeasureSettings { sigma, definition, .. } = self.settings;
            let mut neighborhood = Neighborhood::new(START_PAGE, sigma, definition);
            for (page, probed) in &self.observed_pages {
                let failure_probability = if self.is_unknown(probed) {
                    blocked_probability
                } else {
                    self.settings.failure_model.failure_probability(probed.verdict)
                };
                let links = probed.links.iter().map(|link| self.page_indexes[link]).collect();
                neighborhood.record(
                    *page,
                    &Observation { failure_probability, ..Observation::alive(links) },
                );
            }
            neighborhood.bounds().low.get()
        };
        decay_with(1.0) - decay_with(0.0)
    }
}

/// Widens the interval of an interrupted estimate, as if the interrupted walk had succeeded
/// (lower bound) or failed (upper bound). Omitting this walk would bias the estimate,
/// because long walks are interrupted most often.
fn widen_interval(interval: Interval, walks: u32, bounds: Interval) -> Interval {
    let walks = f64::from(walks);
    let low = interval.low.get() * walks / (walks + 1.0);
    let high = (interval.high.get() * walks + 1.0) / (walks + 1.0);
    Interval { low: clamped(low.max(bounds.low.get())), high: clamped(high.min(bounds.high.get())) }
}
