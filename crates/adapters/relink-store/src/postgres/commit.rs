//! Commits completions of tasks: probes, new task states, results and pages. A completion
//! is accepted only if its fence is valid: the lease of the host, or the generation of
//! the run (a counter that grows when a run starts or resumes). A *held* task was
//! fetched, but is judged later.

use std::collections::HashMap;

use relink_model::{Attempt, FetchPurpose, RunId};
use relink_ports::{CacheWindow, CommitSummary, Fence, HostLease, TaskCompletion, TaskUpdate};

use super::clock::ClockOffset;
use super::error::DbResult;
use super::result_writer::{self, FinishedTask};
use super::rows::{millis, timestamp, to_i64};
use super::session::Db;
use super::{anchors, pages};
use crate::redaction;
use crate::values::task_state;

/// Locks hosts until the commit, so that they cannot be claimed meanwhile.
pub(super) const LOCK_HOSTS: &str =
    "SELECT id, fencing_token FROM host WHERE id = ANY($1) ORDER BY id FOR SHARE";

/// Reserves `$1` ids for probes and holds a shared lock until the commit. Readers of new
/// probes wait for this lock, so that they never read a probe before a probe with a
/// smaller id is committed.
pub(super) const RESERVE_PROBE_IDS: &str = "WITH shared AS MATERIALIZED (
         SELECT pg_advisory_xact_lock_shared(hashtext('relink probes ' || current_schema())))
     SELECT nextval(pg_get_serial_sequence('probe', 'id'))
     FROM shared CROSS JOIN generate_series(1, $1::bigint)";

/// Inserts probes. `$7` is the run. Each other parameter is an array with the values of
/// one column of `new`. `new.task` is null for the first probe of a task. Later probes
/// refer to the last probe (`task.probe_id`), so that the probes of a task form a chain.
pub(super) const INSERT_PROBES: &str =
    "INSERT INTO probe (id, target_id, run_id, requested_at, status, detail, previous_id)
     SELECT new.id, new.target, $7, new.time, new.status, new.detail, task.probe_id
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[],
                 $6::bigint[]) AS new (id, target, time, status, detail, task)
     LEFT JOIN task ON task.id = new.task";

/// Commits completions. Rejects completions whose lease was lost, and completions whose run another
/// process has opened again.
pub(super) async fn commit(
    db: &Db<'_>,
    clock: ClockOffset,
    run: RunId,
    completions: &[TaskCompletion],
    cache_window: CacheWindow,
) -> DbResult<CommitSummary> {
    let lost = lost_leases(db, completions).await?;
    let generation = locked_generation(db, run, completions).await?;
    let is_rejected = |completion: &&TaskCompletion| match completion.fence {
        Fence::Host(lease) => lost.contains(&lease),
        Fence::Run(expected) => Some(expected) != generation,
    };
    let rejected =
        completions.iter().filter(is_rejected).map(|completion| completion.task).collect();
    let accepted: Vec<&TaskCompletion> =
        completions.iter().filter(|completion| !is_rejected(completion)).collect();
    let probes = insert_probes(db, run, &accepted).await?;
    apply_updates(db, clock, &accepted, &probes).await?;
    save_anchors(db, &accepted).await?;
    let finished = finished_tasks(db, &accepted, &probes).await?;
    result_writer::add(db, run, &finished).await?;
    let pages: Vec<_> = accepted
        .iter()
        .filter_map(|completion| Some((completion.page.as_ref()?, Some(completion.task.0))))
        .collect();
    let summary = pages::add(db, clock, run, &pages, cache_window).await?;
    Ok(CommitSummary { rejected, ..summary })
}

/// Returns the leases that were lost. Locks the hosts of all leases until the commit, so
/// that they cannot be claimed meanwhile.
async fn lost_leases(db: &Db<'_>, completions: &[TaskCompletion]) -> DbResult<Vec<HostLease>> {
    let host_lease = |completion: &TaskCompletion| match completion.fence {
        Fence::Host(lease) => Some(lease),
        Fence::Run(_) => None,
    };
    let mut leases: Vec<HostLease> = completions.iter().filter_map(host_lease).collect();
    leases.sort_unstable_by_key(|lease| (lease.host.0, lease.fencing_token));
    leases.dedup();
    if leases.is_empty() {
        return Ok(leases);
    }
    let hosts: Vec<i64> = leases.iter().map(|lease| lease.host.0).collect();
    let rows = db.query(LOCK_HOSTS, &[&hosts]).await?;
    let tokens: HashMap<i64, i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    leases.retain(|lease| tokens.get(&lease.host.0) != Some(&lease.fencing_token));
    Ok(leases)
}

