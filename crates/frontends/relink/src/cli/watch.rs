//! Arguments of `relink watch`.
//!
//! A collection is a set of pages, such as a reading list. A member is a page in a
//! collection. The context of a collection is the set of pages that a member must fit.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use jiff::civil::Date;
use relink_collection::{ContextKind, DEFAULT_FOCUS_STOP, ImportFormat};
use relink_watch::MemberSelector;

use super::watch_search::{WatchKeyphraseArgs, WatchRejectArgs, WatchSearchArgs, WatchSuggestArgs};
use super::{CrawlSelector, ExplainFormat, RequestArgs};
use crate::duration_arg::DurationArg;

/// Arguments of `relink watch`.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: WatchCommand,
    /// Database file [default: one per project in your data directory]
    #[arg(long, global = true, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
}

/// Subcommands of `relink watch`.
#[derive(Debug, Subcommand)]
pub enum WatchCommand {
    /// Add a collection from a file or a crawl, or merge an edited file into it
    Add(WatchAddArgs),
    /// List collections
    List {
        /// Output format
        #[arg(long, value_enum, default_value = "human")]
        format: ExplainFormat,
    },
    /// Print the members of a collection, or the history of one member
    Show {
        /// The collection
        name: String,
        /// Number or URL of a member, to print its versions and events
        #[arg(value_name = "MEMBER")]
        member: Option<MemberArg>,
        /// Output format
        #[arg(long, value_enum, default_value = "human")]
        format: ExplainFormat,
    },
    /// Fetch the pages that are due
    Run(Box<WatchRunArgs>),
    /// Review what changed: degree of change, context and next step
    Diff(Box<WatchDiffArgs>),
    /// Make the latest version of pages the reference
    Accept(WatchMemberArgs),
    /// Mark pages as unacceptable, although they respond, and search for the accepted
    /// versions
    Reject(Box<WatchRejectArgs>),
    /// Do not report changes of pages for some time
    Mute {
        /// The members.
        #[command(flatten)]
        members: WatchMemberArgs,
        /// How long
        #[arg(long = "for", value_name = "TIME", default_value = "30d")]
        duration: DurationArg,
        /// Why
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
    /// Search for pages that can replace a member
    Suggest(Box<WatchSuggestArgs>),
    /// Print the keyphrases of members, with which pages are searched
    Keyphrases(Box<WatchKeyphraseArgs>),
    /// Replace the page of a member, or fill a gap; the annotation stays
    Replace {
        /// The collection
        name: String,
        /// Number or URL of the member
        #[arg(value_name = "MEMBER")]
        member: MemberArg,
        /// The new URL
        #[arg(value_name = "URL")]
        url: String,
    },
    /// Change a collection, or the title, annotation, tags or position of a
    /// member
    Edit(WatchEditArgs),
    /// Write a collection as a static site, Markdown, OPML, bookmarks or JSON
    Export {
        /// The collection
        name: String,
        /// Output directory of a site, or file [default for formats other than
        /// `site`: standard output]
        #[arg(short, long, value_name = "PATH", required_if_eq("format", "site"))]
        output: Option<PathBuf>,
        /// Format [default: by the extension of the output; `site` for a directory]
        #[arg(long, value_enum)]
        format: Option<WatchExportFormat>,
    },
    /// Measure how well readers stay on the topic of a collection by following links
    Focus(Box<WatchFocusArgs>),
    /// Count valid, changed and gone pages by cause, top-level domain, size and month
    Study {
        /// Collections [default: all]
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        /// Output format
        #[arg(long, value_enum, default_value = "human")]
        format: WatchStudyFormat,
    },
    /// Remove members, whose gaps stay visible, or a whole collection
    Remove {
        /// The collection
        name: String,
        /// Numbers or URLs of members [default: the whole collection]
        #[arg(value_name = "MEMBER")]
        members: Vec<MemberArg>,
        /// Close the gaps of removed members
        #[arg(long, requires = "members")]
        close: bool,
    },
}

/// Arguments of `relink watch add`.
#[derive(Debug, Args)]
pub struct WatchAddArgs {
    /// Bookmarks, Markdown, CSV, OPML, JSON, a sitemap, a list of URLs, or `-`
    /// for standard input
    #[arg(value_name = "FILE", required_unless_present = "crawl", conflicts_with = "crawl")]
    pub file: Option<PathBuf>,
    /// Add the live pages of a stored crawl, given by its id (see `relink crawl
    /// status`) or `latest`; directories become nested collections
    #[arg(long, value_name = "ID|latest")]
    pub crawl: Option<CrawlSelector>,
    /// Add only pages of the crawl whose URL starts with this text
    #[arg(long, value_name = "URL", requires = "crawl")]
    pub under: Option<String>,
    /// Name of the collection
    #[arg(long)]
    pub name: String,
    /// Format: bookmarks, markdown, csv, opml, json, sitemap or list [default:
    /// by name and content]
    #[arg(long = "as", value_name = "FORMAT", conflicts_with = "crawl")]
    pub format: Option<ImportFormat>,
    /// Pages that a member must fit: all, folder, neighbors or description
    /// [default: folder; all for CSV, sitemaps and lists]
    #[arg(long, value_name = "CONTEXT")]
    pub context: Option<ContextKind>,
    /// Description of the collection
    #[arg(long, value_name = "TEXT")]
    pub description: Option<String>,
    /// Tag of the collection; may be repeated
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Store the text of each version, up to 256 KB per page
    #[arg(long)]
    pub keep_text: bool,
}

/// Arguments of `relink watch run`.
#[derive(Debug, Args)]
pub struct WatchRunArgs {
    /// Collections to check [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Check all pages, even if they are not due
    #[arg(long)]
    pub all: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// Configuration file to use instead of the project's `relink.toml`
    #[arg(long, value_name = "FILE", env = "RELINK_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}

/// Arguments of `relink watch diff`.
#[derive(Debug, Args)]
#[command(after_help = "\
In a terminal, the review is interactive: j and k move, d shows both versions, s \
switches between side by side and inline, a accepts, x rejects, m mutes for 30 days, \
r searches for replacements, q quits. Otherwise, or with --plain, it is printed.")]
pub struct WatchDiffArgs {
    /// The collection
    pub name: String,
    /// Print the review, even in a terminal
    #[arg(long)]
    pub plain: bool,
    /// Compare the versions of this day instead of the accepted ones
    #[arg(long, value_name = "DATE")]
    pub from: Option<Date>,
    /// Compare with the versions of this day [default: the latest ones]
    #[arg(long, value_name = "DATE", requires = "from")]
    pub to: Option<Date>,
    /// Write the review to an `.html` file, with both versions side by side
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// Where replacements are searched.
    #[command(flatten)]
    pub search: WatchSearchArgs,
}

/// Arguments of `relink watch focus`.
#[derive(Debug, Args)]
#[command(after_help = "\
A reader starts at a random member and follows random links. At each page of the topic, \
the reader stops with a probability proportional to the topicality of the page; at a dead \
page or one of another topic, the reader fails. The focus is the share of readers who \
stop (Bar-Yossef et al., WWW 2004, section 6).")]
pub struct WatchFocusArgs {
    /// The collection, or a nested one such as `reading/Owls`
    pub name: String,
    /// Maximum number of pages to fetch
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub pages: usize,
    /// Probability that a reader stops at a page that is certainly on the topic
    #[arg(long, value_name = "P", default_value_t = DEFAULT_FOCUS_STOP, value_parser = probability)]
    pub stop: f64,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// Configuration file to use instead of the project's `relink.toml`
    #[arg(long, value_name = "FILE", env = "RELINK_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}

/// Parses a probability above 0 and up to 1.
fn probability(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("invalid number: `{text}`"))?;
    if value > 0.0 && value <= 1.0 {
        Ok(value)
    } else {
        Err("expected more than 0, at most 1".to_owned())
    }
}

/// Arguments of `relink watch edit`.
#[derive(Debug, Args)]
pub struct WatchEditArgs {
    /// The collection
    pub name: String,
    /// Number or URL of a member [default: the collection itself]
    #[arg(value_name = "MEMBER")]
    pub member: Option<MemberArg>,
    /// New title
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// New annotation of the member
    #[arg(long, value_name = "TEXT", requires = "member")]
    pub note: Option<String>,
    /// New tags; may be repeated
    #[arg(long, value_name = "TAG")]
    pub tag: Option<Vec<String>>,
    /// New position of the member in its collection, from 1
    #[arg(long, value_name = "N", requires = "member")]
    pub position: Option<u32>,
    /// New description of the collection
    #[arg(long, value_name = "TEXT", conflicts_with = "member")]
    pub description: Option<String>,
    /// New context of the collection: all, folder, neighbors or description
    #[arg(long, value_name = "CONTEXT", conflicts_with = "member")]
    pub context: Option<ContextKind>,
    /// Whether `relink watch run` accepts changes that fit the collection, and rejects
    /// pages that left its topic: true or false
    #[arg(long, value_name = "BOOL", conflicts_with = "member")]
    pub automatic: Option<bool>,
    /// Angle toward the context from which a page is accepted [default: 2 degrees]
    #[arg(long, value_name = "DEGREES", conflicts_with = "member")]
    pub toward: Option<f64>,
    /// Angle away from the context from which a page is rejected [default: 4 degrees]
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, conflicts_with = "member")]
    pub away: Option<f64>,
    /// Constant that is added to the logarithm of a count [default: 1]
    #[arg(long, value_name = "N", conflicts_with = "member")]
    pub scaling: Option<f64>,
    /// Factor of the weight of English nouns in the angle [default: 1.5]
    #[arg(long, value_name = "N", conflicts_with = "member")]
    pub noun_factor: Option<f64>,
    /// Maximum number of adjectives in a keyphrase [default: 1]
    #[arg(long, value_name = "N", conflicts_with = "member")]
    pub phrase_adjectives: Option<usize>,
    /// Whether a keyphrase may start with a verb: true or false [default: false]
    #[arg(long, value_name = "BOOL", conflicts_with = "member")]
    pub phrase_verbs: Option<bool>,
}

