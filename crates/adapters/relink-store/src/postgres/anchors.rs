//! Stores and reads the anchors of pages, and the links with a fragment, which refer to
//! anchors. Anchors are stored as hashes with the time of the fetch. A missing anchor is
//! recorded as a *local* target: a finding without a request. The *generation* is a
//! counter that grows when a run starts or resumes. Results are stored under it.

use jiff::Timestamp;
use relink_model::{RunId, TaskId, Verdict};
use relink_ports::{
    AnchorReference, CacheWindow, DocumentId, LinkCursor, MissingAnchor, NewTarget,
};

use super::error::DbResult;
use super::rows::{count, millis, to_i64};
use super::session::Db;
use super::tasks::{self, NewTask};
use crate::values::{pack_anchors, unpack_anchors};

/// Saves the anchors of a page, seen at the time `seen_at`.
pub(super) async fn save(
    db: &Db<'_>,
    target: i64,
    seen_at: Timestamp,
    anchors: &[u32],
) -> DbResult<()> {
    db.execute(
        "INSERT INTO anchors (target_id, seen_at, hashes) VALUES ($1, $2, $3)
         ON CONFLICT (target_id) DO UPDATE SET
             seen_at = excluded.seen_at, hashes = excluded.hashes",
        &[&target, &millis(seen_at), &pack_anchors(anchors)],
    )
    .await?;
    Ok(())
}

/// Changes the time of anchors from `seen_at`, when the page was fetched, to
/// `checked_at`, when the page was judged later. Does nothing if newer anchors are
/// stored.
pub(super) async fn confirm(
    db: &Db<'_>,
    target: i64,
    seen_at: Timestamp,
    checked_at: Timestamp,
) -> DbResult<()> {
    db.execute(
        "UPDATE anchors SET seen_at = $1 WHERE target_id = $2 AND seen_at = $3",
        &[&millis(checked_at), &target, &millis(seen_at)],
    )
    .await?;
    Ok(())
}

/// Returns links with a fragment to pages whose anchors are stored, starting
/// after the cursor.
pub(super) async fn anchor_references(
    db: &Db<'_>,
    run: RunId,
    (task, document, position): LinkCursor,
    limit: usize,
) -> DbResult<Vec<AnchorReference>> {
    let position = i64::try_from(position).unwrap_or(i64::MAX);
    let rows = db
        .query(
            "SELECT l.task_id, l.document_id, l.position, t.url, l.fragment, a.hashes
             FROM task JOIN link l ON l.task_id = task.id
             JOIN target t ON t.id = task.target_id
             JOIN result
                 ON result.target_id = task.target_id AND result.generation = task.generation
             JOIN anchors a ON a.target_id = t.id AND a.seen_at = result.checked_at
             WHERE (l.task_id, l.document_id, l.position) > ($2, $3, $4)
               AND task.run_id = $1 AND task.id >= $2 AND task.state = 2 /* finished */
               AND l.fragment IS NOT NULL
             ORDER BY l.task_id, l.document_id, l.position LIMIT $5",
            &[&run.0, &task.0, &document.0, &position, &to_i64(limit)],
        )
        .await?;
    let reference = |row: &tokio_postgres::Row| AnchorReference {
        link: (TaskId(row.get(0)), DocumentId(row.get(1)), count(row, 2)),
        url: row.get(3),
        fragment: row.get(4),
        anchors: unpack_anchors(row.get(5)),
    };
    Ok(rows.iter().map(reference).collect())
}

/// Counts links with a fragment that lead to reached pages without stored anchors.
pub(super) async fn count_unknown(db: &Db<'_>, run: RunId) -> DbResult<u64> {
    let reached: Vec<&str> = Verdict::ALL
        .into_iter()
        .filter(|verdict| verdict.is_reached())
        .map(Verdict::as_str)
        .collect();
    let row = db
        .query_one(
            "SELECT count(*) FROM task
             JOIN link l ON l.task_id = task.id AND l.fragment IS NOT NULL
             JOIN result
                 ON result.target_id = task.target_id AND result.generation = task.generation
             WHERE task.run_id = $1 AND task.state = 2 /* finished */ AND result.verdict = ANY($2)
               AND NOT EXISTS (SELECT 1 FROM anchors a WHERE a.target_id = task.target_id
                               AND a.seen_at = result.checked_at)",
            &[&run.0, &reached],
        )
        .await?;
    Ok(count(&row, 0))
}

/// Adds a finding for each missing anchor: a task of a local target, and a copy of the
/// link. Returns the number of new findings.
pub(super) async fn add_missing(
    db: &Db<'_>,
    run: RunId,
    missing: &[MissingAnchor],
    cache_window: CacheWindow,
) -> DbResult<u64> {
    let mut new_findings = 0;
    // Skip targets that are not local: only local targets are findings without a request.
    for MissingAnchor { link: (task, document, position), target } in missing {
        let NewTarget::Local { key, .. } = target else { continue };
        let finding = NewTask {
            target,
            original_url: key,
            has_fragment: false,
            fresh_since: cache_window.fresh_since,
            not_before: 0,
            depth: None,
            rank: None,
        };
        let (inserted, _) = tasks::insert_tasks(db, run, &[finding], cache_window.now).await?;
        let Some(inserted) = inserted.first() else { continue };
        new_findings += u64::from(inserted.is_new);
        db.execute(
            "INSERT INTO link (task_id, document_id, position, span_start, span_end, line, col,
                               kind, ignored_codes)
             SELECT $1, document_id, position, span_start, span_end, line, col, kind, ignored_codes
             FROM link
             WHERE task_id = $2 AND document_id = $3 AND position = $4
             ON CONFLICT DO NOTHING",
            &[&inserted.id, &task.0, &document.0, &i64::try_from(*position).unwrap_or(i64::MAX)],
        )
        .await?;
    }
    Ok(new_findings)
}
