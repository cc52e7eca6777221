//! Rate-limited HTTP client for one service, such as an archive or a search engine. It
//! sends one request at a time.
//!
//! If the service limits the rate, the client waits at most once per request, and never
//! longer than the configured maximum. A longer wait is returned as an error. The client
//! stores the end of the wait. Until then, further calls wait too, or fail without a request if
//! more than the maximum wait is left.

mod rate_limit;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use relink_model::RequestRights;
use relink_ports::{
    BudgetStore, Clock, Fetch, FetchRequest, FetchResult, RequestOptions, UserAgent,
};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, sleep_until};
use url::Url;

pub(crate) use rate_limit::RATE_HEADERS;

/// Backoff (time without requests) after a refusal that states no delay. It doubles with
/// each consecutive refusal.
const DEFAULT_BACKOFF: Duration = Duration::from_mins(1);

/// Maximum backoff. Longer delays requested by the service are cut to this.
const MAX_BACKOFF: Duration = Duration::from_hours(24);

/// Maximum number of doublings of [`DEFAULT_BACKOFF`]: 60 seconds to 64
/// minutes.
const MAX_DOUBLINGS: u32 = 6;

/// Seconds per day.
const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

/// Rate limit, budget and timeout of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceLimits {
    /// Minimum time between two requests.
    pub interval: Duration,
    /// Maximum wait for a service that limits the rate. A longer wait is
    /// returned to the caller as an error.
    pub max_wait: Duration,
    /// Maximum number of requests per day (UTC). `u32::MAX` is no limit.
    pub daily_budget: u32,
    /// Timeout of one request.
    pub timeout: Duration,
}

impl Default for ServiceLimits {
    /// Limits for large public services: at most 50 requests per minute. Such services
    /// are known to accept about 60.
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(1_200),
            max_wait: Duration::from_secs(20),
            daily_budget: 10_000,
            timeout: Duration::from_secs(40),
        }
    }
}

impl ServiceLimits {
    /// Limits for a service on the same machine or in the local network.
    pub const fn local() -> Self {
        Self {
            interval: Duration::ZERO,
            max_wait: Duration::from_secs(20),
            daily_budget: u32::MAX,
            timeout: Duration::from_secs(40),
        }
    }
}

/// Reason why a request was not sent or was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServiceRefusal {
    /// The service limits the rate until this time.
    RateLimited(Timestamp),
    /// The daily budget is used up until this time.
    BudgetExhausted(Timestamp),
}

/// HTTP client of one service.
pub(crate) struct ServiceClient {
    fetch: Arc<dyn Fetch>,
    clock: Arc<dyn Clock>,
    limits: ServiceLimits,
    /// The store of a budget shared with other processes, and the name of the service in
    /// this store.
    budget_store: Option<(Arc<dyn BudgetStore>, String)>,
    state: Mutex<ServiceState>,
    requests: AtomicU64,
}

/// Returns the host and port of a service. Omits credentials, because the
/// result is written to disk.
pub(crate) fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// State of the service, protected by the mutex.
#[derive(Debug, Default)]
struct ServiceState {
    /// Earliest time of the next request.
    next_request_at: Option<Instant>,
    /// End of the current backoff.
    backoff_until: Option<Timestamp>,
    /// Number of consecutive refusals.
    refusals: u32,
    /// Current day, counted from the epoch.
    day: i64,
    /// Number of requests on this day.
    requests_today: u32,
}

impl ServiceClient {
    /// Creates a client.
    pub fn new(fetch: Arc<dyn Fetch>, clock: Arc<dyn Clock>, limits: ServiceLimits) -> Self {
        let requests = AtomicU64::new(0);
        Self { fetch, clock, limits, budget_store: None, state: Mutex::default(), requests }
    }

    /// Stores the budget in `store`, so that all processes share it.
    pub fn with_budget_store(mut self, store: Arc<dyn BudgetStore>, service: String) -> Self {
        self.budget_store = Some((store, service));
        self
    }

