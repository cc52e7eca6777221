//! Several workers on one run and one store. The *owner* of the run has opened it; the
//! other workers are helpers. The seed determines the response times, the delays of store
//! calls and the faults, and thereby how the workers interleave. It is printed on failure.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use relink_engine::CheckEnd;
use relink_requests::StopSignal;
use tokio::time::Instant;

use crate::harness::{Harness, Scenario};
use crate::network::Site;
use crate::random::Random;

/// The minimum time between the requests to a host.
const GAP: Duration = Duration::from_secs(1);
/// The number of seeds per test.
const SEEDS: u64 = 400;
/// The longest virtual time of a run. A run that takes longer does not end.
const MAX_TIME: Duration = Duration::from_hours(2);

/// Returns a scenario with one to six hosts of random kinds.
fn scenario(seed: u64) -> Scenario {
    let mut random = Random::new(seed);
    let mut scenario = Scenario::new(&[], GAP);
    for host in 0..=random.below(6) {
        let name = format!("host{host}.test");
        let site =
            random.pick(&[Site::Pages, Site::Pages, Site::IdenticalPages, Site::Flaky, Site::Gone]);
        scenario.sites.insert(name.clone(), site);
        let pages = 1 + random.below(6);
        scenario.urls.extend((0..pages).map(|page| format!("http://{name}/page{page}")));
    }
    let concurrency = Some(random.pick(&[1, 2, 16]));
    Scenario { concurrency, seed, is_shared: true, ..scenario }
}

/// Runs a worker, but does not poll it from `from` until `until`, as if its process was
/// suspended.
async fn suspend<F: Future>(worker: F, from: Duration, until: Duration) -> F::Output {
    let started = Instant::now();
    let mut worker = pin!(worker);
    let mut wake = pin!(tokio::time::sleep_until(started + until));
    std::future::poll_fn(|context| {
        let is_suspended = (from..until).contains(&started.elapsed());
        if is_suspended && wake.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        worker.as_mut().poll(context)
    })
    .await
}

/// Runs the owner of the run, and `helper` until the owner ends. Asserts that every URL has
/// one result and that the rate limits were obeyed. The future is boxed because it is
/// large.
fn run_with<'a>(
    harness: &'a Harness,
    helper: impl Future<Output = ()> + 'a,
    context: &'a str,
) -> Pin<Box<dyn Future<Output = ()> + 'a>> {
    Box::pin(run_together(harness, helper, context))
}

async fn run_together(harness: &Harness, helper: impl Future<Output = ()>, context: &str) {
    let stop = StopSignal::never();
    let owner = tokio::time::timeout(MAX_TIME, harness.check_until(&stop));
    // The run goes on after the helper has ended.
    let helper = async {
        helper.await;
        std::future::pending::<()>().await;
    };
    let run = tokio::select! {
        run = owner => run,
        () = helper => unreachable!("the future never ends"),
    };
    let run = run.unwrap_or_else(|_| panic!("{context}: the run does not end"));
    let (end, verdicts) = run.unwrap_or_else(|error| panic!("{context}: {error}"));
    assert_eq!(end, CheckEnd::Finished, "{context}");
    harness.assert_complete(&verdicts, context);
    harness.assert_polite(context);
}

#[tokio::test(start_paused = true)]
async fn two_workers_share_a_run() {
    let mut shared_runs = 0;
    for seed in 0..SEEDS {
        let harness = scenario(seed).open();
        let stop = StopSignal::never();
        run_with(&harness, harness.work(1, &stop), &format!("seed {seed}")).await;
        shared_runs += u64::from(harness.active_workers() == 2);
    }
    assert!(shared_runs > SEEDS / 4, "both workers sent requests with {shared_runs} seeds only");
}

#[tokio::test(start_paused = true)]
async fn two_workers_fetch_every_page_once() {
    let urls: Vec<String> =
        (0..24).map(|index| format!("http://host{}.test/page{}", index % 6, index / 6)).collect();
    for seed in 0..SEEDS / 4 {
        let scenario = Scenario { concurrency: Some(2), seed, ..Scenario::new(&urls, GAP) };
        let harness = Scenario { is_shared: true, ..scenario }.open();
        let stop = StopSignal::never();
        run_with(&harness, harness.work(1, &stop), &format!("seed {seed}")).await;
        for url in &urls {
            assert_eq!(harness.times_of(url).len(), 1, "seed {seed}: {url}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn killed_worker_loses_nothing() {
    for seed in 0..SEEDS {
        let harness = scenario(seed).open();
        let stop = StopSignal::never();
        let killed_at = Duration::from_millis(300 + Random::new(seed).below(6_000));
        let helper = async {
            let _ = tokio::time::timeout(killed_at, harness.work(1, &stop)).await;
        };
        run_with(&harness, helper, &format!("seed {seed}")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn stopped_worker_commits_the_requests_in_flight() {
    for seed in 0..SEEDS / 4 {
        let harness = scenario(seed).open();
        let (trigger, stop) = StopSignal::new();
        let stopped_at = Duration::from_millis(300 + Random::new(seed).below(6_000));
        let helper = async {
            let stopping = async {
                tokio::time::sleep(stopped_at).await;
                trigger.stop();
            };
            tokio::join!(harness.work(1, &stop), stopping);
        };
        run_with(&harness, helper, &format!("seed {seed}")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn worker_suspended_past_its_lease_changes_nothing() {
    for seed in 0..SEEDS {
        let harness = scenario(seed).open();
        let stop = StopSignal::never();
        let from = Duration::from_millis(300 + Random::new(seed).below(4_000));
        let until = from + Duration::from_secs(20 + seed % 30);
        let helper = suspend(harness.work(1, &stop), from, until);
        run_with(&harness, helper, &format!("seed {seed}")).await;
    }
}
