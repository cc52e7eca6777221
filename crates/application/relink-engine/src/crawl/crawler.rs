//! State of a running crawl.
//!
//! This module does not fetch or store. The state that must survive an
//! interruption is a [`CrawlCheckpoint`], which is saved with the run
//! periodically. State lost in a crash is collected again.
//!
//! A *trap* is an endless set of generated pages. To *test* a set, pages at invented URLs
//! of the set are fetched: if they exist, the set is endless. The *depth* of a page is the
//! number of links from a start page.

mod job;
mod link_selection;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::{
    DetectedTrap, EndlessTest, LinkDiscovery, PageFingerprint, TraversalOrder, host_key,
};
use relink_model::{
    FetchTask, Probe, RequestRights, Verdict, is_same_host_and_port, redact_stored_url,
};
use relink_ports::{LinkDecision, NewLink, NewPage, NewTarget, PageLink, RenderError};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::CrawlSettings;
use super::checkpoint::CrawlCheckpoint;
use super::page_fetch::RenderMode;
use super::rules::{CrawlRules, SkippedLinks};

/// Path of the sitemap if robots.txt lists none.
const DEFAULT_SITEMAP: &str = "/sitemap.xml";

/// A running crawl.
pub(crate) struct Crawler {
    rules: CrawlRules,
    checkpoint: CrawlCheckpoint,
    /// Hashes of all accepted URLs, so that each URL is evaluated once.
    known_urls: HashSet<u64>,
    /// Number of accepted pages inside the scope.
    page_count: u64,
    /// Tests for traps that are not started yet.
    pending_tests: Vec<EndlessTest>,
    /// Started tests, by the key of the tested set.
    running_tests: BTreeMap<String, RunningTest>,
    /// Number of links seen so far.
    link_count: u64,
    render: RenderMode,
    /// Time limit of the crawl.
    max_time: Option<Duration>,
    /// Whether the sitemaps of the site are read.
    reads_sitemaps: bool,
    /// URLs given by the user: start pages and sitemaps.
    user_urls: Vec<Url>,
    /// Sitemaps to read when no link is left.
    pending_sitemaps: Vec<Url>,
    /// Sitemaps that have been queued.
    queued_sitemaps: Vec<Url>,
    /// Sitemaps at the default path, which may not exist, because no robots.txt lists them.
    guessed_sitemaps: BTreeSet<String>,
    /// A start page of each host that has one.
    origins: BTreeMap<String, Url>,
    /// Number of pages that could not be rendered, and the first error.
    render_failures: Option<(u64, RenderError)>,
    /// Results of robots.txt by host.
    hosts: BTreeMap<String, HostRobotsInfo>,
}

/// A test whether a set of pages is endless.
#[derive(Debug, Default)]
struct RunningTest {
    /// Number of invented URLs without a result yet.
    missing: usize,
    /// The pages at the invented URLs; `None` for each URL that does not exist.
    pages: Vec<Option<PageFingerprint>>,
}

/// Content of a host's robots.txt to report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRobotsInfo {
    /// The name of the host.
    pub host: String,
    /// The requested delay between requests.
    pub crawl_delay: Option<Duration>,
    /// Why robots.txt could not be fetched. The host was then not crawled.
    pub failure: Option<String>,
}

/// A fetched page with its verdict.
pub(crate) struct FetchedPageContext<'a> {
    pub(crate) task: &'a FetchTask,
    pub(crate) probe: &'a Probe,
    pub(crate) verdict: Verdict,
}

impl Crawler {
    /// Creates a new crawl, or restores one from a checkpoint.
    pub(crate) fn new(settings: &CrawlSettings, checkpoint: Option<&str>, now: Timestamp) -> Self {
        let limits = settings.rules.traps.clone();
        let restored = checkpoint.and_then(|text| CrawlCheckpoint::restore(text, limits.clone()));
        Self {
            rules: settings.rules.clone(),
            checkpoint: restored.unwrap_or_else(|| CrawlCheckpoint::new(now, limits)),
            known_urls: HashSet::new(),
            page_count: 0,
            pending_tests: Vec::new(),
            running_tests: BTreeMap::new(),
            link_count: 0,
            render: settings.render,
            max_time: settings.max_time,
            reads_sitemaps: settings.reads_sitemaps,
            user_urls: user_urls(settings),
            pending_sitemaps: settings.sitemaps.clone(),
            queued_sitemaps: Vec::new(),
            guessed_sitemaps: BTreeSet::new(),
            origins: origins(settings),
            render_failures: None,
            hosts: BTreeMap::new(),
        }
    }

