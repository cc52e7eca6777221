//! Two workers on one run and one store. The seed determines the response
//! times, and thereby how the workers interleave.

use std::time::Duration;

use crate::harness::Harness;

const GAP: Duration = Duration::from_secs(1);
/// The number of seeds per test run.
const SEEDS: u64 = 200;
const HOSTS: usize = 6;
const PAGES: usize = 4;

#[tokio::test(start_paused = true)]
async fn two_workers_fetch_every_page_once_with_gaps() {
    let host = |n: usize| format!("host{n}.test");
    let urls: Vec<String> = (0..HOSTS * PAGES)
        .map(|n| format!("http://{}/page{}", host(n % HOSTS), n / HOSTS))
        .collect();
    let mut shared = 0;
    for seed in 0..SEEDS {
        let harness = Harness::new(&urls, &[], GAP, seed).await.with_concurrency(2);
        tokio::join!(harness.work(0), async {
            // The second worker joins after the first has stored the links: only
            // the work queue is shared, loading is not.
            tokio::time::sleep(Duration::from_millis(300 + seed * 97 % 2000)).await;
            harness.work(1).await
        });
        shared += u64::from(harness.active_workers() == 2);
        for url in &urls {
            assert_eq!(harness.times_of(url).len(), 1, "seed {seed}: {url}");
        }
        for n in 0..HOSTS {
            harness.assert_gap(&host(n), GAP, &format!("seed {seed}"));
        }
    }
    assert!(shared > SEEDS / 2, "both workers sent requests with {shared} seeds only");
}
