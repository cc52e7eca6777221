//! Cases about committing results.

use relink_model::{
    Attempt, FailureStreak, FetchPurpose, FetchTask, FindingCode, History, Probe, TaskId, Verdict,
};
use relink_ports::{
    HostLease, HostRelease, HostSchedule, HostStats, ManagedStore, RunKey, Store, TargetResult,
    TargetState, TaskUpdate,
};

use super::CaseResult;
use super::fixture::{
    FINAL_URL, LEASE_SECONDS, MANY, StoreFixture, at, attempt, completion, digest,
    finished_completion, probe, run_key, target_result, version,
};

/// The page of most cases.
const PAGE_ONE: &str = "http://one.test/";
/// Another page on the same host.
const OTHER_PAGE: &str = "http://one.test/other";

/// A rejected result changes neither target, task, host nor probes.
pub async fn result_with_lost_lease_is_rejected_and_changes_nothing(
    store: &dyn ManagedStore,
) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    let lost = fixture.claim_one(at(0)).await?;
    let current = fixture.claim_one(at(LEASE_SECONDS)).await?;
    let (size, stats) = (store.size().await?, store.run_stats(fixture.run).await?);

    let task = &lost.tasks[0];
    let late = finished_completion(lost.lease, task, Verdict::Dead, at(LEASE_SECONDS + 1));
    let rejected = store.commit(fixture.run, &[late], fixture.cache_window()).await?.rejected;
    assert_eq!(rejected, [task.id]);
    assert_eq!(store.size().await?, size);
    assert_eq!(store.run_stats(fixture.run).await?, stats);
    check_late_release_has_no_effect(&fixture, lost.lease).await?;

    fixture.finish_claim(&current, Verdict::Alive, at(LEASE_SECONDS + 3)).await?;
    assert_eq!(fixture.checked_one().await?.result.verdict, Verdict::Alive);
    fixture.close(at(LEASE_SECONDS + 4)).await?;
    let next = StoreFixture::with_pages(store, at(LEASE_SECONDS + 5), &[PAGE_ONE]).await?;
    let claim = next.claim_one(at(LEASE_SECONDS + 5)).await?;
    assert_eq!(claim.schedule, HostSchedule::default());
    assert_eq!(claim.tasks[0].history.streak, None);
    Ok(())
}

/// Checks that releasing a lost lease has no effect.
async fn check_late_release_has_no_effect(
    fixture: &StoreFixture<'_>,
    lost: HostLease,
) -> CaseResult {
    let schedule = HostSchedule { next_at: at(5000), delay_ms: 1, ..HostSchedule::default() };
    let stats = HostStats { requests: 1, ..HostStats::default() };
    fixture.store.release(fixture.run, &[HostRelease { lease: lost, schedule, stats }]).await?;
    assert_eq!(fixture.claim(at(LEASE_SECONDS + 2)).await?, [], "the host is still leased");
    assert_eq!(fixture.store.host_stats(fixture.run, MANY).await?, []);
    Ok(())
}

/// Other results of the same commit are stored, including results of the same host.
pub async fn only_results_with_lost_lease_are_rejected(store: &dyn Store) -> CaseResult {
    let urls = [PAGE_ONE, OTHER_PAGE, "http://two.test/"];
    let fixture = StoreFixture::with_pages(store, at(0), &urls).await?;
    let lost = fixture.claim(at(0)).await?;
    let lost = lost.iter().find(|claim| claim.name == "one.test").expect("the host has due tasks");
    let current = fixture.claim(at(LEASE_SECONDS)).await?;
    let finish = |lease, task| finished_completion(lease, task, Verdict::Alive, at(LEASE_SECONDS));
    let late = finish(lost.lease, &lost.tasks[0]);
    let mut results = vec![late];
    for claim in &current {
        let tasks = claim.tasks.iter().filter(|task| task.url != PAGE_ONE);
        results.extend(tasks.map(|task| finish(claim.lease, task)));
    }
    let rejected = store.commit(fixture.run, &results, fixture.cache_window()).await?.rejected;
    assert_eq!(rejected, [lost.tasks[0].id]);
    let checked = fixture.checked().await?;
    let checked: Vec<&str> = checked.iter().map(|checked| checked.url.as_str()).collect();
    assert_eq!(checked, [OTHER_PAGE, "http://two.test/"]);
    Ok(())
}

