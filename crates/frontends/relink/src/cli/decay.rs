//! The command line of `relink decay`, as typed.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use relink_model::RunId;

use super::RequestArgs;

/// `relink decay`.
#[derive(Debug, Args)]
#[command(after_help = "\
The score is the probability that a surfer who starts at the page and follows \
links at random ends on a dead page (Bar-Yossef et al., WWW 2004). Without \
--crawl or --graph the page is measured on the living web, a few dozen pages \
as a rule, each looked at once.")]
pub struct DecayArgs {
    /// The page to measure.
    #[arg(value_name = "URL", required_unless_present_any = ["crawl", "graph"])]
    pub url: Option<String>,
    /// Score every page of a stored crawl, exactly, asking nobody: its number
    /// (see `relink crawl status`), or `latest`. With a URL, tell of that page.
    #[arg(long, value_name = "ID|latest", conflicts_with = "graph")]
    pub crawl: Option<CrawlChoice>,
    /// Score every page of a list of links: CSV with the columns `from` and
    /// `to`, or two names a line. (`BVGraph` files are read by `relink-eval
    /// decay`, not here.)
    #[arg(long, value_name = "FILE")]
    pub graph: Option<PathBuf>,
    /// The pages of the graph that are dead, one a line.
    #[arg(long, value_name = "FILE", requires = "graph")]
    pub dead: Option<PathBuf>,
    /// How to score.
    #[command(flatten)]
    pub scoring: ScoringArgs,
    /// How many of the most rotten and of the soundest pages are named.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Exit with 1 if a score is above this.
    #[arg(long, value_name = "DECAY")]
    pub fail_above: Option<f64>,
    /// What stdout gets.
    #[arg(long, value_enum, default_value = "human")]
    pub format: DecayFormat,
    /// Write to a file too; the extension says what: `.json`, `.txt`, or
    /// `.svg` for the chart of a crawl or graph. May be repeated.
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
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

/// How pages are scored.
#[derive(Debug, Args)]
#[command(next_help_heading = "Scoring")]
pub struct ScoringArgs {
    /// How likely a surfer is content with a living page, above 0 and up to 1.
    /// Several, separated by commas, for a crawl or a graph.
    #[arg(long, value_delimiter = ',', value_name = "SIGMA", default_value = "0.1")]
    pub sigma: Vec<f64>,
    /// Which of the paper's two definitions: `plain` is the surfer's process,
    /// `selfloop` adds a link from each page to itself.
    #[arg(long, value_enum, default_value = "plain")]
    pub form: DecayForm,
    /// On which pages surfers fail: `dead` means dead, soft-404, hijacked and
    /// malformed addresses.
    #[arg(long, value_enum, default_value = "dead", value_name = "SET")]
    pub failures: FailuresChoice,
    /// To which part a page counts as dead that fails now and is not yet
    /// confirmed; 1 as in the paper.
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    pub count_failing: f64,
    /// Take exactly so many walks from the page, as the paper does (300),
    /// instead of as many as are needed.
    #[arg(long, value_name = "N")]
    pub walks: Option<u32>,
    /// How near the score must be to the truth, 95 times in 100.
    #[arg(long, value_name = "WIDTH", default_value_t = 0.08, conflicts_with = "walks")]
    pub within: f64,
    /// The same seed takes the same walks.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// The most pages to look at; when they are used up the interval stays
    /// wide [default: 300; with --walks, as many as they lead to].
    #[arg(long, value_name = "N")]
    pub max_pages: Option<usize>,
}

/// Which crawl is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrawlChoice {
    /// The newest that was finished.
    Latest,
    /// The one of this number.
    Run(RunId),
}

impl FromStr for CrawlChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "latest" {
            return Ok(Self::Latest);
        }
        let number = text
            .trim_start_matches('#')
            .parse()
            .map_err(|_| format!("`{text}` is no crawl; give its number or `latest`"))?;
        Ok(Self::Run(RunId(number)))
    }
}

/// Which definition of decay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DecayForm {
    /// The surfer's process.
    Plain,
    /// Each page with a link to itself.
    Selfloop,
}

/// On which pages surfers fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailuresChoice {
    /// Dead, soft-404, hijacked, malformed.
    Dead,
    /// Hijacked alone.
    Hijacked,
    /// Blocked alone.
    Blocked,
}

/// What scores are told as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DecayFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
}
