//! Judging: what a judgment rests on beside the look at the page, and all
//! that is remembered of one page.

use relink_model::{
    Attempt, Confidence, ControlKind, ControlSummary, Evidence, FetchPurpose, FetchTask, Probe,
    Verdict,
};
use relink_ports::{
    Neighbor, NewLink, RunKey, Store, StoreError, StoredControl, TargetRecord, TargetResult,
    TaskUpdate,
};

use super::CaseResult;
use super::scene::{
    MANY, StoreFixture, at, found, local, look, named, plan, probe, result, settled_as, settlement,
};

const PAGE: &str = "http://one.test/a/page";
const DIRECTORY: &str = "http://one.test/a/";

fn kept(key: &str, status: u16, seconds: i64) -> StoredControl {
    StoredControl {
        key: key.to_owned(),
        url: format!("{DIRECTORY}zqxw'{status}\u{1f4da}"),
        probe: probe(status, at(seconds)),
    }
}

/// Each under its own key, to the letter.
pub async fn a_control_is_read_back_as_it_was_kept(store: &dyn Store) -> CaseResult {
    let keys = ["stray http://one.test/a/", "stray http://one.test/A/", "it's %_ü", ""];
    let controls: Vec<StoredControl> =
        (200..).zip(keys).map(|(status, key)| kept(key, status, 10)).collect();
    store.save_controls(&controls[..3]).await?;
    store.save_controls(&[]).await?;
    store.save_controls(&controls[3..]).await?;
    for control in controls {
        let found = store.control(&control.key, at(0)).await?;
        assert_eq!(found, Some(control));
    }
    for unknown in ["stray", "stray http://one.test/a", "it's %%ü"] {
        assert_eq!(store.control(unknown, at(0)).await?, None, "{unknown}");
    }
    Ok(())
}

/// The moment given is the limit.
pub async fn a_control_asked_too_long_ago_is_not_given(store: &dyn Store) -> CaseResult {
    store.save_controls(&[kept("key", 404, 10)]).await?;
    assert_eq!(store.control("key", at(10)).await?, Some(kept("key", 404, 10)));
    assert_eq!(store.control("key", at(11)).await?, None);
    Ok(())
}

/// Whichever comes in first, and in one call too.
pub async fn a_newer_control_takes_the_place_of_an_older_one(store: &dyn Store) -> CaseResult {
    let [old, new, newest] = [(404, 10), (200, 20), (503, 30)];
    let kept = |(status, seconds)| kept("key", status, seconds);
    for (arriving, expect) in
        [(vec![old], old), (vec![new], new), (vec![old], new), (vec![newest, old, new], newest)]
    {
        let arriving: Vec<StoredControl> = arriving.into_iter().map(kept).collect();
        store.save_controls(&arriving).await?;
        assert_eq!(store.control("key", at(0)).await?, Some(kept(expect)), "{arriving:?}");
    }
    Ok(())
}

/// All that a ground can say, and the least.
fn grounds() -> Vec<Evidence> {
    let control = ControlSummary {
        kind: ControlKind::RandomName,
        url: format!("{DIRECTORY}zqxw?'\u{1f4da}"),
        status: Some(200),
    };
    vec![
        Evidence {
            note: "the same page is shown for “any” name".to_owned(),
            control: Some(control),
            resemblance: Some(0.984_375),
        },
        Evidence { note: "the title says so".to_owned(), control: None, resemblance: None },
    ]
}

