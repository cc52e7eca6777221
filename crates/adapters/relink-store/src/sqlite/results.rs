//! Reads held tasks (fetched, but judged later) and checked targets. A result is
//! *reported* unless all documents with a link to the target ignore its code.

use relink_model::{Attempt, Confidence, FetchTask, Probe, RunId, TaskId, Verdict};
use relink_ports::{CheckedTarget, CheckedTargetQuery, Inlinks, TargetResult};
use rusqlite::{Connection, Row};

use super::error::DbResult;
use super::inlinks::InlinkReader;
use super::rows::{
    TASK_COLUMNS, failure_streak, from_json, parse_name, probe_of_task, task_columns,
    task_from_row, task_is_reported, timestamp, to_i64,
};
use crate::values::attempt_from_probe;

/// Returns the held tasks of a run with their last probes, starting after the
/// task `after`.
pub(super) fn held_tasks(
    db: &Connection,
    run: RunId,
    after: TaskId,
    limit: usize,
) -> DbResult<Vec<(FetchTask, Probe)>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        task_columns!(),
        ", (SELECT detail FROM probe WHERE id = task.probe_id)
         FROM task INDEXED BY task_held
         CROSS JOIN target t ON t.id = task.target_id
         WHERE task.state = 1 /* held */ AND task.run_id = ?1 AND task.id > ?2
         ORDER BY task.id LIMIT ?3"
    ))?;
    let rows = statement.query_and_then((run.0, after.0, to_i64(limit)), |row| {
        let detail: String = row.get(TASK_COLUMNS)?;
        DbResult::Ok((task_from_row(db, row)?, serde_json::from_str(&detail)?))
    })?;
    rows.collect()
}

/// The columns of [`checked_target_row`], from `task`, `target t` and `result`.
macro_rules! checked_columns {
    () => {
        concat!(
            "task.id, t.url, task.original_url, task.cached, result.attempts, result.verdict,
             result.code, result.status, result.reason, result.since, result.checked_at,
             result.failed_runs, result.first_failed_at, result.last_failed_at,
             result.confidence, result.evidence, task.depth, (SELECT p.detail FROM probe p WHERE ",
            probe_of_task!(),
            ")"
        )
    };
}

/// Returns the reported results of a run that match the query.
pub(super) fn checked_targets(
    db: &Connection,
    run: RunId,
    query: CheckedTargetQuery<'_>,
) -> DbResult<Vec<CheckedTarget>> {
    // `NOT INDEXED` makes SQLite read tasks by rowid. This is the order of the result, so
    // that no sorting is needed.
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        checked_columns!(),
        " FROM task NOT INDEXED CROSS JOIN target t ON t.id = task.target_id
          CROSS JOIN result
              ON result.target_id = task.target_id AND result.generation = task.generation
          WHERE task.id > ?2 AND task.run_id = ?1 AND task.state = 2 /* finished */
            AND (?4 IS NULL OR result.verdict IN (SELECT value FROM json_each(?4)))
            AND (NOT ?5 OR task.cached OR task.host_id IS NULL)
            AND ",
        task_is_reported!(),
        " ORDER BY task.id LIMIT ?3"
    ))?;
    let verdicts = query.verdicts.map(serde_json::to_string).transpose()?;
    let mut reader = InlinkReader::new(db)?;
    let rows = statement.query_and_then(
        (run.0, query.after.0, to_i64(query.limit), verdicts, query.is_unfetched),
        |row| checked_target_row(row, query.max_locations, &mut reader),
    )?;
    rows.collect()
}

/// Returns the result of a task.
pub(super) fn checked_target(db: &Connection, task: TaskId) -> DbResult<Option<CheckedTarget>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        checked_columns!(),
        " FROM task CROSS JOIN target t ON t.id = task.target_id
          CROSS JOIN result
              ON result.target_id = task.target_id AND result.generation = task.generation
          WHERE task.id = ? AND task.state = 2 /* finished */"
    ))?;
    let mut rows = statement.query([task.0])?;
    let row = rows.next()?;
    row.map(|row| checked_target_row(row, usize::MAX, &mut InlinkReader::new(db)?)).transpose()
}

fn checked_target_row(
    row: &Row<'_>,
    max_locations: usize,
    reader: &mut InlinkReader<'_>,
) -> DbResult<CheckedTarget> {
    let task = TaskId(row.get(0)?);
    let url: String = row.get(1)?;
    let original_url: Option<String> = row.get(2)?;
    let probe: Option<Probe> = from_json(row.get(17)?)?;
    let Inlinks { locations, count: inlinks, .. } = reader.inlinks(task, max_locations)?;
    // A single attempt is not stored, because its probe has the same data.
    let stored: Option<Vec<Attempt>> = from_json(row.get(4)?)?;
    let attempts = stored.unwrap_or_else(|| probe.iter().map(attempt_from_probe).collect());
    let result = TargetResult {
        // The column is `NOT NULL`, so the default is never used.
        verdict: parse_name(row.get(5)?)?.unwrap_or(Verdict::Alive),
        code: parse_name(row.get(6)?)?,
        status: row.get(7)?,
        reason: row.get(8)?,
        since: timestamp(row.get(9)?),
        checked_at: timestamp(row.get(10)?),
        attempts,
        streak: failure_streak(row.get(11)?, row.get(12)?, row.get(13)?),
        // Null means certain.
        confidence: row
            .get::<_, Option<u8>>(14)?
            .map_or(Confidence::CERTAIN, Confidence::from_percent),
        evidence: from_json(row.get(15)?)?.unwrap_or_default(),
    };
    Ok(CheckedTarget {
        task,
        original_url: original_url.unwrap_or_else(|| url.clone()),
        url,
        result,
        is_cached: row.get(3)?,
        probe,
        locations,
        inlinks,
        depth: row.get(16)?,
    })
}
