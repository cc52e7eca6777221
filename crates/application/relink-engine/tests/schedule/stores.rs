//! A run gives the same verdicts on every store.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use relink_engine::{CheckEnd, check};
use relink_model::Verdict;
use relink_ports::Store;
use relink_requests::StopSignal;
use relink_store::{PostgresStore, PostgresUrl, SqliteStore};
use relink_testkit::memory_store::MemoryStore;
use relink_testkit::postgres::PostgresServer;

use crate::harness::{Scenario, Verdicts};
use crate::network::Site;

const HOSTS: usize = 100;
const PAGES: usize = 50;
/// How hosts respond. Host 0 is the first site, host 1 the second, and so on in turn.
const SITES: [Site; 7] = [
    Site::Pages,
    Site::DistinctPages,
    Site::IdenticalPages,
    Site::Gone,
    Site::Flaky,
    Site::Down,
    Site::Throttling(2),
];

/// Returns 5,000 URLs on 100 hosts. Every third page of a host with missing pages is
/// missing.
fn scenario() -> Scenario {
    let name = |host: usize| format!("host{host}.test");
    let path =
        |page: usize| if page % 3 == 2 { format!("gone{page}") } else { format!("page{page}") };
    let urls: Vec<String> = (0..PAGES)
        .flat_map(|page| {
            (0..HOSTS).map(move |host| format!("http://{}/{}", name(host), path(page)))
        })
        .collect();
    let mut scenario = Scenario::new(&urls, Duration::from_millis(100));
    for (host, site) in (0..HOSTS).zip(SITES.iter().cycle()) {
        scenario = scenario.site(&name(host), *site);
    }
    scenario
}

/// Checks all URLs with this store. Returns the verdict of each URL.
async fn verdicts(store: Arc<dyn Store>) -> BTreeMap<String, Verdict> {
    tokio::time::pause();
    let harness = scenario().open();
    let (mut verdicts, stop) = (Verdicts::default(), StopSignal::never());
    let ports = harness.ports_with(0, store);
    let outcome = check(&ports, &harness.settings, &mut verdicts, &stop).await.unwrap();
    tokio::time::resume();
    assert_eq!(outcome.end, CheckEnd::Finished);
    harness.assert_complete(&verdicts, "5,000 URLs");
    harness.assert_polite("5,000 URLs");
    verdicts.0.into_iter().map(|(url, verdicts)| (url, verdicts[0])).collect()
}

#[tokio::test]
async fn run_of_5000_urls_has_the_same_verdicts_on_every_store() {
    let in_memory = verdicts(Arc::new(MemoryStore::new())).await;
    assert_eq!(in_memory.len(), HOSTS * PAGES);
    let found: Vec<Verdict> = in_memory.values().copied().collect();
    for verdict in [Verdict::Alive, Verdict::Dead, Verdict::Failing, Verdict::Soft404] {
        assert!(found.contains(&verdict), "no page is {verdict}");
    }

    let dir = tempfile::tempdir().unwrap();
    let sqlite = SqliteStore::open(&dir.path().join("relink.db")).await.unwrap();
    assert_same(&in_memory, &verdicts(Arc::new(sqlite)).await, "SQLite");

    let server = PostgresServer::shared();
    let url = PostgresUrl::parse(&server.url()).unwrap();
    let postgres = PostgresStore::open_in_schema(url, &server.new_schema(), None).await.unwrap();
    assert_same(&in_memory, &verdicts(Arc::new(postgres)).await, "PostgreSQL");
}

/// Asserts that both runs have the same verdicts. Prints the first ten differences.
#[track_caller]
fn assert_same(
    expected: &BTreeMap<String, Verdict>,
    found: &BTreeMap<String, Verdict>,
    store: &str,
) {
    let differing: Vec<_> = expected
        .iter()
        .filter(|(url, verdict)| found.get(*url) != Some(*verdict))
        .map(|(url, verdict)| (url, verdict, found.get(url)))
        .take(10)
        .collect();
    assert!(differing.is_empty(), "{store}: {differing:?}");
    assert_eq!(expected.len(), found.len(), "{store}");
}
