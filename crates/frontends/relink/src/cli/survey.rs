//! Arguments of `relink survey` and its subcommands.
//!
//! A catalog is a list of URLs. A plan selects the URLs of each domain to check.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use relink_engine::Budget;
use relink_model::Verdict;
use relink_survey::SamplingPlanName;

use super::{ExplainFormat, RequestArgs, RowsFormat};

/// Arguments of `relink survey`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct SurveyArgs {
    /// A subcommand.
    #[command(subcommand)]
    pub command: Option<SurveyCommand>,
    /// Catalog: CSV, TSV, JSON Lines, a list of URLs, any document with links,
    /// or `-` for standard input
    #[arg(required_unless_present = "from_db", value_name = "CATALOG")]
    pub catalog: Option<PathBuf>,
    /// Survey every URL in the database
    #[arg(long, conflicts_with = "catalog")]
    pub from_db: bool,
    /// Document options.
    #[command(flatten)]
    pub fields: FieldArgs,
    /// Sampling plan: default, le-shulman, sprt, sentinel, full, single or wald
    #[arg(long, value_parser = plan_name, default_value = "default", value_name = "NAME")]
    pub plan: SamplingPlanName,
    /// Parameters of the plan `le-shulman`.
    #[command(flatten)]
    pub parameters: LeShulmanArgs,
    /// End the survey when this share of the URLs is checked, such as `20%`
    #[arg(long, value_parser = percentage, value_name = "SHARE")]
    pub max_share: Option<f64>,
    /// Continue until an estimated share of the broken URLs is found, such as
    /// `95%`
    #[arg(long, value_parser = percentage, value_name = "SHARE")]
    pub find: Option<f64>,
    /// Random seed; the same seed selects the same URLs
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Maximum number of URLs to check in seven days, such as `10%/week` or
    /// `500/week`; the same command continues the survey week after week, and
    /// then re-checks the URLs that are due
    #[arg(long, value_name = "BUDGET")]
    pub budget: Option<BudgetArg>,
    /// Print why the check of this domain stopped, and its directories; may be
    /// repeated
    #[arg(long, value_name = "DOMAIN")]
    pub explain: Vec<String>,
    /// Output format
    #[arg(long, value_enum, env = "RELINK_FORMAT", hide_env_values = true)]
    pub format: Option<RowsFormat>,
    /// Also write the results to a file; its extension selects the format
    /// (`.json`, `.jsonl`, `.txt`); may be repeated
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Start a new survey instead of resuming an unfinished one
    #[arg(long)]
    pub fresh: bool,
    /// Verdicts that fail the run, separated by commas [default:
    /// dead,soft-404,hijacked,local]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "VERDICTS",
        env = "RELINK_FAIL_ON",
        hide_env_values = true
    )]
    pub fail_on: Option<Vec<Verdict>>,
    /// Database: a file, or a URL `postgres://…` [default: one per project in your data directory]
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
    /// Configuration file to use instead of the project's `relink.toml`
    #[arg(long, value_name = "FILE", env = "RELINK_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}

/// The parameters of Algorithm 1 of Le & Shulman.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Parameters of the plan le-shulman")]
pub struct LeShulmanArgs {
    /// Number of URLs per group (*G* of the paper) [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub group_size: Option<u32>,
    /// Share of good URLs below which a domain is checked completely [default:
    /// 0.5]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub p1: Option<f64>,
    /// Share of good URLs from which a domain is accepted, if its broken URLs
    /// were repaired [default: 0.9]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub p2_low: Option<f64>,
    /// Share of good URLs from which a domain is accepted, if its broken URLs
    /// are still broken [default: 0.95]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub p2_high: Option<f64>,
}

/// Parses a share, from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| format!("`{text}` is not a share from 0 to 1"))
}

/// Parses a percentage such as `20%`. Returns it in percent.
fn percentage(text: &str) -> Result<f64, String> {
    let percent = text.strip_suffix('%').and_then(|text| text.trim().parse().ok());
    let percent = percent.filter(|percent| *percent > 0.0 && *percent <= 100.0);
    percent.ok_or_else(|| format!("`{text}` is not a percentage such as `20%`"))
}

/// The fields of a catalog.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Document options")]
pub struct FieldArgs {
    /// Column or field that holds the URLs, by name, or in a table by number
    /// [default: `url` or similar, else the first with URLs]
    #[arg(long, value_name = "NAME|N")]
    pub column: Option<String>,
    /// Column or field that holds the domains [default: `domain`, else the host
    /// of the URL]
    #[arg(long, value_name = "NAME|N")]
    pub domain_column: Option<String>,
    /// Format of the catalog [default: by name and content]
    #[arg(long = "as", value_name = "FORMAT")]
    pub read_as: Option<relink_page::DocumentFormat>,
}

