//! Turns the results of a run into the new states of pages.
//!
//! A *version* is the content of a page between two confirmed changes. New content is a
//! *candidate* until a second fetch confirms it. *Volatile parts*, such as a date, change
//! with every fetch and do not count.

use std::collections::HashMap;

use jiff::Timestamp;
use relink_change::Signature;
use relink_collection::{
    Availability, PageTrack, RecheckInterval, RecheckResult, TrackDecision, is_version, track,
};
use relink_judge::codes::TOO_MANY_REQUESTS;
use relink_ports::{
    CollectionStore, PageUpdate, StoredVersion, TargetResult, VersionId, WatchedPage,
};

use crate::capture::{CapturedPage, CapturedVersion};
use crate::error::{WatchError, to_json};
use crate::library::load_versions;

/// A checked page.
pub(crate) struct CheckedPage {
    pub(crate) url: String,
    pub(crate) result: TargetResult,
    /// The content, if the page was received with a success status.
    pub(crate) captured: Option<CapturedPage>,
}

/// Number of pages by result. [`crate::WatchOutcome`] describes the results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RecordCounts {
    pub(crate) first: u64,
    pub(crate) unchanged: u64,
    pub(crate) changed: u64,
    pub(crate) unstable: u64,
    pub(crate) temporary: u64,
    pub(crate) permanent: u64,
    pub(crate) not_requested: u64,
}

impl RecordCounts {
    /// Returns the number of pages whose check is finished.
    pub(crate) fn finished(&self) -> u64 {
        let Self { first, unchanged, changed, unstable, temporary, permanent, .. } = *self;
        first + unchanged + changed + unstable + temporary + permanent
    }
}

/// Stores a batch of checked pages.
pub(crate) async fn record(
    store: &dyn CollectionStore,
    checked: Vec<CheckedPage>,
    now: Timestamp,
    counts: &mut RecordCounts,
) -> Result<(), WatchError> {
    let urls: Vec<String> = checked.iter().map(|page| page.url.clone()).collect();
    let pages = store.watched_pages(&urls).await?;
    let mut pages: HashMap<String, WatchedPage> =
        pages.into_iter().map(|page| (page.url.clone(), page)).collect();
    // Only pages with other bytes are compared with their latest versions.
    let changed =
        checked.iter().filter(|page| matches!(page.captured, Some(CapturedPage::Other(_))));
    let latest: Vec<VersionId> = changed.filter_map(|page| pages.get(&page.url)?.latest).collect();
    let versions = load_versions(store, latest).await?;
    let mut updates = Vec::with_capacity(checked.len());
    for checked in checked {
        // The user may have removed the member while its page was fetched.
        let Some(page) = pages.remove(&checked.url) else { continue };
        let latest = page.latest.and_then(|id| versions.get(&id));
        updates.push(update(page, checked, latest, now, counts)?);
    }
    Ok(store.save_watched_pages(&updates).await?)
}

/// Returns the new state of a page, and its new version if there is one.
fn update(
    mut page: WatchedPage,
    checked: CheckedPage,
    latest: Option<&StoredVersion>,
    now: Timestamp,
    counts: &mut RecordCounts,
) -> Result<PageUpdate, WatchError> {
    let availability_before = Availability::from_verdict(page.verdict);
    let result = checked.result;
    if is_not_requested(&result) {
        // The state of the page does not change. The page is due again after the shortest
        // interval.
        counts.not_requested += 1;
        page.next_at = RecheckInterval::MIN.next_at(now);
        return Ok(PageUpdate { page, version: None });
    }
    let verdict = result.verdict;
    page.checked_at = Some(result.checked_at);
    page.verdict = Some(verdict);
    page.code = result.code;
    page.reason = result.reason;
    page.since = Some(result.since);
    let availability = Availability::from_verdict(Some(verdict));
    let has_other_availability = availability_before != availability;
    if !is_version(verdict) {
        match availability {
            Availability::Permanent => counts.permanent += 1,
            _ => counts.temporary += 1,
        }
        page.candidate = None;
        schedule(&mut page, has_other_availability, now);
        return Ok(PageUpdate { page, version: None });
    }
    let Some(CapturedPage::Other(captured)) = checked.captured else {
        counts.unchanged += 1;
        page.candidate = None;
        // The first check of a page finds no change.
        let is_changed = has_other_availability && page.latest.is_some();
        schedule(&mut page, is_changed, now);
        return Ok(PageUpdate { page, version: None });
    };
    apply_version(page, *captured, latest, has_other_availability, now, counts)
}

/// Whether the page was not requested, because its host limits the requests.
fn is_not_requested(result: &TargetResult) -> bool {
    result.code == Some(TOO_MANY_REQUESTS) && result.status.is_none() && result.attempts.is_empty()
}

