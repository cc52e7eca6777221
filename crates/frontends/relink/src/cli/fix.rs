//! Arguments of `relink fix`.
//!
//! The new URL of a dead page is an alias (another URL of the same page) or the URL of an
//! archived copy. The sidecar file `links.lock.toml` lists the original URLs of replaced
//! links.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use relink_page::DocumentFormat;
use relink_repair::{DeadLinkMarks, FixPreference, FixSettings, FixStyle};

use super::{
    CheckArgs, CheckReviveArgs, CommunityReviewArgs, DocumentArgs, FindingArgs, GateArgs,
    RedirectArgs, RequestArgs, SiteFixArgs, WalkArgs, WikiArgs,
};

/// Arguments of `relink fix`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each field is one flag")]
pub struct FixArgs {
    /// Files, directories or globs
    #[arg(required_unless_present_any = ["undo", "wiki", "crawl"], value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    /// Print the changes as a diff and change no file (the default)
    #[arg(long, conflicts_with = "apply")]
    pub dry_run: bool,
    /// Write the changes to the files
    #[arg(long)]
    pub apply: bool,
    /// Write the changes and commit them, one commit per cause and host
    #[arg(long, conflicts_with_all = ["apply", "dry_run", "undo"])]
    pub commit: bool,
    /// Write the body of a pull request, in Markdown
    #[arg(long, value_name = "FILE", conflicts_with = "undo")]
    pub pr_body: Option<PathBuf>,
    /// Restore the files that an earlier `--apply` changed
    #[arg(long, value_name = "ID", conflicts_with_all = ["inputs", "apply", "dry_run"])]
    pub undo: Option<String>,
    /// Ask about repairs that are not written automatically
    #[arg(long, conflicts_with = "undo")]
    pub review: bool,
    /// Which new URL of a dead page to write
    #[arg(long, value_enum, default_value = "auto", value_name = "CHOICE")]
    pub prefer: PreferArg,
    /// How to write new URLs [default: `replace` for permanent redirects,
    /// `beside` for others]
    #[arg(long, value_enum, value_name = "STYLE")]
    pub style: Option<StyleArg>,
    /// Link to the original page again where a link leads to an archived copy and the page
    /// works again
    #[arg(long)]
    pub restore: bool,
    /// Do not mark dead links without a new URL and without an archived copy with
    /// `{{dead link}}` in `MediaWiki` text
    #[arg(long)]
    pub no_dead_link_mark: bool,
    /// Where to keep the original URL of a replaced link
    #[arg(long, value_enum, default_value = "auto", value_name = "WHERE")]
    pub robust: RobustArg,
    /// Also write the changes as a patch for `git apply`
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: FixFormat,
    /// Repair only URLs that match a regular expression or a glob; may be
    /// repeated
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Skip URLs and documents that match; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Database: a file, or a URL `postgres://…` [default: one per project in your data directory]
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
    /// Configuration file to use instead of the project's `relink.toml`
    #[arg(long, value_name = "FILE", env = "RELINK_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// Wiki options.
    #[command(flatten)]
    pub wiki: WikiArgs,
    /// Options for the repair of a whole site.
    #[command(flatten)]
    pub site: SiteFixArgs,
    /// Options for a map of redirects for a web server.
    #[command(flatten)]
    pub redirects: RedirectArgs,
    /// Options of reviews by a community.
    #[command(flatten)]
    pub community: CommunityReviewArgs,
    /// Document options.
    #[command(flatten)]
    pub documents: DocumentArgs,
    /// Revive options.
    #[command(flatten)]
    pub revive: CheckReviveArgs,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}

/// The new URL of a dead page that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PreferArg {
    /// The archived copy for citations, the new URL of the page for other links
    Auto,
    /// The new URL of the page, if it was found
    Alias,
    /// The archived copy, if there is one
    Archive,
}

/// The position of a new URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StyleArg {
    /// Instead of the old URL
    Replace,
    /// As a second link after the old one
    Beside,
}

/// The location of the original URL of a replaced link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RobustArg {
    /// In attributes of HTML links, and in `links.lock.toml` for other links
    Auto,
    /// In attributes of HTML links only
    Attributes,
    /// In `links.lock.toml`
    Sidecar,
    /// Nowhere
    None,
}

impl RobustArg {
    /// Whether original URLs are written to a sidecar file.
    pub fn has_sidecar(self) -> bool {
        matches!(self, Self::Auto | Self::Sidecar)
    }
}

/// Output formats of `relink fix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FixFormat {
    /// A unified diff on standard output, a summary on standard error
    Human,
    /// One JSON document
    Json,
}

impl FixArgs {
    /// Returns how links are repaired.
    pub fn settings(&self) -> FixSettings {
        let is_wiki = self.wiki.wiki.is_some();
        FixSettings {
            preference: match self.prefer {
                PreferArg::Auto => FixPreference::Auto,
                PreferArg::Alias => FixPreference::Alias,
                PreferArg::Archive => FixPreference::Archive,
            },
            style: self.style.map(|style| match style {
                StyleArg::Replace => FixStyle::Replace,
                StyleArg::Beside => FixStyle::SecondLink,
            }),
            keeps_attributes: matches!(self.robust, RobustArg::Auto | RobustArg::Attributes),
            marks: self.dead_link_marks(),
            restores: self.restore,
            format: self.documents.read_as,
            skips_redirects: is_wiki && self.style != Some(StyleArg::Replace),
        }
    }

    /// Returns which documents receive `{{dead link}}` marks. Only wikitext supports these marks;
    /// without a format on the command line, the file name decides.
    fn dead_link_marks(&self) -> DeadLinkMarks {
        let is_wikitext = self.documents.read_as == Some(DocumentFormat::Wikitext);
        if self.no_dead_link_mark {
            DeadLinkMarks::Off
        } else if self.wiki.wiki.is_some() || is_wikitext {
            DeadLinkMarks::All
        } else {
            DeadLinkMarks::ByName
        }
    }

    /// Returns the arguments of the check that finds the broken links.
    pub fn into_check_args(self) -> CheckArgs {
        CheckArgs {
            walk: WalkArgs::default(),
            gate: GateArgs::default(),
            findings: FindingArgs::default(),
            inputs: self.inputs,
            format: None,
            output: Vec::new(),
            include: self.include,
            exclude: self.exclude,
            offline: false,
            decay: false,
            fresh: false,
            fail_on: None,
            db: self.db,
            config: self.config,
            documents: self.documents,
            revive: self.revive,
            request: self.request,
        }
    }
}
