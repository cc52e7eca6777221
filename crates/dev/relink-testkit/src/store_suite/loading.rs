//! Cases about loading documents and links.

use relink_model::{FindingCode, TaskId, Verdict};
use relink_ports::{DocumentId, LinkLocation, NewLink, Store};

use super::CaseResult;
use super::fixture::{
    MANY, StoreFixture, at, discovered_link, document, local_link, location, user_link,
};

/// A page on the first host.
const PAGE_ONE: &str = "http://one.test/";
/// A page on the second host.
const PAGE_TWO: &str = "http://two.test/";
/// A page on the third host.
const PAGE_THREE: &str = "http://three.test/";

/// `load_document` reports that a document has not changed, and its links stay.
pub async fn unchanged_document_keeps_its_links(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let links = [user_link(1, PAGE_ONE), user_link(2, PAGE_TWO)];
    let first = fixture.load("a.md", 7, &links).await?;

    let reloaded = store.load_document(fixture.run, &document("a.md", 7)).await?;
    assert!(reloaded.is_unchanged);
    assert_eq!(reloaded.id, first);
    assert_eq!(store.document_hash(fixture.run, "a.md").await?, Some(7));
    assert_eq!(store.document_hash(fixture.run, "b.md").await?, None);
    store.finish_loading(fixture.run, &[first]).await?;
    assert_eq!(store.run_stats(fixture.run).await?.links, 2);
    assert_eq!(fixture.due_urls(at(1)).await?, [PAGE_ONE, PAGE_TWO]);
    Ok(())
}

/// Tasks that only had old links are deleted.
pub async fn changed_document_loses_its_old_links(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let before = [user_link(1, PAGE_ONE), user_link(2, PAGE_TWO)];
    let first = fixture.load("a.md", 7, &before).await?;

    let after = [user_link(1, PAGE_TWO), user_link(2, PAGE_THREE)];
    let reloaded = fixture.load("a.md", 8, &after).await?;
    assert_eq!(reloaded, first);
    assert_eq!(store.document_hash(fixture.run, "a.md").await?, Some(8));
    store.finish_loading(fixture.run, &[reloaded]).await?;
    let stats = store.run_stats(fixture.run).await?;
    assert_eq!((stats.documents, stats.links, stats.targets), (1, 2, 2));
    assert_eq!(fixture.due_urls(at(1)).await?, [PAGE_THREE, PAGE_TWO]);
    Ok(())
}

/// Links that were stored before an interruption are not stored twice.
pub async fn partially_loaded_document_is_loaded_again(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let half = store.load_document(fixture.run, &document("a.md", 7)).await?;
    fixture.add_links(half.id, 0, &[user_link(1, PAGE_ONE), user_link(2, PAGE_TWO)]).await?;

    let resumed = StoreFixture::open(store, at(10)).await?;
    let links = [user_link(1, PAGE_ONE), user_link(2, PAGE_TWO), user_link(3, PAGE_THREE)];
    let whole = resumed.load("a.md", 7, &links).await?;
    assert_eq!((resumed.run, whole), (fixture.run, half.id));
    store.finish_loading(resumed.run, &[whole]).await?;
    let stats = store.run_stats(fixture.run).await?;
    assert_eq!((stats.documents, stats.links, stats.targets), (1, 3, 3));
    Ok(())
}

/// Locations are sorted by document and position.
pub async fn target_with_many_links_is_one_task_with_all_locations(
    store: &dyn Store,
) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let first = [user_link(3, PAGE_ONE), user_link(1, PAGE_TWO), user_link(2, PAGE_ONE)];
    let a = fixture.load("a.md", 1, &first).await?;
    let b = store.load_document(fixture.run, &document("b.md", 2)).await?;
    // Two batches, so that the order does not depend on one statement.
    fixture.add_links(b.id, 0, &[user_link(9, PAGE_ONE)]).await?;
    fixture.add_links(b.id, 1, &[user_link(8, PAGE_ONE)]).await?;
    store.finish_document(b.id).await?;
    store.finish_loading(fixture.run, &[a, b.id]).await?;

    let claims = fixture.claim(at(1)).await?;
    let ids: Vec<TaskId> = claims
        .iter()
        .filter(|claim| claim.name == "one.test")
        .flat_map(|claim| claim.tasks.iter().map(|task| task.id))
        .collect();
    assert_eq!(ids.len(), 1, "{claims:?}");
    let expect = [("a.md", 3), ("a.md", 2), ("b.md", 9), ("b.md", 8)];
    assert_eq!(store.inlinks(&ids, MANY).await?[0].locations, expect.map(link_location));
    let stats = store.run_stats(fixture.run).await?;
    assert_eq!((stats.documents, stats.links, stats.targets), (2, 5, 2));
    Ok(())
}

/// The canonical URL is fetched, but users see the URL as written.
pub async fn task_has_original_url_of_its_first_link(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let written = |line, original_url: &str| NewLink {
        original_url: original_url.to_owned(),
        ..user_link(line, PAGE_ONE)
    };
    let links = [written(1, "HTTP://One.test"), written(2, PAGE_ONE)];
    fixture.load("a.md", 1, &links).await?;
    let claim = fixture.claim_one(at(1)).await?;
    let task = &claim.tasks[0];
    assert_eq!(task.original_url, "HTTP://One.test");
    assert_eq!(task.url, PAGE_ONE);
    Ok(())
}

