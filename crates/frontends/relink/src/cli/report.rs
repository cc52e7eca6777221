//! `relink report`, as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// `relink report`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ReportArgs {
    /// What else to report.
    #[command(subcommand)]
    pub command: Option<ReportCommand>,
    /// The crawl to report, by its number [default: the latest].
    #[arg(long, value_name = "N")]
    pub run: Option<i64>,
    /// What stdout gets.
    #[arg(long, value_enum, default_value = "human")]
    pub format: ReportFormat,
    /// Write a report to a file too; the extension says which (`.html`,
    /// `.json`, `.jsonl`, `.txt`). May be repeated.
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Show the HTML report in the browser.
    #[arg(long)]
    pub open: bool,
    /// Use this database instead of the project's own.
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
}

/// What else to report.
#[derive(Debug, Subcommand)]
pub enum ReportCommand {
    /// Compare two crawls: what is new, fixed and regressed.
    Diff {
        /// The earlier crawl, by its number.
        before: i64,
        /// The later crawl, by its number.
        after: i64,
        /// Use this database instead of the project's own.
        #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
        db: Option<PathBuf>,
    },
}

/// What a report looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people.
    Human,
    /// One page of HTML that needs nothing else.
    Html,
    /// One JSON document.
    Json,
    /// One JSON object per target, with all that is known at the end.
    Jsonl,
}
