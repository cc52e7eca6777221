//! Archived copies of dead pages: the copy that fits the date of a link, and what a copy
//! lacks compared with the live page.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_fix::{PageVersion, link_date};
use relink_model::Capture;
use relink_ports::{CaptureOrder, CaptureQuery, CaptureStatusFilter, LineHistory, Store};
use url::Url;

use super::{FixCause, FixStatus, LinkFix};
use crate::{EngineError, Ports, Revival};

/// Replaces archived copies by those nearest to the dates of their links. The date of a
/// link is its access date, or that of its line in the version history. Only files where
/// an archived copy is chosen are read.
pub async fn choose_dated_copies(ports: &Ports, history: &dyn LineHistory, fixes: &mut [LinkFix]) {
    if ports.archives.is_empty() {
        return;
    }
    let is_same = |one: &LinkFix, other: &LinkFix| one.location.path == other.location.path;
    let is_copy = |fix: &LinkFix| {
        matches!(fix.cause, FixCause::ArchivedCopy(_))
            && !matches!(fix.status, FixStatus::Rejected(_))
    };
    let mut known: BTreeMap<(String, Timestamp), Option<Capture>> = BTreeMap::new();
    for document in fixes.chunk_by_mut(is_same) {
        let mut fixes: Vec<&mut LinkFix> = document.iter_mut().filter(|fix| is_copy(fix)).collect();
        let Some(path) = fixes.first().map(|fix| fix.location.path.clone()) else { continue };
        let bytes = ports.files.read(Path::new(&path)).await.unwrap_or_default();
        let lines: Vec<u32> = fixes.iter().map(|fix| fix.location.location.line).collect();
        let line_dates = history.line_dates(Path::new(&path), &lines);
        for (fix, line_date) in fixes.iter_mut().zip(line_dates) {
            let written = link_date(&bytes, fix.location.location.span);
            let Some(date) = written.or(line_date) else { continue };
            let key = (fix.old_url.clone(), date);
            if !known.contains_key(&key) {
                let capture = nearest_capture(ports, &fix.old_url, date).await;
                known.insert(key.clone(), capture);
            }
            if let Some(Some(capture)) = known.get(&key) {
                use_capture(fix, capture);
            }
        }
    }
}

/// Returns the successful capture nearest to a time, of the first archive that has one.
async fn nearest_capture(ports: &Ports, url: &str, when: Timestamp) -> Option<Capture> {
    let query = CaptureQuery {
        statuses: CaptureStatusFilter::Success,
        order: CaptureOrder::Nearest(when),
        limit: 1,
        ..CaptureQuery::new(Url::parse(url).ok()?)
    };
    for archive in &ports.archives {
        // An archive that cannot be queried leaves the known copy.
        let list = archive.captures(&query).await.unwrap_or_default();
        let found = list.captures.into_iter().find(|capture| capture.snapshot().is_some());
        if found.is_some() {
            return found;
        }
    }
    None
}

fn use_capture(fix: &mut LinkFix, capture: &Capture) {
    let Some(snapshot) = capture.snapshot() else { return };
    fix.new_url = snapshot.replay_url.to_string();
    fix.cause = FixCause::ArchivedCopy(capture.captured_at);
    let date = capture.captured_at.to_zoned(TimeZone::UTC).date().to_string();
    fix.version = Some(PageVersion { url: fix.new_url.clone(), date });
}

/// Adds what the archived copies lack, as `revive` found, to all links that get an alias.
///
/// # Errors
///
/// Fails if the store fails.
pub async fn add_copy_gaps(store: &dyn Store, fixes: &mut [LinkFix]) -> Result<(), EngineError> {
    let is_alias = |fix: &&mut LinkFix| {
        matches!(fix.cause, FixCause::Alias(_)) && !matches!(fix.status, FixStatus::Rejected(_))
    };
    for fix in fixes.iter_mut().filter(is_alias) {
        let Some(stored) = store.revival(&fix.old_url).await? else { continue };
        // A report of another version of Relink says nothing about copies.
        let revival = serde_json::from_str::<Revival>(&stored.report).ok();
        fix.copy_gaps = revival.and_then(|revival| revival.copy_gaps).unwrap_or_default();
    }
    Ok(())
}
