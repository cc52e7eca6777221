//! Polite requests for commands without a queue.
//!
//! Every request obeys the robots.txt of its host, the rate limits and
//! `Retry-After`, and follows a redirect to another host only if the robots.txt of that
//! host allows it. Only one request per host is in flight at a time. The *rules* (the
//! parsed robots.txt of an origin) and the delays of hosts are shared with runs through
//! the store. A *refusal* is the reason why a request is not sent.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use relink_frontier::RobotsPolicy;
use relink_model::{FetchOutcome, RequestRights};
use relink_ports::{Fetch, FetchRequest, FetchResult, RedirectFilter, RequestOptions};
use url::Url;

use super::paced_fetch::{PacedFetch, PoliteFetchSettings, RobotsUse, lock};
use super::refusal::{RequestRefusal, refused_result, unreachable_result};
use super::robots::{RobotsAttempts, RobotsResult, fetch_robots, robots_origin};
use super::rules::{HostRules, load_rules};
use crate::probe::{add_timings, current_time};

/// Maximum number of hosts that one request is redirected to.
const MAX_HOSTS: usize = 10;

/// Fetcher that obeys robots.txt and rate limits.
pub struct PoliteFetch<'a> {
    shared: Arc<SharedState<'a>>,
    /// Why the last unsent request was refused.
    refusal: Mutex<Option<RequestRefusal>>,
}

/// What fetchers with the same limits share.
struct SharedState<'a> {
    paced: PacedFetch<'a>,
    /// Rules by origin.
    rules: Mutex<HashMap<String, Arc<OriginRules>>>,
}

/// Rules of one origin; `None` before they are known. Locked while they are fetched, so
/// that they are fetched once.
type OriginRules = tokio::sync::Mutex<Option<HostRules>>;

impl<'a> PoliteFetch<'a> {
    /// Creates a fetcher without state; the store, if any, has the state of earlier requests.
    pub fn new(settings: PoliteFetchSettings<'a>) -> Self {
        let shared = SharedState { paced: PacedFetch::new(settings), rules: Mutex::default() };
        Self { shared: Arc::new(shared), refusal: Mutex::default() }
    }

    /// Returns a fetcher with the same limits and rules, which reports its refusals
    /// separately.
    #[must_use]
    pub fn share(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), refusal: Mutex::default() }
    }

    /// Returns the number of requests, including redirects and robots.txt.
    pub fn requests(&self) -> u64 {
        self.shared.paced.requests()
    }

    /// Whether a server has responded.
    pub fn has_reached_server(&self) -> bool {
        self.shared.paced.has_reached_server()
    }

    /// Removes and returns the reason why the last unsent request was refused.
    pub fn take_refusal(&self) -> Option<RequestRefusal> {
        lock(&self.refusal).take()
    }

    /// Clears the state that is also stored and that no request uses, so that memory use
    /// does not depend on the number of hosts.
    pub fn clear_cache(&self) {
        self.shared.paced.clear_cache();
        if self.shared.paced.settings.store.is_some() {
            lock(&self.shared.rules).retain(|_, rules| Arc::strong_count(rules) > 1);
        }
    }

    /// Checks that a page may be fetched now or within the maximum wait.
    /// Fetches robots.txt if the rules are unknown.
    pub async fn check_allowed(
        &self,
        url: &Url,
        rights: RequestRights,
    ) -> Result<(), RequestRefusal> {
        match self.shared.rules(url, rights).await? {
            // `fetch` returns this failure as the result of the page.
            Some(HostRules::Failed(failure)) if failure.decides_link(false) => return Ok(()),
            Some(rules) if !rules.is_allowed(url) => {
                return Err(RequestRefusal::disallowed(url, &rules.reason(url)));
            }
            _ => {}
        }
        self.shared.paced.host_wait(url).await.map(|_wait| ())
    }

    /// Fetches a URL and follows redirects within its origin. Returns a refusal as the
    /// result of a request that was not sent.
    async fn fetch_on_origin(&self, request: FetchRequest) -> FetchResult {
        let url = request.url.clone();
        let rules = match self.shared.rules(&url, request.rights).await {
            Ok(Some(HostRules::Failed(failure))) if failure.decides_link(false) => {
                return unreachable_result(&failure);
            }
            Ok(rules) => rules,
            Err(refusal) => return self.refuse(refusal),
        };
        if let Some(rules) = rules.as_ref().filter(|rules| !rules.is_allowed(&url)) {
            return self.refuse(RequestRefusal::disallowed(&url, &rules.reason(&url)));
        }
        let redirect_filter = Some(origin_filter(rules.as_ref(), &url));
        let options = RequestOptions { redirect_filter, ..request.options };
        match self.shared.paced.send(FetchRequest { options, ..request }).await {
            Ok(result) => result,
            Err(refusal) => self.refuse(refusal),
        }
    }

    /// Saves a refusal, and returns the result of the request that is not sent.
    fn refuse(&self, refusal: RequestRefusal) -> FetchResult {
        let result = refused_result(&refusal);
        *lock(&self.refusal) = Some(refusal);
        result
    }
}

