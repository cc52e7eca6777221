//! The recursive definition of decay as linear equations, one a page.
//!
//! A page that fails with probability w and has n links, s of them to itself,
//! has decay x = w + (1 − w)(1 − sigma)(sum + s x) / n, where `sum` is over the
//! other links. Solved for x that is `base + scale * sum`: links to itself,
//! written or added by the form, cost no iteration.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use super::DecayProblem;
use super::components::Components;
use crate::graph::{Graph, PageIndex};
use crate::score::DecayDefinition;

/// Equations for `K` cases at once, in the order in which they are solved.
#[derive(Debug)]
pub(super) struct LinearSystem<const K: usize> {
    /// Where in `links` the row of each page begins.
    pub(super) starts: Vec<usize>,
    /// The other pages a page links to, by their row.
    pub(super) links: Vec<u32>,
    pub(super) base: Vec<[f64; K]>,
    pub(super) scale: Vec<[f64; K]>,
    /// Where each component ends.
    pub(super) ends: Vec<usize>,
    /// Which page each row is about.
    pub(super) pages: Vec<PageIndex>,
}

impl<const K: usize> LinearSystem<K> {
    /// The equations of a graph under these cases.
    pub(super) fn new<G: Graph>(
        graph: &G,
        form: DecayDefinition,
        cases: [DecayProblem<'_>; K],
    ) -> Self {
        // A page that fails in every case needs no links, and without them
        // many circles fall apart.
        let links = |page: PageIndex| {
            let goes_on = cases.iter().any(|case| case.failures.probability(page) < 1.0);
            if goes_on { graph.links(page) } else { &[] }
        };
        let count = u32::try_from(graph.pages()).unwrap_or(u32::MAX);
        let Components { order, ends } = Components::of(count, &links);
        let mut row_of = vec![0; order.len()];
        for (row, &page) in (0..).zip(&order) {
            row_of[page as usize] = row;
        }
        let mut system = Self {
            starts: Vec::with_capacity(order.len() + 1),
            links: Vec::new(),
            base: Vec::with_capacity(order.len()),
            scale: Vec::with_capacity(order.len()),
            ends,
            pages: Vec::new(),
        };
        system.starts.push(0);
        for &page in &order {
            system.add(page, links(page), &row_of, form, cases);
        }
        system.pages = order;
        system
    }

    /// Adds the equation of one page.
    fn add(
        &mut self,
        page: PageIndex,
        links: &[PageIndex],
        row_of: &[u32],
        form: DecayDefinition,
        cases: [DecayProblem<'_>; K],
    ) {
        let before = self.links.len();
        self.links.extend(links.iter().filter(|&&to| to != page).map(|&to| row_of[to as usize]));
        self.starts.push(self.links.len());
        let to_itself = links.len() - (self.links.len() - before);
        let all = count(links.len()) + f64::from(form.added_links());
        let own = count(to_itself) + f64::from(form.added_links());
        let factors = cases.map(|case| {
            let fails = case.failures.probability(page);
            let onward = (1.0 - fails) * case.sigma.continue_probability();
            if all == 0.0 {
                return (fails, 0.0);
            }
            let rest = 1.0 - onward * own / all;
            (fails / rest, onward / all / rest)
        });
        self.base.push(factors.map(|(base, _)| base));
        self.scale.push(factors.map(|(_, scale)| scale));
    }

    /// How many equations there are.
    pub(super) fn rows(&self) -> usize {
        self.base.len()
    }

    /// What the equation of a row says, given the sum over its links.
    pub(super) fn value(&self, row: usize, sum: [f64; K]) -> [f64; K] {
        let (base, scale) = (&self.base[row], &self.scale[row]);
        std::array::from_fn(|case| base[case] + scale[case] * sum[case])
    }

    /// The links of a row.
    pub(super) fn links(&self, row: usize) -> &[u32] {
        &self.links[self.starts[row]..self.starts[row + 1]]
    }
}

/// A count as a number to calculate with.
#[expect(clippy::cast_precision_loss, reason = "a page has far fewer than 2^52 links")]
fn count(links: usize) -> f64 {
    links as f64
}
