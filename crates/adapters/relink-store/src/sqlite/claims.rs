//! Leases hosts, returns their due tasks and releases hosts.
//!
//! A lease is the exclusive right to fetch the tasks of a host until a given time. Its
//! fencing token is a counter that grows with each lease of the host, so that statements
//! of an earlier holder are rejected. There is no state for tasks that are being fetched,
//! because the lease of the host covers all of its tasks. After a crash, only the leases
//! have to be revoked. To read further tasks, the lease holder passes the last task that
//! it received.

use std::collections::HashMap;

use jiff::Timestamp;
use relink_model::{FetchTask, RunId, TaskId};
use relink_ports::{
    Claim, ClaimRequest, HostId, HostLease, HostRelease, HostSchedule, HostStats, NextDue,
};
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::error::DbResult;
use super::loading::host_id;
use super::rows::{millis, task_columns, task_from_row, timestamp, to_i64};

/// A newly leased host.
pub(super) struct LeasedHost {
    lease: HostLease,
    name: String,
    schedule: HostSchedule,
}

impl LeasedHost {
    /// Returns the claim with up to `limit` due tasks.
    pub(super) fn into_claim(
        self,
        db: &Connection,
        run: RunId,
        limit: usize,
        now: Timestamp,
    ) -> DbResult<Claim> {
        // Sorts before every task.
        let start = (Timestamp::MIN, TaskId(i64::MIN));
        let tasks = due_tasks(db, run, self.lease, start, limit, now)?;
        Ok(Claim { lease: self.lease, name: self.name, schedule: self.schedule, tasks })
    }
}

/// Leases hosts that have due tasks and are not leased.
pub(super) fn lease(
    db: &Connection,
    run: RunId,
    request: ClaimRequest,
) -> DbResult<Vec<LeasedHost>> {
    let mut statement = db.prepare_cached(
        "UPDATE host SET lease_until = ?1, fencing_token = fencing_token + 1
         WHERE id IN (
             SELECT h.id FROM run_host rh CROSS JOIN host h ON h.id = rh.host_id
             WHERE rh.run_id = ?2 AND rh.due_at <= ?3
               AND h.next_at <= ?3 AND h.lease_until <= ?5
             ORDER BY rh.due_at LIMIT ?4)
         RETURNING id, fencing_token, name, next_at, delay_ms, throttle_ms, schedule_at, address",
    )?;
    let (until, due, now) =
        (millis(request.until), millis(request.due_until()), millis(request.now));
    let leased = statement.query_map((until, run.0, due, to_i64(request.hosts), now), |row| {
        Ok(LeasedHost {
            lease: HostLease { host: HostId(row.get(0)?), fencing_token: row.get(1)? },
            name: row.get(2)?,
            schedule: schedule_from_row(row, 3)?,
        })
    })?;
    Ok(leased.collect::<Result<_, _>>()?)
}

/// Returns due tasks of a leased host that follow `last_task`, which was due at
/// `last_time`. Returns an empty list if the lease was lost.
pub(super) fn due_tasks(
    db: &Connection,
    run: RunId,
    lease: HostLease,
    (last_time, last_task): (Timestamp, TaskId),
    limit: usize,
    now: Timestamp,
) -> DbResult<Vec<FetchTask>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        task_columns!(),
        " FROM task INDEXED BY task_pending
          CROSS JOIN target t ON t.id = task.target_id
          WHERE task.state = 0 /* pending */ AND task.run_id = ?1 AND task.host_id = ?2
            AND task.not_before <= ?3 AND (task.not_before, task.id) > (?4, ?5)
            AND EXISTS (SELECT 1 FROM host WHERE id = ?2 AND fencing_token = ?7)
          ORDER BY task.not_before, task.id LIMIT ?6"
    ))?;
    let rows = statement.query_and_then(
        (
            run.0,
            lease.host.0,
            millis(now),
            millis(last_time),
            last_task.0,
            to_i64(limit),
            lease.fencing_token,
        ),
        |row| task_from_row(db, row),
    )?;
    rows.collect()
}

/// Extends leases and returns the leases that were lost.
pub(super) fn renew(
    db: &Connection,
    leases: &[HostLease],
    until: Timestamp,
) -> DbResult<Vec<HostLease>> {
    let mut statement = db.prepare_cached(
        "UPDATE host SET lease_until = ? WHERE id = ? AND fencing_token = ? AND lease_until > 0",
    )?;
    let mut lost = Vec::new();
    for lease in leases {
        if statement.execute((millis(until), lease.host.0, lease.fencing_token))? == 0 {
            lost.push(*lease);
        }
    }
    Ok(lost)
}

