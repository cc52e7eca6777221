//! Chooses the new URL of each broken link.
//!
//! An *alias* is a live URL of the same page, which `revive` found. A *revival* is the
//! stored report of that search. A *citation* is a link that states what its author read.
//! It is better served by an archived copy, which does not change.

use std::cmp::Ordering;
use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;
use relink_fix::{PageVersion, ReviewReason, chain_offer, is_citation, redirect_offer};
use relink_model::{Confidence, Hop, RunId, Verdict};
use relink_page::DocumentFormat;
use relink_ports::{CheckedTarget, CheckedTargetQuery, Files, LinkLocation};
use relink_revive::copy_gap::CopyGap;
use url::Url;

use super::copies::{nearest_copy, version_of};
use super::drifted::{citations, plan_drifted};
use super::restored::plan_restorations;
use super::{
    ARCHIVES_NOT_QUERIED, BATCH_SIZE, DeadLinkMarks, FixCause, FixPreference, FixSettings,
    FixStatus, FixStyle, LinkFix, NOT_FOUND, NOT_SEARCHED,
};
use crate::Revival;
use relink_requests::{EngineError, Ports};

/// Verdicts of links that can be repaired.
const REPAIRABLE: [Verdict; 4] =
    [Verdict::Moved, Verdict::Dead, Verdict::Soft404, Verdict::Hijacked];

/// Minimum confidence of an alias that is written without confirmation by a person.
const MIN_CONFIDENCE: Confidence = Confidence::from_percent(95);

/// A new URL that can be offered.
#[derive(Debug, Clone)]
struct NewUrl {
    url: String,
    cause: FixCause,
    evidence: Vec<String>,
    status: FixStatus,
}

/// The new URLs of a page, the preferred URL first.
struct TargetOffer {
    /// The new URL for most links.
    preferred: NewUrl,
    /// The new URL for citations, if it differs from `preferred`.
    for_citations: Option<NewUrl>,
    /// The archived copy.
    version: Option<PageVersion>,
    /// The parts that the archived copy lacks compared with the page at the alias.
    copy_gaps: Vec<CopyGap>,
}

impl TargetOffer {
    /// Returns an offer without an alternative.
    fn without_alternative(preferred: NewUrl) -> Self {
        Self { preferred, for_citations: None, version: None, copy_gaps: Vec::new() }
    }
}

/// A link with the new URLs of its target.
struct OfferedLink {
    fix: LinkFix,
    /// The new URL if the link is a citation. All links of the page share it.
    for_citations: Option<Arc<NewUrl>>,
}

/// Returns the repairs for the broken links of a run, by document and position.
pub async fn plan_fixes(
    ports: &Ports,
    run: RunId,
    settings: FixSettings,
) -> Result<Vec<LinkFix>, EngineError> {
    let mut links = Vec::new();
    let mut query = CheckedTargetQuery {
        limit: BATCH_SIZE,
        verdicts: Some(&REPAIRABLE),
        ..CheckedTargetQuery::ALL
    };
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
    links.sort_by(|one, other| by_location(&one.fix, &other.fix));
    choose_for_citations(&*ports.files, &mut links, settings).await;
    let mut fixes: Vec<LinkFix> = links.into_iter().map(|link| link.fix).collect();
    let sorted_count = fixes.len();
    fixes.extend(plan_drifted(ports, run, settings).await?);
    fixes.extend(plan_restorations(ports, run, settings).await?);
    if fixes.len() > sorted_count {
        fixes.sort_by(by_location);
    }
    Ok(fixes)
}

/// Compares repairs by document and position.
fn by_location(one: &LinkFix, other: &LinkFix) -> Ordering {
    let paths = one.location.path.cmp(&other.location.path);
    paths.then_with(|| one.location.location.span.cmp(&other.location.location.span))
}

