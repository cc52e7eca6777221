//! Stores and reads the anchors of pages, and the links with a fragment, which refer to
//! anchors. Anchors are stored as hashes with the time of the fetch. A missing anchor is
//! recorded as a *local* target: a finding without a request. The *generation* is a
//! counter that grows when a run starts or resumes. Results are stored under it.

use jiff::Timestamp;
use relink_model::{RunId, TaskId, Verdict};
use relink_ports::{
    AnchorReference, CacheWindow, DocumentId, LinkCursor, MissingAnchor, NewTarget,
};
use rusqlite::Connection;

use super::error::DbResult;
use super::local_targets::insert_local_target;
use super::rows::{millis, to_i64};
use super::task_writer::{TaskDefaults, TaskOrigin, TaskWriter};
use crate::values::{pack_anchors, unpack_anchors};

/// Saves the anchors of a page, seen at the time `seen_at`.
pub(super) fn save(
    db: &Connection,
    target: i64,
    seen_at: Timestamp,
    anchors: &[u32],
) -> DbResult<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO anchors (target_id, seen_at, hashes) VALUES (?, ?, ?)",
    )?
    .execute((target, millis(seen_at), pack_anchors(anchors)))?;
    Ok(())
}

/// Changes the time of anchors from `seen_at`, when the page was fetched, to
/// `checked_at`, when the page was judged later. Does nothing if newer anchors are
/// stored.
pub(super) fn confirm(
    db: &Connection,
    target: i64,
    seen_at: Timestamp,
    checked_at: Timestamp,
) -> DbResult<()> {
    db.prepare_cached("UPDATE anchors SET seen_at = ? WHERE target_id = ? AND seen_at = ?")?
        .execute((millis(checked_at), target, millis(seen_at)))?;
    Ok(())
}

/// Whether the anchors of the page are stored, as seen by the current result.
pub(super) fn are_known(db: &Connection, target: i64) -> DbResult<bool> {
    let mut known = db.prepare_cached(
        "SELECT 1 FROM anchors a CROSS JOIN current_result t ON t.id = a.target_id
         WHERE a.target_id = ? AND a.seen_at = t.checked_at",
    )?;
    Ok(known.exists([target])?)
}

/// Returns links with a fragment to pages whose anchors are stored, starting
/// after the cursor.
pub(super) fn anchor_references(
    db: &Connection,
    run: RunId,
    (task, document, position): LinkCursor,
    limit: usize,
) -> DbResult<Vec<AnchorReference>> {
    // `CROSS JOIN` fixes the order of the joins in SQLite. The first call has a cursor of
    // zeros. It starts at the first task of the run, so that the links of earlier runs
    // are not scanned.
    let mut statement = db.prepare_cached(
        "SELECT l.task_id, l.document_id, l.position, t.url, l.fragment, a.hashes
         FROM link l CROSS JOIN task ON task.id = l.task_id
         CROSS JOIN target t ON t.id = task.target_id
         CROSS JOIN result
             ON result.target_id = task.target_id AND result.generation = task.generation
         CROSS JOIN anchors a ON a.target_id = t.id AND a.seen_at = result.checked_at
         WHERE (l.task_id, l.document_id, l.position)
             > (iif(?2 > 0, ?2, (SELECT ifnull(min(id), 0) FROM task WHERE run_id = ?1) - 1),
                ?3, ?4)
           AND task.run_id = ?1 AND task.state = 2 /* finished */ AND l.fragment IS NOT NULL
         ORDER BY l.task_id, l.document_id, l.position LIMIT ?5",
    )?;
    let position = i64::try_from(position).unwrap_or(i64::MAX);
    let cursor = (run.0, task.0, document.0, position, to_i64(limit));
    let rows = statement.query_and_then(cursor, |row| {
        let hashes: Vec<u8> = row.get(5)?;
        DbResult::Ok(AnchorReference {
            link: (TaskId(row.get(0)?), DocumentId(row.get(1)?), row.get(2)?),
            url: row.get(3)?,
            fragment: row.get(4)?,
            anchors: unpack_anchors(&hashes),
        })
    })?;
    rows.collect()
}

/// Counts links with a fragment that lead to reached pages without stored anchors.
pub(super) fn count_unknown(db: &Connection, run: RunId) -> DbResult<u64> {
    let reached: Vec<&str> = Verdict::ALL
        .into_iter()
        .filter(|verdict| verdict.is_reached())
        .map(Verdict::as_str)
        .collect();
    let mut statement = db.prepare_cached(
        "SELECT count(*) FROM task
         CROSS JOIN link l ON l.task_id = task.id AND l.fragment IS NOT NULL
         CROSS JOIN result
             ON result.target_id = task.target_id AND result.generation = task.generation
         WHERE task.run_id = ?1 AND task.state = 2 /* finished */
           AND result.verdict IN (SELECT value FROM json_each(?2))
           AND NOT EXISTS (SELECT 1 FROM anchors a
                           WHERE a.target_id = task.target_id AND a.seen_at = result.checked_at)",
    )?;
    let reached = serde_json::to_string(&reached)?;
    Ok(statement.query_row((run.0, reached), |row| row.get(0))?)
}

/// Adds a finding for each missing anchor: a task of a local target, and a copy of the
/// link. Returns the number of new findings.
pub(super) fn add_missing(
    db: &Connection,
    run: RunId,
    missing: &[MissingAnchor],
    cache_window: CacheWindow,
) -> DbResult<u64> {
    let mut new_findings = 0;
    let mut task_writer = TaskWriter::new(db, run, cache_window.now)?;
    for MissingAnchor { link: (task, document, position), target } in missing {
        let stored_target = insert_local_target(db, run, target, cache_window)?;
        let NewTarget::Local { key, .. } = target else { continue };
        let origin = TaskOrigin { target, original_url: key, has_fragment: false };
        let inserted = task_writer.insert_task(
            &origin,
            &stored_target,
            &TaskDefaults::immediate(cache_window),
        )?;
        new_findings += u64::from(inserted.is_new);
        db.prepare_cached(
            "INSERT INTO link (task_id, document_id, position, span_start, span_end, line, col,
                               kind, ignored_codes)
             SELECT ?, document_id, position, span_start, span_end, line, col, kind, ignored_codes
             FROM link
             WHERE task_id = ? AND document_id = ? AND position = ?
             ON CONFLICT DO NOTHING",
        )?
        .execute((
            inserted.ids.task,
            task.0,
            document.0,
            i64::try_from(*position).unwrap_or(i64::MAX),
        ))?;
    }
    Ok(new_findings)
}
