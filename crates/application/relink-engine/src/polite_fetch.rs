//! A fetch that is polite by itself, for commands without a run of tasks.
//!
//! Every request waits for its host's turn, obeys the host's `robots.txt` and
//! a `Retry-After`, and is followed to other hosts only after those were asked
//! for their rules. One request is in flight at a time, so no host sees more
//! than one. The pace of a host and its rules are read from the store and
//! written back, so that other runs keep to them, too.

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
use self::refusal::{refused, unreachable};
use crate::dispatch::THROTTLING;
use crate::host_pace::{pace_to_store, stored_delays, stored_wait};
use crate::probe::{look, moment, sum};
use crate::robots::{self, AGENT, RobotsAttempts, RobotsFailure, RobotsResult};

/// Hosts that one request may be redirected to, one after the other.
const MAX_HOSTS: usize = 10;

/// What is requested with, and how politely.
#[derive(Clone, Copy)]
pub(crate) struct Politeness<'a> {
    /// Sends the requests.
    pub(crate) fetch: &'a dyn Fetch,
    /// The time of day.
    pub(crate) clock: &'a dyn Clock,
    /// Where hosts' paces and rules are stored, if anywhere.
    pub(crate) store: Option<&'a dyn Store>,
    /// The interval between requests to one host.
    pub(crate) politeness: PolitenessPolicy,
    /// The longest wait for a host; one that asks for more is not requested
    /// again.
    pub(crate) max_host_wait: Duration,
}

/// Fetches politely.
pub(crate) struct PoliteFetch<'a> {
    with: Politeness<'a>,
    began: Instant,
    /// Held during a request: one at a time.
    state: Mutex<State>,
}

/// What is known of hosts, and what was sent so far.
#[derive(Default)]
struct State {
    clocks: HashMap<String, HostRateLimiter>,
    /// By origin.
    rules: HashMap<String, Rules>,
    requests: u64,
    has_met_a_server: bool,
    /// Why the last request that was not sent was not.
    refusal: Option<Refusal>,
}

/// What an origin allows.
#[derive(Clone)]
enum Rules {
    Known(Arc<RobotsPolicy>),
    Failed(Arc<RobotsFailure>),
    /// The host may not be reached with the rights of this request.
    NotReached(Arc<RobotsPolicy>),
}

impl<'a> PoliteFetch<'a> {
    pub(crate) fn new(with: Politeness<'a>) -> Self {
        Self { with, began: Instant::now(), state: Mutex::default() }
    }

    /// Requests so far, each redirect and each `robots.txt` counted.
    pub(crate) async fn requests(&self) -> u64 {
        self.state.lock().await.requests
    }

    /// Whether any server was reached.
    pub(crate) async fn has_met_a_server(&self) -> bool {
        self.state.lock().await.has_met_a_server
    }

    /// Why the last request that was not sent was not; reported once.
    pub(crate) async fn take_refusal(&self) -> Option<Refusal> {
        self.state.lock().await.refusal.take()
    }

    /// Drops what is stored anyway: a run over many hosts must not grow.
    pub(crate) async fn forget(&self) {
        let mut state = self.state.lock().await;
        // Without a store this is the only memory of what a host asked for.
        if self.with.store.is_some() {
            state.clocks.clear();
            state.rules.clear();
        }
    }

    /// Whether a page may be requested now or soon. Requests `robots.txt` if
    /// the rules are not known.
    pub(crate) async fn admit(&self, url: &Url, rights: RequestRights) -> Result<(), Refusal> {
        let mut state = self.state.lock().await;
        match self.rules(&mut state, url, rights).await? {
            Rules::Known(rules) | Rules::NotReached(rules) => allowed(&rules, url)?,
            Rules::Failed(failure) if failure.decides_link(false) => return Ok(()),
            Rules::Failed(failure) => return Err(Refusal::no_rules(url, &failure)),
        }
        self.short_wait(&mut state, url).await.map(|_| ())
    }

