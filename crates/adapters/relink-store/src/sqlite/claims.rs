//! Claims: hosts are leased, their tasks handed out, hosts given back.
//!
//! Tasks themselves are never marked as taken. The host's lease alone says
//! who may ask them, and the holder remembers how far it has come, so a killed
//! process leaves nothing to clean up but leases.

use std::collections::HashMap;

use jiff::Timestamp;
use relink_model::{FetchTask, RunId, TaskId};
use relink_ports::{Claim, HostId, HostLease, HostSchedule, HostStats};
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::error::DbResult;
use super::loading::host_id;
use super::rows::{millis, moment, number, task, task_columns};

/// A host that was just leased.
pub(super) struct LeasedHost {
    lease: HostLease,
    name: String,
    politeness: HostSchedule,
}

impl LeasedHost {
    /// The claim on it, with tasks that are due.
    pub(super) fn into_claim(
        self,
        db: &Connection,
        run: RunId,
        limit: usize,
        now: Timestamp,
    ) -> DbResult<Claim> {
        let start = (Timestamp::MIN, TaskId(i64::MIN));
        let tasks = due(db, run, self.lease, start, limit, now)?;
        Ok(Claim { lease: self.lease, name: self.name, politeness: self.politeness, tasks })
    }
}

/// Leases hosts that have something due and are nobody's.
pub(super) fn lease(
    db: &Connection,
    run: RunId,
    hosts: usize,
    now: Timestamp,
    until: Timestamp,
) -> DbResult<Vec<LeasedHost>> {
    let mut statement = db.prepare_cached(
        "UPDATE host SET lease_until = ?1, lease_no = lease_no + 1
         WHERE id IN (
             SELECT h.id FROM run_host rh CROSS JOIN host h ON h.id = rh.host_id
             WHERE rh.run_id = ?2 AND rh.due_at <= ?3
               AND h.next_at <= ?3 AND h.lease_until <= ?3
             ORDER BY rh.due_at LIMIT ?4)
         RETURNING id, lease_no, name, next_at, delay_ms, throttle_ms, paced_at, address",
    )?;
    let leased =
        statement.query_map((millis(until), run.0, millis(now), number(hosts)), |row| {
            Ok(LeasedHost {
                lease: HostLease { host: HostId(row.get(0)?), fencing_token: row.get(1)? },
                name: row.get(2)?,
                politeness: pace_from(row, 3)?,
            })
        })?;
    Ok(leased.collect::<Result<_, _>>()?)
}

/// Tasks that whoever holds this lease may ask now, after the last one
/// handed out; none if the lease is lost.
pub(super) fn due(
    db: &Connection,
    run: RunId,
    lease: HostLease,
    (after_time, after): (Timestamp, TaskId),
    limit: usize,
    now: Timestamp,
) -> DbResult<Vec<FetchTask>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        task_columns!(),
        " FROM task e INDEXED BY task_pending
          CROSS JOIN target t ON t.id = e.target_id
          WHERE e.state = 0 AND e.run_id = ?1 AND e.host_id = ?2 AND e.not_before <= ?3
            AND (e.not_before, e.id) > (?4, ?5)
            AND EXISTS (SELECT 1 FROM host WHERE id = ?2 AND lease_no = ?7)
          ORDER BY e.not_before, e.id LIMIT ?6"
    ))?;
    let rows = statement.query_and_then(
        (
            run.0,
            lease.host.0,
            millis(now),
            millis(after_time),
            after.0,
            number(limit),
            lease.fencing_token,
        ),
        |row| task(db, row),
    )?;
    rows.collect()
}

pub(super) fn renew(db: &Connection, leases: &[HostLease], until: Timestamp) -> DbResult<()> {
    let mut statement = db.prepare_cached(
        "UPDATE host SET lease_until = ? WHERE id = ? AND lease_no = ? AND lease_until > 0",
    )?;
    for lease in leases {
        statement.execute((millis(until), lease.host.0, lease.fencing_token))?;
    }
    Ok(())
}

