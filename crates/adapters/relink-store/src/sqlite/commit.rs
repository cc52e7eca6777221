//! Commits completions of tasks: probes, new task states, results and pages. A completion
//! is accepted only if its fence is valid: the lease of the host, or the generation of
//! the run (a counter that grows when a run starts or resumes). A *held* task was
//! fetched, but is judged later.
//!
//! This code runs for every request. Statements are prepared once per batch, because a
//! lookup in the statement cache costs as much as a small statement.

use std::sync::LazyLock;

use relink_model::{Attempt, FetchPurpose, Probe, RunId};
use relink_ports::{
    CacheWindow, CommitSummary, Fence, HostLease, TargetResult, TaskCompletion, TaskUpdate,
};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _};

use super::anchors;
use super::bulk::{Bulk, BulkSql, RowBinder, bulk_sql, first_rowid, insert_rows};
use super::error::DbResult;
use super::pages::PageWriter;
use super::redaction;
use super::result_writer::{FinishedTask, ResultWriter};
use super::rows::{millis, timestamp};
use super::runs;
use crate::values::task_state;

/// The initial capacity for the JSON of a probe in bytes, enough for most probes.
const DETAIL_CAPACITY: usize = 1024;

/// Commits completions. Rejects completions whose lease was lost, and completions whose run was
/// opened again.
pub(super) fn commit(
    db: &Connection,
    run: RunId,
    completions: &[TaskCompletion],
    cache_window: CacheWindow,
) -> DbResult<CommitSummary> {
    let lost = lost_leases(db, completions)?;
    let generation = runs::generation(db, run)?;
    let is_rejected = |completion: &&TaskCompletion| match completion.fence {
        Fence::Host(lease) => lost.contains(&lease),
        Fence::Run(expected) => expected != generation,
    };
    let rejected =
        completions.iter().filter(is_rejected).map(|completion| completion.task).collect();
    let accepted: Vec<&TaskCompletion> =
        completions.iter().filter(|completion| !is_rejected(completion)).collect();
    // Write table by table, so that the database pages of a table stay in the cache.
    let probe_ids = insert_probes(db, run, &accepted)?;
    let mut finished = Vec::with_capacity(accepted.len());
    for (completion, probe) in accepted.iter().copied().zip(probe_ids) {
        finished.extend(apply_update(db, completion, probe)?);
    }
    ResultWriter::new(db, run)?.add(&finished)?;
    let mut writer = PageWriter::new(db, run, cache_window)?;
    for completion in accepted {
        if let Some(page) = &completion.page {
            writer.add(page, Some(completion.task.0))?;
        }
    }
    Ok(CommitSummary { rejected, ..writer.finish()? })
}

/// Updates a task that is retried, held or dropped. If the task is finished, returns it,
/// because the caller stores the results of all finished tasks together.
fn apply_update<'a>(
    db: &Connection,
    completion: &'a TaskCompletion,
    probe: Option<i64>,
) -> DbResult<Option<FinishedTask<'a>>> {
    match &completion.update {
        TaskUpdate::Retry { purpose, not_before, attempts } => {
            let state = WaitingState {
                state: task_state::PENDING,
                purpose: *purpose,
                not_before: millis(*not_before),
            };
            save_waiting_task(db, completion, &state, attempts, probe)?;
            // If the host is leased, the lease holder updates the due time on release.
            if matches!(completion.fence, Fence::Run(_)) {
                update_host_due_time(db, completion)?;
            }
        }
        TaskUpdate::Hold { attempts } => {
            let state = WaitingState {
                state: task_state::HELD,
                purpose: FetchPurpose::Initial,
                not_before: 0,
            };
            save_waiting_task(db, completion, &state, attempts, probe)?;
            if let (Some(anchors), Some(probe)) = (&completion.anchors, &completion.probe) {
                anchors::save(db, completion.target.0, probe.requested_at, anchors)?;
            }
        }
        TaskUpdate::Drop => drop_task(db, completion)?,
        TaskUpdate::Finish(result) => {
            let probe = match probe {
                // A held task: its page was fetched before.
                None => reached_held_probe(db, completion, result)?,
                probe => probe,
            };
            if let Some(anchors) = &completion.anchors {
                anchors::save(db, completion.target.0, result.checked_at, anchors)?;
            }
            return Ok(Some(FinishedTask { completion, result, probe }));
        }
    }
    Ok(None)
}

/// Returns the probe of a held task if the page was reached, and gives the anchors of
/// that probe the time of the result.
fn reached_held_probe(
    db: &Connection,
    completion: &TaskCompletion,
    result: &TargetResult,
) -> DbResult<Option<i64>> {
    if !result.verdict.is_reached() {
        return Ok(None);
    }
    let mut select_probe = db.prepare_cached(
        "SELECT p.id, p.requested_at FROM task JOIN probe p ON p.id = task.probe_id
         WHERE task.id = ?",
    )?;
    let stored = select_probe.query_row([completion.task.0], |row| Ok((row.get(0)?, row.get(1)?)));
    let Some((probe, requested_at)) = stored.optional()? else { return Ok(None) };
    anchors::confirm(db, completion.target.0, timestamp(requested_at), result.checked_at)?;
    Ok(Some(probe))
}

/// Returns the leases of completions that were lost: the host has another fencing
/// token.
fn lost_leases(db: &Connection, completions: &[TaskCompletion]) -> DbResult<Vec<HostLease>> {
    let host_lease = |completion: &TaskCompletion| match completion.fence {
        Fence::Host(lease) => Some(lease),
        Fence::Run(_) => None,
    };
    let mut leases: Vec<HostLease> = completions.iter().filter_map(host_lease).collect();
    leases.sort_unstable_by_key(|lease| (lease.host.0, lease.fencing_token));
    leases.dedup();
    let mut is_held = db.prepare_cached("SELECT 1 FROM host WHERE id = ? AND fencing_token = ?")?;
    let mut lost = Vec::new();
    for lease in leases {
        if !is_held.exists((lease.host.0, lease.fencing_token))? {
            lost.push(lease);
        }
    }
    Ok(lost)
}

