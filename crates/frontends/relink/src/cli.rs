//! The command line, as typed. What it means is in `settings`.

mod decay;
mod ignored;
mod report;
mod revive;
mod survey;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use relink_fetch::ResolveOverride;
use relink_model::Verdict;
use relink_page::SlugStyle;
use url::Url;

pub use self::ignored::refuse;
pub use self::report::{ReportArgs, ReportCommand, ReportFormat};
pub use self::revive::{
    CheckReviveArgs, ElsewhereChoice, PatternsArgs, PatternsCommand, ReviveArgs, ReviveFormat,
    usual_archive,
};
use crate::byte_size::ByteSize;
use crate::duration_arg::DurationArg;

pub use self::decay::{
    CrawlChoice, DecayArgs, DecayForm, DecayFormat, FailuresChoice, ScoringArgs,
};
pub use self::survey::{
    AnalyzeArgs, BreakageArg, FieldArgs, SimulateArgs, SurveyArgs, SurveyCommand,
};

/// Finds dead links, explains them, and keeps collections of links alive.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Flags of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
}

/// How to speak to the person at the terminal.
#[derive(Debug, Clone, Args)]
pub struct GlobalArgs {
    /// Say less: no progress, no hints.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more: every finding, every host.
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// When to use color.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// When to use color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Tour of a built-in rotten library: no network, nothing to set up.
    Demo,
    /// Check the links of files, directories, lists and pages.
    Check(Box<CheckArgs>),
    /// Crawl a site: every page, every link, the whole health of it.
    Crawl(Box<CrawlArgs>),
    /// Survey a catalog: most of what is broken, with few requests.
    Survey(Box<SurveyArgs>),
    /// Measure how rotten the neighborhood of a page is.
    Decay(Box<DecayArgs>),
    /// Report a crawl: on the terminal, as one page of HTML, as JSON.
    Report(ReportArgs),
    /// Find where dead pages went: a live successor, an archived copy.
    Revive(Box<ReviveArgs>),
    /// Look after what was learned about how sites moved.
    Patterns(PatternsArgs),
    /// Print the links of files and directories, with their places. Nothing is
    /// asked.
    Extract(ExtractArgs),
    /// Explain a code (`RL101`) or an HTTP status (`451`).
    Explain(ExplainArgs),
    /// Look after the database.
    Db(DbArgs),
}

/// `relink check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Files, directories, globs, URLs of pages, or `-` for standard input.
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<OsString>,
    /// What stdout gets.
    #[arg(long, value_enum, env = "RELINK_FORMAT", hide_env_values = true)]
    pub format: Option<RowsFormat>,
    /// Write a report to a file too; the extension says which (`.json`,
    /// `.jsonl`, `.txt`). May be repeated.
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Check only addresses that match: a regular expression, or a glob. May
    /// be repeated.
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Leave out addresses and documents that match. May be repeated.
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Check local links only.
    #[arg(long)]
    pub offline: bool,
    /// Start anew, although an unfinished run of the same inputs is there.
    #[arg(long)]
    pub fresh: bool,
    /// The words that fail a run, separated by commas [default:
    /// dead,soft-404,hijacked,local].
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "WORDS",
        env = "RELINK_FAIL_ON",
        hide_env_values = true
    )]
    pub fail_on: Option<Vec<Verdict>>,
    /// Use this database instead of the project's own.
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
    /// Use this configuration file instead of the project's `relink.toml`.
    #[arg(long, value_name = "FILE", env = "RELINK_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// How to read.
    #[command(flatten)]
    pub reading: DocumentArgs,
    /// Whether to look for dead pages, and where.
    #[command(flatten)]
    pub reviving: CheckReviveArgs,
    /// How to ask.
    #[command(flatten)]
    pub asking: RequestArgs,
}

/// `relink crawl`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct CrawlArgs {
    /// What else to do with crawls.
    #[command(subcommand)]
    pub command: Option<CrawlCommand>,
    /// Where to begin.
    #[arg(required = true, value_name = "URL")]
    pub urls: Vec<String>,
    /// What stdout gets.
    #[arg(long, value_enum, env = "RELINK_FORMAT", hide_env_values = true)]
    pub format: Option<OutputFormat>,
    /// Write a report to a file too; the extension says which (`.html`,
    /// `.json`, `.jsonl`, `.txt`). May be repeated.
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Write the link graph or a sitemap: `graphml`, `csv` or `sitemap`, with
    /// `=FILE` if the name matters. May be repeated.
    #[arg(long, value_name = "KIND[=FILE]")]
    pub export: Vec<Export>,
    /// Start anew, although an unfinished crawl of the same site is there.
    #[arg(long)]
    pub fresh: bool,
    /// The words that fail a run, separated by commas [default:
    /// dead,soft-404,hijacked,local].
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "WORDS",
        env = "RELINK_FAIL_ON",
        hide_env_values = true
    )]
    pub fail_on: Option<Vec<Verdict>>,
    /// Use this database instead of the project's own.
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
    /// Use this configuration file instead of the project's `relink.toml`.
    #[arg(long, value_name = "FILE", env = "RELINK_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// Where to go.
    #[command(flatten)]
    pub going: CrawlScopeArgs,
    /// How to ask.
    #[command(flatten)]
    pub asking: RequestArgs,
}

