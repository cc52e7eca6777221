//! `relink-eval walks`: how good are estimates made page by page, against the
//! exact scores of the same graph?

use std::num::NonZeroUsize;

use clap::Args;
use relink_decay::{
    CsrGraph, Decay, DecayEstimate, DecayEstimator, DecayProblem, EstimatorStep,
    FailureProbabilities, Graph, Observation, PageIndex, SolverOptions, StoppingRule, solve,
};
use serde::Serialize;

use super::{Question, print};
use crate::error::EvalError;

/// An estimate this near is good enough.
const NEAR: f64 = 0.1;

/// What to measure.
#[derive(Args)]
pub struct WalksArgs {
    #[command(flatten)]
    question: Question,
    /// How many living pages are drawn
    #[arg(long, default_value = "1000", value_name = "NUMBER")]
    pages: NonZeroUsize,
    /// Where chance comes from
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// As the paper does it: 300 walks from the page
    #[arg(long)]
    paper: bool,
    /// Pages looked at before the first walk
    #[arg(long, value_name = "NUMBER")]
    push: Option<usize>,
    /// The half width at which an interval is narrow enough
    #[arg(long, value_name = "NUMBER")]
    half_width: Option<f64>,
    /// The most pages looked at for one score
    #[arg(long, value_name = "NUMBER")]
    looks: Option<usize>,
}

/// How good the estimates are.
#[derive(Debug, Serialize)]
struct Account {
    pages: usize,
    mean_looks: f64,
    p95_looks: usize,
    /// The share of estimates that are near enough.
    within: f64,
    /// The share of intervals that hold the truth.
    interval_holds: f64,
    /// The share of certain bounds that hold the truth: all of them.
    bounds_hold: f64,
    mean_half_width: f64,
    p95_half_width: f64,
    mean_walks: f64,
    root_mean_square: f64,
}

/// Chance that can be repeated (splitmix64).
struct Rng(u64);

impl Rng {
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn share(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Estimates pages drawn at random and prints how near the truth they are.
pub fn run(args: &WalksArgs) -> Result<(), EvalError> {
    let (graph, failures) = args.question.read()?;
    let case = DecayProblem { sigma: args.question.sigma, failures: &failures };
    let solution = solve(&graph, args.question.form.into(), &[case], SolverOptions::default());
    let truth = solution.scores.first().map_or(&[][..], Vec::as_slice);
    let mut dice = Rng(args.seed);
    let mut trials = Vec::with_capacity(args.pages.get());
    for page in draw_living(&failures, truth.len(), args.pages, &mut dice) {
        let form = args.question.form.into();
        let survey = DecayEstimator::new(page, args.question.sigma, form, args.patience());
        let estimate = estimate(survey, &graph, &failures, &mut dice);
        trials.push((estimate, truth[page as usize]));
    }
    print(&account(&trials))
}

impl WalksArgs {
    fn patience(&self) -> StoppingRule {
        let standard =
            if self.paper { StoppingRule::sic_transit() } else { StoppingRule::default() };
        StoppingRule {
            push: self.push.unwrap_or(standard.push),
            half_width: self.half_width.unwrap_or(standard.half_width),
            pages_fetched: self.looks.unwrap_or(standard.pages_fetched),
            ..standard
        }
    }
}

/// Living pages, drawn with repetition.
fn draw_living(
    failures: &FailureProbabilities,
    pages: usize,
    count: NonZeroUsize,
    dice: &mut Rng,
) -> Vec<PageIndex> {
    let living: Vec<PageIndex> =
        (0..).take(pages).filter(|&page| failures.probability(page) < 1.0).collect();
    let among = living.len().max(1) as u64;
    let draw = |_| usize::try_from(dice.number() % among).ok();
    let drawn = (0..count.get()).filter_map(draw);
    drawn.filter_map(|at| living.get(at).copied()).collect()
}

/// Runs one survey, the graph taking the place of the web.
fn estimate(
    mut survey: DecayEstimator,
    graph: &CsrGraph,
    failures: &FailureProbabilities,
    dice: &mut Rng,
) -> DecayEstimate {
    loop {
        match survey.next(&mut || dice.share()) {
            EstimatorStep::Visit(page) => {
                let look = Observation {
                    fails: failures.probability(page),
                    links: graph.links(page).to_vec(),
                };
                survey.learn(page, &look);
            }
            EstimatorStep::Settle(estimate) => return estimate,
        }
    }
}

fn account(trials: &[(DecayEstimate, Decay)]) -> Account {
    let off =
        |(estimate, truth): &(DecayEstimate, Decay)| (estimate.decay.get() - truth.get()).abs();
    let share = |holds: &dyn Fn(&(DecayEstimate, Decay)) -> bool| {
        mean(trials.iter().map(|trial| f64::from(u8::from(holds(trial)))))
    };
    let mut looks: Vec<usize> = trials.iter().map(|(estimate, _)| estimate.pages_fetched).collect();
    looks.sort_unstable();
    let mut halves: Vec<f64> =
        trials.iter().map(|(estimate, _)| estimate.interval.half_width()).collect();
    halves.sort_by(f64::total_cmp);
    Account {
        pages: trials.len(),
        mean_looks: mean(
            looks.iter().map(|&looks| f64::from(u32::try_from(looks).unwrap_or(u32::MAX))),
        ),
        p95_looks: late(&looks).unwrap_or_default(),
        within: share(&|trial| off(trial) <= NEAR),
        interval_holds: share(&|(estimate, truth)| holds(estimate.interval, *truth)),
        bounds_hold: share(&|(estimate, truth)| holds(estimate.bounds, *truth)),
        mean_half_width: mean(halves.iter().copied()),
        p95_half_width: late(&halves).unwrap_or_default(),
        mean_walks: mean(trials.iter().map(|(estimate, _)| f64::from(estimate.walks))),
        root_mean_square: mean(trials.iter().map(|trial| off(trial).powi(2))).sqrt(),
    }
}

/// Whether an interval holds a score that is itself exact to nine digits.
fn holds(interval: relink_decay::Interval, truth: Decay) -> bool {
    const SLACK: f64 = 1e-8;
    let (low, high) = (interval.low.get() - SLACK, interval.high.get() + SLACK);
    (low..=high).contains(&truth.get())
}

/// The value that 95 in 100 of these sorted ones do not exceed.
fn late<T: Copy>(sorted: &[T]) -> Option<T> {
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
