//! The gate in a world where waiting takes no time.

use std::net::IpAddr;
use std::sync::Mutex as Lock;

use async_trait::async_trait;
use relink_model::{FetchOutcome, Timings};

use super::*;

/// A service that answers one after the other: a status, and a wait where one
/// is named. It writes down when it was asked, in seconds.
struct Service {
    answers: Lock<Vec<(u16, Option<u64>)>>,
    asked: Lock<Vec<u64>>,
    start: Instant,
    headers: Vec<(String, String)>,
}

#[async_trait]
impl Fetch for Service {
    async fn fetch(&self, _: FetchRequest) -> FetchResult {
        self.asked.lock().unwrap().push(self.start.elapsed().as_secs());
        let mut answers = self.answers.lock().unwrap();
        let (status, retry_after) =
            if answers.is_empty() { (200, None) } else { answers.remove(0) };
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

/// Half a minute before a new day when the runtime's clock starts.
struct Evening(Instant);

const EVENING: i64 = 1_000 * DAY - 30;

impl Clock for Evening {
    fn now(&self) -> Timestamp {
        let second = EVENING + i64::try_from(self.0.elapsed().as_secs()).unwrap();
        Timestamp::from_second(second).unwrap()
    }
}

const MANNERS: ServiceLimits = ServiceLimits {
    interval: Duration::from_secs(2),
    longest_wait: Duration::from_secs(20),
    daily_budget: 100,
    timeout: Duration::from_secs(1),
};

struct Scene {
    service: Arc<Service>,
    gate: ServiceClient,
}

fn scene(manners: ServiceLimits, answers: &[(u16, Option<u64>)]) -> Scene {
    let start = Instant::now();
    let answers = Lock::new(answers.to_vec());
    let service = Arc::new(Service { answers, asked: Lock::default(), start, headers: Vec::new() });
    let fetch = Arc::clone(&service) as Arc<dyn Fetch>;
    Scene { service, gate: ServiceClient::new(fetch, Arc::new(Evening(start)), manners) }
}

impl Scene {
    /// Asks and tells the outcome in short; moments are seconds from the start.
    async fn ask(&self) -> String {
        let url = Url::parse("http://archive.test/").unwrap();
        let second = |moment: Timestamp| moment.as_second() - EVENING;
        match self.gate.ask(&url, true, &RequestOptions::default()).await {
            Ok(fetched) => fetched.outcome.to_string(),
            Err(ServiceRefusal::Later(until)) => format!("later at {}", second(until)),
            Err(ServiceRefusal::BudgetSpent(until)) => format!("spent until {}", second(until)),
        }
    }

    fn asked(&self) -> Vec<u64> {
        self.service.asked.lock().unwrap().clone()
    }
}

#[tokio::test(start_paused = true)]
async fn requests_keep_their_distance_and_go_one_at_a_time() {
    let scene = scene(MANNERS, &[]);
    let all = tokio::join!(scene.ask(), scene.ask(), scene.ask());
    assert_eq!(all.2, "answered 200");
    assert_eq!(scene.asked(), [0, 2, 4]);
    assert_eq!(scene.gate.requests(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_short_rest_is_waited_for_once() {
    let scene = scene(MANNERS, &[(429, Some(10)), (200, None), (503, Some(5)), (429, Some(7))]);
    assert_eq!(scene.ask().await, "answered 200");
    assert_eq!(scene.ask().await, "later at 24");
    assert_eq!(scene.asked(), [0, 10, 12, 17]);
}

#[tokio::test(start_paused = true)]
async fn a_long_rest_is_told_and_remembered() {
    let scene = scene(MANNERS, &[(429, Some(300))]);
    assert_eq!(scene.ask().await, "later at 300");
    assert_eq!(scene.ask().await, "later at 300");
    assert_eq!(scene.asked(), [0]);
    tokio::time::advance(Duration::from_secs(290)).await;
    assert_eq!(scene.ask().await, "answered 200");
    assert_eq!(scene.asked(), [0, 300]);
}

#[tokio::test(start_paused = true)]
async fn a_rest_that_is_not_named_grows_with_each_refusal() {
    let scene = scene(MANNERS, &[(503, None), (429, None), (200, None), (503, None)]);
    assert_eq!(scene.ask().await, "later at 60");
    tokio::time::advance(Duration::from_mins(1)).await;
    assert_eq!(scene.ask().await, "later at 180");
    tokio::time::advance(Duration::from_mins(2)).await;
    assert_eq!(scene.ask().await, "answered 200");
    assert_eq!(scene.ask().await, "later at 242");
}

#[tokio::test(start_paused = true)]
async fn no_rest_is_longer_than_a_day() {
    let scene = scene(MANNERS, &[(429, Some(u64::MAX))]);
    assert_eq!(scene.ask().await, format!("later at {DAY}"));
}

#[tokio::test(start_paused = true)]
async fn the_budget_of_a_day_is_kept_until_the_next() {
    let scene = scene(ServiceLimits { daily_budget: 2, ..MANNERS }, &[]);
    assert_eq!(scene.ask().await, "answered 200");
    assert_eq!(scene.ask().await, "answered 200");
    assert_eq!(scene.ask().await, "spent until 30");
    tokio::time::advance(Duration::from_secs(30)).await;
    assert_eq!(scene.ask().await, "answered 200");
    assert_eq!(scene.asked().len(), 3);
}

/// A ledger that grants so many requests in all, and knows who asked.
struct Purse(Lock<(u32, Vec<String>)>);

#[async_trait]
impl BudgetStore for Purse {
    async fn try_spend(
        &self,
        service: &str,
        day: i64,
        budget: u32,
    ) -> Result<bool, relink_ports::StoreError> {
        let mut purse = self.0.lock().unwrap();
        purse.1.push(format!("{service} {day} {budget}"));
        let is_left = purse.0 > 0;
        purse.0 = purse.0.saturating_sub(1);
        Ok(is_left)
    }
}

#[tokio::test(start_paused = true)]
async fn what_others_spent_is_spent() {
    let purse = Arc::new(Purse(Lock::new((1, Vec::new()))));
    let Scene { service, gate } = scene(ServiceLimits { daily_budget: 9, ..MANNERS }, &[]);
    let gate = gate.with_budget_store(Arc::clone(&purse) as _, "archive".to_owned());
    let scene = Scene { service, gate };
    assert_eq!(scene.ask().await, "answered 200");
    assert_eq!(scene.ask().await, "spent until 30");
    assert_eq!(purse.0.lock().unwrap().1, ["archive 999 9"; 2]);
}

#[tokio::test(start_paused = true)]
async fn what_has_no_budget_is_not_counted() {
    let purse = Arc::new(Purse(Lock::new((0, Vec::new()))));
    let Scene { service, gate } = scene(ServiceLimits { daily_budget: u32::MAX, ..MANNERS }, &[]);
    let gate = gate.with_budget_store(Arc::clone(&purse) as _, "archive".to_owned());
    assert_eq!(Scene { service, gate }.ask().await, "answered 200");
    assert!(purse.0.lock().unwrap().1.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_archived_refusal_is_an_answer() {
    let start = Instant::now();
    let headers = vec![("memento-datetime".to_owned(), "then".to_owned())];
    let answers = Lock::new(vec![(503, Some(60))]);
    let service = Arc::new(Service { answers, asked: Lock::default(), start, headers });
    let gate = ServiceClient::new(Arc::clone(&service) as _, Arc::new(Evening(start)), MANNERS);
    assert_eq!(Scene { service, gate }.ask().await, "answered 503");
}
