//! Dead pages that were looked for, and what was learned on the way.

use jiff::Timestamp;
use relink_model::{Confidence, Digest, Probe, RequestRights, Verdict};
use relink_ports::{DeadTarget, StoredPattern, StoredRevival, TextChange};
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::error::DbResult;
use super::redaction;
use super::rows::{from_json, millis, moment, named, number};

/// The columns [`dead_target_row`] reads, from `standing t` and `probe p`.
macro_rules! dead_columns {
    () => {
        "t.url, t.word, t.since, t.reached_at, p.detail, t.named
         FROM standing t LEFT JOIN probe p ON p.id = t.reached_probe AND p.target_id = t.id"
    };
}

pub(super) fn dead_target(db: &Connection, url: &str) -> DbResult<Option<DeadTarget>> {
    let mut statement =
        db.prepare_cached(concat!("SELECT ", dead_columns!(), " WHERE t.url = ?"))?;
    let mut rows = statement.query([url])?;
    rows.next()?.map(dead_target_row).transpose()
}

pub(super) fn dead_targets(
    db: &Connection,
    words: &[Verdict],
    after: &str,
    limit: usize,
) -> DbResult<Vec<DeadTarget>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        dead_columns!(),
        " WHERE t.url > ?1 AND t.host_id IS NOT NULL
            AND t.word IN (SELECT value FROM json_each(?2))
          ORDER BY t.url LIMIT ?3"
    ))?;
    let words = serde_json::to_string(words)?;
    let rows = statement.query_and_then((after, words, number(limit)), dead_target_row)?;
    rows.collect()
}

fn dead_target_row(row: &Row<'_>) -> DbResult<DeadTarget> {
    let reached: Option<Probe> = from_json(row.get(4)?)?;
    Ok(DeadTarget {
        url: row.get(0)?,
        verdict: named(row.get(1)?)?.unwrap_or(Verdict::Dead),
        since: row.get::<_, Option<i64>>(2)?.map(moment),
        seen: row.get::<_, Option<i64>>(3)?.map(moment),
        digest: reached.and_then(|probe| probe.digest).map(|digest| *digest),
        rights: RequestRights::from_stored(row.get(5)?),
    })
}

pub(super) fn revival(db: &Connection, url: &str) -> DbResult<Option<StoredRevival>> {
    let kept = db
        .prepare_cached(
            "SELECT url, alias, confidence, tried_at, story FROM revival WHERE url = ?",
        )?
        .query_row([url], revival_row)
        .optional()?;
    Ok(kept)
}

