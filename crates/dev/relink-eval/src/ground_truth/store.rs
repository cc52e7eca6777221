//! Ground truth from the database of a user: pages whose alias was found by an
//! archived redirect, and pages that respond with 410.

use std::path::Path;

use relink_model::{Confidence, Verdict};
use relink_ports::{Store, TitledPage};
use relink_repair::Revival;
use relink_revive::cost::RevivalMethod;
use relink_store::SqliteStore;
use url::Url;

use super::{AnswerRow, GroundTruth, LiveRow};
use crate::error::EvalError;

/// Number of rows read at a time.
const BATCH: usize = 1024;

/// Status of a page that was deleted for good.
const GONE: u16 = 410;

/// Minimum confidence of a redirect that was compared with the redirects of neighbors.
const MIN_COMPARED_CONFIDENCE: Confidence = Confidence::from_percent(97);

/// Reads the pages of a site.
pub(super) async fn read(db: &Path, site: &Url) -> Result<GroundTruth, EvalError> {
    let store = SqliteStore::open(db).await?;
    let mut truth = GroundTruth::default();
    read_moved(&store, site, &mut truth).await?;
    read_gone(&store, site, &mut truth).await?;
    read_live(&store, site, &mut truth).await?;
    Ok(truth)
}

/// Adds the pages whose alias was found by an archived redirect.
async fn read_moved(
    store: &dyn Store,
    site: &Url,
    truth: &mut GroundTruth,
) -> Result<(), EvalError> {
    let mut after = String::new();
    loop {
        let batch = store.revivals(site.as_str(), &after, BATCH).await?;
        let Some(last) = batch.last() else { return Ok(()) };
        after.clone_from(&last.url);
        for stored in batch {
            let Ok(revival) = serde_json::from_str::<Revival>(&stored.report) else { continue };
            let is_redirect = |method| method == RevivalMethod::HistoricalRedirect;
            let alias = revival.alias.filter(|alias| is_redirect(alias.method));
            let alias = alias.filter(|alias| alias.confidence >= MIN_COMPARED_CONFIDENCE);
            let Some(alias) = alias else { continue };
            let title = title(store, &stored.url).await?;
            truth.answers.push(AnswerRow::moved(stored.url, alias.url.to_string(), title));
        }
    }
}

/// Adds the pages that respond with 410 and have no alias.
async fn read_gone(
    store: &dyn Store,
    site: &Url,
    truth: &mut GroundTruth,
) -> Result<(), EvalError> {
    let mut after = String::new();
    loop {
        let batch = store.dead_targets(&Verdict::GONE, &after, BATCH).await?;
        let Some(last) = batch.last() else { return Ok(()) };
        after.clone_from(&last.url);
        for page in batch {
            let is_gone = page.status == Some(GONE) && page.url.starts_with(site.as_str());
            let is_moved = truth.answers.iter().any(|row| row.old == page.url);
            if is_gone && !is_moved {
                let title = page.digest.and_then(|digest| digest.title);
                truth.answers.push(AnswerRow::gone(page.url, title));
            }
        }
    }
}

/// Adds the live pages.
async fn read_live(
    store: &dyn Store,
    site: &Url,
    truth: &mut GroundTruth,
) -> Result<(), EvalError> {
    let mut after = String::new();
    loop {
        let batch = store.live_pages(site.as_str(), &after, BATCH).await?;
        let Some(last) = batch.last() else { return Ok(()) };
        after.clone_from(&last.url);
        let row = |page: TitledPage| LiveRow { url: page.url, title: page.title };
        truth.live.extend(batch.into_iter().map(row));
    }
}

/// Returns the title that a dead page had when it was last alive.
async fn title(store: &dyn Store, url: &str) -> Result<Option<String>, EvalError> {
    let page = store.dead_target(url).await?;
    Ok(page.and_then(|page| page.digest).and_then(|digest| digest.title))
}
