//! Cases about leasing and releasing hosts.

use std::collections::HashSet;

use jiff::Timestamp;
use relink_model::{FetchPurpose, FetchTask, TaskId, Verdict};
use relink_ports::{
    Claim, ClaimRequest, HostLease, HostRelease, HostSchedule, HostStats, NewLink, RunKey, Store,
    StoreError, TaskUpdate,
};

use super::CaseResult;
use super::fixture::{
    LEASE_SECONDS, MANY, StoreFixture, at, attempt, claim_request, completion, document, lease_end,
    probe, run_key, user_link,
};

/// A page on the first host.
const PAGE_ONE: &str = "http://one.test/";
/// A page on the second host.
const PAGE_TWO: &str = "http://two.test/";

/// More hosts and tasks are due than each claim requests.
pub async fn claim_respects_host_and_task_limits(store: &dyn Store) -> CaseResult {
    let urls: Vec<String> = (0..15).map(|n| format!("http://host-{}.test/{n}", n % 3)).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let fixture = StoreFixture::with_pages(store, at(0), &urls).await?;
    let claims =
        store.claim(fixture.run, claim_request(2, 4, at(1), at(1 + LEASE_SECONDS))).await?;
    let counts: Vec<usize> = claims.iter().map(|claim| claim.tasks.len()).collect();
    assert_eq!(counts, [4, 4]);
    let rest =
        store.claim(fixture.run, claim_request(2, MANY, at(2), at(2 + LEASE_SECONDS))).await?;
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].tasks.len(), 5);
    let ids: Vec<TaskId> = rest[0].tasks.iter().map(|task| task.id).collect();
    assert!(ids.is_sorted(), "oldest first: {ids:?}");
    Ok(())
}

/// As long as a host is leased, no claim returns it.
pub async fn leased_host_is_not_claimed_until_released(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    let first = fixture.claim_one(at(1)).await?;
    assert_eq!(fixture.claim(at(2)).await?, []);
    assert_eq!(store.next_due(fixture.run).await?.at, None);

    fixture.release(&first).await?;
    let second = fixture.claim_one(at(3)).await?;
    assert_eq!(second.lease.host, first.lease.host);
    assert_ne!(second.lease.fencing_token, first.lease.fencing_token);
    assert_eq!(second.tasks, first.tasks);
    Ok(())
}

/// A crashed worker does not release its host.
pub async fn leased_host_is_not_claimed_until_lease_expires(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    let first = fixture.claim_one(at(0)).await?;
    assert_eq!(fixture.claim(at(LEASE_SECONDS - 1)).await?, []);
    let second = fixture.claim_one(at(LEASE_SECONDS)).await?;
    assert_ne!(second.lease.fencing_token, first.lease.fencing_token);
    assert_eq!(second.tasks, first.tasks);
    Ok(())
}

/// A host is leased to one run at a time, so that rate limits hold for all runs together.
pub async fn lease_excludes_other_runs(store: &dyn Store) -> CaseResult {
    let other = RunKey { scope: "other".to_owned(), ..run_key() };
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    let other = StoreFixture::open_with_key(store, &other, at(0)).await?;
    other.load_pages(&[PAGE_ONE, PAGE_TWO]).await?;

    let first = fixture.claim_one(at(1)).await?;
    assert_eq!(other.due_urls(at(1)).await?, [PAGE_TWO]);
    fixture.release(&first).await?;
    assert_eq!(other.due_urls(at(2)).await?, [PAGE_ONE]);
    Ok(())
}

/// The host can be claimed again at the new end of the lease.
pub async fn renewed_lease_lasts_longer(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE, PAGE_TWO]).await?;
    let claims = fixture.claim(at(0)).await?;
    let leases: Vec<HostLease> = claims.iter().map(|claim| claim.lease).collect();
    assert_eq!(store.renew(&leases, at(2 * LEASE_SECONDS)).await?, []);
    assert_eq!(fixture.claim(at(2 * LEASE_SECONDS - 1)).await?, []);
    assert_eq!(fixture.due_urls(at(2 * LEASE_SECONDS)).await?, [PAGE_ONE, PAGE_TWO]);
    Ok(())
}

/// `renew` returns the leases that it could not extend: released leases, and leases of hosts
/// that a later claim leased again.
pub async fn released_or_lost_lease_is_not_renewed(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    let released = fixture.claim_one(at(0)).await?;
    fixture.release(&released).await?;
    assert_eq!(store.renew(&[released.lease], at(1000)).await?, [released.lease]);

    let lost = fixture.claim_one(at(1)).await?;
    let current = fixture.claim_one(at(1 + LEASE_SECONDS)).await?;
    let leases = [lost.lease, current.lease];
    assert_eq!(store.renew(&leases, at(1 + 2 * LEASE_SECONDS)).await?, [lost.lease]);
    let next = fixture.claim_one(at(1 + 2 * LEASE_SECONDS)).await?;
    assert_ne!(next.lease.fencing_token, current.lease.fencing_token);
    Ok(())
}

