//! Fuzzes responses: crawls a server that sends mutated responses. They are processed by
//! the HTTP client, the parsers, the judge, the crawl and the store.
//!
//! The server is a proxy on loopback that responds to every request itself, so
//! no request leaves this machine. A response depends only on the seed and the
//! request target.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use relink_engine::{
    CrawlRules, CrawlSettings, DispatchSettings, Observer, Progress, RenderMode, crawl,
};
use relink_fetch::{FetchSettings, Fetcher, Proxies};
use relink_files::{LocalFiles, LocalFilesSettings};
use relink_frontier::{
    CrawlScope, PolitenessPolicy, ScopeMode, TrapLimits, TraversalOrder, UrlFilter,
};
use relink_judge::Policy;
use relink_ports::{CheckedTarget, Clock};
use relink_requests::{Ports, StopSignal};
use relink_store::SqliteStore;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use super::guard::Guard;
use super::mutate::mutate;
use super::random::Random;
use crate::XtaskError;

/// The number of the random sequence of this module. Each kind of input has another number.
const SEQUENCE: u64 = 2;
/// Hosts of one crawl.
const HOSTS_PER_CRAWL: u64 = 64;
/// Pages of one crawl.
const PAGES_PER_CRAWL: u64 = 256;
/// Maximum time of one crawl. Without it, delays in mutated headers and
/// robots.txt files would take most of the time.
const MAX_CRAWL_TIME: Duration = Duration::from_secs(1);
/// Maximum bytes of a request.
const MAX_REQUEST_BYTES: usize = 16 << 10;
/// Initial value of the hash of a request target (FNV-1a).
const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;

/// Responses to mutate: headers and bodies.
const RESPONSES: [&[u8]; 14] = [
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Language: en\r\n\r\n<!DOCTYPE html><title>Oak</title><h1 id=a>Oak</h1><p>The oak is a tree of the north.</p><a href=/b-2>b</a><a href='c?d=e-f#g'>c</a><a href=//h.test/i>h</a>",
    b"HTTP/1.1 200 OK\r\nContent-Length: 52\r\nSet-Cookie: a=b; Path=/; Max-Age=9\r\n\r\n<title>Lime</title><a href=/x-y/>x</a><p>Lime trees.",
    b"HTTP/1.1 301 Moved Permanently\r\nLocation: /b?sort=price-a\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: https://user:pw@other.test:81/\xc3\xa9#x\r\n\r\n",
    b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<title>404</title>Page not found",
    b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 120\r\n\r\n",
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n1a\r\n<title>Elm</title><a href=z>\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n\r\n<?xml version=\"1.0\"?><urlset><url><loc>/p-1</loc></url></urlset>",
    b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n@import url(a.css);p{background:url('b-1.png')}",
    b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: text/html\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xb3\x29\xc9\x2c\xc9\x49\xb5\x73\x2c\xb6\xd1\x87\x30\x12\x6d\x32\x4a\x52\xd3\x6c\xf5\x13\x75\x8d\xec\x2a\x00\x9e\x1c\x9b\x4c\x1f\x00\x00\x00",
    b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nX-Robots-Tag: nofollow\r\n\r\n%PDF-1.4 \x00\x01\x02",
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<meta http-equiv=refresh content='0; url=/onward-1'><script>location='/s'</script>",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 206 Partial\r\nContent-Type: text/plain; charset=utf-16\r\n\r\n\xff\xfeh\x00t\x00",
];

/// Responses to requests for `robots.txt`.
const ROBOTS: [&[u8]; 3] = [
    b"HTTP/1.1 404 Not Found\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /no*x$\nAllow: /\nSitemap: /s.xml\n",
    b"HTTP/1.1 200 OK\r\n\r\nUser-agent: relink\nCrawl-delay: 0.01\nDisallow: /%C3%A9\n",
];

/// Words of headers and pages.
const RESPONSE_PARTS: [&str; 40] = [
    "HTTP/1.1 ",
    "HTTP/9.9 ",
    "200",
    "301",
    "999",
    "\r\n",
    "\n",
    "\r\n\r\n",
    ": ",
    "Location: ",
    "Content-Length: ",
    "Content-Length: 18446744073709551615\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Content-Encoding: br\r\n",
    "Content-Encoding: zstd\r\n",
    "Content-Encoding: deflate, gzip\r\n",
    "Content-Type: ",
    "text/html",
    "charset=",
    "utf-16",
    "shift_jis",
    "Set-Cookie: ",
    "Retry-After: ",
    "X-Robots-Tag: ",
    "<a href=",
    "<base href=",
    "<title>",
    "<link rel=canonical href=",
    "://",
    "//",
    "?",
    "#",
    "%",
    "é",
    "-",
    "../",
    "http://[::1]/",
    "http://127.0.0.1:1/",
    "javascript:",
    "data:,",
];