impl SharedState<'_> {
    /// Returns the rules of a URL's origin from memory, the store or the host; `None` if
    /// they do not apply.
    async fn rules(
        &self,
        url: &Url,
        rights: RequestRights,
    ) -> Result<Option<HostRules>, RequestRefusal> {
        if self.paced.settings.robots == RobotsUse::Ignore {
            return Ok(None);
        }
        let origin = robots_origin(url);
        let cached = Arc::clone(lock(&self.rules).entry(origin.clone()).or_default());
        let mut cached = cached.lock().await;
        let rules = if let Some(rules) = &*cached {
            rules.clone()
        } else {
            let (rules, is_permitted) = match self.stored_rules(&origin).await {
                Some(policy) => (HostRules::Known(Arc::new(policy)), true),
                None => self.fetch_rules(origin, rights).await?,
            };
            *cached = is_permitted.then(|| rules.clone());
            rules
        };
        if let Some(delay) = rules.crawl_delay() {
            // The host may be new, because the cache was cleared.
            self.paced.set_crawl_delay(url, delay).await;
        }
        Ok(Some(rules))
    }

    /// Returns the rules in the store, unless they are too old.
    async fn stored_rules(&self, origin: &str) -> Option<RobotsPolicy> {
        let settings = &self.paced.settings;
        // Fetch the rules if the store cannot be read.
        load_rules(settings.store?, origin, current_time(settings.clock)).await.ok()?
    }

    /// Fetches the rules of an origin. Also returns whether the rules may be cached: not
    /// if the request lacked the permission to reach the host, because another request
    /// may have this permission.
    async fn fetch_rules(
        &self,
        origin: String,
        rights: RequestRights,
    ) -> Result<(HostRules, bool), RequestRefusal> {
        let settings = &self.paced.settings;
        let attempts = RobotsAttempts::new(origin, &settings.politeness, settings.max_host_wait);
        let Some(url) = attempts.url() else { return Err(RequestRefusal::not_web()) };
        self.paced.host_wait(&url).await?;
        let (result, _) = fetch_robots(&self.paced, settings.clock, attempts, rights).await;
        Ok(match result {
            RobotsResult::Failed(failure) => (HostRules::Failed(Arc::new(failure)), true),
            RobotsResult::Rules { rules, stored, .. } => {
                if let (Some(store), Some(stored)) = (settings.store, &stored) {
                    // Ignore the error: the rules are fetched again next time.
                    let _ = store.save_robots(stored).await;
                }
                (HostRules::Known(Arc::new(rules)), stored.is_some())
            }
        })
    }
}

#[async_trait]
impl Fetch for PoliteFetch<'_> {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        // Each round follows redirects to one further origin, under its own rules.
        let mut next = request.clone();
        let mut result = self.fetch_on_origin(next.clone()).await;
        for _ in 0..MAX_HOSTS {
            let Some(url) = filtered_redirect(&result) else { return result };
            let rights = next.rights.inherit(&next.url, &url);
            next = FetchRequest { url, rights, ..request.clone() };
            let next_result = self.fetch_on_origin(next.clone()).await;
            let is_sent = !next_result.hops.is_empty();
            result = join_results(result, next_result);
            if !is_sent {
                return result;
            }
        }
        if filtered_redirect(&result).is_some() {
            result.outcome = FetchOutcome::TooManyRedirects;
        }
        result
    }

    async fn resolve_ip(&self, url: &Url) -> Option<IpAddr> {
        self.shared.paced.resolve_ip(url).await
    }
}

/// Returns the target of a redirect that the redirect filter stopped.
fn filtered_redirect(result: &FetchResult) -> Option<Url> {
    let last = result.hops.last().filter(|_| result.outcome == FetchOutcome::RobotsDisallowed)?;
    Url::parse(&last.url).ok()?.join(last.location.as_deref()?).ok()
}

/// Joins a result and the result of its redirect target.
fn join_results(first: FetchResult, second: FetchResult) -> FetchResult {
    let hops = first.hops.into_iter().chain(second.hops).collect();
    FetchResult { hops, timings: add_timings(first.timings, second.timings), ..second }
}

/// Returns a filter that allows redirects within the origin of `url`, as far as the rules
/// allow them. Redirects to other origins are separate requests.
fn origin_filter(rules: Option<&HostRules>, url: &Url) -> RedirectFilter {
    let Some(rules) = rules else {
        let origin = url.origin();
        return RedirectFilter::new(move |next: &Url| next.origin() == origin);
    };
    rules.origin_filter(url)
}
