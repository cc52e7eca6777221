//! Tests of `measure` with small webs whose decay is known, and with stored
//! graphs.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_decay::Interval;
use relink_model::{ConnectError, Hop, Timings};
use relink_ports::{Body, CheckedTarget, FetchRequest, FetchResult};
use tokio::time::Instant;

use super::*;

mod network;

/// A site in memory: the HTML of each path.
struct SiteInMemory {
    pages: HashMap<String, String>,
    requests: Mutex<Vec<(Instant, String)>>,
}

impl SiteInMemory {
    /// Parses a site. Each line is a page and its links: `/ a a gone` is the page `/` with
    /// two links to `/a` and one to `/gone`. A path without a line of its own does not
    /// exist. Every path that ends with `!` returns status 503, and every path that ends
    /// with `-wall` requires a login.
    fn new(site: &str) -> Self {
        let page = |line: &str| {
            let (path, links) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            let link = |link: &str| format!("<a href=\"/{link}\">{link}</a>");
            let links: Vec<String> = links.split_whitespace().map(link).collect();
            let text =
                format!("The page {path} has a text that is unique to it. {}", path.repeat(9));
            let html =
                format!("<title>Page {path}</title><h1>{path}</h1><p>{text}</p>{}", links.concat());
            (path.to_owned(), html)
        };
        Self { pages: site.lines().map(page).collect(), requests: Mutex::default() }
    }

    /// Returns the number of requests for a path.
    fn requests(&self, path: &str) -> usize {
        self.requests.lock().unwrap().iter().filter(|(_, requested)| requested == path).count()
    }
}

/// The result of a request to a host that refuses connections.
fn refused() -> FetchResult {
    FetchResult {
        hops: Vec::new(),
        outcome: FetchOutcome::ConnectFailed(ConnectError::Refused),
        timings: Timings::default(),
        retry_after: None,
        headers: Vec::new(),
        body: None,
    }
}

#[async_trait]
impl Fetch for SiteInMemory {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        let path = request.url.path().to_owned();
        self.requests.lock().unwrap().push((Instant::now(), path.clone()));
        if request.url.host_str() == Some("down.test") {
            return refused();
        }
        let (status, html) = match self.pages.get(&path) {
            _ if path.ends_with('!') => (503, String::new()),
            _ if path.ends_with("-wall") => (401, String::new()),
            Some(html) => (200, html.clone()),
            None => (404, "not here".to_owned()),
        };
        let url = request.url.to_string();
        FetchResult {
            hops: vec![Hop { url, status, location: None, ip: None }],
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

    async fn resolve_ip(&self, _: &Url) -> Option<IpAddr> {
        None
    }
}

/// A clock that always returns the same time.
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        "2026-11-16T12:00:00Z".parse().unwrap()
    }
}

/// Ignores results and progress.
struct IgnoreResults;

impl Observer for IgnoreResults {
    fn on_result(&mut self, _: &CheckedTarget) -> std::io::Result<()> {
        Ok(())
    }

    fn on_progress(&mut self, _: &Progress) {}
}

/// Default settings, without retries. Sigma is 0.1, so a walk continues with probability
/// 0.9.
fn settings() -> MeasureSettings {
    MeasureSettings {
        is_user_supplied: true,
        uses_controls: true,
        url: "http://site.test/".parse().unwrap(),
        sigma: Sigma::default(),
        definition: DecayDefinition::Plain,
        stopping_rule: StoppingRule::default(),
        seed: 1,
        failure_model: FailureModel::default(),
        politeness: PolitenessPolicy::default(),
        policy: Policy { retries: 0, ..Policy::default() },
        max_host_wait: Duration::from_mins(1),
        failure_list: FailureList::default(),
        radius: None,
        reuses_results: true,
    }
}

fn ports(web: &SiteInMemory) -> MeasurePorts<'_> {
    MeasurePorts { fetch: web, clock: &FixedClock, store: None }
}

/// Measures the start page of a site.
async fn measured(web: &SiteInMemory, settings: &MeasureSettings) -> MeasureOutcome {
    measure(ports(web), settings, &mut IgnoreResults, &StopSignal::never()).await
}

