//! Runs `check` on a scripted network, in virtual time: time passes only while all tasks
//! wait.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use relink_documents::{Input, LoadSettings, ReadOptions};
use relink_engine::{
    CheckEnd, CheckSettings, DispatchSettings, Observer, Progress, WorkerOptions, check,
};
use relink_files::{LocalFiles, LocalFilesSettings};
use relink_frontier::{PolitenessPolicy, UrlFilter};
use relink_model::Verdict;
use relink_ports::{CheckedTarget, Clock, Store};
use relink_requests::{EngineError, Ports, StopSignal};
use relink_testkit::memory_store::MemoryStore;
use tokio::time::Instant;

use crate::network::{Network, Reply, Request, Site, WorkerFetch};
use crate::random::Random;

/// The number of readings of the clock in one millisecond of virtual time. A
/// loop that does not wait exceeds it, and would never end in virtual time.
const MAX_READINGS: u32 = 50_000;

/// A clock that follows the paused time of the runtime.
struct VirtualClock {
    started: Instant,
    /// The time of the last reading, and the number of readings at that time.
    readings: Mutex<(Duration, u32)>,
}

impl VirtualClock {
    fn new(started: Instant) -> Self {
        Self { started, readings: Mutex::default() }
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        let elapsed = self.started.elapsed();
        let mut readings = self.readings.lock().unwrap();
        *readings = if readings.0 == elapsed { (elapsed, readings.1 + 1) } else { (elapsed, 0) };
        assert!(readings.1 < MAX_READINGS, "the scheduler does not wait at {elapsed:?}");
        Timestamp::constant(1_800_000_000, 0) + SignedDuration::try_from(elapsed).unwrap()
    }
}

/// The reported verdicts by URL.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Verdicts(pub(crate) BTreeMap<String, Vec<Verdict>>);

impl Verdicts {
    /// Returns the verdicts that were reported for a URL: one, unless it was reported
    /// several times.
    #[track_caller]
    pub(crate) fn of(&self, url: &str) -> &[Verdict] {
        &self.0[url]
    }

    /// Returns the number of URLs with a verdict.
    pub(crate) fn url_count(&self) -> usize {
        self.0.len()
    }
}

impl Observer for Verdicts {
    fn on_result(&mut self, checked: &CheckedTarget) -> std::io::Result<()> {
        self.0.entry(checked.url.clone()).or_default().push(checked.result.verdict);
        Ok(())
    }

    fn on_progress(&mut self, _: &Progress) {}
}

/// The conditions of a test.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scenario {
    /// The URLs to check.
    pub(crate) urls: Vec<String>,
    /// Pages and sitemaps whose links are checked.
    pub(crate) inputs: Vec<String>,
    /// The content of documents by URL.
    pub(crate) documents: HashMap<String, String>,
    /// The responses of a URL in order; the last one is repeated.
    pub(crate) scripts: HashMap<String, Vec<Reply>>,
    /// How hosts respond to URLs without a script.
    pub(crate) sites: HashMap<String, Site>,
    /// The `robots.txt` files by host.
    pub(crate) robots: HashMap<String, String>,
    /// Whether all host names have one IP address.
    pub(crate) shares_address: bool,
    /// The minimum time between the requests to a host.
    pub(crate) gap: Duration,
    /// The maximum number of requests in flight; `None` for the default.
    pub(crate) concurrency: Option<usize>,
    /// The maximum number of requests in flight to one host.
    pub(crate) host_concurrency: usize,
    /// Whether other workers may join the run.
    pub(crate) is_shared: bool,
    pub(crate) seed: u64,
}

impl Scenario {
    /// Returns a scenario that checks these URLs, with one request at a time per host and
    /// with `gap` between the requests to a host.
    pub(crate) fn new(urls: &[String], gap: Duration) -> Self {
        Self { urls: urls.to_vec(), gap, host_concurrency: 1, seed: 1, ..Self::default() }
    }

    /// Sets the responses of a URL to its first requests. The last one is repeated.
    pub(crate) fn script(mut self, url: &str, replies: &[Reply]) -> Self {
        self.scripts.insert(url.to_owned(), replies.to_vec());
        self
    }

