//! Searches random scenarios for schedules that stall, lose a URL or break a
//! limit. The seed determines the scenario and is printed on failure.

use std::time::Duration;

use relink_engine::CheckEnd;
use relink_requests::StopSignal;

use crate::harness::Scenario;
use crate::network::Site;
use crate::random::Random;

/// The number of random scenarios per test run.
const SEEDS: u64 = 250;
/// The longest virtual time of a scenario. A run that takes longer does not end.
const MAX_TIME: Duration = Duration::from_hours(6);

const SITES: [Site; 8] = [
    Site::Pages,
    Site::IdenticalPages,
    Site::IdenticalPages,
    Site::DistinctPages,
    Site::Gone,
    Site::Flaky,
    Site::Throttling(7),
    Site::Down,
];

/// Returns a scenario with up to 40 hosts and up to 300 URLs.
fn scenario(seed: u64) -> Scenario {
    let mut random = Random::new(seed);
    let hosts = random.pick(&[1, 2, 5, 16, 40]);
    let pages = random.pick(&[1, 3, 6, 12, 30]).min(300 / hosts);
    let directories = random.pick(&[1, 1, 3, 100]);
    let is_mixed = random.below(2) == 0;
    let common_site = random.pick(&SITES);
    let mut scenario = Scenario::new(&[], random.pick(&[Duration::ZERO, Duration::from_secs(1)]));
    for host in 0..hosts {
        let name = format!("host{host}.test");
        let site = if is_mixed { random.pick(&SITES) } else { common_site };
        scenario.sites.insert(name.clone(), site);
        let url = |page| format!("http://{name}/page{}/{page}.html", page % directories);
        scenario.urls.extend((0..pages).map(url));
    }
    scenario.concurrency = Some(random.pick(&[1, 2, 4, 16, 128]));
    scenario.host_concurrency = random.pick(&[1, 1, 2, 4]);
    scenario.shares_address = random.below(4) == 0;
    Scenario { seed, ..scenario }
}

/// Runs a scenario and asserts that it ends with one result per URL. Without any host that
/// responds, the run ends without results.
async fn check_scenario(scenario: Scenario, context: &str) {
    let harness = scenario.open();
    let stop = StopSignal::never();
    let run = tokio::time::timeout(MAX_TIME, harness.check_until(&stop)).await;
    let run = run.unwrap_or_else(|_| panic!("{context}: the run does not end"));
    let (end, verdicts) = run.unwrap_or_else(|error| panic!("{context}: {error}"));
    if end == CheckEnd::Finished {
        harness.assert_complete(&verdicts, context);
    } else {
        let is_down = |site: &Site| *site == Site::Down;
        assert!(harness.scenario.sites.values().all(is_down), "{context}: {end:?}");
    }
    harness.assert_polite(context);
}

#[tokio::test(start_paused = true)]
async fn random_scenarios_end_with_one_result_per_url() {
    for seed in 0..SEEDS {
        check_scenario(scenario(seed), &format!("seed {seed}")).await;
    }
}

/// With this seed, more hosts than queues are due, and all queues wait for controls
/// (pages fetched only for comparison).
#[tokio::test(start_paused = true)]
async fn due_hosts_without_a_free_queue_do_not_keep_the_loop_awake() {
    check_scenario(scenario(13), "seed 13").await;
}

#[tokio::test(start_paused = true)]
async fn hosts_with_one_page_for_every_path_do_not_stall() {
    for slots in [1, 2, 4, 16, 64] {
        for seed in 0..4 {
            let mut scenario = Scenario::new(&[], Duration::from_secs(1));
            for host in 0..50 {
                let name = format!("host{host}.test");
                scenario.sites.insert(name.clone(), Site::IdenticalPages);
                let url = |page| format!("http://{name}/page/{page}");
                scenario.urls.extend((0..6 + host % 14).map(url));
            }
            let scenario = Scenario { concurrency: Some(slots), seed, ..scenario };
            check_scenario(scenario, &format!("{slots} slots, seed {seed}")).await;
        }
    }
}
