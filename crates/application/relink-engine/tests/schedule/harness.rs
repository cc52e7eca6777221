//! Scripted network, virtual clock and a run of `check`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use relink_engine::{
    CheckEnd, CheckSettings, DispatchSettings, Input, LoadSettings, Observer, Ports, Progress,
    ReadOptions, StopSignal, check,
};
use relink_files::{LocalFiles, LocalFilesSettings};
use relink_frontier::{PolitenessPolicy, UrlFilter};
use relink_model::{FetchOutcome, Hop, Timings, Verdict};
use relink_ports::{Body, CheckedTarget, Clock, Fetch, FetchRequest, FetchResult};
use relink_store::SqliteStore;
use tokio::time::Instant;
use url::Url;

/// A scripted response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<u64>,
}

impl Reply {
    pub(crate) const fn status(status: u16) -> Self {
        Self { status, retry_after: None }
    }
}

/// A recorded request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) url: Url,
    /// The virtual time since the start of the test.
    pub(crate) at: Duration,
    /// The number of the worker that sent the request.
    pub(crate) worker: usize,
}

/// The fetcher of one worker.
struct WorkerFetch {
    network: Arc<ScriptedFetch>,
    worker: usize,
}

/// A network in memory, shared by all workers. A URL without a script responds with 200, and a random
/// name of a control with 404.
pub(crate) struct ScriptedFetch {
    started: Instant,
    /// The responses of a URL in order; the last one is repeated.
    scripts: HashMap<String, Vec<Reply>>,
    requests: Mutex<Vec<Request>>,
    /// The state of the generator of response times.
    random: Mutex<u64>,
}

impl ScriptedFetch {
    /// Records a request and returns its response.
    fn record(&self, url: &Url, worker: usize) -> Reply {
        let mut requests = self.requests.lock().unwrap();
        let earlier = requests.iter().filter(|request| request.url == *url).count();
        requests.push(Request { url: url.clone(), at: self.started.elapsed(), worker });
        match self.scripts.get(url.as_str()) {
            Some(replies) => replies[earlier.min(replies.len() - 1)],
            None if url.path().starts_with("/page") => Reply::status(200),
            None => Reply::status(404),
        }
    }

    /// Returns a response time of 1 to 400 ms.
    fn response_time(&self) -> Duration {
        let mut random = self.random.lock().unwrap();
        // The constants of Knuth's MMIX generator.
        *random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_millis(1 + (*random >> 33) % 400)
    }
}

#[async_trait]
impl Fetch for WorkerFetch {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        let Reply { status, retry_after } = self.network.record(&request.url, self.worker);
        tokio::time::sleep(self.network.response_time()).await;
        let text = format!("{} ", request.url.path()).repeat(40);
        FetchResult {
            hops: vec![Hop { url: request.url.to_string(), status, location: None, ip: None }],
            outcome: FetchOutcome::Response(status),
            timings: Timings::default(),
            retry_after,
            headers: Vec::new(),
            body: Some(Body {
                content_type: Some("text/html".to_owned()),
                bytes: format!("<title>{}</title><p>{text}</p>", request.url.path()).into(),
                ..Body::default()
            }),
        }
    }

    async fn resolve_ip(&self, _: &Url) -> Option<IpAddr> {
        None
    }
}

/// A clock that follows the paused time of the runtime.
struct VirtualClock(Instant);

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        let start = Timestamp::constant(1_800_000_000, 0);
        start + SignedDuration::try_from(self.0.elapsed()).unwrap()
    }
}

/// Verdicts by URL, one per report.
#[derive(Default)]
pub(crate) struct Verdicts(pub(crate) BTreeMap<String, Vec<Verdict>>);

impl Observer for Verdicts {
    fn on_result(&mut self, checked: &CheckedTarget) -> std::io::Result<()> {
        self.0.entry(checked.url.clone()).or_default().push(checked.result.verdict);
        Ok(())
    }

    fn on_progress(&mut self, _: &Progress) {}
}

/// A list of URLs, a scripted network and a store.
pub(crate) struct Harness {
    _folder: tempfile::TempDir,
    ports: Ports,
    fetch: Arc<ScriptedFetch>,
    settings: CheckSettings,
}

