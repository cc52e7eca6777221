//! Where a score comes from: the paper's equation (1).
//!
//! D = (1 − sigma)(F + (1 − F) D̄), where F is the share of the page's links
//! that are dead and D̄ the mean decay of the others.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use std::fmt;

use crate::failures::FailureProbabilities;
use crate::graph::{Graph, PageIndex};
use crate::score::{Decay, DecayDefinition, Sigma};

/// The decay of a living page, in two parts that add up to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreBreakdown {
    /// The share of its links that are dead: F.
    pub dead_links: f64,
    /// The mean decay of what its other links lead to: D̄.
    pub mean_of_others: Decay,
    /// What its own dead links add: (1 − sigma) F.
    pub own: f64,
    /// What its neighbors add: (1 − sigma)(1 − F) D̄.
    pub neighbors: f64,
}

impl ScoreBreakdown {
    /// The two parts, from the share of dead links and the mean decay of what
    /// the others lead to.
    ///
    /// ```
    /// use relink_decay::{Decay, Sigma, Split};
    /// // Three of 77 links dead, and a score of 0.19 (section 5.4).
    /// let split = Split::new(Sigma::default(), Decay::new(3.0 / 77.0)?, Decay::new(0.179)?);
    /// assert_eq!(split.to_string(), "0.190: own dead links 0.035, neighbors 0.155");
    /// # Ok::<(), relink_decay::ScoreError>(())
    /// ```
    pub fn new(sigma: Sigma, dead_links: Decay, mean_of_others: Decay) -> Self {
        let dead = dead_links.get();
        Self {
            dead_links: dead,
            mean_of_others,
            own: sigma.continue_probability() * dead,
            neighbors: sigma.continue_probability() * (1.0 - dead) * mean_of_others.get(),
        }
    }

    /// The two parts of the score of a page of a solved graph; `None` for a
    /// page that is dead itself.
    ///
    /// A link to a page that fails with some probability counts as dead to
    /// that part. In the form with loops the page's own decay, by way of its
    /// loop, is one of its neighbors'.
    pub fn of_page<G: Graph>(
        graph: &G,
        form: DecayDefinition,
        sigma: Sigma,
        failures: &FailureProbabilities,
        scores: &[Decay],
        page: PageIndex,
    ) -> Option<Self> {
        if failures.probability(page) >= 1.0 {
            return None;
        }
        let mut parts = Parts::default();
        for &to in graph.links(page) {
            parts.add(failures.probability(to), scores[to as usize].get());
        }
        for _ in 0..form.added_links() {
            parts.add(failures.probability(page), scores[page as usize].get());
        }
        Some(Self::new(sigma, Decay::rounded(parts.dead_share()), parts.mean_of_others()))
    }

    /// The whole score.
    pub fn decay(&self) -> Decay {
        Decay::rounded(self.own + self.neighbors)
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
struct Parts {
    links: f64,
    dead: f64,
    decay: f64,
}

impl Parts {
    fn add(&mut self, fails: f64, decay: f64) {
        self.links += 1.0;
        self.dead += fails;
        self.decay += decay;
    }

    fn dead_share(&self) -> f64 {
        if self.links == 0.0 { 0.0 } else { self.dead / self.links }
    }

    /// Without its failing part, what a link leads to.
    fn mean_of_others(&self) -> Decay {
        let alive = self.links - self.dead;
        if alive <= 0.0 { Decay::SOUND } else { Decay::rounded((self.decay - self.dead) / alive) }
    }
}
