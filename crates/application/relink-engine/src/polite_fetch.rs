//! Fetcher with built-in rate limits and robots.txt support, for commands
//! without a run.
//!
//! Every request waits for the rate limit of its host, obeys `Retry-After` and
//! robots.txt, and follows a redirect to another host only if the rules of that
//! host allow it. Only one request is in flight at a time. Schedules and rules
//! of hosts are read from the store and saved there, so that other runs obey
//! them too.

mod refusal;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_frontier::{
    HostRateLimiter, HostReadiness, PolitenessPolicy, ResponseSignal, RobotsPolicy, host_key,
};
use relink_model::{FetchOutcome, Probe, RequestRights};
use relink_ports::{
    Body, Clock, Fetch, FetchRequest, FetchResult, HostSchedule, RedirectFilter, RequestOptions,
    Store,
};
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

pub(crate) use self::refusal::Refusal;
use self::refusal::{refused_result, unreachable_result};
use crate::dispatch::THROTTLING_STATUSES;
use crate::host_schedule::{schedule_to_store, stored_delays, stored_wait};
use crate::probe::{add_timings, current_time, probe_url};
use crate::robots::{self, AGENT, RobotsAttempts, RobotsFailure, RobotsResult};

/// Maximum number of hosts that one request is redirected to.
const MAX_HOSTS: usize = 10;

/// Ports and limits of a [`PoliteFetch`].
#[derive(Clone, Copy)]
pub(crate) struct PoliteFetchSettings<'a> {
    /// HTTP client.
    pub(crate) fetch: &'a dyn Fetch,
    /// System clock.
    pub(crate) clock: &'a dyn Clock,
    /// Store of schedules and rules, if there is one.
    pub(crate) store: Option<&'a dyn Store>,
    /// Rate limits per host.
    pub(crate) politeness: PolitenessPolicy,
    /// Maximum wait for a host. A host that requests more is not contacted
    /// again.
    pub(crate) max_host_wait: Duration,
}

/// Fetcher with rate limits.
pub(crate) struct PoliteFetch<'a> {
    settings: PoliteFetchSettings<'a>,
    created_at: Instant,
    /// Locked during a request, so only one is in flight.
    state: Mutex<HostStates>,
}

/// State of the hosts, and statistics.
#[derive(Default)]
struct HostStates {
    rate_limiters: HashMap<String, HostRateLimiter>,
    /// Rules by origin.
    rules: HashMap<String, Rules>,
    requests: u64,
    has_reached_server: bool,
    /// Why the last unsent request was refused.
    refusal: Option<Refusal>,
}

/// Rules of an origin.
#[derive(Clone)]
enum Rules {
    Known(Arc<RobotsPolicy>),
    Failed(Arc<RobotsFailure>),
    /// The request lacks the permission to reach the host.
    NotPermitted(Arc<RobotsPolicy>),
}

impl<'a> PoliteFetch<'a> {
    pub(crate) fn new(settings: PoliteFetchSettings<'a>) -> Self {
        Self { settings, created_at: Instant::now(), state: Mutex::default() }
    }

    /// Returns the number of requests, including redirects and robots.txt.
    pub(crate) async fn requests(&self) -> u64 {
        self.state.lock().await.requests
    }

    /// Whether a server has responded.
    pub(crate) async fn has_reached_server(&self) -> bool {
        self.state.lock().await.has_reached_server
    }

    /// Takes the reason why the last unsent request was refused.
    pub(crate) async fn take_refusal(&self) -> Option<Refusal> {
        self.state.lock().await.refusal.take()
    }

    /// Clears the state that is also stored, so that memory use does not depend
    /// on the number of hosts.
    pub(crate) async fn clear_cache(&self) {
        let mut state = self.state.lock().await;
        // Without a store, this is the only copy.
        if self.settings.store.is_some() {
            state.rate_limiters.clear();
            state.rules.clear();
        }
    }

