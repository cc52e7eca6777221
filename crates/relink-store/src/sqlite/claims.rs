//! Claims: hosts are leased, their errands handed out, hosts given back.
//!
//! Errands themselves are never marked as taken. The host's lease alone says
//! who may ask them, and the holder remembers how far it has come, so a killed
//! process leaves nothing to clean up but leases.

use jiff::Timestamp;
use relink_model::{Errand, ErrandId, RunId};
use relink_ports::{Claim, HostId, HostLease, HostPace, HostTally, StoreFault};
use sqlx::{Connection, SqliteConnection};

use super::SqliteStore;
use super::row_struct::row_struct;
use super::rows::{ErrandRow, errand_columns, millis, moment, to_json};

row_struct! {
    struct HostRow {
        id: i64,
        name: String,
        lease_no: i64,
        next_at: i64,
        delay_ms: i64,
        throttled: bool,
        address: Option<String>,
    }
}

impl HostRow {
    fn lease(&self) -> HostLease {
        HostLease {
            host: HostId(self.id),
            number: self.lease_no,
        }
    }

    fn into_claim(self, errands: Vec<Errand>) -> Claim {
        Claim {
            lease: self.lease(),
            name: self.name,
            pace: HostPace {
                next_at: moment(self.next_at),
                delay_ms: u32::try_from(self.delay_ms).unwrap_or(0),
                is_throttled: self.throttled,
                address: self.address.and_then(|address| address.parse().ok()),
            },
            errands,
        }
    }
}

