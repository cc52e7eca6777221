//! Scores of all pages of a graph, sorted and as a distribution.
//!
//! The score of a page is its *decay*: the probability that a random walk from the page
//! ends on a dead page. "The paper" is *Sic transit gloria telae* (Bar-Yossef et al., WWW
//! 2004).

use relink_decay::{Decay, DecayDefinition, PageIndex, Sigma};

use super::web_graph::{WebGraph, count};

/// Number of histogram bins of a distribution.
pub const DISTRIBUTION_BINS: usize = 10;
/// Decay above which a page counts as decayed.
const DECAYED: f64 = 0.5;

/// Scores of all pages for one sigma.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// Probability that a walk stops at a live page.
    pub sigma: Sigma,
    /// The definition of decay.
    pub definition: DecayDefinition,
    /// Scores if everything unknown is alive.
    pub(super) low: Vec<Decay>,
    /// Scores if everything unknown is dead.
    pub(super) high: Vec<Decay>,
}

/// Score of one page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageScore {
    /// The page.
    pub page: PageIndex,
    /// The score.
    pub decay: Decay,
    /// The upper bound of the score.
    pub upper_bound: Decay,
    /// The share of the links of the page that are dead.
    pub dead_links: f64,
    /// Whether the page has links.
    pub has_links: bool,
}

/// Distribution of the scores and of the shares of dead links of all live pages
/// (figures 1 and 2 of the paper).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreDistribution {
    /// Live pages that were parsed.
    pub pages: u64,
    /// Number of pages by score.
    pub by_decay: [u64; DISTRIBUTION_BINS],
    /// Number of pages by share of dead links.
    pub by_dead_links: [u64; DISTRIBUTION_BINS],
    /// The mean score.
    pub mean_decay: f64,
    /// The mean share of dead links.
    pub mean_dead_links: f64,
    /// Live pages with at least one link (section 5.2 of the paper).
    pub with_links: u64,
    /// The mean score of live pages with links.
    pub mean_decay_with_links: f64,
    /// The mean share of dead links of live pages with links.
    pub mean_dead_links_with_links: f64,
    /// Pages without a dead link.
    pub clean: u64,
    /// Pages without a dead link whose score is above 0.5.
    pub clean_and_decayed: u64,
}

impl WebGraph {
    /// Returns all live pages, highest decay first.
    pub fn ranked(&self, scores: &Scores) -> Vec<PageScore> {
        let mut pages: Vec<PageScore> = self
            .live_pages()
            .map(|page| PageScore {
                page,
                decay: scores.decay(page),
                upper_bound: scores.interval(page).high,
                dead_links: self.dead_links(page),
                has_links: !self.links_of(page).is_empty(),
            })
            .collect();
        // Pages with equal scores are sorted by name, so that the order is defined.
        pages.sort_by(|one, other| {
            let by_score = other.decay.get().total_cmp(&one.decay.get());
            by_score.then_with(|| self.name(one.page).cmp(self.name(other.page)))
        });
        pages
    }
}

impl ScoreDistribution {
    /// Computes the distribution of these pages.
    pub fn from_pages(pages: &[PageScore]) -> Self {
        let linking: Vec<&PageScore> = pages.iter().filter(|page| page.has_links).collect();
        let mut distribution = Self {
            pages: pages.len() as u64,
            by_decay: [0; DISTRIBUTION_BINS],
            by_dead_links: [0; DISTRIBUTION_BINS],
            mean_decay: mean(pages.iter().map(|page| page.decay.get())),
            mean_dead_links: mean(pages.iter().map(|page| page.dead_links)),
            with_links: linking.len() as u64,
            mean_decay_with_links: mean(linking.iter().map(|page| page.decay.get())),
            mean_dead_links_with_links: mean(linking.iter().map(|page| page.dead_links)),
            clean: 0,
            clean_and_decayed: 0,
        };
        for page in pages {
            distribution.by_decay[histogram_bin(page.decay.get())] += 1;
            distribution.by_dead_links[histogram_bin(page.dead_links)] += 1;
            let is_clean = page.dead_links <= 0.0;
            distribution.clean += u64::from(is_clean);
            distribution.clean_and_decayed += u64::from(is_clean && page.decay.get() > DECAYED);
        }
        distribution
    }
}

/// Returns the share of pages with a lower decay.
pub fn share_with_lower_decay(decay: Decay, pages: &[PageScore]) -> f64 {
    let lower = pages.iter().filter(|page| page.decay < decay).count();
    if pages.is_empty() { 0.0 } else { count(lower) / count(pages.len()) }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let pages = values.len();
    if pages == 0 { 0.0 } else { values.sum::<f64>() / count(pages) }
}

/// Returns the bin of a number from 0 to 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a score lies between 0 and 1"
)]
fn histogram_bin(value: f64) -> usize {
    ((value * count(DISTRIBUTION_BINS)) as usize).min(DISTRIBUTION_BINS - 1)
}