    /// Checks that a page may be fetched now or within the maximum wait.
    /// Fetches robots.txt if the rules are unknown.
    pub(crate) async fn check_allowed(
        &self,
        url: &Url,
        rights: RequestRights,
    ) -> Result<(), Refusal> {
        let mut state = self.state.lock().await;
        match self.rules(&mut state, url, rights).await? {
            Rules::Known(rules) | Rules::NotPermitted(rules) => check_rules(&rules, url)?,
            Rules::Failed(failure) if failure.decides_link(false) => return Ok(()),
            Rules::Failed(failure) => return Err(Refusal::no_rules(url, &failure)),
        }
        self.host_wait(&mut state, url).await.map(|_| ())
    }

    /// Returns the rules of a URL's origin from memory, the store or the host.
    async fn rules(
        &self,
        state: &mut HostStates,
        url: &Url,
        rights: RequestRights,
    ) -> Result<Rules, Refusal> {
        let origin = robots::robots_origin(url);
        if let Some(rules) = state.rules.get(&origin) {
            return Ok(rules.clone());
        }
        let rules = match self.stored_rules(&origin).await {
            Some(rules) => Rules::Known(Arc::new(rules)),
            None => self.fetch_rules(state, origin.clone(), rights).await?,
        };
        if let Rules::Known(rules) = &rules
            && let Some(delay) = rules.robots.crawl_delay(AGENT)
        {
            self.rate_limiter(state, &host_key(url)).await.set_crawl_delay(delay);
        }
        // Do not cache: another request may have the permission to reach the
        // host.
        if !matches!(rules, Rules::NotPermitted(_)) {
            state.rules.insert(origin, rules.clone());
        }
        Ok(rules)
    }

    async fn stored_rules(&self, origin: &str) -> Option<RobotsPolicy> {
        let now = current_time(self.settings.clock);
        let since = now.checked_sub(RobotsPolicy::LIFETIME).unwrap_or(Timestamp::MIN);
        // Fetch the rules if the store cannot be read.
        let stored = self.settings.store?.robots(origin, since).await.ok()??;
        robots::stored_rules(&stored).filter(|rules| rules.is_fresh(now))
    }