    /// Sets the behavior of a host.
    pub(crate) fn site(mut self, host: &str, site: Site) -> Self {
        self.sites.insert(host.to_owned(), site);
        self
    }

    /// Opens a store and a network.
    pub(crate) fn open(self) -> Harness {
        let started = Instant::now();
        let network = Arc::new(Network {
            started,
            scripts: self.scripts.clone(),
            documents: self.documents.clone(),
            sites: self.sites.clone(),
            robots: self.robots.clone(),
            shares_address: self.shares_address,
            requests: Mutex::default(),
            counts: Mutex::default(),
            random: Mutex::new(Random::new(self.seed)),
        });
        let store = if self.is_shared { MemoryStore::shared() } else { MemoryStore::new() };
        Harness { store, network, settings: self.settings(), scenario: self }
    }

    fn settings(&self) -> CheckSettings {
        let mut dispatch = DispatchSettings {
            politeness: PolitenessPolicy::check(self.host_concurrency, self.gap),
            ..DispatchSettings::default()
        };
        dispatch.concurrency = self.concurrency.unwrap_or(dispatch.concurrency);
        let mut inputs = vec![Input::Stdin(self.urls.join("\n").into_bytes().into())];
        inputs.extend(self.inputs.iter().map(|url| Input::Page {
            original_url: url.clone(),
            url: url.parse().expect("the input is a URL"),
        }));
        CheckSettings {
            load: LoadSettings {
                inputs,
                scope: UrlFilter::default(),
                is_offline: false,
                fresh_since: Timestamp::MAX,
                read_options: ReadOptions::default(),
                politeness: dispatch.politeness,
                max_host_wait: dispatch.max_host_wait,
                retries: dispatch.policy.retries,
                max_page_bytes: 1 << 20,
                revision: None,
            },
            dispatch,
            is_fresh: false,
            scope: BTreeMap::new(),
        }
    }
}

/// A scenario with its network and store.
pub(crate) struct Harness {
    pub(crate) store: MemoryStore,
    pub(crate) network: Arc<Network>,
    pub(crate) settings: CheckSettings,
    pub(crate) scenario: Scenario,
}

impl Harness {
    /// Returns the ports of a worker, with its own handle of the store.
    pub(crate) fn ports(&self, worker: usize) -> Ports {
        let store = self.store.join();
        let is_shared = self.scenario.is_shared;
        let seed = self.scenario.seed.wrapping_add(worker as u64);
        let store = if is_shared { store.with_delays(seed) } else { store };
        self.ports_with(worker, Arc::new(store))
    }

    /// Returns the ports of a worker with this store.
    pub(crate) fn ports_with(&self, worker: usize, store: Arc<dyn Store>) -> Ports {
        Ports {
            fetch: Arc::new(WorkerFetch { network: Arc::clone(&self.network), worker }),
            files: Arc::new(LocalFiles::new(LocalFilesSettings::default())),
            store,
            render: None,
            archives: Vec::new(),
            search_engines: Vec::new(),
            clock: Arc::new(VirtualClock::new(self.network.started)),
        }
    }

    /// Runs a check until it ends.
    pub(crate) async fn check(&self) -> (CheckEnd, Verdicts) {
        let stop = StopSignal::never();
        self.check_until(&stop).await.unwrap()
    }

    /// Runs a check until it ends or is stopped.
    pub(crate) async fn check_until(
        &self,
        stop: &StopSignal,
    ) -> Result<(CheckEnd, Verdicts), EngineError> {
        let mut verdicts = Verdicts::default();
        let outcome = check(&self.ports(0), &self.settings, &mut verdicts, stop).await?;
        Ok((outcome.end, verdicts))
    }

    /// Runs a check and stops it after `time`.
    pub(crate) async fn check_for(&self, time: Duration) -> (CheckEnd, Verdicts) {
        let (trigger, stop) = StopSignal::new();
        let stopping = async {
            tokio::time::sleep(time).await;
            trigger.stop();
            std::future::pending::<()>().await;
        };
        tokio::select! {
            end = self.check_until(&stop) => end.unwrap(),
            () = stopping => unreachable!("the future never ends"),
        }
    }

    /// Runs a check that crashes after `time`: it neither commits nor releases anything
    /// then. Without other workers, the leases are revoked instead of waiting for their end.
    pub(crate) async fn crash_after(&self, time: Duration) {
        let _ = tokio::time::timeout(time, self.check()).await;
        if !self.scenario.is_shared {
            self.store.revoke_leases();
        }
    }

