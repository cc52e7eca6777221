//! Command-line arguments. `settings` merges them with the configuration.
//!
//! The doc comments of commands and flags are their help texts. A field with
//! `#[command(flatten)]` adds the flags of another struct.

mod archive;
mod decay;
mod demo;
mod findings;
mod fix;
mod fix_wiki;
mod formats;
mod gate;
mod harvest;
mod harvest_notify;
mod harvest_provider;
mod harvest_report;
mod lychee_flags;
mod report;
mod revive;
mod serve;
mod setup;
mod survey;
mod unused_args;
mod watch;
mod watch_search;
mod worker;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use relink_documents::{PathMap, SiteChoice};
use relink_fetch::ResolveOverride;
use relink_model::Verdict;
use relink_page::SlugStyle;
use url::Url;

pub use self::archive::{ArchiveArgs, ArchiveFormat};
pub use self::demo::DemoArgs;
pub use self::findings::{FindingArgs, GroupByArg, SortArg};
pub use self::fix::{FixArgs, FixFormat};
pub use self::fix_wiki::{
    CommunityReviewArgs, RedirectArgs, RedirectSyntaxArg, SiteFixArgs, WikiArgs, WikiPagesArg,
};
pub use self::formats::{CheckFormat, CrawlFormat, OutputFormat, RowsFormat};
pub use self::gate::GateArgs;
pub use self::harvest::{FlagArgs, HarvestArgs, HarvestCommand, HarvestRunArgs, RecheckArgs};
pub use self::harvest_notify::{
    HarvestMailArgs, HarvestPublishArgs, HarvestWebhookArgs, SmtpSecurityArg,
};
pub use self::harvest_provider::{
    AddProviderArgs, ArrivalsArg, ClearArg, EditProviderArgs, LanguageArg, NotifyArg, ProviderFlags,
};
pub use self::harvest_report::{
    HarvestDecayArgs, HarvestExportArgs, HarvestExportFormat, HarvestReportArgs,
    HarvestReportFormat, HarvestReportTable, HarvestStatusArgs,
};
pub use self::lychee_flags::{ExitCodesArg, WalkArgs};
pub use self::report::{ReportArgs, ReportCommand, ReportFormat};
pub use self::revive::{
    CheckReviveArgs, PatternsArgs, PatternsCommand, ReplacementsArg, ReviveArgs, ReviveFormat,
    default_archive,
};
pub use self::serve::ServeArgs;
pub use self::setup::{CompletionsArgs, ConfigArgs, ConfigCommand, InitArgs, InitSource};
pub use self::unused_args::reject_unused;
use crate::byte_size::ByteSize;
use crate::duration_arg::DurationArg;
use crate::settings::PolicyArg;

pub use self::decay::{
    CrawlSelector, DecayArgs, DecayFormat, DefinitionArg, FailuresArg, ScoringArgs,
};
pub use self::survey::{
    AnalyzeArgs, BreakageArg, FieldArgs, LeShulmanArgs, SimulateArgs, SurveyArgs, SurveyCommand,
};
pub use self::watch::{
    WatchAddArgs, WatchArgs, WatchCommand, WatchDiffArgs, WatchEditArgs, WatchExportFormat,
    WatchFocusArgs, WatchMemberArgs, WatchRunArgs, WatchStudyFormat,
};
pub use self::watch_search::{
    WatchKeyphraseArgs, WatchRejectArgs, WatchSearchArgs, WatchSuggestArgs,
};
pub use self::worker::WorkerArgs;

/// Find dead links, explain them, and search for their new URLs
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
    /// The flags of all commands.
    #[command(flatten)]
    pub global: GlobalArgs,
}

