//! Cases with large batches, for which a store may use multi-row statements.

use jiff::Timestamp;
use relink_model::{TaskId, Verdict};
use relink_ports::{CheckedTarget, Inlinks, NewLink, RunKey, Store, TaskCompletion, TaskUpdate};

use super::CaseResult;
use super::fixture::{
    StoreFixture, at, completion, finished_completion, local_link, probe, run_key, target_result,
    user_link,
};

/// The number of links of a long document.
const LINKS: u32 = 100;

/// The result is the same for one batch and for single links. The batch
/// contains known, local and duplicate targets.
pub async fn batch_of_links_equals_single_links(store: &dyn Store) -> CaseResult {
    let before = StoreFixture::with_pages(store, at(0), &[&page_url(40), &page_url(41)]).await?;
    before.finish_all(Verdict::Alive, at(1)).await?;
    before.close(at(2)).await?;

    let links: Vec<NewLink> = (0..LINKS).map(link).collect();
    let at_once = StoreFixture::open(store, at(3)).await?;
    at_once.load("a.md", 1, &links).await?;
    let one_by_one = StoreFixture::open_with_key(
        store,
        &RunKey { scope: "one by one".to_owned(), ..run_key() },
        at(3),
    )
    .await?;
    let document = one_by_one.load("a.md", 1, &[]).await?;
    for (position, link) in links.iter().enumerate() {
        one_by_one.add_links(document, position, std::slice::from_ref(link)).await?;
    }
    assert_eq!(at_once.due_urls(at(4)).await?, one_by_one.due_urls(at(400)).await?);
    at_once.finish_all(Verdict::Alive, at(500)).await?;
    one_by_one.finish_all(Verdict::Alive, at(600)).await?;
    let (batch, single) = (at_once.checked().await?, one_by_one.checked().await?);
    let reported = |checked: &CheckedTarget| (checked.url.clone(), checked.locations.clone());
    assert_eq!(
        batch.iter().map(reported).collect::<Vec<_>>(),
        single.iter().map(reported).collect::<Vec<_>>()
    );
    assert_eq!(batch.len(), LINKS as usize - 2);
    Ok(())
}

/// Each result has its own probe.
pub async fn batch_of_results_keeps_probes_apart(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let links: Vec<NewLink> = (0..90).map(|number| user_link(number, &page_url(number))).collect();
    fixture.load("a.md", 1, &links).await?;
    let claim = fixture.claim_one(at(1)).await?;
    let request_times = || (100..).map(at);
    let results: Vec<_> = claim
        .tasks
        .iter()
        .zip(request_times())
        .map(|(task, requested_at)| {
            let seen = probe(200, requested_at);
            let update = TaskUpdate::Finish(target_result(Verdict::Alive, &seen, requested_at));
            completion(claim.lease, task, Some(seen), update)
        })
        .collect();
    fixture.commit(&results).await?;
    let checked = fixture.checked().await?;
    assert_eq!(checked.len(), links.len());
    for (checked, requested_at) in checked.iter().zip(request_times()) {
        assert_eq!(checked.probe, Some(probe(200, requested_at)), "{}", checked.url);
    }
    Ok(())
}

/// Some results of the batch are new, others replace earlier results.
pub async fn batch_of_results_replaces_earlier_results(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let links: Vec<NewLink> = (0..90).map(|number| user_link(number, &page_url(number))).collect();
    fixture.load("a.md", 1, &links).await?;
    let claim = fixture.claim_one(at(1)).await?;
    let results = |verdict: Verdict, now: Timestamp| -> Vec<TaskCompletion> {
        let checked = |task| finished_completion(claim.lease, task, verdict, now);
        claim.tasks.iter().map(checked).collect()
    };
    fixture.commit(&results(Verdict::Dead, at(2))[..50]).await?;
    fixture.commit(&results(Verdict::Alive, at(3))).await?;
    let checked = fixture.checked().await?;
    assert_eq!(checked.len(), links.len());
    for CheckedTarget { url, result, probe: seen, .. } in &checked {
        assert_eq!((result.verdict, result.checked_at), (Verdict::Alive, at(3)), "{url}");
        assert_eq!(seen.as_ref().map(|probe| probe.requested_at), Some(at(3)), "{url}");
    }
    Ok(())
}

/// Reading the inlinks of many tasks gives the same as reading them for each
/// task. The task ids have gaps and are not sorted.
pub async fn inlinks_of_many_tasks_equal_those_of_each(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let links: Vec<NewLink> = (0..LINKS).map(link).collect();
    fixture.load("a.md", 1, &links).await?;
    fixture.load("b.md", 1, &links[10..60]).await?;
    fixture.finish_all(Verdict::Alive, at(1)).await?;
    let checked = fixture.checked().await?;
    let mut tasks: Vec<TaskId> = checked.iter().map(|checked| checked.task).collect();
    tasks.retain(|task| task.0 % 7 < 3 && task.0 % 30 < 20);
    tasks.reverse();
    tasks.push(TaskId(i64::MAX));
    let mut each: Vec<Inlinks> = Vec::new();
    for task in &tasks {
        each.extend(store.inlinks(&[*task], LINKS as usize).await?);
    }
    assert_eq!(store.inlinks(&tasks, usize::MAX).await?, each);
    assert!(each.iter().any(|inlinks| inlinks.count == 2));
    Ok(())
}

/// Returns the link with this number. Link 77 leads to a local file. Every fiftieth link has the
/// same target as the link before.
fn link(number: u32) -> NewLink {
    match number {
        77 => local_link(number, "docs/file.md", Verdict::Alive),
        _ if number % 50 == 45 => user_link(number, &page_url(number - 1)),
        _ => user_link(number, &page_url(number)),
    }
}

/// Returns the URL of the page with this number.
fn page_url(number: u32) -> String {
    format!("http://one.test/{number:03}")
}
