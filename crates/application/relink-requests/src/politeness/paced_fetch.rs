//! Sends one request after the other, at the pace that hosts and IP addresses allow.
//!
//! The *schedule* of a host (its delays and the time of the next request) is read from
//! the store and saved there after every request, so that runs and other commands
//! continue at the same pace. If several workers share the store, each request is
//! reserved there first, and a host that a run has leased is not contacted. This module
//! does not obey robots.txt; its caller does.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use relink_frontier::{IpRateLimiter, PolitenessPolicy, host_key};
use relink_model::FetchOutcome;
use relink_ports::{Clock, Fetch, FetchRequest, FetchResult, HostSchedule, RequestOptions, Store};
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::pacer::{FinishedRequest, HostPacer};
use super::refusal::{RequestRefusal, refused_result};
use super::schedule::{add_wait, stored_wait};
use crate::probe::current_time;

/// First pause between attempts to reserve a request while another worker uses the
/// host. Each further pause is twice as long.
const MIN_RESERVATION_PAUSE: Duration = Duration::from_millis(20);
/// Maximum pause between attempts to reserve a request.
const MAX_RESERVATION_PAUSE: Duration = Duration::from_secs(1);

/// Ports and limits of requests without a queue.
#[derive(Clone, Copy)]
pub struct PoliteFetchSettings<'a> {
    /// HTTP client.
    pub fetch: &'a dyn Fetch,
    /// System clock.
    pub clock: &'a dyn Clock,
    /// Store of schedules and rules, if there is one.
    pub store: Option<&'a dyn Store>,
    /// Rate limits per host.
    pub politeness: PolitenessPolicy,
    /// Maximum wait for a host. A host that requests more is not contacted
    /// again.
    pub max_host_wait: Duration,
}

/// Fetcher with rate limits.
pub(super) struct PacedFetch<'a> {
    pub(super) settings: PoliteFetchSettings<'a>,
    created_at: Instant,
    /// Locked during a request, so only one is in flight.
    state: Mutex<PacedHosts>,
}

/// State of the hosts, and statistics.
struct PacedHosts {
    /// The hosts by key (name and port).
    hosts: HashMap<String, PacedHost>,
    ip_limiter: IpRateLimiter,
    requests: u64,
    has_reached_server: bool,
}

/// State of one host.
struct PacedHost {
    pacer: HostPacer,
    /// The IP address of the last request.
    address: Option<IpAddr>,
    /// Whether the address was looked up. A failed lookup is not repeated.
    is_resolved: bool,
}

impl<'a> PacedFetch<'a> {
    pub(super) fn new(settings: PoliteFetchSettings<'a>) -> Self {
        let state = PacedHosts {
            hosts: HashMap::new(),
            ip_limiter: IpRateLimiter::new(settings.politeness.ip_gap),
            requests: 0,
            has_reached_server: false,
        };
        Self { settings, created_at: Instant::now(), state: Mutex::new(state) }
    }

    /// Returns the number of requests, including redirects.
    pub(super) async fn requests(&self) -> u64 {
        self.state.lock().await.requests
    }

    /// Whether a server has responded.
    pub(super) async fn has_reached_server(&self) -> bool {
        self.state.lock().await.has_reached_server
    }

    /// Clears the hosts, whose schedules are in the store.
    pub(super) async fn clear_cache(&self) {
        // Without a store, this is the only copy.
        if self.settings.store.is_some() {
            self.state.lock().await.hosts.clear();
        }
    }

    /// Sets the `Crawl-delay` of the host of a URL.
    pub(super) async fn set_crawl_delay(&self, url: &Url, delay: Duration) {
        let mut state = self.state.lock().await;
        self.host(&mut state, &host_key(url)).await.pacer.set_crawl_delay(delay);
    }

    /// Returns the wait for the host of a URL, or a refusal if it is too long.
    pub(super) async fn host_wait(&self, url: &Url) -> Result<Duration, RequestRefusal> {
        let mut state = self.state.lock().await;
        self.wait_in(&mut state, url).await
    }