/// Flags of all commands.
#[derive(Debug, Clone, Args)]
pub struct GlobalArgs {
    /// Print less: one line per finding, no progress and no hints
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print more: every finding, skipped link and host
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// When to use colors
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// The condition under which output has colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check a built-in demo site, without network access
    Demo(DemoArgs),
    /// Check the links in files, directories, URL lists and web pages
    Check(Box<CheckArgs>),
    /// Write the current findings to a file; `check --baseline` ignores them
    Baseline(Box<BaselineArgs>),
    /// Crawl a site and check every link on it
    Crawl(Box<CrawlArgs>),
    /// Check a large URL catalog by sampling
    Survey(Box<SurveyArgs>),
    /// Harvest records of many providers and follow their broken links
    Harvest(Box<HarvestArgs>),
    /// Measure the decay of a page: how likely random links lead to a dead page
    Decay(Box<DecayArgs>),
    /// Print the report of a stored crawl as text, HTML or JSON
    Report(ReportArgs),
    /// Search for the new URL or an archived copy of dead pages
    Revive(Box<ReviveArgs>),
    /// Repair links: replace the URLs of moved pages in files
    Fix(Box<FixArgs>),
    /// List live pages without an archived copy, and save them as WARC files
    Archive(Box<ArchiveArgs>),
    /// List and manage learned URL patterns
    Patterns(PatternsArgs),
    /// Print the links of files and directories with their locations, without
    /// network access
    Extract(ExtractArgs),
    /// Explain a code (`RL101`), an HTTP status (`451`) or the verdict of a URL
    Explain(ExplainArgs),
    /// Watch collections of pages: bookmarks, reading lists, paths
    Watch(Box<WatchArgs>),
    /// Publish harvested records over OAI-PMH
    Serve(Box<ServeArgs>),
    /// Write a commented configuration file, `relink.toml`
    Init(InitArgs),
    /// Print the settings in use
    Config(ConfigArgs),
    /// Help with the checks of other processes that use the same PostgreSQL database
    Worker(Box<WorkerArgs>),
    /// Manage the database
    Db(DbArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the man page
    Man,
}

/// Arguments of `relink check`.
#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// Files, directories, globs, URLs of web pages, or `-` for standard input
    #[arg(required_unless_present = "files_from", value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    /// Output format
    #[arg(long, value_enum, env = "RELINK_FORMAT", hide_env_values = true)]
    pub format: Option<CheckFormat>,
    /// Also write the results to a file; its extension selects the format
    /// (`.txt`, `.json`, `.jsonl`, `.md`, `.html`, `.csv`, `.xlsx`, `.sarif`, `.xml`
    /// for JUnit), or `FORMAT=FILE` sets it; may be repeated
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Check only URLs that match a regular expression or a glob; may be
    /// repeated
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Skip URLs and documents that match; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Check local links only; send no requests
    #[arg(long)]
    pub offline: bool,
    /// Start a new run instead of resuming an unfinished one
    #[arg(long)]
    pub fresh: bool,
    /// First measure the decay of the linked pages, and report live pages with a
    /// high decay (RL901); this sends many more requests
    #[arg(long, conflicts_with = "offline")]
    pub decay: bool,
    /// Verdicts that fail the run, separated by commas [default:
    /// dead,soft-404,hijacked,local]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "VERDICTS",
        env = "RELINK_FAIL_ON",
        hide_env_values = true
    )]
    pub fail_on: Option<Vec<Verdict>>,
    /// Database: a file, or a URL `postgres://…` [default: one per project in your data directory]
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
    /// Configuration file to use instead of the project's `relink.toml`
    #[arg(long, value_name = "FILE", env = "RELINK_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// Walk options.
    #[command(flatten)]
    pub walk: WalkArgs,
    /// Gate options.
    #[command(flatten)]
    pub gate: GateArgs,
    /// Report options.
    #[command(flatten)]
    pub findings: FindingArgs,
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

/// Arguments of `relink baseline`.
#[derive(Debug, Args)]
pub struct BaselineArgs {
    /// The file to write [default: `baseline` in the configuration, or
    /// relink-baseline.json]
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
    /// The arguments of the check.
    #[command(flatten)]
    pub check: CheckArgs,
}

