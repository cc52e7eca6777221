//! Crawls: robots.txt, delays that hosts request, limits, and resuming.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;
use relink_engine::{CrawlEnd, CrawlRules, CrawlSettings, RenderMode, crawl};
use relink_frontier::{
    CrawlScope, PolitenessPolicy, ScopeMode, TrapLimits, TraversalOrder, UrlFilter,
};
use relink_model::Verdict;
use relink_requests::StopSignal;
use url::Url;

use crate::harness::{Harness, Scenario, Verdicts};
use crate::network::{Reply, Site};

/// The minimum time between the requests to a host.
const GAP: Duration = Duration::from_secs(1);
const HOST: &str = "one.test";
const ROBOTS: &str = "http://one.test/robots.txt";

/// Returns a scenario with a site of this number of pages.
fn site(pages: u64) -> Scenario {
    Scenario::new(&[], GAP).site(HOST, Site::Tree(pages))
}

/// Adds the robots.txt of the site.
fn with_robots(mut scenario: Scenario, text: &str) -> Scenario {
    scenario.robots.insert(HOST.to_owned(), text.to_owned());
    scenario
}

/// Returns the settings of a crawl of the site that starts at `/page0`.
fn settings(harness: &Harness) -> CrawlSettings {
    let seed: Url = format!("http://{HOST}/page0").parse().unwrap();
    let mut dispatch = harness.settings.dispatch;
    dispatch.politeness = PolitenessPolicy::crawl(harness.scenario.host_concurrency, GAP);
    CrawlSettings {
        seeds: vec![(seed.to_string(), seed.clone())],
        rules: CrawlRules {
            scope: CrawlScope::new(ScopeMode::Host, &[seed], UrlFilter::default()),
            filter: UrlFilter::default(),
            order: TraversalOrder::BreadthFirst,
            max_depth: None,
            max_pages: None,
            max_page_links: 1_000,
            ignores_nofollow: false,
            checks_external: true,
            traps: TrapLimits::default(),
            fresh_since: Timestamp::MAX,
        },
        sitemaps: Vec::new(),
        reads_sitemaps: false,
        render: RenderMode::Never,
        dispatch,
        max_time: None,
        is_fresh: false,
        scope: BTreeMap::new(),
    }
}

/// Crawls until the crawl ends.
async fn crawl_site(harness: &Harness, settings: &CrawlSettings) -> (CrawlEnd, Verdicts) {
    let stop = StopSignal::never();
    let mut verdicts = Verdicts::default();
    let outcome = crawl(&harness.ports(0), settings, &mut verdicts, &stop).await.unwrap();
    (outcome.end, verdicts)
}

