//! What to fix first: which links, repaired, lower a score most, and to what.
//!
//! A dead link can be *replaced* by one to a sound page (decay 0), or
//! *removed*. Replacing lowers the score by exactly the share of surfers who
//! take the link, for no walk goes on from a dead page. Removing sends those
//! surfers along the page's other links instead, so it gains less.

use std::fmt;

use crate::graph::PageIndex;
use crate::neighborhood::{FailingLink, Neighborhood};
use crate::score::Decay;

/// One link to repair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repair {
    /// The page on which it is written.
    pub from: PageIndex,
    /// The dead page it leads to.
    pub to: PageIndex,
    /// The score of the first page once the link leads to a sound page.
    pub replaced: Decay,
    /// The most the score can be once the link is removed; only for links of
    /// the first page itself.
    pub removed: Option<Decay>,
    /// By how much replacing lowers the score.
    pub gain: f64,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "replaced by a sound page: {}", self.replaced)?;
        match self.removed {
            Some(removed) => write!(f, "; removed: at most {removed}"),
            None => Ok(()),
        }
    }
}

/// All repairs known to help, the best first.
pub(crate) fn repairs(neighborhood: &Neighborhood, decay: Decay) -> Vec<Repair> {
    let first = neighborhood.page_at(0);
    let links = neighborhood.failing_links();
    let mut repairs: Vec<Repair> = links.iter().map(|link| repair(link, first, decay)).collect();
    repairs.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    repairs
}

fn repair(link: &FailingLink, first: PageIndex, decay: Decay) -> Repair {
    Repair {
        from: link.from,
        to: link.to,
        replaced: Decay::rounded(decay.get() - link.share),
        removed: (link.from == first).then(|| removed(link, decay)),
        gain: link.share,
    }
}

/// The mean over the links that stay, each page behind them as rotten as it is
/// now; where the walk comes round again, the truth is lower still.
fn removed(link: &FailingLink, decay: Decay) -> Decay {
    let left = link.of - link.times;
    if left <= 0.0 {
        return Decay::SOUND;
    }
    let others = decay.get() * link.of - link.times * link.onward;
    Decay::rounded(others / left)
}
