//! The processes that use the store: their ids, and the runs they have opened.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use jiff::Timestamp;
use relink_model::RunId;
use relink_ports::{
    JoinableRun, OpenRun, QueueStatus, RunKey, RunQueue, RunState, RunStatus, StoreError,
    WorkerStatus,
};
use tokio_postgres::Row;

use super::connection::lock_run;
use super::error::{DbError, DbResult};
use super::rows::{count, timestamp};
use super::session::Db;
use super::{PostgresStore, perform, runs, transact};
use crate::values::run_state;

/// Workers that were seen before this number of milliseconds are not listed.
const MAX_WORKER_AGE_MS: i64 = 24 * 60 * 60 * 1000;

/// The distance between the first buckets (groups of hosts) of two successive workers. It has no
/// common factor with the number of buckets, 64, so that 64 workers start in different buckets.
const BUCKET_STEP: i64 = 7;

impl PostgresStore {
    /// Returns the id of this process in the table of workers, or zero if it
    /// has none yet.
    pub(super) fn worker_id(&self) -> i64 {
        self.worker.load(Ordering::Relaxed)
    }

    /// Returns the id of this process, adding it to the table of workers if
    /// necessary.
    pub(super) async fn register_worker(&self) -> Result<i64, StoreError> {
        let known = self.worker_id();
        if known > 0 {
            return Ok(known);
        }
        let id = transact!(self, "registering the worker", |db| insert_worker(db))?;
        self.worker.store(id, Ordering::Relaxed);
        // The bucket numbers are taken modulo the number of buckets.
        self.next_bucket.store(id * BUCKET_STEP, Ordering::Relaxed);
        Ok(id)
    }

    /// Records that this process is alive, and its number of results.
    pub(super) async fn record_heartbeat(&self) -> Result<(), StoreError> {
        let (id, results) = (self.register_worker().await?, self.results.load(Ordering::Relaxed));
        perform!(self, "renewing leases", |db| db.execute(
            "UPDATE worker SET
                 rate = ($2 - results) * 60000 / greatest(clock.now - seen_at, 1),
                 results = $2, seen_at = clock.now
             FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now) AS clock
             WHERE id = $1",
            &[&id, &results]
        ))?;
        Ok(())
    }

    /// Removes this process from the table of workers, so that only processes that run, or
    /// that were killed, are listed. Does nothing if the process still leases a host.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be reached.
    pub async fn end_worker(&self) -> Result<(), StoreError> {
        let id = self.worker_id();
        if id == 0 {
            return Ok(());
        }
        perform!(self, "removing the worker", |db| db.execute(
            "DELETE FROM worker WHERE id = $1
             AND NOT EXISTS (SELECT 1 FROM host WHERE host.worker_id = $1)",
            &[&id]
        ))?;
        Ok(())
    }

    /// Opens or resumes a run for this process. Fails if another process has
    /// opened it.
    pub(super) async fn open_owned_run(
        &self,
        key: &RunKey,
        fresh: bool,
        now: Timestamp,
    ) -> Result<OpenRun, StoreError> {
        self.register_worker().await?;
        let clock = self.update_clock().await?;
        let owned = self.owned_runs();
        let run = transact!(self, "opening a run", |db| async {
            let run = runs::open(db, clock, key, fresh, now).await?;
            // A second lock of the same run by this process would succeed, but is not needed.
            let is_ours = owned.contains(&run.id.0) || lock_run(db, run.id.0).await?;
            if is_ours { Ok(run) } else { Err(DbError::RunInUse) }
        })?;
        if !owned.contains(&run.id.0) {
            let mut owned = self.owned_runs.lock().unwrap_or_else(PoisonError::into_inner);
            owned.push(run.id.0);
        }
        Ok(run)
    }
}

/// Adds this process to the table of workers and returns its id.
async fn insert_worker(db: &Db<'_>) -> DbResult<i64> {
    let row = db
        .query_one(
            "WITH clock AS (
                 SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now)
             INSERT INTO worker (name, started_at, seen_at)
             SELECT $1, now, now FROM clock RETURNING id",
            &[&worker_name()],
        )
        .await?;
    Ok(row.get(0))
}

