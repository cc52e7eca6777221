//! Links to archived copies whose original page may work again.
//!
//! The originals are checked with all other new URLs. Only pages that are alive are
//! offered.

use relink_fix::{ReviewReason, original_of};
use relink_model::RunId;
use relink_ports::{CheckedTarget, CheckedTargetQuery};

use super::{BATCH, FixCause, FixSettings, FixStatus, FixStyle, LinkFix};
use crate::{EngineError, Ports};

/// Returns a repair for each link to an archived copy: its original URL.
pub(super) async fn plan_restorations(
    ports: &Ports,
    run: RunId,
    settings: FixSettings,
) -> Result<Vec<LinkFix>, EngineError> {
    let mut fixes = Vec::new();
    let mut query = CheckedTargetQuery { limit: BATCH, ..CheckedTargetQuery::ALL };
    loop {
        let batch = ports.store.checked_targets(run, query).await?;
        let Some(last) = batch.last() else { return Ok(fixes) };
        query.after = last.task;
        fixes.extend(batch.into_iter().flat_map(|target| restorations(target, settings)));
    }
}

fn restorations(target: CheckedTarget, settings: FixSettings) -> Vec<LinkFix> {
    let Some(original) = original_of(&target.url) else { return Vec::new() };
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
        style: FixStyle::Restore,
        keeps_attributes: false,
        version: None,
        copy_gaps: Vec::new(),
        status: status.clone(),
    };
    target.locations.into_iter().map(fix).collect()
}
