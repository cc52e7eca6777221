//! Sends requests at the pace that hosts and IP addresses allow.
//!
//! One request per host is in flight at a time; requests to different hosts do not wait
//! for each other. The *schedule* of a host (its delays and the time of the next request)
//! is read from the store and saved there after every request, so that runs and other
//! commands continue at the same pace. If several workers share the store, each request
//! is reserved there first, and a host that a run has leased is not contacted. This module
//! does not read robots.txt; its caller does, and passes the `Crawl-delay`.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use relink_frontier::{IpRateLimiter, PolitenessPolicy, host_key};
use relink_model::FetchOutcome;
use relink_ports::{Clock, Fetch, FetchRequest, FetchResult, HostSchedule, RequestOptions, Store};
use tokio::time::Instant;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::pacer::{FinishedRequest, HostPacer, connecting_time};
use super::refusal::{RequestRefusal, refused_result};
use super::request_chain::{address_of, is_without_response, requested_urls};
use super::schedule::{add_wait, stored_wait};
use crate::probe::current_time;

/// First pause between attempts to reserve a request while another worker uses the
/// host. Each further pause is twice as long.
const MIN_RESERVATION_PAUSE: Duration = Duration::from_millis(20);
/// Maximum pause between attempts to reserve a request.
const MAX_RESERVATION_PAUSE: Duration = Duration::from_secs(1);

/// Whether requests obey robots.txt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotsUse {
    /// A page is requested only if the robots.txt of its host allows it.
    Obey,
    /// The file is not requested. Only for pages that the user names, as in a check.
    Ignore,
}

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
    /// Maximum wait for a host. If a host asks for a longer wait, no further request is sent
    /// to it.
    pub max_host_wait: Duration,
    /// Whether requests obey robots.txt.
    pub robots: RobotsUse,
}

/// Fetcher with rate limits.
pub(super) struct PacedFetch<'a> {
    pub(super) settings: PoliteFetchSettings<'a>,
    /// The start of the clock of the pacers and of the limiter.
    created_at: Instant,
    /// The hosts by key (name and port).
    hosts: Mutex<HashMap<String, Arc<PacedHost>>>,
    ip_limiter: Mutex<IpRateLimiter>,
    requests: AtomicU64,
    has_reached_server: AtomicBool,
}

/// One host.
struct PacedHost {
    /// Locked from the wait before a request to its end, so only one is in flight.
    slot: tokio::sync::Mutex<()>,
    state: Mutex<HostState>,
}

/// State of one host.
struct HostState {
    pacer: HostPacer,
    /// The IP address of the last request.
    address: Option<IpAddr>,
    /// Whether the address was looked up. A failed lookup is not repeated.
    is_resolved: bool,
}

impl PacedHost {
    fn state(&self) -> MutexGuard<'_, HostState> {
        lock(&self.state)
    }
}

