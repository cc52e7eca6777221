//! Upkeep: how much there is, and giving room back.

use jiff::Timestamp;
use relink_ports::StoreSize;
use rusqlite::Connection;

use super::error::DbResult;
use super::rows::millis;

pub(super) fn size(db: &Connection) -> DbResult<StoreSize> {
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

pub(super) fn prune(db: &Connection, before: Timestamp) -> DbResult<()> {
    for statement in PRUNE {
        db.execute(statement, [millis(before)])?;
    }
    Ok(())
}

pub(super) fn vacuum(db: &Connection) -> DbResult<()> {
    db.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")?;
    Ok(())
}

/// A target's state and the probe that last reached it always stay.
const PRUNE: [&str; 13] = [
    "DELETE FROM link WHERE task_id IN (
         SELECT e.id FROM task e JOIN run r ON r.id = e.run_id
         WHERE r.state <> 0 AND r.closed_at < ?1)",
    "DELETE FROM task WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 AND closed_at < ?1)",
    "DELETE FROM document WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 AND closed_at < ?1)",
    "DELETE FROM run_host WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 AND closed_at < ?1)",
    "DELETE FROM note WHERE run_id IN (
         SELECT id FROM run WHERE state <> 0 AND closed_at < ?1)",
    // Not `NOT IN`: to tell no from unknown, that would read all tasks for
    // every outcome.
    "DELETE FROM outcome WHERE settled_at < ?1
         AND ((target_id, turn) IN (SELECT target_id, turn FROM task)) IS NOT TRUE
         AND turn < (SELECT max(turn) FROM outcome n WHERE n.target_id = outcome.target_id)",
    "DELETE FROM probe WHERE asked_at < ?1
         AND run_id NOT IN (SELECT id FROM run WHERE state = 0)
         AND id NOT IN (
             SELECT reached_probe FROM standing WHERE reached_probe IS NOT NULL
             UNION SELECT o.reached_probe FROM task e JOIN outcome o
                 ON o.target_id = e.target_id AND o.turn = e.turn
             WHERE e.cached AND o.reached_probe IS NOT NULL)",
    "DELETE FROM run WHERE state <> 0 AND closed_at < ?1",
    "DELETE FROM control WHERE asked_at < ?1",
    "DELETE FROM robots WHERE asked_at < ?1",
    "DELETE FROM anchors WHERE seen_at < ?1",
    "DELETE FROM search WHERE asked_at < ?1",
    // The numbers of probes that are gone may be given again.
    "UPDATE edition SET word = lower(hex(randomblob(16))) WHERE ?1 IS NOT NULL",
];
