//! The recursive definition of decay as a linear system with one equation per
//! page.
//!
//! A page with failure probability w and n links, s of them to itself, has
//! decay x = w + (1 − w)(1 − sigma)(sum + s x) / n, where `sum` is the sum over
//! the other links. Solved for x, the equation is x = `base + scale * sum`. Self-links
//! therefore do not need iteration.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use super::DecayProblem;
use super::components::Components;
use crate::graph::{Graph, PageIndex};
use crate::score::DecayDefinition;

/// The equations of `K` problems, in solving order.
#[derive(Debug)]
pub(super) struct LinearSystem<const K: usize> {
    /// For each row, the index in `links` where its links begin.
    pub(super) starts: Vec<usize>,
    /// The link targets of each page except itself, as row numbers.
    pub(super) links: Vec<u32>,
    /// The constant part of each equation, see the module documentation.
    pub(super) base: Vec<[f64; K]>,
    /// The factor of the sum in each equation.
    pub(super) scale: Vec<[f64; K]>,
    /// For each component, the row where it ends.
    pub(super) ends: Vec<usize>,
    /// The page of each row.
    pub(super) pages: Vec<PageIndex>,
}

impl<const K: usize> LinearSystem<K> {
    /// Builds the equations of a graph.
    pub(super) fn new<G: Graph>(
        graph: &G,
        definition: DecayDefinition,
        problems: [DecayProblem<'_>; K],
    ) -> Self {
        // A page that fails in every problem does not need its links. Without
        // them many cycles disappear.
        let links = |page: PageIndex| {
            let can_continue =
                problems.iter().any(|problem| problem.failures.probability(page) < 1.0);
            if can_continue { graph.links(page) } else { &[] }
        };
        let page_count = u32::try_from(graph.pages()).unwrap_or(u32::MAX);
        let Components { order, ends } = Components::new(page_count, &links);
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
            system.add(page, links(page), &row_of, definition, problems);
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
        definition: DecayDefinition,
        problems: [DecayProblem<'_>; K],
    ) {
        let links_before = self.links.len();
        self.links.extend(links.iter().filter(|&&to| to != page).map(|&to| row_of[to as usize]));
        self.starts.push(self.links.len());
        let self_links = links.len() - (self.links.len() - links_before);
        let link_count = to_float(links.len()) + f64::from(definition.self_loops());
        let self_link_count = to_float(self_links) + f64::from(definition.self_loops());
        let factors = problems.map(|problem| {
            let failure = problem.failures.probability(page);
            let continue_probability = (1.0 - failure) * problem.sigma.continue_probability();
            if link_count == 0.0 {
                return (failure, 0.0);
            }
            let divisor = 1.0 - continue_probability * self_link_count / link_count;
            (failure / divisor, continue_probability / link_count / divisor)
        });
        self.base.push(factors.map(|(base, _)| base));
        self.scale.push(factors.map(|(_, scale)| scale));
    }

    /// Returns the number of equations.
    pub(super) fn rows(&self) -> usize {
        self.base.len()
    }

    /// Evaluates the equation of a row, given the sum over its links.
    pub(super) fn value(&self, row: usize, sum: [f64; K]) -> [f64; K] {
        let (base, scale) = (&self.base[row], &self.scale[row]);
        std::array::from_fn(|problem| base[problem] + scale[problem] * sum[problem])
    }

    /// Returns the links of a row.
    pub(super) fn links(&self, row: usize) -> &[u32] {
        &self.links[self.starts[row]..self.starts[row + 1]]
    }
}

/// Converts a number of links to a float.
#[expect(clippy::cast_precision_loss, reason = "a page has far fewer than 2^52 links")]
fn to_float(links: usize) -> f64 {
    links as f64
}
