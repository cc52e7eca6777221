//! Storing results: probes, and the states that follow from them.
//!
//! This is done for every request, so statements are prepared once for a whole
//! batch: looking one up costs as much as running a small one.

use std::sync::LazyLock;

use relink_model::{Attempt, FetchPurpose, Probe, RunId};
use relink_ports::{
    CacheWindow, CommitSummary, HostLease, TargetResult, TaskCompletion, TaskUpdate,
};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _};

use super::anchors;
use super::bulk::{Bulk, Rows, Texts, first_number, many, texts};
use super::error::DbResult;
use super::outcomes::{FinishedTask, ResultWriter};
use super::pages::PageWriter;
use super::redaction;
use super::rows::{millis, moment};

const PENDING: u8 = 0;
const HELD: u8 = 1;

/// What most probes fit in, in bytes of JSON.
const USUAL_DETAIL: usize = 1024;

/// Stores results; those asked under a lease that is lost are refused.
pub(super) fn complete(
    db: &Connection,
    run: RunId,
    completions: &[TaskCompletion],
    moments: CacheWindow,
) -> DbResult<CommitSummary> {
    let lost = lost_leases(db, completions)?;
    let is_refused =
        |completion: &&TaskCompletion| completion.lease.is_some_and(|lease| lost.contains(&lease));
    let refused = completions.iter().filter(is_refused).map(|refused| refused.task).collect();
    let accepted: Vec<&TaskCompletion> =
        completions.iter().filter(|completion| !is_refused(completion)).collect();
    // Table by table: each then stays where it is quickly reached.
    let numbers = insert_probes(db, run, &accepted)?;
    let mut settled = Vec::with_capacity(accepted.len());
    for (completion, probe) in accepted.iter().copied().zip(numbers) {
        settled.extend(take_step(db, completion, probe)?);
    }
    ResultWriter::new(db, run)?.add(&settled)?;
    let mut intake = PageWriter::new(db, run, moments)?;
    for completion in accepted {
        if let Some(page) = &completion.page {
            intake.take(page, Some(completion.task.0))?;
        }
    }
    Ok(CommitSummary { refused, ..intake.finish()? })
}

/// What follows for the task itself: it waits, is left, or is settled now.
fn take_step<'a>(
    db: &Connection,
    completion: &'a TaskCompletion,
    probe: Option<i64>,
) -> DbResult<Option<FinishedTask<'a>>> {
    match &completion.step {
        TaskUpdate::Retry { purpose, not_before, attempts: looks } => {
            let state =
                WaitState { state: PENDING, purpose: *purpose, not_before: millis(*not_before) };
            defer(db, completion, &state, looks, probe)?;
            if completion.lease.is_none() {
                make_due(db, completion)?;
            }
        }
        TaskUpdate::Hold { attempts: looks } => {
            let state = WaitState { state: HELD, purpose: FetchPurpose::Initial, not_before: 0 };
            defer(db, completion, &state, looks, probe)?;
            if let (Some(anchors), Some(probe)) = (&completion.anchors, &completion.probe) {
                anchors::keep(db, completion.target.0, probe.requested_at, anchors)?;
            }
        }
        TaskUpdate::Drop => leave(db, completion)?,
        TaskUpdate::Finish(settlement) => {
            let probe = match probe {
                None => taken_up(db, completion, settlement)?,
                known => known,
            };
            if let Some(anchors) = &completion.anchors {
                anchors::keep(db, completion.target.0, settlement.at, anchors)?;
            }
            return Ok(Some(FinishedTask { completion, result: settlement, probe }));
        }
    }
    Ok(None)
}

/// The probe that a task was put on hold with, if its page is there after
/// all; so are then the places it was seen to have.
fn taken_up(
    db: &Connection,
    completion: &TaskCompletion,
    settlement: &TargetResult,
) -> DbResult<Option<i64>> {
    if !settlement.verdict.is_reached() {
        return Ok(None);
    }
    let mut held = db.prepare_cached(
        "SELECT p.id, p.asked_at FROM task e JOIN probe p ON p.id = e.probe_id WHERE e.id = ?",
    )?;
    let held = held.query_row([completion.task.0], |row| Ok((row.get(0)?, row.get(1)?)));
    let Some((probe, asked)) = held.optional()? else { return Ok(None) };
    anchors::confirm(db, completion.target.0, moment(asked), settlement.at)?;
    Ok(Some(probe))
}

fn lost_leases(db: &Connection, completions: &[TaskCompletion]) -> DbResult<Vec<HostLease>> {
    let mut leases: Vec<HostLease> =
        completions.iter().filter_map(|completion| completion.lease).collect();
    leases.sort_unstable_by_key(|lease| (lease.host.0, lease.fencing_token));
    leases.dedup();
    let mut held = db.prepare_cached("SELECT 1 FROM host WHERE id = ? AND lease_no = ?")?;
    let mut lost = Vec::new();
    for lease in leases {
        if !held.exists((lease.host.0, lease.fencing_token))? {
            lost.push(lease);
        }
    }
    Ok(lost)
}