/// Arguments of `relink crawl`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct CrawlArgs {
    /// A subcommand.
    #[command(subcommand)]
    pub command: Option<CrawlCommand>,
    /// URLs to start from
    #[arg(required = true, value_name = "URL")]
    pub urls: Vec<String>,
    /// Output format
    #[arg(long, value_enum, env = "RELINK_FORMAT", hide_env_values = true)]
    pub format: Option<CrawlFormat>,
    /// Also write the report to a file; its extension selects the format
    /// (`.html`, `.json`, `.jsonl`, `.txt`); may be repeated
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Write the link graph (`graphml`, `csv`) or a sitemap (`sitemap`); `=FILE`
    /// sets the file name; may be repeated
    #[arg(long, value_name = "KIND[=FILE]")]
    pub export: Vec<Export>,
    /// Start a new crawl instead of resuming an unfinished one
    #[arg(long)]
    pub fresh: bool,
    /// Verdicts that fail the run, separated by commas [default:
    /// dead,soft-404,hijacked,local]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "VERDICTS",
        env = "RELINK_FAIL_ON",
        hide_env_values = true
    )]
    pub fail_on: Option<Vec<Verdict>>,
    /// Database: a file, or a URL `postgres://…` [default: one per project in your data directory]
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
    /// Configuration file to use instead of the project's `relink.toml`
    #[arg(long, value_name = "FILE", env = "RELINK_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// Crawl options.
    #[command(flatten)]
    pub scope_args: CrawlScopeArgs,
    /// HTTP options.
    #[command(flatten)]
    pub request: RequestArgs,
}

/// Subcommands of `relink crawl`.
#[derive(Debug, Subcommand)]
pub enum CrawlCommand {
    /// List crawls, and which of them can be resumed
    Status {
        /// Database: a file, or a URL `postgres://…` [default: one per project in your data directory]
        #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
        db: Option<PathBuf>,
    },
}

/// Scope and limits of a crawl.
#[derive(Debug, Args)]
#[command(next_help_heading = "Crawl options")]
pub struct CrawlScopeArgs {
    /// Pages to follow: same host, same registrable domain, or below the same
    /// path; all other links are checked but not followed
    #[arg(long, value_enum, default_value_t = CrawlScopeArg::Host, value_name = "SCOPE")]
    pub scope: CrawlScopeArg,
    /// Traversal order: breadth-first or depth-first
    #[arg(long, value_enum, default_value_t = CrawlOrder::Breadth, value_name = "ORDER")]
    pub order: CrawlOrder,
    /// Maximum depth, in links from the start page
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
    /// Maximum number of pages to follow
    #[arg(long, value_name = "N")]
    pub max_pages: Option<u64>,
    /// Maximum duration; the same command resumes the crawl
    #[arg(long, value_name = "TIME")]
    pub max_time: Option<DurationArg>,
    /// Follow and check only URLs that match a regular expression or a glob; may
    /// be repeated
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Skip URLs that match; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Maximum number of links to read per page; the report counts the links
    /// beyond it [default: 100000]
    #[arg(long, value_name = "N", env = "RELINK_MAX_PAGE_LINKS")]
    pub max_page_links: Option<usize>,
    /// Follow URLs of a spider trap that match a regular expression or a glob;
    /// may be repeated. The report names the pattern of each trap
    #[arg(long, value_name = "PATTERN")]
    pub enter_trap: Vec<String>,
    /// Maximum number of pages of a set that grows from itself alone
    /// [default: 1500]
    #[arg(long, value_name = "N")]
    pub max_pattern_pages: Option<u32>,
    /// Maximum number of pages per host [default: 1000000]
    #[arg(long, value_name = "N")]
    pub max_host_pages: Option<u64>,
    /// Do not check links to other sites
    #[arg(long)]
    pub no_external: bool,
    /// Also read this sitemap; may be repeated
    #[arg(long, value_name = "URL")]
    pub sitemap: Vec<Url>,
    /// Do not read the sitemaps listed in robots.txt or `/sitemap.xml`
    #[arg(long)]
    pub no_sitemaps: bool,
    /// Follow links marked with `nofollow`
    #[arg(long)]
    pub follow_nofollow: bool,
    /// Render pages in Chromium before parsing: if they are empty without
    /// scripts, always, or never
    #[arg(long, value_enum, default_value_t = RenderArg::Auto, value_name = "WHEN")]
    pub render: RenderArg,
}

