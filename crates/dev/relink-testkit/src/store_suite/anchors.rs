//! Places on pages: which ones links want, and which ones are missing.

use relink_model::{FindingCode, TaskId, Verdict};
use relink_ports::{
    AnchorReference, DocumentId, LinkCursor, MissingAnchor, NewLink, NewTarget, Store, StoreError,
    TaskCompletion, TaskUpdate,
};

use super::CaseResult;
use super::scene::{MANY, StoreFixture, at, named, place, probe, settled_as};

const PAGE: &str = "http://one.test/page";
const START: LinkCursor = (TaskId(0), DocumentId(0), 0);

fn wanting(line: u32, fragment: &str) -> NewLink {
    NewLink { fragment: Some(fragment.to_owned()), ..named(line, PAGE) }
}

/// Opens a run over one document with these links.
async fn open<'a>(
    store: &'a dyn Store,
    seconds: i64,
    links: &[NewLink],
) -> Result<StoreFixture<'a>, StoreError> {
    let mut scene = StoreFixture::open(store, at(seconds)).await?;
    scene.fresh_since = at(0);
    let document = scene.load("README.md", 1, links).await?;
    store.finish_loading(scene.run, &[document]).await?;
    Ok(scene)
}

/// Settles the page alive, with these places if they can be told.
async fn settle(scene: &StoreFixture<'_>, seconds: i64, anchors: Option<Vec<u32>>) -> CaseResult {
    let claim = scene.claim_one(at(seconds)).await?;
    let settled = settled_as(Some(claim.lease), &claim.tasks[0], Verdict::Alive, at(seconds));
    scene.complete(&[TaskCompletion { anchors, ..settled }]).await?;
    scene.release(&claim).await
}

async fn wanted(scene: &StoreFixture<'_>) -> Result<Vec<AnchorReference>, StoreError> {
    scene.store.anchor_references(scene.run, START, MANY).await
}

fn missing(link: LinkCursor, fragment: &str) -> MissingAnchor {
    let target = NewTarget::Local {
        key: format!("{PAGE}#{fragment}"),
        verdict: Verdict::Local,
        code: Some(FindingCode::new(603)),
        reason: "not there".to_owned(),
    };
    MissingAnchor { link, target }
}

/// With what the page offers, and no other link.
pub async fn links_that_want_a_place_are_read_with_what_their_page_offers(
    store: &dyn Store,
) -> CaseResult {
    let links = [wanting(1, "a"), named(2, PAGE), wanting(3, "b")];
    let scene = open(store, 0, &links).await?;
    assert_eq!(wanted(&scene).await?, []);
    settle(&scene, 1, Some(vec![3, u32::MAX])).await?;
    let all = wanted(&scene).await?;
    let told: Vec<(&str, &str, u64)> =
        all.iter().map(|one| (&*one.url, &*one.fragment, one.link.2)).collect();
    assert_eq!(told, [(PAGE, "a", 0), (PAGE, "b", 2)]);
    assert_eq!(all[0].anchors, [3, u32::MAX]);
    assert_eq!(store.count_unknown_anchors(scene.run).await?, 0);
    let rest = store.anchor_references(scene.run, all[0].link, MANY).await?;
    assert_eq!(rest, all[1..]);
    Ok(())
}

/// They count once it is judged to be there.
pub async fn places_seen_before_a_hold_are_the_page_s(store: &dyn Store) -> CaseResult {
    let scene = open(store, 0, &[wanting(1, "a")]).await?;
    let claim = scene.claim_one(at(1)).await?;
    let settled = settled_as(Some(claim.lease), &claim.tasks[0], Verdict::Alive, at(5));
    let step = TaskUpdate::Hold { attempts: Vec::new() };
    let probe = Some(probe(200, at(1)));
    let held = TaskCompletion { step, probe, anchors: Some(vec![3]), ..settled.clone() };
    scene.complete(&[held]).await?;
    assert_eq!(wanted(&scene).await?, []);
    scene.complete(&[TaskCompletion { lease: None, probe: None, ..settled }]).await?;
    assert_eq!(wanted(&scene).await?[0].anchors, [3]);
    Ok(())
}

/// Where a page's places cannot be told, nobody misses one.
pub async fn a_page_without_known_places_is_wanted_by_nobody(store: &dyn Store) -> CaseResult {
    let scene = open(store, 0, &[wanting(1, "a")]).await?;
    assert_eq!(store.count_unknown_anchors(scene.run).await?, 0);
    settle(&scene, 1, None).await?;
    assert_eq!(wanted(&scene).await?, []);
    assert_eq!(store.count_unknown_anchors(scene.run).await?, 1);
    Ok(())
}

/// At the place of its link, counted once, and added once.
pub async fn a_missing_place_is_a_finding_of_its_own(store: &dyn Store) -> CaseResult {
    let scene = open(store, 0, &[wanting(1, "a"), wanting(2, "a")]).await?;
    settle(&scene, 1, Some(Vec::new())).await?;
    let all = wanted(&scene).await?;
    let lost: Vec<MissingAnchor> = all.iter().map(|one| missing(one.link, "a")).collect();
    assert_eq!(store.add_missing_anchors(scene.run, &lost, scene.moments()).await?, 1);
    assert_eq!(store.add_missing_anchors(scene.run, &lost, scene.moments()).await?, 0);
    let settled = scene.settled().await?;
    let [page, finding] = &settled[..] else { panic!("two targets are settled: {settled:?}") };
    assert_eq!((page.result.verdict, page.inlinks), (Verdict::Alive, 2));
    assert_eq!((finding.result.verdict, finding.inlinks), (Verdict::Local, 2));
    assert_eq!(finding.original_url, format!("{PAGE}#a"));
    assert_eq!(finding.locations[1].location, place(2));
    let tally = store.run_stats(scene.run).await?;
    assert_eq!((tally.links, tally.targets), (2, 2));
    Ok(())
}

/// An answer from memory will do for a link that wants a place only if the
/// places are remembered, too.
pub async fn memory_is_trusted_with_places_it_knows(store: &dyn Store) -> CaseResult {
    let links = [named(1, PAGE), wanting(2, "a")];
    let first = open(store, 0, &links).await?;
    settle(&first, 1, None).await?;
    first.finish(at(2)).await?;

    let second = open(store, 10, &links).await?;
    settle(&second, 11, Some(vec![7])).await?;
    second.finish(at(12)).await?;

    let third = open(store, 20, &links).await?;
    assert_eq!(third.claim(at(20)).await?, []);
    assert_eq!(wanted(&third).await?[0].anchors, [7]);
    assert!(third.settled_one().await?.is_cached);
    Ok(())
}