/// Crawls until this number of responses was sent, and returns their number.
pub fn run(guard: &Guard, seed: u64, responses: u64) -> Result<u64, XtaskError> {
    let failed = |error: &dyn std::fmt::Display| XtaskError::new(format!("cannot fuzz: {error}"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(&error))?;
    runtime.block_on(async {
        let server = Server::start(seed).await.map_err(|error| failed(&error))?;
        let mut batch = 0;
        while server.sent() < responses && batch < responses {
            guard.begin(0, &format!("responses-{batch}"), batch.to_string().as_bytes());
            let crawled = server.crawl(batch).await;
            guard.end(0);
            crawled.map_err(|error| failed(&error))?;
            batch += 1;
        }
        Ok(server.sent())
    })
}

/// A proxy that responds to every request itself.
struct Server {
    proxy: String,
    sent: Arc<AtomicU64>,
}

impl Server {
    /// Starts the proxy, which responds to each request with a mutated response.
    async fn start(seed: u64) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let proxy = format!("http://{}", listener.local_addr()?);
        let sent = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&sent);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let count = Arc::clone(&count);
                // Ignore the error: the client closed its connection early.
                tokio::spawn(async move { respond(stream, seed, &count).await.ok() });
            }
        });
        Ok(Self { proxy, sent })
    }

    /// Returns the number of responses sent so far.
    fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Crawls hosts that belong to this crawl only.
    async fn crawl(&self, batch: u64) -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let ports = self.ports(folder.path()).await?;
        let urls = (0..HOSTS_PER_CRAWL)
            .map(|host| format!("http://h{host}-{batch}.test/2026-05/page-{host}"));
        let seeds: Result<Vec<(String, Url)>, url::ParseError> =
            urls.map(|text| Ok((text.clone(), text.parse()?))).collect();
        let settings = crawl_settings(seeds?);
        let stop = StopSignal::never();
        crawl(&ports, &settings, &mut IgnoreResults, &stop).await?;
        Ok(())
    }

    /// Returns the adapters of an engine that sends all requests through the proxy.
    async fn ports(&self, folder: &std::path::Path) -> Result<Ports, Box<dyn std::error::Error>> {
        let settings = FetchSettings {
            proxies: Proxies::all(self.proxy.parse()?),
            timeout: Duration::from_secs(5),
            ..FetchSettings::default()
        };
        Ok(Ports {
            fetch: Arc::new(Fetcher::new(settings)?),
            files: Arc::new(LocalFiles::new(LocalFilesSettings::default())),
            store: Arc::new(SqliteStore::open(&folder.join("db")).await?),
            render: None,
            archives: Vec::new(),
            search_engines: Vec::new(),
            clock: Arc::new(FixedClock),
        })
    }
}

/// Returns the settings of a small crawl of these seeds.
fn crawl_settings(seeds: Vec<(String, Url)>) -> CrawlSettings {
    let urls: Vec<Url> = seeds.iter().map(|(_, url)| url.clone()).collect();
    let rules = CrawlRules {
        scope: CrawlScope::new(ScopeMode::Host, &urls, UrlFilter::default()),
        filter: UrlFilter::default(),
        order: TraversalOrder::BreadthFirst,
        max_depth: Some(2),
        max_pages: Some(PAGES_PER_CRAWL),
        ignores_nofollow: true,
        checks_external: true,
        traps: TrapLimits::default(),
        fresh_since: Timestamp::MAX,
        max_page_links: CrawlRules::MAX_PAGE_LINKS,
    };
    let dispatch = DispatchSettings {
        politeness: PolitenessPolicy::crawl(4, Duration::ZERO),
        policy: Policy { retries: 0, ..Policy::default() },
        max_host_wait: Duration::ZERO,
        ..DispatchSettings::default()
    };
    CrawlSettings {
        seeds,
        rules,
        sitemaps: Vec::new(),
        reads_sitemaps: true,
        render: RenderMode::Never,
        dispatch,
        max_time: Some(MAX_CRAWL_TIME),
        is_fresh: false,
        scope: BTreeMap::new(),
    }
}

/// Reads a request and sends the response of its target.
async fn respond(mut stream: TcpStream, seed: u64, sent: &AtomicU64) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < MAX_REQUEST_BYTES {
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
    stream.write_all(&response_for(seed, line)).await?;
    sent.fetch_add(1, Ordering::Relaxed);
    stream.shutdown().await
}

/// Returns the response to a request line.
fn response_for(seed: u64, line: &[u8]) -> Vec<u8> {
    let hash = line
        .iter()
        .fold(HASH_START, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    let mut random = Random::of_item(seed, SEQUENCE, hash);
    let is_robots = line.windows(11).any(|name| name == b"/robots.txt");
    let original = if is_robots { random.pick(&ROBOTS) } else { random.pick(&RESPONSES) };
    // In half of the responses, only the body is mutated: a client does not read the
    // body after invalid headers.
    let body = original.windows(4).position(|end| end == b"\r\n\r\n").map_or(0, |at| at + 4);
    let unchanged = if random.one_in(2) { body } else { 0 };
    let mutated = mutate(&mut random, &original[unchanged..], &RESPONSES, &RESPONSE_PARTS);
    [&original[..unchanged], &mutated].concat()
}

/// A clock with a fixed time.
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

/// An observer that ignores all results.
struct IgnoreResults;

impl Observer for IgnoreResults {
    fn on_result(&mut self, _: &CheckedTarget) -> std::io::Result<()> {
        Ok(())
    }

    fn on_progress(&mut self, _: &Progress) {}
}