/// Whether there are grounds or none, and however sure it is.
pub async fn a_settlement_is_read_back_with_its_confidence_and_its_grounds(
    store: &dyn Store,
) -> CaseResult {
    let cases = [(0, grounds()), (93, Vec::new()), (100, grounds()[1..].to_vec()), (7, Vec::new())];
    let urls: Vec<String> = (0..cases.len()).map(|n| format!("{PAGE}{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let scene = StoreFixture::with_pages(store, at(0), &urls).await?;
    let claim = scene.claim_one(at(1)).await?;
    let seen = probe(200, at(1));
    let mut expect = Vec::new();
    for (task, (hundredths, grounds)) in claim.tasks.iter().zip(cases) {
        let confidence = Confidence::percent(hundredths);
        let settled = TargetResult {
            confidence,
            evidence: grounds,
            ..settlement(Verdict::Soft404, &seen, at(1))
        };
        let step = TaskUpdate::Finish(settled.clone());
        scene.complete(&[result(Some(claim.lease), task, Some(seen.clone()), step)]).await?;
        expect.push(settled);
    }
    let read: Vec<TargetResult> =
        scene.settled().await?.into_iter().map(|settled| settled.result).collect();
    assert_eq!(read, expect);
    Ok(())
}

/// Not surer, for not having been asked.
pub async fn a_target_settled_from_memory_is_as_sure_as_it_was(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    let claim = first.claim_one(at(1)).await?;
    let seen = probe(200, at(1));
    let confidence = Confidence::percent(61);
    let settled = TargetResult { confidence, ..settlement(Verdict::Alive, &seen, at(1)) };
    let step = TaskUpdate::Finish(settled.clone());
    first.complete(&[result(Some(claim.lease), &claim.tasks[0], Some(seen), step)]).await?;
    first.finish(at(2)).await?;

    let mut second = StoreFixture::open(store, at(3)).await?;
    second.fresh_since = at(0);
    second.load_pages(&[PAGE]).await?;
    let known = second.settled_one().await?;
    assert!(known.is_cached);
    assert_eq!(known.result, settled);
    Ok(())
}

/// A file is there or it is not.
pub async fn what_needs_no_asking_is_beyond_all_doubt(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let links = [local(1, "file:a", Verdict::Alive), local(2, "file:b", Verdict::Local)];
    scene.load("a.md", 1, &links).await?;
    let settled = scene.settled().await?;
    assert_eq!(settled.len(), 2);
    for settled in settled {
        let TargetResult { confidence, evidence: grounds, .. } = settled.result;
        assert_eq!((confidence, grounds), (Confidence::CERTAIN, Vec::new()), "{}", settled.url);
    }
    Ok(())
}

/// Or it would be asked in the wrong way.
pub async fn an_task_comes_back_for_the_purpose_it_was_put_back_for(
    store: &dyn Store,
) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    for (seconds, purpose) in (1..).zip(FetchPurpose::ALL) {
        let claim = scene.claim_one(at(seconds)).await?;
        let seen = probe(403, at(seconds));
        let again = TaskUpdate::Retry {
            purpose,
            not_before: at(seconds + 1),
            attempts: vec![look(&seen, FetchPurpose::AlternateUserAgent)],
        };
        let put_back = result(Some(claim.lease), &claim.tasks[0], Some(seen), again);
        scene.complete(&[put_back]).await?;
        scene.release(&claim).await?;
        let back = scene.claim_one(at(seconds + 1)).await?;
        assert_eq!(back.tasks[0].purpose, purpose);
        assert_eq!(back.tasks[0].attempts[0].purpose, FetchPurpose::AlternateUserAgent);
        scene.release(&back).await?;
    }
    Ok(())
}

/// The neighbors' URLs without the scene's host.
async fn neighbors(
    scene: &StoreFixture<'_>,
    directory: &str,
    url: &str,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    let (directory, url) = (on_host(directory), on_host(url));
    let found = scene.store.neighbors(scene.run, &directory, &url, limit).await?;
    let path = |Neighbor { url, .. }: Neighbor| {
        url.strip_prefix("http://one.test").unwrap_or(&url).to_owned()
    };
    Ok(found.into_iter().map(path).collect())
}

fn on_host(path: &str) -> String {
    format!("http://one.test{path}")
}

fn links_to(paths: &[&str]) -> Vec<NewLink> {
    (1..).zip(paths).map(|(line, path)| found(line, &on_host(path))).collect()
}

/// By turns after the page and before it. What another run has asked does not
/// count, nor what is still to be asked; what is to be asked again does.
pub async fn neighbors_are_the_nearest_that_were_asked_in_this_run(
    store: &dyn Store,
) -> CaseResult {
    let other = RunKey { scope: "other".to_owned(), ..plan() };
    let other = StoreFixture::of(store, &other, at(0)).await?;
    other.load("a.md", 1, &links_to(&["/a/1", "/a/5", "/a/7"])).await?;
    other.settle_all(Verdict::Alive, at(1)).await?;

    let scene = StoreFixture::open(store, at(2)).await?;
    let paths = ["/a/8", "/a/6", "/a/4", "/a/3", "/a/2", "/a/1", "/a/0"];
    scene.load("a.md", 1, &links_to(&paths)).await?;
    let claim = scene.claim_one(at(3)).await?;
    let waits = |task: &&FetchTask| !["/a/4", "/a/1"].map(on_host).contains(&task.url);
    for task in claim.tasks.iter().filter(waits) {
        let done = if task.url.ends_with('6') {
            retried(task)
        } else {
            settled_as(None, task, Verdict::Dead, at(3)).step
        };
        let seen = Some(probe(404, at(3)));
        scene.complete(&[result(Some(claim.lease), task, seen, done)]).await?;
    }
    let all = ["/a/6", "/a/2", "/a/8", "/a/0"];
    assert_eq!(neighbors(&scene, "/a/", "/a/3", MANY).await?, all);
    for limit in [0, 1, 2, 3] {
        assert_eq!(neighbors(&scene, "/a/", "/a/3", limit).await?, all[..limit]);
    }
    assert_eq!(neighbors(&scene, "/a/", "/a/8", MANY).await?, ["/a/6", "/a/3", "/a/2", "/a/0"]);
    assert_eq!(neighbors(&scene, "/a/", "/a/", 2).await?, ["/a/0", "/a/2"]);
    let first = store.neighbors(scene.run, DIRECTORY, PAGE, 1).await?;
    assert_eq!(first[0].probe, probe(404, at(3)));
    Ok(())
}

fn retried(task: &FetchTask) -> TaskUpdate {
    let looks: Vec<Attempt> = task.attempts.clone();
    TaskUpdate::Retry { purpose: FetchPurpose::Retry, not_before: at(60), attempts: looks }
}

/// It has been asked in an earlier run, or not at all.
pub async fn a_neighbor_settled_from_memory_was_not_asked(store: &dyn Store) -> CaseResult {
    let before = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    before.settle_all(Verdict::Alive, at(1)).await?;
    before.finish(at(2)).await?;
    let mut scene = StoreFixture::open(store, at(3)).await?;
    scene.fresh_since = at(0);
    scene.load_pages(&[PAGE]).await?;
    assert!(scene.settled_one().await?.is_cached);
    assert!(neighbors(&scene, "/a/", "/a/other", MANY).await?.is_empty());
    Ok(())
}

/// To the letter: neither the directory nor what only looks like it. Percent
/// signs and underscores are plain characters.
pub async fn neighbors_are_what_the_directory_begins(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let paths = [
        "/a", "/a/", "/a/1", "/a/b/2", "/a/?q=3", "/a/ü", "/ab/4", "/A/5", "/a0", "/b/6", "/a%2F7",
        "/%61/8", "/_/9", "/a_c/10", "/abc/11", "/50%/12", "/500/13",
    ];
    scene.load("a.md", 1, &links_to(&paths)).await?;
    scene.load("b.md", 2, &[named(1, "http://one.test.test/a/14")]).await?;
    scene.settle_all(Verdict::Alive, at(1)).await?;
    let cases: [(&str, &[&str]); 8] = [
        ("/a/", &["/a/1", "/a/?q=3", "/a/b/2", "/a/ü"]),
        ("/a/b/", &["/a/b/2"]),
        ("/a_c/", &["/a_c/10"]),
        ("/_/", &["/_/9"]),
        ("/%61/", &["/%61/8"]),
        ("/50%/", &["/50%/12"]),
        ("/%/", &[]),
        ("/nothing/", &[]),
    ];
    for (directory, expect) in cases {
        let found = neighbors(&scene, directory, "/", MANY).await?;
        assert_eq!(found, expect, "{directory}");
    }
    Ok(())
}

/// It need not look at all of them to find as many as were asked for.
pub async fn a_crowded_directory_has_neighbors_enough(store: &dyn Store) -> CaseResult {
    const LINKS: u32 = 3000;
    let scene = StoreFixture::open(store, at(0)).await?;
    let link = |n| found(n, &format!("{DIRECTORY}{n:05}"));
    // These are asked first, because they were found first.
    let links: Vec<NewLink> = (1498..=1502).chain(1..1498).chain(1503..=LINKS).map(link).collect();
    scene.load("a.md", 1, &links).await?;
    scene.settle_all(Verdict::Alive, at(1)).await?;
    let near = neighbors(&scene, "/a/", "/a/01500", 4).await?;
    assert_eq!(near, ["/a/01501", "/a/01499", "/a/01502", "/a/01498"]);
    Ok(())
}

/// Neither a URL nobody linked to, nor one that differs by a letter.
pub async fn an_unknown_target_has_no_dossier(store: &dyn Store) -> CaseResult {
    assert_eq!(store.target_record(PAGE).await?, None);
    StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    assert_eq!(store.target_record("http://one.test/a/Page").await?, None);
    assert_eq!(store.target_record(DIRECTORY).await?, None);
    Ok(())
}

/// Although it was asked: nothing is concluded yet.
pub async fn a_target_not_yet_settled_has_a_dossier_without_a_state(
    store: &dyn Store,
) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    let empty =
        TargetRecord { url: PAGE.to_owned(), latest: None, past_verdicts: vec![], probes: vec![] };
    assert_eq!(store.target_record(PAGE).await?, Some(empty.clone()));
    let claim = scene.claim_one(at(1)).await?;
    let seen = Some(probe(503, at(1)));
    let again = retried(&claim.tasks[0]);
    scene.complete(&[result(Some(claim.lease), &claim.tasks[0], seen, again)]).await?;
    assert_eq!(store.target_record(PAGE).await?, Some(empty));
    Ok(())
}