    /// Returns the wait for the host of a URL, with the locked state.
    async fn wait_in(&self, state: &mut PacedHosts, url: &Url) -> Result<Duration, RequestRefusal> {
        // The time is missing only while a request is in flight, which locks the state.
        let next = self.host(state, &host_key(url)).await.pacer.ready_at().unwrap_or_default();
        let wait = next.saturating_sub(self.created_at.elapsed());
        if wait > self.settings.max_host_wait {
            Err(RequestRefusal::wait(url, wait))
        } else {
            Ok(wait)
        }
    }

    /// Waits for the host and its IP address, and sends a request.
    pub(super) async fn send(&self, request: FetchRequest) -> Result<FetchResult, RequestRefusal> {
        let mut state = self.state.lock().await;
        let (url, key) = (request.url.clone(), host_key(&request.url));
        let by_host = self.wait_in(&mut state, &url).await?;
        let by_address = self.address_wait(&mut state, &key, &url).await;
        tokio::time::sleep(by_host.max(by_address)).await;
        self.reserve(&mut state, &key, &url).await?;
        let sent_at = self.created_at.elapsed();
        let host = self.host(&mut state, &key).await;
        let (redirect_delay, address) = (host.pacer.delay(), host.address);
        if let Some(address) = address {
            state.ip_limiter.request_started(address, address_user(&key), sent_at);
        }
        let options = RequestOptions { redirect_delay, ..request.options };
        let result = self.settings.fetch.fetch(FetchRequest { options, ..request }).await;
        self.record(&mut state, &key, sent_at, &result).await;
        Ok(result)
    }

    /// Waits until no other worker of the store sends requests to a host, and reserves
    /// the next request for this process.
    async fn reserve(
        &self,
        state: &mut PacedHosts,
        key: &str,
        url: &Url,
    ) -> Result<(), RequestRefusal> {
        let Some(store) = self.settings.store.filter(|store| store.is_shared()) else {
            return Ok(());
        };
        let delay = self.host(state, key).await.pacer.delay();
        let (mut waited, mut pause) = (Duration::ZERO, MIN_RESERVATION_PAUSE);
        loop {
            let now = current_time(self.settings.clock);
            // If the store cannot be reached, the pace of this process applies.
            if store.reserve_request(key, now, add_wait(now, delay)).await.unwrap_or(true) {
                return Ok(());
            }
            if waited >= self.settings.max_host_wait {
                return Err(RequestRefusal::wait(url, waited));
            }
            tokio::time::sleep(pause).await;
            waited += pause;
            pause = (pause * 2).min(MAX_RESERVATION_PAUSE);
        }
    }

    /// Returns the wait until a request may be sent to the IP address of a host.
    async fn address_wait(&self, state: &mut PacedHosts, key: &str, url: &Url) -> Duration {
        if state.ip_limiter.is_disabled() {
            return Duration::ZERO;
        }
        let host = self.host(state, key).await;
        if !host.is_resolved {
            host.is_resolved = true;
            host.address = self.settings.fetch.resolve_ip(url).await;
        }
        let Some(address) = host.address else { return Duration::ZERO };
        let next = state.ip_limiter.ready_at(address, address_user(key));
        next.saturating_sub(self.created_at.elapsed())
    }

