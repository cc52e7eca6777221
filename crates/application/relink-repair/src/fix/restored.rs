//! Links to archived copies whose original page may work again.
//!
//! The originals are checked with all other new URLs. Only pages that are alive are
//! offered.

use relink_fix::{ReviewReason, original_of};
use relink_model::RunId;
use relink_ports::{CheckedTarget, CheckedTargetQuery, LinkLocation};
use url::Url;

use super::{BATCH_SIZE, FixCause, FixSettings, FixStatus, FixStyle, LinkFix};
use relink_requests::{EngineError, Ports};

/// Returns a repair for each link to an archived copy: its original URL.
pub(super) async fn plan_restorations(
    ports: &Ports,
    run: RunId,
    settings: FixSettings,
) -> Result<Vec<LinkFix>, EngineError> {
    let mut fixes = Vec::new();
    // The locations are most of the data, so read them later and for links to archives only.
    let mut query =
        CheckedTargetQuery { limit: BATCH_SIZE, max_locations: 0, ..CheckedTargetQuery::ALL };
    loop {
        let batch = ports.store.checked_targets(run, query).await?;
        let Some(last) = batch.last() else { return Ok(fixes) };
        query.after = last.task;
        for target in batch {
            let Some(original) = original_of(&target.url) else { continue };
            let inlinks = ports.store.inlinks(&[target.task], usize::MAX).await?;
            let locations = inlinks.into_iter().flat_map(|inlinks| inlinks.locations);
            fixes.extend(restorations(&target, &original, locations, settings));
        }
    }
}

/// Returns the repairs of all links to a copy.
fn restorations(
    target: &CheckedTarget,
    original: &Url,
    locations: impl Iterator<Item = LinkLocation>,
    settings: FixSettings,
) -> Vec<LinkFix> {
    let status = if settings.restores {
        FixStatus::Ready
    } else {
        FixStatus::NeedsReview(ReviewReason::BackToLife)
    };
    let fix = |location| LinkFix {
        location,
        old_url: target.url.clone(),
        new_url: original.to_string(),
        verdict: target.result.verdict,
        code: None,
        finding: "archived copy".to_owned(),
        cause: FixCause::BackToLife,
        evidence: Vec::new(),
        style: FixStyle::Restore,
        keeps_attributes: false,
        version: None,
        copy_gaps: Vec::new(),
        status: status.clone(),
    };
    locations.map(fix).collect()
}
