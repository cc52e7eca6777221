//! Upkeep: what is forgotten and what never is.

use relink_model::{FetchPurpose, TaskId, Verdict};
use relink_ports::{RunKey, RunStats, Store, StoreSize, StoredControl, TargetResult, TaskUpdate};

use super::CaseResult;
use super::scene::{MANY, StoreFixture, at, look, plan, probe, result, settlement};

const ONE: &str = "http://one.test/";
const TWO: &str = "http://two.test/";

fn counts(size: &StoreSize) -> (u64, u64, u64) {
    (size.runs, size.targets, size.probes)
}

/// Runs, targets over all runs, and every probe.
pub async fn the_size_counts_what_is_there(store: &dyn Store) -> CaseResult {
    assert_eq!(counts(&store.size().await?), (0, 0, 0));
    let first = StoreFixture::with_pages(store, at(0), &[ONE, TWO]).await?;
    assert_eq!(counts(&store.size().await?), (1, 2, 0));
    first.settle_all(Verdict::Alive, at(1)).await?;
    first.finish(at(2)).await?;
    let second = StoreFixture::with_pages(store, at(3), &[ONE]).await?;
    second.settle_all(Verdict::Alive, at(4)).await?;
    let size = store.size().await?;
    assert_eq!(counts(&size), (2, 2, 3));
    assert!(size.bytes > 0);
    Ok(())
}

/// The size returned is the one afterwards.
pub async fn pruning_forgets_old_closed_runs_and_their_probes(store: &dyn Store) -> CaseResult {
    let old = StoreFixture::with_pages(store, at(0), &[ONE, TWO]).await?;
    old.settle_all(Verdict::Dead, at(10)).await?;
    old.finish(at(20)).await?;
    let size = store.prune(at(21)).await?;
    assert_eq!(counts(&size), (0, 2, 0));
    assert_eq!(store.size().await?, size);
    assert_eq!(old.settled().await?, []);
    assert_eq!(store.run_stats(old.run).await?, RunStats::default());
    assert_eq!(store.hosts(old.run, MANY).await?, []);
    Ok(())
}

/// A run closed at that very moment, and one that may still be resumed,
/// however old it is.
pub async fn pruning_keeps_what_is_not_old_or_not_closed(store: &dyn Store) -> CaseResult {
    let other = RunKey { scope: "unfinished".to_owned(), ..plan() };
    let unfinished = StoreFixture::of(store, &other, at(0)).await?;
    unfinished.load_pages(&[ONE, TWO]).await?;
    let claims = unfinished.claim(at(1)).await?;
    unfinished.settle(&claims[0], Verdict::Dead, at(1)).await?;
    hold(&unfinished, &claims[1], 1).await?;
    let closed = StoreFixture::with_pages(store, at(2), &["http://three.test/"]).await?;
    closed.settle_all(Verdict::Dead, at(20)).await?;
    closed.finish(at(20)).await?;

    let before = (unfinished.settled().await?, closed.settled().await?);
    let size = store.prune(at(20)).await?;
    assert_eq!(counts(&size), (2, 3, 3));
    let after = (unfinished.settled().await?, closed.settled().await?);
    assert_eq!(after, before);
    assert_eq!(store.held_tasks(unfinished.run, TaskId(0), MANY).await?.len(), 1);
    Ok(())
}

/// Puts a claim's task on hold.
async fn hold(scene: &StoreFixture<'_>, claim: &relink_ports::Claim, seconds: i64) -> CaseResult {
    let seen = probe(503, at(seconds));
    let looks = vec![look(&seen, FetchPurpose::Initial)];
    let step = TaskUpdate::Hold { attempts: looks };
    scene.complete(&[result(Some(claim.lease), &claim.tasks[0], Some(seen), step)]).await
}

/// The next run knows as much as if nothing had been forgotten.
pub async fn pruning_keeps_the_state_and_the_last_good_page_of_every_target(
    store: &dyn Store,
) -> CaseResult {
    for (now, word) in [(10, Verdict::Alive), (20, Verdict::Alive), (30, Verdict::Failing)] {
        let scene = StoreFixture::with_pages(store, at(now), &[ONE]).await?;
        scene.settle_all(word, at(now)).await?;
        scene.finish(at(now)).await?;
    }
    let before = StoreFixture::with_pages(store, at(40), &[ONE]).await?;
    let claim = before.claim_one(at(40)).await?;
    before.release(&claim).await?;
    before.finish(at(40)).await?;
    let history = &claim.tasks[0].history;
    assert_eq!(history.last_reached, Some(at(20)));
    assert!(history.digest.is_some() && history.streak.is_some());

    let size = store.prune(at(1000)).await?;
    assert_eq!(counts(&size), (0, 1, 1));
    let after = StoreFixture::with_pages(store, at(2000), &[ONE]).await?;
    let claim = after.claim_one(at(2000)).await?;
    assert_eq!(&claim.tasks[0].history, history);
    Ok(())
}

/// Or its probes, where they are kept, would be taken for the new run's.
pub async fn the_number_of_a_pruned_run_is_not_given_again(store: &dyn Store) -> CaseResult {
    let old = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    old.settle_all(Verdict::Alive, at(1)).await?;
    old.finish(at(2)).await?;
    store.prune(at(100)).await?;

    let new = StoreFixture::with_pages(store, at(200), &[ONE]).await?;
    assert_ne!(new.run, old.run);
    let claim = new.claim_one(at(200)).await?;
    let unasked = TargetResult {
        attempts: Vec::new(),
        ..settlement(Verdict::Blocked, &probe(429, at(200)), at(200))
    };
    let settle = TaskUpdate::Finish(unasked);
    new.complete(&[result(Some(claim.lease), &claim.tasks[0], None, settle)]).await?;
    assert_eq!(new.settled_one().await?.probe, None);
    Ok(())
}

/// The one asked at that very moment is kept.
pub async fn pruning_forgets_controls_asked_before(store: &dyn Store) -> CaseResult {
    let kept = |key: &str, seconds| StoredControl {
        key: key.to_owned(),
        url: format!("{ONE}{key}"),
        probe: probe(404, at(seconds)),
    };
    store.save_controls(&[kept("old", 19), kept("new", 20)]).await?;
    store.prune(at(20)).await?;
    assert_eq!(store.control("old", at(0)).await?, None);
    assert_eq!(store.control("new", at(0)).await?, Some(kept("new", 20)));
    Ok(())
}

/// The run that made it may be remembered longer than the probe itself.
pub async fn a_forgotten_probe_is_not_mistaken_for_a_later_one(store: &dyn Store) -> CaseResult {
    let old = StoreFixture::with_pages(store, at(0), &[ONE, TWO]).await?;
    old.settle_all(Verdict::Dead, at(10)).await?;
    old.finish(at(30)).await?;
    assert_eq!(counts(&store.prune(at(20)).await?), (1, 2, 0));

    let new = StoreFixture::with_pages(store, at(40), &[ONE, TWO]).await?;
    new.settle_all(Verdict::Failing, at(41)).await?;
    for settled in old.settled().await? {
        assert_eq!(settled.probe, None, "{}", settled.url);
    }
    Ok(())
}

/// It only gives room back.
pub async fn vacuuming_loses_nothing(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[ONE, TWO]).await?;
    scene.settle_all(Verdict::Alive, at(1)).await?;
    let (size, settled) = (store.size().await?, scene.settled().await?);
    store.vacuum().await?;
    let after = store.size().await?;
    assert_eq!(counts(&after), counts(&size));
    assert!(after.bytes <= size.bytes);
    assert_eq!(scene.settled().await?, settled);
    Ok(())
}
