//! The store in a SQLite file: the suite of all stores, and what only a file
//! can do.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene has failed")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use relink_model::{
    Confidence, Evidence, LinkKind, RequestRights, RunId, SourceLocation, TaskId, Verdict,
};
use relink_ports::{
    CacheWindow, CheckedTargetQuery, Claim, DocumentId, LinkBatch, LinkDecision, NewDocument,
    NewLink, NewPage, NewTarget, OpenRun, PageLink, ReviveStore as _, RunKey, SiteStore as _,
    Store, StoreError, TargetResult, TaskCompletion, TaskUpdate,
};
use relink_store::SqliteStore;
use rusqlite::Connection;
use tempfile::TempDir;

/// Long enough for a lock that is free, short enough for one that never is.
const BRIEFLY: Duration = Duration::from_millis(50);
/// When things are stored; nothing is so recent that it need not be asked.
const MOMENTS: CacheWindow = CacheWindow { now: at(0), fresh_since: Timestamp::MAX };

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
async fn error(path: &Path) -> StoreError {
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
    let error = error(&file_in(&folder)).await;
    let StoreError::SchemaTooNew { found, known, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!(found, 1000);
    assert!(known < found);
}

/// The file is said not to be ours and is left as it was.
async fn check_not_ours(folder: &TempDir) {
    let path = file_in(folder);
    let before = std::fs::read(&path).unwrap();
    let error = error(&path).await;
    assert!(matches!(error, StoreError::NotRelinkDatabase { .. }), "{error:?}");
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
        let error = error(&path).await;
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_second_opener_is_told_that_the_file_is_in_use() {
    let (store, folder) = open_empty().await;
    let error = error(&file_in(&folder)).await;
    assert!(matches!(error, StoreError::Locked { .. }), "{error:?}");
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

/// A file as Relink left it that knew the first schema only: a run that was
/// interrupted after one of its two pages was found dead at the second look.
fn write_first_schema(path: &Path) {
    write(path, include_str!("../migrations/sqlite/0001_spine.sql"));
    write(
        path,
        r#"PRAGMA application_id = 0x524c4e4b;
        PRAGMA user_version = 1;
        INSERT INTO host (id, name, bucket) VALUES (1, 'one.test', 0);
        INSERT INTO run (id, identity, command, inputs, scope, started_at)
        VALUES (1, '["check",[],""]', 'check', '[]', '', 1700000000000);
        INSERT INTO document (id, run_id, label, content, loaded, links)
        VALUES (1, 1, 'a.md', 1, 1, 2);
        INSERT INTO target (id, url, host_id, word, code, status, reason, since, checked_at,
                            failed_runs, first_failed_at, last_failed_at)
        VALUES (1, 'http://one.test/dead', 1, 'dead', 'RL101', 404, 'answered 404',
                1700000002000, 1700000002000, 1, 1700000002000, 1700000002000);
        INSERT INTO target (id, url, host_id) VALUES (2, 'http://one.test/', 1);
        INSERT INTO task (id, run_id, target_id, host_id, state, looks, probe_id, word, code,
                            status, reason, since, settled_at)
        VALUES (1, 1, 1, 1, 2,
                '[{"asked":"2023-11-14T22:13:21Z","purpose":"first","ending":{"answered":404},"took_ms":5},
                  {"asked":"2023-11-14T22:13:22Z","purpose":"second-look","ending":{"answered":404},"took_ms":5}]',
                2, 'dead', 'RL101', 404, 'answered 404', 1700000002000, 1700000002000);
        INSERT INTO task (id, run_id, target_id, host_id) VALUES (2, 1, 2, 1);
        INSERT INTO link VALUES (1, 1, 0, 0, 20, 1, 1, 'line'), (2, 1, 1, 21, 37, 2, 1, 'line');
        INSERT INTO run_host (run_id, host_id, due_at, asked, answered) VALUES (1, 1, 0, 2, 2);
        INSERT INTO probe VALUES
        (1, 1, 1, 1700000001000, 404, '{"asked":"2023-11-14T22:13:21Z","hops":[],"ending":{"answered":404},"timings":{"total":5}}'),
        (2, 1, 1, 1700000002000, 404, '{"asked":"2023-11-14T22:13:22Z","hops":[],"ending":{"answered":404},"timings":{"total":5}}');"#,
    );
}

#[tokio::test]
async fn a_file_of_the_first_schema_keeps_all_it_holds() {
    let folder = TempDir::new().unwrap();
    write_first_schema(&file_in(&folder));
    // The second opening finds the new schema.
    for _ in 0..2 {
        let store = SqliteStore::open(&file_in(&folder)).await.unwrap();
        let run = open_run(&store).await;
        assert!(run.is_resumed);
        let settled = store.checked_targets(run.id, CheckedTargetQuery::ALL).await.unwrap();
        let [dead] = &settled[..] else { panic!("one page is settled: {settled:?}") };
        let TargetResult { verdict, confidence, evidence, attempts, .. } = &dead.result;
        assert_eq!(
            (*verdict, *confidence, &evidence[..]),
            (Verdict::Dead, Confidence::CERTAIN, &[][..])
        );
        assert_eq!((attempts.len(), dead.locations.len()), (2, 1));
        assert_eq!(dead.probe.as_ref().map(|probe| probe.requested_at), Some(at(2)));
        let hosts = store.hosts(run.id, 10).await.unwrap();
        assert_eq!((hosts[0].requests, hosts[0].controls), (2, 0));
        let known = store.dead_target(&dead.url).await.unwrap().unwrap();
        assert_eq!((known.verdict, known.since, known.seen), (Verdict::Dead, Some(at(2)), None));
        assert_eq!(dead.result.streak.map(|streak| streak.runs), Some(1));
        let dossier = store.target_record(&dead.url).await.unwrap().unwrap();
        assert_eq!(dossier.latest.as_ref(), Some(dead));
        assert_eq!(dossier.past_verdicts, [(at(2), Verdict::Dead)]);
    }
}

#[tokio::test]
async fn a_run_begun_under_the_first_schema_is_finished_under_the_new_one() {
    let folder = TempDir::new().unwrap();
    write_first_schema(&file_in(&folder));
    let store = SqliteStore::open(&file_in(&folder)).await.unwrap();
    let run = open_run(&store).await;
    let claim = claim(&store, run).await;
    assert_eq!(claim.tasks[0].url, "http://one.test/");
    let done = settled(&claim);
    store.commit(run.id, std::slice::from_ref(&done), MOMENTS).await.unwrap();
    let all = store.checked_targets(run.id, CheckedTargetQuery::ALL).await.unwrap();
    assert_eq!(all.len(), 2);
    let TaskUpdate::Finish(settlement) = done.step else { panic!("it is settled") };
    assert_eq!(all[1].result, settlement);
}

/// A file as Relink left it that knew checks and controls but no crawls.
fn write_second_schema(path: &Path) {
    write_first_schema(path);
    write(path, include_str!("../migrations/sqlite/0002_judge.sql"));
    write(path, "PRAGMA user_version = 2;");
}

#[tokio::test]
async fn a_file_of_the_second_schema_takes_crawls_in() {
    let folder = TempDir::new().unwrap();
    write_second_schema(&file_in(&folder));
    let store = SqliteStore::open(&file_in(&folder)).await.unwrap();
    let run = open_run(&store).await;
    assert!(run.is_resumed);
    let settled = store.checked_targets(run.id, CheckedTargetQuery::ALL).await.unwrap();
    let [dead] = &settled[..] else { panic!("one page is settled: {settled:?}") };
    assert_eq!((dead.depth, dead.inlinks), (None, 1));
    let targets = store.site_targets(run.id, TaskId(0), 10).await.unwrap();
    assert_eq!(targets.len(), 2);
    let links = store.site_links(run.id, (TaskId(0), DocumentId(0), 0), 10).await.unwrap();
    assert_eq!(links.len(), 2);
    assert!(links.iter().all(|link| link.fragment.is_none()));

    let link = PageLink {
        link: NewLink { fragment: Some("part".to_owned()), ..link_to("http://one.test/new") },
        admission: LinkDecision::Fetch { depth: 1, rank: Some(7), may_use_cache: false },
    };
    let page = NewPage { label: "page".to_owned(), links: vec![link], ..NewPage::default() };
    let completed = store.add_pages(run.id, &[page], MOMENTS).await.unwrap();
    assert_eq!(completed.found, 1);
    assert_eq!(store.runs(None, 10).await.unwrap()[0].targets, 3);
}

/// The result that settles the only task of a claim, unasked.
fn settled(claim: &Claim) -> TaskCompletion {
    let ground = Evidence { note: "it says so".to_owned(), control: None, resemblance: None };
    let settlement = TargetResult {
        verdict: Verdict::Blocked,
        code: None,
        status: None,
        reason: "robots".to_owned(),
        since: at(9),
        at: at(9),
        attempts: Vec::new(),
        streak: None,
        confidence: Confidence::percent(75),
        evidence: vec![ground],
    };
    TaskCompletion {
        task: claim.tasks[0].id,
        target: claim.tasks[0].target,
        lease: Some(claim.lease),
        probe: None,
        step: TaskUpdate::Finish(settlement),
        page: None,
        anchors: None,
    }
}

/// Only so much of a directory is looked at, however much it holds. Looking
/// further would find the page that was asked, and take as long as there are
/// pages.
#[tokio::test]
async fn the_far_end_of_a_crowded_directory_is_not_looked_at() {
    let (store, folder) = open_empty().await;
    drop(store);
    write(
        &file_in(&folder),
        "INSERT INTO host (id, name, bucket) VALUES (1, 'one.test', 0);
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1000)
         INSERT INTO target (id, url, host_id)
         SELECT n, format('http://one.test/a/%04d', n), 1 FROM n;
         INSERT INTO run (id, identity, command, inputs, scope, started_at)
         VALUES (1, '', '', '', '', 0);
         INSERT INTO probe (id, target_id, run_id, asked_at, detail)
         VALUES (1, 1000, 1, 0, '{\"asked\":\"2026-11-01T00:00:00Z\",\"hops\":[],\"timings\":{},\"ending\":{\"answered\":200}}');
         INSERT INTO task (run_id, target_id, host_id, probe_id) VALUES (1, 1000, 1, 1);",
    );
    let store = SqliteStore::open(&file_in(&folder)).await.unwrap();
    for (url, found) in [("http://one.test/a/0001", 0), ("http://one.test/a/0999", 1)] {
        let near = store.neighbors(RunId(1), "http://one.test/a/", url, 10).await.unwrap();
        assert_eq!(near.len(), found, "next to {url}");
    }
}

#[tokio::test]
async fn a_dossier_tells_of_the_last_thousand_runs() {
    let (store, folder) = open_empty().await;
    drop(store);
    write(
        &file_in(&folder),
        "INSERT INTO target (id, url) VALUES (1, 'file:a');
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1200)
         INSERT INTO run (id, identity, command, inputs, scope, state, started_at)
         SELECT n, '', '', '', '', 1, 0 FROM n;
         INSERT INTO task (run_id, target_id, state, turn) SELECT id, 1, 2, id FROM run;
         INSERT INTO outcome (target_id, turn, word, reason, since, settled_at)
         SELECT 1, id, 'alive', '', 0, 1000 * id FROM run;",
    );
    let store = SqliteStore::open(&file_in(&folder)).await.unwrap();
    let words = store.target_record("file:a").await.unwrap().unwrap().past_verdicts;
    let seconds: Vec<i64> = words.iter().map(|(at, _)| at.as_second()).collect();
    assert_eq!(seconds, (201..=1200).collect::<Vec<i64>>());
}

