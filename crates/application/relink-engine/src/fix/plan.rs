//! Chooses the new URL of each broken link.

use std::path::Path;

use jiff::tz::TimeZone;
use relink_fix::{PageVersion, ReviewReason, is_citation, redirect_offer};
use relink_model::{Confidence, RunId, Verdict};
use relink_page::DocumentFormat;
use relink_ports::{CheckedTarget, CheckedTargetQuery, Files, LinkLocation};
use url::Url;

use super::restored::plan_restorations;
use super::{
    BATCH, DeadLinkMarks, FixCause, FixPreference, FixSettings, FixStatus, FixStyle, LinkFix,
};
use crate::{EngineError, Ports, Revival};

/// Verdicts of links that can be repaired.
const REPAIRABLE: [Verdict; 4] =
    [Verdict::Moved, Verdict::Dead, Verdict::Soft404, Verdict::Hijacked];

/// Minimum confidence of an alias that is written without a question.
const MIN_CONFIDENCE: Confidence = Confidence::from_percent(95);

/// A new URL that can be offered.
#[derive(Debug, Clone)]
struct NewUrl {
    url: String,
    cause: FixCause,
    status: FixStatus,
}

/// The new URLs of a page, best first.
struct TargetOffer {
    /// The new URL for most links.
    first: NewUrl,
    /// The new URL for citations, if it is another one.
    for_citations: Option<NewUrl>,
    /// The archived copy.
    version: Option<PageVersion>,
}

/// A link with the new URLs of its target.
struct OfferedLink {
    fix: LinkFix,
    for_citations: Option<NewUrl>,
}

/// Returns the repairs for the broken links of a run, by document and position.
pub async fn plan_fixes(
    ports: &Ports,
    run: RunId,
    settings: FixSettings,
) -> Result<Vec<LinkFix>, EngineError> {
    let mut links = Vec::new();
    let mut query =
        CheckedTargetQuery { limit: BATCH, verdicts: Some(&REPAIRABLE), ..CheckedTargetQuery::ALL };
    loop {
        let batch = ports.store.checked_targets(run, query).await?;
        let Some(last) = batch.last() else { break };
        query.after = last.task;
        let is_skipped = |target: &CheckedTarget| {
            settings.skips_redirects && target.result.verdict == Verdict::Moved
        };
        for target in batch.into_iter().filter(|target| !is_skipped(target)) {
            if let Some(offer) = target_offer(ports, &target, settings).await? {
                links.extend(offered_links(target, &offer, settings));
            }
        }
    }
    let key =
        |link: &OfferedLink| (link.fix.location.path.clone(), link.fix.location.location.span);
    links.sort_by_cached_key(key);
    choose_for_citations(&*ports.files, &mut links, settings).await;
    let mut fixes: Vec<LinkFix> = links.into_iter().map(|link| link.fix).collect();
    let restored = plan_restorations(ports, run, settings).await?;
    if !restored.is_empty() {
        fixes.extend(restored);
        fixes.sort_by_cached_key(|fix| (fix.location.path.clone(), fix.location.location.span));
    }
    Ok(fixes)
}

/// Returns the new URLs of a page.
async fn target_offer(
    ports: &Ports,
    target: &CheckedTarget,
    settings: FixSettings,
) -> Result<Option<TargetOffer>, EngineError> {
    if target.result.verdict == Verdict::Moved {
        let offer = |first| TargetOffer { first, for_citations: None, version: None };
        return Ok(redirect(target).map(offer));
    }
    let Some(stored) = ports.store.revival(&target.url).await? else { return Ok(None) };
    // A report of another version is ignored, as in `relink explain`.
    let Ok(revival) = serde_json::from_str::<Revival>(&stored.report) else { return Ok(None) };
    let (alias, copy) = (alias(&revival), archived_copy(&revival));
    if alias.is_none() && copy.is_none() && settings.marks != DeadLinkMarks::Off {
        let date = ports.now().to_zoned(TimeZone::UTC).date();
        let first = NewUrl {
            url: String::new(),
            cause: FixCause::NotFound(date),
            status: FixStatus::Ready,
        };
        return Ok(Some(TargetOffer { first, for_citations: None, version: None }));
    }
    let (first, for_citations) = match settings.preference {
        FixPreference::Auto if alias.is_some() => (alias, copy),
        FixPreference::Auto | FixPreference::Alias => (alias.or(copy), None),
        FixPreference::Archive => (copy.or(alias), None),
    };
    let version = version(&revival);
    Ok(first.map(|first| TargetOffer { first, for_citations, version }))
}

