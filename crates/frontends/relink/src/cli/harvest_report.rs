//! Arguments of the subcommands of `relink harvest` that show and export stored data.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::civil::Date;

use super::{ExplainFormat, RequestArgs};

/// Arguments of `relink harvest status`.
#[derive(Debug, Args)]
pub struct HarvestStatusArgs {
    /// Names of providers [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Also list the incidents that have ended
    #[arg(long)]
    pub all: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
}

/// Arguments of `relink harvest decay`.
#[derive(Debug, Args)]
pub struct HarvestDecayArgs {
    /// Names of providers [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Show which records have a higher decay and would be hidden; records near
    /// the limit are measured on the web
    #[arg(long, value_name = "DECAY")]
    pub max_decay: Option<f64>,
    /// Maximum number of pages that are fetched
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub budget: usize,
    /// Probability that a random walk stops at a live page
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    pub sigma: f64,
    /// Maximum number of records that are listed as text
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}

/// Arguments of `relink harvest report`.
#[derive(Debug, Args)]
pub struct HarvestReportArgs {
    /// Names of providers [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// First day of the report [default: the first run]
    #[arg(long, value_name = "DATE")]
    pub since: Option<Date>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: HarvestReportFormat,
    /// Rows of `--format csv`
    #[arg(long, value_enum, default_value = "days")]
    pub table: HarvestReportTable,
    /// Also write a spreadsheet (`.xlsx`)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Formats of `relink harvest report`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HarvestReportFormat {
    /// Text
    Human,
    /// JSON
    Json,
    /// A table
    Csv,
}

/// Tables of `relink harvest report --format csv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HarvestReportTable {
    /// Providers and domains by day
    Days,
    /// Incidents with their dates
    Incidents,
}

/// Arguments of `relink harvest export`.
#[derive(Debug, Args)]
pub struct HarvestExportArgs {
    /// Names of providers [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Only records that appear in searches
    #[arg(long, conflicts_with = "hidden")]
    pub visible: bool,
    /// Only records that are hidden
    #[arg(long)]
    pub hidden: bool,
    /// Only records whose content or visibility changed since this time
    #[arg(long, value_name = "TIME")]
    pub since: Option<jiff::Timestamp>,
    /// Output format
    #[arg(long, value_enum, default_value = "json")]
    pub format: HarvestExportFormat,
}

/// Formats of exported records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HarvestExportFormat {
    /// One JSON array
    Json,
    /// One row per record
    Csv,
}
