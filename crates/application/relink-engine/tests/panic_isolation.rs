//! Panic isolation: a panic while a page or document is processed affects only this page
//! or document, and the run finishes. The tests run checks, crawls and extractions with
//! ports that panic.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeMap;
use std::io::Read;
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_documents::{ExtractSettings, Input, LoadSettings, ReadOptions, extract};
use relink_engine::{
    CheckEnd, CheckOutcome, CheckSettings, CrawlEnd, CrawlRules, CrawlSettings, DispatchSettings,
    Observer, Progress, RenderMode, check, crawl,
};
use relink_files::{LocalFiles, LocalFilesSettings};
use relink_frontier::{CrawlScope, PolitenessPolicy, ScopeMode, TraversalOrder, UrlFilter};
use relink_model::{FetchOutcome, Hop, Timings};
use relink_ports::{
    Body, CheckedTarget, Clock, Fetch, FetchRequest, FetchResult, FileError, Files, Render,
    RenderError, RenderRequest, RenderedPage, WalkRequest, WalkResult,
};
use relink_report::extract::LinkFormat;
use relink_requests::{Ports, StopSignal};
use relink_store::SqliteStore;
use url::Url;

/// Time after which a run counts as hanging.
const HANG: Duration = Duration::from_mins(1);

/// A web in memory. Every page has its own text and the given links. Fetching a
/// path with `panic-in-fetch` panics, and so does resolving the host
/// `panic-in-locate.test`.
struct Web {
    links: &'static [&'static str],
    requests: Mutex<Vec<String>>,
}

#[async_trait]
impl Fetch for Web {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        self.requests.lock().unwrap().push(request.url.to_string());
        tokio::task::yield_now().await;
        let path = request.url.path().to_owned();
        assert!(!path.contains("panic-in-fetch"), "injected by the test");
        let status = if path == "/robots.txt" || path.contains("gone") { 404 } else { 200 };
        let links: Vec<String> =
            self.links.iter().map(|link| format!("<a href='{link}'>x</a>")).collect();
        let links = links.concat();
        let text = path.repeat(30);
        let html = format!("<title>{path}</title><p>{text}</p>{links}");
        FetchResult {
            hops: vec![Hop { url: request.url.to_string(), status, location: None, ip: None }],
            outcome: FetchOutcome::Response(status),
            timings: Timings::default(),
            retry_after: None,
            headers: Vec::new(),
            body: Some(Body {
                content_type: Some("text/html".to_owned()),
                bytes: html.into(),
                ..Body::default()
            }),
        }
    }

    async fn resolve_ip(&self, url: &Url) -> Option<IpAddr> {
        assert_ne!(url.host_str(), Some("panic-in-locate.test"), "injected by the test");
        None
    }
}

/// A browser that panics on paths with `panic-in-render`.
struct Browser;

#[async_trait]
impl Render for Browser {
    async fn render(&self, page: RenderRequest) -> Result<RenderedPage, RenderError> {
        assert!(!page.url.path().contains("panic-in-render"), "injected by the test");
        Err(RenderError::Crashed)
    }
}

/// The file system, except that reading a file name with `panic-in-read`
/// panics.
struct PanickingFiles(LocalFiles);

struct PanickingReader;

impl Read for PanickingReader {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        panic!("injected by the test")
    }
}

#[async_trait]
impl Files for PanickingFiles {
    async fn walk(&self, walk: &WalkRequest) -> Result<WalkResult, FileError> {
        self.0.walk(walk).await
    }

    async fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        self.0.read(path).await
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Read + Send>, FileError> {
        if path.to_string_lossy().contains("panic-in-read") {
            return Ok(Box::new(PanickingReader));
        }
        self.0.open(path)
    }

    async fn exists(&self, path: &Path) -> bool {
        assert!(!path.to_string_lossy().contains("panic-in-exists"), "injected by the test");
        self.0.exists(path).await
    }

    async fn is_dir(&self, path: &Path) -> bool {
        self.0.is_dir(path).await
    }

    async fn list_dir(&self, folder: &Path) -> Vec<String> {
        self.0.list_dir(folder).await
    }
}

struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        "2026-11-16T12:00:00Z".parse().unwrap()
    }
}

/// Verdict, code and reason by URL, such as `failing RL590 internal error while reading
/// this page`.
#[derive(Default)]
struct Results(BTreeMap<String, String>);

