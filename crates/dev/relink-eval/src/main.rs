//! How good is it? Answers data sets blind, for others to score.
//!
//! Each command reads questions without their answers, answers them with the
//! code that users run, and prints the answers one a line. The scorer lives
//! with the data set and never in this program.

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
mod soft404;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Answers data sets blind, for others to score.
#[derive(Parser)]
#[command(name = "relink-eval", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Tells dead pages from living ones, through a server that plays the web
    Soft404(soft404::Soft404Args),
    /// Finds the live pages that dead pages became
    Alias(alias::AliasArgs),
    /// Makes new addresses of moved pages from examples
    AliasHalves(alias_halves::AliasHalvesArgs),
    /// Compares the confidence of answers with how often they were right
    Calibrate(calibrate::CalibrateArgs),
    /// Measures the change between versions of pages
    Change(change::ChangeArgs),
    /// Judges whether pages fit their collection
    Context(context::ContextArgs),
    /// Counts the terms of texts for the general table of document frequencies
    Background(background::BackgroundArgs),
    /// Gives the exact decay of every page of a graph
    Decay(decay::DecayArgs),
    /// Measures estimates of decay made page by page
    Walks(decay::walks::WalksArgs),
    /// Finds what is broken in a catalog, through an oracle that counts
    Federation(federation::FederationArgs),
    /// Lets a catalog decay and measures what a schedule leaves undetected
    Drift(drift::DriftArgs),
}

#[expect(clippy::print_stderr, reason = "this is the program's own word on its failure")]
fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Soft404(args) => soft404::run(&args),
        Command::Alias(args) => alias::run(&args),
        Command::AliasHalves(args) => alias_halves::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Change(args) => change::run(&args),
        Command::Context(args) => context::run(&args),
        Command::Background(args) => background::run(&args),
        Command::Decay(args) => decay::run(&args),
        Command::Walks(args) => decay::walks::run(&args),
        Command::Federation(args) => federation::run(&args),
        Command::Drift(args) => drift::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
