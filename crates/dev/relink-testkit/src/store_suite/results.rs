//! Results: what follows from a look, and who may say so.

use relink_model::{Code, Errand, ErrandId, FailureStreak, History, Look, Probe, Purpose, Word};
use relink_ports::{HostLease, HostPace, HostTally, RunPlan, Settlement, Step, Store};

use super::Outcome;
use super::scene::{
    LANDING, LEASE, MANY, Scene, at, digest, look, plan, probe, result, settled_as, settlement,
};

const ONE: &str = "http://one.test/";
const OTHER: &str = "http://one.test/other";

/// Neither target, nor errand, nor host, and no probe is kept.
pub async fn a_result_under_a_lost_lease_is_refused_and_changes_nothing(
    store: &dyn Store,
) -> Outcome {
    let scene = Scene::with_pages(store, at(0), &[ONE]).await?;
    let lost = scene.claim_one(at(0)).await?;
    let current = scene.claim_one(at(LEASE)).await?;
    let (size, tally) = (store.size().await?, store.tally(scene.run).await?);

    let errand = &lost.errands[0];
    let late = settled_as(Some(lost.lease), errand, Word::Dead, at(LEASE + 1));
    let refused = store.complete(scene.run, &[late], scene.moments()).await?.refused;
    assert_eq!(refused, [errand.id]);
    assert_eq!(store.size().await?, size);
    assert_eq!(store.tally(scene.run).await?, tally);
    give_back_late(&scene, lost.lease).await?;

    scene.settle(&current, Word::Alive, at(LEASE + 3)).await?;
    assert_eq!(scene.settled_one().await?.settlement.word, Word::Alive);
    scene.finish(at(LEASE + 4)).await?;
    let next = Scene::with_pages(store, at(LEASE + 5), &[ONE]).await?;
    let claim = next.claim_one(at(LEASE + 5)).await?;
    assert_eq!(claim.pace, HostPace::default());
    assert_eq!(claim.errands[0].history.streak, None);
    Ok(())
}

/// Giving back what somebody else holds does nothing.
async fn give_back_late(scene: &Scene<'_>, lost: HostLease) -> Outcome {
    let pace = HostPace { next_at: at(5000), delay_ms: 1, ..HostPace::default() };
    let tally = HostTally { asked: 1, ..HostTally::default() };
    scene.store.release(scene.run, lost, &pace, &tally).await?;
    assert_eq!(scene.claim(at(LEASE + 2)).await?, [], "it is still leased");
    assert_eq!(scene.store.hosts(scene.run, MANY).await?, []);
    Ok(())
}

/// Results of others in the same commit are kept, those for the same host too.
pub async fn only_the_results_under_the_lost_lease_are_refused(store: &dyn Store) -> Outcome {
    let urls = [ONE, OTHER, "http://two.test/"];
    let scene = Scene::with_pages(store, at(0), &urls).await?;
    let lost = scene.claim(at(0)).await?;
    let lost = lost.iter().find(|claim| claim.name == "one.test").expect("its errands are due");
    let current = scene.claim(at(LEASE)).await?;
    let settle = |lease, errand| settled_as(Some(lease), errand, Word::Alive, at(LEASE));
    let late = settle(lost.lease, &lost.errands[0]);
    let mut results = vec![late];
    for claim in &current {
        let errands = claim.errands.iter().filter(|errand| errand.url != ONE);
        results.extend(errands.map(|errand| settle(claim.lease, errand)));
    }
    let refused = store.complete(scene.run, &results, scene.moments()).await?.refused;
    assert_eq!(refused, [lost.errands[0].id]);
    let settled = scene.settled().await?;
    let settled: Vec<&str> = settled.iter().map(|settled| settled.url.as_str()).collect();
    assert_eq!(settled, [OTHER, "http://two.test/"]);
    Ok(())
}

fn again(looks: Vec<Look>, seconds: i64) -> Step {
    Step::Again { purpose: Purpose::SecondLook, not_before: at(seconds), looks }
}

/// Not before; and nothing is concluded in between.
pub async fn an_errand_to_ask_again_comes_back_with_its_looks_when_it_is_time(
    store: &dyn Store,
) -> Outcome {
    let scene = Scene::with_pages(store, at(0), &[ONE]).await?;
    let claim = scene.claim_one(at(1)).await?;
    let errand = &claim.errands[0];
    assert_eq!((errand.purpose, &errand.looks[..]), (Purpose::First, &[][..]));

    let seen = probe(404, at(1));
    let looks = vec![look(&seen, Purpose::First)];
    let step = again(looks.clone(), 30);
    scene.complete(&[result(Some(claim.lease), errand, Some(seen), step)]).await?;
    scene.release(&claim).await?;
    assert_eq!(scene.settled().await?, []);
    assert_eq!(scene.claim(at(29)).await?, []);
    let expect =
        Errand { purpose: Purpose::SecondLook, not_before: at(30), looks, ..errand.clone() };
    assert_eq!(scene.claim_one(at(30)).await?.errands, [expect]);
    Ok(())
}

