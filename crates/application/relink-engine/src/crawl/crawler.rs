//! State of a running crawl: selects links to follow and counts skipped ones.
//!
//! This module does not fetch or store. The state that must survive an
//! interruption is a [`CrawlCheckpoint`], which is saved with the run
//! periodically. State lost in a crash is learned again.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_frontier::{
    CrawlScope, DetectedTrap, EndlessTest, LinkDiscovery, PageFingerprint, RobotsPolicy,
    TrapDecision, TrapGuard, TrapLimits, TraversalOrder, UrlFilter, canonicalize, host_key,
    is_within_depth, strip,
};
use relink_judge::codes;
use relink_model::{
    FetchOutcome, FetchTask, Probe, RequestRights, SourceLocation, Verdict, is_same_host_and_port,
    redact_stored_url,
};
use relink_ports::{
    CacheWindow, LinkDecision, NewLink, NewPage, NewTarget, PageLink, RenderError, RequestOptions,
};
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::CrawlSettings;
use super::page_fetch::{PageFetch, RenderMode};
use super::parsed_page::{
    BadLink, MAX_SITEMAP_BYTES, ParsedLink, ParsedPage, SitemapKind, is_named_as_sitemap,
};
use super::sitemap_limits::{MAX_SITEMAPS, SitemapLimits};
use crate::dispatch::{NewTasks, TaskSource};
use crate::isolation::isolate;
use crate::probe::{agent_for, final_url};
use crate::robots::AGENT;

/// Scope and limits of a crawl.
#[derive(Debug, Clone)]
pub struct CrawlRules {
    /// Pages to follow.
    pub scope: CrawlScope,
    /// Filter for all URLs.
    pub filter: UrlFilter,
    /// Order of traversal.
    pub order: TraversalOrder,
    /// Maximum depth of fetched pages.
    pub max_depth: Option<u32>,
    /// Maximum number of pages to follow.
    pub max_pages: Option<u64>,
    /// Maximum number of links read from one page.
    pub max_page_links: usize,
    /// Whether `nofollow` is ignored.
    pub ignores_nofollow: bool,
    /// Whether links to other sites are checked.
    pub checks_external: bool,
    /// Limits for spider traps.
    pub traps: TrapLimits,
    /// Earliest check time of an `alive` result of another site that is reused.
    pub fresh_since: Timestamp,
}

impl CrawlRules {
    /// Default maximum number of links read from one page. That is far more
    /// than a normal page has, and few enough that one page cannot exhaust the
    /// memory.
    pub const MAX_PAGE_LINKS: usize = 100_000;
}

/// Number of links that were not fetched, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkippedLinks {
    /// Deeper than the limit.
    pub too_deep: u64,
    /// Beyond the maximum number of pages.
    pub over_page_limit: u64,
    /// Excluded by patterns.
    pub excluded: u64,
    /// Links to other sites, if those are not checked.
    pub external: u64,
    /// Marked as `nofollow`.
    pub nofollow: u64,
    /// Beyond the maximum number of links of one page.
    pub over_page_links: u64,
    /// Links to other than web pages (`mailto:` and others).
    pub not_web_pages: u64,
    /// Pages longer than the limit, which were read partly.
    pub truncated_pages: u64,
    /// Listed in sitemaps beyond the limits.
    pub sitemaps: u64,
}

/// Path of the sitemap if robots.txt lists none.
const DEFAULT_SITEMAP: &str = "/sitemap.xml";

/// Persistent state of a crawl.
#[derive(Debug, Serialize, Deserialize)]
struct CrawlCheckpoint {
    traps: TrapGuard,
    skipped_links: SkippedLinks,
    #[serde(default)]
    sitemaps: SitemapLimits,
    /// URLs at [`DEFAULT_SITEMAP`] that pages link to, so they are not guesses.
    #[serde(default)]
    linked_sitemaps: BTreeSet<String>,
}