    async fn fetch_rules(
        &self,
        state: &mut HostStates,
        origin: String,
        rights: RequestRights,
    ) -> Result<Rules, Refusal> {
        let mut attempts =
            RobotsAttempts::new(origin, &self.settings.politeness, self.settings.max_host_wait);
        let Some(url) = attempts.url() else { return Err(Refusal::not_web()) };
        let (probe, body) = loop {
            let wait = self.host_wait(state, &url).await?;
            tokio::time::sleep(wait).await;
            let (probe, body) = self.request_rules(state, &url, rights).await;
            match attempts.record_attempt(&probe) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => break (probe, body),
            }
        };
        Ok(match attempts.finish(probe, body) {
            RobotsResult::Failed(failure) => Rules::Failed(Arc::new(failure)),
            RobotsResult::Rules { rules, stored: None, .. } => Rules::NotPermitted(Arc::new(rules)),
            RobotsResult::Rules { rules, stored: Some(stored), .. } => {
                if let Some(store) = self.settings.store {
                    // Ignore the error: the rules are fetched again next time.
                    let _ = store.save_robots(&stored).await;
                }
                Rules::Known(Arc::new(rules))
            }
        })
    }

    async fn request_rules(
        &self,
        state: &mut HostStates,
        url: &Url,
        rights: RequestRights,
    ) -> (Probe, Option<Body>) {
        let sent_at = self.created_at.elapsed();
        let request = RobotsAttempts::request(url, rights);
        let (probe, body) = probe_url(self.settings.fetch, self.settings.clock, request).await;
        let response_urls = probe.hops.iter().filter_map(|hop| Url::parse(&hop.url).ok()).collect();
        let result = RequestOutcome {
            outcome: &probe.outcome,
            retry_after: probe.retry_after,
            response_urls,
        };
        self.record_request(state, url, sent_at, &result).await;
        (probe, body)
    }

    /// Returns the wait for the host of a URL, or a refusal if it is too long.
    async fn host_wait(&self, state: &mut HostStates, url: &Url) -> Result<Duration, Refusal> {
        let next = match self.rate_limiter(state, &host_key(url)).await.readiness() {
            HostReadiness::ReadyAt(next) => next,
            // No request is in flight, because there is only one at a time.
            HostReadiness::WhenSlotFrees => Duration::ZERO,
        };
        let wait = next.saturating_sub(self.created_at.elapsed());
        if wait > self.settings.max_host_wait { Err(Refusal::wait(url, wait)) } else { Ok(wait) }
    }

    /// Returns the rate limiter of a host, with the delays from the store.
    async fn rate_limiter<'s>(
        &self,
        state: &'s mut HostStates,
        host: &str,
    ) -> &'s mut HostRateLimiter {
        if !state.rate_limiters.contains_key(host) {
            let stored = match self.settings.store {
                Some(store) => store.host_schedule(host).await.ok().flatten(),
                None => None,
            };
            let limiter = self.new_rate_limiter(stored.unwrap_or_default());
            state.rate_limiters.insert(host.to_owned(), limiter);
        }
        let new_limiter = || self.new_rate_limiter(HostSchedule::default());
        state.rate_limiters.entry(host.to_owned()).or_insert_with(new_limiter)
    }

    fn new_rate_limiter(&self, stored: HostSchedule) -> HostRateLimiter {
        let now = current_time(self.settings.clock);
        let wait = stored_wait(&stored, now);
        let next = if wait.is_zero() { wait } else { self.created_at.elapsed() + wait };
        HostRateLimiter::new(self.settings.politeness, next, stored_delays(&stored, now))
    }

    /// Sends one request. Redirects to other origins are not followed.
    async fn send(
        &self,
        state: &mut HostStates,
        request: FetchRequest,
        rules: &Arc<RobotsPolicy>,
    ) -> FetchResult {
        let (url, sent_at) = (request.url.clone(), self.created_at.elapsed());
        let delay = self.rate_limiter(state, &host_key(&url)).await.delay();
        let options = RequestOptions {
            redirect_filter: Some(same_origin_filter(&url, rules)),
            redirect_delay: delay,
            ..request.options
        };
        let result = self.settings.fetch.fetch(FetchRequest { options, ..request }).await;
        let response_urls =
            result.hops.iter().filter_map(|hop| Url::parse(&hop.url).ok()).collect();
        let (outcome, retry_after) = (&result.outcome, result.retry_after);
        self.record_request(
            state,
            &url,
            sent_at,
            &RequestOutcome { outcome, retry_after, response_urls },
        )
        .await;
        result
    }

    /// Records a request with the hosts that it reached.
    async fn record_request(
        &self,
        state: &mut HostStates,
        url: &Url,
        sent_at: Duration,
        result: &RequestOutcome<'_>,
    ) {
        let now = self.created_at.elapsed();
        let without_response = usize::from(result.has_request_without_response());
        state.requests += (result.response_urls.len() + without_response) as u64;
        state.has_reached_server |= result.outcome.reached_server();
        let first = host_key(url);
        let last = result.response_urls.last().map_or_else(|| first.clone(), host_key);
        let mut hosts: Vec<String> = result.response_urls.iter().map(host_key).collect();
        hosts.push(first);
        hosts.sort_unstable();
        hosts.dedup();
        for host in hosts {
            let signal =
                if host == last { result.response_signal() } else { ResponseSignal::Clean };
            let limiter = self.rate_limiter(state, &host).await;
            limiter.request_started(sent_at);
            limiter.request_finished(now, now.saturating_sub(sent_at), signal);
            if result.response_urls.len() > 1 {
                limiter.delay_next(now);
            }
            let schedule = self.stored_schedule(limiter);
            if let Some(store) = self.settings.store {
                // Ignore the error: the delay is learned again.
                let _ = store.save_host_schedule(&host, &schedule).await;
            }
        }
    }

    fn stored_schedule(&self, limiter: &HostRateLimiter) -> HostSchedule {
        schedule_to_store(
            limiter,
            self.created_at.elapsed(),
            current_time(self.settings.clock),
            None,
        )
    }

    /// Fetches a URL as far as its origin redirects, or returns a refusal.
    async fn fetch_on_origin(&self, state: &mut HostStates, request: FetchRequest) -> FetchResult {
        let url = request.url.clone();
        let rules = match self.rules(state, &url, request.rights).await {
            Ok(Rules::Known(rules) | Rules::NotPermitted(rules)) => rules,
            Ok(Rules::Failed(failure)) if failure.decides_link(false) => {
                return unreachable_result(&failure);
            }
            Ok(Rules::Failed(failure)) => return state.refuse(Refusal::no_rules(&url, &failure)),
            Err(refusal) => return state.refuse(refusal),
        };
        if let Err(refusal) = check_rules(&rules, &url) {
            return state.refuse(refusal);
        }
        match self.host_wait(state, &url).await {
            Ok(wait) => tokio::time::sleep(wait).await,
            Err(refusal) => return state.refuse(refusal),
        }
        self.send(state, request, &rules).await
    }
}