/// Returns an update that retries a task after `seconds`.
fn retry_at(attempts: Vec<Attempt>, seconds: i64) -> TaskUpdate {
    TaskUpdate::Retry { purpose: FetchPurpose::Confirmation, not_before: at(seconds), attempts }
}

/// A retried task has no result until it is finished.
pub async fn retried_task_is_due_later_with_its_attempts(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    let claim = fixture.claim_one(at(1)).await?;
    let task = &claim.tasks[0];
    assert_eq!((task.purpose, &task.attempts[..]), (FetchPurpose::Initial, &[][..]));

    let seen = probe(404, at(1));
    let attempts = vec![attempt(&seen, FetchPurpose::Initial)];
    let update = retry_at(attempts.clone(), 30);
    fixture.commit(&[completion(claim.lease, task, Some(seen), update)]).await?;
    fixture.release(&claim).await?;
    assert_eq!(fixture.checked().await?, []);
    assert_eq!(fixture.claim(at(29)).await?, []);
    let expect = FetchTask {
        purpose: FetchPurpose::Confirmation,
        not_before: at(30),
        attempts,
        ..task.clone()
    };
    assert_eq!(fixture.claim_one(at(30)).await?.tasks, [expect]);
    Ok(())
}

/// A task of a host that is still leased is returned by `more_tasks` when its
/// retry is due.
pub async fn more_tasks_returns_retried_task_once_due(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    let claim = fixture.claim_one(at(1)).await?;
    let task = &claim.tasks[0];
    let seen = probe(404, at(1));
    let update = retry_at(vec![attempt(&seen, FetchPurpose::Initial)], 30);
    fixture.commit(&[completion(claim.lease, task, Some(seen), update)]).await?;
    let after = (task.not_before, task.id);
    let more_at = |seconds| store.more_tasks(fixture.run, claim.lease, after, MANY, at(seconds));
    assert_eq!(more_at(29).await?, []);
    let more = more_at(30).await?;
    assert_eq!(more.len(), 1);
    assert_eq!(more[0].id, task.id);
    assert_eq!(more[0].purpose, FetchPurpose::Confirmation);
    Ok(())
}

/// The host of a held task was released without due tasks. A retry makes the
/// host due again.
pub async fn task_retried_without_lease_becomes_due(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    let claim = fixture.claim_one(at(1)).await?;
    let task = &claim.tasks[0];
    let seen = probe(503, at(1));
    let attempts = vec![attempt(&seen, FetchPurpose::Initial)];
    let hold = TaskUpdate::Hold { attempts: attempts.clone() };
    fixture.commit(&[completion(claim.lease, task, Some(seen), hold)]).await?;
    fixture.release(&claim).await?;
    assert_eq!(store.next_due(fixture.run).await?.at, None);

    fixture.commit(&[completion(fixture.fence(), task, None, retry_at(attempts, 30))]).await?;
    assert_eq!(store.next_due(fixture.run).await?.at, Some(at(30)));
    assert_eq!(fixture.claim_one(at(30)).await?.tasks[0].id, task.id);
    Ok(())
}

