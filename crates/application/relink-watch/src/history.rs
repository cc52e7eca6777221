//! The history of members and pages: versions, checks and decisions of the user.

use jiff::Timestamp;
use relink_change::{Signature, VolatileParts, compare};
use relink_engine::Ports;
use relink_ports::{CollectionStore, StoredVersion, VersionId, WatchedPage};
use relink_report::watch::{PageHistory, WatchEvent, WatchHistory, WatchVersion};

use crate::WatchError;
use crate::edit::{MemberSelector, select_one};
use crate::library::{Library, load_versions};

/// Returns the versions of a member's page, and what happened to the member.
pub async fn member_history(
    store: &dyn CollectionStore,
    collection: &str,
    selector: &MemberSelector,
) -> Result<WatchHistory, WatchError> {
    let library = Library::load_tree(store, collection).await?;
    let member = select_one(&library, collection, selector)?;
    let pages = store.watched_pages(std::slice::from_ref(&member.url)).await?;
    let versions = page_versions(store, &member.url).await?;
    let volatile = pages.first().map(volatile_parts).unwrap_or_default();
    let mut previous: Option<Signature> = None;
    let mut rows = Vec::new();
    for version in versions {
        let signature: Option<Signature> = serde_json::from_str(&version.signature).ok();
        let change = previous.as_ref().zip(signature.as_ref());
        let change = change.map(|(old, new)| compare(old, new, &volatile));
        rows.push(WatchVersion {
            seen_at: version.seen_at,
            title: version.title,
            bytes: version.bytes,
            has_text: version.text.is_some(),
            is_accepted: member.reference == Some(version.id),
            level: change.as_ref().map(|change| change.level),
            content: change.map(|change| change.content),
        });
        previous = signature;
    }
    let events = store.member_events(member.id).await?;
    let events = events.into_iter().map(|event| WatchEvent {
        at: event.at,
        kind: event.kind,
        detail: event.detail,
    });
    Ok(WatchHistory::new(&member.url, &member.title, rows, events.collect()))
}

/// Returns the checks and the changes of each page of some collections, for the study
/// over time. A page in several collections occurs once.
pub async fn page_histories(
    ports: &Ports,
    store: &dyn CollectionStore,
    names: &[String],
) -> Result<Vec<PageHistory>, WatchError> {
    let mut urls = Vec::new();
    for name in names {
        urls.extend(crate::summaries::collection_urls(store, name).await?);
    }
    urls.sort_unstable();
    urls.dedup();
    let mut histories = Vec::new();
    for url in urls {
        let record = ports.store.target_record(&url).await?;
        let checks = record.map(|record| record.past_verdicts).unwrap_or_default();
        let pages = store.watched_pages(std::slice::from_ref(&url)).await?;
        let volatile = pages.first().map(volatile_parts).unwrap_or_default();
        let changes = changes_since_first(store, &url, &volatile).await?;
        histories.push(PageHistory { checks, changes });
    }
    Ok(histories)
}

/// Returns the time of each later version, with its level of change since the first.
async fn changes_since_first(
    store: &dyn CollectionStore,
    url: &str,
    volatile: &VolatileParts,
) -> Result<Vec<(Timestamp, relink_change::Level)>, WatchError> {
    let versions = page_versions(store, url).await?;
    let signature = |version: &StoredVersion| -> Option<Signature> {
        serde_json::from_str(&version.signature).ok()
    };
    let Some(first) = versions.first().and_then(signature) else { return Ok(Vec::new()) };
    let later = versions.iter().skip(1).filter_map(|version| {
        Some((version.seen_at, compare(&first, &signature(version)?, volatile).level))
    });
    Ok(later.collect())
}

/// Returns the versions of a page, oldest first.
async fn page_versions(
    store: &dyn CollectionStore,
    url: &str,
) -> Result<Vec<StoredVersion>, WatchError> {
    let times = store.version_times(url).await?;
    let ids: Vec<VersionId> = times.iter().map(|(id, _)| *id).collect();
    let mut versions = load_versions(store, ids.clone()).await?;
    Ok(ids.iter().filter_map(|id| versions.remove(id)).collect())
}

fn volatile_parts(page: &WatchedPage) -> VolatileParts {
    page.volatile.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// Returns the version that was the latest one at a time; the first version if the page
/// was not seen before.
pub(crate) async fn version_at(
    store: &dyn CollectionStore,
    url: &str,
    time: Timestamp,
) -> Result<Option<VersionId>, WatchError> {
    let times = store.version_times(url).await?;
    let before = times.iter().rev().find(|(_, seen_at)| *seen_at <= time);
    Ok(before.or(times.first()).map(|(id, _)| *id))
}
