//! Arguments of `relink report`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Arguments of `relink report`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ReportArgs {
    /// A subcommand.
    #[command(subcommand)]
    pub command: Option<ReportCommand>,
    /// Id of the crawl [default: the latest]
    #[arg(long, value_name = "N")]
    pub run: Option<i64>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ReportFormat,
    /// Also write the report to a file; its extension selects the format
    /// (`.html`, `.json`, `.jsonl`, `.txt`); may be repeated
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Open the HTML report in a browser
    #[arg(long)]
    pub open: bool,
    /// Database: a file, or a URL `postgres://…` [default: one per project in your data directory]
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
}

/// Subcommands of `relink report`.
#[derive(Debug, Subcommand)]
pub enum ReportCommand {
    /// Compare two crawls: new, fixed and regressed findings
    Diff {
        /// Id of the earlier crawl
        before: i64,
        /// Id of the later crawl
        after: i64,
        /// Database: a file, or a URL `postgres://…` [default: one per project in your data directory]
        #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
        db: Option<PathBuf>,
    },
}

/// Output formats of `relink report`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Text
    Human,
    /// One self-contained HTML page
    Html,
    /// One JSON document
    Json,
    /// One JSON object per URL, with the final numbers
    Jsonl,
}
