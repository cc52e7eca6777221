//! An interrupted survey requests the same URLs as an uninterrupted one.
//!
//! The engine runs inside the test on a generated site, so that it can be
//! interrupted at any request.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use relink_engine::{
    CatalogFields, CatalogSource, DispatchSettings, LoadedCatalog, Observer, Progress,
    SurveySettings, read_catalog, survey,
};
use relink_files::{LocalFiles, LocalFilesSettings};
use relink_frontier::PolitenessPolicy;
use relink_model::{FetchOutcome, Hop, Timings};
use relink_ports::{Body, CheckedTarget, Clock, Fetch, FetchRequest, FetchResult};
use relink_requests::{Ports, StopSignal};
use relink_store::SqliteStore;
use relink_survey::SamplingPlanName;
use tokio::sync::Notify;
use url::Url;

/// Number of domains of the catalog.
const DOMAIN_COUNT: usize = 20;
/// Number of directories per domain.
const DIRECTORIES_PER_DOMAIN: usize = 2;
/// Number of pages per directory.
const PAGES_PER_DIRECTORY: usize = 60;

/// A generated site with dead directories and redirected pages.
struct GeneratedWeb {
    /// The requested URLs.
    requested: Mutex<Vec<String>>,
    /// Number of requests.
    count: AtomicUsize,
    /// Number of the request at which the survey is interrupted.
    interrupt_at: usize,
    /// Signals the interruption.
    interrupted: Notify,
    /// State of the random number generator for response times.
    rng_state: AtomicU64,
}

impl GeneratedWeb {
    /// Creates the site. `seed` selects the response times.
    fn new(interrupt_at: usize, seed: u64) -> Arc<Self> {
        Arc::new(Self {
            requested: Mutex::default(),
            count: AtomicUsize::new(0),
            interrupt_at,
            interrupted: Notify::new(),
            rng_state: AtomicU64::new(seed),
        })
    }

    /// Returns a pseudorandom response time of up to 4 ms.
    fn next_delay(&self) -> Duration {
        let state = self.rng_state.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        Duration::from_micros((state ^ (state >> 31)).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 52)
    }

    /// Returns the URL after redirects, its status and its text.
    fn respond(url: &Url) -> (Url, u16, String) {
        let is_dead = |url: &str| {
            ["d2.test", "d5.test", "d6.test/dir1"].iter().any(|part| url.contains(part))
        };
        if !url.path().contains("/page") || is_dead(url.as_str()) {
            return (url.clone(), 404, "<h1>Not found</h1>".to_owned());
        }
        // The verdict on pages that are redirected to one URL depends on their neighbors: other
        // pages of the same directory.
        if url.as_str().contains("d7.test/dir1/") {
            return (url.join("/news").unwrap(), 200, "<title>News</title>All news.".to_owned());
        }
        (url.clone(), 200, format!("<title>{url}</title><p>This is the text of {url}."))
    }

    /// Returns the response to a request, with its redirect.
    fn fetch_result(url: &Url) -> FetchResult {
        let (final_url, status, text) = Self::respond(url);
        let hop = |url: &Url, status, location: Option<&Url>| Hop {
            url: url.to_string(),
            status,
            location: location.map(ToString::to_string),
            ip: None,
        };
        let mut hops = Vec::new();
        if final_url != *url {
            hops.push(hop(url, 302, Some(&final_url)));
        }
        hops.push(hop(&final_url, status, None));
        let content_type = Some("text/html; charset=utf-8".to_owned());
        FetchResult {
            hops,
            outcome: FetchOutcome::Response(status),
            timings: Timings::default(),
            retry_after: None,
            headers: Vec::new(),
            body: Some(Body { content_type, bytes: text.into(), ..Body::default() }),
        }
    }
}

impl Fetch for GeneratedWeb {
    fn fetch<'life, 'future>(
        &'life self,
        request: FetchRequest,
    ) -> Pin<Box<dyn Future<Output = FetchResult> + Send + 'future>>
    where
        'life: 'future,
        Self: 'future,
    {
        Box::pin(async move {
            if self.count.fetch_add(1, Ordering::Relaxed) == self.interrupt_at {
                self.interrupted.notify_one();
            }
            self.requested.lock().unwrap().push(request.url.to_string());
            tokio::time::sleep(self.next_delay()).await;
            Self::fetch_result(&request.url)
        })
    }

    fn resolve_ip<'life, 'url, 'future>(
        &'life self,
        _: &'url Url,
    ) -> Pin<Box<dyn Future<Output = Option<std::net::IpAddr>> + Send + 'future>>
    where
        'life: 'future,
        'url: 'future,
        Self: 'future,
    {
        Box::pin(async { None })
    }
}

/// A clock that always returns the same time, because the random names of
/// controls depend on the start time of a run.
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_hours(500_000)
    }
}

/// Collects the reported verdicts by URL.
#[derive(Default)]
struct VerdictCollector(BTreeMap<String, String>);

impl Observer for VerdictCollector {
    fn on_result(&mut self, target: &CheckedTarget) -> std::io::Result<()> {
        self.0.insert(target.url.clone(), target.result.verdict.as_str().to_owned());
        Ok(())
    }