impl Observer for Results {
    fn on_result(&mut self, checked: &CheckedTarget) -> std::io::Result<()> {
        let result = &checked.result;
        let code = result.code.map(|code| format!(" {code} {}", result.reason));
        let text = format!("{}{}", result.verdict, code.unwrap_or_default());
        self.0.insert(checked.original_url.clone(), text);
        Ok(())
    }

    fn on_progress(&mut self, _: &Progress) {}
}

/// A directory of documents, ports that panic, and the results of a run.
struct Fixture {
    folder: tempfile::TempDir,
    web: Arc<Web>,
    results: Results,
}

const INTERNAL_ERROR: &str = "failing RL590 internal error while reading this page";

impl Fixture {
    /// Creates an empty directory, and a web whose pages have these links.
    fn new(links: &'static [&'static str]) -> Self {
        let web = Arc::new(Web { links, requests: Mutex::default() });
        Self { folder: tempfile::tempdir().unwrap(), web, results: Results::default() }
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    async fn ports(&self) -> Ports {
        let root = self.folder.path().to_owned();
        let disk = LocalFiles::new(LocalFilesSettings { root, ..LocalFilesSettings::default() });
        Ports {
            fetch: Arc::clone(&self.web) as Arc<dyn Fetch>,
            files: Arc::new(PanickingFiles(disk)),
            store: Arc::new(SqliteStore::open(&self.folder.path().join("db")).await.unwrap()),
            render: Some(Arc::new(Browser)),
            archives: Vec::new(),
            search_engines: Vec::new(),
            clock: Arc::new(FixedClock),
        }
    }

    /// Checks documents of the directory.
    async fn check(&mut self, inputs: &[&str]) -> CheckOutcome {
        let ports = self.ports().await;
        let settings = CheckSettings {
            load: LoadSettings {
                inputs: inputs.iter().map(|&path| Input::Path(path.into())).collect(),
                scope: UrlFilter::default(),
                is_offline: false,
                fresh_since: Timestamp::MAX,
                read_options: ReadOptions::default(),
                politeness: PolitenessPolicy::check(1, Duration::ZERO),
                max_host_wait: Duration::from_mins(2),
                retries: 0,
                max_page_bytes: 1 << 20,
                revision: None,
            },
            dispatch: dispatch_settings(),
            is_fresh: false,
            scope: BTreeMap::new(),
        };
        let stop = StopSignal::never();
        let run = check(&ports, &settings, &mut self.results, &stop);
        tokio::time::timeout(HANG, run).await.expect("the check hangs").unwrap()
    }

    /// Crawls a site and renders each page.
    async fn crawl(&mut self, seed: &str) -> CrawlEnd {
        let ports = self.ports().await;
        let seed: Url = seed.parse().unwrap();
        let rules = CrawlRules {
            scope: CrawlScope::new(
                ScopeMode::Host,
                std::slice::from_ref(&seed),
                UrlFilter::default(),
            ),
            filter: UrlFilter::default(),
            order: TraversalOrder::BreadthFirst,
            max_depth: None,
            max_pages: None,
            ignores_nofollow: false,
            checks_external: true,
            traps: relink_frontier::TrapLimits::default(),
            fresh_since: Timestamp::MAX,
            max_page_links: 1000,
        };
        let settings = CrawlSettings {
            seeds: vec![(seed.to_string(), seed)],
            rules,
            sitemaps: Vec::new(),
            reads_sitemaps: false,
            render: RenderMode::Always,
            dispatch: dispatch_settings(),
            max_time: None,
            is_fresh: false,
            scope: BTreeMap::new(),
        };
        let stop = StopSignal::never();
        let run = crawl(&ports, &settings, &mut self.results, &stop);
        tokio::time::timeout(HANG, run).await.expect("the crawl hangs").unwrap().end
    }

    #[track_caller]
    fn assert_result(&self, url: &str, expected: &str) {
        assert_eq!(self.results.0.get(url).map(String::as_str), Some(expected), "{url}");
    }
}

fn dispatch_settings() -> DispatchSettings {
    DispatchSettings {
        politeness: PolitenessPolicy::check(4, Duration::ZERO),
        ..DispatchSettings::default()
    }
}