/// The pages that a crawl follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CrawlScopeArg {
    /// Pages of the same host and port
    Host,
    /// Pages of the same registrable domain
    Domain,
    /// Pages below the same path
    Path,
}

/// The traversal order of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CrawlOrder {
    /// Breadth-first
    Breadth,
    /// Depth-first
    Depth,
}

/// The condition under which pages are rendered in a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RenderArg {
    /// If they are empty without scripts
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// A file to export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The kind of export.
    pub kind: ExportKind,
    /// The path of the file.
    pub path: PathBuf,
}

/// Kinds of exports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportKind {
    /// The link graph as GraphML.
    Graphml,
    /// The link graph as CSV, one link per row.
    Csv,
    /// A sitemap of the live pages.
    Sitemap,
}

impl FromStr for Export {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, path) = text.split_once('=').unwrap_or((text, ""));
        let (kind, default_path) = match kind {
            "graphml" => (ExportKind::Graphml, "links.graphml"),
            "csv" => (ExportKind::Csv, "links.csv"),
            "sitemap" => (ExportKind::Sitemap, "sitemap.xml"),
            other => {
                return Err(format!("unknown export `{other}` (expected graphml, csv or sitemap)"));
            }
        };
        let path = if path.is_empty() { default_path } else { path };
        Ok(Self { kind, path: path.into() })
    }
}

/// How documents are read and local links are resolved.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Document options")]
pub struct DocumentArgs {
    /// Base directory of links such as `/guide.md`; repeatable [default: by the
    /// rules of the site generator]
    #[arg(long, value_name = "DIR", env = "RELINK_ROOT_DIR", hide_env_values = true)]
    pub root_dir: Vec<PathBuf>,
    /// Directory of links that start with a prefix, such as `/guide=docs`;
    /// repeatable
    #[arg(long, value_name = "PREFIX=DIR")]
    pub map: Vec<PathMapArg>,
    /// Site generator whose rules resolve local links, such as `hugo`; `none`
    /// disables them [default: detected]
    #[arg(long, value_name = "NAME", env = "RELINK_SITE", hide_env_values = true)]
    pub site: Option<SiteArg>,
    /// Resolve relative links as web URLs below this URL
    #[arg(long, value_name = "URL", env = "RELINK_BASE_URL", hide_env_values = true)]
    pub base_url: Option<Url>,
    /// Files of which a linked directory must contain one, separated by commas;
    /// `.` accepts the directory itself [default: .]
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        env = "RELINK_INDEX_FILES",
        hide_env_values = true
    )]
    pub index_files: Option<Vec<String>>,
    /// Extensions that local links may omit, separated by commas
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "EXTS",
        env = "RELINK_FALLBACK_EXTENSIONS",
        hide_env_values = true
    )]
    pub fallback_extensions: Option<Vec<String>>,
    /// Heading anchor style: any, github, gitlab, mdbook, mkdocs or sphinx; `off`
    /// disables the check [default: any]
    #[arg(long, value_name = "STYLE", env = "RELINK_ANCHORS", hide_env_values = true)]
    pub anchors: Option<AnchorStyle>,
    /// Also check the fragments of links to web pages
    #[arg(long)]
    pub remote_anchors: bool,
    /// Also check links in code and other literal text
    #[arg(long)]
    pub include_verbatim: bool,
    /// Also check the syntax of mail addresses
    #[arg(long)]
    pub include_mail: bool,
    /// Replace URLs before they are checked: a regular expression, a space and
    /// the new URL, in which `$1` is a group; repeatable
    #[arg(long, value_name = "PATTERN URL")]
    pub remap: Vec<String>,
    /// Format of every document: markdown, html, rst, asciidoc, wikitext, css,
    /// xml, notebook, csv, tsv, json, jsonl, list, text or source [default: by
    /// name and content]
    #[arg(long = "as", value_name = "FORMAT")]
    pub read_as: Option<relink_page::DocumentFormat>,
    /// CSV or TSV column that holds the URLs, by name or number [default: every
    /// cell that is a URL]
    #[arg(long, value_name = "NAME|N")]
    pub column: Option<String>,
}

/// A directory that is published below a URL path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathMapArg(pub PathMap);

