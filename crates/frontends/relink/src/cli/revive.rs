//! Arguments of `relink revive` and `relink patterns`.
//!
//! `revive` searches for the new URLs of dead pages. A pattern is a rule by which the URLs
//! of one directory changed. A replacement is a page of another site.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use jiff::civil::Date;
use relink_repair::ReplacementSearch;
use serde::Deserialize;
use url::Url;

use super::RequestArgs;
use crate::duration_arg::DurationArg;

/// Arguments of `relink revive`.
#[derive(Debug, Args)]
pub struct ReviveArgs {
    /// Dead pages to search for
    #[arg(value_name = "URL", required_unless_present_any = ["all", "summary"])]
    pub urls: Vec<String>,
    /// Search for every dead page in the database, directory by directory; the
    /// same command resumes an interrupted search
    #[arg(long, conflicts_with = "urls")]
    pub all: bool,
    /// Print statistics of all searches so far: by verdict, by age of the last
    /// copy, by method, and the cost
    #[arg(long, conflicts_with = "urls")]
    pub summary: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ReviveFormat,
    /// Web archive to query: the base URL of one with the API of the Wayback
    /// Machine, `pywb:URL` for a pywb collection, or `none`; may be repeated
    /// [default: <https://web.archive.org>]
    #[arg(
        long,
        value_name = "ARCHIVE",
        env = "RELINK_ARCHIVE",
        hide_env_values = true,
        value_delimiter = ','
    )]
    pub archive: Vec<String>,
    /// WARC or CDXJ file to search, or a directory of such files; may be
    /// repeated
    #[arg(long, value_name = "FILE")]
    pub warc: Vec<PathBuf>,
    /// List of live pages to use as candidates, in addition to those in the
    /// database: JSON Lines with `url` and `title`, or one URL per line; may be
    /// repeated
    #[arg(long, value_name = "FILE")]
    pub live_pages: Vec<PathBuf>,
    /// Search engine to query: `local` (an index of the pages in the database),
    /// `searxng:URL`, `brave`, `mojeek`, `kagi` (with a key from the
    /// environment), `json:URL` (any engine that responds with JSON; the URL
    /// contains `{query}`, `{site}` and `{limit}`) or `none`; may be repeated
    /// [default: local]
    #[arg(long, value_name = "ENGINE", env = "RELINK_SEARCH", hide_env_values = true)]
    pub search: Vec<String>,
    /// When to search other sites for pages with the content of the dead page
    /// [default: missing]
    #[arg(long, value_enum, value_name = "WHEN")]
    pub replacements: Option<ReplacementsArg>,
    /// Maximum number of queries per page to engines on the web [default: 4]
    #[arg(long, value_name = "N")]
    pub max_searches: Option<u32>,
    /// Maximum number of requests per day to each archive on the web; the
    /// usage is stored in the database [default: 10000]
    #[arg(long, value_name = "N")]
    pub archive_budget: Option<u32>,
    /// Maximum number of searches per day with each engine on the web [default:
    /// 250 for paid engines, else 10000]
    #[arg(long, value_name = "N")]
    pub search_budget: Option<u32>,
    /// Date of the link; show the archived copy closest to it
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub date: Option<Date>,
    /// Minimum confidence of a suggestion [default: 0.7]
    #[arg(long, value_name = "N")]
    pub min_confidence: Option<f64>,
    /// Reuse search results younger than this; `0` searches for everything
    /// again [default: 30d]
    #[arg(long, value_name = "TIME")]
    pub max_result_age: Option<DurationArg>,
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

/// How `relink check` searches for dead pages.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Revive options")]
pub struct CheckReviveArgs {
    /// After the check, search for dead pages and suggest their new URLs or
    /// archived copies
    #[arg(long)]
    pub revive: bool,
    /// Web archive to query: the base URL of one with the API of the Wayback
    /// Machine, `pywb:URL` for a pywb collection, or `none`; may be repeated
    /// [default: <https://web.archive.org>]
    #[arg(
        long,
        value_name = "ARCHIVE",
        env = "RELINK_ARCHIVE",
        hide_env_values = true,
        value_delimiter = ','
    )]
    pub archive: Vec<String>,
    /// WARC or CDXJ file to search, or a directory of such files; may be
    /// repeated
    #[arg(long, value_name = "FILE", requires = "revive")]
    pub warc: Vec<PathBuf>,
    /// List of live pages to use as candidates: JSON Lines with `url` and
    /// `title`, or one URL per line; may be repeated
    #[arg(long, value_name = "FILE", requires = "revive")]
    pub live_pages: Vec<PathBuf>,
    /// Search engine to query, as in `relink revive --search`; may be repeated
    /// [default: local]
    #[arg(long, value_name = "ENGINE", env = "RELINK_SEARCH", hide_env_values = true)]
    pub search: Vec<String>,
    /// When to search other sites for pages with the content of the dead page
    /// [default: missing]
    #[arg(long, value_enum, value_name = "WHEN", requires = "revive")]
    pub replacements: Option<ReplacementsArg>,
}

/// The condition under which other sites are searched for replacements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplacementsArg {
    /// Never
    Never,
    /// If the page is not found on its own site
    Missing,
    /// Always
    Always,
}

impl From<ReplacementsArg> for ReplacementSearch {
    fn from(choice: ReplacementsArg) -> Self {
        match choice {
            ReplacementsArg::Never => Self::Never,
            ReplacementsArg::Missing => Self::Missing,
            ReplacementsArg::Always => Self::Always,
        }
    }
}

/// Output formats of `relink revive`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReviveFormat {
    /// Text
    Human,
    /// One JSON document
    Json,
    /// One JSON object per page, as soon as it is found
    Jsonl,
}

/// Arguments of `relink patterns`.
#[derive(Debug, Args)]
pub struct PatternsArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: PatternsCommand,
    /// Database: a file, or a URL `postgres://…` [default: one per project in your data directory]
    #[arg(long, global = true, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
}

/// Subcommands of `relink patterns`.
#[derive(Debug, Subcommand)]
pub enum PatternsCommand {
    /// List all patterns, directory by directory
    List,
    /// Show a pattern with its programs and examples
    Show {
        /// Id of the pattern (`P14` or `14`)
        pattern: PatternId,
    },
    /// Write all patterns as JSON to standard output
    Export,
    /// Import patterns written by `export`
    Import {
        /// File to import
        file: PathBuf,
    },
    /// Stop using a pattern
    Disable {
        /// Id of the pattern (`P14` or `14`)
        pattern: PatternId,
    },
    /// Resume using a pattern
    Enable {
        /// Id of the pattern (`P14` or `14`)
        pattern: PatternId,
    },
}

/// The id of a pattern, with or without the letter `P`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternId(pub i64);

impl std::str::FromStr for PatternId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix(['P', 'p']).unwrap_or(text);
        digits
            .parse()
            .map(Self)
            .map_err(|_| format!("invalid pattern `{text}` (expected an id such as `P1`)"))
    }
}

/// Returns the default archive.
pub fn default_archive() -> Option<Url> {
    Url::parse("https://web.archive.org/").ok()
}