/// A target is user-supplied if any link to it is, in any order of links and documents.
pub async fn user_supplied_flag_overrides_discovered(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let links = [
        discovered_link(1, PAGE_ONE),
        user_link(2, PAGE_ONE),
        user_link(3, PAGE_TWO),
        discovered_link(4, PAGE_TWO),
        discovered_link(5, PAGE_THREE),
        discovered_link(6, "http://four.test/"),
    ];
    fixture.load("a.md", 1, &links).await?;
    fixture.load("b.md", 2, &[user_link(1, PAGE_THREE)]).await?;
    for claim in fixture.claim(at(1)).await? {
        let is_user_supplied = claim.tasks[0].rights.is_user_supplied();
        assert_eq!(is_user_supplied, claim.name != "four.test", "{}", claim.name);
    }
    Ok(())
}

/// A link to a local file gets its result when it is loaded, without a request.
pub async fn local_target_is_finished_immediately(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(5)).await?;
    let links = [
        local_link(1, "file:here.md", Verdict::Alive),
        local_link(2, "file:gone.md", Verdict::Local),
        local_link(3, "file:gone.md", Verdict::Local),
    ];
    fixture.load("a.md", 1, &links).await?;
    assert_eq!(fixture.claim(at(6)).await?, []);
    assert_eq!(store.next_due(fixture.run).await?.at, None);

    let [here, gone] = &fixture.checked().await?[..] else {
        panic!("two targets are checked");
    };
    assert_eq!(here.result.verdict, Verdict::Alive);
    assert_eq!(here.result.code, None);
    assert_eq!(gone.result.verdict, Verdict::Local);
    assert_eq!(gone.result.code, Some(FindingCode::new(601)));
    assert_eq!(gone.result.reason, "the file is local");
    assert_eq!(gone.result.since, at(5));
    assert_eq!(gone.result.checked_at, at(5));
    assert_eq!(gone.result.attempts, []);
    assert_eq!((gone.url.as_str(), gone.original_url.as_str()), ("file:gone.md", "./file:gone.md"));
    assert_eq!((gone.is_cached, &gone.probe), (false, &None));
    assert_eq!(gone.locations, [("a.md", 2), ("a.md", 3)].map(link_location));
    Ok(())
}

/// `since` stays the same over several runs, until the verdict changes.
pub async fn local_target_keeps_since_while_verdict_is_the_same(store: &dyn Store) -> CaseResult {
    let days = [
        (1, Verdict::Local, 1),
        (2, Verdict::Local, 1),
        (3, Verdict::Alive, 3),
        (4, Verdict::Alive, 3),
        (5, Verdict::Local, 5),
    ];
    for (day, verdict, since) in days {
        let fixture = StoreFixture::open(store, at(day)).await?;
        fixture.load("a.md", 1, &[local_link(1, "file:a", verdict)]).await?;
        let result = fixture.checked_one().await?.result;
        assert_eq!(result.verdict, verdict, "day {day}");
        assert_eq!(result.since, at(since), "day {day}");
        assert_eq!(result.checked_at, at(day), "day {day}");
        fixture.close(at(day)).await?;
    }
    Ok(())
}

/// While the run is interrupted, the document changes and the missing file is created.
pub async fn local_target_of_changed_document_is_checked_again(store: &dyn Store) -> CaseResult {
    let before = StoreFixture::open(store, at(0)).await?;
    before.load("a.md", 1, &[local_link(1, "file:a", Verdict::Local)]).await?;

    let after = StoreFixture::open(store, at(10)).await?;
    let links = [local_link(1, "file:a", Verdict::Alive)];
    let id = after.load("a.md", 2, &links).await?;
    store.finish_loading(after.run, &[id]).await?;
    let result = after.checked_one().await?.result;
    assert_eq!((result.verdict, result.code), (Verdict::Alive, None));
    assert_eq!(result.reason, "the file is alive");
    assert_eq!((result.since, result.checked_at), (at(10), at(10)));
    Ok(())
}

/// `finish_loading` deletes the other documents, and targets to which no document links.
pub async fn removed_documents_remove_their_tasks(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let gone =
        [user_link(1, PAGE_ONE), user_link(2, PAGE_TWO), local_link(3, "file:a", Verdict::Local)];
    fixture.load("gone.md", 1, &gone).await?;
    let stored = fixture.load("kept.md", 2, &[user_link(1, PAGE_TWO)]).await?;
    store.finish_loading(fixture.run, &[stored]).await?;

    let stats = store.run_stats(fixture.run).await?;
    assert_eq!((stats.documents, stats.links, stats.targets), (1, 1, 1));
    let claim = fixture.claim_one(at(1)).await?;
    assert_eq!(claim.name, "two.test");
    let ids = [claim.tasks[0].id];
    assert_eq!(store.inlinks(&ids, MANY).await?[0].locations, [("kept.md", 1)].map(link_location));
    fixture.release(&claim).await?;

    let none: &[DocumentId] = &[];
    store.finish_loading(fixture.run, none).await?;
    assert_eq!(fixture.claim(at(2)).await?, []);
    assert_eq!(store.next_due(fixture.run).await?.at, None);
    Ok(())
}

/// Returns the location on a line of a document.
fn link_location((path, line): (&str, u32)) -> LinkLocation {
    LinkLocation { path: path.to_owned(), location: location(line) }
}