    /// Helps with the open runs as the worker with this number, until stopped.
    pub(crate) async fn work(&self, worker: usize, stop: &StopSignal) {
        let ports = self.ports(worker);
        let DispatchSettings { concurrency, lease, .. } = self.settings.dispatch;
        let options = WorkerOptions { concurrency, lease };
        while !stop.is_stopped() {
            relink_engine::work(&ports, options, stop).await.unwrap();
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Returns all requests in order of time.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.network.requests.lock().unwrap().clone()
    }

    /// Returns the number of workers that sent requests.
    pub(crate) fn active_workers(&self) -> usize {
        self.requests().iter().map(|request| request.worker).collect::<BTreeSet<_>>().len()
    }

    /// Returns the requests to a host in order of time.
    pub(crate) fn requests_to(&self, host: &str) -> Vec<Request> {
        let mut requests = self.requests();
        requests.retain(|request| request.url.host_str() == Some(host));
        requests
    }

    /// Returns the times of the requests for a URL.
    pub(crate) fn times_of(&self, url: &str) -> Vec<Duration> {
        let requests = self.requests();
        let of_url = requests.iter().filter(|request| request.url.as_str() == url);
        of_url.map(|request| request.at).collect()
    }

    /// Returns the names of the hosts that were contacted.
    pub(crate) fn hosts(&self) -> BTreeSet<String> {
        let requests = self.requests();
        requests.iter().filter_map(|request| request.url.host_str().map(str::to_owned)).collect()
    }

    /// Asserts the rules that hold in every schedule: the gap and the number of
    /// requests in flight, per host and in total.
    #[track_caller]
    pub(crate) fn assert_polite(&self, context: &str) {
        let concurrency = self.settings.dispatch.concurrency;
        for host in self.hosts() {
            let requests = self.requests_to(&host);
            assert_gap(&requests, self.scenario.gap, context);
            let in_flight = max_in_flight(&requests);
            let limit = self.scenario.host_concurrency;
            assert!(in_flight <= limit, "{context}: {host}: {in_flight} in flight");
        }
        for worker in 0..self.active_workers() {
            let mut requests = self.requests();
            requests.retain(|request| request.worker == worker);
            let in_flight = max_in_flight(&requests);
            let limit = concurrency;
            assert!(in_flight <= limit, "{context}: {in_flight} requests in flight of {limit}");
        }
    }

    /// Asserts that every URL has one result.
    #[track_caller]
    pub(crate) fn assert_complete(&self, verdicts: &Verdicts, context: &str) {
        let expected: BTreeSet<&String> = self.scenario.urls.iter().collect();
        let reported: BTreeSet<&String> = verdicts.0.keys().collect();
        let missing: Vec<_> = expected.difference(&reported).collect();
        assert!(missing.is_empty(), "{context}: no result for {missing:?}");
        let repeated: Vec<_> =
            verdicts.0.iter().filter(|(_, verdicts)| verdicts.len() != 1).collect();
        assert!(repeated.is_empty(), "{context}: more than one result: {repeated:?}");
    }
}

/// Asserts that consecutive requests to a host are at least `gap` apart.
#[track_caller]
fn assert_gap(requests: &[Request], gap: Duration, context: &str) {
    for pair in requests.windows(2) {
        let [first, second] = pair else { continue };
        assert!(second.at >= first.at + gap, "{context}: gap too short: {first:?} {second:?}");
    }
}

/// Returns the greatest number of requests in flight at a time.
fn max_in_flight(requests: &[Request]) -> usize {
    // The time and change of the number of requests in flight.
    let mut events: Vec<(Duration, i32)> = Vec::new();
    for request in requests {
        events.push((request.at, 1));
        events.extend(request.until.map(|until| (until, -1)));
    }
    // At the same time, −1 sorts before 1: a request that ends when another starts is not
    // in flight.
    events.sort_unstable();
    let (mut in_flight, mut maximum) = (0, 0);
    for (_, change) in events {
        in_flight += change;
        maximum = maximum.max(in_flight);
    }
    usize::try_from(maximum).unwrap()
}
