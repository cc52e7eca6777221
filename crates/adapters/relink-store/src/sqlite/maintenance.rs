//! Measures, prunes and shrinks the database.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_ports::{StoreError, StoreMaintenance, StoreSize};
use rusqlite::Connection;

use super::SqliteStore;
use super::error::DbResult;
use super::rows::millis;

#[async_trait]
impl StoreMaintenance for SqliteStore {
    async fn size(&self) -> Result<StoreSize, StoreError> {
        self.perform("reading the database size", size)
    }

    async fn prune(&self, before: Timestamp) -> Result<StoreSize, StoreError> {
        self.transact("pruning", |db| prune(db, before))?;
        self.perform("reading the database size", size)
    }

    async fn vacuum(&self) -> Result<(), StoreError> {
        self.perform("shrinking the database", vacuum)
    }
}

/// Returns the size of the file and the number of rows.
fn size(db: &Connection) -> DbResult<StoreSize> {
    let size = db.query_row(
        "SELECT (SELECT page_count FROM pragma_page_count)
                    * (SELECT page_size FROM pragma_page_size),
                (SELECT count(*) FROM run), (SELECT count(*) FROM target),
                (SELECT count(*) FROM probe)",
        (),
        |row| {
            let (bytes, runs) = (row.get(0)?, row.get(1)?);
            Ok(StoreSize { bytes, runs, targets: row.get(2)?, probes: row.get(3)? })
        },
    )?;
    Ok(size)
}

/// Deletes closed runs and old data.
fn prune(db: &Connection, before: Timestamp) -> DbResult<()> {
    for statement in PRUNE_STATEMENTS {
        db.execute(statement, [millis(before)])?;
    }
    Ok(())
}

/// Returns free space to the file system.
fn vacuum(db: &Connection) -> DbResult<()> {
    db.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")?;
    Ok(())
}

/// Statements that delete data older than `?1`. They do not delete the latest result of
/// each target, the probe that last reached the target, or the data of open runs. Runs
/// are deleted after the rows that refer to them.
const PRUNE_STATEMENTS: [&str; 13] = [
    "DELETE FROM link WHERE task_id IN (
         SELECT task.id FROM task JOIN run r ON r.id = task.run_id
         WHERE r.state <> 0 /* open */ AND r.closed_at < ?1)",
    "DELETE FROM task WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 /* open */ AND closed_at < ?1)",
    "DELETE FROM document WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 /* open */ AND closed_at < ?1)",
    "DELETE FROM run_host WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 /* open */ AND closed_at < ?1)",
    "DELETE FROM checkpoint WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 /* open */ AND closed_at < ?1)",
    // `IN … IS NOT TRUE` uses an index. `NOT IN` would read all tasks for every result,
    // to distinguish false from null.
    "DELETE FROM result WHERE checked_at < ?1
         AND ((target_id, generation) IN (SELECT target_id, generation FROM task)) IS NOT TRUE
         AND generation < (
             SELECT max(generation) FROM result newer WHERE newer.target_id = result.target_id)",
    "DELETE FROM probe WHERE requested_at < ?1
         AND run_id NOT IN (SELECT id FROM run WHERE state = 0 /* open */)
         AND id NOT IN (
             SELECT reached_probe FROM current_result WHERE reached_probe IS NOT NULL
             UNION SELECT result.reached_probe FROM task JOIN result
                 ON result.target_id = task.target_id AND result.generation = task.generation
             WHERE task.cached AND result.reached_probe IS NOT NULL)",
    "DELETE FROM run WHERE state <> 0 /* open */ AND closed_at < ?1",
    "DELETE FROM control WHERE requested_at < ?1",
    "DELETE FROM robots WHERE requested_at < ?1",
    "DELETE FROM anchors WHERE seen_at < ?1",
    "DELETE FROM search WHERE requested_at < ?1",
    // The ids of deleted probes may be reused. The new token reports this to readers of
    // probe ids. The condition is always true. Without it, this statement would lack the
    // parameter that all statements have.
    "UPDATE probe_id_epoch SET token = lower(hex(randomblob(16))) WHERE ?1 IS NOT NULL",
];
