//! `crawl`: checks all pages and links of a site.
//!
//! A crawl is a check that follows links: pages inside its *scope* (the site) are
//! parsed, and their links become new tasks. Pages of other sites are checked and not
//! followed. A *trap* is an endless set of generated pages, such as the months of a
//! calendar. A *seed* is a start page.

mod checkpoint;
mod crawler;
mod page_fetch;
mod report;
mod rules;
mod site_errors;

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::{DetectedTrap, NetworkDoubt, canonicalize};
use relink_model::{LinkKind, RunId, SourceLocation, Span};
use relink_ports::{OpenRun, RenderError, RunKey, RunState};
use url::Url;

use self::crawler::Crawler;
pub(crate) use self::crawler::FetchedPageContext;
pub use self::crawler::HostRobotsInfo;
pub use self::page_fetch::RenderMode;
pub(crate) use self::page_fetch::{PageFetch, PageFetchResult};
pub use self::report::count_skipped_links;
pub use self::report::{previous_crawl, site_report};
pub use self::rules::{CrawlRules, SkippedLinks};
pub use self::site_errors::SiteErrors;
use crate::dispatch::{DispatchEnd, DispatchStart, Dispatcher, Job};
use crate::{DispatchSettings, Observer};
use relink_documents::LoadProgress;
use relink_requests::{BEFORE_FIRST_TASK, EngineError, Ports, StopSignal};

/// Label of the document with the URLs given by the user.
const ARGUMENTS: &str = "arguments";
/// Name of the crawl checkpoint.
const CHECKPOINT: &str = "crawl";
/// Number of URLs read from the store at a time.
const PAGE_SIZE: usize = 4096;

/// Settings of a crawl.
#[derive(Debug, Clone)]
pub struct CrawlSettings {
    /// Start pages, as given and in canonical form.
    pub seeds: Vec<(String, Url)>,
    /// Scope and limits.
    pub rules: CrawlRules,
    /// Sitemaps to read, in addition to those of the site.
    pub sitemaps: Vec<Url>,
    /// Whether the sitemaps of the site are read.
    pub reads_sitemaps: bool,
    /// When pages are rendered in a browser.
    pub render: RenderMode,
    /// Limits and rules for fetching.
    pub dispatch: DispatchSettings,
    /// Time limit. The next run resumes an unfinished crawl.
    pub max_time: Option<Duration>,
    /// Whether to start a new run instead of resuming an unfinished one.
    pub is_fresh: bool,
    /// Further settings that are part of the run key, by name.
    pub scope: BTreeMap<String, String>,
}

/// Why a crawl ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CrawlEnd {
    /// No task is left.
    Finished,
    /// No host responded, so no page was judged.
    NoNetwork,
    /// Interrupted by the user. The next run with the same key resumes it.
    Interrupted,
    /// The time limit was reached. The next run with the same key resumes it.
    TimeLimitReached,
    /// A host of the site started to block the crawler. The next run with the
    /// same key resumes it.
    BlockedByHost {
        /// The name of the host.
        host: String,
        /// Number of requests sent to the host since the run was started or
        /// resumed.
        requests: u64,
        /// Whether the host stopped responding. If not, it responds with
        /// refusals.
        is_silent: bool,
    },
}

/// Result of a crawl.
#[derive(Debug, Clone)]
pub struct CrawlOutcome {
    /// The id of the run in the store.
    pub run: RunId,
    /// When the run was first started.
    pub started_at: Timestamp,
    /// Whether the crawl resumed an unfinished run.
    pub is_resumed: bool,
    /// Why the crawl ended.
    pub end: CrawlEnd,
    /// Links that were not fetched.
    pub skipped_links: SkippedLinks,
    /// Traps that were avoided.
    pub traps: Vec<DetectedTrap>,
    /// Hosts with a robots.txt to report.
    pub hosts: Vec<HostRobotsInfo>,
    /// Why failures may be caused by the local network, if that is suspected.
    pub doubt: Option<NetworkDoubt>,
    /// Number of pages of the site that fail.
    pub errors: SiteErrors,
    /// Number of pages that could not be rendered, and the first error.
    pub render_failures: Option<(u64, RenderError)>,
}

