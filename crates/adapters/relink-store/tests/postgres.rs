//! Runs the store conformance suite on PostgreSQL, and tests what only several
//! workers can show.

#![cfg(feature = "postgres")]
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use std::sync::Arc;

use jiff::Timestamp;
use relink_model::{LinkKind, RequestRights, SourceLocation};
use relink_ports::{
    CacheWindow, Claim, ClaimRequest, Clock, HostRelease, HostSchedule, HostStats,
    IntakeStore as _, LinkBatch, NewDocument, NewLink, NewTarget, NextDue, OpenRun, RunKey,
    RunStore as _, StoreError, StoreMaintenance as _, TaskCompletion, TaskUpdate, WorkQueue as _,
};
use relink_store::{PostgresStore, PostgresUrl};
use relink_testkit::postgres::{Durability, PostgresServer};

/// Opens a store in this schema of the shared server. The store uses the times that a test passes
/// as the times of the database.
async fn open(schema: &str) -> PostgresStore {
    let url = PostgresUrl::parse(&PostgresServer::shared().url()).unwrap();
    PostgresStore::open_in_schema(url, schema, None).await.unwrap()
}

/// Opens an empty store for the conformance suite. The `()` stands for the directory that a
/// SQLite store needs.
async fn open_empty() -> (PostgresStore, ()) {
    (open(&PostgresServer::shared().new_schema()).await, ())
}

relink_testkit::store_suite!(open_empty);

/// Opens two stores of the same schema, as two processes do.
async fn open_two() -> (PostgresStore, PostgresStore) {
    let schema = PostgresServer::shared().new_schema();
    (open(&schema).await, open(&schema).await)
}

/// Returns a time `seconds` after the start of a test.
const fn at(seconds: i64) -> Timestamp {
    Timestamp::constant(1_700_000_000 + seconds, 0)
}

/// Returns the key of the run of these tests.
fn run_key() -> RunKey {
    RunKey { command: "check".to_owned(), inputs: Vec::new(), scope: String::new() }
}

/// Opens a run with one link to each of this number of hosts.
async fn load_links_to(store: &PostgresStore, hosts: usize) -> OpenRun {
    let run = store.open_run(&run_key(), false, at(0)).await.unwrap();
    let document = NewDocument { label: "a.md".to_owned(), content_hash: 1, revision: None };
    let loaded = store.load_document(run.id, &document).await.unwrap();
    let links: Vec<NewLink> = (0..hosts).map(link_to_host).collect();
    let cache_window = CacheWindow { now: at(0), fresh_since: Timestamp::MAX };
    let batch = LinkBatch { document: loaded.id, first_position: 0, links: &links, cache_window };
    store.add_links(run.id, batch).await.unwrap();
    store.finish_document(loaded.id).await.unwrap();
    store.finish_loading(run.id, &[loaded.id]).await.unwrap();
    run
}

/// Returns a link to the host with this number.
fn link_to_host(number: usize) -> NewLink {
    NewLink {
        location: SourceLocation {
            span: (number..number).into(),
            line: 1,
            column: 1,
            kind: LinkKind::ListEntry,
        },
        original_url: format!("http://host-{number}.test/"),
        target: NewTarget::Web {
            url: format!("http://host-{number}.test/"),
            host: format!("host-{number}.test"),
            rights: RequestRights::user_supplied(),
        },
        fragment: None,
        ignored_codes: Vec::new(),
    }
}

/// Claims up to `hosts` hosts for a minute.
async fn claim(store: &PostgresStore, run: OpenRun, hosts: usize, now: Timestamp) -> Vec<Claim> {
    let until = now + jiff::SignedDuration::from_secs(60);
    let request = ClaimRequest { hosts, tasks: 10, now, until, claims_before_due: false };
    store.claim(run.id, request).await.unwrap()
}

/// A completion that drops the task, so that it needs no result.
fn drop_task(claim: &Claim) -> TaskCompletion {
    TaskCompletion {
        task: claim.tasks[0].id,
        target: claim.tasks[0].target,
        fence: claim.lease.into(),
        probe: None,
        update: TaskUpdate::Drop,
        page: None,
        anchors: None,
    }
}