/// A held task stays held after an interruption, until it is finished.
pub async fn held_task_is_not_claimed_and_has_its_probe(store: &dyn Store) -> CaseResult {
    let (first, second) = (probe(502, at(1)), probe(503, at(2)));
    let attempts =
        vec![attempt(&first, FetchPurpose::Initial), attempt(&second, FetchPurpose::Retry)];
    let hold = TaskUpdate::Hold { attempts: attempts.clone() };
    let retry = retry_at(attempts[..1].to_vec(), 2);
    let before = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    apply_updates(&before, [(first, retry), (second.clone(), hold)]).await?;

    let fixture = StoreFixture::open(store, at(3)).await?;
    assert_eq!(fixture.claim(at(1000)).await?, []);
    assert_eq!(store.next_due(fixture.run).await?.at, None);
    assert_eq!(fixture.checked().await?, []);
    let tasks = store.held_tasks(fixture.run, TaskId(0), MANY).await?;
    let [(task, seen)] = &tasks[..] else {
        panic!("one task is on hold: {tasks:?}");
    };
    assert_eq!((task.url.as_str(), &task.attempts), (PAGE_ONE, &attempts));
    assert_eq!(seen, &second);
    check_target_state(&fixture, TargetState::Held).await?;

    let result = TargetResult { attempts, ..target_result(Verdict::Failing, &second, at(4)) };
    let finish = TaskUpdate::Finish(result.clone());
    fixture.commit(&[completion(fixture.fence(), task, None, finish)]).await?;
    assert_eq!(store.held_tasks(fixture.run, TaskId(0), MANY).await?, []);
    let checked = fixture.checked_one().await?;
    assert_eq!(checked.result, result);
    assert_eq!(checked.probe, Some(second));
    check_target_state(&fixture, TargetState::Checked(Verdict::Failing)).await
}

/// Checks the state of [`PAGE_ONE`], if several processes can use the store. A pending target
/// and a target of no run have no state.
async fn check_target_state(fixture: &StoreFixture<'_>, state: TargetState) -> CaseResult {
    let urls = [PAGE_ONE, OTHER_PAGE].map(str::to_owned);
    let states = fixture.store.target_states(fixture.run, &urls).await?;
    let expected =
        if fixture.store.is_shared() { vec![(PAGE_ONE.to_owned(), state)] } else { Vec::new() };
    assert_eq!(states, expected);
    Ok(())
}

/// Applies updates to the only due task and releases its host.
async fn apply_updates(fixture: &StoreFixture<'_>, steps: [(Probe, TaskUpdate); 2]) -> CaseResult {
    let claim = fixture.claim_one(at(1)).await?;
    for (probe, update) in steps {
        let done = completion(claim.lease, &claim.tasks[0], Some(probe), update);
        fixture.commit(&[done]).await?;
    }
    fixture.release(&claim).await
}

/// After another process has resumed the run, only that process may judge held tasks.
pub async fn held_result_of_earlier_generation_is_rejected(store: &dyn Store) -> CaseResult {
    let before = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    let claim = before.claim_one(at(1)).await?;
    let (task, seen) = (&claim.tasks[0], probe(503, at(1)));
    let attempts = vec![attempt(&seen, FetchPurpose::Initial)];
    let hold = TaskUpdate::Hold { attempts };
    before.commit(&[completion(claim.lease, task, Some(seen.clone()), hold)]).await?;
    before.release(&claim).await?;

    let resumed = StoreFixture::open(store, at(2)).await?;
    let finish = TaskUpdate::Finish(target_result(Verdict::Dead, &seen, at(3)));
    let late = completion(before.fence(), task, None, finish.clone());
    let summary = store.commit(before.run, &[late], before.cache_window()).await?;
    assert_eq!(summary.rejected, [task.id]);
    assert_eq!(resumed.checked().await?, []);
    assert_eq!(store.held_tasks(resumed.run, TaskId(0), MANY).await?.len(), 1);

    resumed.commit(&[completion(resumed.fence(), task, None, finish)]).await?;
    assert_eq!(resumed.checked_one().await?.result.verdict, Verdict::Dead);
    Ok(())
}