/// Of each target the present state stays, and what a run that is kept refers
/// to: the third asked about none but the first target, and trusted memory.
#[tokio::test]
async fn pruning_leaves_no_outcomes_that_nobody_reads() {
    let (store, folder) = open_empty().await;
    drop(store);
    write(
        &file_in(&folder),
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000)
         INSERT INTO target (id, url) SELECT n, format('file:%04d', n) FROM n;
         INSERT INTO run (id, identity, command, inputs, scope, state, started_at, closed_at, turn)
         VALUES (1, '', '', '', '', 1, 0, 1000, 1), (2, '', '', '', '', 1, 0, 2000, 2),
                (3, '', '', '', '', 1, 0, 9000, 3);
         INSERT INTO outcome (target_id, turn, word, reason, since, settled_at)
         SELECT t.id, r.turn, 'alive', '', 0, r.closed_at FROM target t, run r WHERE r.id < 3;
         INSERT INTO task (run_id, target_id, state, turn)
         SELECT r.id, t.id, 2, r.turn FROM target t, run r WHERE r.id < 3;
         INSERT INTO task (run_id, target_id, state, turn, cached) VALUES (3, 1, 2, 1, 1);",
    );
    let store = SqliteStore::open(&file_in(&folder)).await.unwrap();
    store.prune(Timestamp::from_second(5).unwrap()).await.unwrap();
    assert_eq!(store.checked_targets(RunId(3), CheckedTargetQuery::ALL).await.unwrap().len(), 1);
    drop(store);
    let db = Connection::open(file_in(&folder)).unwrap();
    let left: Vec<(i64, i64)> = db
        .prepare("SELECT turn, count(*) FROM outcome GROUP BY turn")
        .unwrap()
        .query_map((), |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(left, [(1, 1), (2, 3000)]);
}

