//! Cases about reading results and statistics.

use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_model::{FetchOutcome, FetchPurpose, Phase, TaskId, Verdict};
use relink_ports::{
    CheckedTarget, CheckedTargetQuery, HostRelease, HostSchedule, HostStats, LinkLocation, NewLink,
    RunKey, RunProgress, RunStats, Store, StoreError, TargetResult, TaskUpdate,
};

use super::CaseResult;
use super::fixture::{
    LEASE_SECONDS, MANY, StoreFixture, at, attempt, completion, finished_completion, local_link,
    location, probe, run_key, target_result, user_link,
};

/// A page on the first host.
const PAGE_ONE: &str = "http://one.test/";
/// A page on the second host.
const PAGE_TWO: &str = "http://two.test/";
/// A page on the third host.
const PAGE_THREE: &str = "http://three.test/";

/// Targets of other runs and pending targets are not returned.
pub async fn checked_targets_are_paginated_in_order(store: &dyn Store) -> CaseResult {
    let urls: Vec<String> = (0..7).map(|n| format!("{PAGE_ONE}{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let before = StoreFixture::with_pages(store, at(0), &urls[..2]).await?;
    before.finish_all(Verdict::Alive, at(1)).await?;
    before.close(at(2)).await?;
    let fixture = StoreFixture::with_pages(store, at(3), &urls).await?;
    fixture.finish_all(Verdict::Dead, at(4)).await?;
    fixture.load("more.md", 2, &[user_link(1, "http://one.test/pending")]).await?;

    let (mut after, mut pages) = (TaskId(0), Vec::new());
    for expect in [3, 3, 1, 0] {
        let page = store
            .checked_targets(
                fixture.run,
                CheckedTargetQuery { after, limit: 3, ..CheckedTargetQuery::ALL },
            )
            .await?;
        assert_eq!(page.len(), expect);
        after = page.last().map_or(after, |checked| checked.task);
        pages.extend(page);
    }
    assert_eq!(pages, fixture.checked().await?);
    let read: Vec<&str> = pages.iter().map(|checked| checked.url.as_str()).collect();
    assert_eq!(read, urls);
    Ok(())
}

/// The limit applies after the filter.
pub async fn checked_targets_are_filtered_by_verdict(store: &dyn Store) -> CaseResult {
    let verdicts = [Verdict::Alive, Verdict::Dead, Verdict::Alive, Verdict::Soft404, Verdict::Dead];
    let fixture = StoreFixture::open(store, at(0)).await?;
    let link = |(n, verdict): (u32, &Verdict)| local_link(n, &format!("file:{n}"), *verdict);
    let links: Vec<NewLink> = (1..).zip(&verdicts).map(link).collect();
    fixture.load("a.md", 1, &links).await?;

    let checked_verdicts =
        async |after: i64, limit, verdicts: &[Verdict]| -> Result<Vec<Verdict>, StoreError> {
            let query = CheckedTargetQuery {
                after: TaskId(after),
                limit,
                verdicts: Some(verdicts),
                ..CheckedTargetQuery::ALL
            };
            let checked = store.checked_targets(fixture.run, query);
            Ok(checked.await?.iter().map(verdict).collect())
        };
    let broken = [Verdict::Soft404, Verdict::Dead];
    let expect = [Verdict::Dead, Verdict::Soft404, Verdict::Dead];
    assert_eq!(checked_verdicts(0, MANY, &broken).await?, expect);
    assert_eq!(checked_verdicts(0, 2, &broken).await?, expect[..2]);
    assert_eq!(checked_verdicts(0, MANY, &[Verdict::Moved]).await?, []);
    assert_eq!(checked_verdicts(0, MANY, &[]).await?, []);
    let all = fixture.checked().await?;
    assert_eq!(all.iter().map(verdict).collect::<Vec<_>>(), verdicts);
    let second = all[1].task.0;
    assert_eq!(checked_verdicts(second, MANY, &broken).await?, expect[1..]);
    Ok(())
}

/// Returns the verdict of a target.
fn verdict(checked: &CheckedTarget) -> Verdict {
    checked.result.verdict
}

/// Attempts, hops, locations and all other fields are stored.
pub async fn checked_target_round_trips(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let original_url = "HTTP://PAGE_ONE.test/?q='quoted'&ü=\u{1f4da}";
    let first = NewLink { original_url: original_url.to_owned(), ..user_link(4, PAGE_ONE) };
    fixture.load("ä/b.md", 1, &[first, user_link(9, PAGE_ONE)]).await?;
    let claim = fixture.claim_one(at(1)).await?;
    let task = &claim.tasks[0];

    let (first, second) = (probe(503, at(1)), probe(404, at(2)));
    let mut timeout = attempt(&first, FetchPurpose::Initial);
    timeout.outcome = FetchOutcome::TimedOut(Phase::Headers);
    let result = TargetResult {
        attempts: vec![timeout.clone(), attempt(&second, FetchPurpose::Confirmation)],
        since: at(-500),
        ..target_result(Verdict::Dead, &second, at(2))
    };
    let retry = TaskUpdate::Retry {
        purpose: FetchPurpose::Confirmation,
        not_before: at(2),
        attempts: vec![timeout],
    };
    let finish = TaskUpdate::Finish(result.clone());
    for (probe, update) in [(first, retry), (second.clone(), finish)] {
        fixture.commit(&[completion(claim.lease, task, Some(probe), update)]).await?;
    }
    let locations =
        [4, 9].map(|line| LinkLocation { path: "ä/b.md".to_owned(), location: location(line) });
    let expect = CheckedTarget {
        task: task.id,
        original_url: original_url.to_owned(),
        url: PAGE_ONE.to_owned(),
        result,
        is_cached: false,
        probe: Some(second),
        locations: locations.to_vec(),
        inlinks: 2,
        depth: None,
    };
    assert_eq!(fixture.checked().await?, [expect]);
    Ok(())
}

/// A single attempt is stored, or derived from its probe.
pub async fn single_attempt_round_trips(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    fixture.finish_all(Verdict::Alive, at(5)).await?;
    let seen = probe(200, at(5));
    let expect = target_result(Verdict::Alive, &seen, at(5));
    assert_eq!(expect.attempts, [attempt(&seen, FetchPurpose::Initial)]);
    assert_eq!(fixture.checked_one().await?.result, expect);
    Ok(())
}

/// A target that was fetched in an earlier run is finished without a request.
pub async fn target_finished_without_request_has_no_attempts(store: &dyn Store) -> CaseResult {
    let before = StoreFixture::with_pages(store, at(0), &[PAGE_ONE]).await?;
    before.finish_all(Verdict::Alive, at(1)).await?;
    before.close(at(2)).await?;

    let fixture = StoreFixture::with_pages(store, at(3), &[PAGE_ONE]).await?;
    let claim = fixture.claim_one(at(4)).await?;
    let result = TargetResult {
        status: None,
        attempts: Vec::new(),
        ..target_result(Verdict::Blocked, &probe(429, at(4)), at(4))
    };
    let finish = TaskUpdate::Finish(result.clone());
    fixture.commit(&[completion(claim.lease, &claim.tasks[0], None, finish)]).await?;
    let checked = fixture.checked_one().await?;
    assert_eq!((checked.result, checked.probe), (result, None));
    Ok(())
}

/// Inlinks are returned in the order of the given tasks, not of task ids.
pub async fn inlinks_are_in_the_order_of_the_tasks(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let links = [user_link(1, PAGE_ONE), user_link(2, PAGE_TWO), user_link(3, PAGE_ONE)];
    fixture.load("a.md", 1, &links).await?;
    fixture.finish_all(Verdict::Alive, at(1)).await?;
    let checked = fixture.checked().await?;
    let (one, two) = (&checked[0], &checked[1]);
    let tasks = [two.task, TaskId(i64::MAX), one.task];
    let inlinks = store.inlinks(&tasks, MANY).await?;
    let locations: Vec<_> = inlinks.iter().map(|inlinks| inlinks.locations.clone()).collect();
    assert_eq!(locations, [two.locations.clone(), Vec::new(), one.locations.clone()]);
    assert_eq!(locations[0][0].location, location(2));
    assert_eq!(store.inlinks(&[], MANY).await?, []);

    let first = &store.inlinks(&tasks, 1).await?[2];
    assert_eq!((&first.locations[..], first.count), (&one.locations[..1], 2));
    Ok(())
}

/// A document can suppress codes. If all documents with a link suppress a finding, the finding is
/// omitted. Otherwise, only the locations in the other documents are returned.
pub async fn suppressed_finding_is_not_returned(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let suppressing_link = |line, url, code: &str| {
        let ignored_codes = vec!["RL601".to_owned(), code.to_owned()];
        NewLink { ignored_codes, ..user_link(line, url) }
    };
    let links = [
        suppressing_link(1, PAGE_ONE, "RL101"),
        suppressing_link(2, PAGE_TWO, "RL101"),
        user_link(3, PAGE_TWO),
        suppressing_link(4, PAGE_THREE, "RL999"),
    ];
    fixture.load("b.md", 2, &links).await?;
    fixture.finish_all(Verdict::Dead, at(1)).await?;
    let checked = fixture.checked().await?;
    let reported: Vec<(&str, u64, u32)> = checked
        .iter()
        .map(|target| (&*target.url, target.inlinks, target.locations[0].location.line))
        .collect();
    assert_eq!(reported, [(PAGE_TWO, 1, 3), (PAGE_THREE, 1, 4)]);
    let stats = store.run_stats(fixture.run).await?;
    assert_eq!((stats.links, stats.ignored), (2, 2));
    assert_eq!((stats.targets, stats.verdicts[&Verdict::Dead]), (2, 2));
    Ok(())
}

/// Targets and links of other runs are not counted.
pub async fn run_stats_count_only_this_run(store: &dyn Store) -> CaseResult {
    let other = RunKey { scope: "other".to_owned(), ..run_key() };
    let other = StoreFixture::open_with_key(store, &other, at(0)).await?;
    other.load_pages(&[PAGE_TWO, "http://three.test/"]).await?;
    other.finish_all(Verdict::Alive, at(1)).await?;

    let mut fixture = StoreFixture::open(store, at(10)).await?;
    fixture.fresh_since = at(0);
    let links = [
        user_link(1, PAGE_ONE),
        user_link(2, PAGE_TWO),
        user_link(3, PAGE_ONE),
        local_link(4, "file:a", Verdict::Local),
    ];
    fixture.load("a.md", 1, &links).await?;
    fixture.load("b.md", 2, &[user_link(1, "http://one.test/b")]).await?;
    let before = RunStats {
        links: 5,
        documents: 2,
        hosts: 0,
        targets: 4,
        checked: 2,
        cached: 1,
        verdicts: BTreeMap::from([(Verdict::Alive, 1), (Verdict::Local, 1)]),
        ignored: 0,
    };
    assert_eq!(store.run_stats(fixture.run).await?, before);
    let progress = RunProgress { targets: 4, checked: 2 };
    assert_eq!(store.progress(fixture.run).await?, progress);

    finish_due(&fixture, at(11)).await?;
    let after = RunStats {
        hosts: 1,
        checked: 4,
        verdicts: BTreeMap::from([(Verdict::Alive, 1), (Verdict::Local, 1), (Verdict::Dead, 2)]),
        ..before
    };
    assert_eq!(store.run_stats(fixture.run).await?, after);
    assert_eq!(store.progress(fixture.run).await?, RunProgress { checked: 4, ..progress });
    let sources = RunStats { links: 5, documents: 2, hosts: 1, ..RunStats::default() };
    assert_eq!(store.source_stats(fixture.run).await?, sources);
    Ok(())
}

/// Finishes all due tasks as dead, with two requests per host.
async fn finish_due(fixture: &StoreFixture<'_>, now: Timestamp) -> CaseResult {
    for claim in fixture.claim(now).await? {
        let checked = |task| finished_completion(claim.lease, task, Verdict::Dead, now);
        let completions: Vec<_> = claim.tasks.iter().map(checked).collect();
        fixture.commit(&completions).await?;
        let stats = HostStats { requests: 2, ..HostStats::default() };
        let schedule = HostSchedule::default();
        fixture
            .store
            .release(fixture.run, &[HostRelease { lease: claim.lease, schedule, stats }])
            .await?;
    }
    Ok(())
}

/// Statistics of several leases are added. Hosts without requests are not
/// listed.
pub async fn host_stats_are_sorted_by_requests(store: &dyn Store) -> CaseResult {
    let urls = [PAGE_ONE, PAGE_TWO, "http://three.test/"];
    let fixture = StoreFixture::with_pages(store, at(0), &urls).await?;
    let stats = |name: &str, factor: u64| HostStats {
        name: name.to_owned(),
        requests: 2 * factor,
        control_requests: factor / 2,
        responses: factor,
        throttled: factor / 2,
        request_ms: 100 * factor,
        politeness_wait_ms: 10 * factor,
    };
    for round in 0..2 {
        let now = at(round * LEASE_SECONDS);
        for claim in fixture.claim(now).await? {
            let factor = match claim.name.as_str() {
                "one.test" => 2,
                "two.test" => 10,
                _ => 0,
            };
            let done = stats(&claim.name, factor);
            let schedule = HostSchedule::default();
            store
                .release(fixture.run, &[HostRelease { lease: claim.lease, schedule, stats: done }])
                .await?;
        }
    }
    let (one, two) = (stats("one.test", 4), stats("two.test", 20));
    assert_eq!(store.host_stats(fixture.run, MANY).await?, [two.clone(), one]);
    assert_eq!(store.host_stats(fixture.run, 1).await?, [two]);
    Ok(())
}

/// Verdicts of local targets are not included.
pub async fn past_verdicts_cover_all_runs(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE_ONE, PAGE_TWO]).await?;
    first.finish_all(Verdict::Dead, at(1)).await?;
    first.close(at(2)).await?;
    let second = StoreFixture::with_pages(store, at(3), &[PAGE_ONE]).await?;
    second.finish_all(Verdict::Alive, at(4)).await?;
    second.load("local.md", 2, &[local_link(1, "file:1", Verdict::Local)]).await?;

    let all = store.past_verdicts(TaskId(0), MANY).await?;
    let reported: Vec<_> =
        all.iter().map(|past| (past.url.as_str(), past.checked_at, past.verdict)).collect();
    let expect = [
        (PAGE_ONE, at(1), Verdict::Dead),
        (PAGE_TWO, at(1), Verdict::Dead),
        (PAGE_ONE, at(4), Verdict::Alive),
    ];
    assert_eq!(reported, expect);
    assert_eq!(store.past_verdicts(all[0].task, 1).await?, all[1..2]);
    Ok(())
}

/// Each web target is returned once. Local targets are not returned.
pub async fn known_urls_are_sorted(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::with_pages(store, at(0), &[PAGE_TWO, PAGE_ONE]).await?;
    fixture
        .load("local.md", 2, &[local_link(1, "file:1", Verdict::Local), user_link(2, PAGE_TWO)])
        .await?;
    assert_eq!(store.known_urls("", MANY).await?, [PAGE_ONE, PAGE_TWO]);
    assert_eq!(store.known_urls(PAGE_ONE, MANY).await?, [PAGE_TWO]);
    assert_eq!(store.known_urls("", 1).await?, [PAGE_ONE]);
    Ok(())
}
