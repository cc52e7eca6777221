//! Services and what they are told: budgets that outlive a process, and the
//! texts that an index has not read yet.

use relink_model::Verdict;
use relink_ports::{Store, TextChange};

use super::CaseResult;
use super::scene::{MANY, StoreFixture, at, digest};

const ONE: &str = "http://one.test/";
const TWO: &str = "http://two.test/";

/// Every service has its own, and every day.
pub async fn a_budget_is_spent_by_service_and_day(store: &dyn Store) -> CaseResult {
    for expect in [true, true, false, false] {
        assert_eq!(store.try_spend("archive a.test", 20_000, 2).await?, expect);
    }
    assert!(store.try_spend("archive b.test", 20_000, 2).await?);
    assert!(store.try_spend("archive a.test", 20_001, 2).await?);
    assert!(store.try_spend("archive a.test", 20_001, 2).await?);
    assert!(!store.try_spend("archive a.test", 20_001, 2).await?);
    Ok(())
}

/// A clock that goes back refills nothing.
pub async fn an_earlier_day_goes_on_with_the_budget_of_the_latest(store: &dyn Store) -> CaseResult {
    assert!(store.try_spend("archive a.test", 20_001, 2).await?);
    assert!(store.try_spend("archive a.test", 20_000, 2).await?);
    for day in [20_000, 20_001] {
        assert!(!store.try_spend("archive a.test", day, 2).await?);
    }
    assert!(store.try_spend("archive a.test", 20_002, 2).await?);
    Ok(())
}

/// What was spent stays spent, however much there is to spend.
pub async fn a_larger_budget_goes_on_where_the_smaller_ended(store: &dyn Store) -> CaseResult {
    assert!(!store.try_spend("archive a.test", 20_000, 0).await?);
    assert!(store.try_spend("archive a.test", 20_000, 1).await?);
    assert!(!store.try_spend("archive a.test", 20_000, 1).await?);
    assert!(store.try_spend("archive a.test", 20_000, 2).await?);
    assert!(!store.try_spend("archive a.test", 20_000, 2).await?);
    Ok(())
}

/// What changed after a look, in short: addresses, those gone with a minus.
async fn changes(store: &dyn Store, after: i64) -> Result<Vec<String>, relink_ports::StoreError> {
    let mut told = Vec::new();
    for TextChange { url, text, .. } in store.text_changes(after, MANY).await? {
        told.push(if text.is_some() { url } else { format!("-{url}") });
    }
    Ok(told)
}

/// The number of the last look that is known.
async fn last(store: &dyn Store) -> Result<i64, relink_ports::StoreError> {
    let changes = store.text_changes(0, MANY).await?;
    Ok(changes.last().map_or(0, |change| change.number))
}

/// Living pages come with their text, others to be forgotten.
pub async fn only_texts_that_are_new_are_told(store: &dyn Store) -> CaseResult {
    assert_eq!(changes(store, 0).await?, [""; 0]);
    assert_eq!(store.last_probe_id().await?, 0);
    let first = StoreFixture::with_pages(store, at(0), &[ONE, TWO]).await?;
    first.settle_all(Verdict::Alive, at(1)).await?;
    first.finish(at(2)).await?;
    let all = store.text_changes(0, MANY).await?;
    let title = digest(200).title.unwrap_or_default();
    assert!(all.iter().all(|it| it.text.as_ref().is_some_and(|text| text.0 == title)));
    assert_eq!(all.len(), 2);
    assert_eq!(store.text_changes(0, 1).await?, all[..1]);
    let told = last(store).await?;
    assert_eq!(store.last_probe_id().await?, told);
    assert_eq!(changes(store, told).await?, [""; 0]);
    let second = StoreFixture::with_pages(store, at(3), &[TWO]).await?;
    second.settle_all(Verdict::Dead, at(4)).await?;
    assert_eq!(changes(store, told).await?, [format!("-{TWO}")]);
    Ok(())
}

/// A page that was looked at twice comes once, with the later look.
pub async fn a_text_that_was_read_again_is_told_again(store: &dyn Store) -> CaseResult {
    for second in [0, 10] {
        let scene = StoreFixture::with_pages(store, at(second), &[ONE]).await?;
        scene.settle_all(Verdict::Alive, at(second + 1)).await?;
        scene.finish(at(second + 2)).await?;
    }
    assert_eq!(changes(store, 0).await?, [ONE]);
    Ok(())
}

/// Numbers that were taken away may be given again.
pub async fn pruning_makes_another_edition(store: &dyn Store) -> CaseResult {
    let edition = store.probe_id_epoch().await?;
    assert_eq!(store.probe_id_epoch().await?, edition);
    store.prune(at(0)).await?;
    assert_ne!(store.probe_id_epoch().await?, edition);
    Ok(())
}
