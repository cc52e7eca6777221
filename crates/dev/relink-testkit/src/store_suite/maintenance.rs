//! Cases about the size of the database, pruning and vacuum.

use relink_model::{FetchPurpose, TaskId, Verdict};
use relink_ports::{
    ManagedStore, RunKey, RunStats, StoreSize, StoredControl, TargetResult, TaskUpdate,
};

use super::CaseResult;
use super::fixture::{MANY, StoreFixture, at, attempt, completion, probe, run_key, target_result};

/// A page on the first host.
const PAGE_ONE: &str = "http://one.test/";
/// A page on the second host.
const PAGE_TWO: &str = "http://two.test/";

/// Returns the numbers of runs, targets and probes.
fn counts(size: &StoreSize) -> (u64, u64, u64) {
    (size.runs, size.targets, size.probes)
}

/// A target of several runs is counted once.
pub async fn size_counts_runs_targets_and_probes(store: &dyn ManagedStore) -> CaseResult {
    assert_eq!(counts(&store.size().await?), (0, 0, 0));
    let first = StoreFixture::with_pages(store, at(0), &[PAGE_ONE, PAGE_TWO]).await?;
    assert_eq!(counts(&store.size().await?), (1, 2, 0));
    first.finish_all(Verdict::Alive, at(1)).await?;
    first.close(at(2)).await?;
    let second = StoreFixture::with_pages(store, at(3), &[PAGE_ONE]).await?;
    second.finish_all(Verdict::Alive, at(4)).await?;
    let size = store.size().await?;
    assert_eq!(counts(&size), (2, 2, 3));
    assert!(size.bytes > 0);
    Ok(())
}

/// `prune` returns the size after pruning.
pub async fn prune_deletes_old_closed_runs_and_their_probes(
    store: &dyn ManagedStore,
) -> CaseResult {
    let old = StoreFixture::with_pages(store, at(0), &[PAGE_ONE, PAGE_TWO]).await?;
    old.finish_all(Verdict::Dead, at(10)).await?;
    old.close(at(20)).await?;
    let size = store.prune(at(21)).await?;
    assert_eq!(counts(&size), (0, 2, 0));
    assert_eq!(store.size().await?, size);
    assert_eq!(old.checked().await?, []);
    assert_eq!(store.run_stats(old.run).await?, RunStats::default());
    assert_eq!(store.host_stats(old.run, MANY).await?, []);
    Ok(())
}

/// A run that was closed exactly at the limit is kept. An unfinished run of any age is kept, too.
pub async fn prune_keeps_recent_and_unfinished_runs(store: &dyn ManagedStore) -> CaseResult {
    let other = RunKey { scope: "unfinished".to_owned(), ..run_key() };
    let unfinished = StoreFixture::open_with_key(store, &other, at(0)).await?;
    unfinished.load_pages(&[PAGE_ONE, PAGE_TWO]).await?;
    let claims = unfinished.claim(at(1)).await?;
    unfinished.finish_claim(&claims[0], Verdict::Dead, at(1)).await?;
    hold(&unfinished, &claims[1], 1).await?;
    let closed = StoreFixture::with_pages(store, at(2), &["http://three.test/"]).await?;
    closed.finish_all(Verdict::Dead, at(20)).await?;
    closed.close(at(20)).await?;

    let before = (unfinished.checked().await?, closed.checked().await?);
    let size = store.prune(at(20)).await?;
    assert_eq!(counts(&size), (2, 3, 3));
    let after = (unfinished.checked().await?, closed.checked().await?);
    assert_eq!(after, before);
    assert_eq!(store.held_tasks(unfinished.run, TaskId(0), MANY).await?.len(), 1);
    Ok(())
}

/// Holds the first task of a claim.
async fn hold(fixture: &StoreFixture<'_>, claim: &relink_ports::Claim, seconds: i64) -> CaseResult {
    let seen = probe(503, at(seconds));
    let attempts = vec![attempt(&seen, FetchPurpose::Initial)];
    let update = TaskUpdate::Hold { attempts };
    fixture.commit(&[completion(claim.lease, &claim.tasks[0], Some(seen), update)]).await
}

