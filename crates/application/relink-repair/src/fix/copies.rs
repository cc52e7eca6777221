//! Archived copies of dead pages: the copy that fits the date of a link.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_fix::{PageVersion, link_date};
use relink_judge::Policy;
use relink_model::Snapshot;
use relink_ports::LineHistory;
use url::Url;

use super::{FixCause, FixStatus, LinkFix};
use crate::revive::good_copy_near;
use relink_requests::Ports;

/// Replaces each chosen archived copy by the copy nearest to the date of its link. The date
/// of a link is the access date that its text states, or the date of its line in the
/// version history. `fixes` is sorted by document. Only documents with a chosen copy are
/// read.
pub async fn choose_dated_copies(ports: &Ports, history: &dyn LineHistory, fixes: &mut [LinkFix]) {
    if ports.archives.is_empty() {
        return;
    }
    let is_same_document =
        |left: &LinkFix, right: &LinkFix| left.location.path == right.location.path;
    let is_copy = |fix: &LinkFix| {
        matches!(fix.cause, FixCause::ArchivedCopy(_))
            && !matches!(fix.status, FixStatus::Rejected(_))
    };
    let mut copies: BTreeMap<(String, Timestamp), Option<Snapshot>> = BTreeMap::new();
    for document in fixes.chunk_by_mut(is_same_document) {
        let mut fixes: Vec<&mut LinkFix> = document.iter_mut().filter(|fix| is_copy(fix)).collect();
        let Some(path) = fixes.first().map(|fix| fix.location.path.clone()) else { continue };
        let bytes = ports.files.read(Path::new(&path)).await.unwrap_or_default();
        let lines: Vec<u32> = fixes.iter().map(|fix| fix.location.location.line).collect();
        let line_dates = history.line_dates(Path::new(&path), &lines);
        for (fix, line_date) in fixes.iter_mut().zip(line_dates) {
            let access_date = link_date(&bytes, fix.location.location.span);
            let Some(date) = access_date.or(line_date) else { continue };
            // Several links to one page often have the same date.
            let key = (fix.old_url.clone(), date);
            if !copies.contains_key(&key) {
                let copy = nearest_copy(ports, &fix.old_url, date).await;
                copies.insert(key.clone(), copy);
            }
            if let Some(Some(copy)) = copies.get(&key) {
                set_new_url_to_copy(fix, copy);
            }
        }
    }
}

/// Returns the capture nearest to a time, from the first archive that has one. Captures of
/// error pages, and of other content than that of the page, are skipped.
pub(super) async fn nearest_copy(ports: &Ports, url: &str, when: Timestamp) -> Option<Snapshot> {
    let url = Url::parse(url).ok()?;
    // A copy is judged by its text alone, so the settings of the policy that concern requests do
    // not matter.
    let policy = Policy::default();
    for archive in &ports.archives {
        // If an archive cannot be queried, the next archive is used.
        let found = good_copy_near(&**archive, &policy, &url, when).await;
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Replaces the new URL of a fix by an archived copy.
fn set_new_url_to_copy(fix: &mut LinkFix, copy: &Snapshot) {
    fix.new_url = copy.replay_url.to_string();
    fix.cause = FixCause::ArchivedCopy(copy.captured_at);
    fix.version = Some(version_of(copy));
}

/// Returns an archived copy as the version of a robust link, whose attributes name an archived
/// copy and its date.
pub(super) fn version_of(copy: &Snapshot) -> PageVersion {
    let date = copy.captured_at.to_zoned(TimeZone::UTC).date().to_string();
    PageVersion { url: copy.replay_url.to_string(), date }
}
