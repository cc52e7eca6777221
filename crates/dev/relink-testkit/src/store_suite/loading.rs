//! Loading: documents, their links, and the tasks they lead to.

use relink_model::{FindingCode, TaskId, Verdict};
use relink_ports::{DocumentId, LinkLocation, NewLink, Store};

use super::CaseResult;
use super::scene::{MANY, StoreFixture, at, document, found, local, named, place};

const ONE: &str = "http://one.test/";
const TWO: &str = "http://two.test/";
const THREE: &str = "http://three.test/";

/// It need not be read again.
pub async fn an_unchanged_document_keeps_its_links(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let links = [named(1, ONE), named(2, TWO)];
    let first = scene.load("a.md", 7, &links).await?;

    let again = store.load_document(scene.run, &document("a.md", 7)).await?;
    assert!(again.is_unchanged);
    assert_eq!(again.id, first);
    store.finish_loading(scene.run, &[first]).await?;
    assert_eq!(store.run_stats(scene.run).await?.links, 2);
    assert_eq!(scene.due_urls(at(1)).await?, [ONE, TWO]);
    Ok(())
}

/// Tasks that only its old links named go with them.
pub async fn a_changed_document_loses_its_links(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let before = [named(1, ONE), named(2, TWO)];
    let first = scene.load("a.md", 7, &before).await?;

    let after = [named(1, TWO), named(2, THREE)];
    let again = scene.load("a.md", 8, &after).await?;
    assert_eq!(again, first);
    store.finish_loading(scene.run, &[again]).await?;
    let tally = store.run_stats(scene.run).await?;
    assert_eq!((tally.documents, tally.links, tally.targets), (1, 2, 2));
    assert_eq!(scene.due_urls(at(1)).await?, [THREE, TWO]);
    Ok(())
}

/// What was loaded before the interruption is not found twice.
pub async fn a_document_whose_loading_was_interrupted_starts_over(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let half = store.load_document(scene.run, &document("a.md", 7)).await?;
    scene.add(half.id, 0, &[named(1, ONE), named(2, TWO)]).await?;

    let resumed = StoreFixture::open(store, at(10)).await?;
    let links = [named(1, ONE), named(2, TWO), named(3, THREE)];
    let whole = resumed.load("a.md", 7, &links).await?;
    assert_eq!((resumed.run, whole), (scene.run, half.id));
    store.finish_loading(resumed.run, &[whole]).await?;
    let tally = store.run_stats(scene.run).await?;
    assert_eq!((tally.documents, tally.links, tally.targets), (1, 3, 3));
    Ok(())
}

/// Asked once, and every place is known, document by document, in order.
pub async fn a_target_named_by_many_links_is_one_task_with_all_its_places(
    store: &dyn Store,
) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let first = [named(3, ONE), named(1, TWO), named(2, ONE)];
    let a = scene.load("a.md", 1, &first).await?;
    let b = store.load_document(scene.run, &document("b.md", 2)).await?;
    // Two batches, so that the order does not hang on one statement.
    scene.add(b.id, 0, &[named(9, ONE)]).await?;
    scene.add(b.id, 1, &[named(8, ONE)]).await?;
    store.finish_document(b.id).await?;
    store.finish_loading(scene.run, &[a, b.id]).await?;

    let claims = scene.claim(at(1)).await?;
    let ids: Vec<TaskId> = claims
        .iter()
        .filter(|claim| claim.name == "one.test")
        .flat_map(|claim| claim.tasks.iter().map(|task| task.id))
        .collect();
    assert_eq!(ids.len(), 1, "{claims:?}");
    let expect = [("a.md", 3), ("a.md", 2), ("b.md", 9), ("b.md", 8)];
    assert_eq!(store.inlinks(&ids, MANY).await?[0].locations, expect.map(place_in));
    let tally = store.run_stats(scene.run).await?;
    assert_eq!((tally.documents, tally.links, tally.targets), (2, 5, 2));
    Ok(())
}

/// The canonical URL is asked, but the reader knows the written one.
pub async fn an_task_is_given_as_its_first_link_writes_it(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let written =
        |line, given: &str| NewLink { original_url: given.to_owned(), ..named(line, ONE) };
    let links = [written(1, "HTTP://One.test"), written(2, ONE)];
    scene.load("a.md", 1, &links).await?;
    let claim = scene.claim_one(at(1)).await?;
    let task = &claim.tasks[0];
    assert_eq!(task.original_url, "HTTP://One.test");
    assert_eq!(task.url, ONE);
    Ok(())
}