async fn dossier(store: &dyn Store) -> Result<TargetRecord, StoreError> {
    Ok(store.target_record(PAGE).await?.expect("the page is known"))
}

/// Oldest first, and of runs of other plans too.
pub async fn a_dossier_tells_the_word_of_every_run(store: &dyn Store) -> CaseResult {
    let words = [(10, Verdict::Alive), (20, Verdict::Failing), (30, Verdict::Soft404)];
    for (now, word) in words {
        let plan = RunKey { scope: now.to_string(), ..plan() };
        let scene = StoreFixture::of(store, &plan, at(now)).await?;
        scene.load_pages(&[PAGE, "http://one.test/a/other"]).await?;
        scene.settle_all(word, at(now)).await?;
        scene.finish(at(now)).await?;
    }
    let pending = StoreFixture::with_pages(store, at(40), &[PAGE]).await?;
    assert_eq!(pending.settled().await?, []);

    let dossier = dossier(store).await?;
    assert_eq!(dossier.past_verdicts, words.map(|(now, word)| (at(now), word)));
    let latest = dossier.latest.expect("it was settled");
    assert_eq!((latest.result.verdict, latest.result.at), (Verdict::Soft404, at(30)));
    assert_eq!(dossier.probes, [probe(404, at(30))]);
    Ok(())
}