/// Subcommands of `relink survey`.
#[derive(Debug, Subcommand)]
pub enum SurveyCommand {
    /// Show the distribution of URLs over domains, without network access
    Analyze(AnalyzeArgs),
    /// Simulate the plans on a catalog with known broken URLs, or on a random
    /// catalog, without network access
    Simulate(SimulateArgs),
}

/// Arguments of `relink survey analyze`.
#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    /// Catalog, in the formats of `relink survey`
    #[arg(required_unless_present_any = ["from_db", "provider"], value_name = "CATALOG")]
    pub catalog: Option<PathBuf>,
    /// Analyze every URL in the database
    #[arg(long, conflicts_with = "catalog")]
    pub from_db: bool,
    /// Analyze the harvested records of this provider
    #[arg(long, value_name = "NAME", conflicts_with_all = ["catalog", "from_db"])]
    pub provider: Option<String>,
    /// Document options.
    #[command(flatten)]
    pub fields: FieldArgs,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// Also write the charts to an `.svg` file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Database: a file, or a URL `postgres://…` [default: one per project in your data directory]
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
}

/// Arguments of `relink survey simulate`.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// Catalog with a column that states which URLs are broken [default: a
    /// random catalog with the domain sizes of the paper]
    #[arg(value_name = "CATALOG")]
    pub catalog: Option<PathBuf>,
    /// Document options.
    #[command(flatten)]
    pub fields: FieldArgs,
    /// Column or field that states whether a URL is broken [default: `broken`]
    #[arg(long, value_name = "NAME|N")]
    pub truth_column: Option<String>,
    /// Plans to simulate, separated by commas [default: all]
    #[arg(long, value_parser = plan_name, value_delimiter = ',', value_name = "NAMES")]
    pub plan: Vec<SamplingPlanName>,
    /// Number of consecutive runs; each run uses the results of the previous one
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub runs: u32,
    /// Number of repetitions; the means are printed
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub repeat: u32,
    /// Random seed
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Number of URLs in the random catalog
    #[arg(long, value_name = "N", conflicts_with = "catalog")]
    pub urls: Option<u32>,
    /// Number of domains in the random catalog
    #[arg(long, value_name = "N", conflicts_with = "catalog")]
    pub domains: Option<u32>,
    /// Whether whole directories or single URLs are broken in the random
    /// catalog
    #[arg(long, value_enum, default_value = "clustered", conflicts_with = "catalog")]
    pub breakage: BreakageArg,
    /// Number of weeks of deaths and revivals to simulate; 0 disables it
    #[arg(long, default_value_t = 104, value_name = "N")]
    pub weeks: u32,
    /// Number of URLs in that simulation
    #[arg(long, default_value_t = 60_000, value_name = "N")]
    pub drift_urls: u32,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
}

/// The distribution of broken URLs in a random catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BreakageArg {
    /// Whole directories are broken
    Clustered,
    /// Single URLs are broken
    Scattered,
}

/// Parses the name of a plan. `wald` is another name of the sequential plan.
fn plan_name(text: &str) -> Result<SamplingPlanName, String> {
    if text == "wald" { Ok(SamplingPlanName::Sequential) } else { text.parse() }
}

/// A weekly budget: `10%/week`, `500/week`. The unit may be omitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BudgetArg(pub Budget);

impl FromStr for BudgetArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || {
            format!("invalid budget `{text}` (expected a value such as `10%/week` or `500/week`)")
        };
        let amount = text.strip_suffix("/week").unwrap_or(text).trim();
        if let Some(percent) = amount.strip_suffix('%') {
            let percent: f64 = percent.trim().parse().map_err(|_| error())?;
            let is_share = percent > 0.0 && percent <= 100.0;
            return if is_share { Ok(Self(Budget::Share(percent / 100.0))) } else { Err(error()) };
        }
        match amount.parse() {
            Ok(urls) if urls > 0 => Ok(Self(Budget::Urls(urls))),
            _ => Err(error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the budget in a text; `None` means that the text is rejected.
    #[track_caller]
    fn check(text: &str, expected: Option<Budget>) {
        assert_eq!(text.parse::<BudgetArg>().ok(), expected.map(BudgetArg), "{text}");
    }

    #[test]
    fn parse_accepts_shares_and_numbers_per_week() {
        check("10%/week", Some(Budget::Share(0.1)));
        check("2.5 %", Some(Budget::Share(0.025)));
        check("500/week", Some(Budget::Urls(500)));
    }

    #[test]
    fn percentage_needs_its_sign() {
        assert_eq!(percentage("20%"), Ok(20.0));
        assert_eq!(percentage("97.5 %"), Ok(97.5));
        for text in ["20", "0%", "101%", "NaN%", "%"] {
            assert!(percentage(text).is_err(), "{text}");
        }
    }

    #[test]
    fn parse_rejects_zero_and_other_units() {
        for text in ["", "0", "0%", "101%", "10%/day", "-5", "x%"] {
            check(text, None);
        }
    }
}
