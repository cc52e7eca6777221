//! The one way to a service: one request at a time, at its own pace.
//!
//! Waiting is done here, within bounds, and at most once for one request;
//! a longer wait is told to the caller. The gate remembers a refusal, so that
//! the next caller is told without the service being asked.

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

/// The rest taken after a refusal that names none. It doubles while refusals
/// follow each other.
const UNNAMED_REST: Duration = Duration::from_mins(1);

/// The longest rest believed; beyond it the service is asked again anyway.
const LONGEST_REST: Duration = Duration::from_hours(24);

/// How often an unnamed rest doubles, at most: 60 seconds to 64 minutes.
const DOUBLINGS: u32 = 6;

/// The seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// How a service is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceLimits {
    /// The shortest time from one request to the next.
    pub interval: Duration,
    /// The longest wait for a service that asks for patience; beyond it the
    /// caller is told when to come back.
    pub longest_wait: Duration,
    /// The most requests in a day (UTC).
    pub daily_budget: u32,
    /// The longest one request may take.
    pub timeout: Duration,
}

impl Default for ServiceLimits {
    /// Fit for the large public services: fifty requests a minute at most,
    /// where about sixty are known to be borne.
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(1_200),
            longest_wait: Duration::from_secs(20),
            daily_budget: 10_000,
            timeout: Duration::from_secs(40),
        }
    }
}

impl ServiceLimits {
    /// For a service of one's own, on the same machine or in the same house.
    pub const fn local() -> Self {
        Self {
            interval: Duration::ZERO,
            longest_wait: Duration::from_secs(20),
            daily_budget: u32::MAX,
            timeout: Duration::from_secs(40),
        }
    }
}

/// Why nothing was asked, or no answer was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServiceRefusal {
    /// The service wants to be left alone until then.
    Later(Timestamp),
    /// The day's budget is used up; the next day begins then.
    BudgetSpent(Timestamp),
}

/// The way to one service.
pub(crate) struct ServiceClient {
    fetch: Arc<dyn Fetch>,
    clock: Arc<dyn Clock>,
    limits: ServiceLimits,
    /// Where requests are counted beyond this process, and under which name.
    ledger: Option<(Arc<dyn BudgetStore>, String)>,
    turn: Mutex<ServiceState>,
    requests: AtomicU64,
}

/// Where a service is: its host and its port, and never the name and password
/// that may stand before them, since this is written to disk.
pub(crate) fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// What whoever has the turn knows.
#[derive(Debug, Default)]
struct ServiceState {
    /// When the next request may go out.
    next: Option<Instant>,
    /// Until when the service wants to be left alone.
    closed_until: Option<Timestamp>,
    /// How many refusals came in a row.
    refusals: u32,
    /// The day that is counted, from the epoch, and its requests.
    day: i64,
    spent: u32,
}

impl ServiceClient {
    /// A gate through which nobody has gone yet.
    pub fn new(fetch: Arc<dyn Fetch>, clock: Arc<dyn Clock>, manners: ServiceLimits) -> Self {
        let requests = AtomicU64::new(0);
        Self { fetch, clock, limits: manners, ledger: None, turn: Mutex::default(), requests }
    }

    /// The gate with its budget kept in a ledger, so that another process does
    /// not begin it anew.
    pub fn with_budget_store(mut self, ledger: Arc<dyn BudgetStore>, service: String) -> Self {
        self.ledger = Some((ledger, service));
        self
    }

