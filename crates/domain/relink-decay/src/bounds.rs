//! Bounds of all scores when only a part of the graph is known.
//!
//! An unknown page has decay 0 at best and 1 at worst. Solving for both cases
//! bounds every score.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

use crate::graph::{Graph, PageIndex};
use crate::score::{DecayDefinition, Interval};
use crate::solve::{DecayProblem, SolverOptions, solve};

/// A graph without the links of unknown pages.
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

/// Returns the lower and upper bound of every score. Links and failure
/// probabilities of pages in `unknown` are ignored.
///
/// The bounds are exact up to the tolerance in `options`.
pub fn bounds<G: Graph>(
    graph: &G,
    definition: DecayDefinition,
    problem: DecayProblem<'_>,
    unknown: &[PageIndex],
    options: SolverOptions,
) -> Vec<Interval> {
    let truncated = TruncatedGraph::new(graph, unknown);
    let [best_case, worst_case] =
        [0.0, 1.0].map(|probability| problem.failures.with_probability(unknown, probability));
    let problems = [
        DecayProblem { failures: &best_case, ..problem },
        DecayProblem { failures: &worst_case, ..problem },
    ];
    let solution = solve(&truncated, definition, &problems, options);
    let [low, high] = solution.scores.as_slice() else { return Vec::new() };
    low.iter().zip(high).map(|(low, high)| Interval::clamped(low.get(), high.get())).collect()
}
