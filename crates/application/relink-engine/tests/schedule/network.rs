//! A scripted network in virtual time. It records every request.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use relink_model::{ConnectError, FetchOutcome, Hop, Timings};
use relink_ports::{Body, Fetch, FetchRequest, FetchResult};
use tokio::time::Instant;
use url::Url;

use crate::random::Random;

/// The longest response time in milliseconds.
pub(crate) const MAX_RESPONSE_MS: u64 = 400;

/// A scripted response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// The `Retry-After` in seconds.
    pub(crate) retry_after: Option<u64>,
}

impl Reply {
    pub(crate) const fn status(status: u16) -> Self {
        Self { status, retry_after: None }
    }

    /// Status 429 with a `Retry-After` of this number of seconds.
    pub(crate) const fn throttled(seconds: u64) -> Self {
        Self { status: 429, retry_after: Some(seconds) }
    }
}

/// How a host responds to URLs without a script.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Site {
    /// Paths that start with `/page` exist, all others do not.
    #[default]
    Pages,
    /// Every path has the same page, with status 200.
    IdenticalPages,
    /// Every path has its own page, with status 200.
    DistinctPages,
    /// No path exists.
    Gone,
    /// Every second request of a URL fails with status 503.
    Flaky,
    /// The first request of every third URL is rejected with a `Retry-After` of some seconds.
    Throttling(u64),
    /// No connection is accepted.
    Down,
    /// A binary tree of this number of pages, `/page0` to `/pageN`. Each page has links to
    /// two further pages and to a page of another host.
    Tree(u64),
}

/// A recorded request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) url: Url,
    /// The virtual time since the start of the test.
    pub(crate) at: Duration,
    /// The time of the response; `None` if the request is in flight or was dropped.
    pub(crate) until: Option<Duration>,
    /// The number of the worker that sent the request.
    pub(crate) worker: usize,
}

/// The network, shared by all workers.
pub(crate) struct Network {
    pub(crate) started: Instant,
    /// The responses of a URL in order; the last one is repeated.
    pub(crate) scripts: HashMap<String, Vec<Reply>>,
    /// The content of documents by URL.
    pub(crate) documents: HashMap<String, String>,
    pub(crate) sites: HashMap<String, Site>,
    /// The `robots.txt` files by host.
    pub(crate) robots: HashMap<String, String>,
    /// Whether all host names have one address.
    pub(crate) shares_address: bool,
    pub(crate) requests: Mutex<Vec<Request>>,
    /// The number of requests by URL.
    pub(crate) counts: Mutex<HashMap<String, usize>>,
    pub(crate) random: Mutex<Random>,
}

impl Network {
    /// Records a request. Returns its index in `requests`, and its response; `None` if the
    /// connection is refused.
    fn record(&self, url: &Url, worker: usize) -> (usize, Option<Reply>) {
        let mut requests = self.requests.lock().unwrap();
        let host = url.host_str().unwrap_or_default();
        let earlier_for_url = self.count(url);
        let at = self.started.elapsed();
        requests.push(Request { url: url.clone(), at, until: None, worker });
        let number = requests.len() - 1;
        if url.path() == "/robots.txt" && self.robots.contains_key(host) {
            return (number, Some(Reply::status(200)));
        }
        if let Some(replies) = self.scripts.get(url.as_str()) {
            return (number, Some(replies[earlier_for_url.min(replies.len() - 1)]));
        }
        if self.documents.contains_key(url.as_str()) {
            return (number, Some(Reply::status(200)));
        }
        let is_page = url.path().starts_with("/page");
        let page: Option<u64> =
            url.path().strip_prefix("/page").and_then(|number| number.parse().ok());
        let reply = match self.sites.get(host).copied().unwrap_or_default() {
            Site::Down => None,
            Site::Tree(pages) if page.is_some_and(|page| page < pages) => Some(Reply::status(200)),
            Site::IdenticalPages | Site::DistinctPages => Some(Reply::status(200)),
            Site::Flaky if is_page && earlier_for_url.is_multiple_of(2) => Some(Reply::status(503)),
            Site::Throttling(seconds) if earlier_for_url == 0 && is_throttled(url) => {
                Some(Reply::throttled(seconds))
            }
            Site::Pages | Site::Flaky | Site::Throttling(_) if is_page => Some(Reply::status(200)),
            _ => Some(Reply::status(404)),
        };
        (number, reply)
    }

