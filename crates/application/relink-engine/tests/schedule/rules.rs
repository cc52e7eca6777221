//! One worker: gaps, retries, confirmation requests, `Retry-After`, stop and
//! resume.

use std::time::Duration;

use relink_engine::{CheckEnd, StopSignal};
use relink_model::Verdict;

use crate::harness::{Harness, Reply};

const GAP: Duration = Duration::from_secs(1);
const PAGE: &str = "http://one.test/page0";

fn pages(host: &str, count: usize) -> Vec<String> {
    (0..count).map(|n| format!("http://{host}/page{n}")).collect()
}

#[tokio::test(start_paused = true)]
async fn requests_to_one_host_are_a_gap_apart() {
    let harness = Harness::new(&pages("one.test", 8), &[], GAP, 1).await;
    let (end, verdicts) = harness.check().await;
    assert_eq!((end, verdicts.0.len()), (CheckEnd::Finished, 8));
    harness.assert_gap("one.test", GAP, "check");
}

#[tokio::test(start_paused = true)]
async fn hosts_do_not_wait_for_each_other() {
    let urls: Vec<String> = (0..20).map(|n| format!("http://host{n}.test/page")).collect();
    let harness = Harness::new(&urls, &[], Duration::from_mins(1), 1).await;
    harness.check().await;
    let times: Vec<Duration> = urls.iter().map(|url| harness.times_of(url)[0]).collect();
    let (first, last) = (*times.iter().min().unwrap(), *times.iter().max().unwrap());
    assert!(last < first + GAP, "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn gone_page_is_confirmed_before_it_is_dead() {
    let urls = pages("one.test", 2);
    let harness = Harness::new(&urls, &[(PAGE, &[Reply::status(404)])], GAP, 1).await;
    let (_, verdicts) = harness.check().await;
    assert_eq!(verdicts.0[PAGE], [Verdict::Dead]);
    assert_eq!(harness.times_of(PAGE).len(), 2);
    harness.assert_gap("one.test", GAP, "confirmation");
}

#[tokio::test(start_paused = true)]
async fn page_that_recovers_at_confirmation_is_alive() {
    for status in [404, 410, 500, 503] {
        let replies = [Reply::status(status), Reply::status(200)];
        let harness = Harness::new(&pages("one.test", 2), &[(PAGE, &replies)], GAP, 1).await;
        let (_, verdicts) = harness.check().await;
        assert_eq!(verdicts.0[PAGE], [Verdict::Alive], "{status}");
        harness.assert_gap("one.test", GAP, "recovery");
    }
}

#[tokio::test(start_paused = true)]
async fn retry_after_delays_the_host() {
    for seconds in [5, 20, 60] {
        let throttled = Reply { status: 429, retry_after: Some(seconds) };
        let replies = [throttled, Reply::status(200)];
        let harness = Harness::new(&pages("one.test", 3), &[(PAGE, &replies)], GAP, 1).await;
        harness.check().await;
        let throttled_at = harness.times_of(PAGE)[0];
        let next = harness.requests_to("one.test").into_iter().find(|r| r.at > throttled_at);
        let wait = next.unwrap().at.saturating_sub(throttled_at);
        assert!(wait >= Duration::from_secs(seconds), "{seconds}: {wait:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn resumed_check_fetches_only_what_is_left() {
    let urls = pages("one.test", 10);
    let harness = Harness::new(&urls, &[], GAP, 1).await;
    let (trigger, stop) = StopSignal::new();
    let stopping = async {
        tokio::time::sleep(Duration::from_millis(4500)).await;
        trigger.stop();
    };
    let ((end, _), ()) = tokio::join!(harness.check_until(&stop), stopping);
    assert_eq!(end, CheckEnd::Interrupted);
    let before = harness.requests_to("one.test").len();
    assert!((1..10).contains(&before), "{before}");
    assert_eq!(harness.check().await.0, CheckEnd::Finished);
    let repeated = urls.iter().filter(|url| harness.times_of(url).len() > 1).count();
    assert!(urls.iter().all(|url| !harness.times_of(url).is_empty()));
    assert!(repeated <= 1, "only the request in flight is repeated");
    harness.assert_gap("one.test", GAP, "resume");
}