/// While its host is still leased.
pub async fn an_errand_to_ask_again_is_refilled_once_it_is_due(store: &dyn Store) -> Outcome {
    let scene = Scene::with_pages(store, at(0), &[ONE]).await?;
    let claim = scene.claim_one(at(1)).await?;
    let errand = &claim.errands[0];
    let seen = probe(404, at(1));
    let step = again(vec![look(&seen, Purpose::First)], 30);
    scene.complete(&[result(Some(claim.lease), errand, Some(seen), step)]).await?;
    let after = (errand.not_before, errand.id);
    let refill = |seconds| store.refill(scene.run, claim.lease, after, MANY, at(seconds));
    assert_eq!(refill(29).await?, []);
    let more = refill(30).await?;
    assert_eq!(more.len(), 1);
    assert_eq!(more[0].id, errand.id);
    assert_eq!(more[0].purpose, Purpose::SecondLook);
    Ok(())
}

/// Its host may have been given back with nothing left to do.
pub async fn an_errand_put_back_without_a_lease_falls_due_too(store: &dyn Store) -> Outcome {
    let scene = Scene::with_pages(store, at(0), &[ONE]).await?;
    let claim = scene.claim_one(at(1)).await?;
    let errand = &claim.errands[0];
    let seen = probe(503, at(1));
    let looks = vec![look(&seen, Purpose::First)];
    let hold = Step::Hold { looks: looks.clone() };
    scene.complete(&[result(Some(claim.lease), errand, Some(seen), hold)]).await?;
    scene.release(&claim).await?;
    assert_eq!(store.next_due(scene.run).await?, None);

    scene.complete(&[result(None, errand, None, again(looks, 30))]).await?;
    assert_eq!(store.next_due(scene.run).await?, Some(at(30)));
    assert_eq!(scene.claim_one(at(30)).await?.errands[0].id, errand.id);
    Ok(())
}

/// Also after an interruption, until it is settled without being asked again.
pub async fn an_errand_on_hold_is_kept_from_claims_and_read_with_its_probe(
    store: &dyn Store,
) -> Outcome {
    let (first, second) = (probe(502, at(1)), probe(503, at(2)));
    let looks = vec![look(&first, Purpose::First), look(&second, Purpose::Retry)];
    let waiting = Step::Hold { looks: looks.clone() };
    let early = again(looks[..1].to_vec(), 2);
    let before = Scene::with_pages(store, at(0), &[ONE]).await?;
    take_steps(&before, [(first, early), (second.clone(), waiting)]).await?;

    let scene = Scene::open(store, at(3)).await?;
    assert_eq!(scene.claim(at(1000)).await?, []);
    assert_eq!(store.next_due(scene.run).await?, None);
    assert_eq!(scene.settled().await?, []);
    let held = store.held(scene.run, ErrandId(0), MANY).await?;
    let [(errand, seen)] = &held[..] else {
        panic!("one errand is on hold: {held:?}");
    };
    assert_eq!((errand.url.as_str(), &errand.looks), (ONE, &looks));
    assert_eq!(seen, &second);

    let settlement = Settlement { looks, ..settlement(Word::Failing, &second, at(4)) };
    let settle = Step::Settle(settlement.clone());
    scene.complete(&[result(None, errand, None, settle)]).await?;
    assert_eq!(store.held(scene.run, ErrandId(0), MANY).await?, []);
    let settled = scene.settled_one().await?;
    assert_eq!(settled.settlement, settlement);
    assert_eq!(settled.probe, Some(second));
    Ok(())
}

/// Takes these steps with the only errand there is, and gives its host back.
async fn take_steps(scene: &Scene<'_>, steps: [(Probe, Step); 2]) -> Outcome {
    let claim = scene.claim_one(at(1)).await?;
    for (probe, step) in steps {
        let done = result(Some(claim.lease), &claim.errands[0], Some(probe), step);
        scene.complete(&[done]).await?;
    }
    scene.release(&claim).await
}

