//! Reads and stores what `relink revive` needs: dead targets, the results of earlier
//! searches for their new URLs (revivals), learned patterns, cached search hits, and
//! the texts for the search index.

use jiff::Timestamp;
use relink_model::{Confidence, Probe, RequestRights, Verdict};
use relink_ports::{DeadTarget, StoredPattern, StoredRevival, TextChange, TitledPage};
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::error::DbResult;
use super::redaction;
use super::rows::{from_json, millis, parse_name, timestamp, to_i64};
use crate::values::{page_text, prefix_end};

/// The columns of [`dead_target_row`], from `current_result t` and `probe p`.
macro_rules! dead_columns {
    () => {
        "t.url, t.verdict, t.since, t.reached_at, p.detail, t.user_supplied,
         t.code, t.status, t.checked_at
         FROM current_result t LEFT JOIN probe p ON p.id = t.reached_probe AND p.target_id = t.id"
    };
}

/// Returns the current result of a URL, with the digest of the page that was last
/// reached there.
pub(super) fn dead_target(db: &Connection, url: &str) -> DbResult<Option<DeadTarget>> {
    let mut statement =
        db.prepare_cached(concat!("SELECT ", dead_columns!(), " WHERE t.url = ?"))?;
    let mut rows = statement.query([url])?;
    rows.next()?.map(dead_target_row).transpose()
}

/// Returns the targets with these verdicts in URL order, starting after the URL
/// `after`.
pub(super) fn dead_targets(
    db: &Connection,
    verdicts: &[Verdict],
    after: &str,
    limit: usize,
) -> DbResult<Vec<DeadTarget>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        dead_columns!(),
        " WHERE t.url > ?1 AND t.host_id IS NOT NULL
            AND t.verdict IN (SELECT value FROM json_each(?2))
          ORDER BY t.url LIMIT ?3"
    ))?;
    let verdicts = serde_json::to_string(verdicts)?;
    let rows = statement.query_and_then((after, verdicts, to_i64(limit)), dead_target_row)?;
    rows.collect()
}

/// Converts a row of the database to a dead target.
fn dead_target_row(row: &Row<'_>) -> DbResult<DeadTarget> {
    let reached: Option<Probe> = from_json(row.get(4)?)?;
    Ok(DeadTarget {
        url: row.get(0)?,
        // The column is `NOT NULL`, so the default is never used.
        verdict: parse_name(row.get(1)?)?.unwrap_or(Verdict::Dead),
        since: row.get::<_, Option<i64>>(2)?.map(timestamp),
        last_reached_at: row.get::<_, Option<i64>>(3)?.map(timestamp),
        digest: reached.and_then(|probe| probe.digest).map(|digest| *digest),
        rights: RequestRights::from_stored(row.get(5)?),
        code: parse_name(row.get(6)?)?,
        status: row.get(7)?,
        checked_at: row.get::<_, Option<i64>>(8)?.map(timestamp),
    })
}

/// Returns the stored search for the new URL of a dead page.
pub(super) fn revival(db: &Connection, url: &str) -> DbResult<Option<StoredRevival>> {
    let stored = db
        .prepare_cached(
            "SELECT url, alias, confidence, searched_at, report FROM revival WHERE url = ?",
        )?
        .query_row([url], revival_row)
        .optional()?;
    Ok(stored)
}