impl FromStr for PathMapArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || format!("invalid mapping `{text}` (expected a form like `/guide=docs`)");
        let (prefix, dir) = text.split_once('=').ok_or_else(error)?;
        if !prefix.starts_with('/') || dir.is_empty() {
            return Err(error());
        }
        Ok(Self(PathMap { prefix: prefix.to_owned(), dir: dir.into() }))
    }
}

/// A site generator, or `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SiteArg(pub SiteChoice);

impl FromStr for SiteArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let choice = match text {
            "none" => SiteChoice::Off,
            "auto" => SiteChoice::Detect,
            name => {
                let generator =
                    name.parse().map_err(|error: relink_sites::ParseGeneratorError| {
                        format!("{error}; `none` disables the rules")
                    })?;
                SiteChoice::Only(generator)
            }
        };
        Ok(Self(choice))
    }
}

/// The rule by which anchors are derived from headings. `None` disables the anchor check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnchorStyle(pub Option<SlugStyle>);

impl FromStr for AnchorStyle {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self(None)),
            name => {
                let style = name.parse().map_err(|error: relink_page::ParseSlugStyleError| {
                    format!("{error}; `off` disables the check")
                })?;
                Ok(Self(Some(style)))
            }
        }
    }
}

/// How requests are sent.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "HTTP options")]
pub struct RequestArgs {
    /// Maximum number of requests in flight [default: 128; crawls: 16 per
    /// processor]
    #[arg(long, value_name = "N", env = "RELINK_CONCURRENCY", hide_env_values = true)]
    pub concurrency: Option<usize>,
    /// Maximum number of requests in flight per host [default: 4; crawls: 1]
    #[arg(long, value_name = "N", env = "RELINK_HOST_CONCURRENCY", hide_env_values = true)]
    pub host_concurrency: Option<usize>,
    /// Minimum time between two requests to one host; `0` disables all delays
    /// except Crawl-delay in robots.txt [default: 100ms; crawls: 1s]
    #[arg(long, value_name = "TIME", env = "RELINK_HOST_INTERVAL", hide_env_values = true)]
    pub host_interval: Option<DurationArg>,
    /// Timeout per URL, redirects included [default: 10s]
    #[arg(long, value_name = "TIME", env = "RELINK_TIMEOUT", hide_env_values = true)]
    pub timeout: Option<DurationArg>,
    /// Maximum size of a page that is read for its links or anchors, such as
    /// `500k` or `16M`; the report counts larger pages [default: 16M]
    #[arg(long, value_name = "SIZE", env = "RELINK_MAX_PAGE_SIZE")]
    pub max_page_size: Option<ByteSize>,
    /// Maximum number of retries after a transient failure [default: 2]
    #[arg(long, value_name = "N", env = "RELINK_RETRIES", hide_env_values = true)]
    pub retries: Option<u32>,
    /// Rules that pages are judged by; the rules of a paper use no cached
    /// results [default: relink]
    #[arg(long, value_name = "NAME", env = "RELINK_POLICY", hide_env_values = true)]
    pub policy: Option<PolicyArg>,
    /// Request only the listed pages, no other URLs for comparison; soft-404s
    /// are then not detected
    #[arg(long)]
    pub no_controls: bool,
    /// Reuse `alive` results younger than this; `0` disables the cache [default:
    /// 1d]
    #[arg(long, value_name = "TIME", env = "RELINK_MAX_CACHE_AGE", hide_env_values = true)]
    pub max_cache_age: Option<DurationArg>,
    /// Header for the hosts of URLs on the command line; may be repeated
    #[arg(long, value_name = "NAME: VALUE")]
    pub header: Vec<String>,
    /// Header for this host only, even if only a document names it; may be
    /// repeated
    #[arg(long, num_args = 2, value_names = ["HOST", "NAME: VALUE"])]
    pub header_for: Vec<String>,
    /// User-Agent header [default: names Relink]
    #[arg(long, value_name = "TEXT", env = "RELINK_USER_AGENT", hide_env_values = true)]
    pub user_agent: Option<String>,
    /// Contact URL or mail address in the User-Agent, for server operators
    /// [default: the repository of Relink, if it has one]
    #[arg(long, value_name = "URL", env = "RELINK_CONTACT", hide_env_values = true)]
    pub contact: Option<String>,
    /// Use these IP addresses for HOST:PORT, as curl's --resolve does; may be
    /// repeated
    #[arg(long, value_name = "HOST:PORT:ADDR")]
    pub resolve: Vec<ResolveOverride>,
    /// Proxy for all requests, `SCHEME://[USER:PASSWORD@]HOST:PORT` with the
    /// scheme http, https, socks5 or socks5h [default: `HTTP_PROXY`,
    /// `HTTPS_PROXY` and `ALL_PROXY`]
    #[arg(long, value_name = "URL", env = "RELINK_PROXY", hide_env_values = true)]
    pub proxy: Option<String>,
    /// Hosts to connect to without a proxy, separated by commas: names (with
    /// their subdomains), IP addresses, networks, or `*` [default: `NO_PROXY`]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        env = "RELINK_NO_PROXY",
        hide_env_values = true
    )]
    pub no_proxy: Option<Vec<String>>,
    /// Client certificate (PEM) for the hosts that receive the headers of
    /// `--header`
    #[arg(long, value_name = "FILE", env = "RELINK_CLIENT_CERT", hide_env_values = true)]
    pub client_cert: Option<PathBuf>,
    /// Private key (PEM) of the client certificate [default: in the certificate
    /// file]
    #[arg(long, value_name = "FILE", env = "RELINK_CLIENT_KEY", hide_env_values = true)]
    pub client_key: Option<PathBuf>,
    /// DNS server to use instead of the system resolver
    #[arg(long, value_name = "ADDR:PORT", env = "RELINK_DNS_SERVER", hide_env_values = true)]
    pub dns_server: Option<SocketAddr>,
    /// Allow links and redirects to private addresses
    #[arg(long)]
    pub allow_private: bool,
}