/// Decides whether a fetched page is a new version, and returns its new state. A page that has
/// other availability than before, such as one that was dead, counts as changed.
fn apply_version(
    mut page: WatchedPage,
    captured: CapturedVersion,
    latest: Option<&StoredVersion>,
    has_other_availability: bool,
    now: Timestamp,
    counts: &mut RecordCounts,
) -> Result<PageUpdate, WatchError> {
    let mut page_track = page_track(&page, latest);
    let checksum = captured.signature.checksum;
    let decision = track(&mut page_track, &captured.signature, now);
    page.candidate = page_track.candidate.as_ref().map(to_json).transpose()?;
    page.volatile = Some(to_json(&page_track.volatile)?);
    let mut version = None;
    match decision {
        // The page stays due, so the next round fetches it again.
        TrackDecision::Confirm => page.next_at = now,
        TrackDecision::Unchanged => {
            counts.unchanged += 1;
            page.checksum = Some(checksum);
            schedule(&mut page, has_other_availability, now);
        }
        TrackDecision::FirstVersion => {
            counts.first += 1;
            page.checksum = Some(checksum);
            page.next_at = interval(&page).next_at(now);
            version = Some(new_version(&page.url, captured, now)?);
        }
        TrackDecision::NewVersion(_) => {
            counts.changed += 1;
            page.checksum = Some(checksum);
            let is_changed = true;
            schedule(&mut page, is_changed, now);
            version = Some(new_version(&page.url, captured, now)?);
        }
        TrackDecision::Unstable => {
            counts.unstable += 1;
            page.next_at = interval(&page).next_at(now);
        }
    }
    Ok(PageUpdate { page, version })
}

/// Returns the stored state of a page for the decision. A state that cannot be read counts
/// as missing, so the page is treated as new.
fn page_track(page: &WatchedPage, latest: Option<&StoredVersion>) -> PageTrack {
    let latest: Option<Signature> =
        latest.and_then(|version| serde_json::from_str(&version.signature).ok());
    PageTrack {
        latest,
        candidate: page.candidate.as_deref().and_then(|text| serde_json::from_str(text).ok()),
        volatile: page
            .volatile
            .as_deref()
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default(),
    }
}

/// Returns the version to store. The store assigns its id.
fn new_version(
    url: &str,
    captured: CapturedVersion,
    now: Timestamp,
) -> Result<StoredVersion, WatchError> {
    let content = captured.content.unwrap_or_default();
    Ok(StoredVersion {
        id: VersionId(0),
        url: url.to_owned(),
        seen_at: now,
        title: content.title,
        bytes: captured.bytes,
        signature: to_json(&captured.signature)?,
        terms: to_json(&content.terms)?,
        keyphrases: to_json(&content.keyphrases)?,
        text: content.text,
    })
}

/// Returns the current time between two checks of a page.
fn interval(page: &WatchedPage) -> RecheckInterval {
    RecheckInterval::from_millis(page.interval_ms)
}

/// Sets the time of the next check. The interval gets shorter after a change and longer
/// otherwise.
fn schedule(page: &mut WatchedPage, is_changed: bool, now: Timestamp) {
    let result = if is_changed { RecheckResult::Changed } else { RecheckResult::Unchanged };
    let interval = interval(page).after(result);
    page.interval_ms = interval.as_millis();
    page.next_at = interval.next_at(now);
}

#[cfg(test)]
mod tests {
    use relink_model::{Confidence, Verdict};
    use relink_page::{DocumentFormat, block_text};

    use super::*;

    /// Returns the signature of a page.
    fn signature(text: &str) -> Signature {
        Signature::new(text.as_bytes(), &block_text(DocumentFormat::Html, text.as_bytes()))
    }

    /// Returns the new interval of a page whose content did not change since its latest version.
    /// `captured` is the result of the fetch.
    fn interval_after_return(before: Verdict, captured: CapturedPage) -> i64 {
        let now = Timestamp::UNIX_EPOCH;
        let page = WatchedPage {
            url: "http://a.test/".to_owned(),
            next_at: now,
            interval_ms: 8 * RecheckInterval::MIN.as_millis(),
            checked_at: Some(now),
            verdict: Some(before),
            code: None,
            reason: String::new(),
            since: Some(now),
            latest: Some(VersionId(1)),
            latest_bytes: None,
            checksum: None,
            candidate: None,
            volatile: None,
        };
        let latest = StoredVersion {
            id: VersionId(1),
            url: page.url.clone(),
            seen_at: now,
            title: String::new(),
            bytes: 0,
            signature: to_json(&signature("<p>Owls hunt at night.")).unwrap(),
            terms: String::new(),
            keyphrases: String::new(),
            text: None,
        };
        let result = TargetResult {
            verdict: Verdict::Alive,
            code: None,
            status: Some(200),
            reason: String::new(),
            since: now,
            checked_at: now,
            attempts: Vec::new(),
            streak: None,
            confidence: Confidence::CERTAIN,
            evidence: Vec::new(),
        };
        let checked = CheckedPage { url: page.url.clone(), result, captured: Some(captured) };
        let mut counts = RecordCounts::default();
        let update = update(page, checked, Some(&latest), now, &mut counts).unwrap();
        assert_eq!(counts.unchanged, 1);
        update.page.interval_ms
    }

    #[test]
    fn page_that_returns_with_its_content_is_checked_more_often() {
        let captured = || {
            // Other bytes with the same text.
            let signature = signature("<p>Owls hunt at  night.");
            CapturedPage::Other(Box::new(CapturedVersion { signature, bytes: 0, content: None }))
        };
        let interval_before = 8 * RecheckInterval::MIN.as_millis();
        let returned = interval_after_return(Verdict::Dead, captured());
        assert!(returned < interval_before, "{returned}");
        assert_eq!(returned, interval_after_return(Verdict::Dead, CapturedPage::Same));
        assert!(interval_after_return(Verdict::Alive, captured()) > interval_before);
    }
}
