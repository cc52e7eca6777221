//! Results: what follows from a look, and who may say so.

use relink_model::{
    Attempt, FailureStreak, FetchPurpose, FetchTask, FindingCode, History, Probe, TaskId, Verdict,
};
use relink_ports::{HostLease, HostSchedule, HostStats, RunKey, Store, TargetResult, TaskUpdate};

use super::CaseResult;
use super::scene::{
    LANDING, LEASE, MANY, StoreFixture, at, digest, look, plan, probe, result, settled_as,
    settlement,
};

const ONE: &str = "http://one.test/";
const OTHER: &str = "http://one.test/other";

/// Neither target, nor task, nor host, and no probe is kept.
pub async fn a_result_under_a_lost_lease_is_refused_and_changes_nothing(
    store: &dyn Store,
) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    let lost = scene.claim_one(at(0)).await?;
    let current = scene.claim_one(at(LEASE)).await?;
    let (size, tally) = (store.size().await?, store.run_stats(scene.run).await?);

    let task = &lost.tasks[0];
    let late = settled_as(Some(lost.lease), task, Verdict::Dead, at(LEASE + 1));
    let refused = store.commit(scene.run, &[late], scene.moments()).await?.refused;
    assert_eq!(refused, [task.id]);
    assert_eq!(store.size().await?, size);
    assert_eq!(store.run_stats(scene.run).await?, tally);
    give_back_late(&scene, lost.lease).await?;

    scene.settle(&current, Verdict::Alive, at(LEASE + 3)).await?;
    assert_eq!(scene.settled_one().await?.result.verdict, Verdict::Alive);
    scene.finish(at(LEASE + 4)).await?;
    let next = StoreFixture::with_pages(store, at(LEASE + 5), &[ONE]).await?;
    let claim = next.claim_one(at(LEASE + 5)).await?;
    assert_eq!(claim.politeness, HostSchedule::default());
    assert_eq!(claim.tasks[0].history.streak, None);
    Ok(())
}

/// Giving back what somebody else holds does nothing.
async fn give_back_late(scene: &StoreFixture<'_>, lost: HostLease) -> CaseResult {
    let pace = HostSchedule { next_at: at(5000), delay_ms: 1, ..HostSchedule::default() };
    let tally = HostStats { requests: 1, ..HostStats::default() };
    scene.store.release(scene.run, lost, &pace, &tally).await?;
    assert_eq!(scene.claim(at(LEASE + 2)).await?, [], "it is still leased");
    assert_eq!(scene.store.hosts(scene.run, MANY).await?, []);
    Ok(())
}

/// Results of others in the same commit are kept, those for the same host too.
pub async fn only_the_results_under_the_lost_lease_are_refused(store: &dyn Store) -> CaseResult {
    let urls = [ONE, OTHER, "http://two.test/"];
    let scene = StoreFixture::with_pages(store, at(0), &urls).await?;
    let lost = scene.claim(at(0)).await?;
    let lost = lost.iter().find(|claim| claim.name == "one.test").expect("its tasks are due");
    let current = scene.claim(at(LEASE)).await?;
    let settle = |lease, task| settled_as(Some(lease), task, Verdict::Alive, at(LEASE));
    let late = settle(lost.lease, &lost.tasks[0]);
    let mut results = vec![late];
    for claim in &current {
        let tasks = claim.tasks.iter().filter(|task| task.url != ONE);
        results.extend(tasks.map(|task| settle(claim.lease, task)));
    }
    let refused = store.commit(scene.run, &results, scene.moments()).await?.refused;
    assert_eq!(refused, [lost.tasks[0].id]);
    let settled = scene.settled().await?;
    let settled: Vec<&str> = settled.iter().map(|settled| settled.url.as_str()).collect();
    assert_eq!(settled, [OTHER, "http://two.test/"]);
    Ok(())
}

fn again(looks: Vec<Attempt>, seconds: i64) -> TaskUpdate {
    TaskUpdate::Retry {
        purpose: FetchPurpose::Confirmation,
        not_before: at(seconds),
        attempts: looks,
    }
}