/// No task is returned twice, although none is finished yet.
pub async fn more_tasks_continues_after_the_last_task(store: &dyn Store) -> CaseResult {
    let urls: Vec<String> = (0..10).map(|n| format!("{PAGE_ONE}{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let fixture = StoreFixture::with_pages(store, at(0), &urls).await?;
    let claims =
        store.claim(fixture.run, claim_request(1, 3, at(1), at(1 + LEASE_SECONDS))).await?;
    let mut returned = claims[0].tasks.clone();
    for expect in [4, 3, 0] {
        let more =
            store.more_tasks(fixture.run, claims[0].lease, cursor(&returned), 4, at(1)).await?;
        assert_eq!(more.len(), expect);
        returned.extend(more);
    }
    let returned_urls: Vec<&str> = returned.iter().map(|task| task.url.as_str()).collect();
    assert_eq!(returned_urls, urls);
    Ok(())
}

/// Two workers must not fetch the same tasks.
pub async fn more_tasks_returns_nothing_for_lost_lease(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE, "http://one.test/2"]).await?;
    let lost = store.claim(fixture.run, claim_request(1, 1, at(0), at(LEASE_SECONDS))).await?;
    let current = store
        .claim(fixture.run, claim_request(1, 1, at(LEASE_SECONDS), at(2 * LEASE_SECONDS)))
        .await?;
    let after = cursor(&current[0].tasks);
    let now = at(LEASE_SECONDS + 1);
    let refill = |lease| store.more_tasks(fixture.run, lease, after, MANY, now);
    assert_eq!(refill(lost[0].lease).await?, []);
    assert_eq!(refill(current[0].lease).await?.len(), 1);
    Ok(())
}

/// The next due time is the earliest `not_before` of the pending tasks, or `None` without
/// pending tasks.
pub async fn release_updates_next_due_time(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE, "http://one.test/2"]).await?;
    let claim = fixture.claim_one(at(1)).await?;
    let retried = |task: &FetchTask, seconds| {
        let probe = probe(503, at(1));
        let retry = TaskUpdate::Retry {
            purpose: FetchPurpose::Retry,
            not_before: at(seconds),
            attempts: vec![attempt(&probe, FetchPurpose::Initial)],
        };
        completion(claim.lease, task, Some(probe), retry)
    };
    let [first, second] = &claim.tasks[..] else {
        panic!("two tasks are due");
    };
    fixture.commit(&[retried(first, 50), retried(second, 40)]).await?;
    fixture.release(&claim).await?;
    assert_eq!(store.next_due(fixture.run).await?.at, Some(at(40)));

    let claim = fixture.claim_one(at(40)).await?;
    fixture.finish_claim(&claim, Verdict::Alive, at(41)).await?;
    assert_eq!(store.next_due(fixture.run).await?.at, Some(at(50)));

    let claim = fixture.claim_one(at(50)).await?;
    fixture.finish_claim(&claim, Verdict::Alive, at(51)).await?;
    assert_eq!(store.next_due(fixture.run).await?.at, None);
    Ok(())
}

/// The schedule also applies to the next run, which gets it with the claim.
pub async fn host_schedule_delays_the_next_claim(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    let claim = fixture.claim_one(at(1)).await?;
    assert_eq!(claim.schedule, HostSchedule::default());
    let schedule = HostSchedule {
        next_at: at(90),
        delay_ms: 2500,
        throttle_ms: 4000,
        stored_at: at(3),
        address: Some("2001:db8::7".parse().expect("a valid address")),
    };
    let stats = HostStats::default();
    store.release(fixture.run, &[HostRelease { lease: claim.lease, schedule, stats }]).await?;
    assert_eq!(store.next_due(fixture.run).await?.at, Some(at(90)));
    assert_eq!(fixture.claim(at(89)).await?, []);

    fixture.close(at(89)).await?;
    let next = StoreFixture::with_pages(store, at(89), &[PAGE_ONE]).await?;
    assert_eq!(next.claim(at(89)).await?, []);
    assert_eq!(next.claim_one(at(90)).await?.schedule, schedule);
    Ok(())
}

