//! Dossiers: all that is remembered of one target, over all runs.
//!
//! Nobody asks for many of them, so nothing is indexed for their sake: tasks
//! are found by way of the runs, which are few, and probes each from the next.

use jiff::Timestamp;
use relink_model::{Probe, TaskId, Verdict};
use relink_ports::TargetRecord;
use rusqlite::{Connection, OptionalExtension as _};

use super::error::DbResult;
use super::results;
use super::rows::{moment, named, number, probe_of_task, with_outcome};

/// Runs that are told of; only the last ones if there are more.
const RUNS: usize = 1000;

pub(super) fn dossier(db: &Connection, url: &str) -> DbResult<Option<TargetRecord>> {
    let target: Option<i64> = db
        .prepare_cached("SELECT id FROM target WHERE url = ?")?
        .query_row([url], |row| row.get(0))
        .optional()?;
    let Some(target) = target else { return Ok(None) };
    let runs = settled_runs(db, target)?;
    let mut dossier = TargetRecord {
        url: url.to_owned(),
        latest: None,
        past_verdicts: runs.iter().rev().map(|run| (run.at, run.verdict)).collect(),
        probes: Vec::new(),
    };
    if let Some(latest) = runs.first() {
        dossier.latest = results::settled_one(db, latest.task)?;
        dossier.probes = probes(db, latest.task)?;
    }
    Ok(Some(dossier))
}

/// How a target was settled in one run.
struct SettledRun {
    task: TaskId,
    at: Timestamp,
    verdict: Verdict,
}

/// The runs that settled a target, the latest first. An answer from memory
/// bears the moment of the run that asked, which comes before it because it
/// has more to tell.
fn settled_runs(db: &Connection, target: i64) -> DbResult<Vec<SettledRun>> {
    let mut statement = db.prepare_cached(
        "SELECT e.id, o.settled_at, o.word
         FROM run r CROSS JOIN task e ON e.run_id = r.id AND e.target_id = ?1
         CROSS JOIN outcome o ON o.target_id = e.target_id AND o.turn = e.turn
         WHERE e.state = 2
         ORDER BY o.settled_at DESC, e.cached, e.id DESC LIMIT ?2",
    )?;
    let rows = statement.query_and_then((target, number(RUNS)), |row| {
        DbResult::Ok(SettledRun {
            task: TaskId(row.get(0)?),
            at: moment(row.get(1)?),
            verdict: named(row.get(2)?)?.unwrap_or(Verdict::Alive),
        })
    })?;
    rows.collect()
}

/// The probes a task rests on, oldest first. One that was forgotten ends
/// the row: its number is not given again while a later probe is kept.
fn probes(db: &Connection, task: TaskId) -> DbResult<Vec<Probe>> {
    let mut statement = db.prepare_cached(concat!(
        "WITH RECURSIVE seen (id, prior, detail) AS (
             SELECT p.id, p.prior, p.detail
             FROM task e",
        with_outcome!(),
        "JOIN probe p ON ",
        probe_of_task!(),
        "    WHERE e.id = ?
             UNION ALL
             SELECT p.id, p.prior, p.detail FROM seen s JOIN probe p ON p.id = s.prior)
         SELECT detail FROM seen ORDER BY id"
    ))?;
    let rows = statement.query_and_then([task.0], |row| {
        let detail: String = row.get(0)?;
        DbResult::Ok(serde_json::from_str(&detail)?)
    })?;
    rows.collect()
}