impl CrawlCheckpoint {
    fn new(now: Timestamp, limits: TrapLimits) -> Self {
        let year = now.to_zoned(TimeZone::UTC).year();
        let (skipped_links, sitemaps, linked_sitemaps) = Default::default();
        let traps = TrapGuard::new(year, limits);
        Self { traps, skipped_links, sitemaps, linked_sitemaps }
    }

    /// Restores a checkpoint. Returns `None` for one of another version; its
    /// content is learned again.
    fn restore(json: &str, limits: TrapLimits) -> Option<Self> {
        let checkpoint: Self = serde_json::from_str(json).ok()?;
        Some(Self { traps: checkpoint.traps.resume(limits), ..checkpoint })
    }
}

/// A running crawl.
pub(crate) struct Crawler {
    pub(crate) rules: CrawlRules,
    checkpoint: CrawlCheckpoint,
    /// Hashes of all accepted URLs, so that each is evaluated once.
    known_urls: HashSet<u64>,
    /// Number of accepted pages inside the scope.
    page_count: u64,
    /// Tests of endless sets that are not started yet.
    pending_tests: Vec<EndlessTest>,
    /// Results of tests, by set.
    running_tests: BTreeMap<String, RunningTest>,
    /// Number of links seen so far.
    link_count: u64,
    render: RenderMode,
    /// Time limit of the crawl.
    pub(crate) max_time: Option<Duration>,
    /// Whether the sitemaps of the site are read.
    reads_sitemaps: bool,
    /// URLs given by the user: start pages and sitemaps.
    user_urls: Vec<Url>,
    /// Sitemaps to read when no link is left.
    pending_sitemaps: Vec<Url>,
    /// Sitemaps that have been queued.
    queued_sitemaps: Vec<Url>,
    /// Sitemaps at the default path that no robots.txt lists.
    guessed_sitemaps: BTreeSet<String>,
    /// URLs of the start pages by host.
    origins: BTreeMap<String, Url>,
    /// Number of pages that could not be rendered, and the first error.
    unrendered: Option<(u64, RenderError)>,
    /// Results of robots.txt by host.
    hosts: BTreeMap<String, HostRobotsInfo>,
}