/// The start of statements that insert probes. The columns are in the order of
/// [`bind_probe`].
const INSERT_PROBE: &str =
    "INSERT OR FAIL INTO probe (target_id, run_id, requested_at, status, detail";

/// Inserts the first probes of tasks.
static FIRST_PROBES: LazyLock<BulkSql> = LazyLock::new(|| {
    bulk_sql(|rows| insert_rows(rows, &format!("{INSERT_PROBE})"), "(?, ?, ?, ?, ?)"))
});

/// Inserts later probes of tasks. Each later probe refers to the previous probe of its task.
static NEXT_PROBES: LazyLock<BulkSql> = LazyLock::new(|| {
    let values = "(?, ?, ?, ?, ?, (SELECT probe_id FROM task WHERE id = ?))";
    bulk_sql(|rows| insert_rows(rows, &format!("{INSERT_PROBE}, previous_id)"), values))
});

/// Inserts the probes and returns their ids in the order of `completions`.
fn insert_probes(
    db: &Connection,
    run: RunId,
    completions: &[&TaskCompletion],
) -> DbResult<Vec<Option<i64>>> {
    let with_probe = completions
        .iter()
        .enumerate()
        .filter_map(|(index, completion)| Some((index, *completion, completion.probe.as_ref()?)));
    let (first, next): (Vec<_>, Vec<_>) =
        with_probe.partition(|(_, completion, _)| attempts(&completion.update).len() <= 1);
    let mut ids = vec![None; completions.len()];
    let mut collect_ids = |stored: &[(usize, &TaskCompletion, &Probe)], _| {
        for ((index, ..), id) in stored.iter().zip(first_rowid(db, stored.len())..) {
            ids[*index] = Some(id);
        }
        Ok(())
    };
    let bind_first = |rows: &mut RowBinder<'_, '_>,
                      (_, completion, probe): &(_, &TaskCompletion, &Probe)| {
        bind_probe(rows, run, completion, probe)
    };
    Bulk::new(db, &FIRST_PROBES)?.run(&[], &first, bind_first, &mut collect_ids)?;
    let bind_next = |rows: &mut RowBinder<'_, '_>,
                     (_, completion, probe): &(_, &TaskCompletion, &Probe)| {
        bind_probe(rows, run, completion, probe)?;
        rows.bind(&[&completion.task.0])
    };
    Bulk::new(db, &NEXT_PROBES)?.run(&[], &next, bind_next, &mut collect_ids)?;
    Ok(ids)
}

/// Binds the columns of [`INSERT_PROBE`].
fn bind_probe(
    rows: &mut RowBinder<'_, '_>,
    run: RunId,
    completion: &TaskCompletion,
    probe: &Probe,
) -> DbResult<()> {
    let mut detail = Vec::with_capacity(DETAIL_CAPACITY);
    serde_json::to_writer(&mut detail, probe)?;
    let detail = redaction::json_bytes(&detail)?;
    rows.bind(&[
        &completion.target.0,
        &run.0,
        &millis(probe.requested_at),
        &probe.outcome.status(),
        &ToSqlOutput::Borrowed(ValueRef::Text(&detail)),
    ])
}

/// Returns the attempts so far, including the current attempt.
fn attempts(update: &TaskUpdate) -> &[Attempt] {
    match update {
        TaskUpdate::Retry { attempts, .. } | TaskUpdate::Hold { attempts } => attempts,
        TaskUpdate::Finish(result) => &result.attempts,
        TaskUpdate::Drop => &[],
    }
}

/// The new state of a task that is not finished: pending or held.
struct WaitingState {
    /// A value of [`task_state`].
    state: i64,
    purpose: FetchPurpose,
    not_before: i64,
}

/// Stores the state of a task that is retried or held.
fn save_waiting_task(
    db: &Connection,
    completion: &TaskCompletion,
    waiting: &WaitingState,
    attempts: &[Attempt],
    probe: Option<i64>,
) -> DbResult<()> {
    db.prepare_cached(
        "UPDATE task SET state = ?, purpose = ?, not_before = ?, attempts = ?, generation = NULL,
                         probe_id = ifnull(?, probe_id)
         WHERE id = ?",
    )?
    .execute((
        waiting.state,
        waiting.purpose.as_str(),
        waiting.not_before,
        serde_json::to_string(attempts)?,
        probe,
        completion.task.0,
    ))?;
    Ok(())
}

/// Deletes a task and its links.
fn drop_task(db: &Connection, completion: &TaskCompletion) -> DbResult<()> {
    db.prepare_cached("DELETE FROM link WHERE task_id = ?")?.execute([completion.task.0])?;
    db.prepare_cached("DELETE FROM task WHERE id = ?")?.execute([completion.task.0])?;
    Ok(())
}

/// Lowers the due time of the host of a task to the time of its next attempt.
fn update_host_due_time(db: &Connection, completion: &TaskCompletion) -> DbResult<()> {
    db.prepare_cached(
        "UPDATE run_host SET due_at = min(ifnull(due_at, task.not_before), task.not_before)
         FROM task
         WHERE task.id = ? AND run_host.run_id = task.run_id AND run_host.host_id = task.host_id",
    )?
    .execute([completion.task.0])?;
    Ok(())
}