/// What else to do with crawls.
#[derive(Debug, Subcommand)]
pub enum CrawlCommand {
    /// List crawls: how far they have come, and how to go on.
    Status {
        /// Use this database instead of the project's own.
        #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
        db: Option<PathBuf>,
    },
}

/// Where a crawl goes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Going")]
pub struct CrawlScopeArgs {
    /// Which pages are followed: those of the same host, of the same
    /// registrable domain, or below the same path. Links that lead elsewhere
    /// are checked and not followed.
    #[arg(long, value_enum, default_value_t = CrawlScopeArg::Host, value_name = "REACH")]
    pub scope: CrawlScopeArg,
    /// All pages of one depth before the next, or one branch to its end.
    #[arg(long, value_enum, default_value_t = CrawlOrder::Breadth, value_name = "ORDER")]
    pub order: CrawlOrder,
    /// The deepest pages to ask, in links from the beginning.
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
    /// The most pages to follow.
    #[arg(long, value_name = "N")]
    pub max_pages: Option<u64>,
    /// The longest it may take; the same command then goes on.
    #[arg(long, value_name = "TIME")]
    pub max_time: Option<DurationArg>,
    /// Take only addresses that match: a regular expression, or a glob. May be
    /// repeated.
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<String>,
    /// Leave out addresses that match. May be repeated.
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Maximum number of links to read on one page; the report counts the links
    /// beyond it [default: 100000].
    #[arg(long, value_name = "N", env = "RELINK_MAX_PAGE_LINKS")]
    pub max_page_links: Option<usize>,
    /// Do not check links to other sites.
    #[arg(long)]
    pub no_external: bool,
    /// Read this sitemap too. May be repeated.
    #[arg(long, value_name = "URL")]
    pub sitemap: Vec<Url>,
    /// Do not read the sitemaps that robots.txt names, nor `/sitemap.xml`.
    #[arg(long)]
    pub no_sitemaps: bool,
    /// Follow links that pages ask not to follow (`nofollow`).
    #[arg(long)]
    pub follow_nofollow: bool,
    /// Build pages in a browser before reading them: where they are empty
    /// without scripts, always, or never.
    #[arg(long, value_enum, default_value_t = RenderArg::Auto, value_name = "WHEN")]
    pub render: RenderArg,
}

/// Which pages a crawl follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CrawlScopeArg {
    /// Those of the same host and port.
    Host,
    /// Those of the same registrable domain.
    Domain,
    /// Those below the same path.
    Path,
}

/// In which order a crawl goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CrawlOrder {
    /// All pages of one depth before the next.
    Breadth,
    /// One branch to its end before the next.
    Depth,
}

/// When pages are built in a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RenderArg {
    /// Where they are empty without scripts.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Something to write of a crawl's links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// What.
    pub kind: ExportKind,
    /// Where to.
    pub path: PathBuf,
}

/// What can be written of a crawl's links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportKind {
    /// The link graph as GraphML.
    Graphml,
    /// The link graph, one link a line.
    Csv,
    /// A sitemap of the pages that are alive.
    Sitemap,
}

impl FromStr for Export {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, path) = text.split_once('=').unwrap_or((text, ""));
        let (kind, usual) = match kind {
            "graphml" => (ExportKind::Graphml, "links.graphml"),
            "csv" => (ExportKind::Csv, "links.csv"),
            "sitemap" => (ExportKind::Sitemap, "sitemap.xml"),
            other => {
                return Err(format!("`{other}` cannot be written; graphml, csv and sitemap can"));
            }
        };
        let path = if path.is_empty() { usual } else { path };
        Ok(Self { kind, path: path.into() })
    }
}