/// It was settled later, although its run began earlier.
pub async fn a_dossier_goes_by_when_a_target_was_settled(store: &dyn Store) -> CaseResult {
    let long = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    let short = RunKey { scope: "short".to_owned(), ..plan() };
    let short = StoreFixture::of(store, &short, at(1)).await?;
    short.load_pages(&[PAGE]).await?;
    short.settle_all(Verdict::Dead, at(2)).await?;
    short.finish(at(3)).await?;
    long.settle_all(Verdict::Alive, at(4)).await?;

    let dossier = dossier(store).await?;
    assert_eq!(dossier.past_verdicts, [(at(2), Verdict::Dead), (at(4), Verdict::Alive)]);
    assert_eq!(dossier.latest, Some(long.settled_one().await?));
    assert_eq!(dossier.probes, [probe(200, at(4))]);
    Ok(())
}

/// With its places, looks, grounds and every probe of its run, oldest first;
/// other targets and other runs have theirs.
pub async fn a_dossier_shows_all_that_the_latest_state_rests_on(store: &dyn Store) -> CaseResult {
    let before = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    before.settle_all(Verdict::Alive, at(1)).await?;
    before.finish(at(2)).await?;

    let scene = StoreFixture::with_pages(store, at(10), &[PAGE, "http://one.test/a/other"]).await?;
    let claim = scene.claim_one(at(10)).await?;
    let probes = [probe(503, at(10)), probe(500, at(11)), probe(200, at(12))];
    for (n, seen) in probes.iter().enumerate() {
        let looks: Vec<Attempt> =
            probes[..=n].iter().map(|probe| look(probe, FetchPurpose::Retry)).collect();
        let step = if n < 2 {
            TaskUpdate::Retry { purpose: FetchPurpose::Retry, not_before: at(10), attempts: looks }
        } else {
            let settled = settlement(Verdict::Soft404, seen, at(12));
            TaskUpdate::Finish(TargetResult { attempts: looks, evidence: grounds(), ..settled })
        };
        let other = settled_as(Some(claim.lease), &claim.tasks[1], Verdict::Dead, at(10));
        let own = result(Some(claim.lease), &claim.tasks[0], Some(seen.clone()), step);
        scene.complete(&[own, other]).await?;
    }
    let dossier = dossier(store).await?;
    assert_eq!(dossier.probes, probes);
    let settled = scene.settled().await?;
    let latest = dossier.latest.expect("it was settled");
    assert_eq!((latest.result.attempts.len(), latest.locations.len()), (3, 1));
    assert_eq!(latest.result.evidence, grounds());
    assert_eq!(Some(&latest), settled.first());
    Ok(())
}

