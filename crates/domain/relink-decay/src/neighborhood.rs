//! The pages around one page as far as they were looked at, and how a crowd of
//! surfers who start there is spread over them.
//!
//! This is *push*: looking at a page moves the share of the crowd that stands
//! there along its links. What has come to dead pages is the least the decay
//! can be; adding everyone who still stands somewhere gives the most.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use std::collections::HashMap;

use crate::graph::PageIndex;
use crate::score::{DecayDefinition, Interval, Sigma};

/// A share of the crowd too small to be moved on once more. It stays counted as
/// standing, so the bounds hold nevertheless.
const MIN_PUSHED_MASS: f64 = 1e-6;

/// What was seen at a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// How likely the page is dead.
    pub fails: f64,
    /// Where its links lead, each as often as it is written.
    pub links: Vec<PageIndex>,
}

impl Observation {
    /// A page that is dead.
    pub fn dead() -> Self {
        Self { fails: 1.0, links: Vec::new() }
    }

    /// A living page with these links.
    pub fn alive(links: Vec<PageIndex>) -> Self {
        Self { fails: 0.0, links }
    }
}

/// A page that was named, and looked at or not.
#[derive(Debug)]
struct GraphNode {
    page: PageIndex,
    seen: Option<ExploredNode>,
    /// The share of the crowd that stands here.
    standing: f64,
    /// The share of the crowd that went on from here or failed here, each
    /// surfer as often as he came.
    visits: f64,
}

#[derive(Debug)]
struct ExploredNode {
    fails: f64,
    /// By spot, with those that a form adds.
    links: Vec<u32>,
    /// How many of them lead back here.
    to_itself: f64,
}

/// Pages around a first one, and a crowd that started there.
#[derive(Debug)]
pub struct Neighborhood {
    sigma: Sigma,
    form: DecayDefinition,
    spots: Vec<GraphNode>,
    by_page: HashMap<PageIndex, u32>,
    /// The share of the crowd that failed.
    failed: f64,
    observations: usize,
}

/// Where one surfer's walk is.
pub(crate) enum WalkState {
    /// He came to a page that was not looked at.
    Stuck(u32),
    /// He failed.
    Failed,
    /// He was content.
    Content,
}

impl Neighborhood {
    /// Nothing but the first page, and nothing known of it.
    pub fn new(start: PageIndex, sigma: Sigma, form: DecayDefinition) -> Self {
        let first = GraphNode { page: start, seen: None, standing: 1.0, visits: 0.0 };
        let by_page = HashMap::from([(start, 0)]);
        Self { sigma, form, spots: vec![first], by_page, failed: 0.0, observations: 0 }
    }

    /// Between what and what the decay of the first page certainly lies.
    pub fn bounds(&self) -> Interval {
        Interval::rounded(self.failed, self.failed + self.open())
    }

    /// The share of the crowd that is known to fail.
    pub(crate) fn failed(&self) -> f64 {
        self.failed
    }

    /// The share of the crowd that still stands somewhere.
    pub(crate) fn open(&self) -> f64 {
        self.spots.iter().map(|spot| spot.standing).sum()
    }

    /// How many pages were looked at.
    pub fn looks(&self) -> usize {
        self.observations
    }

    /// The page to look at next for the narrowest bounds: where most of the
    /// crowd stands. `None` where every page was looked at.
    pub fn largest_residual(&self) -> Option<PageIndex> {
        let gaps = self.spots.iter().filter(|spot| spot.seen.is_none());
        // Of equals the first found, so that a run can be repeated.
        let widest = gaps.rev().max_by(|a, b| a.standing.total_cmp(&b.standing));
        widest.map(|spot| spot.page)
    }

    /// Takes what was seen at a page, and moves the crowd on.
    pub fn learn(&mut self, page: PageIndex, look: &Observation) {
        let spot = self.spot(page);
        if self.spots[spot as usize].seen.is_some() {
            return;
        }
        let mut links: Vec<u32> = look.links.iter().map(|&to| self.spot(to)).collect();
        links.extend((0..self.form.added_links()).map(|_| spot));
        let to_itself = count(links.iter().filter(|&&to| to == spot).count());
        let seen = ExploredNode { fails: look.fails.clamp(0.0, 1.0), links, to_itself };
        self.spots[spot as usize].seen = Some(seen);
        self.observations += 1;
        self.move_on(spot);
    }

    /// The spot of a page, new if it was never named.
    fn spot(&mut self, page: PageIndex) -> u32 {
        let next = u32::try_from(self.spots.len()).unwrap_or(u32::MAX);
        let spot = *self.by_page.entry(page).or_insert(next);
        if spot == next {
            self.spots.push(GraphNode { page, seen: None, standing: 0.0, visits: 0.0 });
        }
        spot
    }