/// Arguments of `relink extract`.
#[derive(Debug, Args)]
pub struct ExtractArgs {
    /// Files, directories, globs, or `-` for standard input
    #[arg(required = true, value_name = "PATH")]
    pub inputs: Vec<OsString>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExtractFormat,
    /// Format of every document: markdown, html, rst, asciidoc, wikitext, css,
    /// xml, notebook, csv, tsv, json, jsonl, list, text or source [default: by
    /// name and content]
    #[arg(long = "as", value_name = "FORMAT")]
    pub read_as: Option<relink_page::DocumentFormat>,
    /// CSV or TSV column that holds the URLs, by name or number [default: every
    /// cell that is a URL]
    #[arg(long, value_name = "NAME|N")]
    pub column: Option<String>,
}

/// Output formats of `relink extract`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExtractFormat {
    /// One line per link
    Human,
    /// One JSON document
    Json,
    /// One JSON object per link
    Jsonl,
}

/// Arguments of `relink explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A code, an HTTP status, or a URL that was checked or searched for
    #[arg(required_unless_present = "list", value_name = "CODE|STATUS|URL")]
    pub subject: Option<String>,
    /// List all codes
    #[arg(long)]
    pub list: bool,
    /// Output format of the record of a URL
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// Database: a file, or a URL `postgres://…` [default: one per project in your data directory]
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
}

/// Output formats of a single result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExplainFormat {
    /// Text
    Human,
    /// One JSON object
    Json,
}

/// Arguments of `relink db`.
#[derive(Debug, Args)]
pub struct DbArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: DbCommand,
    /// Database: a file, or a URL `postgres://…` [default: one per project in your data directory]
    #[arg(long, global = true, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
}

/// Subcommands of `relink db`.
#[derive(Debug, Subcommand)]
pub enum DbCommand {
    /// Print the path of the database
    Path,
    /// Print the size of its contents
    Size,
    /// Print the workers, leases and queues of a PostgreSQL database
    Status,
    /// Delete old runs and probes; current results are preserved
    Prune {
        /// Delete data older than this
        #[arg(long, value_name = "TIME", default_value = "90d")]
        older_than: DurationArg,
    },
    /// Return free space to the file system
    Vacuum,
}
