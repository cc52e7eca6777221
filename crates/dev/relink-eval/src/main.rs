//! Runs Relink on evaluation data sets.
//!
//! Each command reads questions without the expected results, answers them with
//! the code that users run, and prints one answer per line. The scorer is part
//! of the data set, not of this program.

mod alias;
mod alias_halves;
mod background;
mod calibrate;
mod change;
mod context;
mod decay;
mod drift;
mod error;
mod federation;
mod fit_alias;
mod ground_truth;
mod json_lines;
mod keyphrases;
mod phrases;
mod random;
mod soft404;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Runs Relink on evaluation data sets
#[derive(Parser)]
#[command(name = "relink-eval", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Classify pages as alive or dead, through a proxy that simulates the web
    Soft404(soft404::Soft404Args),
    /// Find the aliases of dead pages among the live pages of a site
    Alias(alias::AliasArgs),
    /// Learn URL programs from half of the moved pages and test them on the other half
    AliasHalves(alias_halves::AliasHalvesArgs),
    /// Build questions and answers from archived redirects and 410 responses
    GroundTruth(ground_truth::GroundTruthArgs),
    /// Fit the model that matches dead pages with live pages
    FitAlias(fit_alias::FitAliasArgs),
    /// Compare the confidence of answers with the share of correct answers
    Calibrate(calibrate::CalibrateArgs),
    /// Measure the change between versions of pages
    Change(change::ChangeArgs),
    /// Judge whether pages fit their collection
    Context(context::ContextArgs),
    /// Count the terms of texts for the general table of document frequencies
    Background(background::BackgroundArgs),
    /// Count the words and phrases of texts for the table of keyphrases
    Phrases(phrases::PhraseArgs),
    /// Measure how well keyphrases find pages
    Keyphrases(keyphrases::KeyphraseArgs),
    /// Compute the exact decay of every page of a graph
    Decay(decay::DecayEvalArgs),
    /// Compare estimates of decay with the exact scores
    Walks(decay::walks::WalksArgs),
    /// Find broken URLs of a catalog through an oracle that counts requests
    Federation(federation::FederationArgs),
    /// Simulate a decaying catalog and measure the undetected share of broken URLs
    Drift(drift::DriftArgs),
}

#[expect(clippy::print_stderr, reason = "errors go to standard error")]
fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Soft404(args) => soft404::run(&args),
        Command::Alias(args) => alias::run(&args),
        Command::AliasHalves(args) => alias_halves::run(&args),
        Command::GroundTruth(args) => ground_truth::run(&args),
        Command::FitAlias(args) => fit_alias::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Change(args) => change::run(&args),
        Command::Context(args) => context::run(&args),
        Command::Background(args) => background::run(&args),
        Command::Phrases(args) => phrases::run(&args),
        Command::Keyphrases(args) => keyphrases::run(&args),
        Command::Decay(args) => decay::run(&args),
        Command::Walks(args) => decay::walks::run(&args),
        Command::Federation(args) => federation::run(&args),
        Command::Drift(args) => drift::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