/// Pruning changes nothing in the history that the next run reads.
pub async fn prune_keeps_current_result_and_last_reached_digest(
    store: &dyn ManagedStore,
) -> CaseResult {
    for (now, verdict) in [(10, Verdict::Alive), (20, Verdict::Alive), (30, Verdict::Failing)] {
        let fixture = StoreFixture::with_pages(store, at(now), &[PAGE_ONE]).await?;
        fixture.finish_all(verdict, at(now)).await?;
        fixture.close(at(now)).await?;
    }
    let before = StoreFixture::with_pages(store, at(40), &[PAGE_ONE]).await?;
    let claim = before.claim_one(at(40)).await?;
    before.release(&claim).await?;
    before.close(at(40)).await?;
    let history = &claim.tasks[0].history;
    assert_eq!(history.last_reached_at, Some(at(20)));
    assert!(history.digest.is_some() && history.streak.is_some());

    let size = store.prune(at(1000)).await?;
    assert_eq!(counts(&size), (0, 1, 1));
    let after = StoreFixture::with_pages(store, at(2000), &[PAGE_ONE]).await?;
    let claim = after.claim_one(at(2000)).await?;
    assert_eq!(&claim.tasks[0].history, history);
    Ok(())
}

/// A new run does not get the id of a pruned run. Otherwise the remaining probes of the old
/// run would belong to the new run.
pub async fn run_id_of_pruned_run_is_not_reused(store: &dyn ManagedStore) -> CaseResult {
    let old = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    old.finish_all(Verdict::Alive, at(1)).await?;
    old.close(at(2)).await?;
    store.prune(at(100)).await?;

    let new = StoreFixture::with_pages(store, at(200), &[PAGE_ONE]).await?;
    assert_ne!(new.run, old.run);
    let claim = new.claim_one(at(200)).await?;
    let unfetched = TargetResult {
        attempts: Vec::new(),
        ..target_result(Verdict::Blocked, &probe(429, at(200)), at(200))
    };
    let finish = TaskUpdate::Finish(unfetched);
    new.commit(&[completion(claim.lease, &claim.tasks[0], None, finish)]).await?;
    assert_eq!(new.checked_one().await?.probe, None);
    Ok(())
}

/// A control that was requested exactly at the limit is kept.
pub async fn prune_deletes_old_controls(store: &dyn ManagedStore) -> CaseResult {
    let stored = |key: &str, seconds| StoredControl {
        key: key.to_owned(),
        url: format!("{PAGE_ONE}{key}"),
        probe: probe(404, at(seconds)),
    };
    store.save_controls(&[stored("old", 19), stored("new", 20)]).await?;
    store.prune(at(20)).await?;
    assert_eq!(store.control("old", at(0)).await?, None);
    assert_eq!(store.control("new", at(0)).await?, Some(stored("new", 20)));
    Ok(())
}

/// A run whose probes were pruned does not show later probes with the same ids.
pub async fn pruned_probe_is_not_confused_with_a_later_one(store: &dyn ManagedStore) -> CaseResult {
    let old = StoreFixture::with_pages(store, at(0), &[PAGE_ONE, PAGE_TWO]).await?;
    old.finish_all(Verdict::Dead, at(10)).await?;
    old.close(at(30)).await?;
    assert_eq!(counts(&store.prune(at(20)).await?), (1, 2, 0));

    let new = StoreFixture::with_pages(store, at(40), &[PAGE_ONE, PAGE_TWO]).await?;
    new.finish_all(Verdict::Failing, at(41)).await?;
    for checked in old.checked().await? {
        assert_eq!(checked.probe, None, "{}", checked.url);
    }
    Ok(())
}

/// A vacuum only makes the file smaller.
pub async fn vacuum_loses_nothing(store: &dyn ManagedStore) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE, PAGE_TWO]).await?;
    fixture.finish_all(Verdict::Alive, at(1)).await?;
    let (size, checked) = (store.size().await?, fixture.checked().await?);
    store.vacuum().await?;
    let after = store.size().await?;
    assert_eq!(counts(&after), counts(&size));
    assert!(after.bytes <= size.bytes);
    assert_eq!(fixture.checked().await?, checked);
    Ok(())
}