/// Ends a lease (`lease_until = 0`) and stores the schedule and statistics of the host,
/// unless the lease was lost.
pub(super) fn release(db: &Connection, run: RunId, host: &HostRelease) -> DbResult<()> {
    let HostRelease { lease, schedule, stats } = host;
    let released = db
        .prepare_cached(
            "UPDATE host SET lease_until = 0, next_at = max(next_at, ?), delay_ms = ?,
                             throttle_ms = ?, schedule_at = ?, address = ifnull(?, address)
             WHERE id = ? AND fencing_token = ?",
        )?
        .execute((
            millis(schedule.next_at),
            schedule.delay_ms,
            schedule.throttle_ms,
            millis(schedule.stored_at),
            schedule.address.map(|address| address.to_string()),
            lease.host.0,
            lease.fencing_token,
        ))?;
    if released > 0 {
        add_stats(db, run, lease.host, stats)?;
    }
    Ok(())
}

/// Adds to the statistics of a host and updates the due time of its next task.
fn add_stats(db: &Connection, run: RunId, host: HostId, stats: &HostStats) -> DbResult<()> {
    db.prepare_cached(
        "UPDATE run_host SET
             requests = requests + ?3, responses = responses + ?4, throttled = throttled + ?5,
             request_ms = request_ms + ?6,
             politeness_wait_ms = politeness_wait_ms + ?7,
             control_requests = control_requests + ?8,
             due_at = (SELECT min(not_before) FROM task
                       WHERE run_id = ?1 AND host_id = ?2 AND state = 0 /* pending */)
         WHERE run_id = ?1 AND host_id = ?2",
    )?
    .execute((
        run.0,
        host.0,
        stats.requests.cast_signed(),
        stats.responses.cast_signed(),
        stats.throttled.cast_signed(),
        stats.request_ms.cast_signed(),
        stats.politeness_wait_ms.cast_signed(),
        stats.control_requests.cast_signed(),
    ))?;
    Ok(())
}

/// Reads the schedule from five columns, starting at `first`: `next_at`, `delay_ms`,
/// `throttle_ms`, `schedule_at` and `address`.
fn schedule_from_row(row: &Row<'_>, first: usize) -> rusqlite::Result<HostSchedule> {
    let address: Option<String> = row.get(first + 4)?;
    Ok(HostSchedule {
        next_at: timestamp(row.get(first)?),
        delay_ms: row.get(first + 1)?,
        throttle_ms: row.get(first + 2)?,
        stored_at: timestamp(row.get(first + 3)?),
        address: address.and_then(|address| address.parse().ok()),
    })
}

/// Returns the stored schedule of a host.
pub(super) fn host_schedule(db: &Connection, host: &str) -> DbResult<Option<HostSchedule>> {
    let schedule = db
        .prepare_cached(
            "SELECT next_at, delay_ms, throttle_ms, schedule_at, address FROM host WHERE name = ?",
        )?
        .query_row([host], |row| schedule_from_row(row, 0))
        .optional()?;
    Ok(schedule)
}

/// Stores the schedule of a host without a lease.
pub(super) fn save_host_schedule(
    db: &Connection,
    host: &str,
    schedule: &HostSchedule,
) -> DbResult<()> {
    let id = host_id(db, host, &mut HashMap::new())?;
    db.prepare_cached(
        "UPDATE host SET next_at = ?, delay_ms = ?, throttle_ms = ?, schedule_at = ?,
                         address = ifnull(?, address)
         WHERE id = ?",
    )?
    .execute((
        millis(schedule.next_at),
        schedule.delay_ms,
        schedule.throttle_ms,
        millis(schedule.stored_at),
        schedule.address.map(|address| address.to_string()),
        id,
    ))?;
    Ok(())
}

/// Reserves the next request to a host, if it is due and the host is not leased.
pub(super) fn reserve_request(
    db: &Connection,
    host: &str,
    now: Timestamp,
    next_at: Timestamp,
) -> DbResult<bool> {
    let id = host_id(db, host, &mut HashMap::new())?;
    let reserved = db
        .prepare_cached(
            "UPDATE host SET next_at = ?1 WHERE id = ?2 AND next_at <= ?3 AND lease_until <= ?3",
        )?
        .execute((millis(next_at), id, millis(now)))?;
    Ok(reserved > 0)
}

/// Returns the time when the next host can be claimed. Only one process uses the file, so
/// there are no leases of other workers, and `is_shared` is false.
pub(super) fn next_due(db: &Connection, run: RunId) -> DbResult<NextDue> {
    let due: Option<i64> = db
        .prepare_cached(
            "SELECT min(max(rh.due_at, h.next_at))
             FROM run_host rh CROSS JOIN host h ON h.id = rh.host_id
             WHERE rh.run_id = ? AND rh.due_at IS NOT NULL AND h.lease_until = 0",
        )?
        .query_row([run.0], |row| row.get(0))?;
    Ok(NextDue { at: due.map(timestamp), is_shared: false })
}