/// Returns the new URLs of a page, or an offer without a URL if none is known.
async fn target_offer(
    ports: &Ports,
    target: &CheckedTarget,
    settings: FixSettings,
) -> Result<Option<TargetOffer>, EngineError> {
    if target.result.verdict == Verdict::Moved {
        return Ok(redirect_target(target).map(TargetOffer::without_alternative));
    }
    let stored = ports.store.revival(&target.url).await?;
    // A report of another version is ignored, as in `relink explain`.
    let revival = stored.and_then(|stored| serde_json::from_str::<Revival>(&stored.report).ok());
    let Some(revival) = revival else {
        let status = FixStatus::Rejected(NOT_SEARCHED.to_owned());
        return Ok(Some(without_url(ports, status)));
    };
    let revival = add_newest_copy(ports, target, revival, settings.preference).await;
    let (alias, copy) = (alias(&revival), archived_copy(&revival));
    if alias.is_none() && copy.is_none() {
        // Only a link for which no copy exists is marked as dead.
        let is_searched = revival.has_archive_query() || !ports.archives.is_empty();
        let status = if is_searched {
            FixStatus::Ready
        } else {
            FixStatus::Rejected(ARCHIVES_NOT_QUERIED.to_owned())
        };
        return Ok(Some(without_url(ports, status)));
    }
    let (preferred, for_citations) = match settings.preference {
        FixPreference::Auto if alias.is_some() => (alias, copy),
        FixPreference::Auto | FixPreference::Alias => (alias.or(copy), None),
        FixPreference::Archive => (copy.or(alias), None),
    };
    let version = revival.archived.as_ref().map(version_of);
    let copy_gaps = revival.copy_gaps.unwrap_or_default();
    Ok(preferred.map(|preferred| TargetOffer { preferred, for_citations, version, copy_gaps }))
}

/// Adds the newest archived copy to a revival for which no archive was queried. Adds the copy
/// only if it may be written: for citations, if the user prefers copies, and for links without
/// an alias.
async fn add_newest_copy(
    ports: &Ports,
    target: &CheckedTarget,
    mut revival: Revival,
    preference: FixPreference,
) -> Revival {
    if revival.archived.is_some() || revival.has_archive_query() || ports.archives.is_empty() {
        return revival;
    }
    let may_be_written = match preference {
        _ if revival.alias.is_none() => true,
        FixPreference::Archive => true,
        FixPreference::Alias => false,
        FixPreference::Auto => !citations(ports, target.locations.clone()).await.is_empty(),
    };
    if may_be_written {
        revival.archived = nearest_copy(ports, &target.url, ports.now()).await;
    }
    revival
}

/// Returns the offer for a page without a new URL.
fn without_url(ports: &Ports, status: FixStatus) -> TargetOffer {
    let date = ports.now().to_zoned(TimeZone::UTC).date();
    let (url, cause) = (String::new(), FixCause::NotFound(date));
    let preferred = NewUrl { url, cause, evidence: Vec::new(), status };
    TargetOffer::without_alternative(preferred)
}

/// Returns the last URL of a permanent redirect chain.
fn redirect_target(target: &CheckedTarget) -> Option<NewUrl> {
    let hops = &target.probe.as_ref()?.hops;
    let urls = std::iter::once(&target.url).chain(hops.iter().map(|hop| &hop.url));
    let chain: Vec<Url> = urls.map(|url| Url::parse(url).ok()).collect::<Option<_>>()?;
    let mut new = chain.last()?.clone();
    new.set_fragment(location_fragment(hops).as_deref());
    let status = match chain_offer(&chain) {
        Ok(offer) => offer.review.map_or(FixStatus::Ready, FixStatus::NeedsReview),
        Err(refusal) => FixStatus::Rejected(refusal.to_string()),
    };
    Some(NewUrl { url: new.into(), cause: FixCause::Redirect, evidence: Vec::new(), status })
}

