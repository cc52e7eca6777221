//! Reads held tasks, results, and the links to a target.
//!
//! A held task was fetched, but is judged later. An inlink is a link to a target. A
//! result is *reported* unless all documents with a link to the target ignore its code.

use std::collections::HashMap;

use relink_model::{
    Attempt, Confidence, FetchTask, LinkKind, Probe, RunId, SourceLocation, Span, TaskId, Verdict,
};
use relink_ports::{
    CheckedTarget, CheckedTargetQuery, Inlinks, LinkLocation, TargetResult, TargetState,
};
use tokio_postgres::Row;

use super::clock::ClockOffset;
use super::error::DbResult;
use super::rows::{
    TASK_COLUMNS, count, failure_streak, from_json, join_result, join_task, link_is_reported,
    optional_number, parse_name, probe_of_task, task_columns, task_from_row, task_is_reported,
    timestamp, to_i64,
};
use super::session::Db;
use crate::values::attempt_from_probe;

/// Returns the held tasks of a run with their last probes, starting after the
/// task `after`.
pub(super) async fn held_tasks(
    db: &Db<'_>,
    clock: ClockOffset,
    run: RunId,
    after: TaskId,
    limit: usize,
) -> DbResult<Vec<(FetchTask, Probe)>> {
    let rows = db
        .query(
            concat!(
                "SELECT ",
                task_columns!(),
                ", held.detail FROM task",
                join_task!(),
                "JOIN probe held ON held.id = task.probe_id
                 WHERE task.state = 1 /* held */ AND task.run_id = $1 AND task.id > $2
                 ORDER BY task.id LIMIT $3"
            ),
            &[&run.0, &after.0, &to_i64(limit)],
        )
        .await?;
    let held = |row: &Row| {
        let detail: &str = row.get(TASK_COLUMNS);
        DbResult::Ok((task_from_row(row, clock)?, serde_json::from_str(detail)?))
    };
    rows.iter().map(held).collect()
}