/// Held tasks are sorted by task id.
pub async fn held_tasks_are_paginated(store: &dyn Store) -> CaseResult {
    let urls: Vec<String> = (0..5).map(|n| format!("{PAGE_ONE}{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let fixture = StoreFixture::with_pages(store, at(0), &urls).await?;
    let claim = fixture.claim_one(at(1)).await?;
    for task in &claim.tasks {
        let seen = probe(503, at(1));
        let attempts = vec![attempt(&seen, FetchPurpose::Initial)];
        let hold = completion(claim.lease, task, Some(seen), TaskUpdate::Hold { attempts });
        fixture.commit(&[hold]).await?;
    }
    let (mut after, mut pages) = (TaskId(0), Vec::new());
    for expect in [2, 2, 1, 0] {
        let page = store.held_tasks(fixture.run, after, 2).await?;
        assert_eq!(page.len(), expect);
        after = page.last().map_or(after, |(task, _)| task.id);
        pages.extend(page.into_iter().map(|(task, _)| task.url));
    }
    assert_eq!(pages, urls);
    Ok(())
}

/// The history of a task has all data of the result of the previous run.
pub async fn result_is_history_of_the_next_run(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    let claim = first.claim_one(at(10)).await?;
    assert_eq!(claim.tasks[0].history, History::default());
    first.finish_claim(&claim, Verdict::Moved, at(10)).await?;
    first.close(at(11)).await?;

    let second = StoreFixture::with_pages(store, at(20), &[PAGE_ONE]).await?;
    let claim = second.claim_one(at(20)).await?;
    let expect = History {
        verdict: Some(Verdict::Moved),
        code: None,
        since: Some(at(10)),
        checked_at: Some(at(10)),
        last_reached_at: Some(at(10)),
        streak: None,
        digest: Some(digest(200).into()),
        final_url: Some(FINAL_URL.to_owned()),
        version: Some(version().into()),
    };
    assert_eq!(claim.tasks[0].history, expect);
    Ok(())
}

/// Another run starts and finishes while the first is interrupted. The result
/// of the resumed run is newer.
pub async fn resumed_run_supersedes_later_runs(store: &dyn Store) -> CaseResult {
    StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    let between = RunKey { scope: "between".to_owned(), ..run_key() };
    let between = StoreFixture::open_with_key(store, &between, at(10)).await?;
    between.load_pages(&[PAGE_ONE]).await?;
    between.finish_all(Verdict::Dead, at(10)).await?;
    between.close(at(11)).await?;

    let resumed = StoreFixture::open(store, at(20)).await?;
    assert!(resumed.run < between.run);
    resumed.finish_all(Verdict::Alive, at(20)).await?;
    resumed.close(at(21)).await?;
    assert_eq!(between.checked_one().await?.result.verdict, Verdict::Dead);

    let last = StoreFixture::with_pages(store, at(30), &[PAGE_ONE]).await?;
    let history = last.claim_one(at(30)).await?.tasks[0].history.clone();
    assert_eq!((history.verdict, history.checked_at), (Some(Verdict::Alive), Some(at(20))));
    Ok(())
}

/// A failure extends the failure streak and keeps the digest. A success ends
/// the streak.
pub async fn failure_keeps_digest_of_last_reached_page(store: &dyn Store) -> CaseResult {
    let streak = |runs, last| FailureStreak { runs, first_at: at(200), last_at: at(last) };
    // Time, verdict, `since` and failure streak of each run.
    let runs = [
        (100, Verdict::Alive, 100, None),
        (200, Verdict::Failing, 200, Some(streak(1, 200))),
        (300, Verdict::Failing, 200, Some(streak(2, 300))),
        (400, Verdict::Alive, 400, None),
    ];
    let mut expect = History::default();
    for (now, verdict, since, streak) in runs {
        let fixture = StoreFixture::with_pages(store, at(now), &[PAGE_ONE]).await?;
        let claim = fixture.claim_one(at(now)).await?;
        assert_eq!(claim.tasks[0].history, expect, "before {now}");

        let is_reached = verdict == Verdict::Alive;
        let seen = probe(if is_reached { 200 } else { 503 }, at(now));
        let result =
            TargetResult { since: at(since), streak, ..target_result(verdict, &seen, at(now)) };
        let finish = TaskUpdate::Finish(result);
        let done = completion(claim.lease, &claim.tasks[0], Some(seen), finish);
        fixture.commit(&[done]).await?;
        fixture.release(&claim).await?;
        fixture.close(at(now)).await?;
        expect = History {
            verdict: Some(verdict),
            code: (!is_reached).then_some(FindingCode::new(101)),
            since: Some(at(since)),
            checked_at: Some(at(now)),
            last_reached_at: is_reached.then_some(at(now)).or(expect.last_reached_at),
            streak,
            digest: Some(digest(200).into()),
            final_url: Some(FINAL_URL.to_owned()),
            version: Some(version().into()),
        };
    }
    Ok(())
}
