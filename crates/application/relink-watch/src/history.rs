//! The history of members and pages: versions, checks and decisions of the user.
//!
//! A *version* is the content of a page between two confirmed changes. *Volatile parts*,
//! such as a date, change with every fetch and do not count as changes.

use jiff::Timestamp;
use relink_change::{Signature, VolatileParts, compare};
use relink_ports::{CollectionStore, StoredVersion, VersionId, WatchedPage};
use relink_report::watch::{PageHistory, WatchEvent, WatchHistory, WatchVersion};
use relink_requests::Ports;

use crate::WatchError;
use crate::edit::{MemberSelector, select_one};
use crate::library::{Library, load_versions};

/// Returns the versions of a member's page, and what happened to the member.
pub async fn member_history(
    store: &dyn CollectionStore,
    collection: &str,
    selector: &MemberSelector,
) -> Result<WatchHistory, WatchError> {
    // The member may be in a nested collection.
    let library = Library::load_tree(store, collection).await?;
    let member = select_one(&library, collection, selector)?;
    let pages = store.watched_pages(std::slice::from_ref(&member.url)).await?;
    let versions = page_versions(store, &member.url).await?;
    let volatile = pages.first().map(volatile_parts).unwrap_or_default();
    let rows = version_rows(versions, member.reference, &volatile);
    let events = store.member_events(member.id).await?;
    let events = events.into_iter().map(|event| WatchEvent {
        at: event.at,
        kind: event.kind,
        detail: event.detail,
    });
    Ok(WatchHistory::new(&member.url, &member.title, rows, events.collect()))
}

/// Compares each version with the previous version. `accepted` is the version that the user
/// accepted last.
fn version_rows(
    versions: Vec<StoredVersion>,
    accepted: Option<VersionId>,
    volatile: &VolatileParts,
) -> Vec<WatchVersion> {
    let mut previous: Option<Signature> = None;
    let mut rows = Vec::new();
    for version in versions {
        let signature: Option<Signature> = serde_json::from_str(&version.signature).ok();
        let change = previous.as_ref().zip(signature.as_ref());
        let change = change.map(|(old, new)| compare(old, new, volatile));
        rows.push(WatchVersion {
            seen_at: version.seen_at,
            title: version.title,
            bytes: version.bytes,
            has_text: version.text.is_some(),
            is_accepted: accepted == Some(version.id),
            level: change.as_ref().map(|change| change.level),
            changed_share: change.map(|change| change.content),
        });
        // A version whose signature cannot be read is skipped by the comparison.
        previous = signature.or(previous);
    }
    rows
}

/// Returns the checks and the changes of each page of some collections over time. A page
/// in several collections occurs once.
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

/// Returns the time of each later version, with its level of change since the first. Versions
/// whose signature cannot be read are skipped.
async fn changes_since_first(
    store: &dyn CollectionStore,
    url: &str,
    volatile: &VolatileParts,
) -> Result<Vec<(Timestamp, relink_change::Level)>, WatchError> {
    let versions = page_versions(store, url).await?;
    let signature = |version: &StoredVersion| -> Option<Signature> {
        serde_json::from_str(&version.signature).ok()
    };
    let mut readable =
        versions.iter().filter_map(|version| Some((version.seen_at, signature(version)?)));
    let Some((_, first)) = readable.next() else { return Ok(Vec::new()) };
    let later = readable.map(|(at, version)| (at, compare(&first, &version, volatile).level));
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

/// Returns the stored volatile parts of a page.
fn volatile_parts(page: &WatchedPage) -> VolatileParts {
    page.volatile.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// Returns the newest version that was seen at or before a time; the first version if all of
/// them were seen later.
pub(crate) async fn version_at(
    store: &dyn CollectionStore,
    url: &str,
    time: Timestamp,
) -> Result<Option<VersionId>, WatchError> {
    let times = store.version_times(url).await?;
    let latest_before = times.iter().rev().find(|(_, seen_at)| *seen_at <= time);
    Ok(latest_before.or(times.first()).map(|(id, _)| *id))
}

#[cfg(test)]
mod tests {
    use relink_change::Level;
    use relink_page::body_blocks;

    use super::*;

    /// Returns a version that was seen `id` seconds after the epoch.
    fn version(id: i64, signature: String) -> StoredVersion {
        StoredVersion {
            id: VersionId(id),
            url: "http://a.test/".to_owned(),
            seen_at: Timestamp::from_second(id).unwrap(),
            title: String::new(),
            bytes: 0,
            signature,
            terms: String::new(),
            keyphrases: String::new(),
            text: None,
        }
    }

    /// Returns the stored form of the signature of a page.
    fn signature(html: &str) -> String {
        let page = body_blocks(Some("text/html"), html.as_bytes()).unwrap();
        serde_json::to_string(&Signature::new(html.as_bytes(), &page)).unwrap()
    }

    #[test]
    fn version_after_an_unreadable_one_is_compared_with_the_last_readable_one() {
        let page = signature("<p>The snowy owl hunts in winter.");
        let versions =
            vec![version(1, page.clone()), version(2, "{}".to_owned()), version(3, page)];
        let rows = version_rows(versions, None, &VolatileParts::default());
        let levels: Vec<Option<Level>> = rows.iter().map(|row| row.level).collect();
        assert_eq!(levels, [None, None, Some(Level::None)]);
    }
}
