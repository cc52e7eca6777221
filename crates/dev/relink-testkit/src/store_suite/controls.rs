//! Cases about cached controls (URLs fetched only for comparison), evidence, neighbors
//! (other targets in the same directory) and target records (all data about a target).

use relink_model::{
    Attempt, Confidence, ControlKind, ControlSummary, Evidence, FetchPurpose, FetchTask, Probe,
    Verdict,
};
use relink_ports::{
    ManagedStore, Neighbor, NewLink, RunKey, Store, StoreError, StoredControl, TargetRecord,
    TargetResult, TaskUpdate,
};

use super::CaseResult;
use super::fixture::{
    MANY, StoreFixture, at, attempt, completion, discovered_link, finished_completion, local_link,
    probe, run_key, target_result, user_link,
};

/// The page of most cases.
const PAGE: &str = "http://one.test/a/page";
/// The directory of [`PAGE`].
const DIRECTORY: &str = "http://one.test/a/";

/// Returns a control in the directory of the tests.
fn stored_control(key: &str, status: u16, seconds: i64) -> StoredControl {
    StoredControl {
        key: key.to_owned(),
        url: format!("{DIRECTORY}zqxw'{status}\u{1f4da}"),
        probe: probe(status, at(seconds)),
    }
}

/// Keys are compared exactly, including case and special characters.
pub async fn control_round_trips(store: &dyn Store) -> CaseResult {
    let keys = ["random-name http://one.test/a/", "random-name http://one.test/A/", "it's %_ü", ""];
    let controls: Vec<StoredControl> =
        (200..).zip(keys).map(|(status, key)| stored_control(key, status, 10)).collect();
    store.save_controls(&controls[..3]).await?;
    store.save_controls(&[]).await?;
    store.save_controls(&controls[3..]).await?;
    for control in controls {
        let found = store.control(&control.key, at(0)).await?;
        assert_eq!(found, Some(control));
    }
    for unknown in ["random-name", "random-name http://one.test/a", "it's %%ü"] {
        assert_eq!(store.control(unknown, at(0)).await?, None, "{unknown}");
    }
    Ok(())
}

/// A control requested exactly at `since` is returned.
pub async fn stale_control_is_not_returned(store: &dyn Store) -> CaseResult {
    store.save_controls(&[stored_control("key", 404, 10)]).await?;
    assert_eq!(store.control("key", at(10)).await?, Some(stored_control("key", 404, 10)));
    assert_eq!(store.control("key", at(11)).await?, None);
    Ok(())
}

/// The order in which controls are saved does not matter, also within one call.
pub async fn newer_control_replaces_older_one(store: &dyn Store) -> CaseResult {
    let [old, new, newest] = [(404, 10), (200, 20), (503, 30)];
    let stored = |(status, seconds)| stored_control("key", status, seconds);
    for (saved, expect) in
        [(vec![old], old), (vec![new], new), (vec![old], new), (vec![newest, old, new], newest)]
    {
        let saved: Vec<StoredControl> = saved.into_iter().map(stored).collect();
        store.save_controls(&saved).await?;
        assert_eq!(store.control("key", at(0)).await?, Some(stored(expect)), "{saved:?}");
    }
    Ok(())
}

/// Returns two items of evidence: one with all optional fields, one with none.
fn evidence() -> Vec<Evidence> {
    let control = ControlSummary {
        kind: ControlKind::RandomName,
        url: format!("{DIRECTORY}zqxw?'\u{1f4da}"),
        status: Some(200),
    };
    vec![
        Evidence {
            note: "same page as for “any” name".to_owned(),
            control: Some(control),
            resemblance: Some(0.984_375),
        },
        Evidence { note: "error phrase in the title".to_owned(), control: None, resemblance: None },
    ]
}