impl Harness {
    /// Creates a harness that checks these URLs with `gap` between the requests
    /// to a host.
    pub(crate) async fn new(
        urls: &[String],
        scripts: &[(&str, &[Reply])],
        gap: Duration,
        seed: u64,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("list.txt"), urls.join("\n")).unwrap();
        let root = folder.path().to_owned();
        let started = Instant::now();
        let scripts = scripts.iter().map(|(url, replies)| ((*url).to_owned(), replies.to_vec()));
        let fetch = Arc::new(ScriptedFetch {
            started,
            scripts: scripts.collect(),
            requests: Mutex::default(),
            random: Mutex::new(seed),
        });
        let ports = Ports {
            fetch: Arc::new(WorkerFetch { network: Arc::clone(&fetch), worker: 0 }),
            files: Arc::new(LocalFiles::new(LocalFilesSettings {
                root,
                ..LocalFilesSettings::default()
            })),
            store: Arc::new(SqliteStore::open(&folder.path().join("db")).await.unwrap()),
            render: None,
            archives: Vec::new(),
            search_engines: Vec::new(),
            clock: Arc::new(VirtualClock(started)),
        };
        Self { _folder: folder, ports, fetch, settings: settings(gap) }
    }

    /// Limits the number of requests in flight of each worker.
    pub(crate) fn with_concurrency(mut self, concurrency: usize) -> Self {
        self.settings.dispatch.concurrency = concurrency;
        self
    }

    /// Runs a check as the worker with this number. All workers join one run,
    /// because the key of their runs is the same.
    pub(crate) async fn work(&self, worker: usize) -> CheckEnd {
        let fetch = Arc::new(WorkerFetch { network: Arc::clone(&self.fetch), worker });
        let ports = Ports { fetch, ..self.ports.clone() };
        let (_trigger, stop) = StopSignal::new();
        let mut verdicts = Verdicts::default();
        check(&ports, &self.settings, &mut verdicts, &stop).await.unwrap().end
    }

    /// Returns the number of workers that sent requests.
    pub(crate) fn active_workers(&self) -> usize {
        let requests = self.fetch.requests.lock().unwrap();
        let workers: BTreeSet<usize> = requests.iter().map(|request| request.worker).collect();
        workers.len()
    }

    /// Runs a check until it ends.
    pub(crate) async fn check(&self) -> (CheckEnd, Verdicts) {
        let (_trigger, stop) = StopSignal::new();
        self.check_until(&stop).await
    }

    /// Runs a check until it ends or is stopped.
    pub(crate) async fn check_until(&self, stop: &StopSignal) -> (CheckEnd, Verdicts) {
        let mut verdicts = Verdicts::default();
        let outcome = check(&self.ports, &self.settings, &mut verdicts, stop).await.unwrap();
        (outcome.end, verdicts)
    }

    /// Returns the requests to a host in order of time.
    pub(crate) fn requests_to(&self, host: &str) -> Vec<Request> {
        let requests = self.fetch.requests.lock().unwrap();
        requests.iter().filter(|request| request.url.host_str() == Some(host)).cloned().collect()
    }

    /// Returns the times of the requests for a URL.
    pub(crate) fn times_of(&self, url: &str) -> Vec<Duration> {
        let requests = self.fetch.requests.lock().unwrap();
        requests.iter().filter(|request| request.url.as_str() == url).map(|r| r.at).collect()
    }

    /// Asserts that the requests to a host are at least `gap` apart.
    #[track_caller]
    pub(crate) fn assert_gap(&self, host: &str, gap: Duration, context: &str) {
        let requests = self.requests_to(host);
        for pair in requests.windows(2) {
            let [first, second] = pair else { continue };
            assert!(second.at >= first.at + gap, "{context}: {host}: {first:?} {second:?}");
        }
    }
}

fn settings(gap: Duration) -> CheckSettings {
    CheckSettings {
        load: LoadSettings {
            inputs: vec![Input::Path("list.txt".into())],
            scope: UrlFilter::default(),
            is_offline: false,
            fresh_since: Timestamp::MAX,
            read_options: ReadOptions::default(),
            sitemap_delay: Duration::ZERO,
            max_page_bytes: 1 << 20,
        },
        dispatch: DispatchSettings {
            politeness: PolitenessPolicy::check(1, gap),
            ..DispatchSettings::default()
        },
        is_fresh: false,
        scope: BTreeMap::new(),
    }
}
