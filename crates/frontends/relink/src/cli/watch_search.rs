//! Arguments of `relink watch suggest`, `reject` and `keyphrases`: the search for pages that
//! replace a member of a collection.
//!
//! A query consists of phrases of the page. A search for copies adds phrases until a query
//! has few results; a search for similar pages drops phrases until a query has enough.

use std::path::PathBuf;

use clap::Args;
use relink_change::SimilarityWeights;

use super::watch::{MemberArg, WatchMemberArgs};
use super::{ExplainFormat, RequestArgs};

/// Arguments of `relink watch suggest`.
#[derive(Debug, Args)]
pub struct WatchSuggestArgs {
    /// The collection
    pub name: String,
    /// Number or URL of the member
    #[arg(value_name = "MEMBER")]
    pub member: MemberArg,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// Where replacements are searched.
    #[command(flatten)]
    pub search: WatchSearchArgs,
}

/// Arguments of `relink watch reject`.
#[derive(Debug, Args)]
pub struct WatchRejectArgs {
    /// The members.
    #[command(flatten)]
    pub members: WatchMemberArgs,
    /// Why the pages are unacceptable
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub reason: String,
    /// Do not search for the accepted versions now
    #[arg(long)]
    pub no_suggest: bool,
    /// Where the accepted versions are searched.
    #[command(flatten)]
    pub search: WatchSearchArgs,
}

/// Arguments of `relink watch keyphrases`.
#[derive(Debug, Args)]
pub struct WatchKeyphraseArgs {
    /// The collection
    pub name: String,
    /// Number or URL of a member [default: all]
    #[arg(value_name = "MEMBER")]
    pub member: Option<MemberArg>,
    /// Order the phrases by the result counts of the search engine, and store them
    #[arg(long)]
    pub count: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// Where phrases are counted.
    #[command(flatten)]
    pub search: WatchSearchArgs,
}

/// Flags of the search for replacements: sizes of queries, archives and search engines.
#[derive(Debug, Args)]
pub struct WatchSearchArgs {
    /// Number of phrases in the first query for copies of the page
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub copy_phrases: usize,
    /// Add phrases until a query for copies has at most this many results
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub copy_results: u64,
    /// Number of phrases in the first query for similar pages
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub similar_phrases: usize,
    /// Number of phrases in the last query for similar pages
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub last_phrases: usize,
    /// Drop phrases until a query for similar pages has at least this many results
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub similar_results: u64,
    /// Weights of the similarity of two pages, such as `text=4,images=1,links=1,titles=1`
    /// (the default); an attribute with the weight 0 is ignored
    #[arg(long, value_name = "LIST")]
    pub weights: Option<SimilarityWeights>,
    /// Number of linked pages per page to fetch for their titles, if they are not in the
    /// database
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub linked_pages: usize,
    /// Web archive to query, as in `relink revive`; may be repeated
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
    /// Search engine to query, as in `relink revive`; may be repeated [default:
    /// local]
    #[arg(long, value_name = "ENGINE", env = "RELINK_SEARCH", hide_env_values = true)]
    pub search: Vec<String>,
    /// Configuration file to use instead of the project's `relink.toml`
    #[arg(long, value_name = "FILE", env = "RELINK_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}
