//! Conversions between rows and model types, and shared SQL fragments.

use relink_model::{Attempt, FetchTask, History, Probe, RequestRights, TargetId, TaskId};
use rusqlite::{Connection, Row};

use super::error::DbResult;

pub(super) use crate::values::{failure_streak, from_json, millis, parse_name, timestamp, to_i64};
use crate::values::{final_url, purpose_from_name};

/// The columns of [`task_from_row`], from `task` and `target t`.
macro_rules! task_columns {
    () => {
        "task.id, task.target_id, t.url, task.original_url, task.user_supplied, task.purpose,
         task.not_before, task.attempts,
         EXISTS (SELECT 1 FROM result WHERE target_id = task.target_id), task.depth"
    };
}
pub(super) use task_columns;

/// The number of columns of [`task_from_row`]. Further columns follow them.
pub(super) const TASK_COLUMNS: usize = 10;

/// Joins `task` with its `result`, if there is one.
macro_rules! join_result {
    () => {
        " LEFT JOIN result
              ON result.target_id = task.target_id AND result.generation = task.generation "
    };
}
pub(super) use join_result;

/// SQL condition: the document of `link l` does not ignore the code of `result`.
/// `ignored_codes` has a space on both sides of each code. A result without a code is
/// never ignored.
macro_rules! link_is_reported {
    () => {
        "(l.ignored_codes IS NULL
          OR ifnull(instr(l.ignored_codes, ' ' || result.code || ' '), 0) = 0)"
    };
}
pub(super) use link_is_reported;

/// SQL condition: `task` with its `result` is reported. A task is not reported if all of
/// its links ignore the code.
macro_rules! task_is_reported {
    () => {
        concat!(
            "(result.code IS NULL
              OR EXISTS (SELECT 1 FROM link l WHERE l.task_id = task.id AND ",
            crate::sqlite::rows::link_is_reported!(),
            ") OR NOT EXISTS (SELECT 1 FROM link l WHERE l.task_id = task.id))"
        )
    };
}
pub(super) use task_is_reported;

/// SQL condition: `probe p` is the last probe of `task`. For a result that was reused
/// from another run (`task.cached`), it is the probe that reached the page. The target
/// and run are compared too, because the id of a deleted probe can be reused.
macro_rules! probe_of_task {
    () => {
        "p.id = iif(task.cached, result.reached_probe, ifnull(result.probe_id, task.probe_id))
         AND p.target_id = task.target_id AND (task.cached OR p.run_id = task.run_id)"
    };
}
pub(super) use probe_of_task;

/// Reads a task with the history of its target.
pub(super) fn task_from_row(db: &Connection, row: &Row<'_>) -> DbResult<FetchTask> {
    let url: String = row.get(2)?;
    let original_url: Option<String> = row.get(3)?;
    let target = TargetId(row.get(1)?);
    let has_result: bool = row.get(8)?;
    Ok(FetchTask {
        id: TaskId(row.get(0)?),
        target,
        original_url: original_url.unwrap_or_else(|| url.clone()),
        url,
        rights: RequestRights::from_stored(row.get(4)?),
        depth: row.get(9)?,
        purpose: purpose_from_name(row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?),
        not_before: timestamp(row.get(6)?),
        attempts: from_json::<Vec<Attempt>>(row.get(7)?)?.unwrap_or_default(),
        history: if has_result { history(db, target)? } else { History::default() },
    })
}

/// Reads the history of a target: its latest result, and the digest (summary) of the page
/// that was last reached. A separate query, because most targets of a first run have no
/// history.
fn history(db: &Connection, target: TargetId) -> DbResult<History> {
    let mut statement = db.prepare_cached(
        "SELECT t.verdict, t.code, t.since, t.checked_at, t.reached_at,
                t.failed_runs, t.first_failed_at, t.last_failed_at, p.detail
         FROM current_result t LEFT JOIN probe p ON p.id = t.reached_probe WHERE t.id = ?",
    )?;
    let mut rows = statement.query([target.0])?;
    let Some(row) = rows.next()? else { return Ok(History::default()) };
    let reached = from_json::<Probe>(row.get(8)?)?;
    Ok(History {
        verdict: parse_name(row.get(0)?)?,
        code: parse_name(row.get(1)?)?,
        since: row.get::<_, Option<i64>>(2)?.map(timestamp),
        checked_at: row.get::<_, Option<i64>>(3)?.map(timestamp),
        last_reached_at: row.get::<_, Option<i64>>(4)?.map(timestamp),
        streak: failure_streak(row.get(5)?, row.get(6)?, row.get(7)?),
        final_url: reached.as_ref().and_then(final_url),
        version: reached.as_ref().and_then(|probe| probe.version.clone()),
        digest: reached.and_then(|probe| probe.digest),
    })
}