impl SqliteStore {
    pub(super) async fn claim(
        &self,
        run: RunId,
        hosts: usize,
        errands: usize,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Claim>, StoreFault> {
        let doing = self.fault("claiming hosts");
        let mut connection = self.connection().await;
        let mut transaction = connection.begin().await.map_err(&doing)?;
        let leased = lease_hosts(&mut transaction, run, hosts, now, until)
            .await
            .map_err(&doing)?;
        let mut claims = Vec::with_capacity(leased.len());
        for host in leased {
            let start = (Timestamp::MIN, ErrandId(i64::MIN));
            let due = due_errands(&mut transaction, run, host.lease(), start, errands, now);
            let rows = due.await.map_err(&doing)?;
            let errands = rows
                .into_iter()
                .map(ErrandRow::into_errand)
                .collect::<Result<_, _>>()?;
            claims.push(host.into_claim(errands));
        }
        transaction.commit().await.map_err(&doing)?;
        Ok(claims)
    }

    pub(super) async fn refill(
        &self,
        run: RunId,
        lease: HostLease,
        after: (Timestamp, ErrandId),
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Errand>, StoreFault> {
        let mut connection = self.connection().await;
        let rows = due_errands(&mut connection, run, lease, after, limit, now)
            .await
            .map_err(self.fault("fetching errands"))?;
        rows.into_iter().map(ErrandRow::into_errand).collect()
    }

    pub(super) async fn renew(
        &self,
        leases: &[HostLease],
        until: Timestamp,
    ) -> Result<(), StoreFault> {
        let held: Vec<(i64, i64)> = leases
            .iter()
            .map(|lease| (lease.host.0, lease.number))
            .collect();
        sqlx::query(
            "UPDATE host SET lease_until = ?1 FROM json_each(?2) j
             WHERE host.id = j.value ->> 0 AND lease_no = j.value ->> 1 AND lease_until > 0",
        )
        .bind(millis(until))
        .bind(to_json(&held)?)
        .execute(&mut *self.connection().await)
        .await
        .map_err(self.fault("renewing leases"))?;
        Ok(())
    }

    pub(super) async fn release(
        &self,
        run: RunId,
        lease: HostLease,
        pace: &HostPace,
        tally: &HostTally,
    ) -> Result<(), StoreFault> {
        let doing = self.fault("giving a host back");
        let mut connection = self.connection().await;
        let mut transaction = connection.begin().await.map_err(&doing)?;
        let given_back = give_back(&mut transaction, lease, pace)
            .await
            .map_err(&doing)?;
        if given_back {
            add_to_tally(&mut transaction, run, lease.host, tally)
                .await
                .map_err(&doing)?;
        }
        transaction.commit().await.map_err(&doing)
    }

    pub(super) async fn next_due(&self, run: RunId) -> Result<Option<Timestamp>, StoreFault> {
        let (due,): (Option<i64>,) = sqlx::query_as(
            "SELECT min(max(rh.due_at, h.next_at))
             FROM run_host rh CROSS JOIN host h ON h.id = rh.host_id
             WHERE rh.run_id = ? AND rh.due_at IS NOT NULL AND h.lease_until = 0",
        )
        .bind(run.0)
        .fetch_one(&mut *self.connection().await)
        .await
        .map_err(self.fault("looking for due errands"))?;
        Ok(due.map(moment))
    }
}

async fn lease_hosts(
    connection: &mut SqliteConnection,
    run: RunId,
    hosts: usize,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<HostRow>, sqlx::Error> {
    sqlx::query_as(
        "UPDATE host SET lease_until = ?1, lease_no = lease_no + 1
         WHERE id IN (
             SELECT h.id FROM run_host rh CROSS JOIN host h ON h.id = rh.host_id
             WHERE rh.run_id = ?2 AND rh.due_at <= ?3
               AND h.next_at <= ?3 AND h.lease_until <= ?3
             ORDER BY rh.due_at LIMIT ?4)
         RETURNING id, name, lease_no, next_at, delay_ms, throttled, address",
    )
    .bind(millis(until))
    .bind(run.0)
    .bind(millis(now))
    .bind(i64::try_from(hosts).unwrap_or(i64::MAX))
    .fetch_all(connection)
    .await
}

/// Errands that whoever holds this lease may ask now; none if it is lost.
async fn due_errands(
    connection: &mut SqliteConnection,
    run: RunId,
    lease: HostLease,
    (after_time, after): (Timestamp, ErrandId),
    limit: usize,
    now: Timestamp,
) -> Result<Vec<ErrandRow>, sqlx::Error> {
    sqlx::query_as(concat!(
        "SELECT ",
        errand_columns!(),
        " FROM errand e INDEXED BY errand_pending
          CROSS JOIN target t ON t.id = e.target_id
          LEFT JOIN probe p ON p.id = t.reached_probe
          WHERE e.state = 0 AND e.run_id = ?1 AND e.host_id = ?2 AND e.not_before <= ?3
            AND (e.not_before, e.id) > (?4, ?5)
            AND EXISTS (SELECT 1 FROM host WHERE id = ?2 AND lease_no = ?7)
          ORDER BY e.not_before, e.id LIMIT ?6"
    ))
    .bind(run.0)
    .bind(lease.host.0)
    .bind(millis(now))
    .bind(millis(after_time))
    .bind(after.0)
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .bind(lease.number)
    .fetch_all(connection)
    .await
}

/// Whether the lease was still ours.
async fn give_back(
    connection: &mut SqliteConnection,
    lease: HostLease,
    pace: &HostPace,
) -> Result<bool, sqlx::Error> {
    let changed = sqlx::query(
        "UPDATE host SET lease_until = 0, next_at = max(next_at, ?1), delay_ms = ?2,
                         throttled = ?3, address = ifnull(?4, address)
         WHERE id = ?5 AND lease_no = ?6",
    )
    .bind(millis(pace.next_at))
    .bind(pace.delay_ms)
    .bind(pace.is_throttled)
    .bind(pace.address.map(|address| address.to_string()))
    .bind(lease.host.0)
    .bind(lease.number)
    .execute(connection)
    .await?;
    Ok(changed.rows_affected() > 0)
}

/// Adds what was done, and sets when the host's next errand falls due.
async fn add_to_tally(
    connection: &mut SqliteConnection,
    run: RunId,
    host: HostId,
    tally: &HostTally,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE run_host SET
             asked = asked + ?3, answered = answered + ?4, throttled = throttled + ?5,
             busy_ms = busy_ms + ?6, waited_ms = waited_ms + ?7,
             due_at = (SELECT min(not_before) FROM errand
                       WHERE run_id = ?1 AND host_id = ?2 AND state = 0)
         WHERE run_id = ?1 AND host_id = ?2",
    )
    .bind(run.0)
    .bind(host.0)
    .bind(tally.asked.cast_signed())
    .bind(tally.answered.cast_signed())
    .bind(tally.throttled.cast_signed())
    .bind(tally.busy_ms.cast_signed())
    .bind(tally.waited_ms.cast_signed())
    .execute(connection)
    .await?;
    Ok(())
}