/// Returns the pages that were requested.
fn fetched_pages(harness: &Harness) -> BTreeSet<String> {
    let requests = harness.requests_to(HOST);
    let pages = requests.iter().filter(|request| request.url.path().starts_with("/page"));
    pages.map(|request| request.url.path().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn robots_file_is_fetched_once_and_first() {
    let harness = site(15).open();
    let (end, verdicts) = crawl_site(&harness, &settings(&harness)).await;
    assert_eq!(end, CrawlEnd::Finished);
    assert_eq!(fetched_pages(&harness).len(), 15);
    assert_eq!(verdicts.url_count(), 15 + 15, "pages and their external links");
    assert_eq!(harness.times_of(ROBOTS).len(), 1);
    assert_eq!(harness.requests_to(HOST)[0].url.as_str(), ROBOTS);
    harness.assert_polite("crawl");
}

#[tokio::test(start_paused = true)]
async fn disallowed_pages_are_not_requested() {
    let scenario = with_robots(site(15), "User-agent: *\nDisallow: /page1");
    let harness = scenario.open();
    let (_, verdicts) = crawl_site(&harness, &settings(&harness)).await;
    let pages = fetched_pages(&harness);
    assert!(pages.iter().all(|page| !page.starts_with("/page1")), "{pages:?}");
    assert!(pages.contains("/page2"));
    assert_eq!(verdicts.of("http://one.test/page1"), [Verdict::Blocked]);
}

#[tokio::test(start_paused = true)]
async fn crawl_delay_of_the_host_is_obeyed() {
    for delay in [2, 7] {
        let robots = format!("User-agent: relink\nCrawl-delay: {delay}");
        let harness = Scenario { host_concurrency: 4, ..with_robots(site(7), &robots) }.open();
        crawl_site(&harness, &settings(&harness)).await;
        let requests = harness.requests_to(HOST);
        for pair in requests.windows(2) {
            assert!(pair[1].at >= pair[0].at + Duration::from_secs(delay), "{pair:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn host_without_readable_robots_file_is_not_crawled() {
    for status in [500, 503] {
        let harness = site(7).script(ROBOTS, &[Reply::status(status)]).open();
        let (_, verdicts) = crawl_site(&harness, &settings(&harness)).await;
        assert_eq!(fetched_pages(&harness).len(), 0, "{status}");
        assert_eq!(harness.times_of(ROBOTS).len(), 3, "{status}");
        assert_eq!(verdicts.of("http://one.test/page0"), [Verdict::Blocked], "{status}");
        harness.assert_polite("retries of robots.txt");
    }
}

#[tokio::test(start_paused = true)]
async fn robots_file_that_recovers_is_obeyed() {
    let replies = [Reply::status(503), Reply::status(404)];
    let harness = site(7).script(ROBOTS, &replies).open();
    crawl_site(&harness, &settings(&harness)).await;
    assert_eq!((harness.times_of(ROBOTS).len(), fetched_pages(&harness).len()), (2, 7));
}

#[tokio::test(start_paused = true)]
async fn crawl_fetches_at_most_the_maximum_number_of_pages() {
    let harness = site(31).open();
    let mut limited = settings(&harness);
    limited.rules.max_pages = Some(5);
    crawl_site(&harness, &limited).await;
    assert_eq!(fetched_pages(&harness).len(), 5);
}

#[tokio::test(start_paused = true)]
async fn crawl_fetches_pages_up_to_the_maximum_depth() {
    let harness = site(31).open();
    let mut limited = settings(&harness);
    limited.rules.max_depth = Some(2);
    crawl_site(&harness, &limited).await;
    // The levels of the tree have 1, 2 and 4 pages.
    assert_eq!(fetched_pages(&harness).len(), 7);
}

#[tokio::test(start_paused = true)]
async fn crawl_that_reached_its_time_limit_is_resumed() {
    for order in [TraversalOrder::BreadthFirst, TraversalOrder::DepthFirst] {
        let harness = site(15).open();
        let mut limited = settings(&harness);
        limited.rules.order = order;
        limited.max_time = Some(Duration::from_secs(6));
        let (end, _) = crawl_site(&harness, &limited).await;
        assert_eq!(end, CrawlEnd::TimeLimitReached, "{order:?}");
        limited.max_time = None;
        let (end, _) = crawl_site(&harness, &limited).await;
        assert_eq!((end, fetched_pages(&harness).len()), (CrawlEnd::Finished, 15), "{order:?}");
        harness.assert_polite("resumed crawl");
    }
}

#[tokio::test(start_paused = true)]
async fn crashed_crawl_is_resumed_without_losing_a_page() {
    for seed in 0..60 {
        let harness = Scenario { seed, ..site(15) }.open();
        let settings = settings(&harness);
        for crash in 0..3 {
            let crashed_after = Duration::from_millis(500 + (seed * 997 + crash * 3_001) % 9_000);
            let _ = tokio::time::timeout(crashed_after, crawl_site(&harness, &settings)).await;
            harness.store.revoke_leases();
        }
        let (end, _) = crawl_site(&harness, &settings).await;
        let pages = fetched_pages(&harness).len();
        assert_eq!((end, pages), (CrawlEnd::Finished, 15), "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn requests_for_robots_files_count_as_requests_in_flight() {
    for slots in [1, 2, 4, 16] {
        let harness = Scenario { concurrency: Some(slots), ..site(63) }.open();
        crawl_site(&harness, &settings(&harness)).await;
        harness.assert_polite(&format!("{slots} slots"));
    }
}

#[tokio::test(start_paused = true)]
async fn throttled_crawl_waits_and_continues() {
    let page = "http://one.test/page2";
    for seconds in [5, 45] {
        let replies = [Reply::throttled(seconds), Reply::status(200)];
        let harness = site(7).script(page, &replies).open();
        let (end, verdicts) = crawl_site(&harness, &settings(&harness)).await;
        assert_eq!(end, CrawlEnd::Finished);
        assert_eq!(verdicts.of(page), [Verdict::Alive]);
        let times = harness.times_of(page);
        assert!(times[1] >= times[0] + Duration::from_secs(seconds), "{times:?}");
    }
}
