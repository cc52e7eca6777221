//! Probes a page: returns its verdict and the links that a user may follow.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::SignedDuration;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use relink_model::{FetchOutcome, LinkKind, RequestRights, Verdict};
use relink_page::Abandonment;
use relink_ports::{Clock, Store};
use tokio::sync::OnceCell;
use url::Url;

use super::failure_list::FailureList;
use super::{MeasurePorts, MeasureSettings};
use relink_documents::{ParsedLink, parse_page};
use relink_engine::{
    ControlCache, CrawlRules, PageCheck, PageCheckRequest, PageCheckSettings, PageChecker,
};
use relink_requests::{
    PoliteFetch, PoliteFetchSettings, RequestRefusal, RobotsUse, final_url, isolate_async,
};

/// Maximum number of pages that are cached in memory.
const MAX_CACHED_PAGES: usize = 50_000;

/// Maximum age of a stored result that is reused: a check of the same day.
const MAX_STORED_AGE: SignedDuration = SignedDuration::from_hours(24);

/// Probes pages, each once. Several measurements can use it at the same time.
pub(super) struct PageProber<'a> {
    pub(super) fetch: PoliteFetch<'a>,
    pub(super) clock: &'a dyn Clock,
    pub(super) settings: PageCheckSettings,
    /// Controls (pages fetched only for comparison) shared by all pages.
    pub(super) controls: ControlCache,
    /// Pages that were probed before, or are being probed.
    cache: Mutex<HashMap<Destination, CachedPage>>,
    /// Store of the measured scores, if there is one.
    pub(super) score_store: Option<&'a dyn Store>,
    /// Store of earlier results, if they are reused.
    store: Option<&'a dyn Store>,
    /// Pages that count as dead without a request.
    failure_list: FailureList,
    /// Number of reused results.
    reused: AtomicU64,
}

/// A page, once it is probed.
type CachedPage = Arc<OnceCell<Arc<ObservedPage>>>;

/// Result of probing a page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ObservedPage {
    pub(super) verdict: Verdict,
    pub(super) reason: String,
    /// The outcome of the last attempt, or `None` if no request was sent.
    pub(super) outcome: Option<FetchOutcome>,
    /// Destinations of the links of a live page, including duplicates.
    pub(super) links: Vec<Destination>,
    /// Signs that a live page is abandoned.
    pub(super) abandonment: Option<Abandonment>,
}

/// Destination of a link.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Destination {
    /// A URL.
    Page(String),
    /// A text that is not a valid URL.
    Invalid(String),
}

impl ObservedPage {
    /// Returns a page without links.
    fn without_links(verdict: Verdict, reason: String, outcome: Option<FetchOutcome>) -> Self {
        Self { verdict, reason, outcome, links: Vec::new(), abandonment: None }
    }

    /// Whether the page was not fetched because of robots.txt or a rate limit.
    pub(super) fn is_refused(&self) -> bool {
        self.outcome.is_none() && self.verdict == Verdict::Blocked
    }
}

impl Destination {
    /// Returns the URL, or the text of an invalid link.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Page(text) | Self::Invalid(text) => text,
        }
    }
}

impl<'a> PageProber<'a> {
    /// Creates a prober with an empty cache. `salt` is the seed for the random names of
    /// controls.
    pub(super) fn new(ports: MeasurePorts<'a>, settings: &MeasureSettings, salt: u64) -> Self {
        let MeasurePorts { fetch, clock, store } = ports;
        let MeasureSettings { politeness, max_host_wait, .. } = *settings;
        Self {
            fetch: PoliteFetch::new(PoliteFetchSettings {
                fetch,
                clock,
                store,
                politeness,
                max_host_wait,
                robots: RobotsUse::Obey,
            }),
            clock,
            settings: PageCheckSettings {
                uses_controls: settings.uses_controls,
                policy: settings.policy,
                max_host_wait,
                salt,
            },
            controls: ControlCache::default(),
            cache: Mutex::default(),
            score_store: store,
            store: store.filter(|_| settings.reuses_results),
            failure_list: settings.failure_list.clone(),
            reused: AtomicU64::new(0),
        }
    }

    /// Returns the number of pages that were requested.
    pub(super) fn requested_pages(&self) -> u64 {
        let cache = self.cache();
        let pages = cache.values().filter_map(|page| page.get());
        pages.filter(|page| page.outcome.is_some()).count() as u64
    }

    /// Returns the number of results that were reused.
    pub(super) fn reused(&self) -> u64 {
        self.reused.load(Ordering::Relaxed)
    }

