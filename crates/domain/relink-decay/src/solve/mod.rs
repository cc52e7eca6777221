//! Exact scores of all pages of a graph.
//!
//! Components are solved one after the other, those that are linked to first;
//! within one, Gauss–Seidel sweeps go on until no score can be further from the
//! truth than asked. The recursive definition shrinks every error by 1 − sigma,
//! so after a sweep that changed no score by more than d none is off by more
//! than d (1 − sigma) / sigma.

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

/// One question about a graph: which pages fail, and how patient the surfer is.
#[derive(Debug, Clone, Copy)]
pub struct DecayProblem<'a> {
    /// How likely the surfer is content with a living page.
    pub sigma: Sigma,
    /// On which pages he fails.
    pub failures: &'a FailureProbabilities,
}

/// How exact the scores must be, and what may be used for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolverOptions {
    /// The largest error of any score.
    pub error: f64,
    /// How many threads share the work.
    pub workers: Threads,
}

impl Default for SolverOptions {
    /// Nine digits, on all cores.
    fn default() -> Self {
        Self { error: 1e-9, workers: Threads::default() }
    }
}

/// How many threads share the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Threads {
    /// As many as the machine has cores.
    #[default]
    Cores,
    /// So many.
    Exactly(std::num::NonZeroUsize),
}

impl Threads {
    /// How many that are here.
    fn count(self) -> usize {
        match self {
            Self::Cores => std::thread::available_parallelism().map_or(1, usize::from),
            Self::Exactly(count) => count.get(),
        }
    }
}

/// The scores of all pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// For each case the score of each page.
    pub scores: Vec<Vec<Decay>>,
    /// The most sweeps that any component took.
    pub sweeps: u32,
    /// How many links were followed, over all sweeps.
    pub followed: u64,
    /// No score is further from the truth than this.
    pub error: f64,
}

/// Solves several cases at once, to the error asked for.
///
/// ```
/// use relink_decay::{Case, Effort, Failures, Form, LinkTable, Sigma, solve};
/// let table = LinkTable::from_links(2, &[(0, 1)])?;
/// let failures = Failures::of_pages(2, &[1])?;
/// let case = Case { sigma: Sigma::default(), failures: &failures };
/// let solution = solve(&table, Form::Plain, &[case], Effort::default());
/// assert_eq!(solution.scores[0][0].get(), 0.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve<G: Graph>(
    graph: &G,
    form: DecayDefinition,
    cases: &[DecayProblem<'_>],
    effort: SolverOptions,
) -> Solution {
    let mut solution = Solution { scores: Vec::new(), sweeps: 0, followed: 0, error: 0.0 };
    let mut rest = cases;
    loop {
        rest = match *rest {
            [] => return solution,
            [a, b, c, d, ref rest @ ..] => {
                solution.add(solve_batch(graph, form, [a, b, c, d], effort));
                rest
            }
            [a, b, ref rest @ ..] => {
                solution.add(solve_batch(graph, form, [a, b], effort));
                rest
            }
            [a] => {
                solution.add(solve_batch(graph, form, [a], effort));
                &[]
            }
        };
    }
}

/// Solves `K` cases in one pass over the links.
fn solve_batch<const K: usize, G: Graph>(
    graph: &G,
    form: DecayDefinition,
    cases: [DecayProblem<'_>; K],
    effort: SolverOptions,
) -> Solution {
    let system = LinearSystem::new(graph, form, cases);
    let sigmas = cases.map(|case| case.sigma);
    let mut sweeper = GaussSeidelSolver::new(&system, sigmas, effort);
    sweeper.run();
    let mut scores = vec![vec![Decay::SOUND; system.rows()]; K];
    for (&page, values) in system.pages.iter().zip(&sweeper.values) {
        for (scores, &value) in scores.iter_mut().zip(values) {
            scores[page as usize] = Decay::rounded(value);
        }
    }
    let GaussSeidelSolver { sweeps, followed, error, .. } = sweeper;
    Solution { scores, sweeps, followed, error }
}

impl Solution {
    /// Adds the answers to further cases.
    fn add(&mut self, other: Self) {
        self.scores.extend(other.scores);
        self.sweeps = self.sweeps.max(other.sweeps);
        self.followed += other.followed;
        self.error = self.error.max(other.error);
    }
}
