//! One worker: gaps, retries, confirmation requests, `Retry-After`, stop and
//! resume. A *gap* is the minimum time between the requests to a host. A *control* is a page
//! fetched only for comparison, such as an error page for a random name.

use std::time::Duration;

use relink_engine::CheckEnd;
use relink_model::Verdict;

use crate::harness::Scenario;
use crate::network::{Reply, Site};

const GAP: Duration = Duration::from_secs(1);
const PAGE: &str = "http://one.test/page0";

/// Returns the URLs `/page0`, `/page1`, … of a host.
fn pages(host: &str, count: usize) -> Vec<String> {
    (0..count).map(|page| format!("http://{host}/page{page}")).collect()
}

#[tokio::test(start_paused = true)]
async fn requests_to_one_host_are_a_gap_apart() {
    let harness = Scenario::new(&pages("one.test", 8), GAP).open();
    let (end, verdicts) = harness.check().await;
    assert_eq!((end, verdicts.url_count()), (CheckEnd::Finished, 8));
    harness.assert_polite("check");
}

#[tokio::test(start_paused = true)]
async fn hosts_do_not_wait_for_each_other() {
    let urls: Vec<String> = (0..20).map(|host| format!("http://host{host}.test/page")).collect();
    let harness = Scenario::new(&urls, Duration::from_mins(1)).open();
    harness.check().await;
    let times: Vec<Duration> = urls.iter().map(|url| harness.times_of(url)[0]).collect();
    let (first, last) = (*times.iter().min().unwrap(), *times.iter().max().unwrap());
    // With one gap for all hosts, the last request would be 19 minutes after the first.
    assert!(last < first + GAP, "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn gone_page_is_confirmed_before_it_is_dead() {
    let urls = pages("one.test", 2);
    // The last reply of a script is repeated, so both requests get it.
    let harness = Scenario::new(&urls, GAP).script(PAGE, &[Reply::status(404)]).open();
    let (_, verdicts) = harness.check().await;
    assert_eq!(verdicts.of(PAGE), [Verdict::Dead]);
    assert_eq!(harness.times_of(PAGE).len(), 2);
    harness.assert_polite("confirmation");
}

#[tokio::test(start_paused = true)]
async fn page_that_recovers_at_confirmation_is_alive() {
    for status in [404, 410, 500, 503] {
        let replies = [Reply::status(status), Reply::status(200)];
        let harness = Scenario::new(&pages("one.test", 2), GAP).script(PAGE, &replies).open();
        let (_, verdicts) = harness.check().await;
        assert_eq!(verdicts.of(PAGE), [Verdict::Alive], "{status}");
        harness.assert_polite("recovery");
    }
}

#[tokio::test(start_paused = true)]
async fn retry_after_delays_the_host() {
    for seconds in [5, 20, 60] {
        let replies = [Reply::throttled(seconds), Reply::status(200)];
        let harness = Scenario::new(&pages("one.test", 3), GAP).script(PAGE, &replies).open();
        harness.check().await;
        let throttled_at = harness.times_of(PAGE)[0];
        let next =
            harness.requests_to("one.test").into_iter().find(|request| request.at > throttled_at);
        let wait = next.unwrap().at.saturating_sub(throttled_at);
        assert!(wait >= Duration::from_secs(seconds), "{seconds}: {wait:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn resumed_check_fetches_only_what_is_left() {
    let urls = pages("one.test", 10);
    let harness = Scenario::new(&urls, GAP).open();
    let (end, _) = harness.check_for(Duration::from_millis(4500)).await;
    assert_eq!(end, CheckEnd::Interrupted);
    let requests_before_stop = harness.requests_to("one.test").len();
    assert!((1..10).contains(&requests_before_stop), "{requests_before_stop}");
    assert_eq!(harness.check().await.0, CheckEnd::Finished);
    let repeated = urls.iter().filter(|url| harness.times_of(url).len() > 1).count();
    assert!(urls.iter().all(|url| !harness.times_of(url).is_empty()));
    assert!(repeated <= 1, "only the request in flight is repeated");
    harness.assert_polite("resume");
}

#[tokio::test(start_paused = true)]
async fn crashed_check_is_resumed_without_losing_a_url() {
    for seed in 0..100 {
        let mut urls = pages("one.test", 9);
        urls.extend(pages("two.test", 7));
        let scenario = Scenario { seed, host_concurrency: 2, ..Scenario::new(&urls, GAP) };
        let harness = scenario.site("two.test", Site::IdenticalPages).open();
        for crash in 1..4 {
            harness.crash_after(Duration::from_millis(seed * 131 % 3000 + crash * 700)).await;
        }
        let (end, verdicts) = harness.check().await;
        assert_eq!(end, CheckEnd::Finished, "seed {seed}");
        harness.assert_complete(&verdicts, &format!("seed {seed}"));
    }
}

#[tokio::test(start_paused = true)]
async fn pages_of_a_host_that_requests_a_long_wait_are_blocked() {
    let urls = pages("one.test", 3);
    let scenario = Scenario::new(&urls, GAP).script(PAGE, &[Reply::throttled(3600)]);
    let harness = scenario.open();
    let (end, verdicts) = harness.check().await;
    assert_eq!(end, CheckEnd::Finished);
    harness.assert_complete(&verdicts, "throttled host");
    assert_eq!(verdicts.of(&urls[2]), [Verdict::Blocked]);
    assert_eq!(harness.requests_to("one.test").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn attempts_of_a_page_are_limited() {
    for status in [500, 502, 503, 504] {
        let urls = pages("one.test", 2);
        let harness = Scenario::new(&urls, GAP).script(PAGE, &[Reply::status(status)]).open();
        let (_, verdicts) = harness.check().await;
        assert_eq!(verdicts.of(PAGE), [Verdict::Failing], "{status}");
        assert!((2..=4).contains(&harness.times_of(PAGE).len()), "{status}");
        harness.assert_polite("retries");
    }
}

#[tokio::test(start_paused = true)]
async fn host_that_is_down_gets_few_requests() {
    let mut urls = pages("one.test", 60);
    urls.push("http://two.test/page".to_owned());
    let harness = Scenario::new(&urls, GAP).site("one.test", Site::Down).open();
    let (_, verdicts) = harness.check().await;
    harness.assert_complete(&verdicts, "outage");
    // Without a limit for hosts that are down, each of the 60 pages would be requested.
    assert!(harness.requests_to("one.test").len() < 40);
    assert_eq!(verdicts.of("http://two.test/page"), [Verdict::Alive]);
}

#[tokio::test(start_paused = true)]
async fn failures_are_not_reported_without_a_network() {
    let urls = pages("one.test", 3);
    let harness = Scenario::new(&urls, GAP).site("one.test", Site::Down).open();
    let (end, verdicts) = harness.check().await;
    assert_eq!((end, verdicts.url_count()), (CheckEnd::NoNetwork, 0));
}

#[tokio::test(start_paused = true)]
async fn page_that_a_host_sends_for_every_path_is_a_soft_404() {
    for count in [1, 5, 20, 80] {
        let mut urls = pages("one.test", count);
        // Three other hosts prove that the network works.
        urls.extend(["two", "three", "four"].map(|host| format!("http://{host}.test/page")));
        let harness = Scenario::new(&urls, GAP).site("one.test", Site::IdenticalPages).open();
        let (_, verdicts) = harness.check().await;
        for url in pages("one.test", count) {
            assert_eq!(verdicts.of(&url), [Verdict::Soft404], "{count}: {url}");
        }
        harness.assert_polite("controls");
    }
}

#[tokio::test(start_paused = true)]
async fn control_requests_of_a_host_stay_within_their_budget() {
    // Every directory needs its own control.
    let url = |directory: usize| format!("http://one.test/page{directory}/index.html");
    for directories in [5, 20, 50] {
        let urls: Vec<String> = (0..directories).map(url).collect();
        let harness = Scenario::new(&urls, GAP).site("one.test", Site::DistinctPages).open();
        let (_, verdicts) = harness.check().await;
        harness.assert_complete(&verdicts, "budget");
        let controls = harness.requests_to("one.test").len() - directories;
        // The budget has two controls for five pages, and at least six. Controls that several
        // pages share do not use it: here, at most two.
        let budget = 6.max((2 * directories).div_ceil(5));
        assert!(controls <= budget + 2, "{directories} directories, {controls} controls");
    }
}

#[tokio::test(start_paused = true)]
async fn hosts_on_one_address_share_a_gap() {
    let urls: Vec<String> = (0..12).map(|host| format!("http://host{host}.test/page")).collect();
    let scenario = Scenario { shares_address: true, ..Scenario::new(&urls, GAP) };
    let harness = scenario.open();
    harness.check().await;
    let ip_gap = Duration::from_millis(250);
    for pair in harness.requests().windows(2) {
        assert!(pair[1].at >= pair[0].at + ip_gap, "{pair:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn adaptive_delay_follows_response_times() {
    let harness = Scenario::new(&pages("one.test", 30), Duration::from_millis(1)).open();
    harness.check().await;
    let requests = harness.requests_to("one.test");
    let times: Vec<Duration> = requests.iter().map(|request| request.at).collect();
    // The adaptive delay is half of the response time, which is 200 ms on average. Half of
    // the expected delay allows for the random times and for the first requests, before the
    // moving average is reached.
    let end = times[0] + Duration::from_millis(50) * 29;
    assert!(*times.last().unwrap() >= end, "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn verdicts_do_not_depend_on_concurrency_or_response_times() {
    let mut urls = pages("one.test", 12);
    urls.extend(pages("two.test", 12));
    urls.extend((0..9).map(|directory| format!("http://three.test/page{directory}/a.html")));
    let verdicts = async |concurrency: usize, seed: u64| {
        let scenario =
            Scenario { concurrency: Some(concurrency), seed, ..Scenario::new(&urls, GAP) };
        let scenario = scenario.site("one.test", Site::IdenticalPages).site("two.test", Site::Gone);
        scenario.open().check().await.1
    };
    let expected = verdicts(128, 0).await;
    for concurrency in [1, 2, 4, 16] {
        for seed in 0..5 {
            assert_eq!(
                verdicts(concurrency, seed).await,
                expected,
                "{concurrency} at once, seed {seed}"
            );
        }
    }
}
