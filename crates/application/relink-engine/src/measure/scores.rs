//! The scores of all pages of a web: in order, and how they spread.

use relink_decay::{Decay, DecayDefinition, PageIndex, Sigma};

use super::web_graph::{WebGraph, count};

/// Bars of a chart, each a tenth of the scale.
pub const BARS: usize = 10;
/// From here on a page counts as rotten in comparisons.
const ROTTEN: f64 = 0.5;

/// The scores of every page, for one sigma.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// How likely the surfer is content with a living page.
    pub sigma: Sigma,
    /// Which of the two definitions.
    pub form: DecayDefinition,
    /// Where all that is not known is sound.
    pub(super) low: Vec<Decay>,
    /// Where all that is not known is bad.
    pub(super) high: Vec<Decay>,
}

/// One page in a list of pages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageScore {
    /// The page.
    pub page: PageIndex,
    /// Its score.
    pub decay: Decay,
    /// The most it can be.
    pub most: Decay,
    /// The share of its own links that are dead.
    pub dead_links: f64,
}

/// How the scores of all living pages spread, beside the plain share of dead
/// links (the paper's figures 1 and 2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreDistribution {
    /// Living pages that were read.
    pub pages: u64,
    /// How many pages have a score in each tenth of the scale.
    pub by_decay: [u64; BARS],
    /// How many have a share of dead links in each tenth.
    pub by_dead_links: [u64; BARS],
    /// The mean score.
    pub mean_decay: f64,
    /// The mean share of dead links.
    pub mean_dead_links: f64,
    /// Pages without a dead link of their own.
    pub clean: u64,
    /// Those of them whose score is above one half all the same.
    pub clean_and_rotten: u64,
}

impl WebGraph {
    /// All living pages, the most rotten first.
    pub fn ranked(&self, scores: &Scores) -> Vec<PageScore> {
        let mut pages: Vec<PageScore> = self
            .living()
            .map(|page| PageScore {
                page,
                decay: scores.decay(page),
                most: scores.interval(page).high,
                dead_links: self.dead_links(page),
            })
            .collect();
        // Of equals by name, so that the list is always the same.
        pages.sort_by(|a, b| {
            let by_score = b.decay.get().total_cmp(&a.decay.get());
            by_score.then_with(|| self.name(a.page).cmp(self.name(b.page)))
        });
        pages
    }
}

impl ScoreDistribution {
    /// Of these pages.
    pub fn of(pages: &[PageScore]) -> Self {
        let mut spread = Self {
            pages: pages.len() as u64,
            by_decay: [0; BARS],
            by_dead_links: [0; BARS],
            mean_decay: mean(pages.iter().map(|page| page.decay.get())),
            mean_dead_links: mean(pages.iter().map(|page| page.dead_links)),
            clean: 0,
            clean_and_rotten: 0,
        };
        for page in pages {
            spread.by_decay[bar(page.decay.get())] += 1;
            spread.by_dead_links[bar(page.dead_links)] += 1;
            let is_clean = page.dead_links <= 0.0;
            spread.clean += u64::from(is_clean);
            spread.clean_and_rotten += u64::from(is_clean && page.decay.get() > ROTTEN);
        }
        spread
    }
}

/// The share of these pages that a score is worse than.
pub fn worse_than(decay: Decay, pages: &[PageScore]) -> f64 {
    let better = pages.iter().filter(|page| page.decay < decay).count();
    if pages.is_empty() { 0.0 } else { count(better) / count(pages.len()) }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let pages = values.len();
    if pages == 0 { 0.0 } else { values.sum::<f64>() / count(pages) }
}

/// The bar a number from 0 to 1 belongs to; 1 itself to the last.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a score lies between 0 and 1"
)]
fn bar(value: f64) -> usize {
    ((value * count(BARS)) as usize).min(BARS - 1)
}