/// Returns the last URL of a permanent redirect chain.
fn redirect(target: &CheckedTarget) -> Option<NewUrl> {
    let last = target.probe.as_ref()?.hops.last()?;
    let (old, new) = (Url::parse(&target.url).ok()?, Url::parse(&last.url).ok()?);
    let status = match redirect_offer(&old, &new) {
        Ok(offer) => offer.review.map_or(FixStatus::Ready, FixStatus::NeedsReview),
        Err(refusal) => FixStatus::Rejected(refusal.to_string()),
    };
    Some(NewUrl { url: new.into(), cause: FixCause::Redirect, status })
}

fn alias(revival: &Revival) -> Option<NewUrl> {
    let alias = revival.alias.as_ref()?;
    let status = match redirect_offer(&revival.url, &alias.url) {
        Err(refusal) => FixStatus::Rejected(refusal.to_string()),
        Ok(offer) => match offer.review {
            Some(reason) => FixStatus::NeedsReview(reason),
            None if alias.confidence < MIN_CONFIDENCE => {
                FixStatus::NeedsReview(ReviewReason::LowConfidence)
            }
            None => FixStatus::Ready,
        },
    };
    let (url, cause) = (alias.url.to_string(), FixCause::Alias(alias.confidence));
    Some(NewUrl { url, cause, status })
}

fn archived_copy(revival: &Revival) -> Option<NewUrl> {
    let copy = revival.archived.as_ref()?;
    Some(NewUrl {
        url: copy.replay_url.to_string(),
        cause: FixCause::ArchivedCopy(copy.captured_at),
        status: FixStatus::Ready,
    })
}

fn version(revival: &Revival) -> Option<PageVersion> {
    let copy = revival.archived.as_ref()?;
    let date = copy.captured_at.to_zoned(TimeZone::UTC).date();
    Some(PageVersion { url: copy.replay_url.to_string(), date: date.to_string() })
}

/// Returns the repairs of all links to a page.
fn offered_links(
    target: CheckedTarget,
    offer: &TargetOffer,
    settings: FixSettings,
) -> Vec<OfferedLink> {
    let CheckedTarget { locations, url, result, .. } = target;
    let fix = |location: LinkLocation| LinkFix {
        location,
        old_url: url.clone(),
        new_url: offer.first.url.clone(),
        verdict: result.verdict,
        code: result.code,
        finding: result.reason.clone(),
        cause: offer.first.cause,
        style: style(offer.first.cause, settings),
        keeps_attributes: settings.keeps_attributes,
        version: offer.version.clone(),
        copy_gaps: Vec::new(),
        status: offer.first.status.clone(),
    };
    let can_be_marked = |location: &LinkLocation| {
        let format = || DocumentFormat::from_file(Some(&location.path), b"");
        settings.marks == DeadLinkMarks::All || format() == DocumentFormat::Wikitext
    };
    let is_marked = matches!(offer.first.cause, FixCause::NotFound(_));
    locations
        .into_iter()
        .filter(|location| !is_marked || can_be_marked(location))
        .map(|location| OfferedLink {
            fix: fix(location),
            for_citations: offer.for_citations.clone(),
        })
        .collect()
}

fn style(cause: FixCause, settings: FixSettings) -> FixStyle {
    match cause {
        // A mark cannot replace the link.
        FixCause::NotFound(_) => FixStyle::Beside,
        FixCause::BackToLife => FixStyle::Restore,
        FixCause::Redirect => settings.style.unwrap_or(FixStyle::Replace),
        FixCause::Alias(_) | FixCause::ArchivedCopy(_) => {
            settings.style.unwrap_or(FixStyle::Beside)
        }
    }
}

/// Offers the archived copy for links that are citations. Only documents with a
/// choice are read.
async fn choose_for_citations(files: &dyn Files, links: &mut [OfferedLink], settings: FixSettings) {
    let is_same =
        |one: &OfferedLink, other: &OfferedLink| one.fix.location.path == other.fix.location.path;
    for document in links.chunk_by_mut(is_same) {
        if document.iter().all(|link| link.for_citations.is_none()) {
            continue;
        }
        let Some(path) = document.first().map(|link| link.fix.location.path.clone()) else {
            continue;
        };
        // A document that cannot be read is reported when it is rewritten.
        let Ok(bytes) = files.read(Path::new(&path)).await else { continue };
        for OfferedLink { fix, for_citations } in document {
            let Some(copy) = for_citations else { continue };
            if is_citation(&bytes, fix.location.location.span) {
                fix.new_url.clone_from(&copy.url);
                fix.cause = copy.cause;
                fix.status = copy.status.clone();
                fix.style = style(copy.cause, settings);
            }
        }
    }
}