    fn cache(&self) -> MutexGuard<'_, HashMap<Destination, CachedPage>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Probes a destination, or returns the earlier result. `start` is the URL given by the
    /// user, if there is one.
    pub(super) async fn probe(
        &self,
        destination: &Destination,
        start: Option<&Url>,
    ) -> Arc<ObservedPage> {
        let page = async { Arc::new(self.request(destination, start).await) };
        let cached = {
            let mut cache = self.cache();
            match cache.get(destination) {
                Some(cached) => Arc::clone(cached),
                None if cache.len() < MAX_CACHED_PAGES => {
                    Arc::clone(cache.entry(destination.clone()).or_default())
                }
                None => CachedPage::default(),
            }
        };
        Arc::clone(cached.get_or_init(|| page).await)
    }

    /// Fetches and judges a page, unless its state is known without a request.
    async fn request(&self, destination: &Destination, start: Option<&Url>) -> ObservedPage {
        let Destination::Page(url) = destination else { return invalid_url_page() };
        let Ok(url) = Url::parse(url) else { return invalid_url_page() };
        if self.failure_list.contains(url.as_str()) {
            return ObservedPage::without_links(Verdict::Dead, "listed as dead".to_owned(), None);
        }
        if let Some(page) = self.stored_page(&url).await {
            self.reused.fetch_add(1, Ordering::Relaxed);
            return page;
        }
        let rights = match start {
            Some(start) => RequestRights::user_supplied().inherit(start, &url),
            None => RequestRights::discovered(),
        };
        if let Err(refusal) = self.fetch.check_allowed(&url, rights).await {
            return refused_page(&refusal);
        }
        let request =
            PageCheckRequest { url: url.to_string(), rights, ..PageCheckRequest::default() };
        let checker =
            PageChecker { fetch: &self.fetch, clock: self.clock, settings: self.settings };
        let today = self.clock.now().to_zoned(TimeZone::UTC).date();
        let check =
            async { observed_page(checker.check_page(&request, &self.controls).await, today) };
        let page = isolate_async(url.as_str(), check).await;
        page.unwrap_or_else(|_| internal_error_page())
    }

    /// Returns a page that a check found dead within a day. A live page is
    /// fetched again, because its links are not stored.
    async fn stored_page(&self, url: &Url) -> Option<ObservedPage> {
        let stored = self.store?.dead_target(url.as_str()).await.ok()??;
        let age = self.clock.now().duration_since(stored.checked_at?);
        let is_dead = stored.verdict.is_gone();
        let reason = "dead in an earlier check".to_owned();
        (is_dead && age <= MAX_STORED_AGE)
            .then(|| ObservedPage::without_links(stored.verdict, reason, None))
    }
}

/// Returns the result of a page whose parsing panicked.
fn internal_error_page() -> ObservedPage {
    let outcome = FetchOutcome::InternalError;
    let reason = outcome.to_string();
    ObservedPage::without_links(Verdict::Failing, reason, Some(outcome))
}

/// Returns the result of a link that is not a valid URL.
fn invalid_url_page() -> ObservedPage {
    let reason = "not a valid URL".to_owned();
    ObservedPage::without_links(Verdict::Local, reason, None)
}

/// Returns the result of a page that may not be fetched, permanently or now.
fn refused_page(refusal: &RequestRefusal) -> ObservedPage {
    let reason = refusal.to_string();
    ObservedPage::without_links(Verdict::Blocked, reason, None)
}

/// Returns the result of a checked page, with the links of a live page.
fn observed_page(page_check: PageCheck, today: Date) -> ObservedPage {
    let PageCheck { judgment, probe, body, .. } = page_check;
    let is_live = matches!(
        judgment.verdict,
        Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk
    );
    let body = body.filter(|_| is_live);
    let abandonment = body.as_ref().map(|body| relink_page::abandonment(&body.bytes, today));
    let links = match (final_url(&probe), body) {
        (Some(final_url), Some(body)) => {
            let page = parse_page(&final_url, &body, None, CrawlRules::MAX_PAGE_LINKS);
            let links = page.map_or_else(Vec::new, |page| page.links);
            links.into_iter().filter_map(|link| destination(link, &final_url)).collect()
        }
        _ => Vec::new(),
    };
    let (verdict, reason) = (judgment.verdict, judgment.reason);
    ObservedPage { verdict, reason, outcome: Some(probe.outcome), links, abandonment }
}

/// Returns the destination of a link that a user may follow to another page.
fn destination(link: ParsedLink, page: &Url) -> Option<Destination> {
    if link.location.kind != LinkKind::Hyperlink {
        return None;
    }
    match link.url {
        // An anchor of the same page is not another page.
        Ok(url) if link.original_url.contains('#') && url == *page => None,
        Ok(url) => Some(Destination::Page(url.into())),
        Err(_) => Some(Destination::Invalid(link.original_url)),
    }
}