/// Crawls a site.
pub async fn crawl(
    ports: &Ports,
    settings: &CrawlSettings,
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<CrawlOutcome, EngineError> {
    let run = ports.store.open_run(&run_key(settings), settings.is_fresh, ports.now()).await?;
    let mut crawler = start(ports, settings, &run).await?;
    // A crawl loads no documents: its links are found while it runs.
    let progress = LoadProgress::default();
    progress.finish_empty();
    let dispatcher = Dispatcher::new(
        ports,
        &run,
        &settings.dispatch,
        DispatchStart::DuringLoading,
        &progress,
        &mut crawler,
    );
    let dispatch_end = dispatcher.run(observer, stop).await?;
    let doubt = match &dispatch_end {
        DispatchEnd::InDoubt(doubt) => Some(doubt.clone()),
        _ => None,
    };
    let end = crawl_end(dispatch_end);
    if let Some((name, checkpoint)) = crawler.periodic_checkpoint() {
        ports.store.save_checkpoint(run.id, name, &checkpoint).await?;
    }
    let state = match end {
        CrawlEnd::Finished => RunState::Finished,
        CrawlEnd::NoNetwork => RunState::NoNetwork,
        CrawlEnd::Interrupted | CrawlEnd::TimeLimitReached | CrawlEnd::BlockedByHost { .. } => {
            RunState::Open
        }
    };
    ports.store.close_run(run.id, state, ports.now()).await?;
    let errors = site_errors::count(&*ports.store, run.id, |url| crawler.follows(url)).await?;
    Ok(CrawlOutcome {
        errors,
        doubt,
        run: run.id,
        started_at: run.started_at,
        is_resumed: run.is_resumed,
        end,
        skipped_links: crawler.skipped_links().clone(),
        traps: crawler.traps(),
        hosts: crawler.hosts(),
        render_failures: crawler.render_failures().cloned(),
    })
}

/// Returns why the crawl ended. A doubt about the network is reported separately.
fn crawl_end(dispatch_end: DispatchEnd) -> CrawlEnd {
    match dispatch_end {
        DispatchEnd::Done | DispatchEnd::InDoubt(_) => CrawlEnd::Finished,
        DispatchEnd::NoNetwork => CrawlEnd::NoNetwork,
        DispatchEnd::Stopped => CrawlEnd::Interrupted,
        DispatchEnd::TimeLimitReached => CrawlEnd::TimeLimitReached,
        DispatchEnd::BlockedByHost { host, requests, is_silent } => {
            CrawlEnd::BlockedByHost { host, requests, is_silent }
        }
    }
}

/// Starts a crawl and stores its start pages, or restores an unfinished one.
async fn start(
    ports: &Ports,
    settings: &CrawlSettings,
    run: &OpenRun,
) -> Result<Crawler, EngineError> {
    let checkpoint = ports.store.checkpoint(run.id, CHECKPOINT).await?;
    let mut crawler = Crawler::new(settings, checkpoint.as_deref(), ports.now());
    if run.is_resumed {
        restore_urls(ports, run.id, &mut crawler).await?;
    }
    let seeds = crawler.seed_page(ARGUMENTS, &settings.seeds);
    ports.store.add_pages(run.id, &[seeds], crawler.cache_window(ports.now())).await?;
    Ok(crawler)
}

/// Restores the URLs that the crawl accepted before an interruption.
async fn restore_urls(ports: &Ports, run: RunId, crawler: &mut Crawler) -> Result<(), EngineError> {
    let mut after = BEFORE_FIRST_TASK;
    loop {
        let page = ports.store.site_urls(run, after, PAGE_SIZE).await?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        after = *last;
        for (_, url) in &page {
            crawler.restore_url(url);
        }
    }
}

/// Returns the key under which the run is stored.
fn run_key(settings: &CrawlSettings) -> RunKey {
    let scope: Vec<String> =
        settings.scope.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let inputs = settings.seeds.iter().map(|(_, url)| url.to_string()).collect();
    RunKey { command: "crawl".to_owned(), inputs, scope: scope.join("\n") }
}

/// Returns the location of a URL on the command line. The line is its number, from 1.
fn argument_location(position: u32, text: &str) -> SourceLocation {
    let span = Span { start: 0, end: text.len() };
    SourceLocation { span, line: position + 1, column: 1, kind: LinkKind::Argument }
}

/// Parses a start page, which must be a web URL.
pub fn parse_seed(text: &str) -> Result<Url, String> {
    canonicalize(None, text).map_err(|error| error.to_string())
}
