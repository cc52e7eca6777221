//! A survey that is interrupted asks the same URLs as one that is not.
//!
//! The engine runs inside the test, over a web that is made up, so that it can
//! be cut off at any request.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use relink_engine::{
    CatalogFields, CatalogSource, DispatchSettings, LoadedCatalog, Observer, Ports, Progress,
    StopSignal, SurveySettings, read_catalog, survey,
};
use relink_files::{LocalFiles, LocalFilesSettings};
use relink_frontier::PolitenessPolicy;
use relink_model::{FetchOutcome, Hop, Timings};
use relink_ports::{Body, CheckedTarget, Clock, Fetch, FetchRequest, FetchResult};
use relink_store::SqliteStore;
use relink_survey::SamplingPlanName;
use tokio::sync::Notify;
use url::Url;

/// Domains, directories on each, pages in each.
const DOMAINS: usize = 20;
const DIRECTORIES: usize = 2;
const PAGES: usize = 60;

/// A web in which some directories are gone and some pages lead elsewhere.
struct MadeUpWeb {
    requested: Mutex<Vec<String>>,
    count: AtomicUsize,
    /// Signals the request with this number.
    alarm: (usize, Notify),
    /// Makes the time that a response takes.
    noise: AtomicU64,
}

impl MadeUpWeb {
    fn new(alarm: usize, noise: u64) -> Arc<Self> {
        Arc::new(Self {
            requested: Mutex::default(),
            count: AtomicUsize::new(0),
            alarm: (alarm, Notify::new()),
            noise: AtomicU64::new(noise),
        })
    }

    fn next_delay(&self) -> Duration {
        let noise = self.noise.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        Duration::from_micros((noise ^ (noise >> 31)).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 52)
    }

    /// The final URL, its status and its text.
    fn respond(url: &Url) -> (Url, u16, String) {
        let is_gone =
            |text: &str| ["d2.test", "d5.test", "d6.test/dir1"].iter().any(|it| text.contains(it));
        if !url.path().contains("/page") || is_gone(url.as_str()) {
            return (url.clone(), 404, "<h1>Not found</h1>".to_owned());
        }
        // Pages that lead to one place are judged by their neighbors.
        if url.as_str().contains("d7.test/dir1/") {
            return (url.join("/news").unwrap(), 200, "<title>News</title>All news.".to_owned());
        }
        (url.clone(), 200, format!("<title>{url}</title><p>This is what {url} says."))
    }

