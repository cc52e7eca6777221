//! Reading: results come back as they were stored, and the run in numbers.

use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_model::{FetchOutcome, FetchPurpose, Phase, TaskId, Verdict};
use relink_ports::{
    CheckedTarget, CheckedTargetQuery, HostSchedule, HostStats, LinkLocation, NewLink, RunKey,
    RunProgress, RunStats, Store, StoreError, TargetResult, TaskUpdate,
};

use super::CaseResult;
use super::scene::{
    LEASE, MANY, StoreFixture, at, local, look, named, place, plan, probe, result, settled_as,
    settlement,
};

const ONE: &str = "http://one.test/";
const TWO: &str = "http://two.test/";
const THREE: &str = "http://three.test/";

/// All of them once, those of other runs and those still pending left out.
pub async fn settled_targets_come_page_by_page_in_order(store: &dyn Store) -> CaseResult {
    let urls: Vec<String> = (0..7).map(|n| format!("{ONE}{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let before = StoreFixture::with_pages(store, at(0), &urls[..2]).await?;
    before.settle_all(Verdict::Alive, at(1)).await?;
    before.finish(at(2)).await?;
    let scene = StoreFixture::with_pages(store, at(3), &urls).await?;
    scene.settle_all(Verdict::Dead, at(4)).await?;
    scene.load("more.md", 2, &[named(1, "http://one.test/pending")]).await?;

    let (mut after, mut pages) = (TaskId(0), Vec::new());
    for expect in [3, 3, 1, 0] {
        let page = store
            .checked_targets(
                scene.run,
                CheckedTargetQuery { after, limit: 3, ..CheckedTargetQuery::ALL },
            )
            .await?;
        assert_eq!(page.len(), expect);
        after = page.last().map_or(after, |settled| settled.task);
        pages.extend(page);
    }
    assert_eq!(pages, scene.settled().await?);
    let read: Vec<&str> = pages.iter().map(|settled| settled.url.as_str()).collect();
    assert_eq!(read, urls);
    Ok(())
}

/// With pages that are full as long as there are more.
pub async fn settled_targets_can_be_picked_by_word(store: &dyn Store) -> CaseResult {
    let words = [Verdict::Alive, Verdict::Dead, Verdict::Alive, Verdict::Soft404, Verdict::Dead];
    let scene = StoreFixture::open(store, at(0)).await?;
    let link = |(n, word): (u32, &Verdict)| local(n, &format!("file:{n}"), *word);
    let links: Vec<NewLink> = (1..).zip(&words).map(link).collect();
    scene.load("a.md", 1, &links).await?;

    let pick = async |after: i64, limit, words: &[Verdict]| -> Result<Vec<Verdict>, StoreError> {
        let query = CheckedTargetQuery {
            after: TaskId(after),
            limit,
            verdicts: Some(words),
            ..CheckedTargetQuery::ALL
        };
        let picked = store.checked_targets(scene.run, query);
        Ok(picked.await?.iter().map(word_of).collect())
    };
    let broken = [Verdict::Soft404, Verdict::Dead];
    let expect = [Verdict::Dead, Verdict::Soft404, Verdict::Dead];
    assert_eq!(pick(0, MANY, &broken).await?, expect);
    assert_eq!(pick(0, 2, &broken).await?, expect[..2]);
    assert_eq!(pick(0, MANY, &[Verdict::Moved]).await?, []);
    assert_eq!(pick(0, MANY, &[]).await?, []);
    let all = scene.settled().await?;
    assert_eq!(all.iter().map(word_of).collect::<Vec<_>>(), words);
    let second = all[1].task.0;
    assert_eq!(pick(second, MANY, &broken).await?, expect[1..]);
    Ok(())
}

fn word_of(settled: &CheckedTarget) -> Verdict {
    settled.result.verdict
}

/// Looks, hops, places and all.
pub async fn a_settled_target_is_read_back_as_it_was_stored(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let given = "HTTP://ONE.test/?q='quoted'&ü=\u{1f4da}";
    let first = NewLink { original_url: given.to_owned(), ..named(4, ONE) };
    scene.load("ä/b.md", 1, &[first, named(9, ONE)]).await?;
    let claim = scene.claim_one(at(1)).await?;
    let task = &claim.tasks[0];

    let (first, second) = (probe(503, at(1)), probe(404, at(2)));
    let mut early = look(&first, FetchPurpose::Initial);
    early.outcome = FetchOutcome::TimedOut(Phase::Headers);
    let settlement = TargetResult {
        attempts: vec![early.clone(), look(&second, FetchPurpose::Confirmation)],
        since: at(-500),
        ..settlement(Verdict::Dead, &second, at(2))
    };
    let again = TaskUpdate::Retry {
        purpose: FetchPurpose::Confirmation,
        not_before: at(2),
        attempts: vec![early],
    };
    let settle = TaskUpdate::Finish(settlement.clone());
    for (probe, step) in [(first, again), (second.clone(), settle)] {
        scene.complete(&[result(Some(claim.lease), task, Some(probe), step)]).await?;
    }
    let places =
        [4, 9].map(|line| LinkLocation { path: "ä/b.md".to_owned(), location: place(line) });
    let expect = CheckedTarget {
        task: task.id,
        original_url: given.to_owned(),
        url: ONE.to_owned(),
        result: settlement,
        is_cached: false,
        probe: Some(second),
        locations: places.to_vec(),
        inlinks: 2,
        depth: None,
    };
    assert_eq!(scene.settled().await?, [expect]);
    Ok(())
}

/// The store need not keep it twice.
pub async fn a_single_look_is_read_back_from_its_probe(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    scene.settle_all(Verdict::Alive, at(5)).await?;
    let seen = probe(200, at(5));
    let expect = settlement(Verdict::Alive, &seen, at(5));
    assert_eq!(expect.attempts, [look(&seen, FetchPurpose::Initial)]);
    assert_eq!(scene.settled_one().await?.result, expect);
    Ok(())
}

/// Although an earlier run has asked it.
pub async fn a_target_settled_unasked_has_no_looks(store: &dyn Store) -> CaseResult {
    let before = StoreFixture::with_pages(store, at(0), &[ONE]).await?;
    before.settle_all(Verdict::Alive, at(1)).await?;
    before.finish(at(2)).await?;

    let scene = StoreFixture::with_pages(store, at(3), &[ONE]).await?;
    let claim = scene.claim_one(at(4)).await?;
    let settlement = TargetResult {
        status: None,
        attempts: Vec::new(),
        ..settlement(Verdict::Blocked, &probe(429, at(4)), at(4))
    };
    let settle = TaskUpdate::Finish(settlement.clone());
    scene.complete(&[result(Some(claim.lease), &claim.tasks[0], None, settle)]).await?;
    let settled = scene.settled_one().await?;
    assert_eq!((settled.result, settled.probe), (settlement, None));
    Ok(())
}

/// Not in the order of their numbers.
pub async fn places_come_in_the_order_of_the_tasks(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let links = [named(1, ONE), named(2, TWO), named(3, ONE)];
    scene.load("a.md", 1, &links).await?;
    scene.settle_all(Verdict::Alive, at(1)).await?;
    let settled = scene.settled().await?;
    let (one, two) = (&settled[0], &settled[1]);
    let tasks = [two.task, TaskId(i64::MAX), one.task];
    let mentions = store.inlinks(&tasks, MANY).await?;
    let places: Vec<_> = mentions.iter().map(|mentions| mentions.locations.clone()).collect();
    assert_eq!(places, [two.locations.clone(), Vec::new(), one.locations.clone()]);
    assert_eq!(places[0][0].location, place(2));
    assert_eq!(store.inlinks(&[], MANY).await?, []);

    let first = &store.inlinks(&tasks, 1).await?[2];
    assert_eq!((&first.locations[..], first.count), (&one.locations[..1], 2));
    Ok(())
}

/// Not at the places that say so; and not at all, if every one does.
pub async fn a_finding_that_documents_leave_alone_is_not_told(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let hiding = |line, url, code: &str| {
        let hidden = vec!["RL601".to_owned(), code.to_owned()];
        NewLink { ignored_codes: hidden, ..named(line, url) }
    };
    let links = [
        hiding(1, ONE, "RL101"),
        hiding(2, TWO, "RL101"),
        named(3, TWO),
        hiding(4, THREE, "RL999"),
    ];
    scene.load("b.md", 2, &links).await?;
    scene.settle_all(Verdict::Dead, at(1)).await?;
    let settled = scene.settled().await?;
    let told: Vec<(&str, u64, u32)> = settled
        .iter()
        .map(|one| (&*one.url, one.inlinks, one.locations[0].location.line))
        .collect();
    assert_eq!(told, [(TWO, 1, 3), (THREE, 1, 4)]);
    let tally = store.run_stats(scene.run).await?;
    assert_eq!((tally.links, tally.ignored), (2, 2));
    assert_eq!((tally.targets, tally.verdicts[&Verdict::Dead]), (2, 2));
    Ok(())
}

/// Each thing once, and nothing of other runs.
pub async fn the_tally_counts_the_run(store: &dyn Store) -> CaseResult {
    let other = RunKey { scope: "other".to_owned(), ..plan() };
    let other = StoreFixture::of(store, &other, at(0)).await?;
    other.load_pages(&[TWO, "http://three.test/"]).await?;
    other.settle_all(Verdict::Alive, at(1)).await?;

    let mut scene = StoreFixture::open(store, at(10)).await?;
    scene.fresh_since = at(0);
    let links = [named(1, ONE), named(2, TWO), named(3, ONE), local(4, "file:a", Verdict::Local)];
    scene.load("a.md", 1, &links).await?;
    scene.load("b.md", 2, &[named(1, "http://one.test/b")]).await?;
    let waiting = RunStats {
        links: 5,
        documents: 2,
        hosts: 0,
        targets: 4,
        checked: 2,
        cached: 1,
        verdicts: BTreeMap::from([(Verdict::Alive, 1), (Verdict::Local, 1)]),
        ignored: 0,
    };
    assert_eq!(store.run_stats(scene.run).await?, waiting);
    let progress = RunProgress { targets: 4, checked: 2 };
    assert_eq!(store.progress(scene.run).await?, progress);

    ask(&scene, at(11)).await?;
    let done = RunStats {
        hosts: 1,
        checked: 4,
        verdicts: BTreeMap::from([(Verdict::Alive, 1), (Verdict::Local, 1), (Verdict::Dead, 2)]),
        ..waiting
    };
    assert_eq!(store.run_stats(scene.run).await?, done);
    assert_eq!(store.progress(scene.run).await?, RunProgress { checked: 4, ..progress });
    let sources = RunStats { links: 5, documents: 2, hosts: 1, ..RunStats::default() };
    assert_eq!(store.source_stats(scene.run).await?, sources);
    Ok(())
}

/// Settles what is due as dead, saying that each host was asked twice.
async fn ask(scene: &StoreFixture<'_>, now: Timestamp) -> CaseResult {
    let tally = HostStats { requests: 2, ..HostStats::default() };
    for claim in scene.claim(now).await? {
        let settled = |task| settled_as(Some(claim.lease), task, Verdict::Dead, now);
        let completions: Vec<_> = claim.tasks.iter().map(settled).collect();
        scene.complete(&completions).await?;
        let pace = HostSchedule::default();
        scene.store.release(scene.run, claim.lease, &pace, &tally).await?;
    }
    Ok(())
}

/// What was done to a host adds up over its leases; who was not asked is not
/// listed.
pub async fn hosts_are_listed_busiest_first(store: &dyn Store) -> CaseResult {
    let urls = [ONE, TWO, "http://three.test/"];
    let scene = StoreFixture::with_pages(store, at(0), &urls).await?;
    let tally = |name: &str, by: u64| HostStats {
        name: name.to_owned(),
        requests: 2 * by,
        controls: by / 2,
        responses: by,
        throttled: by / 2,
        request_ms: 100 * by,
        politeness_wait_ms: 10 * by,
    };
    for round in 0..2 {
        let now = at(round * LEASE);
        for claim in scene.claim(now).await? {
            let by = match claim.name.as_str() {
                "one.test" => 2,
                "two.test" => 10,
                _ => 0,
            };
            let done = tally(&claim.name, by);
            let pace = HostSchedule::default();
            store.release(scene.run, claim.lease, &pace, &done).await?;
        }
    }
    let (one, two) = (tally("one.test", 4), tally("two.test", 20));
    assert_eq!(store.hosts(scene.run, MANY).await?, [two.clone(), one]);
    assert_eq!(store.hosts(scene.run, 1).await?, [two]);
    Ok(())
}

/// Over all runs, what came from memory left out.
pub async fn past_words_are_read_over_all_runs(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[ONE, TWO]).await?;
    first.settle_all(Verdict::Dead, at(1)).await?;
    first.finish(at(2)).await?;
    let second = StoreFixture::with_pages(store, at(3), &[ONE]).await?;
    second.settle_all(Verdict::Alive, at(4)).await?;
    second.load("local.md", 2, &[local(1, "file:1", Verdict::Local)]).await?;

    let all = store.past_verdicts(TaskId(0), MANY).await?;
    let told: Vec<_> = all.iter().map(|past| (past.url.as_str(), past.at, past.verdict)).collect();
    let expect =
        [(ONE, at(1), Verdict::Dead), (TWO, at(1), Verdict::Dead), (ONE, at(4), Verdict::Alive)];
    assert_eq!(told, expect);
    assert_eq!(store.past_verdicts(all[0].task, 1).await?, all[1..2]);
    Ok(())
}

/// Each once, in their own order; what is no address of the web is left out.
pub async fn every_known_address_is_read_in_order(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[TWO, ONE]).await?;
    scene.load("local.md", 2, &[local(1, "file:1", Verdict::Local), named(2, TWO)]).await?;
    assert_eq!(store.known_urls("", MANY).await?, [ONE, TWO]);
    assert_eq!(store.known_urls(ONE, MANY).await?, [TWO]);
    assert_eq!(store.known_urls("", 1).await?, [ONE]);
    Ok(())
}