    /// Returns the state of a host. A new host starts with its schedule from the store.
    async fn host<'s>(&self, state: &'s mut PacedHosts, key: &str) -> &'s mut PacedHost {
        if !state.hosts.contains_key(key) {
            let stored = match self.settings.store {
                Some(store) => store.host_schedule(key).await.ok().flatten(),
                None => None,
            };
            let host = self.new_host(&stored.unwrap_or_default());
            state.hosts.insert(key.to_owned(), host);
        }
        // The entry exists now: the default is never used.
        let new_host = || self.new_host(&HostSchedule::default());
        state.hosts.entry(key.to_owned()).or_insert_with(new_host)
    }

    fn new_host(&self, stored: &HostSchedule) -> PacedHost {
        let now = current_time(self.settings.clock);
        let wait = stored_wait(stored, now);
        let next = if wait.is_zero() { wait } else { self.created_at.elapsed() + wait };
        let pacer = HostPacer::new(self.settings.politeness, next, stored, now);
        PacedHost { pacer, address: stored.address, is_resolved: stored.address.is_some() }
    }

    /// Records a request for each host that it reached through redirects. `first_key` is
    /// the key of the host to which it was sent.
    async fn record(
        &self,
        state: &mut PacedHosts,
        first_key: &str,
        sent_at: Duration,
        result: &FetchResult,
    ) {
        let now = self.created_at.elapsed();
        let response_urls: Vec<Url> =
            result.hops.iter().filter_map(|hop| Url::parse(&hop.url).ok()).collect();
        let without_response = usize::from(has_request_without_response(&result.outcome));
        state.requests += (response_urls.len() + without_response) as u64;
        state.has_reached_server |= result.outcome.reached_server();
        let last_key = response_urls.last().map_or_else(|| first_key.to_owned(), host_key);
        let mut keys: Vec<String> = response_urls.iter().map(host_key).collect();
        keys.push(first_key.to_owned());
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let mut finished = FinishedRequest {
                requested_at: current_time(self.settings.clock),
                duration: now.saturating_sub(sent_at),
                outcome: &result.outcome,
                retry_after: result.retry_after,
            };
            if key != last_key {
                // This host has sent a redirect. For it, the request is a success.
                finished.outcome = &FetchOutcome::RobotsDisallowed;
            }
            let address = address_of(result, &key);
            let host = self.host(state, &key).await;
            host.pacer.request_started(sent_at);
            host.pacer.request_finished(now, &finished, self.settings.max_host_wait);
            if response_urls.len() > 1 {
                // The last redirect may have reached the host later than `sent_at`.
                host.pacer.delay_next(now);
            }
            if address.is_some() {
                (host.address, host.is_resolved) = (address, true);
            }
            self.save_schedule(&key, host).await;
        }
    }

    async fn save_schedule(&self, key: &str, host: &PacedHost) {
        let Some(store) = self.settings.store else { return };
        let now = current_time(self.settings.clock);
        let mut schedule = host.pacer.to_schedule(self.created_at.elapsed(), now, host.address);
        if store.is_shared()
            && let Ok(Some(stored)) = store.host_schedule(key).await
        {
            // Another worker may have reserved a request meanwhile.
            schedule.next_at = schedule.next_at.max(stored.next_at);
        }
        // Ignore the error: the delay is learned again.
        let _ = store.save_host_schedule(key, &schedule).await;
    }
}

#[async_trait]
impl Fetch for PacedFetch<'_> {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        self.send(request).await.unwrap_or_else(|refusal| refused_result(&refusal))
    }

    async fn resolve_ip(&self, url: &Url) -> Option<IpAddr> {
        self.settings.fetch.resolve_ip(url).await
    }
}

/// Returns the number by which the limiter of IP addresses identifies a host.
fn address_user(key: &str) -> i64 {
    xxh3_64(key.as_bytes()).cast_signed()
}

/// Returns the IP address at which a host has responded.
fn address_of(result: &FetchResult, key: &str) -> Option<IpAddr> {
    let is_host = |url: &str| Url::parse(url).is_ok_and(|url| host_key(&url) == key);
    result.hops.iter().rev().find(|hop| is_host(&hop.url))?.ip
}

/// Whether the last request was sent but got no response. A redirect that was not
/// followed and a host that was not reached do not count.
fn has_request_without_response(outcome: &FetchOutcome) -> bool {
    matches!(
        outcome,
        FetchOutcome::DnsFailed(_)
            | FetchOutcome::ConnectFailed(_)
            | FetchOutcome::TimedOut(_)
            | FetchOutcome::TlsFailed(_)
            | FetchOutcome::ProtocolError(_)
    )
}
