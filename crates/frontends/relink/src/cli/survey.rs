//! The flags of `relink survey` and its subcommands.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use relink_engine::Budget;
use relink_model::Verdict;
use relink_survey::SamplingPlanName;

use super::{ExplainFormat, RequestArgs, RowsFormat};

/// `relink survey`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct SurveyArgs {
    /// What else to do with catalogs.
    #[command(subcommand)]
    pub command: Option<SurveyCommand>,
    /// The catalog: CSV, TSV, lines of JSON, a list of URLs, any document
    /// with links, or `-` for standard input.
    #[arg(required_unless_present = "store", value_name = "CATALOG")]
    pub catalog: Option<PathBuf>,
    /// Survey every address that the database knows.
    #[arg(long, conflicts_with = "catalog")]
    pub store: bool,
    /// What its fields mean.
    #[command(flatten)]
    pub fields: FieldArgs,
    /// How to choose what is asked: default, lre, sprt, sentinel, full, single
    /// or wald.
    #[arg(long, value_parser = plan_name, default_value = "default", value_name = "NAME")]
    pub plan: SamplingPlanName,
    /// Where chance comes from; the same number chooses the same.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Ask no more than this in seven days, like `10%/week` or `500/week`. A
    /// survey then takes as many weeks as it needs; after that the same
    /// command asks again what is due.
    #[arg(long, value_name = "BUDGET")]
    pub budget: Option<BudgetFlag>,
    /// Say of this domain why it was checked no further, with its directories.
    /// May be repeated.
    #[arg(long, value_name = "DOMAIN")]
    pub explain: Vec<String>,
    /// What stdout gets.
    #[arg(long, value_enum, env = "RELINK_FORMAT", hide_env_values = true)]
    pub format: Option<RowsFormat>,
    /// Write a report to a file too; the extension says which (`.json`,
    /// `.jsonl`, `.txt`). May be repeated.
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Start anew, although an unfinished survey of the same catalog is there.
    #[arg(long)]
    pub fresh: bool,
    /// The words that fail a run, separated by commas [default:
    /// dead,soft-404,hijacked,local].
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "WORDS",
        env = "RELINK_FAIL_ON",
        hide_env_values = true
    )]
    pub fail_on: Option<Vec<Verdict>>,
    /// Use this database instead of the project's own.
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
    /// Use this configuration file instead of the project's `relink.toml`.
    #[arg(long, value_name = "FILE", env = "RELINK_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// How to ask.
    #[command(flatten)]
    pub asking: RequestArgs,
}

/// Which fields of a catalog mean what.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading")]
pub struct FieldArgs {
    /// The column or field that holds the addresses, by name, or in a table by
    /// number [default: `url` or the like, else the first that holds some].
    #[arg(long, value_name = "NAME|N")]
    pub column: Option<String>,
    /// The column or field that holds the domains [default: `domain`, else the
    /// host of the address].
    #[arg(long, value_name = "NAME|N")]
    pub domain_column: Option<String>,
    /// Read the catalog as this format, whatever its name.
    #[arg(long = "as", value_name = "FORMAT")]
    pub read_as: Option<relink_page::DocumentFormat>,
}

/// What else to do with catalogs.
#[derive(Debug, Subcommand)]
pub enum SurveyCommand {
    /// Show how the URLs of a catalog are spread over domains. Nothing is
    /// asked.
    Analyze(AnalyzeArgs),
    /// Try the plans on a catalog whose truth is known, or on one drawn at
    /// random. Nothing is asked.
    Simulate(SimulateArgs),
}

/// `relink survey analyze`.
#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    /// The catalog, as `relink survey` takes it.
    #[arg(required_unless_present = "store", value_name = "CATALOG")]
    pub catalog: Option<PathBuf>,
    /// Take every address that the database knows.
    #[arg(long, conflicts_with = "catalog")]
    pub store: bool,
    /// What its fields mean.
    #[command(flatten)]
    pub fields: FieldArgs,
    /// What stdout gets.
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// Write the charts to a file too, which ends in `.svg`.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The database to look into, instead of the project's own.
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
}

/// `relink survey simulate`.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// A catalog that says of each URL whether it is broken [default: one
    /// drawn at random, with the sizes of the paper's].
    #[arg(value_name = "CATALOG")]
    pub catalog: Option<PathBuf>,
    /// What its fields mean.
    #[command(flatten)]
    pub fields: FieldArgs,
    /// The column or field that says whether a URL is broken [default:
    /// `broken`].
    #[arg(long, value_name = "NAME|N")]
    pub truth_column: Option<String>,
    /// The plans to try, separated by commas [default: all].
    #[arg(long, value_parser = plan_name, value_delimiter = ',', value_name = "NAMES")]
    pub plan: Vec<SamplingPlanName>,
    /// Runs one after the other; each knows what the one before found broken.
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub runs: u32,
    /// How often all that is repeated; the means are shown.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub repeat: u32,
    /// Where chance comes from.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// How many URLs are drawn.
    #[arg(long, value_name = "N", conflicts_with = "catalog")]
    pub urls: Option<u32>,
    /// On how many domains.
    #[arg(long, value_name = "N", conflicts_with = "catalog")]
    pub domains: Option<u32>,
    /// How breakage lies in what is drawn.
    #[arg(long, value_enum, default_value = "clustered", conflicts_with = "catalog")]
    pub shape: BreakageArg,
    /// Play so many weeks of deaths and revivals too; 0 plays none.
    #[arg(long, default_value_t = 104, value_name = "N")]
    pub weeks: u32,
    /// How many URLs decay in those weeks.
    #[arg(long, default_value_t = 60_000, value_name = "N")]
    pub drift_urls: u32,
    /// What stdout gets.
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
}

/// How breakage lies in a catalog that is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BreakageArg {
    /// Whole directories die.
    Clustered,
    /// URLs die here and there.
    Flat,
}

/// A plan by its name; Wald's has two.
fn plan_name(text: &str) -> Result<SamplingPlanName, String> {
    if text == "wald" { Ok(SamplingPlanName::Sequential) } else { text.parse() }
}

/// `10%/week`, `500/week`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BudgetFlag(pub Budget);

impl FromStr for BudgetFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || format!("`{text}` is no budget; write it like `10%/week` or `500/week`");
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

    #[track_caller]
    fn check(text: &str, expect: Option<Budget>) {
        assert_eq!(text.parse::<BudgetFlag>().ok(), expect.map(BudgetFlag), "{text}");
    }

    #[test]
    fn a_budget_is_a_share_or_a_number_a_week() {
        check("10%/week", Some(Budget::Share(0.1)));
        check("2.5 %", Some(Budget::Share(0.025)));
        check("500/week", Some(Budget::Urls(500)));
        for text in ["", "0", "0%", "101%", "10%/day", "-5", "x%"] {
            check(text, None);
        }
    }
}
