//! How rotten is the neighborhood of a page? The decay score of Bar-Yossef,
//! Broder, Kumar and Tomkins, *Sic Transit Gloria Telae* (WWW 2004, section 4).
//!
//! A surfer starts at a page. On a dead page he fails. On a living page he is
//! content with probability sigma, or else follows a link chosen at random. The
//! decay of the page is the probability that he fails.
//!
//! - [`solve()`]: the exact scores of every page of a known graph;
//! - [`bounds`]: the same where some pages were never looked at;
//! - [`Survey`]: the score of one page of a web that is asked page by page,
//!   with an interval that holds the truth;
//! - [`Split`]: how much of a score is due to the page's own dead links;
//! - [`Repair`]: which links to repair first, and what that gains.
//!
//! Nothing here fetches a page or decides whether one is dead, and chance comes
//! in as an argument.

// Untrusted input must not end the program: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

mod bounds;
mod estimator;
mod failures;
mod graph;
mod neighborhood;
mod repair;
mod score;
mod solve;
mod split;
mod tally;

pub use bounds::bounds;
pub use estimator::{
    DeadEnd, DecayEstimate, DecayEstimator, EstimatorStep, StoppingRule, WalkStart,
};
pub use failures::{FailureProbabilities, FailuresError};
pub use graph::{CsrGraph, Graph, GraphError, LinkTableBuilder, PageIndex};
pub use neighborhood::{Neighborhood, Observation};
pub use repair::Repair;
pub use score::{Decay, DecayDefinition, Interval, ScoreError, Sigma};
pub use solve::{DecayProblem, Solution, SolverOptions, Threads, solve};
pub use split::ScoreBreakdown;