/// With `claims_before_due`, hosts that are not due yet are claimed, so that a run can finish
/// their tasks as blocked. Leased hosts are not claimed.
pub async fn claim_before_due_respects_leases(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE, PAGE_TWO]).await?;
    let first = store.claim(fixture.run, claim_request(1, 1, at(1), lease_end(at(1)))).await?;
    let schedule = HostSchedule { next_at: at(5000), ..HostSchedule::default() };
    store
        .release(
            fixture.run,
            &[HostRelease { lease: first[0].lease, schedule, stats: HostStats::default() }],
        )
        .await?;
    let other = fixture.claim_one(at(2)).await?;
    let early = ClaimRequest {
        claims_before_due: true,
        ..claim_request(MANY, MANY, at(3), lease_end(at(3)))
    };
    let claims = store.claim(fixture.run, early).await?;
    assert_eq!(claims.len(), 1);
    assert_eq!(claims[0].name, first[0].name);
    assert_ne!(claims[0].name, other.name);
    Ok(())
}

/// The clock was set back after the schedule was stored. The whole wait (60 s) then starts
/// again when the next run opens.
pub async fn schedule_stored_in_the_future_restarts_in_the_next_run(
    store: &dyn Store,
) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(1000), &[PAGE_ONE]).await?;
    let claim = fixture.claim_one(at(1001)).await?;
    let schedule =
        HostSchedule { next_at: at(1090), stored_at: at(1030), ..HostSchedule::default() };
    store
        .release(
            fixture.run,
            &[HostRelease { lease: claim.lease, schedule, stats: HostStats::default() }],
        )
        .await?;
    fixture.close(at(1030)).await?;

    let next = StoreFixture::with_pages(store, at(200), &[PAGE_ONE]).await?;
    assert_eq!(next.claim(at(259)).await?, []);
    assert_eq!(next.claim_one(at(260)).await?.schedule.next_at, at(260));
    Ok(())
}

/// In each round, a claim and one call of `more_tasks` return tasks, and all of them are
/// finished.
pub async fn ten_thousand_tasks_are_each_claimed_once(store: &dyn Store) -> CaseResult {
    const LINKS: u32 = 10_000;
    const BATCH: usize = 512;
    let fixture = StoreFixture::open(store, at(0)).await?;
    let link = |n| user_link(n, &format!("http://host-{}.test/{n}", n % 7));
    let links: Vec<NewLink> = (1..=LINKS).map(link).collect();
    let big = store.load_document(fixture.run, &document("big.md", 1)).await?;
    for (batch, chunk) in links.chunks(BATCH).enumerate() {
        fixture.add_links(big.id, BATCH * batch, chunk).await?;
    }
    store.finish_document(big.id).await?;
    store.finish_loading(fixture.run, &[big.id]).await?;

    let mut seen: HashSet<TaskId> = HashSet::new();
    for round in 1.. {
        let now = at(round);
        let claims = store.claim(fixture.run, claim_request(3, 50, now, lease_end(now))).await?;
        if claims.is_empty() {
            break;
        }
        for claim in claims {
            for task in finish_claim(&fixture, claim, now).await? {
                assert!(seen.insert(task), "{task:?} is returned once");
            }
        }
    }
    assert_eq!(seen.len(), LINKS as usize);
    assert_eq!(store.run_stats(fixture.run).await?.checked, LINKS.into());
    Ok(())
}

/// Finishes the tasks of a claim and of one call of `more_tasks`.
async fn finish_claim(
    fixture: &StoreFixture<'_>,
    mut claim: Claim,
    now: Timestamp,
) -> Result<Vec<TaskId>, StoreError> {
    let after = cursor(&claim.tasks);
    let more = fixture.store.more_tasks(fixture.run, claim.lease, after, 350, now).await?;
    claim.tasks.extend(more);
    fixture.finish_claim(&claim, Verdict::Alive, now).await?;
    Ok(claim.tasks.iter().map(|task| task.id).collect())
}

/// Returns the position after the last task, for `more_tasks`.
fn cursor(tasks: &[FetchTask]) -> (Timestamp, TaskId) {
    let last = tasks.last().expect("a task was returned");
    (last.not_before, last.id)
}

/// A reserved request counts as a request of its host for runs and for other workers.
pub async fn reserved_request_delays_runs_and_other_requests(store: &dyn Store) -> CaseResult {
    assert!(
        store.reserve_request("one.test", at(0), at(2)).await?,
        "an unknown host can be reserved"
    );
    assert!(
        !store.reserve_request("one.test", at(1), at(3)).await?,
        "a host is not reserved twice before it is due"
    );
    let fixture = StoreFixture::with_pages(store, at(1), &[PAGE_ONE]).await?;
    assert_eq!(fixture.claim(at(1)).await?, [], "a reserved host is not claimed");
    assert!(store.reserve_request("one.test", at(2), at(4)).await?);
    let claim = fixture.claim_one(at(4)).await?;
    assert!(
        !store.reserve_request("one.test", at(5), at(6)).await?,
        "a leased host is not reserved"
    );
    fixture.release(&claim).await?;
    assert!(store.reserve_request("one.test", at(5), at(6)).await?);
    Ok(())
}
