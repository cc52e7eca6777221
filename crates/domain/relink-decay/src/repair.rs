//! Ranks the repairs of dead links by how much they lower a score.
//!
//! A dead link can be *replaced* by a link to a page with decay 0, or
//! *removed*. Replacing lowers the score by exactly the probability of taking
//! the link, because no walk continues from a dead page. Removing gains less:
//! it spreads that probability over the page's other links.

use std::fmt;

use crate::graph::PageIndex;
use crate::neighborhood::{FailingLink, Neighborhood};
use crate::score::Decay;

/// A dead link, and the score after its repair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repair {
    /// The page that contains the link.
    pub from: PageIndex,
    /// The dead page that it links to.
    pub to: PageIndex,
    /// The score of the start page if the link is replaced by a link to a
    /// page with decay 0.
    pub score_if_replaced: Decay,
    /// Upper bound of the score if the link is removed, for links on the
    /// start page.
    pub max_score_if_removed: Option<Decay>,
    /// How much replacing the link lowers the score.
    pub gain: f64,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "replaced by a healthy page: {}", self.score_if_replaced)?;
        match self.max_score_if_removed {
            Some(removed) => write!(f, "; removed: at most {removed}"),
            None => Ok(()),
        }
    }
}

/// Returns the repairs of all known dead links, largest gain first.
pub(crate) fn repairs(neighborhood: &Neighborhood, decay: Decay) -> Vec<Repair> {
    let start = neighborhood.page_at(0);
    let links = neighborhood.failing_links();
    let mut repairs: Vec<Repair> = links.iter().map(|link| repair(link, start, decay)).collect();
    repairs.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    repairs
}

fn repair(link: &FailingLink, start: PageIndex, decay: Decay) -> Repair {
    Repair {
        from: link.from,
        to: link.to,
        score_if_replaced: Decay::clamped(decay.get() - link.failing_mass),
        max_score_if_removed: (link.from == start).then(|| score_without(link, decay)),
        gain: link.failing_mass,
    }
}

/// Returns the mean decay over the remaining links, with the current decay of
/// their targets. If a walk can return to the start page, the true score is
/// lower.
fn score_without(link: &FailingLink, decay: Decay) -> Decay {
    let remaining = link.link_count - link.multiplicity;
    if remaining <= 0.0 {
        return Decay::HEALTHY;
    }
    let others = decay.get() * link.link_count - link.multiplicity * link.failure_weight;
    Decay::clamped(others / remaining)
}
