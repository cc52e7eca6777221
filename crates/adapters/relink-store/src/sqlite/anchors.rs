//! Places on pages: what they offer, and which links want one.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{RunId, TaskId, Verdict};
use relink_ports::{
    AnchorReference, AnchorStore, CacheWindow, DocumentId, LinkCursor, MissingAnchor, NewTarget,
    StoreError,
};
use rusqlite::Connection;

use super::SqliteStore;
use super::error::DbResult;
use super::loading::{TaskDefaults, TaskOrigin, TaskWriter, local_target};
use super::pages::{packed, unpacked};
use super::rows::{millis, number};

#[async_trait]
impl AnchorStore for SqliteStore {
    async fn anchor_references(
        &self,
        run: RunId,
        after: LinkCursor,
        limit: usize,
    ) -> Result<Vec<AnchorReference>, StoreError> {
        self.perform("reading wanted anchors", |db| wanted(db, run, after, limit))
    }

    async fn count_unknown_anchors(&self, run: RunId) -> Result<u64, StoreError> {
        self.perform("counting unknown anchors", |db| count_unknown(db, run))
    }

    async fn add_missing_anchors(
        &self,
        run: RunId,
        missing: &[MissingAnchor],
        moments: CacheWindow,
    ) -> Result<u64, StoreError> {
        self.transact("storing missing anchors", |db| add_missing(db, run, missing, moments))
    }
}

/// Keeps the places a page offers, with the state it was settled in.
pub(super) fn keep(db: &Connection, target: i64, seen: Timestamp, anchors: &[u32]) -> DbResult<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO anchors (target_id, seen_at, places) VALUES (?, ?, ?)",
    )?
    .execute((target, millis(seen), packed(anchors)))?;
    Ok(())
}

/// Places seen at one moment are those that the page has in its state of
/// another, if they have not been seen anew since.
pub(super) fn confirm(
    db: &Connection,
    target: i64,
    seen: Timestamp,
    settled: Timestamp,
) -> DbResult<()> {
    db.prepare_cached("UPDATE anchors SET seen_at = ? WHERE target_id = ? AND seen_at = ?")?
        .execute((millis(settled), target, millis(seen)))?;
    Ok(())
}

/// Whether the places are known that a page has in its present state.
pub(super) fn are_known(db: &Connection, target: i64) -> DbResult<bool> {
    let mut known = db.prepare_cached(
        "SELECT 1 FROM anchors a CROSS JOIN standing t ON t.id = a.target_id
         WHERE a.target_id = ? AND a.seen_at = t.settled_at",
    )?;
    Ok(known.exists([target])?)
}

fn wanted(
    db: &Connection,
    run: RunId,
    (task, document, position): LinkCursor,
    limit: usize,
) -> DbResult<Vec<AnchorReference>> {
    let mut statement = db.prepare_cached(
        "SELECT l.task_id, l.document_id, l.position, t.url, l.fragment, a.places
         FROM link l CROSS JOIN task e ON e.id = l.task_id
         CROSS JOIN target t ON t.id = e.target_id
         CROSS JOIN outcome o ON o.target_id = e.target_id AND o.turn = e.turn
         CROSS JOIN anchors a ON a.target_id = t.id AND a.seen_at = o.settled_at
         WHERE (l.task_id, l.document_id, l.position)
             > (iif(?2 > 0, ?2, (SELECT ifnull(min(id), 0) FROM task WHERE run_id = ?1) - 1),
                ?3, ?4)
           AND e.run_id = ?1 AND e.state = 2 AND l.fragment IS NOT NULL
         ORDER BY l.task_id, l.document_id, l.position LIMIT ?5",
    )?;
    let position = i64::try_from(position).unwrap_or(i64::MAX);
    let cursor = (run.0, task.0, document.0, position, number(limit));
    let rows = statement.query_and_then(cursor, |row| {
        let places: Vec<u8> = row.get(5)?;
        DbResult::Ok(AnchorReference {
            link: (TaskId(row.get(0)?), DocumentId(row.get(1)?), row.get(2)?),
            url: row.get(3)?,
            fragment: row.get(4)?,
            anchors: unpacked(&places),
        })
    })?;
    rows.collect()
}

fn count_unknown(db: &Connection, run: RunId) -> DbResult<u64> {
    let reached: Vec<&str> =
        Verdict::ALL.into_iter().filter(|word| word.is_reached()).map(Verdict::as_str).collect();
    let mut statement = db.prepare_cached(
        "SELECT count(*) FROM task e
         CROSS JOIN link l ON l.task_id = e.id AND l.fragment IS NOT NULL
         CROSS JOIN outcome o ON o.target_id = e.target_id AND o.turn = e.turn
         WHERE e.run_id = ?1 AND e.state = 2
           AND o.word IN (SELECT value FROM json_each(?2))
           AND NOT EXISTS (SELECT 1 FROM anchors a
                           WHERE a.target_id = e.target_id AND a.seen_at = o.settled_at)",
    )?;
    let reached = serde_json::to_string(&reached)?;
    Ok(statement.query_row((run.0, reached), |row| row.get(0))?)
}

fn add_missing(
    db: &Connection,
    run: RunId,
    missing: &[MissingAnchor],
    moments: CacheWindow,
) -> DbResult<u64> {
    let mut new = 0;
    let mut beginning = TaskWriter::new(db, run)?;
    for MissingAnchor { link: (task, document, position), target } in missing {
        let settled = local_target(db, run, target, moments)?;
        let NewTarget::Local { key, .. } = target else { continue };
        let lead = TaskOrigin { target, original_url: key, wants_anchor: false };
        let begun = beginning.task(&lead, &settled, &TaskDefaults::at_once(moments))?;
        new += u64::from(begun.is_new);
        db.prepare_cached(
            "INSERT INTO link (task_id, document_id, position, span_start, span_end, line, col,
                               kind, hidden)
             SELECT ?, document_id, position, span_start, span_end, line, col, kind, hidden
             FROM link
             WHERE task_id = ? AND document_id = ? AND position = ?
             ON CONFLICT DO NOTHING",
        )?
        .execute((
            begun.id,
            task.0,
            document.0,
            i64::try_from(*position).unwrap_or(i64::MAX),
        ))?;
    }
    Ok(new)
}
