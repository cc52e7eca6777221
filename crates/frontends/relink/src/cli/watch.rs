//! Arguments of `relink watch`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use relink_collection::{ContextKind, ImportFormat};
use relink_engine::MemberSelector;

use super::{ExplainFormat, RequestArgs};
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
    /// Add a collection from a file, or merge an edited file into it
    Add(WatchAddArgs),
    /// List collections
    List {
        /// Output format
        #[arg(long, value_enum, default_value = "human")]
        format: ExplainFormat,
    },
    /// Print the members of a collection
    Show {
        /// The collection
        name: String,
        /// Output format
        #[arg(long, value_enum, default_value = "human")]
        format: ExplainFormat,
    },
    /// Fetch the pages that are due
    Run(Box<WatchRunArgs>),
    /// Print what changed: degree of change, context and next step
    Diff {
        /// The collection
        name: String,
        /// Output format
        #[arg(long, value_enum, default_value = "human")]
        format: ExplainFormat,
    },
    /// Make the latest version of pages the reference
    Accept(WatchMemberArgs),
    /// Mark pages as unacceptable, although they respond
    Reject {
        /// The members.
        #[command(flatten)]
        members: WatchMemberArgs,
        /// Why the pages are unacceptable
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
    },
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
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Name of the collection
    #[arg(long)]
    pub name: String,
    /// Format: bookmarks, markdown, csv, opml, json, sitemap or list [default:
    /// by name and content]
    #[arg(long = "as", value_name = "FORMAT")]
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