/// Returns the name of this process: host name and process id.
fn worker_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| std::env::var("HOSTNAME"))
        .unwrap_or_else(|_| "localhost".to_owned());
    format!("{}:{}", host.trim(), std::process::id())
}

/// Returns the open runs without a document that is only partly loaded.
pub(super) async fn joinable_runs(db: &Db<'_>) -> DbResult<Vec<JoinableRun>> {
    let rows = db
        .query(
            "SELECT id, started_at, network_confirmed, generation, command FROM run
             WHERE state = 0 /* open */ AND NOT EXISTS (
                 SELECT 1 FROM document WHERE run_id = run.id AND NOT loaded)
             ORDER BY id",
            &[],
        )
        .await?;
    let joinable = |row: &Row| JoinableRun {
        run: OpenRun {
            id: RunId(row.get(0)),
            started_at: timestamp(row.get(1)),
            is_resumed: true,
            network_confirmed: row.get(2),
            generation: row.get(3),
        },
        command: row.get(4),
    };
    Ok(rows.iter().map(joinable).collect())
}

/// Returns the state of a run.
pub(super) async fn run_status(db: &Db<'_>, run: RunId) -> DbResult<RunStatus> {
    let row = db
        .query_opt("SELECT state, loaded, network_confirmed FROM run WHERE id = $1", &[&run.0])
        .await?;
    // A run is deleted only after its end, so a missing run has ended.
    let Some(row) = row else {
        let (is_loaded, network_confirmed) = (true, false);
        return Ok(RunStatus { state: RunState::Finished, is_loaded, network_confirmed });
    };
    let state = match row.get::<_, i64>(0) {
        run_state::OPEN => RunState::Open,
        run_state::NO_NETWORK => RunState::NoNetwork,
        // Other processes must not continue finished and abandoned runs.
        _ => RunState::Finished,
    };
    Ok(RunStatus { state, is_loaded: row.get(1), network_confirmed: row.get(2) })
}

/// Returns the workers of the last day, and the tasks and hosts of all open
/// runs.
pub(super) async fn queue_status(db: &Db<'_>) -> DbResult<QueueStatus> {
    let now = db.query_one("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint", &[]);
    let now: i64 = now.await?.get(0);
    let workers = db
        .query(
            "SELECT w.id, w.name, w.started_at, w.seen_at, w.results, w.rate,
                    (SELECT count(*) FROM host
                     WHERE worker_id = w.id AND lease_until > $1)
             FROM worker w WHERE w.seen_at > $2 ORDER BY w.id DESC",
            &[&now, &(now - MAX_WORKER_AGE_MS)],
        )
        .await?;
    let runs = db
        .query(
            "SELECT r.id, r.command,
                    (SELECT count(*) FROM task WHERE run_id = r.id AND state = 0 /* pending */),
                    (SELECT count(*) FROM task WHERE run_id = r.id AND state = 1 /* held */),
                    (SELECT count(*) FROM task WHERE run_id = r.id AND state = 2 /* finished */),
                    hosts.due, hosts.leased
             FROM run r CROSS JOIN LATERAL (
                 SELECT count(*) AS due, count(*) FILTER (WHERE h.lease_until > $1) AS leased
                 FROM run_host rh JOIN host h ON h.id = rh.host_id
                 WHERE rh.run_id = r.id AND rh.due_at IS NOT NULL) AS hosts
             WHERE r.state = 0 /* open */ ORDER BY r.id DESC",
            &[&now],
        )
        .await?;
    Ok(QueueStatus {
        now: timestamp(now),
        workers: workers.iter().map(worker_row).collect(),
        runs: runs.iter().map(queue_row).collect(),
    })
}

/// Converts a row of the database to a worker.
fn worker_row(row: &Row) -> WorkerStatus {
    WorkerStatus {
        id: row.get(0),
        name: row.get(1),
        started_at: timestamp(row.get(2)),
        seen_at: timestamp(row.get(3)),
        results: count(row, 4),
        rate: count(row, 5),
        leases: count(row, 6),
    }
}

/// Converts a row of the database to the queue of a run.
fn queue_row(row: &Row) -> RunQueue {
    RunQueue {
        run: RunId(row.get(0)),
        command: row.get(1),
        pending: count(row, 2),
        held: count(row, 3),
        checked: count(row, 4),
        hosts: count(row, 5),
        leased: count(row, 6),
    }
}
