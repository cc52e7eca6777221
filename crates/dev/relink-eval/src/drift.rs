//! `relink-eval drift`: simulates a catalog of URLs that die over the years, and measures
//! how many broken URLs a check schedule leaves undetected.

use std::io::{self, Write};

use clap::Args;
use relink_survey::{DecaySimulation, simulate_decay};
use serde_json::json;

use crate::error::EvalError;

/// Parameters of the simulation.
#[derive(Args)]
pub struct DriftArgs {
    /// Share of URLs that die together with their directory
    #[arg(long, default_value_t = 0.8, value_name = "SHARE")]
    by_directory: f64,
    /// Share of the URLs that may be checked per week
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    budget: f64,
    /// Variation of death rates between domains (standard deviation of the logarithm)
    #[arg(long, default_value_t = DecaySimulation::default().hazard_spread, value_name = "NUMBER")]
    hazard_spread: f64,
    /// Number of simulated histories
    #[arg(long, default_value_t = 5, value_name = "NUMBER")]
    runs: u32,
    /// Seed of the random number generator
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
}

/// Prints one JSON object per simulated history, and the mean.
pub fn run(args: &DriftArgs) -> Result<(), EvalError> {
    let settings = DecaySimulation {
        by_directory: args.by_directory.clamp(0.0, 1.0),
        budget: args.budget.clamp(0.0, 1.0),
        hazard_spread: args.hazard_spread.max(0.0),
        ..DecaySimulation::default()
    };
    let mut output = io::stdout().lock();
    let (mut undetected, runs) = (0.0, args.runs.max(1));
    for number in 0..runs {
        let seed = args.seed.wrapping_add(number.into());
        let outcome = simulate_decay(&settings, seed);
        undetected += outcome.undetected / f64::from(runs);
        let line = json!({
            "seed": seed,
            "undetected": outcome.undetected,
            "requests_per_week": outcome.requests,
            "dead": outcome.dead,
        });
        writeln!(output, "{line}")?;
    }
    Ok(writeln!(output, "{}", json!({ "runs": runs, "mean_undetected": undetected }))?)
}