#[tokio::test]
async fn next_due_reports_hosts_leased_by_another_worker() {
    let (owner, worker) = open_two().await;
    let run = load_links_to(&owner, 1).await;
    let claims = claim(&worker, run, 1, at(1)).await;
    assert_eq!(claims.len(), 1);
    let seen_by_owner = owner.next_due(run.id).await.unwrap();
    assert_eq!(seen_by_owner, NextDue { at: None, is_shared: true });
    assert_eq!(worker.next_due(run.id).await.unwrap(), NextDue::default());

    let cache_window = CacheWindow { now: at(1), fresh_since: Timestamp::MAX };
    worker.commit(run.id, &[drop_task(&claims[0])], cache_window).await.unwrap();
    let (schedule, stats) = (HostSchedule::default(), HostStats::default());
    worker
        .release(run.id, &[HostRelease { lease: claims[0].lease, schedule, stats }])
        .await
        .unwrap();
    assert_eq!(owner.next_due(run.id).await.unwrap(), NextDue::default());
}

#[tokio::test]
async fn workers_claim_different_hosts_at_the_same_time() {
    let (owner, worker) = open_two().await;
    let run = load_links_to(&owner, 40).await;
    let (of_owner, of_worker) =
        tokio::join!(claim(&owner, run, 20, at(1)), claim(&worker, run, 20, at(1)));
    let mut hosts: Vec<i64> =
        of_owner.iter().chain(&of_worker).map(|claim| claim.lease.host.0).collect();
    let claimed = hosts.len();
    hosts.sort_unstable();
    hosts.dedup();
    assert_eq!(hosts.len(), claimed, "no host is claimed twice");
    let rest = claim(&owner, run, 40, at(2)).await;
    assert_eq!(claimed + rest.len(), 40, "no host is lost");
}

/// The worker was stopped for longer than its lease, and the owner claimed the
/// host meanwhile.
#[tokio::test]
async fn late_result_of_a_stopped_worker_is_rejected() {
    let (owner, worker) = open_two().await;
    let run = load_links_to(&owner, 1).await;
    // Leases end after a minute.
    let lost = claim(&worker, run, 1, at(0)).await;
    assert_eq!(claim(&owner, run, 1, at(59)).await, []);
    let current = claim(&owner, run, 1, at(60)).await;
    assert_eq!(current[0].tasks, lost[0].tasks);
    assert_eq!(worker.renew(&[lost[0].lease], at(1000)).await.unwrap(), [lost[0].lease]);
    let cache_window = CacheWindow { now: at(61), fresh_since: Timestamp::MAX };
    let late = worker.commit(run.id, &[drop_task(&lost[0])], cache_window).await.unwrap();
    assert_eq!(late.rejected, [lost[0].tasks[0].id]);
    let accepted = owner.commit(run.id, &[drop_task(&current[0])], cache_window).await.unwrap();
    assert_eq!(accepted.rejected, []);
}

/// Two hosts have the same IP address. Each of two workers has leased one of the hosts.
#[tokio::test]
async fn ip_address_is_leased_by_one_worker_at_a_time() {
    let (one, other) = open_two().await;
    let run = load_links_to(&one, 2).await;
    let address = "192.0.2.7".parse().unwrap();
    let (first, second) = (claim(&one, run, 1, at(1)).await, claim(&other, run, 1, at(1)).await);
    let leased = one.lease_address(first[0].lease, address, at(1), at(61)).await.unwrap();
    assert!(leased);
    let leased = other.lease_address(second[0].lease, address, at(1), at(61)).await.unwrap();
    assert!(!leased);
    other.release(run.id, &[released(&second[0])]).await.unwrap();

    // The host with the address can be claimed by the same worker only.
    assert_eq!(claim(&other, run, 2, at(2)).await, []);
    let second_host = claim(&one, run, 2, at(2)).await;
    assert_eq!(second_host[0].name, second[0].name);

    // When both hosts are released, another worker gets the address after a pause.
    let hosts = [released(&first[0]), released(&second_host[0])];
    one.release(run.id, &hosts).await.unwrap();
    assert_eq!(claim(&other, run, 2, at(2)).await, []);
    assert_eq!(claim(&other, run, 2, at(4)).await.len(), 2);
}

/// Returns the release of a host that has the IP address of these tests.
fn released(claim: &Claim) -> HostRelease {
    let schedule = HostSchedule {
        stored_at: at(2),
        address: Some("192.0.2.7".parse().unwrap()),
        ..HostSchedule::default()
    };
    HostRelease { lease: claim.lease, schedule, stats: HostStats::default() }
}