    /// Returns the hosts with a robots.txt to report.
    pub(crate) fn hosts(&self) -> Vec<HostRobotsInfo> {
        let is_notable =
            |info: &&HostRobotsInfo| info.failure.is_some() || info.crawl_delay.is_some();
        self.hosts.values().filter(is_notable).cloned().collect()
    }

    /// Returns how many pages could not be rendered, and the first error.
    pub(crate) fn render_failures(&self) -> Option<&(u64, RenderError)> {
        self.render_failures.as_ref()
    }

    /// Restores a URL that was accepted before an interruption.
    pub(crate) fn restore_url(&mut self, url: &str) {
        let is_new = self.known_urls.insert(xxh3_64(url.as_bytes()));
        let inside = Url::parse(url).ok().filter(|url| self.rules.scope.is_inside(url));
        self.page_count += u64::from(is_new && inside.is_some());
        if let Some(url) = inside.filter(|_| is_new) {
            self.checkpoint.traps.accept(&url, None);
        }
        self.link_count += u64::from(is_new);
    }

    /// Returns the checkpoint as JSON.
    pub(crate) fn checkpoint_json(&self) -> Option<String> {
        serde_json::to_string(&self.checkpoint).ok()
    }

    /// Returns the number of skipped links, by reason.
    pub(crate) fn skipped_links(&self) -> &SkippedLinks {
        &self.checkpoint.skipped_links
    }

    /// Returns the avoided traps.
    pub(crate) fn traps(&self) -> Vec<DetectedTrap> {
        self.checkpoint.traps.report()
    }

    /// Returns an invented page that links to the start pages.
    pub(crate) fn seed_page(&mut self, label: &str, urls: &[(String, Url)]) -> NewPage {
        self.link_page(label, urls, |_, _| RequestRights::user_supplied())
    }

    /// Returns the permissions of a request for a URL that no page links to: a sitemap or
    /// an invented URL. The request has the permissions of the user if the user gave a URL
    /// of the same host.
    fn rights_without_link(&self, url: &Url) -> RequestRights {
        let is_same_host = |given: &Url| is_same_host_and_port(given, url);
        if self.user_urls.iter().any(is_same_host) {
            RequestRights::user_supplied()
        } else {
            RequestRights::discovered()
        }
    }

    /// Creates an invented page with this label that links to these URLs. `rights` returns
    /// the permissions of the request for each URL.
    fn link_page(
        &mut self,
        label: &str,
        urls: &[(String, Url)],
        rights: impl Fn(&Self, &Url) -> RequestRights,
    ) -> NewPage {
        let batch = self.reserve_link_numbers(urls.len());
        let mut page = NewPage { label: label.to_owned(), ..NewPage::default() };
        for (position, (original_url, url)) in (0..).zip(urls) {
            self.restore_url(url.as_str());
            let discovery = LinkDiscovery { depth: 0, batch, position };
            let link = NewLink {
                location: super::argument_location(position, original_url),
                original_url: redact_stored_url(original_url).into_owned(),
                target: web_target(url, rights(self, url)),
                fragment: None,
                ignored_codes: Vec::new(),
            };
            page.links.push(PageLink { link, decision: self.fetch_decision(discovery, true) });
        }
        page
    }

    /// Returns the decision to fetch a link. A page of the site must be fetched to find its
    /// links, so a cached result is used only for other targets.
    fn fetch_decision(&self, discovery: LinkDiscovery, is_page: bool) -> LinkDecision {
        let rank = match self.rules.order {
            // The order of discovery applies.
            TraversalOrder::BreadthFirst => None,
            TraversalOrder::DepthFirst => Some(self.rules.order.key(discovery)),
        };
        LinkDecision::Fetch { depth: discovery.depth, rank, may_use_cache: !is_page }
    }

    /// Reserves consecutive numbers for the links of a page, which determine the order of
    /// traversal. Returns the first number.
    fn reserve_link_numbers(&mut self, links: usize) -> u64 {
        let first = self.link_count;
        self.link_count += links.max(1) as u64;
        first
    }
}

/// Returns the URLs given by the user.
fn user_urls(settings: &CrawlSettings) -> Vec<Url> {
    let seeds = settings.seeds.iter().map(|(_, url)| url);
    seeds.chain(&settings.sitemaps).cloned().collect()
}

/// Returns a start page for each host that has one.
fn origins(settings: &CrawlSettings) -> BTreeMap<String, Url> {
    settings.seeds.iter().map(|(_, url)| (host_key(url), url.clone())).collect()
}

fn web_target(url: &Url, rights: RequestRights) -> NewTarget {
    NewTarget::Web { host: host_key(url), rights, url: url.to_string() }
}
