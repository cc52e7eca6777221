//! Conversions between rows and model types, and shared SQL fragments.

use relink_model::{Attempt, FetchTask, History, Probe, RequestRights, TargetId, TaskId};
use tokio_postgres::Row;

use super::clock::ClockOffset;
use super::error::DbResult;
pub(super) use crate::values::{failure_streak, from_json, millis, parse_name, timestamp, to_i64};
use crate::values::{final_url, purpose_from_name};

/// The columns of [`task_from_row`]. `r` is the latest result of the target, `reached`
/// the last probe that reached it.
macro_rules! task_columns {
    () => {
        "task.id, task.target_id, t.url, task.original_url, task.user_supplied, task.purpose,
         task.not_before, task.attempts, task.depth, r.verdict, r.code, r.since, r.checked_at,
         r.reached_at, r.failed_runs, r.first_failed_at, r.last_failed_at, reached.detail"
    };
}
pub(super) use task_columns;

/// The number of columns of [`task_from_row`]. Further columns follow them.
pub(super) const TASK_COLUMNS: usize = 18;

/// Joins `task` with the tables of [`task_columns!`].
macro_rules! join_task {
    () => {
        " JOIN target t ON t.id = task.target_id
          LEFT JOIN LATERAL (SELECT * FROM result WHERE result.target_id = task.target_id
                             ORDER BY generation DESC LIMIT 1) r ON TRUE
          LEFT JOIN probe reached ON reached.id = r.reached_probe "
    };
}
pub(super) use join_task;

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
          OR coalesce(strpos(l.ignored_codes, ' ' || result.code || ' '), 0) = 0)"
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
            crate::postgres::rows::link_is_reported!(),
            ") OR NOT EXISTS (SELECT 1 FROM link l WHERE l.task_id = task.id))"
        )
    };
}
pub(super) use task_is_reported;

/// SQL condition: `probe p` is the last probe of `task`. For a result that was reused
/// from another run (`task.cached`), it is the probe that reached the page.
macro_rules! probe_of_task {
    () => {
        "p.id = CASE WHEN task.cached THEN result.reached_probe
                     ELSE coalesce(result.probe_id, task.probe_id) END
         AND p.target_id = task.target_id AND (task.cached OR p.run_id = task.run_id)"
    };
}
pub(super) use probe_of_task;

/// Replaces NUL characters, which PostgreSQL cannot store.
pub(super) fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Returns the stored form of a text: without passwords and NUL characters.
pub(super) fn stored_text(text: &str) -> String {
    without_nul(&crate::redaction::text(text))
}

/// Reads a nonnegative number.
pub(super) fn count(row: &Row, column: usize) -> u64 {
    row.get::<_, i64>(column).try_into().unwrap_or(0)
}

/// Reads an optional number that the database stores as `BIGINT`.
pub(super) fn optional_number<T: TryFrom<i64>>(row: &Row, column: usize) -> Option<T> {
    row.get::<_, Option<i64>>(column).and_then(|value| value.try_into().ok())
}

/// Reads a task with the history of its target.
pub(super) fn task_from_row(row: &Row, clock: ClockOffset) -> DbResult<FetchTask> {
    let url: String = row.get(2);
    let original_url: Option<String> = row.get(3);
    Ok(FetchTask {
        id: TaskId(row.get(0)),
        target: TargetId(row.get(1)),
        original_url: original_url.unwrap_or_else(|| url.clone()),
        url,
        rights: RequestRights::from_stored(row.get(4)),
        depth: optional_number(row, 8),
        purpose: purpose_from_name(row.get(5)),
        not_before: clock.caller_time(row.get(6)),
        attempts: from_json::<Vec<Attempt>>(row.get(7))?.unwrap_or_default(),
        history: history(row, 9)?,
    })
}

/// Reads the history of a target from nine columns, starting at `first`. A target without
/// a result has an empty history.
fn history(row: &Row, first: usize) -> DbResult<History> {
    let Some(verdict) = parse_name(row.get(first))? else { return Ok(History::default()) };
    let reached: Option<Probe> = from_json(row.get(first + 8))?;
    Ok(History {
        verdict: Some(verdict),
        code: parse_name(row.get(first + 1))?,
        since: row.get::<_, Option<i64>>(first + 2).map(timestamp),
        checked_at: row.get::<_, Option<i64>>(first + 3).map(timestamp),
        last_reached_at: row.get::<_, Option<i64>>(first + 4).map(timestamp),
        streak: failure_streak(
            optional_number(row, first + 5).unwrap_or(0),
            row.get(first + 6),
            row.get(first + 7),
        ),
        final_url: reached.as_ref().and_then(final_url),
        version: reached.as_ref().and_then(|probe| probe.version.clone()),
        digest: reached.and_then(|probe| probe.digest),
    })
}