const fn at(seconds: i64) -> Timestamp {
    Timestamp::constant(1_700_000_000 + seconds, 0)
}

async fn open_run(store: &SqliteStore) -> OpenRun {
    let plan = RunKey { command: "check".to_owned(), inputs: Vec::new(), scope: String::new() };
    Store::open_run(store, &plan, false, at(0)).await.unwrap()
}

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
            rights: RequestRights::named_by_user(),
        },
        fragment: None,
        ignored_codes: Vec::new(),
    }
}

async fn load_page(store: &dyn Store, run: OpenRun) {
    let link = link_to("http://one.test/");
    let document = NewDocument { label: "a.md".to_owned(), content: 1 };
    let loaded = store.load_document(run.id, &document).await.unwrap();
    let batch = LinkBatch { document: loaded.id, first: 0, links: &[link], cache_window: MOMENTS };
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
    let late = TaskCompletion {
        task: old.tasks[0].id,
        target: old.tasks[0].target,
        lease: Some(old.lease),
        probe: None,
        step: TaskUpdate::Hold { attempts: Vec::new() },
        page: None,
        anchors: None,
    };
    let refuse = async || {
        let refused = store.commit(run.id, std::slice::from_ref(&late), MOMENTS).await;
        assert_eq!(refused.unwrap().refused, [late.task]);
    };
    refuse().await;
    let new = claim(&store, resumed).await;
    assert_eq!(new.tasks, old.tasks);
    refuse().await;
}

#[tokio::test]
async fn close_with_other_handles_leaves_only_the_database_file() {
    let (store, folder) = open_empty().await;
    let store = std::sync::Arc::new(store);
    let handle = std::sync::Arc::clone(&store);
    let plan = RunKey { command: "check".to_owned(), inputs: Vec::new(), scope: String::new() };
    store.open_run(&plan, false, at(0)).await.unwrap();
    store.close();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    let error = handle.size().await.unwrap_err();
    assert!(matches!(error, StoreError::Failed { .. }), "{error:?}");
    SqliteStore::open_with(&file_in(&folder), BRIEFLY).await.unwrap();
}
