//! What judging needs beside the probe of the page itself: controls, and other
//! pages of the same directory.
//!
//! Which control is asked, what its key is and what it tells is not known here.

use jiff::Timestamp;
use relink_model::{Probe, RunId};
use relink_ports::{Neighbor, StoredControl};
use rusqlite::{Connection, OptionalExtension as _};

use super::error::DbResult;
use super::redaction;
use super::rows::{from_json, millis, number, with_outcome};

/// Targets of a directory that are looked at. A directory may hold millions,
/// and a few good neighbors are enough.
const SCANNED: usize = 256;

pub(super) fn control(
    db: &Connection,
    key: &str,
    since: Timestamp,
) -> DbResult<Option<StoredControl>> {
    let kept: Option<(String, String)> = db
        .prepare_cached("SELECT url, detail FROM control WHERE key = ? AND asked_at >= ?")?
        .query_row((key, millis(since)), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((url, detail)) = kept else { return Ok(None) };
    Ok(Some(StoredControl { key: key.to_owned(), url, probe: serde_json::from_str(&detail)? }))
}

/// Keeps controls, unless a newer one is there.
pub(super) fn keep_controls(db: &Connection, controls: &[StoredControl]) -> DbResult<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO control (key, url, asked_at, detail) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET
             url = excluded.url, asked_at = excluded.asked_at, detail = excluded.detail
         WHERE excluded.asked_at >= asked_at",
    )?;
    for StoredControl { key, url, probe } in controls {
        let detail = serde_json::to_string(probe)?;
        let (url, detail) = (redaction::url(url), redaction::json(&detail)?);
        statement.execute((key, url, millis(probe.requested_at), detail))?;
    }
    Ok(())
}

/// Targets below a directory that were asked in this run: those around a URL,
/// the nearest first, by turns after it and before it.
pub(super) fn neighbors(
    db: &Connection,
    run: RunId,
    directory: &str,
    url: &str,
    limit: usize,
) -> DbResult<Vec<Neighbor>> {
    // No character comes after the last, so this ends the directory's part of
    // the index. Patterns would give a meaning to `%` and `_`.
    let end = format!("{directory}{}", char::MAX);
    let between = (url.max(directory), end.as_str());
    let mut after = asked_between(db, run, between, "ASC", limit)?.into_iter();
    let between = (directory, url.min(&end));
    let mut before = asked_between(db, run, between, "DESC", limit)?.into_iter();
    let by_turns = std::iter::from_fn(|| Some([after.next(), before.next()]))
        .take(limit)
        .flatten()
        .flatten()
        .take(limit);
    let read = |(url, probe)| Ok(read_probe(db, probe)?.map(|probe| Neighbor { url, probe }));
    by_turns.filter_map(|found| read(found).transpose()).collect()
}

/// URL and last probe of the targets between two URLs that were asked in a run:
/// so many at most, from one end.
fn asked_between(
    db: &Connection,
    run: RunId,
    (from, to): (&str, &str),
    order: &'static str,
    limit: usize,
) -> DbResult<Vec<(String, i64)>> {
    let mut targets = db.prepare_cached(&format!(
        "SELECT id, url FROM target WHERE url > ? AND url < ? ORDER BY url {order} LIMIT ?"
    ))?;
    let mut probe = db.prepare_cached(concat!(
        "SELECT ifnull(o.probe_id, e.probe_id) AS probe FROM task e",
        with_outcome!(),
        "WHERE e.run_id = ? AND e.target_id = ? AND NOT e.cached AND probe IS NOT NULL"
    ))?;
    let mut rows = targets.query((from, to, number(SCANNED)))?;
    let mut asked = Vec::with_capacity(limit);
    // Most neighbors were asked, too, so only a few rows are read.
    while asked.len() < limit
        && let Some(row) = rows.next()?
    {
        let (target, url): (i64, String) = (row.get(0)?, row.get(1)?);
        let probe = probe.query_row((run.0, target), |row| row.get(0)).optional()?;
        asked.extend(probe.map(|probe| (url, probe)));
    }
    Ok(asked)
}

fn read_probe(db: &Connection, probe: i64) -> DbResult<Option<Probe>> {
    let detail: Option<String> = db
        .prepare_cached("SELECT detail FROM probe WHERE id = ?")?
        .query_row([probe], |row| row.get(0))
        .optional()?;
    from_json(detail)
}
