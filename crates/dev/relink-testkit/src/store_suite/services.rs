//! Cases about daily budgets of services, and texts for the search index.

use relink_model::Verdict;
use relink_ports::{ManagedStore, Store, StoredDecay, TextChange};

use super::CaseResult;
use super::fixture::{MANY, StoreFixture, at, digest};

/// A page on the first host.
const PAGE_ONE: &str = "http://one.test/";
/// A page on the second host.
const PAGE_TWO: &str = "http://two.test/";

/// Each service has one counter per day.
pub async fn budget_is_per_service_and_day(store: &dyn Store) -> CaseResult {
    for expect in [true, true, false, false] {
        assert_eq!(store.try_spend("archive a.test", 20_000, 2).await?, expect);
    }
    assert!(store.try_spend("archive b.test", 20_000, 2).await?);
    assert!(store.try_spend("archive a.test", 20_001, 2).await?);
    assert!(store.try_spend("archive a.test", 20_001, 2).await?);
    assert!(!store.try_spend("archive a.test", 20_001, 2).await?);
    Ok(())
}

/// If the clock is set back, requests count for the latest day.
pub async fn earlier_day_uses_the_budget_of_the_latest_day(store: &dyn Store) -> CaseResult {
    assert!(store.try_spend("archive a.test", 20_001, 2).await?);
    assert!(store.try_spend("archive a.test", 20_000, 2).await?);
    for day in [20_000, 20_001] {
        assert!(!store.try_spend("archive a.test", day, 2).await?);
    }
    assert!(store.try_spend("archive a.test", 20_002, 2).await?);
    Ok(())
}

/// With a larger budget, requests that were made before still count.
pub async fn larger_budget_continues_the_count(store: &dyn Store) -> CaseResult {
    assert!(!store.try_spend("archive a.test", 20_000, 0).await?);
    assert!(store.try_spend("archive a.test", 20_000, 1).await?);
    assert!(!store.try_spend("archive a.test", 20_000, 1).await?);
    assert!(store.try_spend("archive a.test", 20_000, 2).await?);
    assert!(!store.try_spend("archive a.test", 20_000, 2).await?);
    Ok(())
}

/// The latest score decides whether a page is decayed. All scores are history.
pub async fn latest_decay_score_of_a_page_counts(store: &dyn Store) -> CaseResult {
    let decay_score = |url: &str, hour: i64, decay: f64| StoredDecay {
        url: url.to_owned(),
        measured_at: at(hour),
        decay,
        low: decay - 0.05,
        high: decay + 0.05,
        dead_share: (decay < 1.0).then_some(0.25),
        dead_ends: vec!["http://gone.test/".to_owned()],
    };
    let scores = [
        decay_score(PAGE_ONE, 1, 0.9),
        decay_score(PAGE_ONE, 2, 0.2),
        decay_score(PAGE_TWO, 1, 0.75),
    ];
    store.save_decay(&scores).await?;
    store.save_decay(&scores[2..]).await?;
    assert_eq!(store.decayed_pages(0.5).await?, scores[2..]);
    assert_eq!(store.decay_history(&[PAGE_ONE.to_owned()]).await?, scores[..2]);
    assert_eq!(store.decay_history(&[]).await?, []);
    Ok(())
}

/// Returns the URLs of pages that changed after a probe. The URLs of dead pages have a minus
/// sign.
async fn changed_urls(
    store: &dyn Store,
    after: i64,
) -> Result<Vec<String>, relink_ports::StoreError> {
    let mut reported = Vec::new();
    for TextChange { url, text, .. } in store.text_changes(after, MANY).await? {
        reported.push(if text.is_some() { url } else { format!("-{url}") });
    }
    Ok(reported)
}

/// Returns the greatest probe id of the changes.
async fn last_changed_probe_id(store: &dyn Store) -> Result<i64, relink_ports::StoreError> {
    let changes = store.text_changes(0, MANY).await?;
    Ok(changes.last().map_or(0, |change| change.probe_id))
}

/// Changes after a probe id are returned: of live pages with their text, of dead pages
/// without.
pub async fn only_new_texts_are_returned(store: &dyn Store) -> CaseResult {
    assert_eq!(changed_urls(store, 0).await?, [""; 0]);
    assert_eq!(store.last_probe_id().await?, 0);
    let first = StoreFixture::with_pages(store, at(0), &[PAGE_ONE, PAGE_TWO]).await?;
    first.finish_all(Verdict::Alive, at(1)).await?;
    first.close(at(2)).await?;
    let all = store.text_changes(0, MANY).await?;
    let title = digest(200).title.unwrap_or_default();
    assert!(all.iter().all(|change| change.text.as_ref().is_some_and(|text| text.0 == title)));
    assert_eq!(all.len(), 2);
    assert_eq!(store.text_changes(0, 1).await?, all[..1]);
    let last = last_changed_probe_id(store).await?;
    assert_eq!(store.last_probe_id().await?, last);
    assert_eq!(changed_urls(store, last).await?, [""; 0]);
    let second = StoreFixture::with_pages(store, at(3), &[PAGE_TWO]).await?;
    second.finish_all(Verdict::Dead, at(4)).await?;
    assert_eq!(changed_urls(store, last).await?, [format!("-{PAGE_TWO}")]);
    Ok(())
}

/// A page is returned with its latest probe only.
pub async fn page_probed_twice_is_returned_once(store: &dyn Store) -> CaseResult {
    for second in [0, 10] {
        let fixture = StoreFixture::with_pages(store, at(second), &[PAGE_ONE]).await?;
        fixture.finish_all(Verdict::Alive, at(second + 1)).await?;
        fixture.close(at(second + 2)).await?;
    }
    assert_eq!(changed_urls(store, 0).await?, [PAGE_ONE]);
    Ok(())
}

/// Each prune starts a new epoch, because the ids of pruned probes may be reused.
pub async fn prune_changes_the_probe_id_epoch(store: &dyn ManagedStore) -> CaseResult {
    let epoch = store.probe_id_epoch().await?;
    assert_eq!(store.probe_id_epoch().await?, epoch);
    store.prune(at(0)).await?;
    assert_ne!(store.probe_id_epoch().await?, epoch);
    Ok(())
}
