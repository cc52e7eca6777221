//! Details of one page: score, *dead ends* (dead pages on which random walks end) and
//! *repairs* (links whose change lowers the score most).
//!
//! The details are the same for a page of the live web and for a page of a stored graph.
//! "The paper" is *Sic transit gloria telae* (Bar-Yossef et al., WWW 2004). Its equation
//! (1) gives the decay of a live page as (1 − sigma) · (share of dead links + share of live
//! links · their mean decay).

use relink_decay::{
    Decay, DecayDefinition, DecayEstimator, Graph, Interval, ScoreBreakdown, Sigma,
};

/// Score of one page and its sources.
#[derive(Debug, Clone, PartialEq)]
pub struct PageDecayDetails {
    /// The score.
    pub decay: Decay,
    /// The 95 % confidence interval.
    pub interval: Interval,
    /// Certain lower and upper bounds.
    pub bounds: Interval,
    /// Number of random walks, in addition to the exact part.
    pub walks: u32,
    /// Probability that a walk stops at a live page.
    pub sigma: Sigma,
    /// The definition of decay.
    pub definition: DecayDefinition,
    /// The share of the page's own links, or `None` for a failing page.
    pub own_links: Option<OwnLinks>,
    /// Pages where walks fail, largest share first.
    pub dead_ends: Vec<NamedDeadEnd>,
    /// Links to repair, best first.
    pub repairs: Vec<NamedRepair>,
}

/// A page where walks fail.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedDeadEnd {
    /// The URL or name of the page.
    pub page: String,
    /// The share of all walks that fail there.
    pub share: f64,
}

/// A link to repair.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedRepair {
    /// The page with the link.
    pub from: String,
    /// The dead target.
    pub to: String,
    /// Decrease of the score if the link is changed to a live page. The gains
    /// of several repairs add up, because each walk fails at one link.
    pub gain: f64,
    /// Upper bound of the score if the link is removed, for links of the page
    /// itself.
    pub max_score_if_removed: Option<Decay>,
}

/// The links of the page itself: equation (1) of the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OwnLinks {
    /// Number of links.
    pub links: usize,
    /// Number of links to probed pages.
    pub probed: usize,
    /// Number of dead links. A link that may be dead counts by its probability.
    pub dead: f64,
    /// The two parts of the score. If not all links were probed, the part of
    /// the own links is a lower bound.
    pub breakdown: ScoreBreakdown,
}

impl OwnLinks {
    /// Computes the parts from the failure probability of each link, or `None` for
    /// links that were not probed.
    pub(super) fn new(
        probabilities: impl IntoIterator<Item = Option<f64>>,
        decay: Decay,
        sigma: Sigma,
        definition: DecayDefinition,
    ) -> Self {
        let (mut links, mut probed, mut dead) = (0, 0, 0.0);
        for probability in probabilities {
            links += 1;
            probed += usize::from(probability.is_some());
            dead += probability.unwrap_or(0.0);
        }
        // A self-loop is a live link of the page to itself.
        let self_loops = match definition {
            DecayDefinition::Plain => 0,
            DecayDefinition::SelfLoop => 1,
        };
        let dead_share = share(dead, links + self_loops);
        let breakdown =
            ScoreBreakdown::new(sigma, dead_share, mean_of_live_links(decay, sigma, dead_share));
        Self { links, probed, dead, breakdown }
    }

    /// Whether every link was probed.
    pub fn are_all_probed(&self) -> bool {
        self.probed == self.links
    }
}

/// Returns the mean decay of the live link targets that results in this score: equation
/// (1), solved for its last factor.
fn mean_of_live_links(decay: Decay, sigma: Sigma, dead_share: Decay) -> Decay {
    let live_weight = sigma.continue_probability() * (1.0 - dead_share.get());
    let live_part = decay.get() - sigma.continue_probability() * dead_share.get();
    if live_weight <= 0.0 { Decay::HEALTHY } else { clamped(live_part / live_weight) }
}

/// Returns the share of dead links, or 0 for a page without links.
#[expect(clippy::cast_precision_loss, reason = "a page has far fewer than 2^52 links")]
fn share(dead: f64, links: usize) -> Decay {
    if links == 0 { Decay::HEALTHY } else { clamped(dead / links as f64) }
}

/// Returns a number as a decay, clamped to 0..=1.
pub(super) fn clamped(value: f64) -> Decay {
    Decay::new(value.clamp(0.0, 1.0)).unwrap_or(Decay::HEALTHY)
}

/// Returns the dead ends of an estimate by name.
pub(super) fn dead_ends(
    estimator: &DecayEstimator,
    name: impl Fn(u32) -> String,
) -> Vec<NamedDeadEnd> {
    let named = estimator.estimate().dead_ends.into_iter();
    named.map(|end| NamedDeadEnd { page: name(end.page), share: end.share }).collect()
}

/// Returns the repairs of an estimate by name.
pub(super) fn repairs(
    estimator: &DecayEstimator,
    name: impl Fn(u32) -> String,
) -> Vec<NamedRepair> {
    let named = estimator.repairs().into_iter().map(|repair| NamedRepair {
        from: name(repair.from),
        to: name(repair.to),
        gain: repair.gain,
        max_score_if_removed: repair.max_score_if_removed,
    });
    named.collect()
}

impl PageDecayDetails {
    /// Returns the first repairs that together halve the score, at most `max`.
    pub fn top_repairs(&self, max: usize) -> &[NamedRepair] {
        let mut total_gain = 0.0;
        let last_needed = self.repairs.iter().take(max).position(|repair| {
            total_gain += repair.gain;
            total_gain >= self.decay.get() / 2.0
        });
        let count = last_needed.map_or(self.repairs.len().min(max), |last| last + 1);
        &self.repairs[..count]
    }

    /// Returns the score after these links are changed to live pages.
    pub fn decay_after(&self, repairs: &[NamedRepair]) -> Decay {
        let total_gain: f64 = repairs.iter().map(|repair| repair.gain).sum();
        clamped(self.decay.get() - total_gain)
    }
}

/// Returns the failure probabilities of the link targets of a page.
pub(super) fn link_failure_probabilities<'a, G: Graph>(
    graph: &'a G,
    page: u32,
    failure_probabilities: &'a [f64],
) -> impl Iterator<Item = Option<f64>> + 'a {
    graph.links(page).iter().map(|&to| Some(failure_probabilities[to as usize]))
}