const INTO: &str = "INSERT OR FAIL INTO probe (target_id, run_id, asked_at, status, detail";

/// Stores the first probes of tasks.
static FIRST_PROBES: LazyLock<Texts> =
    LazyLock::new(|| texts(|rows| many(rows, &format!("{INTO})"), "(?, ?, ?, ?, ?)")));

/// Stores probes behind those that their tasks had so far.
static NEXT_PROBES: LazyLock<Texts> = LazyLock::new(|| {
    let values = "(?, ?, ?, ?, ?, (SELECT probe_id FROM task WHERE id = ?))";
    texts(|rows| many(rows, &format!("{INTO}, prior)"), values))
});

/// Adds the probes of all that have one; returns their numbers.
fn insert_probes(
    db: &Connection,
    run: RunId,
    completions: &[&TaskCompletion],
) -> DbResult<Vec<Option<i64>>> {
    let with_probe = completions
        .iter()
        .enumerate()
        .filter_map(|(at, completion)| Some((at, *completion, completion.probe.as_ref()?)));
    let (first, next): (Vec<_>, Vec<_>) =
        with_probe.partition(|(_, completion, _)| looks(&completion.step).len() <= 1);
    let mut numbers = vec![None; completions.len()];
    let mut number = |stored: &[(usize, &TaskCompletion, &Probe)], _| {
        for ((at, ..), number) in stored.iter().zip(first_number(db, stored.len())..) {
            numbers[*at] = Some(number);
        }
        Ok(())
    };
    let put_first = |rows: &mut Rows<'_, '_>,
                     (_, completion, probe): &(_, &TaskCompletion, &Probe)| {
        put_probe(rows, run, completion, probe)
    };
    Bulk::new(db, &FIRST_PROBES)?.run(&[], &first, put_first, &mut number)?;
    let put_next = |rows: &mut Rows<'_, '_>,
                    (_, completion, probe): &(_, &TaskCompletion, &Probe)| {
        put_probe(rows, run, completion, probe)?;
        rows.put(&[&completion.task.0])
    };
    Bulk::new(db, &NEXT_PROBES)?.run(&[], &next, put_next, &mut number)?;
    Ok(numbers)
}

fn put_probe(
    rows: &mut Rows<'_, '_>,
    run: RunId,
    completion: &TaskCompletion,
    probe: &Probe,
) -> DbResult<()> {
    let mut detail = Vec::with_capacity(USUAL_DETAIL);
    serde_json::to_writer(&mut detail, probe)?;
    let detail = redaction::json_bytes(&detail)?;
    rows.put(&[
        &completion.target.0,
        &run.0,
        &millis(probe.requested_at),
        &probe.outcome.status(),
        &ToSqlOutput::Borrowed(ValueRef::Text(&detail)),
    ])
}

/// The looks so far, this one included.
fn looks(step: &TaskUpdate) -> &[Attempt] {
    match step {
        TaskUpdate::Retry { attempts: looks, .. } | TaskUpdate::Hold { attempts: looks } => looks,
        TaskUpdate::Finish(settlement) => &settlement.attempts,
        TaskUpdate::Drop => &[],
    }
}

/// How a task waits: to be asked again, or on hold.
struct WaitState {
    state: u8,
    purpose: FetchPurpose,
    not_before: i64,
}

fn defer(
    db: &Connection,
    completion: &TaskCompletion,
    waiting: &WaitState,
    looks: &[Attempt],
    probe: Option<i64>,
) -> DbResult<()> {
    db.prepare_cached(
        "UPDATE task SET state = ?, purpose = ?, not_before = ?, looks = ?, turn = NULL,
                           probe_id = ifnull(?, probe_id)
         WHERE id = ?",
    )?
    .execute((
        waiting.state,
        waiting.purpose.as_str(),
        waiting.not_before,
        serde_json::to_string(looks)?,
        probe,
        completion.task.0,
    ))?;
    Ok(())
}

/// Forgets a task that is not asked after all.
fn leave(db: &Connection, completion: &TaskCompletion) -> DbResult<()> {
    db.prepare_cached("DELETE FROM link WHERE task_id = ?")?.execute([completion.task.0])?;
    db.prepare_cached("DELETE FROM task WHERE id = ?")?.execute([completion.task.0])?;
    Ok(())
}

/// Makes a host due whose task was put back. With a lease, its holder does
/// so when giving the host back.
fn make_due(db: &Connection, completion: &TaskCompletion) -> DbResult<()> {
    db.prepare_cached(
        "UPDATE run_host SET due_at = min(ifnull(due_at, e.not_before), e.not_before)
         FROM task e
         WHERE e.id = ? AND run_host.run_id = e.run_id AND run_host.host_id = e.host_id",
    )?
    .execute([completion.task.0])?;
    Ok(())
}
