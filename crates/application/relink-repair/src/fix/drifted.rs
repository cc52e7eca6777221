//! Citations of pages whose content has changed.
//!
//! A citation refers to the text that its author read. If the page now has another text,
//! the archived copy from the time of the citation still supports it. A person decides,
//! because the new text may support it, too.

use std::path::Path;

use relink_fix::{ReviewReason, is_citation};
use relink_model::{RunId, Snapshot, Verdict};
use relink_ports::{CheckedTarget, CheckedTargetQuery, LinkLocation};

use super::copies::{nearest_copy, version_of};
use super::{BATCH_SIZE, FixCause, FixPreference, FixSettings, FixStatus, FixStyle, LinkFix};
use relink_requests::{EngineError, Ports};

/// Returns a repair for each citation of a page with other content: the copy nearest to the
/// last check that found the old content.
pub(super) async fn plan_drifted(
    ports: &Ports,
    run: RunId,
    settings: FixSettings,
) -> Result<Vec<LinkFix>, EngineError> {
    let mut fixes = Vec::new();
    if ports.archives.is_empty() || settings.preference == FixPreference::Alias {
        return Ok(fixes);
    }
    let mut query = CheckedTargetQuery {
        limit: BATCH_SIZE,
        verdicts: Some(&[Verdict::Drifted]),
        ..CheckedTargetQuery::ALL
    };
    loop {
        let batch = ports.store.checked_targets(run, query).await?;
        let Some(last) = batch.last() else { return Ok(fixes) };
        query.after = last.task;
        for mut target in batch {
            let locations = citations(ports, std::mem::take(&mut target.locations)).await;
            if locations.is_empty() {
                continue;
            }
            let stored = ports.store.dead_target(&target.url).await?;
            let last_seen = stored.and_then(|stored| stored.last_reached_at);
            let Some(last_seen) = last_seen else { continue };
            if let Some(copy) = nearest_copy(ports, &target.url, last_seen).await {
                let fix = |location| repair_with_copy(&target, location, &copy, settings);
                fixes.extend(locations.into_iter().map(fix));
            }
        }
    }
}

/// Returns the locations of links that are citations.
pub(super) async fn citations(ports: &Ports, locations: Vec<LinkLocation>) -> Vec<LinkLocation> {
    let mut citations = Vec::new();
    for location in locations {
        // A document that cannot be read is reported when it is rewritten.
        let Ok(bytes) = ports.files.read(Path::new(&location.path)).await else { continue };
        if is_citation(&bytes, location.location.span) {
            citations.push(location);
        }
    }
    citations
}

/// Returns the repair of one citation.
fn repair_with_copy(
    target: &CheckedTarget,
    location: LinkLocation,
    copy: &Snapshot,
    settings: FixSettings,
) -> LinkFix {
    LinkFix {
        location,
        old_url: target.url.clone(),
        new_url: copy.replay_url.to_string(),
        verdict: target.result.verdict,
        code: target.result.code,
        finding: target.result.reason.clone(),
        cause: FixCause::ArchivedCopy(copy.captured_at),
        evidence: Vec::new(),
        style: settings.style.unwrap_or(FixStyle::SecondLink),
        keeps_attributes: settings.keeps_attributes,
        version: Some(version_of(copy)),
        copy_gaps: Vec::new(),
        status: FixStatus::NeedsReview(ReviewReason::OtherContent),
    }
}