pub(super) fn revivals(
    db: &Connection,
    prefix: &str,
    after: &str,
    limit: usize,
) -> DbResult<Vec<StoredRevival>> {
    let mut statement = db.prepare_cached(
        "SELECT url, alias, confidence, tried_at, story FROM revival
         WHERE url >= ?1 AND url < ?2 AND url > ?3 ORDER BY url LIMIT ?4",
    )?;
    let rows = statement.query_map((prefix, end_of(prefix), after, number(limit)), revival_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn revival_row(row: &Row<'_>) -> rusqlite::Result<StoredRevival> {
    Ok(StoredRevival {
        url: row.get(0)?,
        alias: row.get(1)?,
        confidence: row.get::<_, Option<u8>>(2)?.map(Confidence::percent),
        searched_at: moment(row.get(3)?),
        report: row.get(4)?,
    })
}

pub(super) fn keep_revivals(db: &Connection, revivals: &[StoredRevival]) -> DbResult<()> {
    let mut statement = db.prepare_cached(
        "INSERT OR REPLACE INTO revival (url, alias, confidence, tried_at, story)
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

const LESSON: &str = "SELECT id, directory, dead, disabled, learned_at, programs FROM lesson";

pub(super) fn lesson(db: &Connection, directory: &str) -> DbResult<Option<StoredPattern>> {
    let lesson = db
        .prepare_cached(&format!("{LESSON} WHERE directory = ?"))?
        .query_row([directory], lesson_row)
        .optional()?;
    Ok(lesson)
}

pub(super) fn lessons(db: &Connection) -> DbResult<Vec<StoredPattern>> {
    let mut statement = db.prepare_cached(&format!("{LESSON} ORDER BY id"))?;
    let rows = statement.query_map((), lesson_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn lesson_row(row: &Row<'_>) -> rusqlite::Result<StoredPattern> {
    Ok(StoredPattern {
        id: row.get(0)?,
        directory: row.get(1)?,
        is_dead: row.get(2)?,
        is_disabled: row.get(3)?,
        learned: moment(row.get(4)?),
        programs: row.get(5)?,
    })
}

pub(super) fn keep_lesson(db: &Connection, lesson: &StoredPattern) -> DbResult<i64> {
    let id = db
        .prepare_cached(
            "INSERT INTO lesson (directory, dead, learned_at, programs) VALUES (?, ?, ?, ?)
             ON CONFLICT (directory) DO UPDATE SET
                 dead = excluded.dead, learned_at = excluded.learned_at,
                 programs = excluded.programs
             RETURNING id",
        )?
        .query_row(
            (
                redaction::text(&lesson.directory),
                lesson.is_dead,
                millis(lesson.learned),
                redaction::json(&lesson.programs)?,
            ),
            |row| row.get(0),
        )?;
    Ok(id)
}

pub(super) fn disable_pattern(db: &Connection, id: i64, is_disabled: bool) -> DbResult<bool> {
    let changed = db
        .prepare_cached("UPDATE lesson SET disabled = ? WHERE id = ?")?
        .execute((is_disabled, id))?;
    Ok(changed > 0)
}

pub(super) fn search(db: &Connection, key: &str, since: Timestamp) -> DbResult<Option<String>> {
    let hits = db
        .prepare_cached("SELECT hits FROM search WHERE key = ? AND asked_at >= ?")?
        .query_row((key, millis(since)), |row| row.get(0))
        .optional()?;
    Ok(hits)
}

pub(super) fn keep_search(db: &Connection, key: &str, hits: &str, now: Timestamp) -> DbResult<()> {
    db.prepare_cached("INSERT OR REPLACE INTO search (key, asked_at, hits) VALUES (?, ?, ?)")?
        .execute((key, millis(now), redaction::json(hits)?))?;
    Ok(())
}

pub(super) fn text_changes(db: &Connection, after: i64, limit: usize) -> DbResult<Vec<TextChange>> {
    // In the order of probes, so that only what is new is read at all.
    let mut statement = db.prepare_cached(
        "SELECT p.id, t.url, t.word = ?3, p.detail
         FROM probe p CROSS JOIN standing t ON t.id = p.target_id
         WHERE p.id > ?1 AND t.host_id IS NOT NULL
           AND (t.word <> ?3 OR t.reached_probe = p.id)
         ORDER BY p.id LIMIT ?2",
    )?;
    let rows =
        statement.query_and_then((after, number(limit), Verdict::Alive.as_str()), |row| {
            let is_alive: bool = row.get(2)?;
            let probe: Option<Probe> = if is_alive { from_json(row.get(3)?)? } else { None };
            DbResult::Ok(TextChange {
                number: row.get(0)?,
                url: row.get(1)?,
                text: probe.map(|probe| text(*probe.digest.unwrap_or_default())),
            })
        })?;
    rows.collect()
}

/// The title of a page, and what else is kept of its text.
fn text(digest: Digest) -> (String, String) {
    let parts = digest.headings.into_iter().chain([digest.text_start, digest.text_end]);
    (digest.title.unwrap_or_default(), parts.collect::<Vec<_>>().join("\n"))
}

pub(super) fn last_look(db: &Connection) -> DbResult<i64> {
    Ok(db
        .prepare_cached("SELECT ifnull(max(id), 0) FROM probe")?
        .query_row((), |row| row.get(0))?)
}

pub(super) fn edition(db: &Connection) -> DbResult<String> {
    Ok(db.prepare_cached("SELECT word FROM edition")?.query_row((), |row| row.get(0))?)
}

pub(super) fn live_pages(
    db: &Connection,
    prefix: &str,
    after: &str,
    limit: usize,
) -> DbResult<Vec<(String, Option<String>)>> {
    let mut statement = db.prepare_cached(
        "SELECT t.url, json_extract(p.detail, '$.digest.title')
         FROM standing t JOIN probe p ON p.id = t.reached_probe AND p.target_id = t.id
         WHERE t.url >= ?1 AND t.url < ?2 AND t.url > ?3 AND t.word = ?5
           AND json_extract(p.detail, '$.digest.content_type') LIKE '%html%'
         ORDER BY t.url LIMIT ?4",
    )?;
    let rows = statement.query_map(
        (prefix, end_of(prefix), after, number(limit), Verdict::Alive.as_str()),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// No character comes after the last, so this ends what begins so.
fn end_of(prefix: &str) -> String {
    format!("{prefix}{}", char::MAX)
}