/// In the order of their numbers.
pub async fn errands_on_hold_come_page_by_page(store: &dyn Store) -> Outcome {
    let urls: Vec<String> = (0..5).map(|n| format!("{ONE}{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let scene = Scene::with_pages(store, at(0), &urls).await?;
    let claim = scene.claim_one(at(1)).await?;
    for errand in &claim.errands {
        let seen = probe(503, at(1));
        let looks = vec![look(&seen, Purpose::First)];
        let hold = result(Some(claim.lease), errand, Some(seen), Step::Hold { looks });
        scene.complete(&[hold]).await?;
    }
    let (mut after, mut pages) = (ErrandId(0), Vec::new());
    for expect in [2, 2, 1, 0] {
        let page = store.held(scene.run, after, 2).await?;
        assert_eq!(page.len(), expect);
        after = page.last().map_or(after, |(errand, _)| errand.id);
        pages.extend(page.into_iter().map(|(errand, _)| errand.url));
    }
    assert_eq!(pages, urls);
    Ok(())
}

/// What is known of it comes with its next errand.
pub async fn a_settled_target_is_history_to_the_next_run(store: &dyn Store) -> Outcome {
    let first = Scene::with_pages(store, at(0), &[ONE]).await?;
    let claim = first.claim_one(at(10)).await?;
    assert_eq!(claim.errands[0].history, History::default());
    first.settle(&claim, Word::Moved, at(10)).await?;
    first.finish(at(11)).await?;

    let second = Scene::with_pages(store, at(20), &[ONE]).await?;
    let claim = second.claim_one(at(20)).await?;
    let expect = History {
        word: Some(Word::Moved),
        code: None,
        since: Some(at(10)),
        checked: Some(at(10)),
        last_reached: Some(at(10)),
        streak: None,
        digest: Some(digest(200).into()),
        landing: Some(LANDING.to_owned()),
    };
    assert_eq!(claim.errands[0].history, expect);
    Ok(())
}

/// It was interrupted, another run came between, and it is finished then.
pub async fn a_run_that_is_gone_on_with_knows_better_than_those_after_it(
    store: &dyn Store,
) -> Outcome {
    Scene::with_pages(store, at(0), &[ONE]).await?;
    let between = RunPlan { scope: "between".to_owned(), ..plan() };
    let between = Scene::of(store, &between, at(10)).await?;
    between.load_pages(&[ONE]).await?;
    between.settle_all(Word::Dead, at(10)).await?;
    between.finish(at(11)).await?;

    let resumed = Scene::open(store, at(20)).await?;
    assert!(resumed.run < between.run);
    resumed.settle_all(Word::Alive, at(20)).await?;
    resumed.finish(at(21)).await?;
    assert_eq!(between.settled_one().await?.settlement.word, Word::Dead);

    let last = Scene::with_pages(store, at(30), &[ONE]).await?;
    let history = last.claim_one(at(30)).await?.errands[0].history.clone();
    assert_eq!((history.word, history.checked), (Some(Word::Alive), Some(at(20))));
    Ok(())
}

/// And a success ends the streak.
pub async fn a_failure_keeps_what_the_last_good_page_said(store: &dyn Store) -> Outcome {
    let streak = |runs, last| FailureStreak { runs, first: at(200), last: at(last) };
    // Each run: its moment, its word, since when, the streak it leaves.
    let runs = [
        (100, Word::Alive, 100, None),
        (200, Word::Failing, 200, Some(streak(1, 200))),
        (300, Word::Failing, 200, Some(streak(2, 300))),
        (400, Word::Alive, 400, None),
    ];
    let mut known = History::default();
    for (now, word, since, streak) in runs {
        let scene = Scene::with_pages(store, at(now), &[ONE]).await?;
        let claim = scene.claim_one(at(now)).await?;
        assert_eq!(claim.errands[0].history, known, "before {now}");

        let is_good = word == Word::Alive;
        let seen = probe(if is_good { 200 } else { 503 }, at(now));
        let settlement =
            Settlement { since: at(since), streak, ..settlement(word, &seen, at(now)) };
        let settle = Step::Settle(settlement);
        let done = result(Some(claim.lease), &claim.errands[0], Some(seen), settle);
        scene.complete(&[done]).await?;
        scene.release(&claim).await?;
        scene.finish(at(now)).await?;
        known = History {
            word: Some(word),
            code: (!is_good).then_some(Code::new(101)),
            since: Some(at(since)),
            checked: Some(at(now)),
            last_reached: is_good.then_some(at(now)).or(known.last_reached),
            streak,
            digest: Some(digest(200).into()),
            landing: Some(LANDING.to_owned()),
        };
    }
    Ok(())
}