    /// Moves the crowd until next to nobody stands at a page that was seen.
    fn move_on(&mut self, first: u32) {
        let mut crowded = vec![first];
        while let Some(at) = crowded.pop() {
            let spot = &mut self.spots[at as usize];
            let Some(seen) = spot.seen.take() else { continue };
            let standing = std::mem::take(&mut spot.standing);
            let onward = (1.0 - seen.fails) * self.sigma.continue_probability();
            let all = count(seen.links.len());
            // Whoever takes a link back here is here again: the sum over all
            // his returns, at once.
            let back = if all == 0.0 { 0.0 } else { onward * seen.to_itself / all };
            let visits = standing / (1.0 - back);
            spot.visits += visits;
            self.failed += visits * seen.fails;
            for &to in seen.links.iter().filter(|&&to| to != at) {
                let next = &mut self.spots[to as usize];
                let before = next.standing;
                next.standing += visits * onward / all;
                if next.seen.is_some()
                    && before <= MIN_PUSHED_MASS
                    && next.standing > MIN_PUSHED_MASS
                {
                    crowded.push(to);
                }
            }
            self.spots[at as usize].seen = Some(seen);
        }
    }

    /// A spot where someone stands, drawn by how many do.
    pub(crate) fn draw_spot(&self, chance: f64) -> u32 {
        let mut left = chance * self.open();
        let mut last = 0;
        for (at, spot) in (0..).zip(&self.spots) {
            if spot.standing > 0.0 {
                last = at;
                left -= spot.standing;
                if left < 0.0 {
                    break;
                }
            }
        }
        last
    }

    /// Lets one surfer walk from a spot as far as pages are known: the process
    /// of section 4.1, to the letter. `chance` gives numbers from 0 to below 1.
    pub(crate) fn walk(&self, from: u32, chance: &mut dyn FnMut() -> f64) -> WalkState {
        let mut at = from;
        loop {
            let Some(seen) = &self.spots[at as usize].seen else { return WalkState::Stuck(at) };
            if seen.fails > 0.0 && chance() < seen.fails {
                return WalkState::Failed;
            }
            if seen.links.is_empty() || chance() < self.sigma.get() {
                return WalkState::Content;
            }
            at = seen.links[pick(chance(), seen.links.len())];
        }
    }

    /// The page at a spot.
    pub(crate) fn page_at(&self, spot: u32) -> PageIndex {
        self.spots[spot as usize].page
    }

    /// Each link that was seen to lead to a page that fails.
    pub(crate) fn failing_links(&self) -> Vec<FailingLink> {
        let mut found = Vec::new();
        for spot in self.spots.iter().filter(|spot| spot.visits > 0.0) {
            let Some(seen) = &spot.seen else { continue };
            let of = count(seen.links.len());
            let goes_on = (1.0 - seen.fails) * self.sigma.continue_probability();
            for (to, times) in counted(&seen.links) {
                let to = &self.spots[to as usize];
                let fails = to.seen.as_ref().map_or(0.0, |seen| seen.fails);
                if fails > 0.0 && to.page != spot.page {
                    let onward = goes_on * fails;
                    let share = spot.visits * onward * times / of;
                    let (from, to) = (spot.page, to.page);
                    found.push(FailingLink { from, to, times, of, onward, share });
                }
            }
        }
        found
    }

    /// For each dead or doubtful page that was reached, the share that fails there.
    pub(crate) fn failures(&self) -> impl Iterator<Item = (PageIndex, f64)> {
        self.spots.iter().filter_map(|spot| {
            let share = spot.visits * spot.seen.as_ref()?.fails;
            (share > 0.0).then_some((spot.page, share))
        })
    }
}

/// A link to a page that fails, and who takes it.
pub(crate) struct FailingLink {
    pub(crate) from: PageIndex,
    pub(crate) to: PageIndex,
    /// How often it is written on the page.
    pub(crate) times: f64,
    /// Of how many links of the page.
    pub(crate) of: f64,
    /// How likely a surfer on the page goes on and, by one such link, fails.
    pub(crate) onward: f64,
    /// The share of the crowd that takes it and fails at once.
    pub(crate) share: f64,
}

/// One of so many, by a number from 0 to below 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the product lies between 0 and the length"
)]
fn pick(chance: f64, length: usize) -> usize {
    ((chance * count(length)) as usize).min(length - 1)
}

/// Each of these once, with how often it is there.
fn counted(links: &[u32]) -> Vec<(u32, f64)> {
    let mut sorted = links.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(|run| (run[0], count(run.len()))).collect()
}

/// A count as a number to calculate with.
#[expect(clippy::cast_precision_loss, reason = "a page has far fewer than 2^52 links")]
fn count(links: usize) -> f64 {
    links as f64
}