/// Checks the score of the start page of a site (see [`SiteInMemory::new`]), and that no page is
/// fetched twice.
#[track_caller]
fn check(site: &str, settings: &MeasureSettings, expected: f64) -> MeasureOutcome {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    let web = SiteInMemory::new(site);
    let measured = runtime.unwrap().block_on(measured(&web, settings));
    let decay = measured.details.decay.get();
    assert!((decay - expected).abs() < 1e-6, "{decay} is not {expected}: {measured:?}");
    for path in web.pages.keys() {
        assert!(web.requests(path) <= 1, "{path} was fetched {} times", web.requests(path));
    }
    measured
}

#[test]
fn duplicate_links_count_separately() {
    // The score is 0.9 times the share of dead links: 2 of 3, and 1 of 4.
    check("/ gone gone a\n/a\n", &settings(), 0.6);
    check("/ gone a a a\n/a\n", &settings(), 0.225);
}

#[test]
fn page_without_own_dead_links_can_be_decayed() {
    let measured = check("/ a b\n/a gone gone2\n/b gone3\n", &settings(), 0.81);
    let own = measured.details.own_links.unwrap();
    assert_eq!((own.links, own.probed, own.dead), (2, 2, 0.0));
    assert_eq!(own.breakdown.to_string(), "0.810: own dead links 0.000, neighbors 0.810");
}

#[test]
fn breakdown_matches_equation_1() {
    let measured = check("/ gone a\n/a gone b\n/b\n", &settings(), 0.9 * (0.5 + 0.5 * 0.45));
    let breakdown = measured.details.own_links.unwrap().breakdown;
    assert_eq!(breakdown.to_string(), "0.653: own dead links 0.450, neighbors 0.203");
    assert!((breakdown.decay().get() - measured.details.decay.get()).abs() < 1e-9);
}

#[test]
fn self_loop_definition_is_measured() {
    let definition = DecayDefinition::SelfLoop;
    // The two links are the dead one and the self-loop, so the decay D is the solution of
    // D = 0.9 (1 + D) / 2.
    check("/ gone\n", &MeasureSettings { definition, ..settings() }, 0.45 / 0.55);
}

#[test]
fn anchors_of_the_same_page_are_not_links() {
    check("/ #top #there gone a\n/a\n", &settings(), 0.45);
}

#[test]
fn failing_page_counts_half() {
    check("/ busy! a\n/a\n", &settings(), 0.225);
    let failure_model = FailureModel { failing_weight: 1.0, ..FailureModel::default() };
    check("/ busy! a\n/a\n", &MeasureSettings { failure_model, ..settings() }, 0.45);
}

#[test]
fn blocked_page_counts_as_alive_and_its_share_is_reported() {
    let measured = check("/ a-wall gone\n", &settings(), 0.45);
    assert_eq!(measured.blocked, 1);
    assert!((measured.blocked_share - 0.45).abs() < 1e-9, "{measured:?}");
    let failure_model = FailureModel { set: FailureSet::Blocked, ..FailureModel::default() };
    let measured = check("/ a-wall gone\n", &MeasureSettings { failure_model, ..settings() }, 0.45);
    assert_eq!(measured.details.dead_ends[0].page, "http://site.test/a-wall");
}

#[test]
fn dead_ends_and_repairs_have_urls() {
    let stopping_rule = StoppingRule { target_half_width: 0.0, ..StoppingRule::default() };
    let exact = MeasureSettings { stopping_rule, ..settings() };
    let details = check("/ a b c d\n/a gone\n/b gone e\n/c\n/d\n/e\n", &exact, 0.30375).details;
    assert_eq!(details.dead_ends.len(), 1);
    assert_eq!(details.dead_ends[0].page, "http://site.test/gone");
    let first = details.top_repairs(5);
    assert_eq!(first.len(), 1);
    assert_eq!(
        (first[0].from.as_str(), first[0].to.as_str()),
        ("http://site.test/a", "http://site.test/gone")
    );
    assert!((details.decay_after(first).get() - 0.10125).abs() < 1e-6);
}

#[test]
fn dead_page_has_decay_1() {
    let measured = check("/elsewhere\n", &settings(), 1.0);
    assert_eq!(measured.verdict, Some(Verdict::Dead));
    assert!(measured.details.own_links.is_none());
}

