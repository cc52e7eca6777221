//! `relink revive` and `relink patterns`, as typed.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use jiff::civil::Date;
use relink_engine::ReplacementSearch;
use serde::Deserialize;
use url::Url;

use super::RequestArgs;
use crate::duration_arg::DurationArg;

/// `relink revive`.
#[derive(Debug, Args)]
pub struct ReviveArgs {
    /// Dead pages to look for.
    #[arg(value_name = "URL", required_unless_present_any = ["all", "summary"])]
    pub urls: Vec<String>,
    /// Look for every dead page of the database, directory by directory; the
    /// same command goes on where it was stopped.
    #[arg(long, conflicts_with = "urls")]
    pub all: bool,
    /// Only tell what came of all pages looked for so far: by kind of death,
    /// by age of the last good copy, by method and what it took.
    #[arg(long, conflicts_with = "urls")]
    pub summary: bool,
    /// What stdout gets.
    #[arg(long, value_enum, default_value = "human")]
    pub format: ReviveFormat,
    /// A web archive to ask: the base address of one like the Wayback Machine,
    /// `pywb:URL` for a collection of pywb's, or `none`. May be repeated
    /// [default: <https://web.archive.org>].
    #[arg(
        long,
        value_name = "ARCHIVE",
        env = "RELINK_ARCHIVE",
        hide_env_values = true,
        value_delimiter = ','
    )]
    pub archive: Vec<String>,
    /// A WARC or CDXJ file to look into, or a directory of such files. May be
    /// repeated.
    #[arg(long, value_name = "FILE")]
    pub warc: Vec<PathBuf>,
    /// A list of pages that are alive, as candidates: JSON lines with `url` and
    /// `title`, or a plain list. Pages of crawls in the database always are.
    #[arg(long, value_name = "FILE")]
    pub live: Vec<PathBuf>,
    /// A search engine to ask for pages of the site: `local` (an index of the
    /// pages in the database), `searxng:URL`, `brave`, `mojeek`, `kagi` or
    /// `none`; keys come from the environment. `json:URL` is any other that
    /// answers with JSON, with `{query}`, `{site}` and `{limit}` in its address.
    /// May be repeated [default: local].
    #[arg(long, value_name = "ENGINE", env = "RELINK_SEARCH", hide_env_values = true)]
    pub search: Vec<String>,
    /// Whether to look for pages of other sites that have the content of the
    /// dead one [default: missing].
    #[arg(long, value_enum, value_name = "WHEN")]
    pub elsewhere: Option<ElsewhereChoice>,
    /// The most searches for one page, of engines on the web [default: 4].
    #[arg(long, value_name = "N")]
    pub searches: Option<u32>,
    /// The most requests to each archive on the web in a day; what was spent is
    /// remembered in the database [default: 10000].
    #[arg(long, value_name = "N")]
    pub archive_budget: Option<u32>,
    /// The most searches of each engine on the web in a day [default: 250 where
    /// they are paid for, else 10000].
    #[arg(long, value_name = "N")]
    pub search_budget: Option<u32>,
    /// The date of the link: the copy nearest to it is wanted.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub date: Option<Date>,
    /// Suggest nothing less sure than this [default: 0.7].
    #[arg(long, value_name = "SHARE")]
    pub least: Option<f64>,
    /// How old an answer may be that is not looked for again; `0` looks for
    /// everything again [default: 30d].
    #[arg(long, value_name = "TIME")]
    pub answer_age: Option<DurationArg>,
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

/// Where `relink check` looks for the dead pages it finds.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Reviving")]
pub struct CheckReviveArgs {
    /// Look for dead pages after the check, and suggest where they live now or
    /// an archived copy.
    #[arg(long)]
    pub revive: bool,
    /// A web archive to ask: the base address of one like the Wayback Machine,
    /// `pywb:URL` for a collection of pywb's, or `none`. May be repeated
    /// [default: <https://web.archive.org>].
    #[arg(
        long,
        value_name = "ARCHIVE",
        env = "RELINK_ARCHIVE",
        hide_env_values = true,
        value_delimiter = ','
    )]
    pub archive: Vec<String>,
    /// A WARC or CDXJ file to look into, or a directory of such files. May be
    /// repeated.
    #[arg(long, value_name = "FILE", requires = "revive")]
    pub warc: Vec<PathBuf>,
    /// A list of pages that are alive, as candidates: JSON lines with `url` and
    /// `title`, or a plain list. May be repeated.
    #[arg(long, value_name = "FILE", requires = "revive")]
    pub live: Vec<PathBuf>,
    /// A search engine to ask, as in `relink revive --search`. May be repeated
    /// [default: local].
    #[arg(long, value_name = "ENGINE", env = "RELINK_SEARCH", hide_env_values = true)]
    pub search: Vec<String>,
    /// Whether to look for pages of other sites that have the content of the
    /// dead one [default: missing].
    #[arg(long, value_enum, value_name = "WHEN", requires = "revive")]
    pub elsewhere: Option<ElsewhereChoice>,
}

/// Whether pages of other sites are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ElsewhereChoice {
    /// Never.
    Never,
    /// Where the page is not found on its own site.
    Missing,
    /// Always.
    Always,
}

impl From<ElsewhereChoice> for ReplacementSearch {
    fn from(choice: ElsewhereChoice) -> Self {
        match choice {
            ElsewhereChoice::Never => Self::Never,
            ElsewhereChoice::Missing => Self::Missing,
            ElsewhereChoice::Always => Self::Always,
        }
    }
}

/// What answers look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReviveFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON object per page, as they come.
    Jsonl,
}

/// `relink patterns`.
#[derive(Debug, Args)]
pub struct PatternsArgs {
    /// What to do with them.
    #[command(subcommand)]
    pub command: PatternsCommand,
    /// Use this database instead of the project's own.
    #[arg(long, global = true, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
}

/// What to do with learned patterns.
#[derive(Debug, Subcommand)]
pub enum PatternsCommand {
    /// List what was learned, directory by directory.
    List,
    /// Show one pattern with its programs and examples.
    Show {
        /// Its number (`P14` or `14`).
        pattern: PatternNumber,
    },
    /// Write all patterns as JSON to stdout.
    Export,
    /// Read patterns that were written by `export`.
    Import {
        /// The file.
        file: PathBuf,
    },
    /// Switch a pattern off: it is not used any more.
    Disable {
        /// Its number (`P14` or `14`).
        pattern: PatternNumber,
    },
    /// Switch a pattern on again.
    Enable {
        /// Its number (`P14` or `14`).
        pattern: PatternNumber,
    },
}

/// The number of a pattern, with or without its letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternNumber(pub i64);

impl std::str::FromStr for PatternNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix(['P', 'p']).unwrap_or(text);
        digits.parse().map(Self).map_err(|_| format!("`{text}` is no pattern; try `P1`"))
    }
}

/// The archive that is asked unless told otherwise.
pub fn usual_archive() -> Option<Url> {
    Url::parse("https://web.archive.org/").ok()
}
