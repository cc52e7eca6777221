//! Measures, prunes and shrinks the database.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_ports::{StoreError, StoreMaintenance, StoreSize};

use super::error::DbResult;
use super::rows::{count, millis};
use super::session::Db;
use super::{PostgresStore, perform, transact};

#[async_trait]
impl StoreMaintenance for PostgresStore {
    async fn size(&self) -> Result<StoreSize, StoreError> {
        perform!(self, "reading the database size", |db| size(db))
    }

    async fn prune(&self, before: Timestamp) -> Result<StoreSize, StoreError> {
        transact!(self, "pruning", |db| prune(db, before))?;
        perform!(self, "reading the database size", |db| size(db))
    }

    async fn vacuum(&self) -> Result<(), StoreError> {
        perform!(self, "shrinking the database", |db| vacuum(db))
    }
}

/// Returns the size of the tables and the number of rows.
async fn size(db: &Db<'_>) -> DbResult<StoreSize> {
    let row = db
        .query_one(
            "SELECT (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
                     FROM pg_class c
                     WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace),
                    (SELECT count(*) FROM run), (SELECT count(*) FROM target),
                    (SELECT count(*) FROM probe)",
            &[],
        )
        .await?;
    Ok(StoreSize {
        bytes: count(&row, 0),
        runs: count(&row, 1),
        targets: count(&row, 2),
        probes: count(&row, 3),
    })
}

/// Deletes closed runs and data older than `before`. Changes the token that reports to
/// readers that probe ids may be reused.
async fn prune(db: &Db<'_>, before: Timestamp) -> DbResult<()> {
    for statement in PRUNE_STATEMENTS {
        db.execute(statement, &[&millis(before)]).await?;
    }
    db.execute("UPDATE probe_id_epoch SET token = gen_random_uuid()::text", &[]).await?;
    Ok(())
}

/// Returns free space to the operating system.
async fn vacuum(db: &Db<'_>) -> DbResult<()> {
    let tables = db
        .query(
            "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = current_schema()",
            &[],
        )
        .await?;
    for table in tables {
        let table: &str = table.get(0);
        db.batch(&format!("VACUUM (FULL, ANALYZE) {table}")).await?;
    }
    Ok(())
}

/// Statements that delete data older than `$1`. They do not delete the latest result of
/// each target, the probe that last reached the target, or the data of open runs. Runs
/// are deleted after the rows that refer to them.
const PRUNE_STATEMENTS: [&str; 14] = [
    "DELETE FROM address_lease WHERE lease_until < $1",
    "DELETE FROM link WHERE task_id IN (
         SELECT task.id FROM task JOIN run r ON r.id = task.run_id
         WHERE r.state <> 0 /* open */ AND r.closed_at < $1)",
    "DELETE FROM task WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 /* open */ AND closed_at < $1)",
    "DELETE FROM document WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 /* open */ AND closed_at < $1)",
    "DELETE FROM run_host WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 /* open */ AND closed_at < $1)",
    "DELETE FROM checkpoint WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 /* open */ AND closed_at < $1)",
    "DELETE FROM result WHERE checked_at < $1
         AND NOT EXISTS (SELECT 1 FROM task WHERE task.target_id = result.target_id
                         AND task.generation = result.generation)
         AND generation < (
             SELECT max(generation) FROM result newer WHERE newer.target_id = result.target_id)",
    "DELETE FROM probe WHERE requested_at < $1
         AND NOT EXISTS (SELECT 1 FROM run WHERE run.id = probe.run_id AND state = 0 /* open */)
         AND NOT EXISTS (SELECT 1 FROM current_result r
                         WHERE r.id = probe.target_id AND r.reached_probe = probe.id)
         AND NOT EXISTS (SELECT 1 FROM result JOIN task
                             ON result.target_id = task.target_id
                             AND result.generation = task.generation
                         WHERE task.cached AND result.target_id = probe.target_id
                           AND result.reached_probe = probe.id)",
    "DELETE FROM run WHERE state <> 0 /* open */ AND closed_at < $1",
    "DELETE FROM control WHERE requested_at < $1",
    "DELETE FROM robots WHERE requested_at < $1",
    "DELETE FROM anchors WHERE seen_at < $1",
    "DELETE FROM search WHERE requested_at < $1",
    "DELETE FROM worker WHERE seen_at < $1
         AND NOT EXISTS (SELECT 1 FROM host WHERE host.worker_id = worker.id)",
];
