//! Tests of `PoliteFetch` with an in-memory web and the paused time of tokio.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex as StdMutex;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_frontier::PolitenessPolicy;
use relink_model::{
    ConnectError, DnsError, FetchOutcome, Hop, ProtocolError, RequestRights, Timings,
};
use relink_ports::{Body, Clock, Fetch, FetchRequest, FetchResult, RequestOptions, UserAgent};
use relink_testkit::memory_store::MemoryStore;
use tokio::time::Instant;
use url::Url;

use super::{PoliteFetch, PoliteFetchSettings, RobotsUse};

/// The IP address of all hosts below `shared.test`.
const SHARED_ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 7));

/// A web with scripted responses by URL and a request log.
#[derive(Default)]
struct Web {
    /// The responses to the first, second, … request of a URL. The last is repeated.
    pages: HashMap<&'static str, Vec<Page>>,
    /// Time and URL of each request.
    log: StdMutex<Vec<(Duration, String)>>,
    started: Option<Instant>,
}

/// A response.
#[derive(Clone)]
enum Page {
    /// Status and body.
    Response(u16, &'static str),
    /// Status 429 with `Retry-After` in seconds.
    Throttled(u64),
    /// Status 302 with this location.
    Redirect(&'static str),
    /// No response.
    Failed(FetchOutcome),
}

impl Web {
    fn new(pages: &[(&'static str, &[Page])]) -> Self {
        let pages = pages.iter().map(|(url, responses)| (*url, responses.to_vec())).collect();
        Self { pages, started: Some(Instant::now()), ..Self::default() }
    }

    /// Returns the response to the request for `url` that was logged last.
    fn page(&self, url: &str) -> Page {
        let log = self.log.lock().unwrap();
        let request_count = log.iter().filter(|(_, requested)| requested == url).count();
        let scripted = self
            .pages
            .get(url)
            .and_then(|responses| responses.get(request_count - 1).or(responses.last()).cloned());
        scripted.unwrap_or(Page::Response(404, "not here"))
    }

    /// Returns the requested URLs in order.
    fn requested(&self) -> Vec<String> {
        self.log.lock().unwrap().iter().map(|(_, url)| url.clone()).collect()
    }

    /// Returns the milliseconds between requests.
    fn gaps(&self) -> Vec<u128> {
        let log = self.log.lock().unwrap();
        log.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].0).as_millis()).collect()
    }
}

#[async_trait]
impl Fetch for Web {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        let url = request.url.to_string();
        let at = self.started.map(|started| started.elapsed()).unwrap_or_default();
        self.log.lock().unwrap().push((at, url.clone()));
        let hop = |status, location| vec![Hop { url: url.clone(), status, location, ip: None }];
        let (hops, outcome, retry_after, text) = match self.page(&url) {
            Page::Response(status, text) => {
                (hop(status, None), FetchOutcome::Response(status), None, text)
            }
            Page::Throttled(wait) => (hop(429, None), FetchOutcome::Response(429), Some(wait), ""),
            Page::Failed(outcome) => (Vec::new(), outcome, None, ""),
            Page::Redirect(to) => {
                let next = request.url.join(to).unwrap();
                assert!(
                    !request.options.redirect_filter.unwrap().allows(&next),
                    "tests redirect to other origins only"
                );
                (hop(302, Some(to.to_owned())), FetchOutcome::RobotsDisallowed, None, "")
            }
        };
        let body = Body { bytes: text.into(), ..Body::default() };
        let timings = Timings::default();
        FetchResult { hops, outcome, timings, retry_after, headers: Vec::new(), body: Some(body) }
    }

    async fn resolve_ip(&self, url: &Url) -> Option<IpAddr> {
        url.host_str().is_some_and(|host| host.ends_with(".shared.test")).then_some(SHARED_ADDRESS)
    }
}

/// A clock that follows the paused time of the runtime.
struct VirtualClock(Instant);

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        let elapsed = jiff::SignedDuration::try_from(self.0.elapsed()).unwrap();
        "2026-11-16T12:00:00Z".parse::<Timestamp>().unwrap() + elapsed
    }
}

struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        "2026-11-16T12:00:00Z".parse().unwrap()
    }
}

