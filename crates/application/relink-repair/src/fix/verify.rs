//! Checks the new URLs before they are written.
//!
//! A new URL must be alive, and its redirects must not lead to another page: see
//! [`chain_offer`]. An archived copy must stay a copy of the same page in the same archive. A
//! page that works again must have the text of its archived copy.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use relink_documents::{Input, ReadOptions};
use relink_engine::{CheckEnd, CheckSettings, Observer, check};
use relink_fix::{OfferRefusal, ReviewReason, chain_offer, copy_chain_offer, is_same_page};
use relink_frontier::{UrlFilter, canonicalize};
use relink_model::{Digest, RunId, Verdict};
use relink_page::DocumentFormat;
use relink_ports::{CheckedTarget, CheckedTargetQuery};
use relink_requests::{EngineError, Ports, StopSignal};
use url::Url;

use super::{BATCH_SIZE, FixCause, FixStatus, LinkFix};

/// The result of the check of a new URL.
#[derive(Debug)]
struct NewUrlResult {
    verdict: Verdict,
    reason: String,
    /// The URLs to which the redirects of the new URL lead, in order.
    hops: Vec<String>,
    /// The digest of the page, if the page is compared with an archived copy.
    digest: Option<Box<Digest>>,
}

/// Checks the new URLs of all fixes that may be written, and rejects the fixes
/// whose new URL is not alive.
///
/// The first check has followed the redirect to the new URL. This second check also
/// compares the new page with controls (pages that cannot exist), so that the URL of an
/// error page with status 200 is not written into documents.
pub async fn verify_fixes(
    ports: &Ports,
    settings: &CheckSettings,
    fixes: &mut [LinkFix],
    observer: &mut dyn Observer,
    stop: &StopSignal,
) -> Result<CheckEnd, EngineError> {
    let urls = checked_urls(fixes);
    if urls.is_empty() {
        return Ok(CheckEnd::Finished);
    }
    let list: String = urls.iter().flat_map(|url| [url.as_str(), "\n"]).collect();
    let outcome = check(ports, &list_check(settings, &list), observer, stop).await?;
    if outcome.end == CheckEnd::Finished {
        let compared = compared_urls(fixes);
        let results = run_results(ports, outcome.run, &compared).await?;
        for fix in fixes.iter_mut().filter(|fix| may_be_written(fix)) {
            verify(fix, &results);
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
        is_third_party: settings.load.read_options.is_third_party,
        ..ReadOptions::default()
    };
    settings.is_fresh = true;
    settings.scope = BTreeMap::from([("fix".to_owned(), "verify".to_owned())]);
    settings
}

/// Returns the canonical new URLs, and the copies with which pages are compared.
fn checked_urls(fixes: &[LinkFix]) -> BTreeSet<String> {
    let verified_fixes = || fixes.iter().filter(|fix| may_be_written(fix));
    let copies = verified_fixes().filter(|fix| fix.cause == FixCause::BackToLife);
    let new = verified_fixes().map(|fix| fix.new_url.as_str());
    let urls = new.chain(copies.map(|fix| fix.old_url.as_str()));
    urls.filter_map(|url| canonicalize(None, url).ok()).map(String::from).collect()
}

/// Returns the URLs of pages that work again, and of their copies.
fn compared_urls(fixes: &[LinkFix]) -> BTreeSet<String> {
    let restored = fixes.iter().filter(|fix| fix.cause == FixCause::BackToLife);
    let urls = restored.flat_map(|fix| [fix.new_url.as_str(), fix.old_url.as_str()]);
    urls.filter_map(|url| canonicalize(None, url).ok()).map(String::from).collect()
}

/// Returns the result of every target of a run. Only `compared` targets have a digest.
async fn run_results(
    ports: &Ports,
    run: RunId,
    compared: &BTreeSet<String>,
) -> Result<BTreeMap<String, NewUrlResult>, EngineError> {
    let mut results = BTreeMap::new();
    let mut query =
        CheckedTargetQuery { limit: BATCH_SIZE, max_locations: 0, ..CheckedTargetQuery::ALL };
    loop {
        let batch = ports.store.checked_targets(run, query).await?;
        let Some(last) = batch.last() else { return Ok(results) };
        query.after = last.task;
        for target in batch {
            let is_compared = compared.contains(&target.url);
            let CheckedTarget { url, result, probe, .. } = target;
            let (hops, digest) = probe.map_or_else(Default::default, |probe| {
                let hops: Vec<String> = probe.hops.into_iter().map(|hop| hop.url).collect();
                (hops, probe.digest.filter(|_| is_compared))
            });
            let (verdict, reason) = (result.verdict, result.reason);
            results.insert(url, NewUrlResult { verdict, reason, hops, digest });
        }
    }
}

/// Whether a fix has a new URL that may be written.
fn may_be_written(fix: &LinkFix) -> bool {
    !matches!(fix.status, FixStatus::Rejected(_)) && !fix.new_url.is_empty()
}

/// Rejects a fix if its new URL is not alive or leads to another page. Requests a review if a
/// person must confirm the page.
fn verify(fix: &mut LinkFix, results: &BTreeMap<String, NewUrlResult>) {
    let result_of = |url: &str| {
        let canonical = canonicalize(None, url).ok()?;
        Some((canonical.clone(), results.get(canonical.as_str())?))
    };
    let Some((url, result)) = result_of(&fix.new_url) else {
        fix.status = FixStatus::Rejected("the new URL was not checked".to_owned());
        return;
    };
    if result.verdict != Verdict::Alive {
        let NewUrlResult { verdict, reason, .. } = result;
        fix.status = FixStatus::Rejected(format!("the new URL is {verdict}: {reason}"));
        return;
    }
    let hops = result.hops.iter().map(|hop| Url::parse(hop));
    let chain: Result<Vec<Url>, _> = std::iter::once(Ok(url)).chain(hops).collect();
    let offer = match (chain, fix.cause) {
        (Err(_), _) => Err(OfferRefusal::OtherPage),
        (Ok(chain), FixCause::ArchivedCopy(_)) => copy_chain_offer(&chain),
        (Ok(chain), _) => chain_offer(&chain),
    };
    let review = match offer {
        Ok(offer) => offer.review,
        Err(OfferRefusal::Unchanged) => None,
        Err(refusal) => {
            fix.status = FixStatus::Rejected(format!("the new URL redirects: {refusal}"));
            return;
        }
    };
    let copy = result_of(&fix.old_url).and_then(|(_, copy)| copy.digest.as_deref());
    let review = review.or_else(|| match fix.cause {
        FixCause::BackToLife => comparison_reason(copy, result.digest.as_deref()),
        _ => None,
    });
    if let Some(reason) = review {
        request_review(fix, reason);
    }
}

/// Returns the reason why a person must compare a page with its archived copy.
fn comparison_reason(copy: Option<&Digest>, page: Option<&Digest>) -> Option<ReviewReason> {
    match copy.zip(page) {
        None => Some(ReviewReason::NotCompared),
        Some((copy, page)) if is_same_page(copy, page) => None,
        Some(_) => Some(ReviewReason::OtherContent),
    }
}

/// Requests a review. The reason of an earlier request is retained unless it is `BackToLife`, the
/// weakest reason.
fn request_review(fix: &mut LinkFix, reason: ReviewReason) {
    if matches!(fix.status, FixStatus::Ready | FixStatus::NeedsReview(ReviewReason::BackToLife)) {
        fix.status = FixStatus::NeedsReview(reason);
    }
}
