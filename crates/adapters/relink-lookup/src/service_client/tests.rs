//! Tests of the service client with paused time: time passes only while all tasks wait.

use std::net::IpAddr;
use std::sync::Mutex as Lock;

use async_trait::async_trait;
use relink_model::{FetchOutcome, Timings};

use super::*;

/// A service that sends one canned response after the other: a status and an
/// optional `Retry-After`. It records the time of each request in seconds.
struct Service {
    responses: Lock<Vec<(u16, Option<u64>)>>,
    requested_at: Lock<Vec<u64>>,
    start: Instant,
    headers: Vec<(String, String)>,
}

#[async_trait]
impl Fetch for Service {
    async fn fetch(&self, _: FetchRequest) -> FetchResult {
        self.requested_at.lock().unwrap().push(self.start.elapsed().as_secs());
        let mut responses = self.responses.lock().unwrap();
        let (status, retry_after) =
            if responses.is_empty() { (200, None) } else { responses.remove(0) };
        FetchResult {
            hops: Vec::new(),
            outcome: FetchOutcome::Response(status),
            timings: Timings::default(),
            retry_after,
            headers: self.headers.clone(),
            body: None,
        }
    }

    async fn resolve_ip(&self, _: &Url) -> Option<IpAddr> {
        None
    }
}

/// A clock that starts 30 seconds before midnight.
struct TestClock(Instant);

/// The time of the clock at the start of a test.
const START_SECOND: i64 = 1_000 * SECONDS_PER_DAY - 30;

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        let second = START_SECOND + i64::try_from(self.0.elapsed().as_secs()).unwrap();
        Timestamp::from_second(second).unwrap()
    }
}

/// Limits with a request every 2 s and waits of at most 20 s.
const LIMITS: ServiceLimits = ServiceLimits {
    interval: Duration::from_secs(2),
    max_wait: Duration::from_secs(20),
    daily_budget: 100,
    timeout: Duration::from_secs(1),
};

/// A client and the service that it requests.
struct Fixture {
    service: Arc<Service>,
    client: ServiceClient,
}

/// Creates a client of a service that sends these responses. Each response is a status and an
/// optional `Retry-After`. All later responses have the status 200.
fn fixture(limits: ServiceLimits, responses: &[(u16, Option<u64>)]) -> Fixture {
    let start = Instant::now();
    let responses = Lock::new(responses.to_vec());
    let service =
        Arc::new(Service { responses, requested_at: Lock::default(), start, headers: Vec::new() });
    let fetch = Arc::clone(&service) as Arc<dyn Fetch>;
    Fixture { service, client: ServiceClient::new(fetch, Arc::new(TestClock(start)), limits) }
}

impl Fixture {
    /// Sends a request and summarizes the result. Times are seconds from the
    /// start.
    async fn fetch(&self) -> String {
        let url = Url::parse("http://archive.test/").unwrap();
        let second = |time: Timestamp| time.as_second() - START_SECOND;
        match self.client.fetch(&url, true, &RequestOptions::default()).await {
            Ok(result) => result.outcome.to_string(),
            Err(ServiceRefusal::RateLimited(until)) => {
                format!("rate limited until {}", second(until))
            }
            Err(ServiceRefusal::BudgetExhausted(until)) => {
                format!("budget exhausted until {}", second(until))
            }
        }
    }

    /// Returns the times of the requests in seconds from the start.
    fn requested_at(&self) -> Vec<u64> {
        self.service.requested_at.lock().unwrap().clone()
    }
}

#[tokio::test(start_paused = true)]
async fn requests_are_sequential_and_spaced_by_the_interval() {
    let fixture = fixture(LIMITS, &[]);
    let results = tokio::join!(fixture.fetch(), fixture.fetch(), fixture.fetch());
    assert_eq!(results.2, "status 200");
    assert_eq!(fixture.requested_at(), [0, 2, 4]);
    assert_eq!(fixture.client.requests(), 3);
}

#[tokio::test(start_paused = true)]
async fn short_backoff_is_waited_for_once() {
    let fixture = fixture(LIMITS, &[(429, Some(10)), (200, None), (503, Some(5)), (429, Some(7))]);
    assert_eq!(fixture.fetch().await, "status 200");
    // The request at 12 s waits for 5 s. The next refusal, at 17 s, is returned.
    assert_eq!(fixture.fetch().await, "rate limited until 24");
    assert_eq!(fixture.requested_at(), [0, 10, 12, 17]);
}