/// A fetcher with 100 ms between requests to a host and without a store.
fn polite(web: &Web) -> PoliteFetch<'_> {
    PoliteFetch::new(polite_settings(web))
}

fn polite_settings(web: &Web) -> PoliteFetchSettings<'_> {
    PoliteFetchSettings {
        fetch: web,
        clock: &FixedClock,
        store: None,
        politeness: PolitenessPolicy::check(4, Duration::from_millis(100)),
        max_host_wait: Duration::from_mins(2),
        robots: RobotsUse::Obey,
    }
}

/// Fetches a URL and returns the outcome as text.
async fn get(fetch: &PoliteFetch<'_>, url: &str) -> String {
    let (url, agent) = (url.parse().unwrap(), UserAgent::Relink);
    let rights = RequestRights::discovered();
    let request =
        FetchRequest { url, rights, user_agent: agent, options: RequestOptions::default() };
    fetch.fetch(request).await.outcome.to_string()
}

#[tokio::test(start_paused = true)]
async fn fetch_requests_rules_first_and_obeys_the_interval() {
    let web = Web::new(&[("http://a.test/x", &[Page::Response(200, "x")])]);
    let fetch = polite(&web);
    for url in ["http://a.test/x", "http://a.test/y", "http://a.test/x"] {
        get(&fetch, url).await;
    }
    let expected = ["robots.txt", "x", "y", "x"].map(|path| format!("http://a.test/{path}"));
    assert_eq!(web.requested(), expected);
    assert!(web.gaps().iter().all(|gap| *gap >= 100), "{:?}", web.gaps());
    assert_eq!(fetch.requests(), 4);
}

#[tokio::test(start_paused = true)]
async fn fetch_sends_no_disallowed_request() {
    let rules = Page::Response(200, "User-agent: *\nDisallow: /x\n");
    let web = Web::new(&[("http://a.test/robots.txt", &[rules])]);
    let fetch = polite(&web);
    assert_eq!(get(&fetch, "http://a.test/x/y").await, FetchOutcome::RobotsDisallowed.to_string());
    assert_eq!(web.requested(), ["http://a.test/robots.txt"]);
    let refusal = fetch.take_refusal().unwrap().to_string();
    assert!(refusal.contains("robots.txt says `Disallow: /x`"), "{refusal}");
    assert_eq!(get(&fetch, "http://a.test/y").await, "status 404");
}

#[tokio::test(start_paused = true)]
async fn fetch_obeys_the_crawl_delay() {
    let rules = Page::Response(200, "User-agent: *\nCrawl-delay: 3\n");
    let web = Web::new(&[("http://a.test/robots.txt", &[rules])]);
    let fetch = polite(&web);
    for _ in 0..3 {
        get(&fetch, "http://a.test/x").await;
    }
    assert!(web.gaps()[1..].iter().all(|gap| *gap >= 3_000), "{:?}", web.gaps());
}

#[tokio::test(start_paused = true)]
async fn fetch_waits_for_a_short_retry_after_only() {
    let web = Web::new(&[("http://a.test/x", &[Page::Throttled(60), Page::Throttled(3_600)])]);
    let fetch = polite(&web);
    get(&fetch, "http://a.test/x").await;
    get(&fetch, "http://a.test/x").await;
    assert!(web.gaps()[1] >= 60_000, "{:?}", web.gaps());
    // The host is closed for an hour: no further request is sent.
    assert_eq!(get(&fetch, "http://a.test/y").await, "status 429");
    assert_eq!(web.requested().len(), 3);
    let url = "http://a.test/z".parse().unwrap();
    let refusal = fetch.check_allowed(&url, RequestRights::discovered()).await.unwrap_err();
    assert!(refusal.to_string().contains("Retry-After: 3"), "{refusal}");
}