/// Returns the generation of the run if the fence of a completion contains a generation. Locks the
/// run until the commit, so that no other process can open it meanwhile.
async fn locked_generation(
    db: &Db<'_>,
    run: RunId,
    completions: &[TaskCompletion],
) -> DbResult<Option<i64>> {
    if !completions.iter().any(|completion| matches!(completion.fence, Fence::Run(_))) {
        return Ok(None);
    }
    let row = db.query_opt("SELECT generation FROM run WHERE id = $1 FOR SHARE", &[&run.0]).await?;
    Ok(row.map(|row| row.get(0)))
}

/// Inserts the probes and returns their ids in the order of `completions`.
async fn insert_probes(
    db: &Db<'_>,
    run: RunId,
    completions: &[&TaskCompletion],
) -> DbResult<Vec<Option<i64>>> {
    let with_probe: Vec<_> = completions
        .iter()
        .filter_map(|completion| Some((*completion, completion.probe.as_ref()?)))
        .collect();
    if with_probe.is_empty() {
        return Ok(vec![None; completions.len()]);
    }
    let rows = db.query(RESERVE_PROBE_IDS, &[&to_i64(with_probe.len())]).await?;
    let ids: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    let targets: Vec<i64> = with_probe.iter().map(|(completion, _)| completion.target.0).collect();
    let times: Vec<i64> = with_probe.iter().map(|(_, probe)| millis(probe.requested_at)).collect();
    let statuses: Vec<Option<i64>> =
        with_probe.iter().map(|(_, probe)| probe.outcome.status().map(i64::from)).collect();
    let mut details = Vec::with_capacity(with_probe.len());
    for (_, probe) in &with_probe {
        let detail = serde_json::to_string(probe)?;
        details.push(redaction::json(&detail)?.into_owned());
    }
    // One value per probe: the task, or `None` for the first probe of a task.
    let tasks: Vec<Option<i64>> = with_probe
        .iter()
        .map(|(completion, _)| {
            (attempts(&completion.update).len() > 1).then_some(completion.task.0)
        })
        .collect();
    db.execute(INSERT_PROBES, &[&ids, &targets, &times, &statuses, &details, &tasks, &run.0])
        .await?;
    let mut ids = ids.into_iter();
    let probe_id =
        |completion: &&TaskCompletion| completion.probe.as_ref().and_then(|_| ids.next());
    Ok(completions.iter().map(probe_id).collect())
}

/// Returns the attempts so far, including the current attempt, or none for a dropped task.
fn attempts(update: &TaskUpdate) -> &[Attempt] {
    match update {
        TaskUpdate::Retry { attempts, .. } | TaskUpdate::Hold { attempts } => attempts,
        TaskUpdate::Finish(result) => &result.attempts,
        TaskUpdate::Drop => &[],
    }
}

/// The new state of a task that is not finished.
struct WaitingTask<'a> {
    task: i64,
    /// A value of [`task_state`].
    state: i64,
    purpose: FetchPurpose,
    not_before: i64,
    attempts: &'a [Attempt],
    probe: Option<i64>,
    /// Whether the due time of the host must be updated. If the host is leased, the lease
    /// holder does this on release.
    updates_host: bool,
}

/// Updates tasks that are retried, held or dropped.
async fn apply_updates(
    db: &Db<'_>,
    clock: ClockOffset,
    completions: &[&TaskCompletion],
    probes: &[Option<i64>],
) -> DbResult<()> {
    let (mut waiting, mut dropped) = (Vec::new(), Vec::new());
    for (completion, probe) in completions.iter().zip(probes) {
        let (state, purpose, not_before, attempts) = match &completion.update {
            TaskUpdate::Retry { purpose, not_before, attempts } => {
                (task_state::PENDING, *purpose, clock.db_time(*not_before), attempts)
            }
            TaskUpdate::Hold { attempts } => (task_state::HELD, FetchPurpose::Initial, 0, attempts),
            TaskUpdate::Drop => {
                dropped.push(completion.task.0);
                continue;
            }
            // `result_writer` updates finished tasks.
            TaskUpdate::Finish(_) => continue,
        };
        let updates_host =
            state == task_state::PENDING && matches!(completion.fence, Fence::Run(_));
        let (task, probe) = (completion.task.0, *probe);
        waiting.push(WaitingTask {
            task,
            state,
            purpose,
            not_before,
            attempts,
            probe,
            updates_host,
        });
    }
    save_waiting_tasks(db, &waiting).await?;
    if !dropped.is_empty() {
        db.execute("DELETE FROM link WHERE task_id = ANY($1)", &[&dropped]).await?;
        db.execute("DELETE FROM task WHERE id = ANY($1)", &[&dropped]).await?;
    }
    Ok(())
}