#[tokio::test]
async fn check_with_panic_in_fetch_fails_only_that_page() {
    let mut fixture = Fixture::new(&[]);
    fixture.write(
        "list.txt",
        "http://one.test/a\nhttp://one.test/panic-in-fetch\nhttp://one.test/b\n\
         http://panic-in-locate.test/c\n",
    );
    let outcome = fixture.check(&["list.txt"]).await;
    assert_eq!(outcome.end, CheckEnd::Finished);
    fixture.assert_result("http://one.test/panic-in-fetch", INTERNAL_ERROR);
    assert_eq!(fixture.results.0.len(), 4);
    let failing = fixture.results.0.values().filter(|result| *result == INTERNAL_ERROR).count();
    assert_eq!(failing, 1, "{:?}", fixture.results.0);
    let requests = fixture.web.requests.lock().unwrap();
    let panicking_requests = requests.iter().filter(|url| url.ends_with("panic-in-fetch")).count();
    assert_eq!(panicking_requests, 1, "a panicking request is not retried");
}

#[tokio::test]
async fn check_with_panic_on_every_page_finishes() {
    let mut fixture = Fixture::new(&[]);
    fixture.write("list.txt", "http://one.test/panic-in-fetch\nhttp://two.test/panic-in-fetch\n");
    assert_eq!(fixture.check(&["list.txt"]).await.end, CheckEnd::Finished);
    fixture.assert_result("http://one.test/panic-in-fetch", INTERNAL_ERROR);
    fixture.assert_result("http://two.test/panic-in-fetch", INTERNAL_ERROR);
}

#[tokio::test]
async fn check_with_panic_in_read_skips_only_that_document() {
    let mut fixture = Fixture::new(&[]);
    fixture.write("a.md", "[a](http://one.test/a)");
    fixture.write("panic-in-read.md", "[b](http://one.test/b)");
    fixture.write("c.md", "[c](http://one.test/c) [d](panic-in-exists.md)");
    let outcome = fixture.check(&["."]).await;
    assert_eq!(outcome.end, CheckEnd::Finished);
    let [problem] = &outcome.loaded.problems.entries[..] else {
        panic!("{:?}", outcome.loaded.problems)
    };
    assert!(problem.path.ends_with("panic-in-read.md"), "{}", problem.path);
    assert_eq!(problem.text, "internal error while this item was processed");
    assert!(fixture.results.0.contains_key("http://one.test/a"));
    assert!(fixture.results.0.contains_key("http://one.test/c"));
    // The link to the local file, whose existence check panics.
    let internal_errors: Vec<&String> =
        fixture.results.0.values().filter(|result| result.contains("RL590")).collect();
    assert_eq!(internal_errors, ["failing RL590 internal error while reading this link"]);
}

#[tokio::test]
async fn crawl_with_panic_in_render_fails_only_that_page() {
    let mut fixture = Fixture::new(&["/a", "/panic-in-render", "/panic-in-fetch", "/b"]);
    assert_eq!(fixture.crawl("http://one.test/").await, CrawlEnd::Finished);
    fixture.assert_result("http://one.test/panic-in-render", INTERNAL_ERROR);
    fixture.assert_result("http://one.test/panic-in-fetch", INTERNAL_ERROR);
    let healthy = ["http://one.test/", "http://one.test/a", "http://one.test/b"];
    for url in healthy {
        let result = fixture.results.0.get(url).unwrap();
        assert!(!result.contains("RL590"), "{url}: {result}");
    }
}

#[tokio::test]
async fn extract_with_panic_in_read_skips_only_that_document() {
    let fixture = Fixture::new(&[]);
    fixture.write("a.md", "[a](http://one.test/a)");
    fixture.write("panic-in-read.md", "[b](http://one.test/b)");
    fixture.write("c.md", "[c](http://one.test/c)");
    let settings = ExtractSettings {
        paths: vec![".".into()],
        format: None,
        column: None,
        link_format: LinkFormat::JsonLine,
        today: "2026-11-16".parse().unwrap(),
    };
    let files = fixture.ports().await.files;
    let mut text = Vec::new();
    let mut write = |part: &[u8]| {
        text.extend_from_slice(part);
        Ok(())
    };
    let summary = extract(&*files, &settings, None, &mut write).await.unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("one.test/a") && text.contains("one.test/c"), "{text}");
    let [problem] = &summary.first_problems[..] else { panic!("{summary:?}") };
    assert!(problem.path.ends_with("panic-in-read.md"), "{}", problem.path);
    assert_eq!(problem.text, "internal error while this item was processed");
}