/// Results are stored with and without evidence, and with any confidence.
pub async fn result_has_its_confidence_and_evidence(store: &dyn Store) -> CaseResult {
    let cases =
        [(0, evidence()), (93, Vec::new()), (100, evidence()[1..].to_vec()), (7, Vec::new())];
    let urls: Vec<String> = (0..cases.len()).map(|n| format!("{PAGE}{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let fixture = StoreFixture::with_pages(store, at(0), &urls).await?;
    let claim = fixture.claim_one(at(1)).await?;
    let seen = probe(200, at(1));
    let mut expect = Vec::new();
    for (task, (percent, evidence)) in claim.tasks.iter().zip(cases) {
        let confidence = Confidence::from_percent(percent);
        let checked =
            TargetResult { confidence, evidence, ..target_result(Verdict::Soft404, &seen, at(1)) };
        let update = TaskUpdate::Finish(checked.clone());
        fixture.commit(&[completion(claim.lease, task, Some(seen.clone()), update)]).await?;
        expect.push(checked);
    }
    let read: Vec<TargetResult> =
        fixture.checked().await?.into_iter().map(|checked| checked.result).collect();
    assert_eq!(read, expect);
    Ok(())
}

/// A result that a later run reuses has the confidence of the first run.
pub async fn cached_result_keeps_its_confidence(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    let claim = first.claim_one(at(1)).await?;
    let seen = probe(200, at(1));
    let confidence = Confidence::from_percent(61);
    let checked = TargetResult { confidence, ..target_result(Verdict::Alive, &seen, at(1)) };
    let update = TaskUpdate::Finish(checked.clone());
    first.commit(&[completion(claim.lease, &claim.tasks[0], Some(seen), update)]).await?;
    first.close(at(2)).await?;

    let mut second = StoreFixture::open(store, at(3)).await?;
    second.fresh_since = at(0);
    second.load_pages(&[PAGE]).await?;
    let cached = second.checked_one().await?;
    assert!(cached.is_cached);
    assert_eq!(cached.result, checked);
    Ok(())
}

/// Local targets are certain and have no evidence.
pub async fn local_targets_have_full_confidence(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let links = [local_link(1, "file:a", Verdict::Alive), local_link(2, "file:b", Verdict::Local)];
    fixture.load("a.md", 1, &links).await?;
    let checked = fixture.checked().await?;
    assert_eq!(checked.len(), 2);
    for checked in checked {
        let TargetResult { confidence, evidence, .. } = checked.result;
        assert_eq!((confidence, evidence), (Confidence::CERTAIN, Vec::new()), "{}", checked.url);
    }
    Ok(())
}

/// Every purpose of a retry is stored with its task.
pub async fn retried_task_has_its_purpose(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    for (seconds, purpose) in (1..).zip(FetchPurpose::ALL) {
        let claim = fixture.claim_one(at(seconds)).await?;
        let seen = probe(403, at(seconds));
        let retry = TaskUpdate::Retry {
            purpose,
            not_before: at(seconds + 1),
            attempts: vec![attempt(&seen, FetchPurpose::AlternateUserAgent)],
        };
        let retried = completion(claim.lease, &claim.tasks[0], Some(seen), retry);
        fixture.commit(&[retried]).await?;
        fixture.release(&claim).await?;
        let reclaimed = fixture.claim_one(at(seconds + 1)).await?;
        assert_eq!(reclaimed.tasks[0].purpose, purpose);
        assert_eq!(reclaimed.tasks[0].attempts[0].purpose, FetchPurpose::AlternateUserAgent);
        fixture.release(&reclaimed).await?;
    }
    Ok(())
}

/// Returns the paths of the neighbors of a URL. Directory and URL are given as
/// paths.
async fn neighbors(
    fixture: &StoreFixture<'_>,
    directory: &str,
    url: &str,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    let (directory, url) = (on_host(directory), on_host(url));
    let found = fixture.store.neighbors(fixture.run, &directory, &url, limit).await?;
    let path = |Neighbor { url, .. }: Neighbor| {
        url.strip_prefix("http://one.test").unwrap_or(&url).to_owned()
    };
    Ok(found.into_iter().map(path).collect())
}

/// Returns the URL of a path on the host of the tests.
fn on_host(path: &str) -> String {
    format!("http://one.test{path}")
}

/// Returns links to these paths.
fn links_to(paths: &[&str]) -> Vec<NewLink> {
    (1..).zip(paths).map(|(line, path)| discovered_link(line, &on_host(path))).collect()
}

/// Neighbors after and before the URL are returned in turn. Pending targets and targets of
/// other runs are not neighbors. A target that was fetched and will be retried is a neighbor.
pub async fn neighbors_are_the_nearest_fetched_in_this_run(store: &dyn Store) -> CaseResult {
    let other = RunKey { scope: "other".to_owned(), ..run_key() };
    let other = StoreFixture::open_with_key(store, &other, at(0)).await?;
    other.load("a.md", 1, &links_to(&["/a/1", "/a/5", "/a/7"])).await?;
    other.finish_all(Verdict::Alive, at(1)).await?;

    let fixture = StoreFixture::open(store, at(2)).await?;
    let paths = ["/a/8", "/a/6", "/a/4", "/a/3", "/a/2", "/a/1", "/a/0"];
    fixture.load("a.md", 1, &links_to(&paths)).await?;
    let claim = fixture.claim_one(at(3)).await?;
    let is_fetched = |task: &&FetchTask| !["/a/4", "/a/1"].map(on_host).contains(&task.url);
    for task in claim.tasks.iter().filter(is_fetched) {
        let update = if task.url.ends_with('6') {
            retry(task)
        } else {
            finished_completion(claim.lease, task, Verdict::Dead, at(3)).update
        };
        let seen = Some(probe(404, at(3)));
        fixture.commit(&[completion(claim.lease, task, seen, update)]).await?;
    }
    let all = ["/a/6", "/a/2", "/a/8", "/a/0"];
    assert_eq!(neighbors(&fixture, "/a/", "/a/3", MANY).await?, all);
    for limit in [0, 1, 2, 3] {
        assert_eq!(neighbors(&fixture, "/a/", "/a/3", limit).await?, all[..limit]);
    }
    assert_eq!(neighbors(&fixture, "/a/", "/a/8", MANY).await?, ["/a/6", "/a/3", "/a/2", "/a/0"]);
    assert_eq!(neighbors(&fixture, "/a/", "/a/", 2).await?, ["/a/0", "/a/2"]);
    let first = store.neighbors(fixture.run, DIRECTORY, PAGE, 1).await?;
    assert_eq!(first[0].probe, probe(404, at(3)));
    Ok(())
}

/// Returns an update that retries a task later.
fn retry(task: &FetchTask) -> TaskUpdate {
    let attempts: Vec<Attempt> = task.attempts.clone();
    TaskUpdate::Retry { purpose: FetchPurpose::Retry, not_before: at(60), attempts }
}

/// A target with a cached result was not fetched in this run.
pub async fn cached_target_is_not_a_neighbor(store: &dyn Store) -> CaseResult {
    let before = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    before.finish_all(Verdict::Alive, at(1)).await?;
    before.close(at(2)).await?;
    let mut fixture = StoreFixture::open(store, at(3)).await?;
    fixture.fresh_since = at(0);
    fixture.load_pages(&[PAGE]).await?;
    assert!(fixture.checked_one().await?.is_cached);
    assert!(neighbors(&fixture, "/a/", "/a/other", MANY).await?.is_empty());
    Ok(())
}

/// The directory itself is not a neighbor. `%` and `_` are ordinary characters.
pub async fn neighbors_match_the_directory_prefix_exactly(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let paths = [
        "/a", "/a/", "/a/1", "/a/b/2", "/a/?q=3", "/a/ü", "/ab/4", "/A/5", "/a0", "/b/6", "/a%2F7",
        "/%61/8", "/_/9", "/a_c/10", "/abc/11", "/50%/12", "/500/13",
    ];
    fixture.load("a.md", 1, &links_to(&paths)).await?;
    fixture.load("b.md", 2, &[user_link(1, "http://one.test.test/a/14")]).await?;
    fixture.finish_all(Verdict::Alive, at(1)).await?;
    let cases: [(&str, &[&str]); 8] = [
        ("/a/", &["/a/1", "/a/?q=3", "/a/b/2", "/a/ü"]),
        ("/a/b/", &["/a/b/2"]),
        ("/a_c/", &["/a_c/10"]),
        ("/_/", &["/_/9"]),
        ("/%61/", &["/%61/8"]),
        ("/50%/", &["/50%/12"]),
        ("/%/", &[]),
        ("/nothing/", &[]),
    ];
    for (directory, expect) in cases {
        let found = neighbors(&fixture, directory, "/", MANY).await?;
        assert_eq!(found, expect, "{directory}");
    }
    Ok(())
}

/// The nearest neighbors are found in a directory with 3000 targets.
pub async fn large_directory_returns_requested_neighbors(store: &dyn Store) -> CaseResult {
    const LINKS: u32 = 3000;
    let fixture = StoreFixture::open(store, at(0)).await?;
    let link = |n| discovered_link(n, &format!("{DIRECTORY}{n:05}"));
    // Tasks are claimed in the order of the links, so the targets around 1500 are
    // fetched.
    let links: Vec<NewLink> = (1498..=1502).chain(1..1498).chain(1503..=LINKS).map(link).collect();
    fixture.load("a.md", 1, &links).await?;
    fixture.finish_all(Verdict::Alive, at(1)).await?;
    let near = neighbors(&fixture, "/a/", "/a/01500", 4).await?;
    assert_eq!(near, ["/a/01501", "/a/01499", "/a/01502", "/a/01498"]);
    Ok(())
}

/// URLs are compared exactly, including case.
pub async fn unknown_target_has_no_record(store: &dyn Store) -> CaseResult {
    assert_eq!(store.target_record(PAGE).await?, None);
    StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    assert_eq!(store.target_record("http://one.test/a/Page").await?, None);
    assert_eq!(store.target_record(DIRECTORY).await?, None);
    Ok(())
}

/// A target that was fetched but not finished has no result.
pub async fn unchecked_target_has_a_record_without_result(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    let empty = TargetRecord {
        url: PAGE.to_owned(),
        latest: None,
        past_verdicts: vec![],
        changes: vec![],
        probes: vec![],
    };
    assert_eq!(store.target_record(PAGE).await?, Some(empty.clone()));
    let claim = fixture.claim_one(at(1)).await?;
    let seen = Some(probe(503, at(1)));
    let retry = retry(&claim.tasks[0]);
    fixture.commit(&[completion(claim.lease, &claim.tasks[0], seen, retry)]).await?;
    assert_eq!(store.target_record(PAGE).await?, Some(empty));
    Ok(())
}

/// Returns the record of the page of the tests.
async fn target_record(store: &dyn Store) -> Result<TargetRecord, StoreError> {
    Ok(store.target_record(PAGE).await?.expect("the page is known"))
}

/// Verdicts are sorted by time, oldest first, and include runs with other keys.
pub async fn target_record_has_verdicts_of_all_runs(store: &dyn Store) -> CaseResult {
    let verdicts = [(10, Verdict::Alive), (20, Verdict::Failing), (30, Verdict::Soft404)];
    for (now, verdict) in verdicts {
        let key = RunKey { scope: now.to_string(), ..run_key() };
        let fixture = StoreFixture::open_with_key(store, &key, at(now)).await?;
        fixture.load_pages(&[PAGE, "http://one.test/a/other"]).await?;
        fixture.finish_all(verdict, at(now)).await?;
        fixture.close(at(now)).await?;
    }
    let pending = StoreFixture::with_pages(store, at(40), &[PAGE]).await?;
    assert_eq!(pending.checked().await?, []);

    let record = target_record(store).await?;
    assert_eq!(record.past_verdicts, verdicts.map(|(now, verdict)| (at(now), verdict)));
    let latest = record.latest.expect("it was checked");
    assert_eq!((latest.result.verdict, latest.result.checked_at), (Verdict::Soft404, at(30)));
    assert_eq!(record.probes, [probe(404, at(30))]);
    Ok(())
}

/// The run that started first checks the target last.
pub async fn target_record_is_sorted_by_check_time(store: &dyn Store) -> CaseResult {
    let long = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    let short = RunKey { scope: "short".to_owned(), ..run_key() };
    let short = StoreFixture::open_with_key(store, &short, at(1)).await?;
    short.load_pages(&[PAGE]).await?;
    short.finish_all(Verdict::Dead, at(2)).await?;
    short.close(at(3)).await?;
    long.finish_all(Verdict::Alive, at(4)).await?;

    let record = target_record(store).await?;
    assert_eq!(record.past_verdicts, [(at(2), Verdict::Dead), (at(4), Verdict::Alive)]);
    assert_eq!(record.latest, Some(long.checked_one().await?));
    assert_eq!(record.probes, [probe(200, at(4))]);
    Ok(())
}

/// The record has the locations, attempts, evidence and probes of the latest
/// run. It has no probes of other targets and runs.
pub async fn target_record_has_all_details_of_latest_result(store: &dyn Store) -> CaseResult {
    let before = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    before.finish_all(Verdict::Alive, at(1)).await?;
    before.close(at(2)).await?;

    let fixture =
        StoreFixture::with_pages(store, at(10), &[PAGE, "http://one.test/a/other"]).await?;
    let claim = fixture.claim_one(at(10)).await?;
    let probes = [probe(503, at(10)), probe(500, at(11)), probe(200, at(12))];
    for (index, seen) in probes.iter().enumerate() {
        let attempts: Vec<Attempt> =
            probes[..=index].iter().map(|probe| attempt(probe, FetchPurpose::Retry)).collect();
        let update = if index < 2 {
            TaskUpdate::Retry { purpose: FetchPurpose::Retry, not_before: at(10), attempts }
        } else {
            let checked = target_result(Verdict::Soft404, seen, at(12));
            TaskUpdate::Finish(TargetResult { attempts, evidence: evidence(), ..checked })
        };
        let other = finished_completion(claim.lease, &claim.tasks[1], Verdict::Dead, at(10));
        let own = completion(claim.lease, &claim.tasks[0], Some(seen.clone()), update);
        fixture.commit(&[own, other]).await?;
    }
    let record = target_record(store).await?;
    assert_eq!(record.probes, probes);
    let checked = fixture.checked().await?;
    let latest = record.latest.expect("it was checked");
    assert_eq!((latest.result.attempts.len(), latest.locations.len()), (3, 1));
    assert_eq!(latest.result.evidence, evidence());
    assert_eq!(Some(&latest), checked.first());
    Ok(())
}

/// The probes before and after a hold belong to one task.
pub async fn target_record_has_probes_from_before_a_hold(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    let claim = fixture.claim_one(at(1)).await?;
    let (task, lease) = (&claim.tasks[0], claim.lease);
    let probes = [probe(502, at(1)), probe(404, at(5))];
    let attempts = |probes: &[Probe]| -> Vec<Attempt> {
        probes.iter().map(|probe| attempt(probe, FetchPurpose::Initial)).collect()
    };
    let hold = TaskUpdate::Hold { attempts: attempts(&probes[..1]) };
    fixture.commit(&[completion(lease, task, Some(probes[0].clone()), hold)]).await?;
    let retry = TaskUpdate::Retry {
        purpose: FetchPurpose::Retry,
        not_before: at(2),
        attempts: attempts(&probes[..1]),
    };
    fixture.commit(&[completion(fixture.fence(), task, None, retry)]).await?;
    let checked = target_result(Verdict::Dead, &probes[1], at(5));
    let finish = TaskUpdate::Finish(TargetResult { attempts: attempts(&probes), ..checked });
    fixture.commit(&[completion(lease, task, Some(probes[1].clone()), finish)]).await?;

    let record = target_record(store).await?;
    assert_eq!(record.probes, probes);
    Ok(())
}

/// A task is finished after a hold without another request. The probe of the
/// hold is the last probe that reached the page.
pub async fn page_reached_after_a_hold_is_in_history(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    let claim = fixture.claim_one(at(1)).await?;
    let (task, seen) = (&claim.tasks[0], probe(200, at(1)));
    let attempts = vec![attempt(&seen, FetchPurpose::Initial)];
    let hold = TaskUpdate::Hold { attempts: attempts.clone() };
    fixture.commit(&[completion(claim.lease, task, Some(seen.clone()), hold)]).await?;
    let finish = TaskUpdate::Finish(TargetResult {
        attempts,
        ..target_result(Verdict::Alive, &seen, at(5))
    });
    fixture.commit(&[completion(fixture.fence(), task, None, finish)]).await?;
    fixture.release(&claim).await?;
    fixture.close(at(6)).await?;

    assert_eq!(target_record(store).await?.probes, [seen]);
    let next = StoreFixture::with_pages(store, at(7), &[PAGE]).await?;
    let history = next.claim_one(at(8)).await?.tasks[0].history.clone();
    assert_eq!(history.digest, probe(200, at(1)).digest);
    Ok(())
}

/// A later run has a cached result with the same time.
pub async fn target_record_prefers_the_run_that_fetched(store: &dyn ManagedStore) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    first.finish_all(Verdict::Alive, at(1)).await?;
    first.close(at(2)).await?;
    let mut second = StoreFixture::open(store, at(3)).await?;
    second.fresh_since = at(0);
    second.load_pages(&[PAGE]).await?;
    second.close(at(4)).await?;

    let reported = target_record(store).await?;
    assert_eq!(reported.past_verdicts, [(at(1), Verdict::Alive); 2]);
    assert_eq!(reported.latest, Some(first.checked_one().await?));
    assert_eq!(reported.probes, [probe(200, at(1))]);

    // After that run is pruned, the other run is returned.
    store.prune(at(3)).await?;
    let reported = target_record(store).await?;
    assert_eq!(reported.past_verdicts, [(at(1), Verdict::Alive)]);
    assert_eq!(reported.latest, Some(second.checked_one().await?));
    assert_eq!(reported.probes, [probe(200, at(1))]);
    Ok(())
}

/// The record of a local target has verdicts and locations, but no probes.
pub async fn local_target_has_a_record(store: &dyn Store) -> CaseResult {
    for (now, verdict) in [(10, Verdict::Alive), (20, Verdict::Local)] {
        let fixture = StoreFixture::open(store, at(now)).await?;
        fixture.load("a.md", 1, &[local_link(7, "file:a", verdict)]).await?;
        fixture.close(at(now)).await?;
    }
    let record = store.target_record("file:a").await?.expect("the file is known");
    assert_eq!(record.past_verdicts, [(at(10), Verdict::Alive), (at(20), Verdict::Local)]);
    let latest = record.latest.expect("it was checked");
    assert_eq!((latest.result.verdict, latest.locations[0].location.line), (Verdict::Local, 7));
    assert_eq!((latest.probe, record.probes), (None, Vec::new()));
    Ok(())
}