/// The probes before are still its own.
pub async fn a_dossier_shows_what_was_seen_before_a_hold(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    let claim = scene.claim_one(at(1)).await?;
    let (task, lease) = (&claim.tasks[0], Some(claim.lease));
    let probes = [probe(502, at(1)), probe(404, at(5))];
    let looks = |probes: &[Probe]| -> Vec<Attempt> {
        probes.iter().map(|probe| look(probe, FetchPurpose::Initial)).collect()
    };
    let hold = TaskUpdate::Hold { attempts: looks(&probes[..1]) };
    scene.complete(&[result(lease, task, Some(probes[0].clone()), hold)]).await?;
    let again = TaskUpdate::Retry {
        purpose: FetchPurpose::Retry,
        not_before: at(2),
        attempts: looks(&probes[..1]),
    };
    scene.complete(&[result(None, task, None, again)]).await?;
    let settled = settlement(Verdict::Dead, &probes[1], at(5));
    let settle = TaskUpdate::Finish(TargetResult { attempts: looks(&probes), ..settled });
    scene.complete(&[result(lease, task, Some(probes[1].clone()), settle)]).await?;

    let dossier = dossier(store).await?;
    assert_eq!(dossier.probes, probes);
    Ok(())
}

/// It is remembered as any other page that was there.
pub async fn a_page_that_is_there_after_a_hold_is_remembered(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    let claim = scene.claim_one(at(1)).await?;
    let (task, seen) = (&claim.tasks[0], probe(200, at(1)));
    let looks = vec![look(&seen, FetchPurpose::Initial)];
    let hold = TaskUpdate::Hold { attempts: looks.clone() };
    scene.complete(&[result(Some(claim.lease), task, Some(seen.clone()), hold)]).await?;
    let settle = TaskUpdate::Finish(TargetResult {
        attempts: looks,
        ..settlement(Verdict::Alive, &seen, at(5))
    });
    scene.complete(&[result(None, task, None, settle)]).await?;
    scene.release(&claim).await?;
    scene.finish(at(6)).await?;

    assert_eq!(dossier(store).await?.probes, [seen]);
    let next = StoreFixture::with_pages(store, at(7), &[PAGE]).await?;
    let history = next.claim_one(at(8)).await?.tasks[0].history.clone();
    assert_eq!(history.digest, probe(200, at(1)).digest);
    Ok(())
}

/// The run that asked has more to tell than one that remembered.
pub async fn a_dossier_shows_the_run_that_asked(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::with_pages(store, at(0), &[PAGE]).await?;
    first.settle_all(Verdict::Alive, at(1)).await?;
    first.finish(at(2)).await?;
    let mut second = StoreFixture::open(store, at(3)).await?;
    second.fresh_since = at(0);
    second.load_pages(&[PAGE]).await?;
    second.finish(at(4)).await?;

    let told = dossier(store).await?;
    assert_eq!(told.past_verdicts, [(at(1), Verdict::Alive); 2]);
    assert_eq!(told.latest, Some(first.settled_one().await?));
    assert_eq!(told.probes, [probe(200, at(1))]);

    // Once that run is forgotten, there is the other.
    store.prune(at(3)).await?;
    let told = dossier(store).await?;
    assert_eq!(told.past_verdicts, [(at(1), Verdict::Alive)]);
    assert_eq!(told.latest, Some(second.settled_one().await?));
    assert_eq!(told.probes, [probe(200, at(1))]);
    Ok(())
}

/// It has no probes, but words and places.
pub async fn a_local_target_has_a_dossier_too(store: &dyn Store) -> CaseResult {
    for (now, word) in [(10, Verdict::Alive), (20, Verdict::Local)] {
        let scene = StoreFixture::open(store, at(now)).await?;
        scene.load("a.md", 1, &[local(7, "file:a", word)]).await?;
        scene.finish(at(now)).await?;
    }
    let dossier = store.target_record("file:a").await?.expect("the file is known");
    assert_eq!(dossier.past_verdicts, [(at(10), Verdict::Alive), (at(20), Verdict::Local)]);
    let latest = dossier.latest.expect("it was settled");
    assert_eq!((latest.result.verdict, latest.locations[0].location.line), (Verdict::Local, 7));
    assert_eq!((latest.probe, dossier.probes), (None, Vec::new()));
    Ok(())
}
