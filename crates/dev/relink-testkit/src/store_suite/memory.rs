//! Memory: which targets need not be asked again.

use relink_model::{FetchPurpose, Verdict};
use relink_ports::{RunKey, RunStats, Store, TaskUpdate};

use super::CaseResult;
use super::scene::{StoreFixture, at, look, place, plan, probe, result, settlement};

const PAGE: &str = "http://one.test/page";

/// It is settled with all that was known of it, and nobody may claim it.
pub async fn a_target_alive_lately_is_settled_from_memory(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    first.settle_all(Verdict::Alive, at(10)).await?;
    let asked = first.settled_one().await?;
    first.finish(at(20)).await?;

    let mut second = StoreFixture::open(store, at(100)).await?;
    second.fresh_since = at(10);
    second.load_pages(&[PAGE]).await?;
    assert_eq!(second.claim(at(100)).await?, []);
    assert_eq!(store.next_due(second.run).await?, None);

    let known = second.settled_one().await?;
    assert!(known.is_cached && !asked.is_cached);
    assert_eq!(known.probe, Some(probe(200, at(10))));
    assert_eq!(known.result, asked.result);
    assert_eq!(known.locations[0].location, place(1));
    let RunStats { checked: settled, cached, .. } = store.run_stats(second.run).await?;
    assert_eq!((settled, cached), (1, 1));
    Ok(())
}

/// The moment given is the limit.
pub async fn a_target_alive_too_long_ago_is_asked_again(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    first.settle_all(Verdict::Alive, at(10)).await?;
    first.finish(at(20)).await?;

    let mut second = StoreFixture::open(store, at(100)).await?;
    second.fresh_since = at(11);
    second.load_pages(&[PAGE]).await?;
    assert_eq!(second.settled().await?, []);
    assert_eq!(second.due_urls(at(100)).await?, [PAGE]);
    Ok(())
}

/// Only alive targets are, however lately the others were asked.
pub async fn failures_are_never_settled_from_memory(store: &dyn Store) -> CaseResult {
    for word in Verdict::ALL {
        let url = format!("http://{word}.test/");
        let plan = RunKey { scope: word.to_string(), ..plan() };
        let first = StoreFixture::of(store, &plan, at(0)).await?;
        first.load_pages(&[&url]).await?;
        first.settle_all(word, at(1)).await?;
        first.finish(at(2)).await?;

        let mut second = StoreFixture::of(store, &plan, at(3)).await?;
        second.fresh_since = at(0);
        second.load_pages(&[&url]).await?;
        let is_asked = !second.due_urls(at(4)).await?.is_empty();
        assert_eq!(is_asked, word != Verdict::Alive, "{word}");
    }
    Ok(())
}

/// A target remembered yesterday is as old today as when it was asked.
pub async fn an_answer_from_memory_does_not_make_itself_younger(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    first.settle_all(Verdict::Alive, at(10)).await?;
    first.finish(at(20)).await?;

    let mut second = StoreFixture::open(store, at(100)).await?;
    second.fresh_since = at(5);
    second.load_pages(&[PAGE]).await?;
    second.finish(at(110)).await?;

    let mut third = StoreFixture::open(store, at(200)).await?;
    third.fresh_since = at(50);
    third.load_pages(&[PAGE]).await?;
    assert_eq!(third.due_urls(at(200)).await?, [PAGE]);
    Ok(())
}

/// A later run that came to no end has looked too, but concluded nothing.
pub async fn memory_shows_the_probe_that_reached_the_page(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    first.settle_all(Verdict::Alive, at(10)).await?;
    first.finish(at(20)).await?;

    let unfinished = StoreFixture::with_pages(store, at(30), &[PAGE]).await?;
    let claim = unfinished.claim_one(at(30)).await?;
    let bad = probe(503, at(30));
    let again = TaskUpdate::Retry {
        purpose: FetchPurpose::Retry,
        not_before: at(60),
        attempts: vec![look(&bad, FetchPurpose::Initial)],
    };
    let retry = result(Some(claim.lease), &claim.tasks[0], Some(bad), again);
    unfinished.complete(&[retry]).await?;

    let run = store.open_run(&plan(), true, at(100)).await?.id;
    let third = StoreFixture { run, now: at(100), fresh_since: at(0), ..unfinished };
    third.load_pages(&[PAGE]).await?;
    assert_eq!(third.settled_one().await?.probe, Some(probe(200, at(10))));
    Ok(())
}

/// What was linked is what a page was before it became about something else.
pub async fn a_page_that_drifted_is_remembered_as_it_was(store: &dyn Store) -> CaseResult {
    for (word, status, start) in [(Verdict::Alive, 200, 0), (Verdict::Drifted, 206, 100)] {
        let scene = StoreFixture::with_pages(store, at(start), &[PAGE]).await?;
        let claim = scene.claim_one(at(start)).await?;
        let seen = probe(status, at(start));
        let step = TaskUpdate::Finish(settlement(word, &seen, at(start)));
        scene.complete(&[result(Some(claim.lease), &claim.tasks[0], Some(seen), step)]).await?;
        scene.release(&claim).await?;
        scene.finish(at(start + 1)).await?;
    }
    let third = StoreFixture::with_pages(store, at(200), &[PAGE]).await?;
    let history = third.claim_one(at(200)).await?.tasks.remove(0).history;
    assert_eq!(history.verdict, Some(Verdict::Drifted));
    assert_eq!(history.digest, probe(200, at(0)).digest);
    Ok(())
}
