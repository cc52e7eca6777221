//! Archived copies of dead pages: the copy that fits the date of a link, and what a copy
//! lacks compared with the live page.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_fix::{CopyGap, PageVersion, copy_gaps, link_date};
use relink_model::{Capture, FetchOutcome, RequestRights};
use relink_ports::{
    CaptureOrder, CaptureQuery, CaptureStatusFilter, Fetch as _, FetchRequest, LineHistory,
    RequestOptions, UserAgent,
};
use url::Url;

use super::{FixCause, FixStatus, LinkFix};
use crate::polite_fetch::{PoliteFetch, PoliteFetchSettings};
use crate::{DispatchSettings, EngineError, Ports, Revival};

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

/// Determines what the archived copies lack, for all links that get an alias.
///
/// # Errors
///
/// Fails if the store fails.
pub async fn find_copy_gaps(
    ports: &Ports,
    settings: &DispatchSettings,
    fixes: &mut [LinkFix],
) -> Result<(), EngineError> {
    let polite = PoliteFetch::new(PoliteFetchSettings {
        fetch: &*ports.fetch,
        clock: &*ports.clock,
        store: Some(&*ports.store),
        politeness: settings.politeness,
        max_host_wait: settings.max_host_wait,
    });
    let mut known: BTreeMap<String, Vec<CopyGap>> = BTreeMap::new();
    let is_alias = |fix: &&mut LinkFix| {
        matches!(fix.cause, FixCause::Alias(_)) && !matches!(fix.status, FixStatus::Rejected(_))
    };
    for fix in fixes.iter_mut().filter(is_alias) {
        if !known.contains_key(&fix.old_url) {
            let gaps = gaps_of(ports, &polite, fix).await?;
            known.insert(fix.old_url.clone(), gaps);
        }
        fix.copy_gaps = known.get(&fix.old_url).cloned().unwrap_or_default();
    }
    Ok(())
}

async fn gaps_of(
    ports: &Ports,
    polite: &PoliteFetch<'_>,
    fix: &LinkFix,
) -> Result<Vec<CopyGap>, EngineError> {
    let Some(stored) = ports.store.revival(&fix.old_url).await? else { return Ok(Vec::new()) };
    let Ok(revival) = serde_json::from_str::<Revival>(&stored.report) else {
        return Ok(Vec::new());
    };
    let Some(copy) = &revival.archived else { return Ok(vec![CopyGap::NoCopy]) };
    let (Ok(old), Ok(new)) = (Url::parse(&fix.old_url), Url::parse(&fix.new_url)) else {
        return Ok(Vec::new());
    };
    let rights = ports.store.dead_target(old.as_str()).await?;
    let rights = rights.map_or(RequestRights::discovered(), |stored| stored.rights);
    let live = page(polite, &new, rights.inherit(&old, &new)).await;
    let replay = page(polite, &copy.replay_url, RequestRights::discovered()).await;
    let replay = match replay {
        Some(replay) => Some(replay),
        None => replay_of(ports, &old, copy.captured_at).await,
    };
    Ok(live.zip(replay).map(|(live, copy)| copy_gaps(&live, &copy)).unwrap_or_default())
}

/// Returns the body of a page with status 200.
async fn page(polite: &PoliteFetch<'_>, url: &Url, rights: RequestRights) -> Option<Vec<u8>> {
    let options = RequestOptions::default();
    let request = FetchRequest { url: url.clone(), rights, user_agent: UserAgent::Native, options };
    let result = polite.fetch(request).await;
    let is_success = matches!(result.outcome, FetchOutcome::Response(200));
    result.body.filter(|_| is_success).map(|body| body.bytes.to_vec())
}

/// Returns the body of the archived copy of a time.
async fn replay_of(ports: &Ports, url: &Url, captured_at: Timestamp) -> Option<Vec<u8>> {
    let capture = Capture::new(url.clone(), captured_at);
    for archive in &ports.archives {
        if let Ok(Some(replay)) = archive.replay(&capture).await {
            return Some(replay.body.bytes.to_vec());
        }
    }
    None
}
