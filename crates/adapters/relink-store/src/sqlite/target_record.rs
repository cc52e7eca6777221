//! Reads everything that is stored about one target, over all runs.
//!
//! No index has the target first, because these queries are rare. Each query searches
//! the task of the target in each run, and follows `previous_id` from the last probe of a
//! task to its earlier probes.

use jiff::Timestamp;
use relink_model::{Probe, TaskId, Verdict};
use relink_ports::TargetRecord;
use rusqlite::{Connection, OptionalExtension as _};

use super::error::DbResult;
use super::rows::{join_result, parse_name, probe_of_task, timestamp, to_i64};
use super::{history, results};

/// The maximum number of runs in a target record. Older runs are omitted.
const MAX_RUNS: usize = 1000;

/// Returns everything that is stored about a target.
pub(super) fn target_record(db: &Connection, url: &str) -> DbResult<Option<TargetRecord>> {
    let target: Option<i64> = db
        .prepare_cached("SELECT id FROM target WHERE url = ?")?
        .query_row([url], |row| row.get(0))
        .optional()?;
    let Some(target) = target else { return Ok(None) };
    let runs = checked_runs(db, target)?;
    // `runs` starts with the latest run. Past verdicts start with the earliest run.
    let mut record = TargetRecord {
        url: url.to_owned(),
        latest: None,
        past_verdicts: runs.iter().rev().map(|run| (run.at, run.verdict)).collect(),
        changes: history::verdict_changes(db, target)?,
        probes: Vec::new(),
    };
    if let Some(latest) = runs.first() {
        record.latest = results::checked_target(db, latest.task)?;
        record.probes = probes(db, latest.task)?;
    }
    Ok(Some(record))
}

/// The result of a target in one run.
struct CheckedRun {
    task: TaskId,
    at: Timestamp,
    verdict: Verdict,
}

/// Returns the runs that checked a target, latest first. Runs that reused a cached result
/// have the same `checked_at` as the run that fetched the page. The run that fetched the page
/// comes first, because it has the probe.
///
/// `task.generation` is the generation of the result of the task: a counter that grows when a
/// run starts or resumes.
fn checked_runs(db: &Connection, target: i64) -> DbResult<Vec<CheckedRun>> {
    let mut statement = db.prepare_cached(
        "SELECT task.id, result.checked_at, result.verdict
         FROM run r CROSS JOIN task ON task.run_id = r.id AND task.target_id = ?1
         CROSS JOIN result
             ON result.target_id = task.target_id AND result.generation = task.generation
         WHERE task.state = 2 /* finished */
         ORDER BY result.checked_at DESC, task.cached, task.id DESC LIMIT ?2",
    )?;
    let rows = statement.query_and_then((target, to_i64(MAX_RUNS)), |row| {
        DbResult::Ok(CheckedRun {
            task: TaskId(row.get(0)?),
            at: timestamp(row.get(1)?),
            // The column is `NOT NULL`, so the default is never used.
            verdict: parse_name(row.get(2)?)?.unwrap_or(Verdict::Alive),
        })
    })?;
    rows.collect()
}

/// Returns the probes of a task, oldest first. If an earlier probe was pruned, returns
/// only the later probes. `previous_id` cannot lead to a wrong probe, because SQLite reuses
/// an id only if no larger id exists.
fn probes(db: &Connection, task: TaskId) -> DbResult<Vec<Probe>> {
    let mut statement = db.prepare_cached(concat!(
        "WITH RECURSIVE seen (id, previous_id, detail) AS (
             SELECT p.id, p.previous_id, p.detail
             FROM task",
        join_result!(),
        "JOIN probe p ON ",
        probe_of_task!(),
        "    WHERE task.id = ?
             UNION ALL
             SELECT p.id, p.previous_id, p.detail FROM seen s JOIN probe p ON p.id = s.previous_id)
         SELECT detail FROM seen ORDER BY id"
    ))?;
    let rows = statement.query_and_then([task.0], |row| {
        let detail: String = row.get(0)?;
        DbResult::Ok(serde_json::from_str(&detail)?)
    })?;
    rows.collect()
}
