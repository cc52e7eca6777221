//! `relink-eval walks`: compares decay estimates with the exact scores of the
//! same graph.

use std::num::NonZeroUsize;

use clap::Args;
use relink_decay::{
    CsrGraph, Decay, DecayEstimate, DecayEstimator, DecayProblem, EstimatorStep,
    FailureProbabilities, Graph, Observation, PageIndex, SolverOptions, StoppingRule, solve,
};
use serde::Serialize;

use super::{ProblemArgs, print};
use crate::error::EvalError;

/// Maximum error of a good estimate.
const MAX_GOOD_ERROR: f64 = 0.1;

/// Arguments of `relink-eval walks`.
#[derive(Args)]
pub struct WalksArgs {
    #[command(flatten)]
    problem: ProblemArgs,
    /// Number of live pages to sample
    #[arg(long, default_value = "1000", value_name = "NUMBER")]
    pages: NonZeroUsize,
    /// Seed of the random number generator
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// Use the method of the paper: 300 walks from the page
    #[arg(long)]
    paper: bool,
    /// Number of pages to fetch before the first walk
    #[arg(long, value_name = "NUMBER")]
    push: Option<usize>,
    /// Half-width at which a confidence interval is narrow enough
    #[arg(long, value_name = "NUMBER")]
    half_width: Option<f64>,
    /// Maximum number of pages to fetch for one score
    #[arg(long, value_name = "NUMBER")]
    max_pages: Option<usize>,
}

/// Accuracy of the estimates, printed as JSON.
#[derive(Debug, Serialize)]
struct WalksReport {
    pages: usize,
    mean_pages_fetched: f64,
    p95_pages_fetched: usize,
    /// Share of estimates with an error of at most [`MAX_GOOD_ERROR`].
    within: f64,
    /// Share of confidence intervals that contain the exact score.
    interval_holds: f64,
    /// Share of bounds that contain the exact score; must be 1.
    bounds_hold: f64,
    mean_half_width: f64,
    p95_half_width: f64,
    mean_walks: f64,
    root_mean_square: f64,
}

/// Pseudorandom number generator (`SplitMix64`).
struct Rng(u64);

impl Rng {
    /// Returns 64 random bits.
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn fraction(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Estimates the decay of random pages and prints the accuracy.
pub fn run(args: &WalksArgs) -> Result<(), EvalError> {
    let (graph, failures) = args.problem.read()?;
    let problem = DecayProblem { sigma: args.problem.sigma, failures: &failures };
    let definition = args.problem.definition.into();
    let solution = solve(&graph, definition, &[problem], SolverOptions::default());
    let exact = solution.scores.first().map_or(&[][..], Vec::as_slice);
    let mut rng = Rng(args.seed);
    let mut trials = Vec::with_capacity(args.pages.get());
    for page in sample_live_pages(&failures, exact.len(), args.pages, &mut rng) {
        let estimator =
            DecayEstimator::new(page, args.problem.sigma, definition, args.stopping_rule());
        let estimate = estimate(estimator, &graph, &failures, &mut rng);
        trials.push((estimate, exact[page as usize]));
    }
    print(&report(&trials))
}

impl WalksArgs {
    /// Returns the rule of the chosen method, changed by the arguments of the command line.
    fn stopping_rule(&self) -> StoppingRule {
        let standard =
            if self.paper { StoppingRule::sic_transit() } else { StoppingRule::default() };
        StoppingRule {
            push_pages: self.push.unwrap_or(standard.push_pages),
            target_half_width: self.half_width.unwrap_or(standard.target_half_width),
            max_pages_fetched: self.max_pages.unwrap_or(standard.max_pages_fetched),
            ..standard
        }
    }
}

/// Samples live pages with replacement.
fn sample_live_pages(
    failures: &FailureProbabilities,
    pages: usize,
    count: NonZeroUsize,
    rng: &mut Rng,
) -> Vec<PageIndex> {
    let live: Vec<PageIndex> =
        (0..).take(pages).filter(|&page| failures.probability(page) < 1.0).collect();
    let live_count = live.len().max(1) as u64;
    let sample = |_| usize::try_from(rng.number() % live_count).ok();
    let indices = (0..count.get()).filter_map(sample);
    indices.filter_map(|at| live.get(at).copied()).collect()
}

/// Runs an estimator on the graph.
fn estimate(
    mut estimator: DecayEstimator,
    graph: &CsrGraph,
    failures: &FailureProbabilities,
    rng: &mut Rng,
) -> DecayEstimate {
    loop {
        match estimator.next(&mut || rng.fraction()) {
            EstimatorStep::Fetch(page) => {
                let observation = Observation {
                    failure_probability: failures.probability(page),
                    ..Observation::alive(graph.links(page).to_vec())
                };
                estimator.record(page, &observation);
            }
            EstimatorStep::Done(estimate) => return estimate,
        }
    }
}

/// Summarizes pairs of an estimate and the exact score.
fn report(trials: &[(DecayEstimate, Decay)]) -> WalksReport {
    let error =
        |(estimate, exact): &(DecayEstimate, Decay)| (estimate.decay.get() - exact.get()).abs();
    let share = |predicate: &dyn Fn(&(DecayEstimate, Decay)) -> bool| {
        mean(trials.iter().map(|trial| f64::from(u8::from(predicate(trial)))))
    };
    let mut fetched: Vec<usize> =
        trials.iter().map(|(estimate, _)| estimate.pages_fetched).collect();
    fetched.sort_unstable();
    let mut half_widths: Vec<f64> =
        trials.iter().map(|(estimate, _)| estimate.interval.half_width()).collect();
    half_widths.sort_by(f64::total_cmp);
    WalksReport {
        pages: trials.len(),
        mean_pages_fetched: mean(
            fetched.iter().map(|&count| f64::from(u32::try_from(count).unwrap_or(u32::MAX))),
        ),
        p95_pages_fetched: percentile_95(&fetched).unwrap_or_default(),
        within: share(&|trial| error(trial) <= MAX_GOOD_ERROR),
        interval_holds: share(&|(estimate, exact)| contains(estimate.interval, *exact)),
        bounds_hold: share(&|(estimate, exact)| contains(estimate.bounds, *exact)),
        mean_half_width: mean(half_widths.iter().copied()),
        p95_half_width: percentile_95(&half_widths).unwrap_or_default(),
        mean_walks: mean(trials.iter().map(|(estimate, _)| f64::from(estimate.walks))),
        root_mean_square: mean(trials.iter().map(|trial| error(trial).powi(2))).sqrt(),
    }
}

/// Whether an interval contains a score that is exact to nine digits.
fn contains(interval: relink_decay::Interval, exact: Decay) -> bool {
    const SLACK: f64 = 1e-8;
    let (low, high) = (interval.low.get() - SLACK, interval.high.get() + SLACK);
    (low..=high).contains(&exact.get())
}

/// Returns the 95th percentile of sorted values.
fn percentile_95<T: Copy>(sorted: &[T]) -> Option<T> {
    sorted.get(sorted.len() * 95 / 100).copied()
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for number in numbers {
        sum += number;
        count += 1.0;
    }
    if count == 0.0 { 0.0 } else { sum / count }
}
