//! Links to archived copies whose original page may work again, and marks of dead links whose
//! page works again.
//!
//! The originals are checked with all other new URLs. Only pages that are alive are
//! offered.

use std::path::Path;

use relink_fix::{ReviewReason, bot_mark_of, is_restorable, original_of};
use relink_model::{RunId, TaskId, Verdict};
use relink_page::DocumentFormat;
use relink_ports::{CheckedTarget, CheckedTargetQuery, Files, LinkLocation};
use url::Url;

use super::{BATCH_SIZE, DeadLinkMarks, FixCause, FixSettings, FixStatus, FixStyle, LinkFix};
use relink_requests::{EngineError, Ports};

/// Returns a repair for each link to an archived copy, with the original URL as the new URL. Also
/// returns a repair for each mark of a dead link that works.
pub(super) async fn plan_restorations(
    ports: &Ports,
    run: RunId,
    settings: FixSettings,
) -> Result<Vec<LinkFix>, EngineError> {
    let mut fixes = Vec::new();
    // The locations are most of the data. Read them later, and only for the retained targets.
    let mut query =
        CheckedTargetQuery { limit: BATCH_SIZE, max_locations: 0, ..CheckedTargetQuery::ALL };
    loop {
        let batch = ports.store.checked_targets(run, query).await?;
        let Some(last) = batch.last() else { break };
        query.after = last.task;
        let targets: Vec<(CheckedTarget, Option<Url>)> = batch
            .into_iter()
            .map(|target| {
                let original = original_of(&target.url);
                (target, original)
            })
            .filter(|(target, original)| {
                original.is_some() || target.result.verdict == Verdict::Alive
            })
            .collect();
        let tasks: Vec<TaskId> = targets.iter().map(|(target, _)| target.task).collect();
        let inlinks = ports.store.inlinks(&tasks, usize::MAX).await?;
        for ((target, original), inlinks) in targets.iter().zip(inlinks) {
            let locations = inlinks.locations.into_iter();
            if let Some(original) = original {
                let restore = |location| {
                    let style = FixStyle::Restore;
                    restoration(target, original.as_str(), location, style, settings)
                };
                fixes.extend(locations.map(restore));
            } else {
                let unmark = |location| {
                    restoration(target, &target.url, location, FixStyle::Unmark, settings)
                };
                let in_wikitext = locations
                    .filter(|location: &LinkLocation| is_wikitext(&location.path, settings));
                fixes.extend(in_wikitext.map(unmark));
            }
        }
    }
    retain_restorable(&*ports.files, &mut fixes, settings).await;
    Ok(fixes)
}

/// Whether a document is MediaWiki text.
fn is_wikitext(path: &str, settings: FixSettings) -> bool {
    match settings.marks {
        DeadLinkMarks::Off => false,
        DeadLinkMarks::All => true,
        DeadLinkMarks::ByName => {
            DocumentFormat::from_file(Some(path), b"") == DocumentFormat::Wikitext
        }
    }
}

/// Retains the repairs of links that need a repair. Reads each document once.
async fn retain_restorable(files: &dyn Files, repairs: &mut Vec<LinkFix>, settings: FixSettings) {
    repairs.sort_by(|one, other| one.location.path.cmp(&other.location.path));
    let mut retained = Vec::new();
    let is_same_document =
        |one: &LinkFix, other: &LinkFix| one.location.path == other.location.path;
    for document in repairs.chunk_by(is_same_document) {
        let Some(path) = document.first().map(|fix| fix.location.path.as_str()) else { continue };
        // A document that cannot be read is reported when it is rewritten.
        let bytes = files.read(Path::new(path)).await.unwrap_or_default();
        let format =
            settings.format.unwrap_or_else(|| DocumentFormat::from_file(Some(path), &bytes));
        let needs_repair = |fix: &&LinkFix| match fix.style {
            FixStyle::Unmark => bot_mark_of(format, &bytes, fix.location.location).is_some(),
            _ => is_restorable(format, &bytes, fix.location.location.span),
        };
        retained.extend(document.iter().filter(needs_repair).cloned());
    }
    *repairs = retained;
}

/// Returns the repair of one link.
fn restoration(
    target: &CheckedTarget,
    new_url: &str,
    location: LinkLocation,
    style: FixStyle,
    settings: FixSettings,
) -> LinkFix {
    let status = if settings.restores {
        FixStatus::Ready
    } else {
        FixStatus::NeedsReview(ReviewReason::BackToLife)
    };
    let finding = if style == FixStyle::Unmark { "marked as dead" } else { "archived copy" };
    LinkFix {
        location,
        old_url: target.url.clone(),
        new_url: new_url.to_owned(),
        verdict: target.result.verdict,
        code: None,
        finding: finding.to_owned(),
        cause: FixCause::BackToLife,
        evidence: Vec::new(),
        style,
        keeps_attributes: false,
        version: None,
        copy_gaps: Vec::new(),
        status,
    }
}