/// How documents are read and local links followed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub struct DocumentArgs {
    /// The directory that links like `/guide.md` start from; without it they
    /// are skipped.
    #[arg(long, value_name = "DIR", env = "RELINK_ROOT_DIR", hide_env_values = true)]
    pub root_dir: Option<PathBuf>,
    /// The address the documents are published under: relative links are then
    /// asked on the web.
    #[arg(long, value_name = "URL", env = "RELINK_BASE_URL", hide_env_values = true)]
    pub base_url: Option<Url>,
    /// What a linked directory must hold one of, separated by commas; `.`
    /// stands for the directory itself [default: .].
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "NAMES",
        env = "RELINK_INDEX_FILES",
        hide_env_values = true
    )]
    pub index_files: Option<Vec<String>>,
    /// Extensions that local links may leave out, separated by commas.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "EXTS",
        env = "RELINK_FALLBACK_EXTENSIONS",
        hide_env_values = true
    )]
    pub fallback_extensions: Option<Vec<String>>,
    /// Whose anchors headings have: any, github, gitlab, mdbook, mkdocs or
    /// sphinx; `off` checks none [default: any].
    #[arg(long, value_name = "STYLE", env = "RELINK_ANCHORS", hide_env_values = true)]
    pub anchors: Option<AnchorStyle>,
    /// Look for anchors on web pages, too: a link to `page#part` must find
    /// `part` there.
    #[arg(long)]
    pub remote_anchors: bool,
    /// Read every document as this format, whatever its name: markdown, html,
    /// rst, asciidoc, wikitext, css, xml, notebook, csv, tsv, json, jsonl,
    /// list, text or source.
    #[arg(long = "as", value_name = "FORMAT")]
    pub read_as: Option<relink_page::DocumentFormat>,
    /// The column of a CSV or TSV file that holds the addresses, by name or
    /// number.
    #[arg(long, value_name = "NAME|N")]
    pub column: Option<String>,
}

/// Whose anchors headings have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnchorStyle(pub Option<SlugStyle>);

impl FromStr for AnchorStyle {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self(None)),
            name => name.parse().map(|slugs| Self(Some(slugs))).map_err(
                |error: relink_page::ParseSlugStyleError| format!("{error}; `off` checks none"),
            ),
        }
    }
}

/// How servers are asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Asking")]
pub struct RequestArgs {
    /// Requests in flight over all hosts [default: 128; crawls: 16 for each
    /// processor].
    #[arg(long, value_name = "N", env = "RELINK_CONCURRENCY", hide_env_values = true)]
    pub concurrency: Option<usize>,
    /// Requests in flight per host [default: 4; crawls: 1].
    #[arg(long, value_name = "N", env = "RELINK_HOST_CONCURRENCY", hide_env_values = true)]
    pub host_concurrency: Option<usize>,
    /// The least time between requests of one host; `0` switches all waiting
    /// off, but never a delay that robots.txt asks for [default: 100ms;
    /// crawls: 1s].
    #[arg(long, value_name = "TIME", env = "RELINK_HOST_INTERVAL", hide_env_values = true)]
    pub host_interval: Option<DurationArg>,
    /// The longest one request may take, redirects included [default: 10s].
    #[arg(long, value_name = "TIME", env = "RELINK_TIMEOUT", hide_env_values = true)]
    pub timeout: Option<DurationArg>,
    /// Maximum size of a page that is read for its links or anchors, such as
    /// `500k` or `16M`; the report counts longer pages [default: 16M].
    #[arg(long, value_name = "SIZE", env = "RELINK_MAX_PAGE_SIZE")]
    pub max_page_size: Option<ByteSize>,
    /// How often a passing trouble is asked again in one run [default: 2].
    #[arg(long, value_name = "N", env = "RELINK_RETRIES", hide_env_values = true)]
    pub retries: Option<u32>,
    /// How old a remembered "alive" may be; `0` asks everything again
    /// [default: 1d].
    #[arg(long, value_name = "TIME", env = "RELINK_MAX_AGE", hide_env_values = true)]
    pub max_age: Option<DurationArg>,
    /// A header to send to the hosts of URLs on the command line. May be
    /// repeated.
    #[arg(long, value_name = "NAME: VALUE")]
    pub header: Vec<String>,
    /// A header to send to this host only, also where a document names it.
    /// May be repeated.
    #[arg(long, num_args = 2, value_names = ["HOST", "NAME: VALUE"])]
    pub header_for: Vec<String>,
    /// The User-Agent to send instead of Relink's own.
    #[arg(long, value_name = "TEXT", env = "RELINK_USER_AGENT", hide_env_values = true)]
    pub user_agent: Option<String>,
    /// Where to read about who sends the requests, a URL or mail address, as
    /// part of the User-Agent [default: the repository of Relink, if it has
    /// one].
    #[arg(long, value_name = "URL", env = "RELINK_CONTACT", hide_env_values = true)]
    pub contact: Option<String>,
    /// Ask HOST:PORT at these addresses, whatever its name says. May be
    /// repeated.
    #[arg(long, value_name = "HOST:PORT:ADDR")]
    pub resolve: Vec<ResolveOverride>,
    /// The proxy for all requests, `SCHEME://[USER:PASSWORD@]HOST:PORT` with
    /// the scheme http, https, socks5 or socks5h [default: `HTTP_PROXY`,
    /// `HTTPS_PROXY` and `ALL_PROXY`].
    #[arg(long, value_name = "URL", env = "RELINK_PROXY", hide_env_values = true)]
    pub proxy: Option<String>,
    /// Hosts to reach without a proxy: names (with all below them), addresses
    /// and networks, `*` for all, separated by commas [default: `NO_PROXY`].
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        env = "RELINK_NO_PROXY",
        hide_env_values = true
    )]
    pub no_proxy: Option<Vec<String>>,
    /// The client certificate (PEM) for hosts that get the headers of
    /// `--header`.
    #[arg(long, value_name = "FILE", env = "RELINK_CLIENT_CERT", hide_env_values = true)]
    pub client_cert: Option<PathBuf>,
    /// The private key (PEM) of the client certificate [default: in the file
    /// of the certificate].
    #[arg(long, value_name = "FILE", env = "RELINK_CLIENT_KEY", hide_env_values = true)]
    pub client_key: Option<PathBuf>,
    /// The name server to ask instead of the system's.
    #[arg(long, value_name = "ADDR:PORT", env = "RELINK_DNS_SERVER", hide_env_values = true)]
    pub dns_server: Option<SocketAddr>,
    /// Let pages and redirects lead to private addresses.
    #[arg(long)]
    pub allow_private: bool,
}

