//! The store in a SQLite file: the suite of all stores, and what only a file
//! can do.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene has failed")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use relink_model::{Place, PlaceKind};
use relink_ports::{
    Claim, Completion, LinkBatch, NewDocument, NewLink, NewTarget, OpenRun, RunPlan, Step, Store,
    StoreFault,
};
use relink_store::SqliteStore;
use rusqlite::Connection;
use tempfile::TempDir;

/// Long enough for a lock that is free, short enough for one that never is.
const BRIEFLY: Duration = Duration::from_millis(50);

async fn open_empty() -> (SqliteStore, TempDir) {
    let folder = TempDir::new().unwrap();
    let store = SqliteStore::open(&file_in(&folder)).await.unwrap();
    (store, folder)
}

relink_testkit::store_suite!(open_empty);

fn file_in(folder: &TempDir) -> PathBuf {
    folder.path().join("relink.db")
}

/// Opens a file that cannot be opened, and says why.
async fn fault(path: &Path) -> StoreFault {
    let opened = SqliteStore::open_with(path, BRIEFLY).await;
    opened.err().expect("it cannot be opened")
}

/// Writes to a file as another program would.
fn write(path: &Path, statements: &str) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(statements).unwrap();
}

#[tokio::test]
async fn a_file_of_a_newer_schema_says_so() {
    let (store, folder) = open_empty().await;
    drop(store);
    write(&file_in(&folder), "PRAGMA user_version = 1000");
    let fault = fault(&file_in(&folder)).await;
    let StoreFault::Newer { found, known, .. } = fault else {
        panic!("{fault:?}");
    };
    assert_eq!(found, 1000);
    assert!(known < found);
}

/// The file is said not to be ours and is left as it was.
async fn check_not_ours(folder: &TempDir) {
    let path = file_in(folder);
    let before = std::fs::read(&path).unwrap();
    let fault = fault(&path).await;
    assert!(matches!(fault, StoreFault::NotOurs { .. }), "{fault:?}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
}

#[tokio::test]
async fn the_database_of_another_program_is_not_touched() {
    let folder = TempDir::new().unwrap();
    write(&file_in(&folder), "CREATE TABLE book (title TEXT)");
    check_not_ours(&folder).await;
}

#[tokio::test]
async fn the_database_of_a_program_with_a_name_is_not_touched() {
    let folder = TempDir::new().unwrap();
    write(&file_in(&folder), "PRAGMA application_id = 7");
    check_not_ours(&folder).await;
}

#[tokio::test]
async fn a_text_file_is_not_touched() {
    for text in ["x", "no", "http://one.test/\n", &"a long line\n".repeat(1000)] {
        let folder = TempDir::new().unwrap();
        std::fs::write(file_in(&folder), text).unwrap();
        check_not_ours(&folder).await;
    }
}

#[tokio::test]
async fn an_empty_file_becomes_a_store() {
    let folder = TempDir::new().unwrap();
    std::fs::write(file_in(&folder), "").unwrap();
    let store = SqliteStore::open(&file_in(&folder)).await.unwrap();
    assert_eq!(store.size().await.unwrap().runs, 0);
}

/// What a process leaves that is killed between making the file and writing
/// the schema.
#[tokio::test]
async fn a_file_with_no_schema_yet_becomes_a_store() {
    let folder = TempDir::new().unwrap();
    write(&file_in(&folder), "PRAGMA journal_mode = WAL");
    let store = SqliteStore::open(&file_in(&folder)).await.unwrap();
    assert_eq!(store.size().await.unwrap().runs, 0);
}

#[tokio::test]
async fn a_file_that_cannot_be_made_is_unreachable() {
    let folder = TempDir::new().unwrap();
    for path in [folder.path().join("missing/relink.db"), folder.path().into()] {
        let fault = fault(&path).await;
        assert!(matches!(fault, StoreFault::Unreachable { .. }), "{fault:?}");
    }
}

#[tokio::test]
async fn a_second_opener_is_told_that_the_file_is_in_use() {
    let (store, folder) = open_empty().await;
    let fault = fault(&file_in(&folder)).await;
    assert!(matches!(fault, StoreFault::InUse { .. }), "{fault:?}");
    drop(store);
    SqliteStore::open(&file_in(&folder)).await.unwrap();
}

#[tokio::test]
async fn a_second_opener_gets_the_file_once_it_is_free() {
    let (store, folder) = open_empty().await;
    let path = file_in(&folder);
    let second = tokio::spawn(async move { SqliteStore::open(&path).await });
    tokio::task::yield_now().await;
    drop(store);
    assert!(second.await.unwrap().is_ok());
}

#[tokio::test]
async fn openers_of_a_new_file_take_turns() {
    let folder = TempDir::new().unwrap();
    for round in 0..10 {
        let path = folder.path().join(format!("{round}.db"));
        let open = || {
            let path = path.clone();
            tokio::spawn(async move { SqliteStore::open(&path).await.map(drop) })
        };
        for opened in [open(), open(), open()] {
            opened.await.unwrap().unwrap();
        }
    }
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + seconds).unwrap()
}

async fn open_run(store: &SqliteStore) -> OpenRun {
    let plan = RunPlan { command: "check".to_owned(), inputs: Vec::new(), scope: String::new() };
    Store::open_run(store, &plan, false, at(0)).await.unwrap()
}

async fn load_page(store: &dyn Store, run: OpenRun) {
    let link = NewLink {
        place: Place { span: (0..1).into(), line: 1, column: 1, kind: PlaceKind::Line },
        given: "http://one.test/".to_owned(),
        target: NewTarget::Web {
            url: "http://one.test/".to_owned(),
            host: "one.test".to_owned(),
            is_named: true,
        },
    };
    let document = NewDocument { label: "a.md".to_owned(), content: 1 };
    let loaded = store.load_document(run.id, &document).await.unwrap();
    let batch = LinkBatch {
        document: loaded.id,
        first: 0,
        links: &[link],
        now: at(0),
        fresh_since: Timestamp::MAX,
    };
    store.add_links(run.id, batch).await.unwrap();
}

async fn claim(store: &dyn Store, run: OpenRun) -> Claim {
    let claims = store.claim(run.id, 1, 1, at(0), at(3600)).await.unwrap();
    claims.into_iter().next().expect("the host can be claimed")
}

/// The process dies with a lease that had an hour to go.
#[tokio::test]
async fn reopening_voids_leases_and_fences_off_old_results() {
    let (store, folder) = open_empty().await;
    let run = open_run(&store).await;
    load_page(&store, run).await;
    let old = claim(&store, run).await;
    drop(store);

    let store = SqliteStore::open(&file_in(&folder)).await.unwrap();
    let resumed = open_run(&store).await;
    assert!(resumed.is_resumed);
    let late = Completion {
        errand: old.errands[0].id,
        target: old.errands[0].target,
        lease: Some(old.lease),
        probe: None,
        step: Step::Hold { looks: Vec::new() },
    };
    let refuse = async || {
        let refused = store.complete(run.id, std::slice::from_ref(&late)).await;
        assert_eq!(refused.unwrap(), [late.errand]);
    };
    refuse().await;
    let new = claim(&store, resumed).await;
    assert_eq!(new.errands, old.errands);
    refuse().await;
}
