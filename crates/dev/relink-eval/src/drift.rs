//! `relink-eval drift`: what stays undetected while a catalog decays?

use std::io::{self, Write};

use clap::Args;
use relink_survey::{DecaySimulation, drift};
use serde_json::json;

use crate::error::EvalError;

/// How the catalog decays, and how much may be asked.
#[derive(Args)]
pub struct DriftArgs {
    /// The share of deaths that come with a whole directory
    #[arg(long, default_value_t = 0.8, value_name = "SHARE")]
    by_directory: f64,
    /// The share of the URLs that may be asked in a week
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    budget: f64,
    /// How much death rates differ between domains (deviation of the logarithm)
    #[arg(long, default_value_t = DecaySimulation::default().hazard_spread, value_name = "NUMBER")]
    hazard_spread: f64,
    /// How many histories are played
    #[arg(long, default_value_t = 5, value_name = "NUMBER")]
    runs: u32,
    /// Where chance comes from
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
}

/// Plays some histories and prints each, one JSON object a line, and the mean.
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
        let outcome = drift(&settings, seed);
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
