//! Arguments of `relink fix` for wikis and for reviews by a community.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use url::Url;

use crate::duration_arg::DurationArg;

/// Arguments of `relink fix --wiki`.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Wiki")]
pub struct WikiArgs {
    /// Repair the pages of a wiki that runs `MediaWiki`: the URL of its `api.php`. The
    /// login is read from `RELINK_WIKI_USER` and `RELINK_WIKI_PASSWORD`, or from
    /// `RELINK_WIKI_TOKEN` (OAuth 2.0)
    #[arg(long, value_name = "URL", conflicts_with_all = ["inputs", "undo", "commit", "pr_body"])]
    pub wiki: Option<Url>,
    /// Which pages to read [default: `all` up to 20,000 pages, `linked` above]
    #[arg(long, value_enum, requires = "wiki", value_name = "CHOICE")]
    pub wiki_pages: Option<WikiPagesArg>,
    /// Read only pages that link to this host or its subdomains
    #[arg(long, requires = "wiki", value_name = "HOST", conflicts_with = "wiki_pages")]
    pub wiki_host: Option<String>,
    /// Number of a namespace to read; may be repeated [default: 0]
    #[arg(long, requires = "wiki", value_name = "NUMBER")]
    pub wiki_namespace: Vec<i32>,
    /// Page that stops the bot if it has a text other than `run` [default:
    /// `User:NAME/stop`]
    #[arg(long, requires = "wiki", value_name = "TITLE")]
    pub wiki_stop_page: Option<String>,
    /// Minimum interval between two edits
    #[arg(long, requires = "wiki", value_name = "DURATION", default_value = "10s")]
    pub wiki_interval: DurationArg,
    /// First words of the edit summaries
    #[arg(long, requires = "wiki", value_name = "TEXT", default_value = "Repair dead links")]
    pub wiki_summary: String,
    /// Maximum number of edits
    #[arg(long, requires = "wiki", value_name = "COUNT")]
    pub max_edits: Option<usize>,
}

/// The pages of a wiki that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WikiPagesArg {
    /// All pages
    All,
    /// Pages with external links that the wiki knows; it does not know URLs in parameters
    /// of some templates
    Linked,
}

/// Arguments of `relink fix --crawl`.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Whole site")]
pub struct SiteFixArgs {
    /// Repair the links on the pages of a stored crawl: the given one, or the latest.
    /// `--map` and `--root-dir` name the source files of the pages
    #[arg(long, value_name = "ID", num_args = 0..=1, conflicts_with_all = ["inputs", "undo", "wiki"])]
    #[expect(clippy::option_option, reason = "the flag has an optional value")]
    pub crawl: Option<Option<i64>>,
    /// Write repaired copies of the pages without a source file below this directory
    #[arg(long, value_name = "DIR", requires = "crawl")]
    pub html_copies: Option<PathBuf>,
    /// Write a JSON list of the repairs of pages without a source file
    #[arg(long, value_name = "FILE", requires = "crawl")]
    pub site_list: Option<PathBuf>,
}

/// Arguments of the redirect map.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Redirect map")]
#[expect(clippy::struct_field_names, reason = "the fields are the names of the flags")]
pub struct RedirectArgs {
    /// Write redirect rules for the dead pages of your own site whose new URL was found
    #[arg(long, value_name = "FILE", requires = "redirect_site", conflicts_with = "undo")]
    pub redirect_map: Option<PathBuf>,
    /// URL of your own site
    #[arg(long, value_name = "URL", requires = "redirect_map")]
    pub redirect_site: Option<Url>,
    /// Syntax of the rules [default: by the name of the file: `_redirects` is `netlify`,
    /// `.htaccess` is `apache`, `*.json` is `json`, others are `nginx`]
    #[arg(long, value_enum, value_name = "SYNTAX", requires = "redirect_map")]
    pub redirect_syntax: Option<RedirectSyntaxArg>,
}

/// The syntax of redirect rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RedirectSyntaxArg {
    /// `location` blocks
    Nginx,
    /// `Redirect` and `RewriteRule` lines
    Apache,
    /// Lines of a `_redirects` file
    Netlify,
    /// A JSON array
    Json,
}

/// Arguments for reviews by a community.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Review by a community")]
#[expect(clippy::struct_field_names, reason = "the fields are the names of the flags")]
pub struct CommunityReviewArgs {
    /// Write the proposed new URLs as a table in wikitext, for a review before anything
    /// is changed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["undo", "apply", "commit"])]
    pub review_list: Option<PathBuf>,
    /// Read the table back, with `correct`, `incorrect` or `unsure` in its last column;
    /// only correct repairs are made
    #[arg(long, value_name = "FILE", conflicts_with_all = ["undo", "review", "review_list"])]
    pub review_results: Option<PathBuf>,
    /// Maximum number of rows of the table
    #[arg(long, requires = "review_list", value_name = "COUNT", default_value_t = 100)]
    pub review_sample: usize,
    /// Maximum number of rows per domain
    #[arg(long, requires = "review_list", value_name = "COUNT", default_value_t = 2)]
    pub review_per_domain: usize,
    /// Seed of the selection; the same seed selects the same rows
    #[arg(long, requires = "review_list", value_name = "NUMBER", default_value_t = 1)]
    pub review_seed: u64,
    /// List only links without an archived copy
    #[arg(long, requires = "review_list")]
    pub review_unarchived: bool,
}