/// A site of 40 pages with cycles, where walks are long. Every fifth page has a dead link.
fn cyclic_site() -> String {
    let page = |number: u32| {
        let links = [number * 7 + 1, number * 3 + 2, number + 11].map(|to| format!("p{}", to % 40));
        let dead_link = if number.is_multiple_of(5) { " gone" } else { "" };
        format!("/p{number} {}{dead_link}\n", links.join(" "))
    };
    let pages: String = (0..40).map(page).collect();
    format!("/ p1 p2 p3\n{pages}")
}

/// Returns the exact score of the start page of a site.
fn exact_decay(site: &str) -> f64 {
    let existing: Vec<&str> = site.lines().filter_map(|line| line.split(' ').next()).collect();
    let mut edges = String::new();
    let mut dead = String::new();
    for line in site.lines() {
        let (from, links) = line.split_once(' ').unwrap_or((line, ""));
        for to in links.split(' ').filter(|to| !to.is_empty()) {
            edges.extend([from, " /", to, "\n"]);
            if !existing.contains(&format!("/{to}").as_str()) {
                dead.extend(["/", to, "\n"]);
            }
        }
    }
    let web = EdgeLists { links: &edges, dead: &dead }.graph(FailureModel::default()).unwrap();
    let scores = web.score(DecayDefinition::Plain, &[Sigma::default()]).unwrap();
    scores[0].decay(web.page("/").unwrap()).get()
}

#[tokio::test(start_paused = true)]
async fn same_seed_gives_the_same_result() {
    let stopping_rule = StoppingRule { max_walks: 60, ..StoppingRule::sic_transit() };
    let mut outcomes = Vec::new();
    for seed in [1, 1, 2] {
        let settings = MeasureSettings { stopping_rule, seed, ..settings() };
        outcomes.push(measured(&SiteInMemory::new(&cyclic_site()), &settings).await);
    }
    assert_eq!(outcomes[0], outcomes[1]);
    assert_ne!(outcomes[0].details.decay, outcomes[2].details.decay);
    assert_eq!(outcomes[0].details.walks, 60);
}

#[tokio::test(start_paused = true)]
async fn interval_contains_the_exact_score() {
    let exact_decay = exact_decay(&cyclic_site());
    let mut contained = 0;
    for seed in 0..40 {
        let settings = MeasureSettings { seed, ..settings() };
        let measured = measured(&SiteInMemory::new(&cyclic_site()), &settings).await;
        let Interval { low, high } = measured.details.interval;
        contained += u32::from(low.get() <= exact_decay && exact_decay <= high.get());
        assert!(high.get() - low.get() <= 0.17, "{measured:?}");
    }
    assert!(contained >= 38, "{contained} of 40 intervals contain {exact_decay}");
}