    /// The rules of a URL's origin: known, stored, or requested now.
    async fn rules(
        &self,
        state: &mut State,
        url: &Url,
        rights: RequestRights,
    ) -> Result<Rules, Refusal> {
        let origin = robots::origin(url);
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
            self.host_clock(state, &host_key(url)).await.set_crawl_delay(delay);
        }
        // Another request may have the rights to reach the host.
        if !matches!(rules, Rules::NotReached(_)) {
            state.rules.insert(origin, rules.clone());
        }
        Ok(rules)
    }

    async fn stored_rules(&self, origin: &str) -> Option<RobotsPolicy> {
        let now = moment(self.with.clock);
        let since = now.checked_sub(RobotsPolicy::FRESH).unwrap_or(Timestamp::MIN);
        // A store that cannot be read costs a request for the rules.
        let kept = self.with.store?.robots(origin, since).await.ok()??;
        robots::stored_rules(&kept).filter(|rules| rules.is_fresh(now))
    }

    async fn fetch_rules(
        &self,
        state: &mut State,
        origin: String,
        rights: RequestRights,
    ) -> Result<Rules, Refusal> {
        let mut attempts =
            RobotsAttempts::new(origin, &self.with.politeness, self.with.max_host_wait);
        let Some(url) = attempts.url() else { return Err(Refusal::not_web()) };
        let (probe, body) = loop {
            let wait = self.short_wait(state, &url).await?;
            tokio::time::sleep(wait).await;
            let (probe, body) = self.request_rules(state, &url, rights).await;
            match attempts.note(&probe) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => break (probe, body),
            }
        };
        Ok(match attempts.finish(probe, body) {
            RobotsResult::Failed(failure) => Rules::Failed(Arc::new(failure)),
            RobotsResult::Rules { rules, kept: None, .. } => Rules::NotReached(Arc::new(rules)),
            RobotsResult::Rules { rules, kept: Some(kept), .. } => {
                if let Some(store) = self.with.store {
                    // A rule that is not stored is requested again next time.
                    let _ = store.save_robots(&kept).await;
                }
                Rules::Known(Arc::new(rules))
            }
        })
    }

    async fn request_rules(
        &self,
        state: &mut State,
        url: &Url,
        rights: RequestRights,
    ) -> (Probe, Option<Body>) {
        let sent_at = self.began.elapsed();
        let request = RobotsAttempts::request(url, rights);
        let (probe, body) = look(self.with.fetch, self.with.clock, request).await;
        let hosts = probe.hops.iter().filter_map(|hop| Url::parse(&hop.url).ok()).collect();
        let result = Outcome { outcome: &probe.outcome, retry_after: probe.retry_after, hosts };
        self.note(state, url, sent_at, &result).await;
        (probe, body)
    }

    /// How long the host of a URL must be left alone, if that is not too long.
    async fn short_wait(&self, state: &mut State, url: &Url) -> Result<Duration, Refusal> {
        let next = match self.host_clock(state, &host_key(url)).await.readiness() {
            HostReadiness::From(next) => next,
            // One request at a time: none is in flight.
            HostReadiness::WhenSlotFrees => Duration::ZERO,
        };
        let wait = next.saturating_sub(self.began.elapsed());
        if wait > self.with.max_host_wait { Err(Refusal::wait(url, wait)) } else { Ok(wait) }
    }

    /// The clock of a host, with what the store knows of its pace.
    async fn host_clock<'s>(&self, state: &'s mut State, host: &str) -> &'s mut HostRateLimiter {
        if !state.clocks.contains_key(host) {
            let stored = match self.with.store {
                Some(store) => store.host_schedule(host).await.ok().flatten(),
                None => None,
            };
            let clock = self.clock_from(stored.unwrap_or_default());
            state.clocks.insert(host.to_owned(), clock);
        }
        let fresh = || self.clock_from(HostSchedule::default());
        state.clocks.entry(host.to_owned()).or_insert_with(fresh)
    }

    fn clock_from(&self, stored: HostSchedule) -> HostRateLimiter {
        let now = moment(self.with.clock);
        let wait = stored_wait(&stored, now);
        let next = if wait.is_zero() { wait } else { self.began.elapsed() + wait };
        HostRateLimiter::new(self.with.politeness, next, stored_delays(&stored, now))
    }

    /// Sends one request that stays on its origin.
    async fn send(
        &self,
        state: &mut State,
        request: FetchRequest,
        rules: &Arc<RobotsPolicy>,
    ) -> FetchResult {
        let (url, sent_at) = (request.url.clone(), self.began.elapsed());
        let pause = self.host_clock(state, &host_key(&url)).await.delay();
        let terms = RequestOptions {
            redirect_filter: Some(own_gate(&url, rules)),
            redirect_delay: pause,
            ..request.options
        };
        let fetched = self.with.fetch.fetch(FetchRequest { options: terms, ..request }).await;
        let hosts = fetched.hops.iter().filter_map(|hop| Url::parse(&hop.url).ok()).collect();
        let (ending, retry_after) = (&fetched.outcome, fetched.retry_after);
        self.note(state, &url, sent_at, &Outcome { outcome: ending, retry_after, hosts }).await;
        fetched
    }

    /// Notes what a request did to the hosts it reached.
    async fn note(&self, state: &mut State, url: &Url, sent_at: Duration, result: &Outcome<'_>) {
        let now = self.began.elapsed();
        let unanswered = usize::from(result.has_unanswered_request());
        state.requests += (result.hosts.len() + unanswered) as u64;
        state.has_met_a_server |= result.outcome.reached_server();
        let first = host_key(url);
        let last = result.hosts.last().map_or_else(|| first.clone(), host_key);
        let mut hosts: Vec<String> = result.hosts.iter().map(host_key).collect();
        hosts.push(first);
        hosts.sort_unstable();
        hosts.dedup();
        for host in hosts {
            let arrival = if host == last { result.arrival() } else { ResponseSignal::Clean };
            let clock = self.host_clock(state, &host).await;
            clock.request_started(sent_at);
            clock.request_finished(now, now.saturating_sub(sent_at), arrival);
            if result.hosts.len() > 1 {
                clock.rest(now);
            }
            let pace = self.stored_pace(clock);
            if let Some(store) = self.with.store {
                // A pace that is not stored is learned again.
                let _ = store.save_host_schedule(&host, &pace).await;
            }
        }
    }

    fn stored_pace(&self, clock: &HostRateLimiter) -> HostSchedule {
        pace_to_store(clock, self.began.elapsed(), moment(self.with.clock), None)
    }

    /// Sends a request as far as its origin leads, or says why it is not sent.
    async fn step(&self, state: &mut State, request: FetchRequest) -> FetchResult {
        let url = request.url.clone();
        let rules = match self.rules(state, &url, request.rights).await {
            Ok(Rules::Known(rules) | Rules::NotReached(rules)) => rules,
            Ok(Rules::Failed(failure)) if failure.decides_link(false) => {
                return unreachable(&failure);
            }
            Ok(Rules::Failed(failure)) => return state.refuse(Refusal::no_rules(&url, &failure)),
            Err(refusal) => return state.refuse(refusal),
        };
        if let Err(refusal) = allowed(&rules, &url) {
            return state.refuse(refusal);
        }
        match self.short_wait(state, &url).await {
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
        let mut fetched = self.step(&mut state, next.clone()).await;
        for _ in 0..MAX_HOSTS {
            let Some(url) = closed_redirect(&fetched) else { return fetched };
            let rights = next.rights.inherited(&next.url, &url);
            next = FetchRequest { url, rights, ..request.clone() };
            let onward = self.step(&mut state, next.clone()).await;
            let is_sent = !onward.hops.is_empty();
            fetched = joined(fetched, onward);
            if !is_sent {
                return fetched;
            }
        }
        if closed_redirect(&fetched).is_some() {
            fetched.outcome = FetchOutcome::TooManyRedirects;
        }
        fetched
    }

    async fn resolve_ip(&self, url: &Url) -> Option<IpAddr> {
        self.with.fetch.resolve_ip(url).await
    }
}

