//! Much at once: a store may take shortcuts there, and nobody may notice.

use jiff::Timestamp;
use relink_model::{TaskId, Verdict};
use relink_ports::{CheckedTarget, Inlinks, NewLink, RunKey, Store, TaskCompletion, TaskUpdate};

use super::CaseResult;
use super::scene::{StoreFixture, at, local, named, plan, probe, result, settled_as, settlement};

/// Links of a long document.
const LINKS: u32 = 100;

/// Known targets, local ones and such as are named twice among them.
pub async fn many_links_are_stored_as_one_by_one(store: &dyn Store) -> CaseResult {
    let before = StoreFixture::with_pages(store, at(0), &[&page(40), &page(41)]).await?;
    before.settle_all(Verdict::Alive, at(1)).await?;
    before.finish(at(2)).await?;

    let links: Vec<NewLink> = (0..LINKS).map(link).collect();
    let at_once = StoreFixture::open(store, at(3)).await?;
    at_once.load("a.md", 1, &links).await?;
    let slowly =
        StoreFixture::of(store, &RunKey { scope: "slowly".to_owned(), ..plan() }, at(3)).await?;
    let document = slowly.load("a.md", 1, &[]).await?;
    for (position, link) in links.iter().enumerate() {
        slowly.add(document, position, std::slice::from_ref(link)).await?;
    }
    assert_eq!(at_once.due_urls(at(4)).await?, slowly.due_urls(at(400)).await?);
    at_once.settle_all(Verdict::Alive, at(500)).await?;
    slowly.settle_all(Verdict::Alive, at(600)).await?;
    let (one, other) = (at_once.settled().await?, slowly.settled().await?);
    let told = |settled: &CheckedTarget| (settled.url.clone(), settled.locations.clone());
    assert_eq!(
        one.iter().map(told).collect::<Vec<_>>(),
        other.iter().map(told).collect::<Vec<_>>()
    );
    assert_eq!(one.len(), LINKS as usize - 2);
    Ok(())
}

/// Each result keeps its own.
pub async fn many_results_are_stored_with_their_probes(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let links: Vec<NewLink> = (0..90).map(|number| named(number, &page(number))).collect();
    scene.load("a.md", 1, &links).await?;
    let claim = scene.claim_one(at(1)).await?;
    let moments = || (100..).map(at);
    let results: Vec<_> = claim
        .tasks
        .iter()
        .zip(moments())
        .map(|(task, asked)| {
            let seen = probe(200, asked);
            let step = TaskUpdate::Finish(settlement(Verdict::Alive, &seen, asked));
            result(Some(claim.lease), task, Some(seen), step)
        })
        .collect();
    scene.complete(&results).await?;
    let settled = scene.settled().await?;
    assert_eq!(settled.len(), links.len());
    for (settled, asked) in settled.iter().zip(moments()) {
        assert_eq!(settled.probe, Some(probe(200, asked)), "{}", settled.url);
    }
    Ok(())
}

/// Among them are some that come for the first time.
pub async fn many_results_take_the_place_of_earlier_ones(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let links: Vec<NewLink> = (0..90).map(|number| named(number, &page(number))).collect();
    scene.load("a.md", 1, &links).await?;
    let claim = scene.claim_one(at(1)).await?;
    let results = |word: Verdict, now: Timestamp| -> Vec<TaskCompletion> {
        let settled = |task| settled_as(Some(claim.lease), task, word, now);
        claim.tasks.iter().map(settled).collect()
    };
    scene.complete(&results(Verdict::Dead, at(2))[..50]).await?;
    scene.complete(&results(Verdict::Alive, at(3))).await?;
    let settled = scene.settled().await?;
    assert_eq!(settled.len(), links.len());
    for CheckedTarget { url, result: settlement, probe: seen, .. } in &settled {
        assert_eq!((settlement.verdict, settlement.at), (Verdict::Alive, at(3)), "{url}");
        assert_eq!(seen.as_ref().map(|probe| probe.requested_at), Some(at(3)), "{url}");
    }
    Ok(())
}

/// With gaps between them, in any order.
pub async fn all_places_of_many_tasks_are_those_of_each(store: &dyn Store) -> CaseResult {
    let scene = StoreFixture::open(store, at(0)).await?;
    let links: Vec<NewLink> = (0..LINKS).map(link).collect();
    scene.load("a.md", 1, &links).await?;
    scene.load("b.md", 1, &links[10..60]).await?;
    scene.settle_all(Verdict::Alive, at(1)).await?;
    let settled = scene.settled().await?;
    let mut tasks: Vec<TaskId> = settled.iter().map(|settled| settled.task).collect();
    tasks.retain(|task| task.0 % 7 < 3 && task.0 % 30 < 20);
    tasks.reverse();
    tasks.push(TaskId(i64::MAX));
    let mut each: Vec<Inlinks> = Vec::new();
    for task in &tasks {
        each.extend(store.inlinks(&[*task], LINKS as usize).await?);
    }
    assert_eq!(store.inlinks(&tasks, usize::MAX).await?, each);
    assert!(each.iter().any(|mentions| mentions.count == 2));
    Ok(())
}

/// One link in fifty names the page of the one before; one is a file.
fn link(number: u32) -> NewLink {
    match number {
        77 => local(number, "docs/file.md", Verdict::Alive),
        _ if number % 50 == 45 => named(number, &page(number - 1)),
        _ => named(number, &page(number)),
    }
}

fn page(number: u32) -> String {
    format!("http://one.test/{number:03}")
}