/// Formats of `relink watch study`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WatchStudyFormat {
    /// A table
    Human,
    /// CSV
    Csv,
    /// JSON
    Json,
}

/// Formats of `relink watch export`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WatchExportFormat {
    /// A static site: contents, and one page per stop
    Site,
    /// Markdown
    Markdown,
    /// OPML
    Opml,
    /// Bookmarks of a browser
    Bookmarks,
    /// JSON
    Json,
}

/// Members of a collection.
#[derive(Debug, Args)]
pub struct WatchMemberArgs {
    /// The collection
    pub name: String,
    /// Numbers or URLs of members
    #[arg(value_name = "MEMBER", required_unless_present = "all", conflicts_with = "all")]
    pub members: Vec<MemberArg>,
    /// All members to which this applies
    #[arg(long)]
    pub all: bool,
}

impl WatchMemberArgs {
    /// Returns the selected members.
    pub fn selectors(&self) -> Vec<MemberSelector> {
        if self.all {
            return vec![MemberSelector::All];
        }
        self.members.iter().map(|member| member.0.clone()).collect()
    }
}

/// A member: a number, or a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberArg(pub MemberSelector);

impl FromStr for MemberArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(number) = text.parse() {
            return Ok(Self(MemberSelector::Number(number)));
        }
        if text.contains("://") {
            return Ok(Self(MemberSelector::Url(text.to_owned())));
        }
        Err(format!("invalid member: `{text}` (expected a number or a URL)"))
    }
}
