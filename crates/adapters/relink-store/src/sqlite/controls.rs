//! Stores controls and finds neighbors: other pages of the same directory.
//!
//! A control is a URL fetched only for comparison, usually with a random name that cannot
//! exist. The caller chooses its key. This module does not interpret it.

use jiff::Timestamp;
use relink_model::{Probe, RunId};
use relink_ports::{Neighbor, StoredControl};
use rusqlite::{Connection, OptionalExtension as _};

use super::error::DbResult;
use super::redaction;
use super::rows::{from_json, join_result, millis, to_i64};

/// The maximum number of targets that are read before and after a URL. A directory may
/// have millions, and a few neighbors are enough.
const MAX_SCANNED: usize = 256;

/// Returns the control with this key if it was fetched at `since` or later.
pub(super) fn control(
    db: &Connection,
    key: &str,
    since: Timestamp,
) -> DbResult<Option<StoredControl>> {
    let stored: Option<(String, String)> = db
        .prepare_cached("SELECT url, detail FROM control WHERE key = ? AND requested_at >= ?")?
        .query_row((key, millis(since)), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((url, detail)) = stored else { return Ok(None) };
    Ok(Some(StoredControl { key: key.to_owned(), url, probe: serde_json::from_str(&detail)? }))
}

/// Saves controls. A stored control with the same key is replaced unless it is newer.
pub(super) fn save_controls(db: &Connection, controls: &[StoredControl]) -> DbResult<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO control (key, url, requested_at, detail) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET
             url = excluded.url, requested_at = excluded.requested_at, detail = excluded.detail
         WHERE excluded.requested_at >= requested_at",
    )?;
    for StoredControl { key, url, probe } in controls {
        let detail = serde_json::to_string(probe)?;
        let (url, detail) = (redaction::url(url), redaction::json(&detail)?);
        statement.execute((key, url, millis(probe.requested_at), detail))?;
    }
    Ok(())
}

/// Returns targets of a directory that were fetched in this run. They alternate between
/// the nearest URL after `url` and the nearest URL before it, in URL order.
pub(super) fn neighbors(
    db: &Connection,
    run: RunId,
    directory: &str,
    url: &str,
    limit: usize,
) -> DbResult<Vec<Neighbor>> {
    // The range ends at the greatest character. LIKE would interpret `%` and
    // `_` in the URL.
    let end = format!("{directory}{}", char::MAX);
    let following = (url.max(directory), end.as_str());
    let mut after = fetched_between(db, run, following, "ASC", limit)?.into_iter();
    let preceding = (directory, url.min(&end));
    let mut before = fetched_between(db, run, preceding, "DESC", limit)?.into_iter();
    let alternating = std::iter::from_fn(|| Some([after.next(), before.next()]))
        .take(limit)
        .flatten()
        .flatten()
        .take(limit);
    let read_neighbor =
        |(url, probe)| Ok(read_probe(db, probe)?.map(|probe| Neighbor { url, probe }));
    alternating.filter_map(|found| read_neighbor(found).transpose()).collect()
}

/// Returns the URL and last probe of up to `limit` fetched targets between two URLs.
/// `order` is `ASC` or `DESC`.
fn fetched_between(
    db: &Connection,
    run: RunId,
    (from, to): (&str, &str),
    order: &'static str,
    limit: usize,
) -> DbResult<Vec<(String, i64)>> {
    let mut select_targets = db.prepare_cached(&format!(
        "SELECT id, url FROM target WHERE url > ? AND url < ? ORDER BY url {order} LIMIT ?"
    ))?;
    let mut select_probe = db.prepare_cached(concat!(
        "SELECT ifnull(result.probe_id, task.probe_id) AS probe FROM task",
        join_result!(),
        "WHERE task.run_id = ? AND task.target_id = ? AND NOT task.cached AND probe IS NOT NULL"
    ))?;
    let mut rows = select_targets.query((from, to, to_i64(MAX_SCANNED)))?;
    let mut fetched = Vec::with_capacity(limit);
    // Stop after `limit` targets. Most targets were fetched, so only a few rows are read.
    while fetched.len() < limit
        && let Some(row) = rows.next()?
    {
        let (target, url): (i64, String) = (row.get(0)?, row.get(1)?);
        let probe = select_probe.query_row((run.0, target), |row| row.get(0)).optional()?;
        fetched.extend(probe.map(|probe| (url, probe)));
    }
    Ok(fetched)
}

/// Reads a probe by id.
fn read_probe(db: &Connection, probe: i64) -> DbResult<Option<Probe>> {
    let detail: Option<String> = db
        .prepare_cached("SELECT detail FROM probe WHERE id = ?")?
        .query_row([probe], |row| row.get(0))
        .optional()?;
    Ok(from_json(detail)?)
}
