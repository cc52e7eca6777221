//! Decay score of Bar-Yossef, Broder, Kumar and Tomkins, *Sic Transit Gloria
//! Telae* (WWW 2004, section 4).
//!
//! A random walk starts at a page. On a dead page the walk fails. On a live
//! page it succeeds with probability sigma. Otherwise it follows a random link.
//! The decay of the start page is the probability that the walk fails.
//!
//! - [`solve()`]: exact scores of all pages of a known graph;
//! - [`bounds`]: lower and upper bounds where some pages were not fetched;
//! - [`DecayEstimator`]: estimates the score of one page with a confidence
//!   interval, fetching as few pages as possible;
//! - [`ScoreBreakdown`]: the part of a score due to the page's own dead links;
//! - [`Repair`]: the links whose repair lowers a score most.
//!
//! This crate does not fetch pages or decide whether they are dead. Callers
//! pass random numbers as arguments.

// Untrusted input must not end the program: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

mod bounds;
mod breakdown;
mod estimator;
mod failures;
mod graph;
mod neighborhood;
mod repair;
mod score;
mod solve;
mod walk_stats;

pub use bounds::bounds;
pub use breakdown::ScoreBreakdown;
pub use estimator::{
    DeadEnd, DecayEstimate, DecayEstimator, EstimatorStep, StoppingRule, WalkStart,
};
pub use failures::{FailureProbabilities, FailureProbabilitiesError};
pub use graph::{CsrGraph, CsrGraphBuilder, Graph, GraphError, PageIndex};
pub use neighborhood::{Neighborhood, Observation};
pub use repair::Repair;
pub use score::{Decay, DecayDefinition, Interval, ScoreError, Sigma};
pub use solve::{DecayProblem, Solution, SolverOptions, Threads, solve};