pub(super) fn release(
    db: &Connection,
    run: RunId,
    lease: HostLease,
    pace: &HostSchedule,
    tally: &HostStats,
) -> DbResult<()> {
    let given_back = db
        .prepare_cached(
            "UPDATE host SET lease_until = 0, next_at = max(next_at, ?), delay_ms = ?,
                             throttle_ms = ?, paced_at = ?, address = ifnull(?, address)
             WHERE id = ? AND lease_no = ?",
        )?
        .execute((
            millis(pace.next_at),
            pace.delay_ms,
            pace.throttle_ms,
            millis(pace.stored_at),
            pace.address.map(|address| address.to_string()),
            lease.host.0,
            lease.fencing_token,
        ))?;
    if given_back > 0 {
        add_to_tally(db, run, lease.host, tally)?;
    }
    Ok(())
}

/// Adds what was done, and sets when the host's next task falls due.
fn add_to_tally(db: &Connection, run: RunId, host: HostId, tally: &HostStats) -> DbResult<()> {
    db.prepare_cached(
        "UPDATE run_host SET
             asked = asked + ?3, answered = answered + ?4, throttled = throttled + ?5,
             busy_ms = busy_ms + ?6, waited_ms = waited_ms + ?7, controls = controls + ?8,
             due_at = (SELECT min(not_before) FROM task
                       WHERE run_id = ?1 AND host_id = ?2 AND state = 0)
         WHERE run_id = ?1 AND host_id = ?2",
    )?
    .execute((
        run.0,
        host.0,
        tally.requests.cast_signed(),
        tally.responses.cast_signed(),
        tally.throttled.cast_signed(),
        tally.request_ms.cast_signed(),
        tally.politeness_wait_ms.cast_signed(),
        tally.controls.cast_signed(),
    ))?;
    Ok(())
}

/// The pace in five columns of a row, from this one on.
fn pace_from(row: &Row<'_>, first: usize) -> rusqlite::Result<HostSchedule> {
    let address: Option<String> = row.get(first + 4)?;
    Ok(HostSchedule {
        next_at: moment(row.get(first)?),
        delay_ms: row.get(first + 1)?,
        throttle_ms: row.get(first + 2)?,
        stored_at: moment(row.get(first + 3)?),
        address: address.and_then(|address| address.parse().ok()),
    })
}

pub(super) fn pace(db: &Connection, host: &str) -> DbResult<Option<HostSchedule>> {
    let pace = db
        .prepare_cached(
            "SELECT next_at, delay_ms, throttle_ms, paced_at, address FROM host WHERE name = ?",
        )?
        .query_row([host], |row| pace_from(row, 0))
        .optional()?;
    Ok(pace)
}

pub(super) fn keep_pace(db: &Connection, host: &str, pace: &HostSchedule) -> DbResult<()> {
    let id = host_id(db, host, &mut HashMap::new())?;
    db.prepare_cached(
        "UPDATE host SET next_at = ?, delay_ms = ?, throttle_ms = ?, paced_at = ?,
                         address = ifnull(?, address)
         WHERE id = ?",
    )?
    .execute((
        millis(pace.next_at),
        pace.delay_ms,
        pace.throttle_ms,
        millis(pace.stored_at),
        pace.address.map(|address| address.to_string()),
        id,
    ))?;
    Ok(())
}

pub(super) fn next_due(db: &Connection, run: RunId) -> DbResult<Option<Timestamp>> {
    let due: Option<i64> = db
        .prepare_cached(
            "SELECT min(max(rh.due_at, h.next_at))
             FROM run_host rh CROSS JOIN host h ON h.id = rh.host_id
             WHERE rh.run_id = ? AND rh.due_at IS NOT NULL AND h.lease_until = 0",
        )?
        .query_row([run.0], |row| row.get(0))?;
    Ok(due.map(moment))
}
