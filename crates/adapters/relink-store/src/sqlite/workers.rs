//! Reads the open runs and their queues. Only one process uses a database file, so there
//! are no other workers and no leased hosts.

use relink_model::RunId;
use relink_ports::{JoinableRun, OpenRun, QueueStatus, RunQueue, RunState, RunStatus};
use rusqlite::Connection;

use super::error::DbResult;
use super::rows::timestamp;
use crate::values::run_state;

/// Returns the open runs whose documents are all loaded.
pub(super) fn joinable_runs(db: &Connection) -> DbResult<Vec<JoinableRun>> {
    let mut statement = db.prepare_cached(
        "SELECT id, started_at, network_confirmed, generation, command FROM run
         WHERE state = 0 /* open */ AND NOT EXISTS (
             SELECT 1 FROM document WHERE run_id = run.id AND NOT loaded)
         ORDER BY id",
    )?;
    let rows = statement.query_map((), |row| {
        let run = OpenRun {
            id: RunId(row.get(0)?),
            started_at: timestamp(row.get(1)?),
            is_resumed: true,
            network_confirmed: row.get(2)?,
            generation: row.get(3)?,
        };
        Ok(JoinableRun { run, command: row.get(4)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the state of a run.
pub(super) fn run_status(db: &Connection, run: RunId) -> DbResult<RunStatus> {
    let mut statement = db.prepare_cached(
        "SELECT state, network_confirmed,
                NOT EXISTS (SELECT 1 FROM document WHERE run_id = run.id AND NOT loaded)
         FROM run WHERE id = ?",
    )?;
    let status = statement.query_row([run.0], |row| {
        let state = match row.get::<_, i64>(0)? {
            run_state::OPEN => RunState::Open,
            run_state::NO_NETWORK => RunState::NoNetwork,
            _ => RunState::Finished,
        };
        Ok(RunStatus { state, network_confirmed: row.get(1)?, is_loaded: row.get(2)? })
    })?;
    Ok(status)
}

/// Counts the tasks and hosts of all open runs.
pub(super) fn queue_status(db: &Connection) -> DbResult<QueueStatus> {
    let mut statement = db.prepare_cached(
        "SELECT r.id, r.command,
                (SELECT count(*) FROM task WHERE run_id = r.id AND state = 0 /* pending */),
                (SELECT count(*) FROM task WHERE run_id = r.id AND state = 1 /* held */),
                (SELECT count(*) FROM task WHERE run_id = r.id AND state = 2 /* finished */),
                (SELECT count(*) FROM run_host WHERE run_id = r.id AND due_at IS NOT NULL)
         FROM run r WHERE r.state = 0 /* open */ ORDER BY r.id DESC",
    )?;
    let rows = statement.query_map((), |row| {
        Ok(RunQueue {
            run: RunId(row.get(0)?),
            command: row.get(1)?,
            pending: row.get(2)?,
            held: row.get(3)?,
            checked: row.get(4)?,
            hosts: row.get(5)?,
            leased: 0,
        })
    })?;
    Ok(QueueStatus { runs: rows.collect::<Result<_, _>>()?, ..QueueStatus::default() })
}
