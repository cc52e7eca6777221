//! Scores where only a part of the web is known: between what and what.
//!
//! A page nobody looked at is sound at best and dead at worst. Solving for both
//! bounds every score, and shows how much the edge of the known part matters.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use crate::graph::{Graph, PageIndex};
use crate::score::{DecayDefinition, Interval};
use crate::solve::{DecayProblem, SolverOptions, solve};

/// A graph in which some pages have no links.
struct TruncatedGraph<'a, G> {
    graph: &'a G,
    is_unknown: Vec<bool>,
}

impl<'a, G: Graph> TruncatedGraph<'a, G> {
    fn new(graph: &'a G, unknown: &[PageIndex]) -> Self {
        let mut is_unknown = vec![false; graph.pages()];
        for &page in unknown {
            is_unknown[page as usize] = true;
        }
        Self { graph, is_unknown }
    }
}

impl<G: Graph> Graph for TruncatedGraph<'_, G> {
    fn pages(&self) -> usize {
        self.graph.pages()
    }

    fn links(&self, page: PageIndex) -> &[PageIndex] {
        if self.is_unknown[page as usize] { &[] } else { self.graph.links(page) }
    }
}

/// For each page the least and the greatest decay it can have, where nothing
/// is known of the pages in `unknown`: their links and failures are ignored.
///
/// The bounds hold up to the error asked for.
pub fn bounds<G: Graph>(
    graph: &G,
    form: DecayDefinition,
    case: DecayProblem<'_>,
    unknown: &[PageIndex],
    effort: SolverOptions,
) -> Vec<Interval> {
    let cut = TruncatedGraph::new(graph, unknown);
    let [sound, dead] = [0.0, 1.0].map(|chance| case.failures.with(unknown, chance));
    let cases =
        [DecayProblem { failures: &sound, ..case }, DecayProblem { failures: &dead, ..case }];
    let solution = solve(&cut, form, &cases, effort);
    let [low, high] = solution.scores.as_slice() else { return Vec::new() };
    low.iter().zip(high).map(|(low, high)| Interval::rounded(low.get(), high.get())).collect()
}
