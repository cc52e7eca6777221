//! Measures the time per link and the memory to compute the decay scores of a
//! generated link graph.
//!
//! Nine of ten links lead to nearby pages, as within a site. One in 20 directories is
//! dead as a whole. Of the other pages, one in 50 is dead.

use std::fmt;
use std::time::Instant;

use relink_decay::{
    CsrGraph, CsrGraphBuilder, DecayDefinition, DecayProblem, FailureProbabilities, Graph,
    PageIndex, Sigma, Solution, SolverOptions, solve,
};

use super::meter;
use crate::XtaskError;

/// Maximum nanoseconds per link for nine digits: one second for three million
/// links.
const MAX_NS_PER_LINK: f64 = 300.0;

/// Maximum distance of a link within a site.
const MAX_NEAR_DISTANCE: u64 = 200;

/// Pages per directory.
const PAGES_PER_DIRECTORY: PageIndex = 128;

/// Number of rounds. The fastest counts, because other load only slows down.
const ROUNDS: usize = 5;

/// Size of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecaySize {
    /// Pages.
    pub pages: u32,
    /// Average links per page.
    pub links: u32,
}

impl Default for DecaySize {
    fn default() -> Self {
        Self { pages: 400_000, links: 10 }
    }
}

/// The result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecayBenchResult {
    links: usize,
    /// Number of passes of the solver over all pages.
    sweeps: u32,
    seconds: f64,
    /// Maximum residual of the decay equation.
    residual: f64,
    /// Peak memory of this program, if known.
    peak_kib: Option<u64>,
}

impl DecayBenchResult {
    /// Whether the scores satisfy the equation that defines decay.
    pub fn is_correct(&self) -> bool {
        self.residual <= SolverOptions::default().tolerance
    }

    /// Whether the time limit is kept.
    pub fn is_fast(&self) -> bool {
        self.ns_per_link() <= MAX_NS_PER_LINK
    }

    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    fn ns_per_link(&self) -> f64 {
        self.seconds * 1e9 / self.links as f64
    }
}

impl fmt::Display for DecayBenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (each, Self { links, sweeps, seconds, residual, .. }) = (self.ns_per_link(), self);
        write!(
            f,
            "decay {each:.0} ns/link (limit {MAX_NS_PER_LINK:.0})  {links} links in {seconds:.3} s, "
        )?;
        write!(f, "{sweeps} sweeps  residual {residual:.0e}")?;
        match self.peak_kib {
            Some(peak) => write!(f, "  peak {} MiB", peak / 1024),
            None => Ok(()),
        }
    }
}

/// Solves a graph of this size.
pub fn bench_decay(size: DecaySize) -> Result<DecayBenchResult, XtaskError> {
    let (graph, failures) = generate_graph(size)?;
    let problem = DecayProblem { sigma: Sigma::default(), failures: &failures };
    let solve_once = || {
        let start = Instant::now();
        let solution = solve(&graph, DecayDefinition::Plain, &[problem], SolverOptions::default());
        (start.elapsed().as_secs_f64(), solution)
    };
    let (mut seconds, solution) = solve_once();
    for _ in 1..ROUNDS {
        seconds = seconds.min(solve_once().0);
    }
    Ok(DecayBenchResult {
        seconds,
        links: graph.link_count(),
        sweeps: solution.sweeps,
        residual: residual(&graph, problem, &solution),
        peak_kib: meter::own_peak_kib(),
    })
}

/// Returns the graph and its dead pages.
fn generate_graph(size: DecaySize) -> Result<(CsrGraph, FailureProbabilities), XtaskError> {
    let mut rng = Rng(1);
    let mut builder = CsrGraphBuilder::with_capacity(size.pages as usize, 0);
    for page in 0..size.pages {
        let count = rng.below(u64::from(2 * size.links) + 1);
        let links: Vec<PageIndex> =
            (0..count).map(|_| random_target(page, size.pages, &mut rng)).collect();
        builder.push(links).map_err(|error| XtaskError::new(error.to_string()))?;
    }
    let graph = builder.finish().map_err(|error| XtaskError::new(error.to_string()))?;
    let mut dead = Vec::new();
    let mut dead_one_in = 50;
    for page in 0..size.pages {
        if page % PAGES_PER_DIRECTORY == 0 {
            dead_one_in = if rng.below(20) == 0 { 1 } else { 50 };
        }
        if rng.below(dead_one_in) == 0 {
            dead.push(page);
        }
    }
    let failures = FailureProbabilities::from_failing_pages(size.pages as usize, &dead);
    Ok((graph, failures.map_err(|error| XtaskError::new(error.to_string()))?))
}

/// Returns the target of a link: nearby in nine of ten cases.
fn random_target(page: PageIndex, pages: PageIndex, rng: &mut Rng) -> PageIndex {
    let is_far = rng.below(10) == 0;
    let step = rng.below(if is_far { u64::from(pages) } else { MAX_NEAR_DISTANCE });
    let to = (u64::from(page) + step) % u64::from(pages);
    PageIndex::try_from(to).unwrap_or(page)
}

/// Returns the maximum difference between a score and the value that the scores of
/// its links require.
fn residual(graph: &CsrGraph, problem: DecayProblem<'_>, solution: &Solution) -> f64 {
    let Some(scores) = solution.scores.first() else { return f64::INFINITY };
    let page_residual = |(page, score): (PageIndex, &relink_decay::Decay)| {
        let links = graph.links(page);
        let sum: f64 = links.iter().map(|&to| scores[to as usize].get()).sum();
        let count = f64::from(u32::try_from(links.len()).unwrap_or(u32::MAX));
        let mean = if links.is_empty() { 0.0 } else { sum / count };
        let failure = problem.failures.probability(page);
        (score.get() - failure - (1.0 - failure) * problem.sigma.continue_probability() * mean)
            .abs()
    };
    (0..).zip(scores).map(page_residual).fold(0.0, f64::max)
}

/// A seeded random generator (xorshift64*).
struct Rng(u64);

impl Rng {
    /// Returns a random number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decay_bench_solves_a_small_graph() {
        let outcome = bench_decay(DecaySize { pages: 500, links: 5 }).unwrap();
        assert!(outcome.is_correct(), "{outcome}");
        assert!(outcome.links > 1_500, "{outcome}");
    }

    #[test]
    fn display_is_one_line() {
        let outcome = DecayBenchResult {
            links: 2_000_000,
            sweeps: 40,
            seconds: 0.2,
            residual: 1e-10,
            peak_kib: Some(102_400),
        };
        assert_eq!(
            outcome.to_string(),
            "decay 100 ns/link (limit 300)  2000000 links in 0.200 s, 40 sweeps  residual 1e-10  \
             peak 100 MiB"
        );
        assert!(outcome.is_fast() && outcome.is_correct());
    }
}
