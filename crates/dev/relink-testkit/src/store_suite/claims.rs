//! Claims: hosts are leased, tasks handed out, hosts given back.

use std::collections::HashSet;

use jiff::Timestamp;
use relink_model::{FetchPurpose, FetchTask, TaskId, Verdict};
use relink_ports::{
    Claim, HostLease, HostSchedule, HostStats, NewLink, RunKey, Store, StoreError, TaskUpdate,
};

use super::CaseResult;
use super::scene::{
    LEASE, MANY, StoreFixture, at, document, lease_end, look, named, plan, probe, result,
};

const ONE: &str = "http://one.test/";
const TWO: &str = "http://two.test/";

/// Neither hosts nor tasks.
pub async fn a_claim_takes_no_more_than_it_asks_for(store: &dyn Store) -> CaseResult {
    let urls: Vec<String> = (0..15).map(|n| format!("http://host-{}.test/{n}", n % 3)).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let scene = StoreFixture::with_pages(store, at(0), &urls).await?;
    let claims = store.claim(scene.run, 2, 4, at(1), at(1 + LEASE)).await?;
    let counts: Vec<usize> = claims.iter().map(|claim| claim.tasks.len()).collect();
    assert_eq!(counts, [4, 4]);
    let rest = store.claim(scene.run, 2, MANY, at(2), at(2 + LEASE)).await?;
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].tasks.len(), 5);
    let ids: Vec<TaskId> = rest[0].tasks.iter().map(|task| task.id).collect();
    assert!(ids.is_sorted(), "oldest first: {ids:?}");
    Ok(())
}

/// Not even for tasks that were not handed out yet.
pub async fn a_leased_host_is_not_leased_again_until_released(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    let first = scene.claim_one(at(1)).await?;
    assert_eq!(scene.claim(at(2)).await?, []);
    assert_eq!(store.next_due(scene.run).await?, None);

    scene.release(&first).await?;
    let second = scene.claim_one(at(3)).await?;
    assert_eq!(second.lease.host, first.lease.host);
    assert_ne!(second.lease.fencing_token, first.lease.fencing_token);
    assert_eq!(second.tasks, first.tasks);
    Ok(())
}

/// A worker that died gives nothing back, but its lease ends.
pub async fn a_leased_host_is_not_leased_again_until_its_lease_expires(
    store: &dyn Store,
) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    let first = scene.claim_one(at(0)).await?;
    assert_eq!(scene.claim(at(LEASE - 1)).await?, []);
    let second = scene.claim_one(at(LEASE)).await?;
    assert_ne!(second.lease.fencing_token, first.lease.fencing_token);
    assert_eq!(second.tasks, first.tasks);
    Ok(())
}

/// Politeness is owed by all runs together.
pub async fn a_lease_holds_against_other_runs(store: &dyn Store) -> CaseResult {
    let other = RunKey { scope: "other".to_owned(), ..plan() };
    let scene = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    let other = StoreFixture::of(store, &other, at(0)).await?;
    other.load_pages(&[ONE, TWO]).await?;

    let first = scene.claim_one(at(1)).await?;
    assert_eq!(other.due_urls(at(1)).await?, [TWO]);
    scene.release(&first).await?;
    assert_eq!(other.due_urls(at(2)).await?, [ONE]);
    Ok(())
}

/// Up to the new end, and no longer.
pub async fn a_renewed_lease_lasts_longer(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[ONE, TWO]).await?;
    let claims = scene.claim(at(0)).await?;
    let leases: Vec<HostLease> = claims.iter().map(|claim| claim.lease).collect();
    store.renew(&leases, at(2 * LEASE)).await?;
    assert_eq!(scene.claim(at(2 * LEASE - 1)).await?, []);
    assert_eq!(scene.due_urls(at(2 * LEASE)).await?, [ONE, TWO]);
    Ok(())
}

/// The host belongs to nobody, or to somebody else.
pub async fn a_lease_given_back_or_lost_is_not_renewed(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    let given_back = scene.claim_one(at(0)).await?;
    scene.release(&given_back).await?;
    store.renew(&[given_back.lease], at(1000)).await?;

    let lost = scene.claim_one(at(1)).await?;
    let current = scene.claim_one(at(1 + LEASE)).await?;
    store.renew(&[lost.lease], at(1000)).await?;
    let next = scene.claim_one(at(1 + 2 * LEASE)).await?;
    assert_ne!(next.lease.fencing_token, current.lease.fencing_token);
    Ok(())
}