#[tokio::test(start_paused = true)]
async fn fetch_retries_rules_after_a_failure() {
    for failure in
        [Page::Failed(FetchOutcome::ProtocolError(ProtocolError::Reset)), Page::Response(503, "")]
    {
        let rules = [failure, Page::Response(200, "User-agent: *\nDisallow: /x\n")];
        let web = Web::new(&[("http://a.test/robots.txt", &rules)]);
        let fetch = polite(&web);
        assert_eq!(get(&fetch, "http://a.test/y").await, "status 404");
        assert_eq!(
            get(&fetch, "http://a.test/x").await,
            FetchOutcome::RobotsDisallowed.to_string()
        );
        assert_eq!(web.requested().len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn fetch_sends_no_page_request_to_a_host_that_is_down() {
    for outcome in [
        FetchOutcome::ConnectFailed(ConnectError::Refused),
        FetchOutcome::DnsFailed(DnsError::NoSuchName),
        FetchOutcome::ProtocolError(ProtocolError::Reset),
    ] {
        let web = Web::new(&[("http://a.test/robots.txt", &[Page::Failed(outcome.clone())])]);
        let fetch = polite(&web);
        assert_eq!(get(&fetch, "http://a.test/y").await, outcome.to_string());
        assert!(web.requested().iter().all(|url| url.ends_with("robots.txt")), "{outcome}");
    }
}

#[tokio::test(start_paused = true)]
async fn fetch_does_not_cache_rules_of_a_host_without_permission() {
    let barred = Page::Failed(FetchOutcome::PrivateAddress([127, 0, 0, 1].into()));
    let rules = Page::Response(200, "User-agent: *\nDisallow: /\n");
    let page = [barred.clone()];
    let web =
        Web::new(&[("http://a.test/robots.txt", &[barred, rules]), ("http://a.test/x", &page)]);
    let fetch = polite(&web);
    assert!(get(&fetch, "http://a.test/x").await.contains("private address"));
    assert_eq!(get(&fetch, "http://a.test/x").await, FetchOutcome::RobotsDisallowed.to_string());
}

#[tokio::test(start_paused = true)]
async fn fetch_requests_the_rules_of_every_redirect_host() {
    let closed = Page::Response(200, "User-agent: *\nDisallow: /\n");
    let web = Web::new(&[
        ("http://a.test/x", &[Page::Redirect("http://b.test/y")]),
        ("http://b.test/y", &[Page::Redirect("http://c.test/z")]),
        ("http://c.test/robots.txt", &[closed]),
    ]);
    let fetch = polite(&web);
    assert_eq!(get(&fetch, "http://a.test/x").await, FetchOutcome::RobotsDisallowed.to_string());
    let hosts =
        [("a", "robots.txt"), ("a", "x"), ("b", "robots.txt"), ("b", "y"), ("c", "robots.txt")];
    let expected = hosts.map(|(host, path)| format!("http://{host}.test/{path}"));
    assert_eq!(web.requested(), expected);
    assert_eq!(fetch.requests(), 5, "a redirect that is not followed is not a request");
}

#[tokio::test(start_paused = true)]
async fn fetch_ends_endless_redirects_between_hosts() {
    let web = Web::new(&[
        ("http://a.test/", &[Page::Redirect("http://b.test/")]),
        ("http://b.test/", &[Page::Redirect("http://a.test/")]),
    ]);
    let fetch = polite(&web);
    assert_eq!(get(&fetch, "http://a.test/").await, FetchOutcome::TooManyRedirects.to_string());
}

#[tokio::test(start_paused = true)]
async fn fetch_separates_requests_to_hosts_with_the_same_address() {
    let web = Web::new(&[]);
    let fetch = polite(&web);
    for host in ["a", "b", "c"] {
        get(&fetch, &format!("http://{host}.shared.test/")).await;
    }
    assert_eq!(web.requested().len(), 6);
    let gap = PolitenessPolicy::IP_GAP.as_millis();
    // Each host gets two requests: for robots.txt and for the page.
    let between_hosts: Vec<u128> = web.gaps().into_iter().skip(1).step_by(2).collect();
    assert!(between_hosts.iter().all(|wait| *wait >= gap), "{:?}", web.gaps());
}

#[tokio::test(start_paused = true)]
async fn workers_of_one_store_keep_the_interval_together() {
    let (store, clock) = (MemoryStore::shared(), VirtualClock(Instant::now()));
    let web = Web::new(&[("http://a.test/robots.txt", &[Page::Response(404, "")])]);
    let other_store = store.join();
    let polite_in = |store| {
        PoliteFetch::new(PoliteFetchSettings {
            fetch: &web,
            clock: &clock,
            store: Some(store),
            politeness: PolitenessPolicy::check(1, Duration::from_secs(1)),
            max_host_wait: Duration::from_mins(2),
            robots: RobotsUse::Obey,
        })
    };
    let (first, second): (PoliteFetch<'_>, PoliteFetch<'_>) =
        (polite_in(&store), polite_in(&other_store));
    let work = async |fetch: &PoliteFetch<'_>| {
        for page in 0..5 {
            get(fetch, &format!("http://a.test/{page}")).await;
        }
    };
    tokio::join!(work(&first), work(&second));
    assert!(web.requested().len() >= 11, "{:?}", web.requested());
    assert!(web.gaps().iter().all(|gap| *gap >= 1_000), "{:?}", web.gaps());
}

#[tokio::test(start_paused = true)]
async fn hosts_do_not_wait_for_each_other() {
    let web = Web::new(&[]);
    let fetch = polite(&web);
    let started = Instant::now();
    let requests = (0..20).map(|host| {
        let (fetch, url) = (fetch.share(), format!("http://host{host}.test/x"));
        async move { get(&fetch, &url).await }
    });
    for outcome in futures_util::future::join_all(requests).await {
        assert_eq!(outcome, "status 404");
    }
    assert_eq!(web.requested().len(), 40);
    // One interval between robots.txt and the page, for all hosts at the same time.
    assert!(started.elapsed() < Duration::from_millis(200), "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn fetchers_that_share_limits_send_one_request_to_a_host_at_a_time() {
    let rules = Page::Response(200, "User-agent: *\nDisallow: /x\n");
    let web = Web::new(&[("http://a.test/robots.txt", &[rules])]);
    let fetch = polite(&web);
    let requests = (0..10).map(|page| {
        let (fetch, url) = (fetch.share(), format!("http://a.test/{page}"));
        async move {
            get(&fetch, &url).await;
            fetch.clear_cache();
        }
    });
    futures_util::future::join_all(requests).await;
    assert_eq!(web.requested().len(), 11, "robots.txt is requested once: {:?}", web.requested());
    assert!(web.gaps().iter().all(|gap| *gap >= 100), "{:?}", web.gaps());
    let other = fetch.share();
    assert_eq!(get(&other, "http://a.test/x").await, FetchOutcome::RobotsDisallowed.to_string());
    assert!(fetch.take_refusal().is_none() && other.take_refusal().is_some());
}

#[tokio::test(start_paused = true)]
async fn concurrent_requests_to_one_address_are_separated() {
    let web = Web::new(&[]);
    let fetch = polite(&web);
    let requests = (0..8).map(|host| {
        let (fetch, url) = (fetch.share(), format!("http://host{host}.shared.test/"));
        async move { get(&fetch, &url).await }
    });
    futures_util::future::join_all(requests).await;
    let log = web.log.lock().unwrap().clone();
    for pair in log.windows(2) {
        let host = |url: &str| url.split('/').nth(2).map(str::to_owned);
        let gap = pair[1].0.saturating_sub(pair[0].0);
        let is_same_host = host(&pair[0].1) == host(&pair[1].1);
        assert!(is_same_host || gap >= PolitenessPolicy::IP_GAP, "{log:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn fetch_without_robots_requests_only_the_pages() {
    let web = Web::new(&[
        ("http://a.test/x", &[Page::Redirect("http://b.test/y")]),
        ("http://b.test/y", &[Page::Response(200, "y")]),
    ]);
    let settings = PoliteFetchSettings { robots: RobotsUse::Ignore, ..polite_settings(&web) };
    let fetch = PoliteFetch::new(settings);
    assert_eq!(get(&fetch, "http://a.test/x").await, "status 200");
    assert_eq!(get(&fetch, "http://b.test/z").await, "status 404");
    let expected = ["http://a.test/x", "http://b.test/y", "http://b.test/z"];
    assert_eq!(web.requested(), expected);
    assert!(web.gaps()[1] >= 100, "{:?}", web.gaps());
}