/// The columns of [`checked_target_row`] and the tables that contain them.
macro_rules! checked_columns {
    () => {
        concat!(
            "task.id, t.url, task.original_url, task.cached, result.attempts, result.verdict,
             result.code, result.status, result.reason, result.since, result.checked_at,
             result.failed_runs, result.first_failed_at, result.last_failed_at,
             result.confidence, result.evidence, task.depth, (SELECT p.detail FROM probe p WHERE ",
            probe_of_task!(),
            ") FROM task JOIN target t ON t.id = task.target_id
             JOIN result
                 ON result.target_id = task.target_id AND result.generation = task.generation "
        )
    };
}

/// Returns the reported results of a run that match the query.
pub(super) async fn checked_targets(
    db: &Db<'_>,
    run: RunId,
    query: CheckedTargetQuery<'_>,
) -> DbResult<Vec<CheckedTarget>> {
    let verdicts: Option<Vec<&str>> =
        query.verdicts.map(|verdicts| verdicts.iter().map(|verdict| verdict.as_str()).collect());
    let rows = db
        .query(
            concat!(
                "SELECT ",
                checked_columns!(),
                "WHERE task.id > $2 AND task.run_id = $1 AND task.state = 2 /* finished */
                   AND ($4::text[] IS NULL OR result.verdict = ANY($4))
                   AND (NOT $5 OR task.cached OR task.host_id IS NULL) AND ",
                task_is_reported!(),
                " ORDER BY task.id LIMIT $3"
            ),
            &[&run.0, &query.after.0, &to_i64(query.limit), &verdicts, &query.is_unfetched],
        )
        .await?;
    with_inlinks(db, &rows, query.max_locations).await
}

/// Returns the states of the tasks of these targets that are not pending.
pub(super) async fn target_states(
    db: &Db<'_>,
    run: RunId,
    urls: &[String],
) -> DbResult<Vec<(String, TargetState)>> {
    let rows = db
        .query(
            "SELECT t.url, result.verdict FROM target t
             JOIN task ON task.run_id = $1 AND task.target_id = t.id
             LEFT JOIN result
                 ON result.target_id = task.target_id AND result.generation = task.generation
                 AND task.state = 2 /* finished */
             WHERE t.url = ANY($2) AND task.state IN (1 /* held */, 2 /* finished */)",
            &[&run.0, &urls],
        )
        .await?;
    let state = |row: &Row| {
        let verdict = parse_name(row.get(1))?;
        Ok((row.get(0), verdict.map_or(TargetState::Held, TargetState::Checked)))
    };
    rows.iter().map(state).collect()
}

/// Returns the result of a task.
pub(super) async fn checked_target(db: &Db<'_>, task: TaskId) -> DbResult<Option<CheckedTarget>> {
    let rows = db
        .query(
            concat!(
                "SELECT ",
                checked_columns!(),
                "WHERE task.id = $1 AND task.state = 2 /* finished */"
            ),
            &[&task.0],
        )
        .await?;
    Ok(with_inlinks(db, &rows, usize::MAX).await?.pop())
}

/// Reads the results with the locations of their links.
async fn with_inlinks(
    db: &Db<'_>,
    rows: &[Row],
    max_locations: usize,
) -> DbResult<Vec<CheckedTarget>> {
    let tasks: Vec<TaskId> = rows.iter().map(|row| TaskId(row.get(0))).collect();
    let inlinks = inlinks(db, &tasks, max_locations).await?;
    rows.iter().zip(inlinks).map(|(row, inlinks)| checked_target_row(row, inlinks)).collect()
}

/// Converts a row of the database to a checked target.
fn checked_target_row(row: &Row, inlinks: Inlinks) -> DbResult<CheckedTarget> {
    let url: String = row.get(1);
    let original_url: Option<String> = row.get(2);
    let probe: Option<Probe> = from_json(row.get(17))?;
    // A single attempt is not stored, because its probe has the same data.
    let stored: Option<Vec<Attempt>> = from_json(row.get(4))?;
    let attempts = stored.unwrap_or_else(|| probe.iter().map(attempt_from_probe).collect());
    let result = TargetResult {
        // The column is `NOT NULL`, so the default is never used.
        verdict: parse_name(row.get(5))?.unwrap_or(Verdict::Alive),
        code: parse_name(row.get(6))?,
        status: optional_number(row, 7),
        reason: row.get(8),
        since: timestamp(row.get(9)),
        checked_at: timestamp(row.get(10)),
        attempts,
        streak: failure_streak(optional_number(row, 11).unwrap_or(0), row.get(12), row.get(13)),
        // Null means certain.
        confidence: optional_number(row, 14).map_or(Confidence::CERTAIN, Confidence::from_percent),
        evidence: from_json(row.get(15))?.unwrap_or_default(),
    };
    Ok(CheckedTarget {
        task: TaskId(row.get(0)),
        original_url: original_url.unwrap_or_else(|| url.clone()),
        url,
        result,
        is_cached: row.get(3),
        probe,
        locations: inlinks.locations,
        inlinks: inlinks.count,
        depth: optional_number(row, 16),
    })
}

/// Returns the inlinks of the target of each task, in the order of `tasks`.
pub(super) async fn inlinks(
    db: &Db<'_>,
    tasks: &[TaskId],
    max_locations: usize,
) -> DbResult<Vec<Inlinks>> {
    let ids: Vec<i64> = tasks.iter().map(|task| task.0).collect();
    let rows = db
        .query(
            concat!(
                // `counts` has the number of all links and of reported links. `first`
                // has the first `$2` reported links.
                "SELECT task.id, counts.reported, counts.links, d.label, first.span_start,
                        first.span_end, first.line, first.col, first.kind
                 FROM unnest($1::bigint[]) AS requested JOIN task ON task.id = requested",
                join_result!(),
                "CROSS JOIN LATERAL (
                     SELECT count(*) AS links, count(*) FILTER (WHERE ",
                link_is_reported!(),
                ") AS reported FROM link l WHERE l.task_id = task.id) AS counts
                 LEFT JOIN LATERAL (
                     SELECT * FROM link l WHERE l.task_id = task.id AND ",
                link_is_reported!(),
                " ORDER BY l.document_id, l.position LIMIT $2) AS first ON TRUE
                 LEFT JOIN document d ON d.id = first.document_id
                 ORDER BY task.id, first.document_id, first.position"
            ),
            &[&ids, &to_i64(max_locations)],
        )
        .await?;
    let mut inlinks_by_task: HashMap<i64, Inlinks> = HashMap::new();
    for row in &rows {
        let inlinks = inlinks_by_task.entry(row.get(0)).or_default();
        inlinks.count = count(row, 1);
        inlinks.all_ignored = inlinks.count == 0 && count(row, 2) > 0;
        inlinks.locations.extend(location_from_row(row));
    }
    Ok(ids.iter().map(|id| inlinks_by_task.get(id).cloned().unwrap_or_default()).collect())
}

/// Reads a location. Returns `None` if the target has no reported link.
fn location_from_row(row: &Row) -> Option<LinkLocation> {
    let kind: Option<&str> = row.get(8);
    // `first` has no row if no link is reported. A newer version may have other kinds.
    let kind = LinkKind::from_name(kind?).unwrap_or(LinkKind::Hyperlink);
    let span = Span { start: optional_number(row, 4)?, end: optional_number(row, 5)? };
    let location = SourceLocation {
        span,
        line: optional_number(row, 6)?,
        column: optional_number(row, 7)?,
        kind,
    };
    Some(LinkLocation { path: row.get::<_, Option<String>>(3).unwrap_or_default(), location })
}
