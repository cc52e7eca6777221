//! Claims: hosts are leased, their errands handed out, hosts given back.
//!
//! Errands themselves are never marked as taken. The host's lease alone says
//! who may ask them, and the holder remembers how far it has come, so a killed
//! process leaves nothing to clean up but leases.

use std::collections::HashMap;

use jiff::Timestamp;
use relink_model::{Errand, ErrandId, RunId};
use relink_ports::{Claim, HostId, HostLease, HostPace, HostTally};
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::fault::Outcome;
use super::loading::host_id;
use super::rows::{errand, errand_columns, millis, moment, number};

/// A host that was just leased.
pub(super) struct LeasedHost {
    lease: HostLease,
    name: String,
    pace: HostPace,
}

impl LeasedHost {
    /// The claim on it, with errands that are due.
    pub(super) fn into_claim(
        self,
        db: &Connection,
        run: RunId,
        limit: usize,
        now: Timestamp,
    ) -> Outcome<Claim> {
        let start = (Timestamp::MIN, ErrandId(i64::MIN));
        let errands = due(db, run, self.lease, start, limit, now)?;
        Ok(Claim { lease: self.lease, name: self.name, pace: self.pace, errands })
    }
}

/// Leases hosts that have something due and are nobody's.
pub(super) fn lease(
    db: &Connection,
    run: RunId,
    hosts: usize,
    now: Timestamp,
    until: Timestamp,
) -> Outcome<Vec<LeasedHost>> {
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
                lease: HostLease { host: HostId(row.get(0)?), number: row.get(1)? },
                name: row.get(2)?,
                pace: pace_from(row, 3)?,
            })
        })?;
    Ok(leased.collect::<Result<_, _>>()?)
}

/// Errands that whoever holds this lease may ask now, after the last one
/// handed out; none if the lease is lost.
pub(super) fn due(
    db: &Connection,
    run: RunId,
    lease: HostLease,
    (after_time, after): (Timestamp, ErrandId),
    limit: usize,
    now: Timestamp,
) -> Outcome<Vec<Errand>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        errand_columns!(),
        " FROM errand e INDEXED BY errand_pending
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
            lease.number,
        ),
        |row| errand(db, row),
    )?;
    rows.collect()
}

pub(super) fn renew(db: &Connection, leases: &[HostLease], until: Timestamp) -> Outcome<()> {
    let mut statement = db.prepare_cached(
        "UPDATE host SET lease_until = ? WHERE id = ? AND lease_no = ? AND lease_until > 0",
    )?;
    for lease in leases {
        statement.execute((millis(until), lease.host.0, lease.number))?;
    }
    Ok(())
}

pub(super) fn release(
    db: &Connection,
    run: RunId,
    lease: HostLease,
    pace: &HostPace,
    tally: &HostTally,
) -> Outcome<()> {
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
            lease.number,
        ))?;
    if given_back > 0 {
        add_to_tally(db, run, lease.host, tally)?;
    }
    Ok(())
}

/// Adds what was done, and sets when the host's next errand falls due.
fn add_to_tally(db: &Connection, run: RunId, host: HostId, tally: &HostTally) -> Outcome<()> {
    db.prepare_cached(
        "UPDATE run_host SET
             asked = asked + ?3, answered = answered + ?4, throttled = throttled + ?5,
             busy_ms = busy_ms + ?6, waited_ms = waited_ms + ?7, controls = controls + ?8,
             due_at = (SELECT min(not_before) FROM errand
                       WHERE run_id = ?1 AND host_id = ?2 AND state = 0)
         WHERE run_id = ?1 AND host_id = ?2",
    )?
    .execute((
        run.0,
        host.0,
        tally.asked.cast_signed(),
        tally.answered.cast_signed(),
        tally.throttled.cast_signed(),
        tally.busy_ms.cast_signed(),
        tally.waited_ms.cast_signed(),
        tally.controls.cast_signed(),
    ))?;
    Ok(())
}

/// The pace in five columns of a row, from this one on.
fn pace_from(row: &Row<'_>, first: usize) -> rusqlite::Result<HostPace> {
    let address: Option<String> = row.get(first + 4)?;
    Ok(HostPace {
        next_at: moment(row.get(first)?),
        delay_ms: row.get(first + 1)?,
        throttle_ms: row.get(first + 2)?,
        stored_at: moment(row.get(first + 3)?),
        address: address.and_then(|address| address.parse().ok()),
    })
}

pub(super) fn pace(db: &Connection, host: &str) -> Outcome<Option<HostPace>> {
    let pace = db
        .prepare_cached(
            "SELECT next_at, delay_ms, throttle_ms, paced_at, address FROM host WHERE name = ?",
        )?
        .query_row([host], |row| pace_from(row, 0))
        .optional()?;
    Ok(pace)
}

pub(super) fn keep_pace(db: &Connection, host: &str, pace: &HostPace) -> Outcome<()> {
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

pub(super) fn next_due(db: &Connection, run: RunId) -> Outcome<Option<Timestamp>> {
    let due: Option<i64> = db
        .prepare_cached(
            "SELECT min(max(rh.due_at, h.next_at))
             FROM run_host rh CROSS JOIN host h ON h.id = rh.host_id
             WHERE rh.run_id = ? AND rh.due_at IS NOT NULL AND h.lease_until = 0",
        )?
        .query_row([run.0], |row| row.get(0))?;
    Ok(due.map(moment))
}
