//! Arguments of `relink decay`. "The paper" is Bar-Yossef et al., WWW 2004.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use relink_model::RunId;

use super::RequestArgs;

/// Arguments of `relink decay`.
#[derive(Debug, Args)]
#[command(after_help = "\
The decay of a page is the probability that a reader who starts at the page and \
follows random links ends on a dead page (Bar-Yossef et al., WWW 2004). Without \
--crawl or --graph, it is measured on the web. This usually fetches a few dozen \
pages, each once.")]
pub struct DecayArgs {
    /// Page to measure; or URLs, files, directories and collections of `relink
    /// watch`, whose links are measured with one page cache
    #[arg(value_name = "INPUT", required_unless_present_any = ["crawl", "graph"])]
    pub inputs: Vec<String>,
    /// Compute the exact score of every page of a stored crawl, given by its id
    /// (see `relink crawl status`) or `latest`; with a URL, print the details of
    /// that page
    #[arg(long, value_name = "ID|latest", conflicts_with = "graph")]
    pub crawl: Option<CrawlSelector>,
    /// Compute the exact score of every page of a link graph: CSV with the
    /// columns `from` and `to`, or two names per line
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
    /// List of pages that count as dead, one per line; they are not requested
    #[arg(long, value_name = "FILE")]
    pub dead: Option<PathBuf>,
    /// Pages whose URL matches count as dead and are not requested: a regular
    /// expression, or a glob with `*`; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub fail_match: Vec<String>,
    /// Decay options.
    #[command(flatten)]
    pub scoring: ScoringArgs,
    /// Number of pages with the highest and lowest decay to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Exit with code 1 if a score is above this value
    #[arg(long, value_name = "DECAY")]
    pub fail_above: Option<f64>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: DecayFormat,
    /// Also write the result to a file; its extension selects the format
    /// (`.json`, `.txt`, or `.svg` for the chart of a crawl or graph); may be
    /// repeated
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
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

/// How pages are scored.
#[derive(Debug, Args)]
#[command(next_help_heading = "Decay options")]
pub struct ScoringArgs {
    /// Probability that a walk stops successfully at a live page, above 0 and up
    /// to 1; a crawl or a graph accepts several values, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "SIGMA", default_value = "0.1")]
    pub sigma: Vec<f64>,
    /// Definition of decay: `plain` is the random walk, `selfloop` adds a link
    /// from each page to itself
    #[arg(long, value_enum, default_value = "plain")]
    pub definition: DefinitionArg,
    /// Pages where walks fail: `dead` means dead, soft-404 and hijacked pages
    /// and malformed URLs
    #[arg(long, value_enum, default_value = "dead", value_name = "SET")]
    pub failures: FailuresArg,
    /// Weight of `failing` pages, from 0 (alive) to 1 (dead, as in the paper)
    #[arg(long, value_name = "N", default_value_t = 0.5)]
    pub failing_weight: f64,
    /// Number of walks from the page, as in the paper (300), instead of as many
    /// as the half width requires
    #[arg(long, value_name = "N")]
    pub walks: Option<u32>,
    /// Fetch all pages within this number of links instead of taking walks; what
    /// lies behind them counts as healthy, and the bounds say what it could add
    #[arg(long, value_name = "N", conflicts_with_all = ["walks", "half_width"])]
    pub radius: Option<u32>,
    /// Half width of the 95 % confidence interval
    #[arg(long, value_name = "N", default_value_t = 0.08, conflicts_with = "walks")]
    pub half_width: f64,
    /// Random seed; the same seed takes the same walks
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Maximum number of pages to fetch; the interval may then be wider
    /// [default: 300; with --walks: no limit]
    #[arg(long, value_name = "N")]
    pub max_pages: Option<usize>,
}

/// A crawl given on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrawlSelector {
    /// The latest finished crawl.
    Latest,
    /// The crawl with this id.
    Run(RunId),
}

impl FromStr for CrawlSelector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "latest" {
            return Ok(Self::Latest);
        }
        let number = text
            .trim_start_matches('#')
            .parse()
            .map_err(|_| format!("invalid crawl `{text}` (expected an id or `latest`)"))?;
        Ok(Self::Run(RunId(number)))
    }
}

/// A definition of decay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DefinitionArg {
    /// Random walk
    Plain,
    /// Random walk with a link from each page to itself
    Selfloop,
}

/// The pages where walks fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailuresArg {
    /// Dead, soft-404, hijacked, malformed
    Dead,
    /// Hijacked only
    Hijacked,
    /// Blocked only
    Blocked,
}

/// Output formats of `relink decay`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DecayFormat {
    /// Text
    Human,
    /// One JSON document
    Json,
}