/// A test whether a set of pages is endless.
#[derive(Debug, Default)]
struct RunningTest {
    /// Number of URLs without a result.
    missing: usize,
    /// Pages at the invented URLs; `None` if a URL does not exist.
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

/// Sitemaps are read last, when no link is left. Pages that only sitemaps list
/// are then known to be orphans.
impl TaskSource for Crawler {
    fn next_tasks(&mut self, now: Timestamp) -> Option<NewTasks> {
        let page = self.next_sitemaps()?;
        Some(NewTasks::Page(page, self.cache_window(now)))
    }
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
            unrendered: None,
            hosts: BTreeMap::new(),
        }
    }

    /// Returns the hosts with a robots.txt to report.
    pub(crate) fn hosts(&self) -> Vec<HostRobotsInfo> {
        let is_notable =
            |info: &&HostRobotsInfo| info.failure.is_some() || info.crawl_delay.is_some();
        self.hosts.values().filter(is_notable).cloned().collect()
    }

    /// Records the rules of a host.
    pub(crate) fn record_robots(&mut self, host: &str, policy: &RobotsPolicy) {
        let info = HostRobotsInfo {
            host: host.to_owned(),
            crawl_delay: policy.robots.crawl_delay(AGENT),
            failure: None,
        };
        self.hosts.insert(host.to_owned(), info);
        if self.reads_sitemaps {
            self.add_sitemaps(host, policy);
        }
    }

    /// Queues the sitemaps of a robots.txt, or the default one if it has none.
    fn add_sitemaps(&mut self, host: &str, policy: &RobotsPolicy) {
        let Some(base) = self.robots_url(host) else { return };
        let mut sitemaps: Vec<Url> = policy
            .robots
            .sitemaps()
            .iter()
            .filter_map(|text| canonicalize(Some(&base), text).ok())
            .collect();
        if sitemaps.is_empty() && !policy.is_unreachable && self.origins.contains_key(host) {
            let default = base.join(DEFAULT_SITEMAP).ok();
            let default = default.filter(|url| policy.robots.is_allowed(AGENT, url));
            self.guessed_sitemaps.extend(default.iter().map(Url::to_string));
            sitemaps.extend(default);
        }
        for sitemap in sitemaps.into_iter().filter(|url| self.rules.scope.is_inside(url)) {
            if self.pending_sitemaps.len() >= MAX_SITEMAPS {
                self.checkpoint.skipped_links.sitemaps += 1;
            } else if !self.pending_sitemaps.contains(&sitemap) {
                self.pending_sitemaps.push(sitemap);
            }
        }
    }

    /// Returns the URL of a host's robots.txt, the base of its sitemap lines.
    fn robots_url(&self, host: &str) -> Option<Url> {
        let origin = self.origins.get(host).or_else(|| self.origins.values().next())?;
        Url::parse(&format!("{}://{host}/robots.txt", origin.scheme())).ok()
    }

    /// Whether a page is a sitemap at a guessed URL that does not exist. It is
    /// then omitted from the results.
    pub(crate) fn is_missing_sitemap_guess(
        &self,
        task: &FetchTask,
        probe: &Probe,
        parsed_page: Option<&ParsedPage>,
    ) -> bool {
        let is_guess = self.guessed_sitemaps.contains(&task.url)
            && !self.checkpoint.linked_sitemaps.contains(&task.url);
        let is_redirected_sitemap = || {
            let last = final_url(probe);
            last.is_some_and(|url| url.as_str() != task.url && is_named_as_sitemap(&url))
        };
        let exists = matches!(probe.outcome, FetchOutcome::Response(200..=299))
            && (parsed_page.is_some_and(|parsed_page| parsed_page.sitemap.is_some())
                || is_redirected_sitemap());
        is_guess && !exists
    }

    /// Records that the robots.txt of a host could not be fetched.
    pub(crate) fn record_robots_failure(&mut self, host: &str, reason: String) {
        let info =
            HostRobotsInfo { host: host.to_owned(), crawl_delay: None, failure: Some(reason) };
        self.hosts.insert(host.to_owned(), info);
    }

    /// Returns the queued sitemaps as a page that links to them.
    fn next_sitemaps(&mut self) -> Option<NewPage> {
        let sitemaps = std::mem::take(&mut self.pending_sitemaps);
        if sitemaps.is_empty() {
            return None;
        }
        self.reads_sitemaps = false;
        self.queued_sitemaps.extend(sitemaps.iter().cloned());
        let sitemap_urls: Vec<(String, Url)> =
            sitemaps.into_iter().map(|url| (url.to_string(), url)).collect();
        let rights = |crawler: &Self, url: &Url| crawler.unlinked_rights(url);
        Some(NewPage { is_sitemap: true, ..self.link_page("sitemaps", &sitemap_urls, rights) })
    }

    /// Whether an accepted task is not part of a trap detected later.
    pub(crate) fn is_still_allowed(&mut self, task: &FetchTask) -> bool {
        let Some(url) = Url::parse(&task.url).ok().filter(|url| self.follows(url)) else {
            return true;
        };
        // A start page is always fetched, and a task with earlier attempts is
        // completed.
        let is_start = task.depth.unwrap_or(0) == 0;
        is_start
            || !task.attempts.is_empty()
            || self.checkpoint.traps.check_again(&url) == TrapDecision::Allow
    }

    /// Returns the fetch of a page that is followed.
    pub(crate) fn page_fetch(
        &self,
        url: Url,
        task: &FetchTask,
        options: RequestOptions,
    ) -> PageFetch {
        let agent = agent_for(task.purpose, &task.attempts);
        let max_body_bytes = self.is_sitemap(&url).then_some(MAX_SITEMAP_BYTES);
        let options = RequestOptions { max_body_bytes, ..options };
        let max_links = self.rules.max_page_links;
        PageFetch { url, rights: task.rights, agent, options, mode: self.render, max_links }
    }

    /// Records a page that needs a browser but could not be rendered.
    pub(crate) fn record_unrendered(&mut self, error: RenderError) {
        let (count, _) = self.unrendered.get_or_insert((0, error));
        *count += 1;
    }

    /// Returns how many pages could not be rendered, and the first error.
    pub(crate) fn unrendered(&self) -> Option<&(u64, RenderError)> {
        self.unrendered.as_ref()
    }

    /// Whether a URL is a sitemap, which has a higher size limit.
    fn is_sitemap(&self, url: &Url) -> bool {
        self.queued_sitemaps.contains(url) || is_named_as_sitemap(url)
    }

    /// Passes the first attempt to fetch a URL to the trap detection if its redirects do
    /// not end. Later attempts only confirm it.
    pub(crate) fn record_attempt(&mut self, task: &FetchTask, probe: &Probe) {
        let is_endless = probe.outcome == FetchOutcome::TooManyRedirects;
        if is_endless
            && task.attempts.is_empty()
            && let Ok(url) = Url::parse(&task.url)
            && self.follows(&url)
        {
            self.checkpoint.traps.record_endless_redirect(&url);
        }
    }

    /// Processes a judged page. Returns its links if they are followed. The
    /// links of error pages are discarded.
    pub(crate) fn process_page(
        &mut self,
        fetched: &FetchedPageContext<'_>,
        parsed_page: Option<Box<ParsedPage>>,
    ) -> Option<NewPage> {
        if !fetched.verdict.is_reached() && fetched.verdict != Verdict::Blocked {
            return None;
        }
        if let Some(parsed_page) = parsed_page {
            return self.select_links(fetched, *parsed_page);
        }
        let final_url = final_url(fetched.probe)?;
        let requested = Url::parse(&fetched.task.url).ok()?;
        if final_url == requested && self.follows(&requested) {
            self.record_file(&requested, fetched.probe);
        }
        let is_inside = self.follows(&requested) && self.follows(&final_url);
        (is_inside && final_url != requested)
            .then(|| self.process_redirect(fetched, &final_url))
            .flatten()
    }

    /// Passes a file without links, such as a picture, to the trap detection.
    fn record_file(&mut self, url: &Url, probe: &Probe) {
        if let Some(digest) = &probe.digest {
            self.checkpoint.traps.record_page(url, &PageFingerprint::from_digest(digest), &[]);
        }
    }

    /// Returns the tests of endless sets to start.
    pub(crate) fn start_tests(&mut self) -> Vec<EndlessTest> {
        let tests = std::mem::take(&mut self.pending_tests);
        for test in &tests {
            let running = RunningTest { missing: test.urls.len(), pages: Vec::new() };
            self.running_tests.insert(test.key.clone(), running);
        }
        tests
    }

    /// Records the page at an invented URL of a test; `None` if there is none.
    pub(crate) fn record_test_page(&mut self, key: &str, page: Option<PageFingerprint>) {
        let Some(test) = self.running_tests.get_mut(key) else { return };
        test.pages.push(page);
        test.missing = test.missing.saturating_sub(1);
        if test.missing == 0
            && let Some(test) = self.running_tests.remove(key)
        {
            self.checkpoint.traps.record_test(key, &test.pages);
        }
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

    /// Returns the number of skipped links.
    pub(crate) fn skipped_links(&self) -> &SkippedLinks {
        &self.checkpoint.skipped_links
    }

    /// Returns the avoided traps.
    pub(crate) fn traps(&self) -> Vec<DetectedTrap> {
        self.checkpoint.traps.report()
    }

    pub(crate) fn cache_window(&self, now: Timestamp) -> CacheWindow {
        CacheWindow { now, fresh_since: self.rules.fresh_since }
    }

    /// Whether the page at this URL is parsed for links.
    pub(crate) fn follows(&self, url: &Url) -> bool {
        self.rules.scope.is_inside(url)
    }

    /// Returns the start pages as a page that links to them.
    pub(crate) fn seed_page(&mut self, label: &str, urls: &[(String, Url)]) -> NewPage {
        self.link_page(label, urls, |_, _| RequestRights::user_supplied())
    }

    /// Returns the permissions of a request that no page links to: for a
    /// sitemap, or for an invented URL. It has the permissions of the user if
    /// it is on the host of a URL that the user gave.
    pub(crate) fn unlinked_rights(&self, url: &Url) -> RequestRights {
        let is_same_host = |given: &Url| is_same_host_and_port(given, url);
        if self.user_urls.iter().any(is_same_host) {
            RequestRights::user_supplied()
        } else {
            RequestRights::discovered()
        }
    }

    /// Creates a page that links to these URLs.
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

    /// Selects the links of a parsed page that the crawl follows.
    pub(crate) fn select_links(
        &mut self,
        fetched: &FetchedPageContext<'_>,
        parsed_page: ParsedPage,
    ) -> Option<NewPage> {
        let depth = fetched.task.depth.unwrap_or(0);
        let final_url = fetched.probe.hops.last().and_then(|hop| Url::parse(&hop.url).ok());
        let final_url = final_url.or_else(|| Url::parse(&fetched.task.url).ok())?;
        let batch = self.reserve_link_numbers(parsed_page.links.len());
        let mut page = NewPage {
            label: fetched.task.url.clone(),
            is_sitemap: parsed_page.sitemap.is_some(),
            anchors: parsed_page.anchors,
            links: Vec::with_capacity(parsed_page.links.len()),
        };
        self.checkpoint.skipped_links.not_web_pages += parsed_page.skip_reasons.len() as u64;
        self.checkpoint.skipped_links.over_page_links += parsed_page.links_over_limit as u64;
        self.checkpoint.skipped_links.truncated_pages += u64::from(parsed_page.is_truncated);
        if parsed_page.sitemap.is_some() && !self.checkpoint.sitemaps.admit_sitemap() {
            self.checkpoint.skipped_links.sitemaps += parsed_page.links.len() as u64;
            return Some(page);
        }
        let is_index = parsed_page.sitemap == Some(SitemapKind::Index);
        let index_level = is_index.then(|| self.index_level(fetched, &final_url));
        let mut new_pages = Vec::new();
        for (position, link) in (0..).zip(parsed_page.links) {
            let link_context = LinkContext {
                discovery: LinkDiscovery { depth: depth + 1, batch, position },
                rights: fetched.task.rights,
                from: &final_url,
                is_nofollow_page: parsed_page.is_nofollow,
                is_sitemap: parsed_page.sitemap.is_some(),
                index_level,
            };
            let (location, original_url) = (link.location, link.original_url.clone());
            let page_link =
                isolate(&original_url, || self.evaluate_link(&link_context, link, &mut new_pages));
            let page_link = page_link.unwrap_or_else(|_| {
                Some(self.internal_error_link(&link_context, location, &original_url))
            });
            page.links.extend(page_link);
        }
        self.record_fingerprint(&final_url, parsed_page.fingerprint, &new_pages);
        Some(page)
    }

    /// Returns the number of sitemap indexes above a page.
    fn index_level(&self, fetched: &FetchedPageContext<'_>, final_url: &Url) -> u32 {
        let requested = Url::parse(&fetched.task.url).ok();
        let level = |url: &Url| self.checkpoint.sitemaps.level(url);
        let levels = requested.iter().chain([final_url]).map(level);
        levels.max().unwrap_or(0)
    }

    /// Processes a redirect as a link of the same depth, so that the target is
    /// parsed once, regardless of the number of redirects to it.
    pub(crate) fn process_redirect(
        &mut self,
        fetched: &FetchedPageContext<'_>,
        final_url: &Url,
    ) -> Option<NewPage> {
        let batch = self.reserve_link_numbers(1);
        let location = SourceLocation {
            span: relink_model::Span { start: 0, end: 0 },
            line: 1,
            column: 1,
            kind: relink_model::LinkKind::Refresh,
        };
        let (original_url, fragment) = (final_url.to_string(), None);
        let url = Ok(final_url.clone());
        let link = ParsedLink { location, original_url, url, fragment, is_nofollow: false };
        let discovery =
            LinkDiscovery { depth: fetched.task.depth.unwrap_or(0), batch, position: 0 };
        let from = Url::parse(&fetched.task.url).ok()?;
        self.checkpoint.traps.record_redirect(&from, final_url);
        self.checkpoint.sitemaps.record_redirect(&from, final_url);
        let (rights, index_level) = (fetched.task.rights, None);
        let link_context = LinkContext {
            discovery,
            rights,
            from: &from,
            is_nofollow_page: false,
            is_sitemap: false,
            index_level,
        };
        let links = self.evaluate_link(&link_context, link, &mut Vec::new()).into_iter().collect();
        Some(NewPage { label: fetched.task.url.clone(), links, ..NewPage::default() })
    }

    /// Evaluates a link; returns `None` if the filter excludes it.
    fn evaluate_link(
        &mut self,
        context: &LinkContext<'_>,
        link: ParsedLink,
        new_pages: &mut Vec<Url>,
    ) -> Option<PageLink> {
        let ParsedLink { location, original_url, url, fragment, is_nofollow } = link;
        let url = match url {
            Ok(url) => url,
            Err(bad_link) => return self.malformed_link(context, location, original_url, bad_link),
        };
        let (url, _) = strip(&url);
        let is_page = self.rules.scope.is_inside(&url);
        let url = if is_page { self.checkpoint.traps.rewrite(&url, context.from) } else { url };
        if !self.rules.filter.matches(url.as_str()) {
            self.checkpoint.skipped_links.excluded += 1;
            return None;
        }
        if url.path() == DEFAULT_SITEMAP && self.rules.scope.is_inside(&url) {
            self.checkpoint.linked_sitemaps.insert(url.to_string());
        }
        let is_nofollow = (is_nofollow || context.is_nofollow_page) && !self.rules.ignores_nofollow;
        let decision = self.decide(context, &url, is_nofollow, new_pages);
        // Store the absolute URL: pages write relative URLs in many forms.
        let original_url = redact_stored_url(url.as_str()).into_owned();
        let target = web_target(&url, context.rights.inherit(context.from, &url));
        Some(PageLink {
            link: NewLink { location, original_url, target, fragment, ignored_codes: Vec::new() },
            decision,
        })
    }

    fn decide(
        &mut self,
        context: &LinkContext<'_>,
        url: &Url,
        is_nofollow: bool,
        new_pages: &mut Vec<Url>,
    ) -> LinkDecision {
        let hash = xxh3_64(url.as_str().as_bytes());
        let is_inside = self.rules.scope.is_inside(url);
        if self.known_urls.contains(&hash) {
            if is_inside {
                self.checkpoint.traps.record_known_link(url, context.from);
            }
            return self.fetch_decision(context.discovery, is_inside);
        }
        let skipped = &mut self.checkpoint.skipped_links;
        if is_nofollow && (is_inside || context.is_nofollow_page) {
            skipped.nofollow += 1;
            return LinkDecision::Skip;
        }
        if !is_inside {
            if !self.rules.checks_external {
                skipped.external += 1;
                return LinkDecision::Skip;
            }
            self.known_urls.insert(hash);
            return self.fetch_decision(context.discovery, false);
        }
        if !is_within_depth(context.discovery.depth, self.rules.max_depth) {
            skipped.too_deep += 1;
            return LinkDecision::Skip;
        }
        // A sitemap lists real pages only.
        if !context.is_sitemap
            && self.checkpoint.traps.check(url, Some(context.from)) != TrapDecision::Allow
        {
            return LinkDecision::Skip;
        }
        if self.rules.max_pages.is_some_and(|max| self.page_count >= max) {
            skipped.over_page_limit += 1;
            return LinkDecision::Skip;
        }
        let sitemaps = &mut self.checkpoint.sitemaps;
        if context.index_level.is_some_and(|level| !sitemaps.admit_listed(url, level)) {
            skipped.sitemaps += 1;
            return LinkDecision::Skip;
        }
        self.known_urls.insert(hash);
        self.page_count += 1;
        let from = (!context.is_sitemap).then_some(context.from);
        self.checkpoint.traps.accept(url, from);
        new_pages.push(url.clone());
        self.fetch_decision(context.discovery, true)
    }

    fn fetch_decision(&self, discovery: LinkDiscovery, is_page: bool) -> LinkDecision {
        let rank = match self.rules.order {
            // The order of discovery applies.
            TraversalOrder::BreadthFirst => None,
            TraversalOrder::DepthFirst => Some(self.rules.order.key(discovery)),
        };
        LinkDecision::Fetch { depth: discovery.depth, rank, may_use_cache: !is_page }
    }

    fn malformed_link(
        &mut self,
        context: &LinkContext<'_>,
        location: SourceLocation,
        original_url: String,
        bad_link: BadLink,
    ) -> Option<PageLink> {
        if !self.rules.filter.matches(&original_url) {
            self.checkpoint.skipped_links.excluded += 1;
            return None;
        }
        let target = NewTarget::Local {
            key: format!("malformed:{original_url}"),
            verdict: Verdict::Local,
            code: Some(bad_link.code),
            reason: bad_link.reason,
        };
        let link =
            NewLink { location, original_url, target, fragment: None, ignored_codes: Vec::new() };
        Some(PageLink { link, decision: self.fetch_decision(context.discovery, false) })
    }

    /// Returns a link that could not be evaluated because of a panic.
    fn internal_error_link(
        &self,
        context: &LinkContext<'_>,
        location: SourceLocation,
        original_url: &str,
    ) -> PageLink {
        let target = NewTarget::Local {
            key: format!("internal-error:{original_url}"),
            verdict: Verdict::Failing,
            code: Some(codes::INTERNAL_ERROR),
            reason: "internal error while reading this link".to_owned(),
        };
        let (original_url, fragment, ignored_codes) = (original_url.to_owned(), None, Vec::new());
        let link = NewLink { location, original_url, target, fragment, ignored_codes };
        PageLink { link, decision: self.fetch_decision(context.discovery, false) }
    }

    /// Passes a page to the trap detection.
    fn record_fingerprint(
        &mut self,
        final_url: &Url,
        fingerprint: Option<PageFingerprint>,
        new_pages: &[Url],
    ) {
        let Some(fingerprint) = fingerprint else { return };
        let test = self.checkpoint.traps.record_page(final_url, &fingerprint, new_pages);
        self.pending_tests.extend(test);
    }

    /// Reserves numbers for links. Returns the first one.
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

/// Returns the traps and skipped links of a stored checkpoint.
pub(super) fn parse_checkpoint(checkpoint: &str) -> (Vec<DetectedTrap>, SkippedLinks) {
    let checkpoint: Option<CrawlCheckpoint> = serde_json::from_str(checkpoint).ok();
    checkpoint.map_or_else(Default::default, |checkpoint| {
        (checkpoint.traps.report(), checkpoint.skipped_links)
    })
}

/// Returns the start pages by host.
fn origins(settings: &CrawlSettings) -> BTreeMap<String, Url> {
    settings.seeds.iter().map(|(_, url)| (host_key(url), url.clone())).collect()
}

/// Context of a link.
struct LinkContext<'a> {
    discovery: LinkDiscovery,
    /// Permissions of the page that contains the link.
    rights: RequestRights,
    from: &'a Url,
    /// Whether the page marks all its links as `nofollow`.
    is_nofollow_page: bool,
    /// Whether the page is a sitemap.
    is_sitemap: bool,
    /// If the page is a sitemap index, the number of indexes above it.
    index_level: Option<u32>,
}

fn web_target(url: &Url, rights: RequestRights) -> NewTarget {
    NewTarget::Web { host: host_key(url), rights, url: url.to_string() }
}