    /// Returns the number of requests sent.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Fetches a URL. `is_configured` means that the settings contain the host of the
    /// URL. All other URLs come from responses of the service, and must not lead to private
    /// addresses.
    pub async fn fetch(
        &self,
        url: &Url,
        is_configured: bool,
        options: &RequestOptions,
    ) -> Result<FetchResult, ServiceRefusal> {
        // The lock is held during the request, so there is one request at a
        // time.
        let mut state = self.state.lock().await;
        let mut has_waited = self.wait_for_backoff(&state).await?;
        loop {
            self.charge_budget(&mut state).await?;
            let result = self.send(&mut state, url, is_configured, options).await;
            let Some(backoff) = requested_backoff(&result, state.refusals) else {
                state.refusals = 0;
                state.backoff_until = None;
                return Ok(result);
            };
            state.refusals += 1;
            let until = self.clock.now().saturating_add(signed(backoff)).unwrap_or(Timestamp::MAX);
            state.backoff_until = Some(until);
            if has_waited || backoff > self.limits.max_wait {
                return Err(ServiceRefusal::RateLimited(until));
            }
            sleep(backoff).await;
            has_waited = true;
        }
    }

    /// Waits for the end of a backoff. Returns whether it waited. Fails if the end is
    /// later than the maximum wait.
    async fn wait_for_backoff(&self, state: &ServiceState) -> Result<bool, ServiceRefusal> {
        let Some(until) = state.backoff_until else { return Ok(false) };
        let remaining = until.duration_since(self.clock.now());
        // A negative duration cannot be converted: the backoff has ended.
        let Ok(remaining) = Duration::try_from(remaining) else { return Ok(false) };
        if remaining > self.limits.max_wait {
            return Err(ServiceRefusal::RateLimited(until));
        }
        sleep(remaining).await;
        Ok(!remaining.is_zero())
    }

    /// Takes one request from the daily budget.
    async fn charge_budget(&self, state: &mut ServiceState) -> Result<(), ServiceRefusal> {
        let today = self.clock.now().as_second().div_euclid(SECONDS_PER_DAY);
        if state.day != today {
            (state.day, state.requests_today) = (today, 0);
        }
        if state.requests_today >= self.limits.daily_budget || !self.try_spend(today).await {
            let tomorrow = Timestamp::from_second((today + 1).saturating_mul(SECONDS_PER_DAY));
            return Err(ServiceRefusal::BudgetExhausted(tomorrow.unwrap_or(Timestamp::MAX)));
        }
        state.requests_today += 1;
        Ok(())
    }

    /// Takes one request from the shared budget. If the store fails, only the count of
    /// this process applies.
    async fn try_spend(&self, today: i64) -> bool {
        let budget = self.limits.daily_budget;
        // `u32::MAX` is no limit, so nothing is counted.
        let Some((store, service)) = self.budget_store.as_ref().filter(|_| budget < u32::MAX)
        else {
            return true;
        };
        store.try_spend(service, today, budget).await.unwrap_or(true)
    }

    /// Sends a request after the minimum interval.
    async fn send(
        &self,
        state: &mut ServiceState,
        url: &Url,
        is_configured: bool,
        options: &RequestOptions,
    ) -> FetchResult {
        if let Some(next_request_at) = state.next_request_at {
            sleep_until(next_request_at).await;
        }
        state.next_request_at = Some(Instant::now() + self.limits.interval);
        self.requests.fetch_add(1, Ordering::Relaxed);
        let options = RequestOptions { timeout: Some(self.limits.timeout), ..options.clone() };
        let url = url.clone();
        let rights = if is_configured {
            RequestRights::configured_service()
        } else {
            RequestRights::discovered()
        };
        self.fetch.fetch(FetchRequest { url, rights, user_agent: UserAgent::Relink, options }).await
    }
}

/// Returns the backoff that a response requires, if it is a refusal.
///
/// An archive also replays archived refusals. These have the header of a
/// memento (RFC 7089, section 2.1.1) and are not refusals of the archive.
fn requested_backoff(result: &FetchResult, refusals: u32) -> Option<Duration> {
    let is_refusal = matches!(result.outcome.status(), Some(429 | 503));
    if !is_refusal || result.header("memento-datetime").is_some() {
        return None;
    }
    let default = DEFAULT_BACKOFF.saturating_mul(1 << refusals.min(MAX_DOUBLINGS));
    let stated =
        result.retry_after.map(Duration::from_secs).or_else(|| rate_limit::time_to_reset(result));
    Some(stated.unwrap_or(default).min(MAX_BACKOFF))
}

/// Converts a duration of the standard library to a duration of the library jiff.
fn signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX)
}

#[cfg(test)]
mod tests;