    fn on_progress(&mut self, _: &Progress) {}
}

/// Returns the settings of a survey without delays.
fn settings(plan: SamplingPlanName) -> SurveySettings {
    let politeness = PolitenessPolicy::check(8, Duration::ZERO);
    SurveySettings {
        plan,
        le_shulman: relink_survey::LeShulman::default(),
        max_share: None,
        recall: None,
        seed: Some(7),
        budget: None,
        rights: relink_model::RequestRights::user_supplied(),
        dispatch: DispatchSettings { concurrency: 32, politeness, ..DispatchSettings::default() },
        is_fresh: false,
        scope: BTreeMap::new(),
    }
}

/// Returns the URLs of all pages, as a list.
fn catalog() -> CatalogSource {
    let mut list = String::new();
    for number in 0..DOMAIN_COUNT * DIRECTORIES_PER_DOMAIN * PAGES_PER_DIRECTORY {
        let page = number % PAGES_PER_DIRECTORY;
        let directory = number / PAGES_PER_DIRECTORY % DIRECTORIES_PER_DOMAIN;
        let domain = number / PAGES_PER_DIRECTORY / DIRECTORIES_PER_DOMAIN;
        list.extend([format!("http://d{domain}.test/dir{directory}/page{page}\n")]);
    }
    CatalogSource::Stdin(list.into_bytes())
}

/// Opens the database in a directory, and reads the catalog.
async fn open(web: &Arc<GeneratedWeb>, dir: &std::path::Path) -> (Ports, LoadedCatalog) {
    let ports = Ports {
        fetch: Arc::clone(web) as Arc<dyn Fetch>,
        files: Arc::new(LocalFiles::new(LocalFilesSettings::default())),
        store: Arc::new(SqliteStore::open(&dir.join("relink.db")).await.unwrap()),
        render: None,
        archives: Vec::new(),
        search_engines: Vec::new(),
        clock: Arc::new(FixedClock),
    };
    let fields = CatalogFields::default();
    let catalog = read_catalog(&*ports.files, &*ports.store, &catalog(), &fields).await.unwrap();
    (ports, catalog)
}

/// Surveys the catalog in several runs. Each number in `interrupts` is the request at which a run
/// is aborted; the last run is not aborted. Returns the requested URLs of all runs and the verdicts
/// of the last run.
async fn run_survey(
    plan: SamplingPlanName,
    interrupts: &[usize],
    seed: u64,
) -> (BTreeSet<String>, BTreeMap<String, String>) {
    let dir = tempfile::tempdir().unwrap();
    let mut requested = BTreeSet::new();
    let runs = interrupts.iter().copied().chain([usize::MAX]);
    let mut verdicts = VerdictCollector::default();
    for (run, interrupt_at) in runs.enumerate() {
        let web = GeneratedWeb::new(interrupt_at, seed + run as u64);
        let (ports, catalog) = open(&web, dir.path()).await;
        let stop = StopSignal::never();
        verdicts = VerdictCollector::default();
        let settings = settings(plan);
        tokio::select! {
            outcome = survey(&ports, &settings, &catalog, &mut verdicts, &stop) => { outcome.unwrap(); }
            () = web.interrupted.notified() => {}
        }
        let urls = std::mem::take(&mut *web.requested.lock().unwrap());
        requested.extend(urls.into_iter().filter(|url| url.contains("/page")));
    }
    (requested, verdicts.0)
}

/// Asserts that interrupted surveys request the same URLs and give the same verdicts as an
/// uninterrupted survey.
#[track_caller]
fn check_resume(plan: SamplingPlanName) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (requested, verdicts) = runtime.block_on(run_survey(plan, &[], 1));
    let requests = requested.len();
    assert!(
        (100..DOMAIN_COUNT * DIRECTORIES_PER_DOMAIN * PAGES_PER_DIRECTORY).contains(&requests),
        "{requests}"
    );
    // Each survey has several runs, interrupted at these requests.
    let interrupts: [&[usize]; 4] =
        [&[1], &[300], &[40, 90, 70, 10, 60, 5, 80, 33], &[150, 3, 250]];
    for (number, interrupts) in interrupts.into_iter().enumerate() {
        let (requested_again, verdicts_again) =
            runtime.block_on(run_survey(plan, interrupts, 1_000 * (2 + number as u64)));
        let added: Vec<&String> = requested_again.difference(&requested).collect();
        let missing: Vec<&String> = requested.difference(&requested_again).collect();
        assert!(
            added.is_empty() && missing.is_empty(),
            "{interrupts:?}: added {added:?}, missing {missing:?}"
        );
        assert_eq!(verdicts_again, verdicts, "{interrupts:?}");
    }
}

#[test]
fn default_plan_requests_the_same_urls_after_interruptions() {
    check_resume(SamplingPlanName::Default);
}

#[test]
fn le_shulman_plan_requests_the_same_urls_after_interruptions() {
    check_resume(SamplingPlanName::LeShulman);
}

#[test]
fn sequential_plan_requests_the_same_urls_after_interruptions() {
    check_resume(SamplingPlanName::Sprt);
}