    fn fetched(url: &Url) -> FetchResult {
        let (landing, status, text) = Self::respond(url);
        let hop = |url: &Url, status, location: Option<&Url>| Hop {
            url: url.to_string(),
            status,
            location: location.map(ToString::to_string),
            ip: None,
        };
        let mut hops = Vec::new();
        if landing != *url {
            hops.push(hop(url, 302, Some(&landing)));
        }
        hops.push(hop(&landing, status, None));
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

impl Fetch for MadeUpWeb {
    fn fetch<'life, 'future>(
        &'life self,
        request: FetchRequest,
    ) -> Pin<Box<dyn Future<Output = FetchResult> + Send + 'future>>
    where
        'life: 'future,
        Self: 'future,
    {
        Box::pin(async move {
            if self.count.fetch_add(1, Ordering::Relaxed) == self.alarm.0 {
                self.alarm.1.notify_one();
            }
            self.requested.lock().unwrap().push(request.url.to_string());
            tokio::time::sleep(self.next_delay()).await;
            Self::fetched(&request.url)
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

/// Every run begins at the same time: names of comparison pages depend on it.
struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_hours(500_000)
    }
}

/// The verdicts that were reported.
#[derive(Default)]
struct Verdicts(BTreeMap<String, String>);

impl Observer for Verdicts {
    fn settled(&mut self, settled: &CheckedTarget) -> std::io::Result<()> {
        self.0.insert(settled.url.clone(), settled.result.verdict.as_str().to_owned());
        Ok(())
    }

    fn progress(&mut self, _: &Progress) {}
}

fn settings(plan: SamplingPlanName) -> SurveySettings {
    let pace = PolitenessPolicy::check(8, Duration::ZERO);
    SurveySettings {
        plan,
        seed: Some(7),
        budget: None,
        rights: relink_model::RequestRights::named_by_user(),
        ask: DispatchSettings { concurrency: 32, politeness: pace, ..DispatchSettings::default() },
        is_fresh: false,
        scope: BTreeMap::new(),
    }
}

fn catalog() -> CatalogSource {
    let mut list = String::new();
    for number in 0..DOMAINS * DIRECTORIES * PAGES {
        let (domain, rest) = (number / (DIRECTORIES * PAGES), number % (DIRECTORIES * PAGES));
        let (directory, page) = (rest / PAGES, rest % PAGES);
        list.extend([format!("http://d{domain}.test/dir{directory}/page{page}\n")]);
    }
    CatalogSource::Stdin(list.into_bytes())
}

async fn open(web: &Arc<MadeUpWeb>, folder: &std::path::Path) -> (Ports, LoadedCatalog) {
    let ports = Ports {
        fetch: Arc::clone(web) as Arc<dyn Fetch>,
        files: Arc::new(LocalFiles::new(LocalFilesSettings::default())),
        store: Arc::new(SqliteStore::open(&folder.join("relink.db")).await.unwrap()),
        render: None,
        archives: Vec::new(),
        searches: Vec::new(),
        clock: Arc::new(StoppedClock),
    };
    let fields = CatalogFields::default();
    let read = read_catalog(&*ports.files, &*ports.store, &catalog(), &fields).await.unwrap();
    (ports, read)
}

/// Surveys in as many pieces as there are numbers, each cut off without warning
/// at the request with that number, and then to the end.
async fn surveyed(
    plan: SamplingPlanName,
    cuts: &[usize],
    noise: u64,
) -> (BTreeSet<String>, BTreeMap<String, String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut requested = BTreeSet::new();
    let pieces = cuts.iter().copied().chain([usize::MAX]);
    let mut verdicts = Verdicts::default();
    for (piece, cut) in pieces.enumerate() {
        let web = MadeUpWeb::new(cut, noise + piece as u64);
        let (ports, read) = open(&web, folder.path()).await;
        let (_switch, stop) = StopSignal::new();
        verdicts = Verdicts::default();
        let settings = settings(plan);
        tokio::select! {
            ended = survey(&ports, &settings, &read, &mut verdicts, &stop) => { ended.unwrap(); }
            () = web.alarm.1.notified() => {}
        }
        let seen = std::mem::take(&mut *web.requested.lock().unwrap());
        requested.extend(seen.into_iter().filter(|url| url.contains("/page")));
    }
    (requested, verdicts.0)
}

#[track_caller]
fn check(plan: SamplingPlanName) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (requested, verdicts) = runtime.block_on(surveyed(plan, &[], 1));
    let asked = requested.len();
    assert!((100..DOMAINS * DIRECTORIES * PAGES).contains(&asked), "{asked}");
    let cuts: [&[usize]; 4] = [&[1], &[300], &[40, 90, 70, 10, 60, 5, 80, 33], &[150, 3, 250]];
    for (number, cuts) in cuts.into_iter().enumerate() {
        let (again, verdicts_again) =
            runtime.block_on(surveyed(plan, cuts, 1_000 * (2 + number as u64)));
        let more: Vec<&String> = again.difference(&requested).collect();
        let fewer: Vec<&String> = requested.difference(&again).collect();
        assert!(more.is_empty() && fewer.is_empty(), "{cuts:?}: more {more:?}, fewer {fewer:?}");
        assert_eq!(verdicts_again, verdicts, "{cuts:?}");
    }
}

#[test]
fn survey_by_the_default_plan_asks_the_same_urls_after_interruptions() {
    check(SamplingPlanName::Default);
}

#[test]
fn survey_by_le_and_shulman_asks_the_same_urls_after_interruptions() {
    check(SamplingPlanName::LeShulman);
}

#[test]
fn survey_by_walds_test_asks_the_same_urls_after_interruptions() {
    check(SamplingPlanName::Sprt);
}