/// Not before; and nothing is concluded in between.
pub async fn an_task_to_ask_again_comes_back_with_its_looks_when_it_is_time(
    store: &dyn Store,
) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    let claim = scene.claim_one(at(1)).await?;
    let task = &claim.tasks[0];
    assert_eq!((task.purpose, &task.attempts[..]), (FetchPurpose::Initial, &[][..]));

    let seen = probe(404, at(1));
    let looks = vec![look(&seen, FetchPurpose::Initial)];
    let step = again(looks.clone(), 30);
    scene.complete(&[result(Some(claim.lease), task, Some(seen), step)]).await?;
    scene.release(&claim).await?;
    assert_eq!(scene.settled().await?, []);
    assert_eq!(scene.claim(at(29)).await?, []);
    let expect = FetchTask {
        purpose: FetchPurpose::Confirmation,
        not_before: at(30),
        attempts: looks,
        ..task.clone()
    };
    assert_eq!(scene.claim_one(at(30)).await?.tasks, [expect]);
    Ok(())
}

/// While its host is still leased.
pub async fn an_task_to_ask_again_is_refilled_once_it_is_due(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    let claim = scene.claim_one(at(1)).await?;
    let task = &claim.tasks[0];
    let seen = probe(404, at(1));
    let step = again(vec![look(&seen, FetchPurpose::Initial)], 30);
    scene.complete(&[result(Some(claim.lease), task, Some(seen), step)]).await?;
    let after = (task.not_before, task.id);
    let refill = |seconds| store.more_tasks(scene.run, claim.lease, after, MANY, at(seconds));
    assert_eq!(refill(29).await?, []);
    let more = refill(30).await?;
    assert_eq!(more.len(), 1);
    assert_eq!(more[0].id, task.id);
    assert_eq!(more[0].purpose, FetchPurpose::Confirmation);
    Ok(())
}

/// Its host may have been given back with nothing left to do.
pub async fn an_task_put_back_without_a_lease_falls_due_too(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    let claim = scene.claim_one(at(1)).await?;
    let task = &claim.tasks[0];
    let seen = probe(503, at(1));
    let looks = vec![look(&seen, FetchPurpose::Initial)];
    let hold = TaskUpdate::Hold { attempts: looks.clone() };
    scene.complete(&[result(Some(claim.lease), task, Some(seen), hold)]).await?;
    scene.release(&claim).await?;
    assert_eq!(store.next_due(scene.run).await?, None);

    scene.complete(&[result(None, task, None, again(looks, 30))]).await?;
    assert_eq!(store.next_due(scene.run).await?, Some(at(30)));
    assert_eq!(scene.claim_one(at(30)).await?.tasks[0].id, task.id);
    Ok(())
}

/// Also after an interruption, until it is settled without being asked again.
pub async fn an_task_on_hold_is_kept_from_claims_and_read_with_its_probe(
    store: &dyn Store,
) -> CaseResult {
    let (first, second) = (probe(502, at(1)), probe(503, at(2)));
    let looks = vec![look(&first, FetchPurpose::Initial), look(&second, FetchPurpose::Retry)];
    let waiting = TaskUpdate::Hold { attempts: looks.clone() };
    let early = again(looks[..1].to_vec(), 2);
    let before = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    take_steps(&before, [(first, early), (second.clone(), waiting)]).await?;

    let scene = StoreFixture::open(store, at(3)).await?;
    assert_eq!(scene.claim(at(1000)).await?, []);
    assert_eq!(store.next_due(scene.run).await?, None);
    assert_eq!(scene.settled().await?, []);
    let held = store.held_tasks(scene.run, TaskId(0), MANY).await?;
    let [(task, seen)] = &held[..] else {
        panic!("one task is on hold: {held:?}");
    };
    assert_eq!((task.url.as_str(), &task.attempts), (ONE, &looks));
    assert_eq!(seen, &second);

    let settlement =
        TargetResult { attempts: looks, ..settlement(Verdict::Failing, &second, at(4)) };
    let settle = TaskUpdate::Finish(settlement.clone());
    scene.complete(&[result(None, task, None, settle)]).await?;
    assert_eq!(store.held_tasks(scene.run, TaskId(0), MANY).await?, []);
    let settled = scene.settled_one().await?;
    assert_eq!(settled.result, settlement);
    assert_eq!(settled.probe, Some(second));
    Ok(())
}

/// Takes these steps with the only task there is, and gives its host back.
async fn take_steps(scene: &StoreFixture<'_>, steps: [(Probe, TaskUpdate); 2]) -> CaseResult {
    let claim = scene.claim_one(at(1)).await?;
    for (probe, step) in steps {
        let done = result(Some(claim.lease), &claim.tasks[0], Some(probe), step);
        scene.complete(&[done]).await?;
    }
    scene.release(&claim).await
}