#[tokio::test]
async fn run_is_opened_by_one_process_at_a_time() {
    let (first, second) = open_two().await;
    let run = load_links_to(&first, 1).await;
    let error = second.open_run(&run_key(), false, at(1)).await.unwrap_err();
    assert!(matches!(error, StoreError::RunInUse), "{error:?}");
    // The rejected process does not change the generation, which grows when a run is
    // opened. Results of the owner stay valid.
    assert_eq!(first.joinable_runs().await.unwrap()[0].run.generation, run.generation);
    first.close();
    drop(first);
    // The server needs a moment to notice the end of the connection.
    let resumed = loop {
        match second.open_run(&run_key(), false, at(2)).await {
            Err(StoreError::RunInUse) => tokio::task::yield_now().await,
            opened => break opened.unwrap(),
        }
    };
    assert_eq!((resumed.id, resumed.is_resumed), (run.id, true));
}

#[tokio::test]
async fn concurrent_opens_create_the_schema_once() {
    let schema = PostgresServer::shared().new_schema();
    let stores = tokio::join!(open(&schema), open(&schema), open(&schema), open(&schema));
    assert_eq!(stores.3.size().await.unwrap().runs, 0);
}

/// A clock that is a fixed time ahead of the system clock.
struct ShiftedClock(jiff::SignedDuration);

impl Clock for ShiftedClock {
    fn now(&self) -> Timestamp {
        Timestamp::now() + self.0
    }
}

/// The waits of hosts use the clock of the database. The second worker's clock is ten
/// minutes ahead.
#[tokio::test]
async fn worker_with_a_wrong_clock_respects_the_waits_of_hosts() {
    let schema = PostgresServer::shared().new_schema();
    let url = || PostgresUrl::parse(&PostgresServer::shared().url()).unwrap();
    let open_at = |minutes| {
        let clock = Arc::new(ShiftedClock(jiff::SignedDuration::from_mins(minutes)));
        PostgresStore::open_in_schema(url(), &schema, Some(clock))
    };
    let (correct, ahead) = (open_at(0).await.unwrap(), open_at(10).await.unwrap());
    let run = load_links_to(&correct, 2).await;
    let now = Timestamp::now();
    let claims = claim(&correct, run, 1, now).await;
    let minute = jiff::SignedDuration::from_mins(1);
    let schedule = HostSchedule { next_at: now + minute, stored_at: now, ..Default::default() };
    correct
        .release(
            run.id,
            &[HostRelease { lease: claims[0].lease, schedule, stats: HostStats::default() }],
        )
        .await
        .unwrap();
    claim(&correct, run, 1, now).await;

    // One host waits for a minute, the other is leased for a minute.
    let clock_error = minute * 10;
    assert_eq!(claim(&ahead, run, 2, now + clock_error).await, []);
    let next = ahead.next_due(run.id).await.unwrap().at.unwrap();
    let difference = next.duration_since(now + clock_error + minute).abs();
    assert!(difference < jiff::SignedDuration::from_secs(1), "{difference:?}");
    assert_eq!(claim(&ahead, run, 2, now + clock_error + minute * 2).await.len(), 2);
}

#[tokio::test]
async fn open_rejects_other_schema_versions() {
    for (version, is_newer) in [(1000, true), (0, false)] {
        let schema = PostgresServer::shared().new_schema();
        drop(open(&schema).await);
        let update = format!("UPDATE {schema}.schema_version SET version = {version}");
        PostgresServer::shared().query(&update);
        let url = PostgresUrl::parse(&PostgresServer::shared().url()).unwrap();
        let error = PostgresStore::open_in_schema(url, &schema, None).await.err().unwrap();
        match error {
            StoreError::SchemaTooNew { found, .. } => assert!(is_newer && found == version),
            StoreError::SchemaTooOld { found, .. } => assert!(!is_newer && found == version),
            error => panic!("{error:?}"),
        }
    }
}

#[tokio::test]
async fn operations_continue_after_a_restart_of_the_server() {
    let server = PostgresServer::start(Durability::On);
    let url = PostgresUrl::parse(&server.url()).unwrap();
    let store = PostgresStore::open_in_schema(url, "relink", None).await.unwrap();
    let run = load_links_to(&store, 3).await;
    assert_eq!(claim(&store, run, 1, at(1)).await.len(), 1);
    server.restart();
    assert_eq!(claim(&store, run, 10, at(2)).await.len(), 2);
}