    /// How many requests went through.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Asks for a URL that belongs to the service (`is_ours`), or that it
    /// points to.
    pub async fn ask(
        &self,
        url: &Url,
        is_ours: bool,
        terms: &RequestOptions,
    ) -> Result<FetchResult, ServiceRefusal> {
        // Held over the request on purpose: one request at a time is the point.
        let mut turn = self.turn.lock().await;
        let mut has_waited = self.wait_for_backoff(&turn).await?;
        loop {
            self.charge_budget(&mut turn).await?;
            let fetched = self.send(&mut turn, url, is_ours, terms).await;
            let Some(rest) = rest_asked(&fetched, turn.refusals) else {
                turn.refusals = 0;
                turn.closed_until = None;
                return Ok(fetched);
            };
            turn.refusals += 1;
            let until = self.clock.now().saturating_add(signed(rest)).unwrap_or(Timestamp::MAX);
            turn.closed_until = Some(until);
            if has_waited || rest > self.limits.longest_wait {
                return Err(ServiceRefusal::Later(until));
            }
            sleep(rest).await;
            has_waited = true;
        }
    }

    /// Waits for the end of a rest, if that is near; says whether it did.
    async fn wait_for_backoff(&self, turn: &ServiceState) -> Result<bool, ServiceRefusal> {
        let Some(until) = turn.closed_until else { return Ok(false) };
        let left = until.duration_since(self.clock.now());
        let Ok(left) = Duration::try_from(left) else { return Ok(false) };
        if left > self.limits.longest_wait {
            return Err(ServiceRefusal::Later(until));
        }
        sleep(left).await;
        Ok(!left.is_zero())
    }

    /// Takes one request from the budget of the day.
    async fn charge_budget(&self, turn: &mut ServiceState) -> Result<(), ServiceRefusal> {
        let today = self.clock.now().as_second().div_euclid(DAY);
        if turn.day != today {
            (turn.day, turn.spent) = (today, 0);
        }
        if turn.spent >= self.limits.daily_budget || !self.is_granted(today).await {
            let tomorrow = Timestamp::from_second((today + 1).saturating_mul(DAY));
            return Err(ServiceRefusal::BudgetSpent(tomorrow.unwrap_or(Timestamp::MAX)));
        }
        turn.spent += 1;
        Ok(())
    }

    /// Whether the ledger has one request left for the day. One that cannot be
    /// read leaves us with our own count.
    async fn is_granted(&self, today: i64) -> bool {
        let budget = self.limits.daily_budget;
        let Some((ledger, service)) = self.ledger.as_ref().filter(|_| budget < u32::MAX) else {
            return true;
        };
        ledger.try_spend(service, today, budget).await.unwrap_or(true)
    }

    async fn send(
        &self,
        turn: &mut ServiceState,
        url: &Url,
        is_ours: bool,
        terms: &RequestOptions,
    ) -> FetchResult {
        if let Some(next) = turn.next {
            sleep_until(next).await;
        }
        turn.next = Some(Instant::now() + self.limits.interval);
        self.requests.fetch_add(1, Ordering::Relaxed);
        let terms = RequestOptions { timeout: Some(self.limits.timeout), ..terms.clone() };
        let url = url.clone();
        let rights =
            if is_ours { RequestRights::configured_service() } else { RequestRights::discovered() };
        self.fetch
            .fetch(FetchRequest { url, rights, agent: UserAgent::Plain, options: terms })
            .await
    }
}

/// How long an answer asks us to stay away, if it does.
///
/// An archive replays a refusal as it replays anything; such an answer has the
/// time of its capture (RFC 7089, section 2.1.1) and is not meant for us.
fn rest_asked(fetched: &FetchResult, refusals: u32) -> Option<Duration> {
    let is_refusal = matches!(fetched.outcome.status(), Some(429 | 503));
    if !is_refusal || fetched.header("memento-datetime").is_some() {
        return None;
    }
    let unnamed = UNNAMED_REST.saturating_mul(1 << refusals.min(DOUBLINGS));
    let named = fetched.retry_after.map(Duration::from_secs).or_else(|| rate_limit::rest(fetched));
    Some(named.unwrap_or(unnamed).min(LONGEST_REST))
}

fn signed(rest: Duration) -> SignedDuration {
    SignedDuration::try_from(rest).unwrap_or(SignedDuration::MAX)
}

#[cfg(test)]
mod tests;