impl State {
    /// The result of a request that is not sent.
    fn refuse(&mut self, refusal: Refusal) -> FetchResult {
        let fetched = refused(&refusal);
        self.refusal = Some(refusal);
        fetched
    }
}

/// How a request ended, and where it went.
struct Outcome<'a> {
    outcome: &'a FetchOutcome,
    retry_after: Option<u64>,
    /// The URL of every response.
    hosts: Vec<Url>,
}

impl Outcome<'_> {
    /// Whether the last request was sent and has no response. A redirect that
    /// was not followed and a host that was not reached had no request.
    fn has_unanswered_request(&self) -> bool {
        matches!(
            self.outcome,
            FetchOutcome::DnsFailed(_)
                | FetchOutcome::ConnectFailed(_)
                | FetchOutcome::TimedOut(_)
                | FetchOutcome::Tls(_)
                | FetchOutcome::ProtocolError(_)
        )
    }

    fn arrival(&self) -> ResponseSignal {
        match self.outcome {
            FetchOutcome::Response(status) if THROTTLING.contains(status) => {
                ResponseSignal::Throttled(self.retry_after.map(Duration::from_secs))
            }
            FetchOutcome::Response(_) | FetchOutcome::RobotsDisallowed => ResponseSignal::Clean,
            _ => ResponseSignal::NoResponse,
        }
    }
}

/// Whether the rules allow a URL.
fn allowed(rules: &RobotsPolicy, url: &Url) -> Result<(), Refusal> {
    if rules.robots.is_allowed(AGENT, url) {
        return Ok(());
    }
    Err(Refusal::forbidden(url, rules.robots.rule(AGENT, url)))
}

/// Lets redirects pass that stay on the origin and are allowed there. All
/// others are followed by [`PoliteFetch`] itself, host by host.
fn own_gate(url: &Url, rules: &Arc<RobotsPolicy>) -> RedirectFilter {
    let (origin, rules) = (url.origin(), Arc::clone(rules));
    RedirectFilter::new(move |next: &Url| {
        next.origin() == origin && rules.robots.is_allowed(AGENT, next)
    })
}

/// Where a redirect leads that was not followed.
fn closed_redirect(fetched: &FetchResult) -> Option<Url> {
    let last = fetched.hops.last().filter(|_| fetched.outcome == FetchOutcome::RobotsDisallowed)?;
    Url::parse(&last.url).ok()?.join(last.location.as_deref()?).ok()
}

/// One result made of two, the second from where the first was redirected to.
fn joined(first: FetchResult, second: FetchResult) -> FetchResult {
    let hops = first.hops.into_iter().chain(second.hops).collect();
    FetchResult { hops, timings: sum(first.timings, second.timings), ..second }
}

#[cfg(test)]
mod tests;
