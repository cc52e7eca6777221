//! Cases about the reuse of results of earlier runs.

use relink_model::{FetchPurpose, Verdict};
use relink_ports::{RunKey, RunStats, Store, TaskUpdate};

use super::CaseResult;
use super::fixture::{
    StoreFixture, at, attempt, completion, location, probe, run_key, target_result,
};

/// The page of most cases.
const PAGE: &str = "http://one.test/page";

/// The cached result is complete, and its task cannot be claimed.
pub async fn fresh_alive_target_is_cached(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    first.finish_all(Verdict::Alive, at(10)).await?;
    let fetched = first.checked_one().await?;
    first.close(at(20)).await?;

    let mut second = StoreFixture::open(store, at(100)).await?;
    second.fresh_since = at(10);
    second.load_pages(&[PAGE]).await?;
    assert_eq!(second.claim(at(100)).await?, []);
    assert_eq!(store.next_due(second.run).await?.at, None);

    let cached = second.checked_one().await?;
    assert!(cached.is_cached && !fetched.is_cached);
    assert_eq!(cached.probe, Some(probe(200, at(10))));
    assert_eq!(cached.result, fetched.result);
    assert_eq!(cached.locations[0].location, location(1));
    let RunStats { checked, cached, .. } = store.run_stats(second.run).await?;
    assert_eq!((checked, cached), (1, 1));
    Ok(())
}

/// A result that is one second too old is not reused.
pub async fn stale_alive_target_is_fetched_again(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    first.finish_all(Verdict::Alive, at(10)).await?;
    first.close(at(20)).await?;

    let mut second = StoreFixture::open(store, at(100)).await?;
    second.fresh_since = at(11);
    second.load_pages(&[PAGE]).await?;
    assert_eq!(second.checked().await?, []);
    assert_eq!(second.due_urls(at(100)).await?, [PAGE]);
    Ok(())
}

/// Only results with the verdict `alive` are reused.
pub async fn failures_are_never_cached(store: &dyn Store) -> CaseResult {
    for verdict in Verdict::ALL {
        let url = format!("http://{verdict}.test/");
        let key = RunKey { scope: verdict.to_string(), ..run_key() };
        let first = StoreFixture::open_with_key(store, &key, at(0)).await?;
        first.load_pages(&[&url]).await?;
        first.finish_all(verdict, at(1)).await?;
        first.close(at(2)).await?;

        let mut second = StoreFixture::open_with_key(store, &key, at(3)).await?;
        second.fresh_since = at(0);
        second.load_pages(&[&url]).await?;
        let is_fetched = !second.due_urls(at(4)).await?.is_empty();
        assert_eq!(is_fetched, verdict != Verdict::Alive, "{verdict}");
    }
    Ok(())
}

/// The reuse of a result does not make it newer.
pub async fn cached_result_keeps_its_age(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    first.finish_all(Verdict::Alive, at(10)).await?;
    first.close(at(20)).await?;

    let mut second = StoreFixture::open(store, at(100)).await?;
    second.fresh_since = at(5);
    second.load_pages(&[PAGE]).await?;
    second.close(at(110)).await?;

    let mut third = StoreFixture::open(store, at(200)).await?;
    third.fresh_since = at(50);
    third.load_pages(&[PAGE]).await?;
    assert_eq!(third.due_urls(at(200)).await?, [PAGE]);
    Ok(())
}

/// The probe of a later, unfinished run is ignored, because that run has no result.
pub async fn cached_result_has_the_probe_that_reached_the_page(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    first.finish_all(Verdict::Alive, at(10)).await?;
    first.close(at(20)).await?;

    let unfinished = StoreFixture::with_pages(store, at(30), &[PAGE]).await?;
    let claim = unfinished.claim_one(at(30)).await?;
    let failed = probe(503, at(30));
    let retry = TaskUpdate::Retry {
        purpose: FetchPurpose::Retry,
        not_before: at(60),
        attempts: vec![attempt(&failed, FetchPurpose::Initial)],
    };
    let retry = completion(claim.lease, &claim.tasks[0], Some(failed), retry);
    unfinished.commit(&[retry]).await?;

    let run = store.open_run(&run_key(), true, at(100)).await?.id;
    let third = StoreFixture { run, now: at(100), fresh_since: at(0), ..unfinished };
    third.load_pages(&[PAGE]).await?;
    assert_eq!(third.checked_one().await?.probe, Some(probe(200, at(10))));
    Ok(())
}

/// The history keeps the digest from before the drift, with which the page is compared.
pub async fn history_of_drifted_page_has_original_digest(store: &dyn Store) -> CaseResult {
    for (verdict, status, start) in [(Verdict::Alive, 200, 0), (Verdict::Drifted, 206, 100)] {
        let fixture = StoreFixture::with_pages(store, at(start), &[PAGE]).await?;
        let claim = fixture.claim_one(at(start)).await?;
        let seen = probe(status, at(start));
        let update = TaskUpdate::Finish(target_result(verdict, &seen, at(start)));
        fixture.commit(&[completion(claim.lease, &claim.tasks[0], Some(seen), update)]).await?;
        fixture.release(&claim).await?;
        fixture.close(at(start + 1)).await?;
    }
    let third = StoreFixture::with_pages(store, at(200), &[PAGE]).await?;
    let history = third.claim_one(at(200)).await?.tasks.remove(0).history;
    assert_eq!(history.verdict, Some(Verdict::Drifted));
    assert_eq!(history.digest, probe(200, at(0)).digest);
    Ok(())
}