/// In the order of their numbers.
pub async fn tasks_on_hold_come_page_by_page(store: &dyn Store) -> CaseResult {
    let urls: Vec<String> = (0..5).map(|n| format!("{ONE}{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let scene = StoreFixture::with_pages(store, at(0), &urls).await?;
    let claim = scene.claim_one(at(1)).await?;
    for task in &claim.tasks {
        let seen = probe(503, at(1));
        let looks = vec![look(&seen, FetchPurpose::Initial)];
        let hold =
            result(Some(claim.lease), task, Some(seen), TaskUpdate::Hold { attempts: looks });
        scene.complete(&[hold]).await?;
    }
    let (mut after, mut pages) = (TaskId(0), Vec::new());
    for expect in [2, 2, 1, 0] {
        let page = store.held_tasks(scene.run, after, 2).await?;
        assert_eq!(page.len(), expect);
        after = page.last().map_or(after, |(task, _)| task.id);
        pages.extend(page.into_iter().map(|(task, _)| task.url));
    }
    assert_eq!(pages, urls);
    Ok(())
}

/// What is known of it comes with its next task.
pub async fn a_settled_target_is_history_to_the_next_run(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    let claim = first.claim_one(at(10)).await?;
    assert_eq!(claim.tasks[0].history, History::default());
    first.settle(&claim, Verdict::Moved, at(10)).await?;
    first.finish(at(11)).await?;

    let second = StoreFixture::with_pages(store, at(20), &[ONE]).await?;
    let claim = second.claim_one(at(20)).await?;
    let expect = History {
        verdict: Some(Verdict::Moved),
        code: None,
        since: Some(at(10)),
        checked: Some(at(10)),
        last_reached: Some(at(10)),
        streak: None,
        digest: Some(digest(200).into()),
        final_url: Some(LANDING.to_owned()),
    };
    assert_eq!(claim.tasks[0].history, expect);
    Ok(())
}

/// It was interrupted, another run came between, and it is finished then.
pub async fn a_run_that_is_gone_on_with_knows_better_than_those_after_it(
    store: &dyn Store,
) -> CaseResult {
    StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    let between = RunKey { scope: "between".to_owned(), ..plan() };
    let between = StoreFixture::of(store, &between, at(10)).await?;
    between.load_pages(&[ONE]).await?;
    between.settle_all(Verdict::Dead, at(10)).await?;
    between.finish(at(11)).await?;

    let resumed = StoreFixture::open(store, at(20)).await?;
    assert!(resumed.run < between.run);
    resumed.settle_all(Verdict::Alive, at(20)).await?;
    resumed.finish(at(21)).await?;
    assert_eq!(between.settled_one().await?.result.verdict, Verdict::Dead);

    let last = StoreFixture::with_pages(store, at(30), &[ONE]).await?;
    let history = last.claim_one(at(30)).await?.tasks[0].history.clone();
    assert_eq!((history.verdict, history.checked), (Some(Verdict::Alive), Some(at(20))));
    Ok(())
}

/// And a success ends the streak.
pub async fn a_failure_keeps_what_the_last_good_page_said(store: &dyn Store) -> CaseResult {
    let streak = |runs, last| FailureStreak { runs, first: at(200), last: at(last) };
    // Each run: its moment, its word, since when, the streak it leaves.
    let runs = [
        (100, Verdict::Alive, 100, None),
        (200, Verdict::Failing, 200, Some(streak(1, 200))),
        (300, Verdict::Failing, 200, Some(streak(2, 300))),
        (400, Verdict::Alive, 400, None),
    ];
    let mut known = History::default();
    for (now, word, since, streak) in runs {
        let scene = StoreFixture::with_pages(store, at(now), &[ONE]).await?;
        let claim = scene.claim_one(at(now)).await?;
        assert_eq!(claim.tasks[0].history, known, "before {now}");

        let is_good = word == Verdict::Alive;
        let seen = probe(if is_good { 200 } else { 503 }, at(now));
        let settlement =
            TargetResult { since: at(since), streak, ..settlement(word, &seen, at(now)) };
        let settle = TaskUpdate::Finish(settlement);
        let done = result(Some(claim.lease), &claim.tasks[0], Some(seen), settle);
        scene.complete(&[done]).await?;
        scene.release(&claim).await?;
        scene.finish(at(now)).await?;
        known = History {
            verdict: Some(word),
            code: (!is_good).then_some(FindingCode::new(101)),
            since: Some(at(since)),
            checked: Some(at(now)),
            last_reached: is_good.then_some(at(now)).or(known.last_reached),
            streak,
            digest: Some(digest(200).into()),
            final_url: Some(LANDING.to_owned()),
        };
    }
    Ok(())
}
