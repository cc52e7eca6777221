//! Computes exact scores of all pages of a graph.
//!
//! Strongly connected components are solved one after the other, link targets
//! first. Within a component, Gauss–Seidel sweeps continue until the error of
//! every score is at most the tolerance. A sweep multiplies every error by at
//! most 1 − sigma. After a sweep that changed no score by more than d, no error
//! is larger than d (1 − sigma) / sigma.

#![expect(
    clippy::indexing_slicing,
    reason = "pages are numbered by the graph itself, from 0 to their count"
)]

mod aitken;
mod components;
mod gauss_seidel;
mod system;

use self::gauss_seidel::GaussSeidelSolver;
use self::system::LinearSystem;
use crate::failures::FailureProbabilities;
use crate::graph::Graph;
use crate::score::{Decay, DecayDefinition, Sigma};

/// A problem to solve on a graph.
#[derive(Debug, Clone, Copy)]
pub struct DecayProblem<'a> {
    /// The probability that a walk ends at a live page.
    pub sigma: Sigma,
    /// The probability of each page that a walk fails there.
    pub failures: &'a FailureProbabilities,
}

/// Precision and parallelism of the solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolverOptions {
    /// Maximum error of any score.
    pub tolerance: f64,
    /// Number of threads.
    pub threads: Threads,
}

impl Default for SolverOptions {
    /// Returns a tolerance of 1e-9 and one thread per core.
    fn default() -> Self {
        Self { tolerance: 1e-9, threads: Threads::default() }
    }
}

/// Number of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// One thread per core.
    #[default]
    PerCore,
    /// This number of threads.
    Exactly(std::num::NonZeroUsize),
}

impl Threads {
    /// Returns the number of threads on this machine.
    fn count(self) -> usize {
        match self {
            Self::PerCore => std::thread::available_parallelism().map_or(1, usize::from),
            Self::Exactly(count) => count.get(),
        }
    }
}

/// The scores of all pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// For each problem, the score of each page.
    pub scores: Vec<Vec<Decay>>,
    /// The largest number of sweeps over one component.
    pub sweeps: u32,
    /// The number of links followed in all sweeps.
    pub links_followed: u64,
    /// Upper bound of the error of any score.
    pub max_error: f64,
}

/// Solves several problems on one graph.
///
/// ```
/// use relink_decay::{
///     CsrGraph, DecayDefinition, DecayProblem, FailureProbabilities, Sigma, SolverOptions, solve,
/// };
/// let graph = CsrGraph::from_links(2, &[(0, 1)])?;
/// let failures = FailureProbabilities::from_failing_pages(2, &[1])?;
/// let problem = DecayProblem { sigma: Sigma::default(), failures: &failures };
/// let solution = solve(&graph, DecayDefinition::Plain, &[problem], SolverOptions::default());
/// assert_eq!(solution.scores[0][0].get(), 0.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve<G: Graph>(
    graph: &G,
    definition: DecayDefinition,
    problems: &[DecayProblem<'_>],
    options: SolverOptions,
) -> Solution {
    let mut solution =
        Solution { scores: Vec::new(), sweeps: 0, links_followed: 0, max_error: 0.0 };
    let mut rest = problems;
    loop {
        rest = match *rest {
            [] => return solution,
            [a, b, c, d, ref rest @ ..] => {
                solution.add(solve_batch(graph, definition, [a, b, c, d], options));
                rest
            }
            [a, b, ref rest @ ..] => {
                solution.add(solve_batch(graph, definition, [a, b], options));
                rest
            }
            [a] => {
                solution.add(solve_batch(graph, definition, [a], options));
                &[]
            }
        };
    }
}

/// Solves `K` problems in one pass over the links.
fn solve_batch<const K: usize, G: Graph>(
    graph: &G,
    definition: DecayDefinition,
    problems: [DecayProblem<'_>; K],
    options: SolverOptions,
) -> Solution {
    let system = LinearSystem::new(graph, definition, problems);
    let sigmas = problems.map(|problem| problem.sigma);
    let mut solver = GaussSeidelSolver::new(&system, sigmas, options);
    solver.run();
    let mut scores = vec![vec![Decay::HEALTHY; system.rows()]; K];
    for (&page, values) in system.pages.iter().zip(&solver.values) {
        for (scores, &value) in scores.iter_mut().zip(values) {
            scores[page as usize] = Decay::clamped(value);
        }
    }
    let GaussSeidelSolver { sweeps, links_followed: followed, max_error: error, .. } = solver;
    Solution { scores, sweeps, links_followed: followed, max_error: error }
}

impl Solution {
    /// Appends the scores of further problems.
    fn add(&mut self, other: Self) {
        self.scores.extend(other.scores);
        self.sweeps = self.sweeps.max(other.sweeps);
        self.links_followed += other.links_followed;
        self.max_error = self.max_error.max(other.max_error);
    }
}
