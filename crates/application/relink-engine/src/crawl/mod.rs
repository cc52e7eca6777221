//! `crawl`: the whole health of a site.
//!
//! A crawl is a check that goes on: pages inside its scope are read for their
//! links as they are judged, and what they link to is asked in turn. Pages of
//! other sites are checked and not followed.

mod crawler;
mod duplicate_parameters;
mod page_fetch;
mod reading;
mod report;
mod site_errors;
mod sitemap_limits;

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::{DetectedTrap, NetworkDoubt, canonicalize};
use relink_model::{LinkKind, RunId, SourceLocation, Span, TaskId};
use relink_ports::{OpenRun, RenderError, RunKey, RunState};
use url::Url;

pub use self::crawler::{CrawlRules, HostNote, SkippedLinks};
pub(crate) use self::crawler::{Crawler, FetchedPageContext};
pub(crate) use self::page_fetch::PageFetchResult;
pub use self::page_fetch::RenderMode;
pub(crate) use self::reading::{
    BadLink, MOST_ENTRIES, ParsedLink, ParsedPage, SITEMAP_BYTES, is_named_as_sitemap, is_sitemap,
    read, unpacked_body,
};
pub(crate) use self::report::links_left_aside;
pub use self::report::{crawl_before, site_report};
pub use self::site_errors::SiteErrors;
pub(crate) use self::sitemap_limits::{MAX_INDEX_LEVELS, MAX_SITEMAPS};
use crate::dispatch::{DispatchEnd, DispatchStart, Dispatcher};
use crate::load::LoadProgress;
use crate::{DispatchSettings, EngineError, Observer, Ports, StopSignal};

/// The document that the addresses named by the user stand in.
const ARGUMENTS: &str = "arguments";
/// The note a crawl keeps its memory under.
const MEMORY: &str = "crawl";
/// Addresses are read back this many at a time.
const PAGE: usize = 4096;

/// What to crawl, and how.
#[derive(Debug, Clone)]
pub struct CrawlSettings {
    /// Where to begin, as the user wrote it and as it is asked.
    pub seeds: Vec<(String, Url)>,
    /// Where to go.
    pub rules: CrawlRules,
    /// Sitemaps to read, beside those that the site itself names.
    pub sitemaps: Vec<Url>,
    /// Whether those that the site names are read.
    pub reads_sitemaps: bool,
    /// When pages are built in a browser.
    pub render: RenderMode,
    /// How to ask.
    pub ask: DispatchSettings,
    /// The longest it may take; an unfinished crawl goes on the next time.
    pub time: Option<Duration>,
    /// Whether to start anew although an unfinished run is there.
    pub is_fresh: bool,
    /// What else decides which run this is, by name.
    pub scope: BTreeMap<String, String>,
}

/// How a crawl came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CrawlEnd {
    /// Nothing is left to ask.
    Finished,
    /// No host answered at all, so nothing was decided.
    NoNetwork,
    /// Somebody stopped it; the next run of the same plan goes on.
    Interrupted,
    /// Its time was up; the next run of the same plan goes on.
    TimeLimitReached,
    /// The site stopped answering us; the next run of the same plan goes on.
    BlockedByHost {
        /// Which host.
        host: String,
        /// How often it was asked in this turn.
        requests: u64,
        /// Whether it sends no responses any more; else it refuses us.
        is_silent: bool,
    },
}

/// A crawl that has come to an end.
#[derive(Debug, Clone)]
pub struct CrawlOutcome {
    /// The run in the store.
    pub run: RunId,
    /// When it was first started.
    pub started: Timestamp,
    /// Whether it went on from an interrupted one.
    pub is_resumed: bool,
    /// How it ended.
    pub end: CrawlEnd,
    /// Links that were not asked.
    pub skipped_links: SkippedLinks,
    /// Traps that were avoided.
    pub avoided: Vec<DetectedTrap>,
    /// What hosts said about robots that is worth telling.
    pub hosts: Vec<HostNote>,
    /// Why failures may be those of our own network.
    pub doubt: Option<NetworkDoubt>,
    /// How many of the site's own pages fail on its side.
    pub errors: SiteErrors,
    /// How many pages were read without the browser they need, and why.
    pub unrendered: Option<(u64, RenderError)>,
}