/// What a report looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON object per target, as they come.
    Jsonl,
    /// One page of HTML, of a crawl.
    Html,
}

/// What a report of targets looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowsFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON object per target, as they come.
    Jsonl,
}

impl From<RowsFormat> for OutputFormat {
    fn from(format: RowsFormat) -> Self {
        match format {
            RowsFormat::Human => Self::Human,
            RowsFormat::Json => Self::Json,
            RowsFormat::Jsonl => Self::Jsonl,
        }
    }
}

/// `relink extract`.
#[derive(Debug, Args)]
pub struct ExtractArgs {
    /// Files, directories, globs, or `-` for standard input.
    #[arg(required = true, value_name = "PATH")]
    pub inputs: Vec<OsString>,
    /// What stdout gets.
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExtractFormat,
    /// Read every document as this format, whatever its name: markdown, html,
    /// rst, asciidoc, wikitext, css, xml, notebook, csv, tsv, json, jsonl,
    /// list, text or source.
    #[arg(long = "as", value_name = "FORMAT")]
    pub read_as: Option<relink_page::DocumentFormat>,
    /// The column of CSV and TSV that holds the addresses, by name or by
    /// number from 1 [default: every cell that is an address].
    #[arg(long, value_name = "NAME|N")]
    pub column: Option<String>,
}

/// What links are told as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExtractFormat {
    /// One line per link, for people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON object per link.
    Jsonl,
}

/// `relink explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A code, an HTTP status, or the URL of a page that was checked or looked
    /// for.
    #[arg(required_unless_present = "list", value_name = "CODE|STATUS|URL")]
    pub subject: Option<String>,
    /// List every code.
    #[arg(long)]
    pub list: bool,
    /// What a page's story is told as.
    #[arg(long, value_enum, default_value = "human")]
    pub format: ExplainFormat,
    /// The database to look it up in, instead of the project's own.
    #[arg(long, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
}

/// What an explanation looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExplainFormat {
    /// For people.
    Human,
    /// One JSON object.
    Json,
}

/// `relink db`.
#[derive(Debug, Args)]
pub struct DbArgs {
    /// What to do with it.
    #[command(subcommand)]
    pub command: DbCommand,
    /// The database, instead of the project's own.
    #[arg(long, global = true, value_name = "FILE", env = "RELINK_DB", hide_env_values = true)]
    pub db: Option<PathBuf>,
}

/// What to do with the database.
#[derive(Debug, Subcommand)]
pub enum DbCommand {
    /// Print where it is.
    Path,
    /// Print how much it holds.
    Size,
    /// Forget old runs and probes, but no target's present state.
    Prune {
        /// Forget what is older than this.
        #[arg(long, value_name = "TIME", default_value = "90d")]
        older_than: DurationArg,
    },
    /// Give unused room back to the disk.
    Vacuum,
}