/// Returns the fragment that the last redirect with a fragment adds (RFC 9110, section 10.2.2).
fn location_fragment(hops: &[Hop]) -> Option<String> {
    hops.iter().rev().find_map(|hop| {
        let target = Url::parse(&hop.url).ok()?.join(hop.location.as_deref()?).ok()?;
        target.fragment().filter(|fragment| !fragment.is_empty()).map(str::to_owned)
    })
}

/// Returns the alias of a page, if the search found one.
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
    let evidence = alias.evidence.iter().map(|evidence| evidence.note.clone()).collect();
    Some(NewUrl { url, cause, evidence, status })
}

/// Returns the archived copy of a page, if the search found one.
fn archived_copy(revival: &Revival) -> Option<NewUrl> {
    let copy = revival.archived.as_ref()?;
    Some(NewUrl {
        url: copy.replay_url.to_string(),
        cause: FixCause::ArchivedCopy(copy.captured_at),
        evidence: Vec::new(),
        status: FixStatus::Ready,
    })
}

/// Returns the repairs of all links to a page.
fn offered_links(
    target: CheckedTarget,
    offer: &TargetOffer,
    settings: FixSettings,
) -> Vec<OfferedLink> {
    let CheckedTarget { locations, url, result, .. } = target;
    let is_alias = matches!(offer.preferred.cause, FixCause::Alias(_));
    let copy_gaps = if is_alias { offer.copy_gaps.clone() } else { Vec::new() };
    let fix_for = |location: LinkLocation| LinkFix {
        status: link_status(&offer.preferred, &location, settings.marks),
        location,
        old_url: url.clone(),
        new_url: offer.preferred.url.clone(),
        verdict: result.verdict,
        code: result.code,
        finding: result.reason.clone(),
        cause: offer.preferred.cause,
        evidence: offer.preferred.evidence.clone(),
        style: style(offer.preferred.cause, settings),
        keeps_attributes: settings.keeps_attributes,
        version: offer.version.clone(),
        copy_gaps: copy_gaps.clone(),
    };
    let for_citations = offer.for_citations.clone().map(Arc::new);
    let offered =
        |location| OfferedLink { fix: fix_for(location), for_citations: for_citations.clone() };
    locations.into_iter().map(offered).collect()
}

/// Returns the status of the repair of one link. Only links in MediaWiki text can be
/// marked as dead.
fn link_status(offer: &NewUrl, location: &LinkLocation, marks: DeadLinkMarks) -> FixStatus {
    if !offer.cause.is_mark() || offer.status != FixStatus::Ready {
        return offer.status.clone();
    }
    let is_marked = match marks {
        DeadLinkMarks::Off => false,
        DeadLinkMarks::All => true,
        DeadLinkMarks::ByName => {
            DocumentFormat::from_file(Some(&location.path), b"") == DocumentFormat::Wikitext
        }
    };
    if is_marked { FixStatus::Ready } else { FixStatus::Rejected(NOT_FOUND.to_owned()) }
}

/// Returns how a new URL is written.
fn style(cause: FixCause, settings: FixSettings) -> FixStyle {
    match cause {
        // A mark cannot replace the link.
        FixCause::NotFound(_) => FixStyle::SecondLink,
        FixCause::BackToLife => FixStyle::Restore,
        FixCause::Redirect => settings.style.unwrap_or(FixStyle::Replace),
        FixCause::Alias(_) | FixCause::ArchivedCopy(_) => {
            settings.style.unwrap_or(FixStyle::SecondLink)
        }
    }
}

/// Offers the archived copy for links that are citations. Reads only documents in which a link
/// has both an alias and an archived copy.
async fn choose_for_citations(files: &dyn Files, links: &mut [OfferedLink], settings: FixSettings) {
    let is_same_document =
        |left: &OfferedLink, right: &OfferedLink| left.fix.location.path == right.fix.location.path;
    for document in links.chunk_by_mut(is_same_document) {
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
                fix.evidence.clone_from(&copy.evidence);
                fix.copy_gaps.clear();
                fix.status = copy.status.clone();
                fix.style = style(copy.cause, settings);
            }
        }
    }
}