/// Returns stored searches by URL prefix, in URL order, starting after the URL
/// `after`.
pub(super) fn revivals(
    db: &Connection,
    prefix: &str,
    after: &str,
    limit: usize,
) -> DbResult<Vec<StoredRevival>> {
    let mut statement = db.prepare_cached(
        "SELECT url, alias, confidence, searched_at, report FROM revival
         WHERE url >= ?1 AND url < ?2 AND url > ?3 ORDER BY url LIMIT ?4",
    )?;
    let rows =
        statement.query_map((prefix, prefix_end(prefix), after, to_i64(limit)), revival_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Converts a row of the database to a revival.
fn revival_row(row: &Row<'_>) -> rusqlite::Result<StoredRevival> {
    Ok(StoredRevival {
        url: row.get(0)?,
        alias: row.get(1)?,
        confidence: row.get::<_, Option<u8>>(2)?.map(Confidence::from_percent),
        searched_at: timestamp(row.get(3)?),
        report: row.get(4)?,
    })
}

/// Replaces the stored searches for these URLs.
pub(super) fn save_revivals(db: &Connection, revivals: &[StoredRevival]) -> DbResult<()> {
    let mut statement = db.prepare_cached(
        "INSERT OR REPLACE INTO revival (url, alias, confidence, searched_at, report)
         VALUES (?, ?, ?, ?, ?)",
    )?;
    for revival in revivals {
        statement.execute((
            redaction::url(&revival.url),
            revival.alias.as_deref().map(redaction::url),
            revival.confidence.map(Confidence::as_percent),
            millis(revival.searched_at),
            redaction::json(&revival.report)?,
        ))?;
    }
    Ok(())
}

/// Reads the columns of [`pattern_row`].
const SELECT_PATTERN: &str =
    "SELECT id, directory, dead, disabled, learned_at, programs FROM pattern";

/// Returns the pattern that was learned for a directory.
pub(super) fn pattern(db: &Connection, directory: &str) -> DbResult<Option<StoredPattern>> {
    let pattern = db
        .prepare_cached(&format!("{SELECT_PATTERN} WHERE directory = ?"))?
        .query_row([directory], pattern_row)
        .optional()?;
    Ok(pattern)
}

/// Returns all learned patterns.
pub(super) fn patterns(db: &Connection) -> DbResult<Vec<StoredPattern>> {
    let mut statement = db.prepare_cached(&format!("{SELECT_PATTERN} ORDER BY id"))?;
    let rows = statement.query_map((), pattern_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Converts a row of the database to a pattern.
fn pattern_row(row: &Row<'_>) -> rusqlite::Result<StoredPattern> {
    Ok(StoredPattern {
        id: row.get(0)?,
        directory: row.get(1)?,
        is_dead: row.get(2)?,
        is_disabled: row.get(3)?,
        learned_at: timestamp(row.get(4)?),
        programs: row.get(5)?,
    })
}

/// Inserts or updates the pattern of a directory and returns its id.
pub(super) fn save_pattern(db: &Connection, pattern: &StoredPattern) -> DbResult<i64> {
    let id = db
        .prepare_cached(
            "INSERT INTO pattern (directory, dead, learned_at, programs) VALUES (?, ?, ?, ?)
             ON CONFLICT (directory) DO UPDATE SET
                 dead = excluded.dead, learned_at = excluded.learned_at,
                 programs = excluded.programs
             RETURNING id",
        )?
        .query_row(
            (
                redaction::text(&pattern.directory),
                pattern.is_dead,
                millis(pattern.learned_at),
                redaction::json(&pattern.programs)?,
            ),
            |row| row.get(0),
        )?;
    Ok(id)
}

/// Disables or enables a pattern. Returns whether it exists.
pub(super) fn disable_pattern(db: &Connection, id: i64, is_disabled: bool) -> DbResult<bool> {
    let changed = db
        .prepare_cached("UPDATE pattern SET disabled = ? WHERE id = ?")?
        .execute((is_disabled, id))?;
    Ok(changed > 0)
}

/// Returns the cached hits of a search if they are not older than `since`.
pub(super) fn search(db: &Connection, key: &str, since: Timestamp) -> DbResult<Option<String>> {
    let hits = db
        .prepare_cached("SELECT hits FROM search WHERE key = ? AND requested_at >= ?")?
        .query_row((key, millis(since)), |row| row.get(0))
        .optional()?;
    Ok(hits)
}

/// Caches the hits of a search.
pub(super) fn cache_search(db: &Connection, key: &str, hits: &str, now: Timestamp) -> DbResult<()> {
    db.prepare_cached("INSERT OR REPLACE INTO search (key, requested_at, hits) VALUES (?, ?, ?)")?
        .execute((key, millis(now), redaction::json(hits)?))?;
    Ok(())
}

/// Returns the pages whose text may have changed since the probe with the id `after`. A page that
/// is not alive now has no text. Probes of live pages whose content was replaced by a later probe
/// are omitted.
pub(super) fn text_changes(db: &Connection, after: i64, limit: usize) -> DbResult<Vec<TextChange>> {
    // `CROSS JOIN` makes SQLite read `probe` first, so that only new probes are read.
    let mut statement = db.prepare_cached(
        "SELECT p.id, t.url, t.verdict = ?3, p.detail
         FROM probe p CROSS JOIN current_result t ON t.id = p.target_id
         WHERE p.id > ?1 AND t.host_id IS NOT NULL
           AND (t.verdict <> ?3 OR t.reached_probe = p.id)
         ORDER BY p.id LIMIT ?2",
    )?;
    let rows =
        statement.query_and_then((after, to_i64(limit), Verdict::Alive.as_str()), |row| {
            let is_alive: bool = row.get(2)?;
            let probe: Option<Probe> = if is_alive { from_json(row.get(3)?)? } else { None };
            DbResult::Ok(TextChange {
                probe_id: row.get(0)?,
                url: row.get(1)?,
                text: probe.map(|probe| page_text(*probe.digest.unwrap_or_default())),
            })
        })?;
    rows.collect()
}

/// Returns the greatest probe id, or zero.
pub(super) fn last_probe_id(db: &Connection) -> DbResult<i64> {
    Ok(db
        .prepare_cached("SELECT ifnull(max(id), 0) FROM probe")?
        .query_row((), |row| row.get(0))?)
}

/// Returns the token that changes when probe ids may be reused.
pub(super) fn probe_id_epoch(db: &Connection) -> DbResult<String> {
    Ok(db.prepare_cached("SELECT token FROM probe_id_epoch")?.query_row((), |row| row.get(0))?)
}

/// Returns the live HTML pages with this URL prefix.
pub(super) fn live_pages(
    db: &Connection,
    prefix: &str,
    after: &str,
    limit: usize,
) -> DbResult<Vec<TitledPage>> {
    let mut statement = db.prepare_cached(
        "SELECT t.url, json_extract(p.detail, '$.digest.title')
         FROM current_result t JOIN probe p ON p.id = t.reached_probe AND p.target_id = t.id
         WHERE t.url >= ?1 AND t.url < ?2 AND t.url > ?3 AND t.verdict = ?5
           AND json_extract(p.detail, '$.digest.content_type') LIKE '%html%'
         ORDER BY t.url LIMIT ?4",
    )?;
    let rows = statement.query_map(
        (prefix, prefix_end(prefix), after, to_i64(limit), Verdict::Alive.as_str()),
        |row| Ok(TitledPage { url: row.get(0)?, title: row.get(1)? }),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}