    /// Counts a request. Returns the number of earlier ones with this URL.
    fn count(&self, url: &Url) -> usize {
        let mut counts = self.counts.lock().unwrap();
        let count = counts.entry(url.to_string()).or_default();
        *count += 1;
        *count - 1
    }

    /// Returns the text of a page.
    fn page(&self, url: &Url) -> String {
        let host = url.host_str().unwrap_or_default();
        if url.path() == "/robots.txt"
            && let Some(text) = self.robots.get(host)
        {
            return text.clone();
        }
        if let Some(text) = self.documents.get(url.as_str()) {
            return text.clone();
        }
        let is_identical = self.sites.get(host) == Some(&Site::IdenticalPages);
        let name = if is_identical { "Welcome to this host" } else { url.path() };
        let text = format!("{name} ").repeat(if is_identical { 40 } else { 12 });
        let links = match (self.sites.get(host), url.path().strip_prefix("/page")) {
            (Some(Site::Tree(pages)), Some(number)) => tree_links(number, *pages),
            _ => String::new(),
        };
        format!("<title>{name}</title><p>{text}</p>{links}")
    }
}

/// Whether a [`Site::Throttling`] refuses the first request of this URL: every third one
/// by its number. Which URLs are refused does not depend on the order of the requests.
fn is_throttled(url: &Url) -> bool {
    let number = url.path().trim_start_matches(|letter: char| !letter.is_ascii_digit());
    number.parse().is_ok_and(|number: u64| number.is_multiple_of(3))
}

/// Returns the links of a page of a [`Site::Tree`].
fn tree_links(number: &str, pages: u64) -> String {
    let number: u64 = number.parse().unwrap_or(0);
    let children = [2 * number + 1, 2 * number + 2].into_iter().filter(|child| *child < pages);
    let children = children.map(|child| format!("/page{child}"));
    let links = children.chain([format!("http://other{number}.test/page")]);
    links.fold(String::new(), |text, link| text + "<a href='" + &link + "'>x</a>")
}

fn content_type(url: &Url) -> &'static str {
    if url.path().rsplit_once('.').is_some_and(|(_, extension)| extension == "xml") {
        "application/xml"
    } else {
        "text/html"
    }
}

/// The fetcher of one worker.
pub(crate) struct WorkerFetch {
    pub(crate) network: Arc<Network>,
    pub(crate) worker: usize,
}

#[async_trait]
impl Fetch for WorkerFetch {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        let network = &self.network;
        let (number, reply) = network.record(&request.url, self.worker);
        let duration = 1 + network.random.lock().unwrap().below(MAX_RESPONSE_MS);
        tokio::time::sleep(Duration::from_millis(duration)).await;
        network.requests.lock().unwrap()[number].until = Some(network.started.elapsed());
        let hop = |status| Hop { url: request.url.to_string(), status, location: None, ip: None };
        let body = || Body {
            content_type: Some(content_type(&request.url).to_owned()),
            bytes: network.page(&request.url).into(),
            ..Body::default()
        };
        FetchResult {
            hops: reply.map(|reply| hop(reply.status)).into_iter().collect(),
            outcome: match reply {
                Some(reply) => FetchOutcome::Response(reply.status),
                None => FetchOutcome::ConnectFailed(ConnectError::Refused),
            },
            timings: Timings {
                total: u32::try_from(duration).unwrap_or(u32::MAX),
                ..Timings::default()
            },
            retry_after: reply.and_then(|reply| reply.retry_after),
            headers: Vec::new(),
            body: reply.map(|_| body()),
        }
    }

    async fn resolve_ip(&self, url: &Url) -> Option<IpAddr> {
        let delay = self.network.random.lock().unwrap().below(20);
        tokio::time::sleep(Duration::from_millis(delay)).await;
        let host = url.host_str().unwrap_or_default();
        // A hash of the host name: different hosts usually have different addresses.
        let hash = host.bytes().fold(1_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte));
        Some(if self.network.shares_address { [127, 0, 0, 1] } else { [127, 9, 0, hash] }.into())
    }
}
