//! `fix`: plans repairs of links in local documents.
//!
//! A repair starts from a finished check. Every link to a permanently moved page
//! gets the last URL of its redirect chain, if [`redirect_offer`] accepts it and
//! a second check finds the new URL alive. [`plan_document`] then rewrites the
//! documents in memory. This module writes no file.

mod document;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use relink_fix::{Replacement, ReviewReason, redirect_offer};
use relink_frontier::{UrlFilter, canonicalize};
use relink_model::{FindingCode, RunId, Verdict};
use relink_page::DocumentFormat;
use relink_ports::{CheckedTarget, CheckedTargetQuery, LinkLocation};
use url::Url;

pub use self::document::{DocumentError, DocumentFix, plan_document};
use crate::check::{CheckEnd, CheckSettings, check};
use crate::{EngineError, Input, Observer, Ports, ReadOptions, StopSignal};

/// Number of targets read from the store at a time.
const BATCH: usize = 256;

/// The planned repair of one link.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkFix {
    /// The document and the location of the link in it.
    pub location: LinkLocation,
    /// The canonical URL of the link.
    pub old_url: String,
    /// The new URL, without the fragment of the link.
    pub new_url: String,
    /// The code of the finding.
    pub code: Option<FindingCode>,
    /// Whether the repair can be written.
    pub status: FixStatus,
}

/// Whether a repair can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FixStatus {
    /// It can be written without a question.
    Ready,
    /// A person must confirm it.
    NeedsReview(ReviewReason),
    /// It must not be written, for this reason.
    Rejected(String),
}

impl LinkFix {
    /// Returns the edit of the document.
    fn replacement(&self) -> Replacement {
        Replacement {
            location: self.location.location,
            old_url: self.old_url.clone(),
            new_url: self.new_url.clone(),
        }
    }
}

/// Returns the repairs for the moved pages of a run, by document and position.
pub async fn plan_fixes(ports: &Ports, run: RunId) -> Result<Vec<LinkFix>, EngineError> {
    let mut fixes = Vec::new();
    let mut query = CheckedTargetQuery {
        limit: BATCH,
        verdicts: Some(&[Verdict::Moved]),
        ..CheckedTargetQuery::ALL
    };
    loop {
        let batch = ports.store.checked_targets(run, query).await?;
        let Some(last) = batch.last() else { break };
        query.after = last.task;
        fixes.extend(batch.into_iter().flat_map(target_fixes));
    }
    let key = |fix: &LinkFix| (fix.location.path.clone(), fix.location.location.span);
    fixes.sort_by_cached_key(key);
    Ok(fixes)
}

/// Returns the repairs of all links to a moved page.
fn target_fixes(target: CheckedTarget) -> Vec<LinkFix> {
    let last = target.probe.as_ref().and_then(|probe| probe.hops.last());
    let urls = Url::parse(&target.url).ok().zip(last.and_then(|hop| Url::parse(&hop.url).ok()));
    let Some((old, new)) = urls else { return Vec::new() };
    let status = match redirect_offer(&old, &new) {
        Ok(offer) => offer.review.map_or(FixStatus::Ready, FixStatus::NeedsReview),
        Err(refusal) => FixStatus::Rejected(refusal.to_string()),
    };
    let fix = |location| LinkFix {
        location,
        old_url: target.url.clone(),
        new_url: new.as_str().to_owned(),
        code: target.result.code,
        status: status.clone(),
    };
    target.locations.into_iter().map(fix).collect()
}

/// Checks the new URLs of all fixes that may be written, and rejects the fixes
/// whose new URL is not alive.
///
/// The redirect was followed in the first check. The second one also compares
/// the new page with controls, so that an error page with status 200 is not
/// written into documents.
pub async fn verify_fixes(
    ports: &Ports,
    settings: &CheckSettings,
    fixes: &mut [LinkFix],
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<CheckEnd, EngineError> {
    let is_open = |fix: &&LinkFix| !matches!(fix.status, FixStatus::Rejected(_));
    let urls: BTreeSet<&str> =
        fixes.iter().filter(is_open).map(|fix| fix.new_url.as_str()).collect();
    if urls.is_empty() {
        return Ok(CheckEnd::Finished);
    }
    let list: String = urls.iter().flat_map(|url| [*url, "\n"]).collect();
    let outcome = check(ports, &list_check(settings, &list), observer, stop).await?;
    if outcome.end == CheckEnd::Finished {
        let results = run_results(ports, outcome.run).await?;
        for fix in fixes.iter_mut() {
            reject_unless_alive(fix, &results);
        }
    }
    Ok(outcome.end)
}

/// Returns the settings for the check of a list of URLs. Cached results are not
/// used.
fn list_check(settings: &CheckSettings, list: &str) -> CheckSettings {
    let mut settings = settings.clone();
    settings.load.inputs = vec![Input::Stdin(Arc::from(list.as_bytes()))];
    settings.load.scope = UrlFilter::default();
    settings.load.fresh_since = Timestamp::MAX;
    settings.load.read_options = ReadOptions {
        format: Some(DocumentFormat::UrlList),
        skips_reserved: settings.load.read_options.skips_reserved,
        ..ReadOptions::default()
    };
    settings.is_fresh = true;
    settings.scope = BTreeMap::from([("fix".to_owned(), "verify".to_owned())]);
    settings
}

/// Returns the verdict and the reason of every target of a run.
async fn run_results(
    ports: &Ports,
    run: RunId,
) -> Result<BTreeMap<String, (Verdict, String)>, EngineError> {
    let mut results = BTreeMap::new();
    let mut query =
        CheckedTargetQuery { limit: BATCH, max_locations: 0, ..CheckedTargetQuery::ALL };
    loop {
        let batch = ports.store.checked_targets(run, query).await?;
        let Some(last) = batch.last() else { return Ok(results) };
        query.after = last.task;
        results.extend(
            batch
                .into_iter()
                .map(|target| (target.url, (target.result.verdict, target.result.reason))),
        );
    }
}

fn reject_unless_alive(fix: &mut LinkFix, results: &BTreeMap<String, (Verdict, String)>) {
    if matches!(fix.status, FixStatus::Rejected(_)) {
        return;
    }
    let canonical = canonicalize(None, &fix.new_url).ok();
    let result = canonical.as_ref().and_then(|url| results.get(url.as_str()));
    let rejected = match result {
        Some((Verdict::Alive, _)) => return,
        Some((verdict, reason)) => format!("the new URL is {verdict}: {reason}"),
        None => "the new URL was not checked".to_owned(),
    };
    fix.status = FixStatus::Rejected(rejected);
}
