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
use crate::Ports;
use crate::revive::good_copy_near;

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
    let mut known: BTreeMap<(String, Timestamp), Option<Snapshot>> = BTreeMap::new();
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
                let copy = nearest_copy(ports, &fix.old_url, date).await;
                known.insert(key.clone(), copy);
            }
            if let Some(Some(copy)) = known.get(&key) {
                use_copy(fix, copy);
            }
        }
    }
}

/// Returns the capture nearest to a time that is the page itself, of the first archive that
/// has one.
pub(super) async fn nearest_copy(ports: &Ports, url: &str, when: Timestamp) -> Option<Snapshot> {
    let url = Url::parse(url).ok()?;
    // A copy is judged by its text alone, so settings of requests do not matter.
    let policy = Policy::default();
    for archive in &ports.archives {
        // An archive that cannot be queried leaves the known copy.
        let found = good_copy_near(&**archive, &policy, &url, when).await;
        if found.is_some() {
            return found;
        }
    }
    None
}

fn use_copy(fix: &mut LinkFix, copy: &Snapshot) {
    fix.new_url = copy.replay_url.to_string();
    fix.cause = FixCause::ArchivedCopy(copy.captured_at);
    fix.version = Some(version_of(copy));
}

/// Returns an archived copy as the version of a robust link.
pub(super) fn version_of(copy: &Snapshot) -> PageVersion {
    let date = copy.captured_at.to_zoned(TimeZone::UTC).date().to_string();
    PageVersion { url: copy.replay_url.to_string(), date }
}
