//! Upkeep: how much there is, and giving room back.

use jiff::Timestamp;
use relink_ports::{StoreFault, StoreSize};

use super::SqliteStore;
use super::rows::millis;
use super::runs::count;

impl SqliteStore {
    pub(super) async fn size(&self) -> Result<StoreSize, StoreFault> {
        let (pages, page_size, runs, targets, probes): (i64, i64, i64, i64, i64) = sqlx::query_as(
            "SELECT (SELECT page_count FROM pragma_page_count),
                    (SELECT page_size FROM pragma_page_size),
                    (SELECT count(*) FROM run), (SELECT count(*) FROM target),
                    (SELECT count(*) FROM probe)",
        )
        .fetch_one(&mut *self.connection().await)
        .await
        .map_err(self.fault("measuring the database"))?;
        Ok(StoreSize {
            bytes: count(pages) * count(page_size),
            runs: count(runs),
            targets: count(targets),
            probes: count(probes),
        })
    }

    pub(super) async fn prune(&self, before: Timestamp) -> Result<StoreSize, StoreFault> {
        {
            let mut connection = self.connection().await;
            for statement in PRUNE {
                sqlx::query(statement)
                    .bind(millis(before))
                    .execute(&mut *connection)
                    .await
                    .map_err(self.fault("pruning"))?;
            }
        }
        self.size().await
    }

    pub(super) async fn vacuum(&self) -> Result<(), StoreFault> {
        sqlx::raw_sql("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
            .execute(&mut *self.connection().await)
            .await
            .map_err(self.fault("giving room back"))?;
        Ok(())
    }
}

/// From the leaves to the root, so that an interruption leaves nothing
/// dangling. A target's state and the probe that last reached it always stay.
const PRUNE: [&str; 6] = [
    "DELETE FROM link WHERE document_id IN (
         SELECT d.id FROM document d JOIN run r ON r.id = d.run_id
         WHERE r.state <> 0 AND r.closed_at < ?1)",
    "DELETE FROM errand WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 AND closed_at < ?1)",
    "DELETE FROM document WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 AND closed_at < ?1)",
    "DELETE FROM run_host WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 AND closed_at < ?1)",
    "DELETE FROM probe WHERE asked_at < ?1
         AND run_id NOT IN (SELECT id FROM run WHERE state = 0)
         AND id NOT IN (SELECT reached_probe FROM target WHERE reached_probe IS NOT NULL)",
    "DELETE FROM run WHERE state <> 0 AND closed_at < ?1",
];