/// Crawls.
pub async fn crawl(
    ports: &Ports,
    settings: &CrawlSettings,
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<CrawlOutcome, EngineError> {
    let run = ports.store.open_run(&plan(settings), settings.is_fresh, ports.now()).await?;
    let mut crawler = begin(ports, settings, &run).await?;
    let loading = LoadProgress::default();
    loading.finish_empty();
    let asker = Dispatcher::new(
        ports,
        &run,
        &settings.ask,
        DispatchStart::WhileLoading,
        &loading,
        Some(&mut crawler),
    );
    let ending = asker.run(observer, stop).await?;
    let doubt = match &ending {
        DispatchEnd::InDoubt(doubt) => Some(doubt.clone()),
        _ => None,
    };
    let end = end(ending);
    save_checkpoint(ports, run.id, &crawler).await?;
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
        started: run.started,
        is_resumed: run.is_resumed,
        end,
        skipped_links: crawler.left_aside().clone(),
        avoided: crawler.avoided(),
        hosts: crawler.hosts(),
        unrendered: crawler.unrendered().cloned(),
    })
}

fn end(asked: DispatchEnd) -> CrawlEnd {
    match asked {
        DispatchEnd::Done | DispatchEnd::InDoubt(_) => CrawlEnd::Finished,
        DispatchEnd::NoNetwork => CrawlEnd::NoNetwork,
        DispatchEnd::Stopped => CrawlEnd::Interrupted,
        DispatchEnd::TimeLimitReached => CrawlEnd::TimeLimitReached,
        DispatchEnd::BlockedByHost { host, requests: asked, is_silent } => {
            CrawlEnd::BlockedByHost { host, requests: asked, is_silent }
        }
    }
}

/// A crawl with its seeds stored, or with all that it knew before.
async fn begin(
    ports: &Ports,
    settings: &CrawlSettings,
    run: &OpenRun,
) -> Result<Crawler, EngineError> {
    let memory = ports.store.checkpoint(run.id, MEMORY).await?;
    let mut crawler = Crawler::new(settings, memory.as_deref(), ports.now());
    if run.is_resumed {
        recall(ports, run.id, &mut crawler).await?;
    }
    let seeds = crawler.seeds(ARGUMENTS, &settings.seeds);
    ports.store.add_pages(run.id, &[seeds], crawler.moments(ports.now())).await?;
    Ok(crawler)
}

/// Tells a crawl what it had let in before it was interrupted.
async fn recall(ports: &Ports, run: RunId, crawler: &mut Crawler) -> Result<(), EngineError> {
    let mut after = TaskId(0);
    loop {
        let page = ports.store.site_urls(run, after, PAGE).await?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        after = *last;
        for (_, url) in &page {
            crawler.recall(url);
        }
    }
}

/// Saves what a crawl has learned, for the case that it is interrupted.
pub(crate) async fn save_checkpoint(
    ports: &Ports,
    run: RunId,
    crawler: &Crawler,
) -> Result<(), EngineError> {
    if let Some(memory) = crawler.memory() {
        ports.store.save_checkpoint(run, MEMORY, &memory).await?;
    }
    Ok(())
}

fn plan(settings: &CrawlSettings) -> RunKey {
    let scope: Vec<String> =
        settings.scope.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let inputs = settings.seeds.iter().map(|(_, url)| url.to_string()).collect();
    RunKey { command: "crawl".to_owned(), inputs, scope: scope.join("\n") }
}

/// The place of an address on the command line.
fn argument(position: u32, given: &str) -> SourceLocation {
    let span = Span { start: 0, end: given.len() };
    SourceLocation { span, line: position + 1, column: 1, kind: LinkKind::Argument }
}

/// The canonical form of a seed, which must be a web address.
pub fn seed(given: &str) -> Result<Url, String> {
    canonicalize(None, given).map_err(|error| error.to_string())
}
