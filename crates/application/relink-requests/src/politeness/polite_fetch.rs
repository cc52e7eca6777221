//! Polite requests for commands without a queue.
//!
//! Every request obeys the robots.txt of its host, the rate limits and
//! `Retry-After`, and follows a redirect to another host only if the robots.txt of that
//! host allows it. Only one request is in flight at a time. The *rules* (the parsed
//! robots.txt of an origin) and the delays of hosts are shared with runs through the
//! store. A *refusal* is the reason why a request is not sent.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use relink_frontier::RobotsPolicy;
use relink_model::{FetchOutcome, RequestRights};
use relink_ports::{Fetch, FetchRequest, FetchResult, RequestOptions};
use tokio::sync::Mutex;
use url::Url;

use super::paced_fetch::{PacedFetch, PoliteFetchSettings};
use super::refusal::{RequestRefusal, refused_result, unreachable_result};
use super::robots::{RobotsAttempts, RobotsResult, fetch_robots, robots_origin};
use super::rules::{HostRules, load_rules};
use crate::probe::{add_timings, current_time};

/// Maximum number of hosts that one request is redirected to.
const MAX_HOSTS: usize = 10;

/// Fetcher that obeys robots.txt and rate limits.
pub struct PoliteFetch<'a> {
    paced: PacedFetch<'a>,
    /// Locked during a request, so only one is in flight.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Rules by origin.
    rules: HashMap<String, HostRules>,
    /// Why the last unsent request was refused.
    refusal: Option<RequestRefusal>,
}

impl<'a> PoliteFetch<'a> {
    /// Creates a fetcher without state; the store, if any, has the state of earlier requests.
    pub fn new(settings: PoliteFetchSettings<'a>) -> Self {
        Self { paced: PacedFetch::new(settings), state: Mutex::default() }
    }

    /// Returns the number of requests, including redirects and robots.txt.
    pub async fn requests(&self) -> u64 {
        self.paced.requests().await
    }

    /// Whether a server has responded.
    pub async fn has_reached_server(&self) -> bool {
        self.paced.has_reached_server().await
    }

    /// Removes and returns the reason why the last unsent request was refused.
    pub async fn take_refusal(&self) -> Option<RequestRefusal> {
        self.state.lock().await.refusal.take()
    }

    /// Clears the state that is also stored, so that memory use does not depend
    /// on the number of hosts.
    pub async fn clear_cache(&self) {
        self.paced.clear_cache().await;
        if self.paced.settings.store.is_some() {
            self.state.lock().await.rules.clear();
        }
    }

    /// Checks that a page may be fetched now or within the maximum wait.
    /// Fetches robots.txt if the rules are unknown.
    pub async fn check_allowed(
        &self,
        url: &Url,
        rights: RequestRights,
    ) -> Result<(), RequestRefusal> {
        let mut state = self.state.lock().await;
        let rules = self.rules(&mut state, url, rights).await?;
        match &rules {
            // `fetch` returns this failure as the result of the page.
            HostRules::Failed(failure) if failure.decides_link(false) => return Ok(()),
            rules if !rules.is_allowed(url) => {
                return Err(RequestRefusal::disallowed(url, &rules.reason(url)));
            }
            _ => {}
        }
        self.paced.host_wait(url).await.map(|_wait| ())
    }

    /// Returns the rules of a URL's origin from memory, the store or the host.
    async fn rules(
        &self,
        state: &mut State,
        url: &Url,
        rights: RequestRights,
    ) -> Result<HostRules, RequestRefusal> {
        let origin = robots_origin(url);
        if let Some(rules) = state.rules.get(&origin) {
            return Ok(rules.clone());
        }
        let (rules, is_permitted) = match self.stored_rules(&origin).await {
            Some(policy) => (HostRules::Known(Arc::new(policy)), true),
            None => self.fetch_rules(origin.clone(), rights).await?,
        };
        if let Some(delay) = rules.crawl_delay() {
            self.paced.set_crawl_delay(url, delay).await;
        }
        if is_permitted {
            state.rules.insert(origin, rules.clone());
        }
        Ok(rules)
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

    /// Fetches a URL and follows redirects within its origin. Returns a refusal as the
    /// result of a request that was not sent.
    async fn fetch_on_origin(&self, state: &mut State, request: FetchRequest) -> FetchResult {
        let url = request.url.clone();
        let rules = match self.rules(state, &url, request.rights).await {
            Ok(HostRules::Failed(failure)) if failure.decides_link(false) => {
                return unreachable_result(&failure);
            }
            Ok(rules) => rules,
            Err(refusal) => return state.refuse(refusal),
        };
        if !rules.is_allowed(&url) {
            return state.refuse(RequestRefusal::disallowed(&url, &rules.reason(&url)));
        }
        let redirect_filter = Some(rules.origin_filter(&url));
        let options = RequestOptions { redirect_filter, ..request.options };
        match self.paced.send(FetchRequest { options, ..request }).await {
            Ok(result) => result,
            Err(refusal) => state.refuse(refusal),
        }
    }
}

#[async_trait]
impl Fetch for PoliteFetch<'_> {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        let mut state = self.state.lock().await;
        // Each round follows redirects to one further origin, under its own rules.
        let mut next = request.clone();
        let mut result = self.fetch_on_origin(&mut state, next.clone()).await;
        for _ in 0..MAX_HOSTS {
            let Some(url) = filtered_redirect(&result) else { return result };
            let rights = next.rights.inherit(&next.url, &url);
            next = FetchRequest { url, rights, ..request.clone() };
            let next_result = self.fetch_on_origin(&mut state, next.clone()).await;
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
        self.paced.resolve_ip(url).await
    }
}

impl State {
    /// Saves a refusal, and returns the result of the request that is not sent.
    fn refuse(&mut self, refusal: RequestRefusal) -> FetchResult {
        let result = refused_result(&refusal);
        self.refusal = Some(refusal);
        result
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