/// Stores the states of tasks that are retried or held.
async fn save_waiting_tasks(db: &Db<'_>, waiting: &[WaitingTask<'_>]) -> DbResult<()> {
    if waiting.is_empty() {
        return Ok(());
    }
    let tasks: Vec<i64> = waiting.iter().map(|waiting| waiting.task).collect();
    let states: Vec<i64> = waiting.iter().map(|waiting| waiting.state).collect();
    let purposes: Vec<&str> = waiting.iter().map(|waiting| waiting.purpose.as_str()).collect();
    let times: Vec<i64> = waiting.iter().map(|waiting| waiting.not_before).collect();
    let mut attempts = Vec::with_capacity(waiting.len());
    for waiting in waiting {
        attempts.push(serde_json::to_string(waiting.attempts)?);
    }
    let probes: Vec<Option<i64>> = waiting.iter().map(|waiting| waiting.probe).collect();
    db.execute(
        "UPDATE task SET state = new.state, purpose = new.purpose, not_before = new.time,
                         attempts = new.attempts, generation = NULL,
                         probe_id = coalesce(new.probe, task.probe_id)
         FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[],
                     $6::bigint[]) AS new (id, state, purpose, time, attempts, probe)
         WHERE task.id = new.id",
        &[&tasks, &states, &purposes, &times, &attempts, &probes],
    )
    .await?;
    let due: Vec<i64> =
        waiting.iter().filter(|waiting| waiting.updates_host).map(|waiting| waiting.task).collect();
    if !due.is_empty() {
        db.execute(
            "UPDATE run_host SET due_at = least(run_host.due_at, due.at)
             FROM (SELECT run_id, host_id, min(not_before) AS at FROM task
                   WHERE id = ANY($1) GROUP BY run_id, host_id) AS due
             WHERE run_host.run_id = due.run_id AND run_host.host_id = due.host_id",
            &[&due],
        )
        .await?;
    }
    Ok(())
}

/// Saves the anchors of finished and held pages. The anchors of a finished page have the
/// time of its result. The anchors of a held page have the time of the request until the
/// page is judged.
async fn save_anchors(db: &Db<'_>, completions: &[&TaskCompletion]) -> DbResult<()> {
    for completion in completions {
        let seen_at = match (&completion.update, &completion.probe) {
            (TaskUpdate::Finish(result), _) => result.checked_at,
            (TaskUpdate::Hold { .. }, Some(probe)) => probe.requested_at,
            _ => continue,
        };
        if let Some(hashes) = &completion.anchors {
            anchors::save(db, completion.target.0, seen_at, hashes).await?;
        }
    }
    Ok(())
}

/// Returns the finished tasks with their last probes.
async fn finished_tasks<'a>(
    db: &Db<'_>,
    completions: &[&'a TaskCompletion],
    probes: &[Option<i64>],
) -> DbResult<Vec<FinishedTask<'a>>> {
    let mut finished = Vec::with_capacity(completions.len());
    for (completion, probe) in completions.iter().zip(probes) {
        let TaskUpdate::Finish(result) = &completion.update else { continue };
        // A page that was reached without a new probe was held and is judged now.
        let is_held = probe.is_none() && result.verdict.is_reached();
        let probe = if is_held { held_probe(db, completion).await? } else { *probe };
        finished.push(FinishedTask { completion, result, probe });
    }
    Ok(finished)
}

/// Returns the stored probe of a held task that is finished now, and gives the anchors of
/// that probe the time of the result.
async fn held_probe(db: &Db<'_>, completion: &TaskCompletion) -> DbResult<Option<i64>> {
    let TaskUpdate::Finish(result) = &completion.update else { return Ok(None) };
    let row = db
        .query_opt(
            "SELECT p.id, p.requested_at FROM task JOIN probe p ON p.id = task.probe_id
             WHERE task.id = $1",
            &[&completion.task.0],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    let seen_at = timestamp(row.get(1));
    anchors::confirm(db, completion.target.0, seen_at, result.checked_at).await?;
    Ok(Some(row.get(0)))
}