#[tokio::test(start_paused = true)]
async fn long_backoff_is_returned_and_stored() {
    let fixture = fixture(LIMITS, &[(429, Some(300))]);
    assert_eq!(fixture.fetch().await, "rate limited until 300");
    assert_eq!(fixture.fetch().await, "rate limited until 300");
    assert_eq!(fixture.requested_at(), [0]);
    tokio::time::advance(Duration::from_secs(290)).await;
    assert_eq!(fixture.fetch().await, "status 200");
    // The last 10 s of the backoff are waited for.
    assert_eq!(fixture.requested_at(), [0, 300]);
}

#[tokio::test(start_paused = true)]
async fn default_backoff_doubles_with_each_refusal() {
    let fixture = fixture(LIMITS, &[(503, None), (429, None), (200, None), (503, None)]);
    assert_eq!(fixture.fetch().await, "rate limited until 60");
    tokio::time::advance(Duration::from_mins(1)).await;
    assert_eq!(fixture.fetch().await, "rate limited until 180");
    tokio::time::advance(Duration::from_mins(2)).await;
    assert_eq!(fixture.fetch().await, "status 200");
    assert_eq!(fixture.fetch().await, "rate limited until 242");
}

#[tokio::test(start_paused = true)]
async fn backoff_is_at_most_a_day() {
    let fixture = fixture(LIMITS, &[(429, Some(u64::MAX))]);
    assert_eq!(fixture.fetch().await, format!("rate limited until {SECONDS_PER_DAY}"));
}

#[tokio::test(start_paused = true)]
async fn budget_is_reset_at_midnight() {
    let fixture = fixture(ServiceLimits { daily_budget: 2, ..LIMITS }, &[]);
    assert_eq!(fixture.fetch().await, "status 200");
    assert_eq!(fixture.fetch().await, "status 200");
    assert_eq!(fixture.fetch().await, "budget exhausted until 30");
    tokio::time::advance(Duration::from_secs(30)).await;
    assert_eq!(fixture.fetch().await, "status 200");
    assert_eq!(fixture.requested_at().len(), 3);
}

/// A budget store with a fixed number of requests. It records all calls.
struct FixedBudget {
    remaining: Lock<u32>,
    /// Service, day and budget of each call.
    calls: Lock<Vec<String>>,
}

impl FixedBudget {
    fn new(remaining: u32) -> Self {
        Self { remaining: Lock::new(remaining), calls: Lock::default() }
    }
}

#[async_trait]
impl BudgetStore for FixedBudget {
    async fn try_spend(
        &self,
        service: &str,
        day: i64,
        budget: u32,
    ) -> Result<bool, relink_ports::StoreError> {
        self.calls.lock().unwrap().push(format!("{service} {day} {budget}"));
        let mut remaining = self.remaining.lock().unwrap();
        let has_budget = *remaining > 0;
        *remaining = remaining.saturating_sub(1);
        Ok(has_budget)
    }
}

#[tokio::test(start_paused = true)]
async fn budget_is_shared_with_other_processes() {
    let store = Arc::new(FixedBudget::new(1));
    let Fixture { service, client } = fixture(ServiceLimits { daily_budget: 9, ..LIMITS }, &[]);
    let client = client.with_budget_store(Arc::clone(&store) as _, "archive".to_owned());
    let fixture = Fixture { service, client };
    assert_eq!(fixture.fetch().await, "status 200");
    assert_eq!(fixture.fetch().await, "budget exhausted until 30");
    assert_eq!(*store.calls.lock().unwrap(), ["archive 999 9"; 2]);
}

#[tokio::test(start_paused = true)]
async fn unlimited_service_is_not_counted() {
    let store = Arc::new(FixedBudget::new(0));
    let Fixture { service, client } =
        fixture(ServiceLimits { daily_budget: u32::MAX, ..LIMITS }, &[]);
    let client = client.with_budget_store(Arc::clone(&store) as _, "archive".to_owned());
    assert_eq!(Fixture { service, client }.fetch().await, "status 200");
    assert!(store.calls.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn archived_response_503_is_not_a_rate_limit() {
    let start = Instant::now();
    let headers = vec![("memento-datetime".to_owned(), "then".to_owned())];
    let responses = Lock::new(vec![(503, Some(60))]);
    let service = Arc::new(Service { responses, requested_at: Lock::default(), start, headers });
    let client = ServiceClient::new(Arc::clone(&service) as _, Arc::new(TestClock(start)), LIMITS);
    assert_eq!(Fixture { service, client }.fetch().await, "status 503");
}
