//! Runs the store conformance suite on SQLite, and tests the handling of files.

#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use relink_model::{LinkKind, RequestRights, RunId, SourceLocation};
use relink_ports::{
    CacheWindow, CheckedTargetQuery, Claim, ClaimRequest, LinkBatch, NewDocument, NewLink,
    NewTarget, OpenRun, ResultStore as _, RunKey, RunStore, Store, StoreError,
    StoreMaintenance as _, TaskCompletion, TaskUpdate, WorkQueue as _,
};
use relink_store::SqliteStore;
use rusqlite::Connection;
use tempfile::TempDir;

/// The wait for a lock in tests where the lock is never released.
const SHORT_WAIT: Duration = Duration::from_millis(50);
/// The schema version that the store writes.
const CURRENT_SCHEMA: i64 = 13;

/// A cache window without reusable results.
const CACHE_WINDOW: CacheWindow = CacheWindow { now: at(0), fresh_since: Timestamp::MAX };

/// Opens an empty store in a temporary directory.
async fn open_empty() -> (SqliteStore, TempDir) {
    let directory = TempDir::new().unwrap();
    let store = SqliteStore::open(&file_in(&directory)).await.unwrap();
    (store, directory)
}

relink_testkit::store_suite!(open_empty);

/// Returns the path of the database in a directory.
fn file_in(directory: &TempDir) -> PathBuf {
    directory.path().join("relink.db")
}

/// Returns the error of opening a file.
async fn open_error(path: &Path) -> StoreError {
    let opened = SqliteStore::open_with(path, SHORT_WAIT).await;
    opened.err().expect("the file cannot be opened")
}

/// Runs statements on a file without the store.
fn execute_sql(path: &Path, statements: &str) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(statements).unwrap();
}

/// Creates a Relink database and sets its schema version.
async fn create_with_schema_version(path: &Path, version: i64) {
    drop(SqliteStore::open(path).await.unwrap());
    execute_sql(path, &format!("PRAGMA user_version = {version}"));
}