/// Although nothing of what was handed out is settled yet.
pub async fn a_refill_goes_on_after_the_last_and_hands_nothing_out_twice(
    store: &dyn Store,
) -> CaseResult {
    let urls: Vec<String> = (0..10).map(|n| format!("{ONE}{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let scene = StoreFixture::with_pages(store, at(0), &urls).await?;
    let claims = store.claim(scene.run, 1, 3, at(1), at(1 + LEASE)).await?;
    let mut handed_out = claims[0].tasks.clone();
    for expect in [4, 3, 0] {
        let more =
            store.more_tasks(scene.run, claims[0].lease, cursor(&handed_out), 4, at(1)).await?;
        assert_eq!(more.len(), expect);
        handed_out.extend(more);
    }
    let asked: Vec<&str> = handed_out.iter().map(|task| task.url.as_str()).collect();
    assert_eq!(asked, urls);
    Ok(())
}

/// Or two workers would ask the same tasks.
pub async fn a_lost_lease_gets_no_refill(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[ONE, "http://one.test/2"]).await?;
    let lost = store.claim(scene.run, 1, 1, at(0), at(LEASE)).await?;
    let current = store.claim(scene.run, 1, 1, at(LEASE), at(2 * LEASE)).await?;
    let after = cursor(&current[0].tasks);
    let now = at(LEASE + 1);
    let refill = |lease| store.more_tasks(scene.run, lease, after, MANY, now);
    assert_eq!(refill(lost[0].lease).await?, []);
    assert_eq!(refill(current[0].lease).await?.len(), 1);
    Ok(())
}

/// The moment of the task that is due first, or none if none is left.
pub async fn releasing_sets_the_next_due_moment(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[ONE, "http://one.test/2"]).await?;
    let claim = scene.claim_one(at(1)).await?;
    let put_back = |task: &FetchTask, seconds| {
        let probe = probe(503, at(1));
        let again = TaskUpdate::Retry {
            purpose: FetchPurpose::Retry,
            not_before: at(seconds),
            attempts: vec![look(&probe, FetchPurpose::Initial)],
        };
        result(Some(claim.lease), task, Some(probe), again)
    };
    let [first, second] = &claim.tasks[..] else {
        panic!("two tasks are due");
    };
    scene.complete(&[put_back(first, 50), put_back(second, 40)]).await?;
    scene.release(&claim).await?;
    assert_eq!(store.next_due(scene.run).await?, Some(at(40)));

    let claim = scene.claim_one(at(40)).await?;
    scene.settle(&claim, Verdict::Alive, at(41)).await?;
    assert_eq!(store.next_due(scene.run).await?, Some(at(50)));

    let claim = scene.claim_one(at(50)).await?;
    scene.settle(&claim, Verdict::Alive, at(51)).await?;
    assert_eq!(store.next_due(scene.run).await?, None);
    Ok(())
}

/// In the next run too, for all that the clock has learned.
pub async fn the_pace_of_a_host_survives_and_gates_the_next_claim(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    let claim = scene.claim_one(at(1)).await?;
    assert_eq!(claim.politeness, HostSchedule::default());
    let pace = HostSchedule {
        next_at: at(90),
        delay_ms: 2500,
        throttle_ms: 4000,
        stored_at: at(3),
        address: Some("2001:db8::7".parse().expect("it is an address")),
    };
    let tally = HostStats::default();
    store.release(scene.run, claim.lease, &pace, &tally).await?;
    assert_eq!(store.next_due(scene.run).await?, Some(at(90)));
    assert_eq!(scene.claim(at(89)).await?, []);

    scene.finish(at(89)).await?;
    let next = StoreFixture::with_pages(store, at(89), &[ONE]).await?;
    assert_eq!(next.claim(at(89)).await?, []);
    assert_eq!(next.claim_one(at(90)).await?.politeness, pace);
    Ok(())
}

/// The wait itself is kept: how much of it has passed is unknown.
pub async fn a_wait_stored_in_the_future_starts_again_in_the_next_run(
    store: &dyn Store,
) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(1000), &[ONE]).await?;
    let claim = scene.claim_one(at(1001)).await?;
    let pace = HostSchedule { next_at: at(1090), stored_at: at(1030), ..HostSchedule::default() };
    store.release(scene.run, claim.lease, &pace, &HostStats::default()).await?;
    scene.finish(at(1030)).await?;

    let next = StoreFixture::with_pages(store, at(200), &[ONE]).await?;
    assert_eq!(next.claim(at(259)).await?, []);
    assert_eq!(next.claim_one(at(260)).await?.politeness.next_at, at(260));
    Ok(())
}

/// However many claims, refills and commits it takes.
pub async fn ten_thousand_links_of_one_document_are_all_claimed_once(
    store: &dyn Store,
) -> CaseResult {
    const LINKS: u32 = 10_000;
    let scene = StoreFixture::open(store, at(0)).await?;
    let link = |n| named(n, &format!("http://host-{}.test/{n}", n % 7));
    let links: Vec<NewLink> = (1..=LINKS).map(link).collect();
    let big = store.load_document(scene.run, &document("big.md", 1)).await?;
    for (n, chunk) in links.chunks(512).enumerate() {
        scene.add(big.id, 512 * n, chunk).await?;
    }
    store.finish_document(big.id).await?;
    store.finish_loading(scene.run, &[big.id]).await?;

    let mut seen: HashSet<TaskId> = HashSet::new();
    for round in 1.. {
        let now = at(round);
        let claims = store.claim(scene.run, 3, 50, now, lease_end(now)).await?;
        if claims.is_empty() {
            break;
        }
        for claim in claims {
            for task in work_off(&scene, claim, now).await? {
                assert!(seen.insert(task), "{task:?} is handed out once");
            }
        }
    }
    assert_eq!(seen.len(), LINKS as usize);
    assert_eq!(store.run_stats(scene.run).await?.checked, LINKS.into());
    Ok(())
}

/// Settles what was claimed and one refill; there may be more left to do.
async fn work_off(
    scene: &StoreFixture<'_>,
    mut claim: Claim,
    now: Timestamp,
) -> Result<Vec<TaskId>, StoreError> {
    let after = cursor(&claim.tasks);
    let more = scene.store.more_tasks(scene.run, claim.lease, after, 350, now).await?;
    claim.tasks.extend(more);
    scene.settle(&claim, Verdict::Alive, now).await?;
    Ok(claim.tasks.iter().map(|task| task.id).collect())
}

fn cursor(tasks: &[FetchTask]) -> (Timestamp, TaskId) {
    let last = tasks.last().expect("a task was handed out");
    (last.not_before, last.id)
}