/// Whoever names a target first, and whether in one batch or in two.
pub async fn named_wins_over_found(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let links = [
        found(1, ONE),
        named(2, ONE),
        named(3, TWO),
        found(4, TWO),
        found(5, THREE),
        found(6, "http://four.test/"),
    ];
    scene.load("a.md", 1, &links).await?;
    scene.load("b.md", 2, &[named(1, THREE)]).await?;
    for claim in scene.claim(at(1)).await? {
        let is_named = claim.tasks[0].rights.is_named_by_user();
        assert_eq!(is_named, claim.name != "four.test", "{}", claim.name);
    }
    Ok(())
}

/// Files need no asking.
pub async fn a_local_target_is_settled_at_once(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(5)).await?;
    let links = [
        local(1, "file:here.md", Verdict::Alive),
        local(2, "file:gone.md", Verdict::Local),
        local(3, "file:gone.md", Verdict::Local),
    ];
    scene.load("a.md", 1, &links).await?;
    assert_eq!(scene.claim(at(6)).await?, []);
    assert_eq!(store.next_due(scene.run).await?, None);

    let [here, gone] = &scene.settled().await?[..] else {
        panic!("two targets are settled");
    };
    assert_eq!(here.result.verdict, Verdict::Alive);
    assert_eq!(here.result.code, None);
    assert_eq!(gone.result.verdict, Verdict::Local);
    assert_eq!(gone.result.code, Some(FindingCode::new(601)));
    assert_eq!(gone.result.reason, "the file is local");
    assert_eq!(gone.result.since, at(5));
    assert_eq!(gone.result.at, at(5));
    assert_eq!(gone.result.attempts, []);
    assert_eq!((gone.url.as_str(), gone.original_url.as_str()), ("file:gone.md", "./file:gone.md"));
    assert_eq!((gone.is_cached, &gone.probe), (false, &None));
    assert_eq!(gone.locations, [("a.md", 2), ("a.md", 3)].map(place_in));
    Ok(())
}

/// Over runs; and a new word has a new beginning.
pub async fn a_local_target_keeps_its_since_while_its_word_is_the_same(
    store: &dyn Store,
) -> CaseResult {
    let days = [
        (1, Verdict::Local, 1),
        (2, Verdict::Local, 1),
        (3, Verdict::Alive, 3),
        (4, Verdict::Alive, 3),
        (5, Verdict::Local, 5),
    ];
    for (day, word, since) in days {
        let scene = StoreFixture::open(store, at(day)).await?;
        scene.load("a.md", 1, &[local(1, "file:a", word)]).await?;
        let settlement = scene.settled_one().await?.result;
        assert_eq!(settlement.verdict, word, "day {day}");
        assert_eq!(settlement.since, at(since), "day {day}");
        assert_eq!(settlement.at, at(day), "day {day}");
        scene.finish(at(day)).await?;
    }
    Ok(())
}

/// Somebody mends a file and its document while a run is interrupted.
pub async fn a_local_target_of_a_changed_document_is_settled_anew(store: &dyn Store) -> CaseResult {
    let before = StoreFixture::open(store, at(0)).await?;
    before.load("a.md", 1, &[local(1, "file:a", Verdict::Local)]).await?;

    let after = StoreFixture::open(store, at(10)).await?;
    let links = [local(1, "file:a", Verdict::Alive)];
    let id = after.load("a.md", 2, &links).await?;
    store.finish_loading(after.run, &[id]).await?;
    let settlement = after.settled_one().await?.result;
    assert_eq!((settlement.verdict, settlement.code), (Verdict::Alive, None));
    assert_eq!(settlement.reason, "the file is alive");
    assert_eq!((settlement.since, settlement.at), (at(10), at(10)));
    Ok(())
}

/// Targets that others name too stay.
pub async fn documents_that_take_no_part_any_more_take_their_tasks_with_them(
    store: &dyn Store,
) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let gone = [named(1, ONE), named(2, TWO), local(3, "file:a", Verdict::Local)];
    scene.load("gone.md", 1, &gone).await?;
    let kept = scene.load("kept.md", 2, &[named(1, TWO)]).await?;
    store.finish_loading(scene.run, &[kept]).await?;

    let tally = store.run_stats(scene.run).await?;
    assert_eq!((tally.documents, tally.links, tally.targets), (1, 1, 1));
    let claim = scene.claim_one(at(1)).await?;
    assert_eq!(claim.name, "two.test");
    let ids = [claim.tasks[0].id];
    assert_eq!(store.inlinks(&ids, MANY).await?[0].locations, [("kept.md", 1)].map(place_in));
    scene.release(&claim).await?;

    let none: &[DocumentId] = &[];
    store.finish_loading(scene.run, none).await?;
    assert_eq!(scene.claim(at(2)).await?, []);
    assert_eq!(store.next_due(scene.run).await?, None);
    Ok(())
}

fn place_in((path, line): (&str, u32)) -> LinkLocation {
    LinkLocation { path: path.to_owned(), location: place(line) }
}