#[async_trait]
impl Fetch for PoliteFetch<'_> {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        let mut state = self.state.lock().await;
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
        self.settings.fetch.resolve_ip(url).await
    }
}

impl HostStates {
    /// Returns the result of a request that is not sent.
    fn refuse(&mut self, refusal: Refusal) -> FetchResult {
        let result = refused_result(&refusal);
        self.refusal = Some(refusal);
        result
    }
}

/// Outcome of a request.
struct RequestOutcome<'a> {
    outcome: &'a FetchOutcome,
    retry_after: Option<u64>,
    /// The URL of every response.
    response_urls: Vec<Url>,
}

impl RequestOutcome<'_> {
    /// Whether the last request was sent but got no response. A redirect that
    /// was not followed and a host that was not reached do not count.
    fn has_request_without_response(&self) -> bool {
        matches!(
            self.outcome,
            FetchOutcome::DnsFailed(_)
                | FetchOutcome::ConnectFailed(_)
                | FetchOutcome::TimedOut(_)
                | FetchOutcome::TlsFailed(_)
                | FetchOutcome::ProtocolError(_)
        )
    }

    fn response_signal(&self) -> ResponseSignal {
        match self.outcome {
            FetchOutcome::Response(status) if THROTTLING_STATUSES.contains(status) => {
                ResponseSignal::Throttled(self.retry_after.map(Duration::from_secs))
            }
            FetchOutcome::Response(_) | FetchOutcome::RobotsDisallowed => ResponseSignal::Clean,
            _ => ResponseSignal::NoResponse,
        }
    }
}

/// Returns a refusal if the rules disallow a URL.
fn check_rules(rules: &RobotsPolicy, url: &Url) -> Result<(), Refusal> {
    if rules.robots.is_allowed(AGENT, url) {
        return Ok(());
    }
    Err(Refusal::forbidden(url, rules.robots.rule(AGENT, url)))
}

/// Returns a filter that allows redirects within the origin, if its rules allow
/// them. [`PoliteFetch`] follows all others, host by host.
fn same_origin_filter(url: &Url, rules: &Arc<RobotsPolicy>) -> RedirectFilter {
    let (origin, rules) = (url.origin(), Arc::clone(rules));
    RedirectFilter::new(move |next: &Url| {
        next.origin() == origin && rules.robots.is_allowed(AGENT, next)
    })
}

/// Returns the target of a redirect that was not followed.
fn filtered_redirect(result: &FetchResult) -> Option<Url> {
    let last = result.hops.last().filter(|_| result.outcome == FetchOutcome::RobotsDisallowed)?;
    Url::parse(&last.url).ok()?.join(last.location.as_deref()?).ok()
}

/// Joins a result and the result of its redirect target.
fn join_results(first: FetchResult, second: FetchResult) -> FetchResult {
    let hops = first.hops.into_iter().chain(second.hops).collect();
    FetchResult { hops, timings: add_timings(first.timings, second.timings), ..second }
}

#[cfg(test)]
mod tests;