#[tokio::test(start_paused = true)]
async fn small_page_limit_gives_a_wide_valid_interval() {
    let exact_decay = exact_decay(&cyclic_site());
    for max_pages_fetched in [1, 3, 6] {
        let stopping_rule = StoppingRule { max_pages_fetched, ..StoppingRule::default() };
        let settings = MeasureSettings { stopping_rule, ..settings() };
        let measured = measured(&SiteInMemory::new(&cyclic_site()), &settings).await;
        assert_eq!(measured.end, MeasureEnd::PageLimitReached);
        assert_eq!(measured.cost.pages, max_pages_fetched as u64);
        let Interval { low, high } = measured.details.interval;
        assert!(low.get() <= exact_decay && exact_decay <= high.get(), "{measured:?}");
        assert!(high.get() - low.get() > 0.3, "{measured:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn requests_are_an_interval_apart_and_counted() {
    let web = SiteInMemory::new("/ a b gone\n/a\n/b\n");
    let measured = measured(&web, &settings()).await;
    let requests = web.requests.lock().unwrap();
    let cost = RequestCost { pages: 4, requests: requests.len() as u64, reused: 0 };
    assert_eq!(measured.cost, cost);
    assert!(requests.len() > 4, "controls are fetched");
    for pair in requests.windows(2) {
        assert!(pair[1].0 - pair[0].0 >= PolitenessPolicy::CHECK_INTERVAL, "{pair:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn stopped_measurement_is_interrupted() {
    let (trigger, stop) = StopSignal::new();
    trigger.stop();
    let web = SiteInMemory::new("/ gone\n");
    let measured = measure(ports(&web), &settings(), &mut IgnoreResults, &stop).await;
    assert_eq!(measured.end, MeasureEnd::Interrupted);
}

#[tokio::test(start_paused = true)]
async fn listed_pages_count_as_dead_without_a_request() {
    let web = SiteInMemory::new("/ a b old-1\n/a\n/b\n/old-1\n");
    let failure_list = FailureList::new("http://site.test/a", &["/old-*".to_owned()]).unwrap();
    let measured = measured(&web, &MeasureSettings { failure_list, ..settings() }).await;
    assert!((measured.details.decay.get() - 0.6).abs() < 1e-9, "{measured:?}");
    assert_eq!((web.requests("/a"), web.requests("/old-1")), (0, 0));
    assert_eq!(measured.dead_pages_met, DeadPagesMet { dead: 2, soft_404: 0, soft_404_share: 0.0 });
}

#[tokio::test(start_paused = true)]
async fn radius_fetches_all_near_pages_and_no_others() {
    let web = SiteInMemory::new("/ a b\n/a c gone\n/b\n/c d\n/d e\n/e\n");
    let measured = measured(&web, &MeasureSettings { radius: Some(2), ..settings() }).await;
    for (path, requests) in [("/", 1), ("/a", 1), ("/b", 1), ("/c", 1), ("/d", 0), ("/e", 0)] {
        assert_eq!(web.requests(path), requests, "{path}");
    }
    // Half of the walks go to `/a`, and half of them fail there. The links of `/c` are
    // unknown.
    let Interval { low, high } = measured.details.interval;
    assert!((measured.details.decay.get() - 0.2025).abs() < 1e-9, "{measured:?}");
    assert!((low.get() - 0.2025).abs() < 1e-9 && high.get() > 0.35, "{measured:?}");
    assert_eq!((measured.end, measured.details.walks), (MeasureEnd::Converged, 0));
}

#[tokio::test(start_paused = true)]
async fn signs_of_abandonment_are_listed() {
    let mut web = SiteInMemory::new("/ a\n/a\n");
    web.pages.get_mut("/").unwrap().push_str("<p>Last updated: May 2011</p>");
    let abandonment = measured(&web, &settings()).await.abandonment.unwrap();
    let signs: Vec<String> = abandonment.signs.iter().map(ToString::to_string).collect();
    assert_eq!(signs, ["last updated in 2011 by its own account"]);
}

#[tokio::test(start_paused = true)]
async fn pages_of_a_list_on_different_hosts_do_not_wait_for_each_other() {
    let web = SiteInMemory::new("/ a gone\n/a");
    let urls: Vec<Url> =
        (0..20).map(|host| format!("http://host{host}.test/").parse().unwrap()).collect();
    let interval = Duration::from_mins(1);
    let settings = MeasureSettings {
        politeness: PolitenessPolicy::check(1, interval),
        max_host_wait: Duration::from_hours(1),
        ..settings()
    };
    let started = Instant::now();
    let stop = StopSignal::never();
    let list =
        measure_list(ports(&web), &settings, &urls, &mut IgnoreResults, &stop).await.unwrap();
    let measured: Vec<&Url> = list.pages.iter().map(|page| &page.url).collect();
    assert_eq!(measured, urls.iter().collect::<Vec<_>>());
    let scores: Vec<f64> = list.pages.iter().map(|page| page.outcome.details.decay.get()).collect();
    assert!(scores.iter().all(|score| score.to_bits() == scores[0].to_bits()), "{scores:?}");
    let requests = web.requests.lock().unwrap().len();
    let per_host = u32::try_from(requests / urls.len()).unwrap();
    assert!(started.elapsed() < interval * (per_host + 2), "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn list_that_starts_with_a_dead_host_is_measured() {
    let web = SiteInMemory::new("/ a\n/a");
    let urls: Vec<Url> =
        ["http://down.test/", "http://b.test/"].iter().map(|url| url.parse().unwrap()).collect();
    let stop = StopSignal::never();
    let list =
        measure_list(ports(&web), &settings(), &urls, &mut IgnoreResults, &stop).await.unwrap();
    let ends: Vec<&MeasureEnd> = list.pages.iter().map(|page| &page.outcome.end).collect();
    assert_eq!(ends, [&MeasureEnd::Converged, &MeasureEnd::Converged]);
}