/// Locks a mutex. A panic while it was locked leaves its value usable.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> PacedFetch<'a> {
    pub(super) fn new(settings: PoliteFetchSettings<'a>) -> Self {
        Self {
            settings,
            created_at: Instant::now(),
            hosts: Mutex::default(),
            ip_limiter: Mutex::new(IpRateLimiter::new(settings.politeness.ip_gap)),
            requests: AtomicU64::new(0),
            has_reached_server: AtomicBool::new(false),
        }
    }

    /// Returns the number of requests, including redirects.
    pub(super) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Whether a server has responded.
    pub(super) fn has_reached_server(&self) -> bool {
        self.has_reached_server.load(Ordering::Relaxed)
    }

    /// Clears the hosts that no request uses. Their schedules are in the store.
    pub(super) fn clear_cache(&self) {
        // Without a store, this is the only copy.
        if self.settings.store.is_some() {
            lock(&self.hosts).retain(|_, host| Arc::strong_count(host) > 1);
        }
    }

    /// Sets the `Crawl-delay` of the host of a URL.
    pub(super) async fn set_crawl_delay(&self, url: &Url, delay: Duration) {
        self.host(&host_key(url)).await.state().pacer.set_crawl_delay(delay);
    }

    /// Returns the wait for the host of a URL, or a refusal if it is too long.
    pub(super) async fn host_wait(&self, url: &Url) -> Result<Duration, RequestRefusal> {
        let host = self.host(&host_key(url)).await;
        self.wait_of(&host, url)
    }

    /// Returns the wait for a host, or a refusal if it is too long.
    fn wait_of(&self, host: &PacedHost, url: &Url) -> Result<Duration, RequestRefusal> {
        // Only while a request is in flight, the pacer has no time. Then the caller waits for
        // the slot of the host instead.
        let next = host.state().pacer.ready_at().unwrap_or_default();
        let wait = next.saturating_sub(self.created_at.elapsed());
        if wait > self.settings.max_host_wait {
            Err(RequestRefusal::wait(url, wait))
        } else {
            Ok(wait)
        }
    }

    /// Waits for the host and its IP address, and sends a request.
    pub(super) async fn send(&self, request: FetchRequest) -> Result<FetchResult, RequestRefusal> {
        let (url, key) = (request.url.clone(), host_key(&request.url));
        let host = self.host(&key).await;
        let slot = host.slot.lock().await;
        loop {
            // A redirect from another host may delay the request meanwhile.
            let wait = self.wait_of(&host, &url)?;
            if wait.is_zero() {
                break;
            }
            tokio::time::sleep(wait).await;
        }
        let address = self.address(&host, &url).await;
        self.wait_for_address(address, &key).await;
        let has_waited = self.reserve(&host, &key, &url).await?;
        if has_waited {
            // Meanwhile, another host may have used the address.
            self.wait_for_address(address, &key).await;
        }
        let sent_at = self.created_at.elapsed();
        let redirect_delay = host.state().pacer.delay();
        let options = RequestOptions { redirect_delay, ..request.options };
        let result = self.settings.fetch.fetch(FetchRequest { options, ..request }).await;
        self.record(&key, sent_at, &result).await;
        drop(slot);
        Ok(result)
    }

    /// Waits until no other worker of the store sends requests to a host, and reserves
    /// the next request for this process. Returns whether it has waited.
    async fn reserve(
        &self,
        host: &PacedHost,
        key: &str,
        url: &Url,
    ) -> Result<bool, RequestRefusal> {
        let Some(store) = self.settings.store.filter(|store| store.is_shared()) else {
            return Ok(false);
        };
        let delay = host.state().pacer.delay();
        let (mut waited, mut pause) = (Duration::ZERO, MIN_RESERVATION_PAUSE);
        loop {
            let now = current_time(self.settings.clock);
            // If the store cannot be reached, the pace of this process applies.
            if store.reserve_request(key, now, add_wait(now, delay)).await.unwrap_or(true) {
                return Ok(!waited.is_zero());
            }
            if waited >= self.settings.max_host_wait {
                return Err(RequestRefusal::wait(url, waited));
            }
            tokio::time::sleep(pause).await;
            waited += pause;
            pause = (pause * 2).min(MAX_RESERVATION_PAUSE);
        }
    }

    /// Returns the IP address of a host, if requests to an address are limited.
    async fn address(&self, host: &PacedHost, url: &Url) -> Option<IpAddr> {
        if self.settings.politeness.ip_gap.is_zero() {
            return None;
        }
        {
            let state = host.state();
            if state.is_resolved {
                return state.address;
            }
        }
        let address = self.settings.fetch.resolve_ip(url).await;
        let mut state = host.state();
        (state.address, state.is_resolved) = (address, true);
        address
    }

    /// Waits until a request may be sent to an IP address, and records it.
    async fn wait_for_address(&self, address: Option<IpAddr>, key: &str) {
        let Some(address) = address else { return };
        loop {
            let wait = {
                let (mut limiter, now) = (lock(&self.ip_limiter), self.created_at.elapsed());
                let wait = limiter.ready_at(address, host_number(key)).saturating_sub(now);
                if wait.is_zero() {
                    limiter.request_started(address, host_number(key), now);
                    return;
                }
                wait
            };
            tokio::time::sleep(wait).await;
        }
    }

    /// Returns a host. A new host starts with its schedule from the store.
    async fn host(&self, key: &str) -> Arc<PacedHost> {
        if let Some(host) = lock(&self.hosts).get(key) {
            return Arc::clone(host);
        }
        let stored = match self.settings.store {
            Some(store) => store.host_schedule(key).await.ok().flatten(),
            None => None,
        };
        let new_host = self.new_host(&stored.unwrap_or_default());
        // Another request may have added the host meanwhile.
        Arc::clone(lock(&self.hosts).entry(key.to_owned()).or_insert_with(|| Arc::new(new_host)))
    }

    fn new_host(&self, stored: &HostSchedule) -> PacedHost {
        let now = current_time(self.settings.clock);
        let wait = stored_wait(stored, now);
        let next = if wait.is_zero() { wait } else { self.created_at.elapsed() + wait };
        let pacer = HostPacer::new(self.settings.politeness, next, stored, now);
        let is_resolved = stored.address.is_some();
        let state = HostState { pacer, address: stored.address, is_resolved };
        PacedHost { slot: tokio::sync::Mutex::default(), state: Mutex::new(state) }
    }

    /// Records a fetch for each host to which it sent a request. `first_key` is the key of the
    /// first one; the others are targets of redirects.
    async fn record(&self, first_key: &str, sent_at: Duration, result: &FetchResult) {
        let now = self.created_at.elapsed();
        let without_response = usize::from(is_without_response(&result.outcome));
        let requests = (result.hops.len() + without_response) as u64;
        self.requests.fetch_add(requests, Ordering::Relaxed);
        self.has_reached_server.fetch_or(result.outcome.reached_server(), Ordering::Relaxed);
        let mut keys: Vec<String> = requested_urls(result).iter().map(host_key).collect();
        let last_key = keys.last().map_or_else(|| first_key.to_owned(), String::clone);
        keys.push(first_key.to_owned());
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let duration = now.saturating_sub(sent_at);
            let mut finished = FinishedRequest {
                requested_at: current_time(self.settings.clock),
                duration,
                connecting: connecting_time(&result.timings),
                // The request was sent when its start was recorded.
                age: duration,
                outcome: &result.outcome,
                retry_after: result.retry_after,
            };
            if key != last_key {
                // This host has sent a redirect, which the pacer takes for a normal response.
                finished.outcome = &FetchOutcome::RobotsDisallowed;
            }
            let address = address_of(result, &key);
            let host = self.host(&key).await;
            {
                let mut state = host.state();
                state.pacer.request_started(sent_at);
                state.pacer.request_finished(now, &finished, self.settings.max_host_wait);
                if requests > 1 {
                    // The last redirect may have reached the host later than `sent_at`.
                    state.pacer.delay_next(now);
                }
                if address.is_some() {
                    (state.address, state.is_resolved) = (address, true);
                }
            }
            self.save_schedule(&key, &host).await;
        }
    }

    async fn save_schedule(&self, key: &str, host: &PacedHost) {
        let Some(store) = self.settings.store else { return };
        let now = current_time(self.settings.clock);
        let mut schedule = {
            let state = host.state();
            state.pacer.to_schedule(self.created_at.elapsed(), now, state.address)
        };
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
fn host_number(key: &str) -> i64 {
    xxh3_64(key.as_bytes()).cast_signed()
}
