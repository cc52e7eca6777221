//! Cases about history that cannot be recovered later: changes of verdicts, and when links
//! were first seen.

use relink_model::{RunId, Verdict};
use relink_ports::{
    LinkOrigin, ManagedStore, NewDocument, PastChange, Store, StoreError, TaskUpdate,
};

use super::CaseResult;
use super::fixture::{
    StoreFixture, at, completion, document, probe, run_key, target_result, user_link, version,
};

/// The page of most cases.
const PAGE: &str = "http://one.test/";
/// The document that links to the page.
const LABEL: &str = "README.md";

/// Runs a check that starts at `seconds` and gives the page a verdict.
async fn check(store: &dyn Store, verdict: Verdict, seconds: i64) -> Result<RunId, StoreError> {
    let fixture = StoreFixture::with_pages(store, at(seconds), &[PAGE]).await?;
    fixture.finish_all(verdict, at(seconds + 1)).await?;
    fixture.close(at(seconds + 2)).await?;
    Ok(fixture.run)
}

/// Returns the recorded changes of the verdict of the page.
async fn changes(store: &dyn Store) -> Result<Vec<PastChange>, StoreError> {
    let record = store.target_record(PAGE).await?.expect("the page is known");
    Ok(record.changes)
}

fn change(seconds: i64, before: Verdict, after: Verdict) -> PastChange {
    let code = (!after.is_reached()).then(|| relink_model::FindingCode::new(101));
    PastChange { changed_at: at(seconds), before, after, code }
}

/// The validators of a response are returned with the next task of its page.
pub async fn version_of_a_response_is_history_of_the_next_run(store: &dyn Store) -> CaseResult {
    check(store, Verdict::Alive, 0).await?;
    let fixture = StoreFixture::with_pages(store, at(10), &[PAGE]).await?;
    let claim = fixture.claim_one(at(10)).await?;
    assert_eq!(claim.tasks[0].history.version.as_deref(), Some(&version()));
    Ok(())
}

/// The date that a page states about itself is stored with its digest.
pub async fn stated_date_of_a_page_is_history_of_the_next_run(store: &dyn Store) -> CaseResult {
    check(store, Verdict::Alive, 0).await?;
    let fixture = StoreFixture::with_pages(store, at(10), &[PAGE]).await?;
    let claim = fixture.claim_one(at(10)).await?;
    let digest = claim.tasks[0].history.digest.as_ref().expect("the page was reached");
    assert_eq!(digest.stated_date, Some(jiff::civil::date(2026, 11, 3)));
    Ok(())
}

/// A check with the same verdict as before records nothing.
pub async fn only_changes_of_the_verdict_are_recorded(store: &dyn Store) -> CaseResult {
    for (seconds, verdict) in
        [(0, Verdict::Alive), (10, Verdict::Alive), (20, Verdict::Dead), (30, Verdict::Dead)]
    {
        check(store, verdict, seconds).await?;
    }
    assert_eq!(changes(store).await?, [change(21, Verdict::Alive, Verdict::Dead)]);
    check(store, Verdict::Alive, 40).await?;
    let expect =
        [change(21, Verdict::Alive, Verdict::Dead), change(41, Verdict::Dead, Verdict::Alive)];
    assert_eq!(changes(store).await?, expect);
    Ok(())
}

/// A result that a later result of the same run replaces leaves no change.
pub async fn replaced_result_is_not_a_change(store: &dyn Store) -> CaseResult {
    check(store, Verdict::Alive, 0).await?;
    let fixture = StoreFixture::with_pages(store, at(10), &[PAGE]).await?;
    let claim = fixture.claim_one(at(10)).await?;
    for (verdict, status) in [(Verdict::Dead, 404), (Verdict::Alive, 200)] {
        let probe = probe(status, at(11));
        let update = TaskUpdate::Finish(target_result(verdict, &probe, at(11)));
        fixture.commit(&[completion(claim.lease, &claim.tasks[0], Some(probe), update)]).await?;
    }
    assert_eq!(changes(store).await?, []);
    Ok(())
}

/// Pruning deletes old results, but not the changes of the verdict.
pub async fn changes_survive_pruning(store: &dyn ManagedStore) -> CaseResult {
    check(store, Verdict::Alive, 0).await?;
    check(store, Verdict::Dead, 10).await?;
    check(store, Verdict::Alive, 20).await?;
    store.prune(at(1_000)).await?;
    let expect =
        [change(11, Verdict::Alive, Verdict::Dead), change(21, Verdict::Dead, Verdict::Alive)];
    assert_eq!(changes(store).await?, expect);
    Ok(())
}

/// Loads a revision of the document, with links to `urls`, in a new run.
async fn load_revision(
    store: &dyn Store,
    seconds: i64,
    revision: Option<&str>,
    urls: &[&str],
) -> Result<RunId, StoreError> {
    let fixture = StoreFixture::open_with_key(store, &run_key(), at(seconds)).await?;
    let revision = revision.map(str::to_owned);
    let new = NewDocument { revision, ..document(LABEL, seconds.unsigned_abs()) };
    let loaded = store.load_document(fixture.run, &new).await?;
    let links: Vec<_> = (1..).zip(urls).map(|(line, url)| user_link(line, url)).collect();
    fixture.add_links(loaded.id, 0, &links).await?;
    store.finish_document(loaded.id).await?;
    store.finish_loading(fixture.run, &[loaded.id]).await?;
    fixture.close(at(seconds + 1)).await?;
    Ok(fixture.run)
}

/// A link has the run and the revision in which its document first contained it.
pub async fn link_keeps_when_it_was_first_seen(store: &dyn Store) -> CaseResult {
    let other = "http://one.test/other";
    let first = load_revision(store, 0, Some("1a2b"), &[PAGE]).await?;
    let second = load_revision(store, 10, Some("3c4d"), &[PAGE, other]).await?;
    let origin = |seconds, run, revision: &str| {
        Some(LinkOrigin { seen_at: at(seconds), run, revision: Some(revision.to_owned()) })
    };
    let labels = [LABEL, "other.md"];
    assert_eq!(store.link_origins(PAGE, &labels).await?, [origin(0, first, "1a2b"), None]);
    assert_eq!(store.link_origins(other, &labels).await?, [origin(10, second, "3c4d"), None]);
    assert_eq!(store.link_origins("http://unknown.test/", &[LABEL]).await?, [None]);
    Ok(())
}

/// Links that are stored in multi-row statements have an origin, too.
pub async fn origins_of_many_links_are_kept(store: &dyn Store) -> CaseResult {
    let urls: Vec<String> = (0..300).map(|n| format!("http://one.test/{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let run = load_revision(store, 0, None, &urls).await?;
    for url in &urls {
        let expect = LinkOrigin { seen_at: at(0), run, revision: None };
        assert_eq!(store.link_origins(url, &[LABEL]).await?, [Some(expect)], "{url}");
    }
    Ok(())
}

/// A later run does not replace the origin of a link, even if the first run was pruned.
pub async fn link_origin_survives_pruning(store: &dyn ManagedStore) -> CaseResult {
    let run = check(store, Verdict::Alive, 0).await?;
    store.prune(at(1_000)).await?;
    let later = check(store, Verdict::Alive, 2_000).await?;
    assert_ne!(run, later);
    let expect = LinkOrigin { seen_at: at(0), run, revision: None };
    assert_eq!(store.link_origins(PAGE, &[LABEL]).await?, [Some(expect)]);
    Ok(())
}
