//! Cases about anchors of pages, and links with fragments that refer to them.

use relink_model::{FindingCode, TaskId, Verdict};
use relink_ports::{
    AnchorReference, DocumentId, LinkCursor, MissingAnchor, NewLink, NewTarget, Store, StoreError,
    TaskCompletion, TaskUpdate,
};

use super::CaseResult;
use super::fixture::{MANY, StoreFixture, at, finished_completion, location, probe, user_link};

/// The page of most cases.
const PAGE: &str = "http://one.test/page";
/// The cursor before the first link.
const START: LinkCursor = (TaskId(0), DocumentId(0), 0);

/// Returns a link to a fragment of the page.
fn link_with_fragment(line: u32, fragment: &str) -> NewLink {
    NewLink { fragment: Some(fragment.to_owned()), ..user_link(line, PAGE) }
}

/// Opens a run with one document that has these links.
async fn open<'a>(
    store: &'a dyn Store,
    seconds: i64,
    links: &[NewLink],
) -> Result<StoreFixture<'a>, StoreError> {
    let mut fixture = StoreFixture::open(store, at(seconds)).await?;
    fixture.fresh_since = at(0);
    let document = fixture.load("README.md", 1, links).await?;
    store.finish_loading(fixture.run, &[document]).await?;
    Ok(fixture)
}

/// Finishes the page as alive, with these anchors.
async fn finish_page(
    fixture: &StoreFixture<'_>,
    seconds: i64,
    anchors: Option<Vec<u32>>,
) -> CaseResult {
    let claim = fixture.claim_one(at(seconds)).await?;
    let checked = finished_completion(claim.lease, &claim.tasks[0], Verdict::Alive, at(seconds));
    fixture.commit(&[TaskCompletion { anchors, ..checked }]).await?;
    fixture.release(&claim).await
}

/// Returns all anchor references of the run.
async fn anchor_references(fixture: &StoreFixture<'_>) -> Result<Vec<AnchorReference>, StoreError> {
    fixture.store.anchor_references(fixture.run, START, MANY).await
}

/// Returns the finding of a link to a missing anchor.
fn missing_anchor(link: LinkCursor, fragment: &str) -> MissingAnchor {
    let target = NewTarget::Local {
        key: format!("{PAGE}#{fragment}"),
        verdict: Verdict::Local,
        code: Some(FindingCode::new(603)),
        reason: "missing anchor".to_owned(),
    };
    MissingAnchor { link, target }
}

/// Links without a fragment are not returned.
pub async fn anchor_references_have_anchors_of_their_page(store: &dyn Store) -> CaseResult {
    let links = [link_with_fragment(1, "a"), user_link(2, PAGE), link_with_fragment(3, "b")];
    let fixture = open(store, 0, &links).await?;
    assert_eq!(anchor_references(&fixture).await?, []);
    finish_page(&fixture, 1, Some(vec![3, u32::MAX])).await?;
    let all = anchor_references(&fixture).await?;
    let reported: Vec<(&str, &str, u64)> =
        all.iter().map(|found| (&*found.url, &*found.fragment, found.link.2)).collect();
    assert_eq!(reported, [(PAGE, "a", 0), (PAGE, "b", 2)]);
    assert_eq!(all[0].anchors, [3, u32::MAX]);
    assert_eq!(store.count_unchecked_fragments(fixture.run).await?, 0);
    let rest = store.anchor_references(fixture.run, all[0].link, MANY).await?;
    assert_eq!(rest, all[1..]);
    Ok(())
}

/// The anchors of a held page become valid when its task is finished as alive.
pub async fn anchors_seen_before_a_hold_belong_to_the_page(store: &dyn Store) -> CaseResult {
    let fixture = open(store, 0, &[link_with_fragment(1, "a")]).await?;
    let claim = fixture.claim_one(at(1)).await?;
    let checked = finished_completion(claim.lease, &claim.tasks[0], Verdict::Alive, at(5));
    let update = TaskUpdate::Hold { attempts: Vec::new() };
    let probe = Some(probe(200, at(1)));
    let held = TaskCompletion { update, probe, anchors: Some(vec![3]), ..checked.clone() };
    fixture.commit(&[held]).await?;
    assert_eq!(anchor_references(&fixture).await?, []);
    fixture.commit(&[TaskCompletion { fence: fixture.fence(), probe: None, ..checked }]).await?;
    assert_eq!(anchor_references(&fixture).await?[0].anchors, [3]);
    Ok(())
}

/// Links to a page whose anchors are unknown are counted instead.
pub async fn page_with_unknown_anchors_has_no_anchor_references(store: &dyn Store) -> CaseResult {
    let fixture = open(store, 0, &[link_with_fragment(1, "a")]).await?;
    assert_eq!(store.count_unchecked_fragments(fixture.run).await?, 0);
    finish_page(&fixture, 1, None).await?;
    assert_eq!(anchor_references(&fixture).await?, []);
    assert_eq!(store.count_unchecked_fragments(fixture.run).await?, 1);
    Ok(())
}

/// The finding of a missing anchor has the locations of its links, and is added
/// once.
pub async fn missing_anchor_is_a_separate_finding(store: &dyn Store) -> CaseResult {
    let fixture = open(store, 0, &[link_with_fragment(1, "a"), link_with_fragment(2, "a")]).await?;
    finish_page(&fixture, 1, Some(Vec::new())).await?;
    let all = anchor_references(&fixture).await?;
    let missing: Vec<MissingAnchor> =
        all.iter().map(|reference| missing_anchor(reference.link, "a")).collect();
    assert_eq!(store.add_missing_anchors(fixture.run, &missing, fixture.cache_window()).await?, 1);
    assert_eq!(store.add_missing_anchors(fixture.run, &missing, fixture.cache_window()).await?, 0);
    let checked = fixture.checked().await?;
    let [page, finding] = &checked[..] else { panic!("two targets are checked: {checked:?}") };
    assert_eq!((page.result.verdict, page.inlinks), (Verdict::Alive, 2));
    assert_eq!((finding.result.verdict, finding.inlinks), (Verdict::Local, 2));
    assert_eq!(finding.original_url, format!("{PAGE}#a"));
    assert_eq!(finding.locations[1].location, location(2));
    let stats = store.run_stats(fixture.run).await?;
    assert_eq!((stats.links, stats.targets), (2, 2));
    Ok(())
}

/// A page whose anchors are unknown is fetched again.
pub async fn cached_result_is_used_for_fragments_if_anchors_are_known(
    store: &dyn Store,
) -> CaseResult {
    let links = [user_link(1, PAGE), link_with_fragment(2, "a")];
    let first = open(store, 0, &links).await?;
    finish_page(&first, 1, None).await?;
    first.close(at(2)).await?;

    let second = open(store, 10, &links).await?;
    finish_page(&second, 11, Some(vec![7])).await?;
    second.close(at(12)).await?;

    let third = open(store, 20, &links).await?;
    assert_eq!(third.claim(at(20)).await?, []);
    assert_eq!(anchor_references(&third).await?[0].anchors, [7]);
    assert!(third.checked_one().await?.is_cached);
    Ok(())
}