#[tokio::test]
async fn open_rejects_newer_schema() {
    for version in [CURRENT_SCHEMA + 1, 1000] {
        let directory = TempDir::new().unwrap();
        create_with_schema_version(&file_in(&directory), version).await;
        let error = open_error(&file_in(&directory)).await;
        let StoreError::SchemaTooNew { found, known, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!((found, known), (version, CURRENT_SCHEMA));
    }
}

#[tokio::test]
async fn open_rejects_every_development_schema() {
    for version in 1..CURRENT_SCHEMA {
        let directory = TempDir::new().unwrap();
        create_with_schema_version(&file_in(&directory), version).await;
        let error = open_error(&file_in(&directory)).await;
        let StoreError::SchemaTooOld { found, known, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!((found, known), (version, CURRENT_SCHEMA));
    }
}

#[tokio::test]
async fn rejected_development_database_is_not_changed() {
    let directory = TempDir::new().unwrap();
    let path = file_in(&directory);
    create_with_schema_version(&path, 9).await;
    let before = std::fs::read(&path).unwrap();
    open_error(&path).await;
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1);
}

#[tokio::test]
async fn schema_error_has_path_and_version() {
    let directory = TempDir::new().unwrap();
    let path = file_in(&directory);
    create_with_schema_version(&path, 9).await;
    let expect = format!(
        "the database `{}` was written by a development version of Relink (schema 9, supported: 13)",
        path.display()
    );
    assert_eq!(open_error(&path).await.to_string(), expect);
}

/// Checks that `open` rejects the file and does not change it.
async fn check_not_relink_database(directory: &TempDir) {
    let path = file_in(directory);
    let before = std::fs::read(&path).unwrap();
    let error = open_error(&path).await;
    assert!(matches!(error, StoreError::NotRelinkDatabase { .. }), "{error:?}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(directory).unwrap().count(), 1);
}

#[tokio::test]
async fn open_rejects_database_with_foreign_tables() {
    let directory = TempDir::new().unwrap();
    execute_sql(&file_in(&directory), "CREATE TABLE book (title TEXT)");
    check_not_relink_database(&directory).await;
}

#[tokio::test]
async fn open_rejects_database_with_foreign_application_id() {
    let directory = TempDir::new().unwrap();
    execute_sql(&file_in(&directory), "PRAGMA application_id = 7");
    check_not_relink_database(&directory).await;
}

#[tokio::test]
async fn open_rejects_text_files() {
    for text in ["x", "no", "http://one.test/\n", &"a long line\n".repeat(1000)] {
        let directory = TempDir::new().unwrap();
        std::fs::write(file_in(&directory), text).unwrap();
        check_not_relink_database(&directory).await;
    }
}

#[tokio::test]
async fn open_creates_schema_in_empty_file() {
    let directory = TempDir::new().unwrap();
    std::fs::write(file_in(&directory), "").unwrap();
    let store = SqliteStore::open(&file_in(&directory)).await.unwrap();
    assert_eq!(store.size().await.unwrap().runs, 0);
}

/// A process killed before it creates the schema leaves such a file.
#[tokio::test]
async fn open_creates_schema_in_database_without_tables() {
    let directory = TempDir::new().unwrap();
    execute_sql(&file_in(&directory), "PRAGMA journal_mode = WAL");
    let store = SqliteStore::open(&file_in(&directory)).await.unwrap();
    assert_eq!(store.size().await.unwrap().runs, 0);
}

#[tokio::test]
async fn open_reports_unreachable_paths() {
    let directory = TempDir::new().unwrap();
    for path in [directory.path().join("missing/relink.db"), directory.path().into()] {
        let error = open_error(&path).await;
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn open_reports_locked_file() {
    let (store, directory) = open_empty().await;
    let error = open_error(&file_in(&directory)).await;
    assert!(matches!(error, StoreError::Locked { .. }), "{error:?}");
    drop(store);
    SqliteStore::open(&file_in(&directory)).await.unwrap();
}

#[tokio::test]
async fn open_waits_until_the_file_is_unlocked() {
    let (store, directory) = open_empty().await;
    let path = file_in(&directory);
    let second = tokio::spawn(async move { SqliteStore::open(&path).await });
    tokio::task::yield_now().await;
    drop(store);
    assert!(second.await.unwrap().is_ok());
}

#[tokio::test]
async fn concurrent_opens_of_a_new_file_all_succeed() {
    let directory = TempDir::new().unwrap();
    for round in 0..10 {
        let path = directory.path().join(format!("{round}.db"));
        let open = || {
            let path = path.clone();
            tokio::spawn(async move { SqliteStore::open(&path).await.map(drop) })
        };
        for opened in [open(), open(), open()] {
            opened.await.unwrap().unwrap();
        }
    }
}

/// Only the last of 1000 targets in a directory was fetched and can be a neighbor. The search
/// reads a limited number of targets whose URLs come before and after the given one in the
/// alphabet. So it finds the fetched target from the URL 0999, but not from the URL 0001.
#[tokio::test]
async fn neighbor_search_in_large_directory_is_limited() {
    let (store, directory) = open_empty().await;
    drop(store);
    execute_sql(
        &file_in(&directory),
        // Targets 1 to 1000, of which the last has a task with a probe.
        "INSERT INTO host (id, name, bucket) VALUES (1, 'one.test', 0);
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1000)
         INSERT INTO target (id, url, host_id)
         SELECT n, format('http://one.test/a/%04d', n), 1 FROM n;
         INSERT INTO run (id, identity, command, inputs, scope, started_at)
         VALUES (1, '', '', '', '', 0);
         INSERT INTO probe (id, target_id, run_id, requested_at, detail)
         VALUES (1, 1000, 1, 0, '{\"requested_at\":\"2026-11-01T00:00:00Z\",\"hops\":[],\"timings\":{},\"outcome\":{\"response\":200}}');
         INSERT INTO task (run_id, target_id, host_id, probe_id) VALUES (1, 1000, 1, 1);",
    );
    let store = SqliteStore::open(&file_in(&directory)).await.unwrap();
    for (url, neighbors) in [("http://one.test/a/0001", 0), ("http://one.test/a/0999", 1)] {
        let near = store.neighbors(RunId(1), "http://one.test/a/", url, 10).await.unwrap();
        assert_eq!(near.len(), neighbors, "next to {url}");
    }
}

#[tokio::test]
async fn target_record_has_the_last_thousand_runs() {
    let (store, directory) = open_empty().await;
    drop(store);
    execute_sql(
        &file_in(&directory),
        // 1200 finished runs (state 1), each with a finished task (state 2) for one target.
        "INSERT INTO target (id, url) VALUES (1, 'file:a');
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1200)
         INSERT INTO run (id, identity, command, inputs, scope, state, started_at)
         SELECT n, '', '', '', '', 1, 0 FROM n;
         INSERT INTO task (run_id, target_id, state, generation) SELECT id, 1, 2, id FROM run;
         INSERT INTO result (target_id, generation, verdict, reason, since, checked_at)
         SELECT 1, id, 'alive', '', 0, 1000 * id FROM run;",
    );
    let store = SqliteStore::open(&file_in(&directory)).await.unwrap();
    let verdicts = store.target_record("file:a").await.unwrap().unwrap().past_verdicts;
    let seconds: Vec<i64> = verdicts.iter().map(|(at, _)| at.as_second()).collect();
    assert_eq!(seconds, (201..=1200).collect::<Vec<i64>>());
}

/// Prune deletes runs 1 and 2, which closed before second 5. Both have results for the same
/// 3000 targets. Run 3 remains. It has only the first target and reuses its result of run 1.
/// Prune keeps results that a remaining run uses, and the current (latest) result of each
/// target. So one result of run 1 and all 3000 results of run 2 remain.
#[tokio::test]
async fn prune_deletes_unreferenced_results() {
    let (store, directory) = open_empty().await;
    drop(store);
    execute_sql(
        &file_in(&directory),
        // All runs (state 1) and their tasks (state 2) are finished.
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000)
         INSERT INTO target (id, url) SELECT n, format('file:%04d', n) FROM n;
         INSERT INTO run
             (id, identity, command, inputs, scope, state, started_at, closed_at, generation)
         VALUES (1, '', '', '', '', 1, 0, 1000, 1), (2, '', '', '', '', 1, 0, 2000, 2),
                (3, '', '', '', '', 1, 0, 9000, 3);
         INSERT INTO result (target_id, generation, verdict, reason, since, checked_at)
         SELECT t.id, r.generation, 'alive', '', 0, r.closed_at FROM target t, run r WHERE r.id < 3;
         INSERT INTO task (run_id, target_id, state, generation)
         SELECT r.id, t.id, 2, r.generation FROM target t, run r WHERE r.id < 3;
         INSERT INTO task (run_id, target_id, state, generation, cached) VALUES (3, 1, 2, 1, 1);",
    );
    let store = SqliteStore::open(&file_in(&directory)).await.unwrap();
    store.prune(Timestamp::from_second(5).unwrap()).await.unwrap();
    assert_eq!(store.checked_targets(RunId(3), CheckedTargetQuery::ALL).await.unwrap().len(), 1);
    drop(store);
    let db = Connection::open(file_in(&directory)).unwrap();
    let remaining: Vec<(i64, i64)> = db
        .prepare("SELECT generation, count(*) FROM result GROUP BY generation")
        .unwrap()
        .query_map((), |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(remaining, [(1, 1), (2, 3000)]);
}

/// Returns a time `seconds` after the start of a test.
const fn at(seconds: i64) -> Timestamp {
    Timestamp::constant(1_700_000_000 + seconds, 0)
}

/// Opens or resumes the run of these tests.
async fn open_run(store: &SqliteStore) -> OpenRun {
    let key = RunKey { command: "check".to_owned(), inputs: Vec::new(), scope: String::new() };
    RunStore::open_run(store, &key, false, at(0)).await.unwrap()
}

/// Returns a link to a URL of `one.test`.
fn link_to(url: &str) -> NewLink {
    NewLink {
        location: SourceLocation {
            span: (0..1).into(),
            line: 1,
            column: 1,
            kind: LinkKind::ListEntry,
        },
        original_url: url.to_owned(),
        target: NewTarget::Web {
            url: url.to_owned(),
            host: "one.test".to_owned(),
            rights: RequestRights::user_supplied(),
        },
        fragment: None,
        ignored_codes: Vec::new(),
    }
}

/// Loads a document with one link.
async fn load_document_with_link(store: &dyn Store, run: OpenRun) {
    let link = link_to("http://one.test/");
    let document = NewDocument { label: "a.md".to_owned(), content_hash: 1, revision: None };
    let loaded = store.load_document(run.id, &document).await.unwrap();
    let batch = LinkBatch {
        document: loaded.id,
        first_position: 0,
        links: &[link],
        cache_window: CACHE_WINDOW,
    };
    store.add_links(run.id, batch).await.unwrap();
}

/// Claims the host of the link for an hour.
async fn claim(store: &dyn Store, run: OpenRun) -> Claim {
    let request =
        ClaimRequest { hosts: 1, tasks: 1, now: at(0), until: at(3600), claims_before_due: false };
    let claims = store.claim(run.id, request).await.unwrap();
    claims.into_iter().next().expect("the host can be claimed")
}

/// Simulates a crash with a lease that is valid for another hour.
#[tokio::test]
async fn reopening_revokes_leases_and_rejects_late_results() {
    let (store, directory) = open_empty().await;
    let run = open_run(&store).await;
    load_document_with_link(&store, run).await;
    let old = claim(&store, run).await;
    drop(store);

    let store = SqliteStore::open(&file_in(&directory)).await.unwrap();
    let resumed = open_run(&store).await;
    assert!(resumed.is_resumed);
    let late = TaskCompletion {
        task: old.tasks[0].id,
        target: old.tasks[0].target,
        fence: old.lease.into(),
        probe: None,
        update: TaskUpdate::Hold { attempts: Vec::new() },
        page: None,
        anchors: None,
    };
    let check_late_commit_is_rejected = async || {
        let rejected = store.commit(run.id, std::slice::from_ref(&late), CACHE_WINDOW).await;
        assert_eq!(rejected.unwrap().rejected, [late.task]);
    };
    check_late_commit_is_rejected().await;
    let new = claim(&store, resumed).await;
    assert_eq!(new.tasks, old.tasks);
    check_late_commit_is_rejected().await;
}

#[tokio::test]
async fn close_with_other_handles_leaves_only_the_database_file() {
    let (store, directory) = open_empty().await;
    let store = std::sync::Arc::new(store);
    let handle = std::sync::Arc::clone(&store);
    let key = RunKey { command: "check".to_owned(), inputs: Vec::new(), scope: String::new() };
    store.open_run(&key, false, at(0)).await.unwrap();
    store.close();
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1);
    let error = handle.size().await.unwrap_err();
    assert!(matches!(error, StoreError::Failed { .. }), "{error:?}");
    SqliteStore::open_with(&file_in(&directory), SHORT_WAIT).await.unwrap();
}
