//! Breakdown of a score by the paper's equation (1):
//! D = (1 − sigma)(F + (1 − F) D̄), where F is the share of the page's links
//! that are dead and D̄ the mean decay of the other link targets.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use std::fmt;

use crate::failures::FailureProbabilities;
use crate::graph::{Graph, PageIndex};
use crate::score::{Decay, DecayDefinition, Sigma};

/// The decay of a live page as the sum of two parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreBreakdown {
    /// F: the share of the page's links that are dead.
    pub dead_share: f64,
    /// D̄: the mean decay of the other link targets.
    pub mean_of_others: Decay,
    /// (1 − sigma) F: the part due to the page's own dead links.
    pub own: f64,
    /// (1 − sigma)(1 − F) D̄: the part due to the decay of its neighbors.
    pub neighbors: f64,
}

impl ScoreBreakdown {
    /// Computes both parts from the share of dead links and the mean decay of
    /// the other link targets.
    ///
    /// ```
    /// use relink_decay::{Decay, ScoreBreakdown, Sigma};
    /// // Three of 77 links are dead, and the score is 0.19 (section 5.4).
    /// let (dead_share, mean_of_others) = (Decay::new(3.0 / 77.0)?, Decay::new(0.179)?);
    /// let breakdown = ScoreBreakdown::new(Sigma::default(), dead_share, mean_of_others);
    /// assert_eq!(breakdown.to_string(), "0.190: own dead links 0.035, neighbors 0.155");
    /// # Ok::<(), relink_decay::ScoreError>(())
    /// ```
    pub fn new(sigma: Sigma, dead_share: Decay, mean_of_others: Decay) -> Self {
        let dead_share = dead_share.get();
        Self {
            dead_share,
            mean_of_others,
            own: sigma.continue_probability() * dead_share,
            neighbors: sigma.continue_probability() * (1.0 - dead_share) * mean_of_others.get(),
        }
    }

    /// Computes the breakdown for a page of a solved graph. Returns `None` if
    /// the page itself is dead.
    ///
    /// A link to a page with failure probability p counts as p dead links.
    /// With [`DecayDefinition::SelfLoop`] the page is one of its own neighbors.
    pub fn for_page<G: Graph>(
        graph: &G,
        definition: DecayDefinition,
        sigma: Sigma,
        failures: &FailureProbabilities,
        scores: &[Decay],
        page: PageIndex,
    ) -> Option<Self> {
        if failures.probability(page) >= 1.0 {
            return None;
        }
        let mut sums = LinkSums::default();
        for &to in graph.links(page) {
            sums.add(failures.probability(to), scores[to as usize].get());
        }
        for _ in 0..definition.self_loops() {
            sums.add(failures.probability(page), scores[page as usize].get());
        }
        Some(Self::new(sigma, Decay::clamped(sums.dead_share()), sums.mean_of_others()))
    }

    /// Returns the sum of both parts.
    pub fn decay(&self) -> Decay {
        Decay::clamped(self.own + self.neighbors)
    }
}

impl fmt::Display for ScoreBreakdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (decay, Self { own, neighbors, .. }) = (self.decay(), self);
        write!(f, "{decay}: own dead links {own:.3}, neighbors {neighbors:.3}")
    }
}

/// Sums over the links of a page.
#[derive(Debug, Default)]
struct LinkSums {
    links: f64,
    dead: f64,
    decay: f64,
}

impl LinkSums {
    fn add(&mut self, failure_probability: f64, decay: f64) {
        self.links += 1.0;
        self.dead += failure_probability;
        self.decay += decay;
    }

    fn dead_share(&self) -> f64 {
        if self.links == 0.0 { 0.0 } else { self.dead / self.links }
    }

    /// Returns the mean decay of the link targets, without their dead part.
    fn mean_of_others(&self) -> Decay {
        let alive = self.links - self.dead;
        if alive <= 0.0 { Decay::HEALTHY } else { Decay::clamped((self.decay - self.dead) / alive) }
    }
}
