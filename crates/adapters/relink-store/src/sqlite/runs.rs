//! Runs: opening, proving the network, counting, closing.

use jiff::Timestamp;
use relink_model::RunId;
use relink_ports::{HostStats, OpenRun, RunKey, RunProgress, RunState, RunStats};
use rusqlite::{Connection, OptionalExtension as _};

use super::error::DbResult;
use super::redaction;
use super::rows::{link_is_told, millis, moment, named, number, task_is_told, with_outcome};

const FINISHED: i64 = 1;
const VOID: i64 = 2;
const ABANDONED: i64 = 3;

/// No retry is scheduled further ahead than this, in milliseconds: the longest
/// back-off is eleven minutes.
const MAX_RETRY_WAIT_MS: i64 = 15 * 60 * 1000;

pub(super) fn open(
    db: &Connection,
    plan: &RunKey,
    fresh: bool,
    now: Timestamp,
) -> DbResult<OpenRun> {
    let identity = serde_json::to_string(&(&plan.command, &plan.inputs, &plan.scope))?;
    let identity = redaction::json(&identity)?;
    if fresh {
        abandon(db, &identity, now)?;
    }
    repair_host_times(db, now)?;
    let open = match unfinished(db, &identity)? {
        Some(open) => {
            repair_task_times(db, open.id, now)?;
            open
        }
        None => begin(db, plan, &identity, now)?,
    };
    next_generation(db, open.id)?;
    Ok(open)
}

/// Waits of hosts that were stored in the future begin now: the system clock has
/// moved back since, and how much time has really passed is unknown.
fn repair_host_times(db: &Connection, now: Timestamp) -> DbResult<()> {
    db.execute(
        "UPDATE host SET next_at = ?1 + max(next_at - paced_at, 0), paced_at = ?1
         WHERE paced_at > ?1",
        [millis(now)],
    )?;
    Ok(())
}

/// Retries that are further away than any retry can be are due now: the system
/// clock has moved back since they were scheduled.
fn repair_task_times(db: &Connection, run: RunId, now: Timestamp) -> DbResult<()> {
    let (now, limit) = (millis(now), millis(now).saturating_add(MAX_RETRY_WAIT_MS));
    db.execute(
        "UPDATE task SET not_before = ?1
         WHERE state = 0 AND run_id = ?2 AND not_before > ?3",
        (now, run.0, limit),
    )?;
    db.execute(
        "UPDATE run_host SET due_at = ?1 WHERE run_id = ?2 AND due_at > ?3",
        (now, run.0, limit),
    )?;
    Ok(())
}

/// What is found out from now on is newer than anything any run found out.
fn next_generation(db: &Connection, run: RunId) -> DbResult<()> {
    db.execute("UPDATE turn SET number = number + 1", ())?;
    db.execute("UPDATE run SET turn = (SELECT number FROM turn) WHERE id = ?", [run.0])?;
    Ok(())
}

/// The turn a run is in.
pub(super) fn generation(db: &Connection, run: RunId) -> DbResult<i64> {
    let mut turn = db.prepare_cached("SELECT turn FROM run WHERE id = ?")?;
    Ok(turn.query_row([run.0], |row| row.get(0))?)
}

fn unfinished(db: &Connection, identity: &str) -> DbResult<Option<OpenRun>> {
    let open = db.query_row(
        "SELECT id, started_at, network FROM run
         WHERE identity = ? AND state = 0 ORDER BY id DESC LIMIT 1",
        [identity],
        |row| {
            Ok(OpenRun {
                id: RunId(row.get(0)?),
                started: moment(row.get(1)?),
                is_resumed: true,
                network_confirmed: row.get(2)?,
            })
        },
    );
    Ok(open.optional()?)
}

fn abandon(db: &Connection, identity: &str, now: Timestamp) -> DbResult<()> {
    db.execute(
        "UPDATE run SET state = ?, closed_at = ? WHERE identity = ? AND state = 0",
        (ABANDONED, millis(now), identity),
    )?;
    Ok(())
}

fn begin(db: &Connection, plan: &RunKey, identity: &str, now: Timestamp) -> DbResult<OpenRun> {
    let inputs = serde_json::to_string(&plan.inputs)?;
    let inputs = redaction::json(&inputs)?;
    db.execute(
        "INSERT INTO run (identity, command, inputs, scope, started_at) VALUES (?, ?, ?, ?, ?)",
        (identity, &plan.command, inputs, redaction::text(&plan.scope), millis(now)),
    )?;
    let id = RunId(db.last_insert_rowid());
    Ok(OpenRun { id, started: now, is_resumed: false, network_confirmed: false })
}

pub(super) fn prove_network(db: &Connection, run: RunId) -> DbResult<()> {
    db.execute("UPDATE run SET network = 1 WHERE id = ?", [run.0])?;
    Ok(())
}

pub(super) fn close(db: &Connection, run: RunId, state: RunState, now: Timestamp) -> DbResult<()> {
    let state = match state {
        RunState::Open => return Ok(()),
        RunState::Finished => FINISHED,
        RunState::NoNetwork => VOID,
    };
    db.execute(
        "UPDATE run SET state = ?, closed_at = ? WHERE id = ?",
        (state, millis(now), run.0),
    )?;
    Ok(())
}

pub(super) fn progress(db: &Connection, run: RunId) -> DbResult<RunProgress> {
    // Counted in indexes alone.
    let mut statement = db.prepare_cached(
        "SELECT (SELECT count(*) FROM task WHERE run_id = ?1),
                (SELECT count(*) FROM task INDEXED BY task_pending
                 WHERE run_id = ?1 AND state = 0)
                + (SELECT count(*) FROM task INDEXED BY task_held
                   WHERE run_id = ?1 AND state = 1)",
    )?;
    let counted = statement.query_row([run.0], |row| {
        let (targets, waiting): (u64, u64) = (row.get(0)?, row.get(1)?);
        Ok(RunProgress { targets, checked: targets.saturating_sub(waiting) })
    });
    Ok(counted?)
}

pub(super) fn sources(db: &Connection, run: RunId) -> DbResult<RunStats> {
    let mut tally = db.query_row(
        "SELECT (SELECT count(*) FROM document WHERE run_id = ?1),
                (SELECT ifnull(sum(links), 0) FROM document WHERE run_id = ?1),
                (SELECT count(*) FROM run_host WHERE run_id = ?1 AND asked > 0)",
        [run.0],
        |row| {
            let (documents, links, hosts) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(RunStats { documents, links, hosts, ..RunStats::default() })
        },
    )?;
    let (hidden, instead) = hidden_links(db, run)?;
    tally.ignored = hidden;
    tally.links = u64::saturating_sub(tally.links, instead);
    Ok(tally)
}

pub(super) fn tally(db: &Connection, run: RunId) -> DbResult<RunStats> {
    let mut tally = sources(db, run)?;
    // Counted here: SQLite would sort the rows to group them.
    let mut statement = db.prepare(concat!(
        "SELECT o.word, e.cached FROM task e",
        with_outcome!(),
        "WHERE e.run_id = ? AND ",
        task_is_told!(),
    ))?;
    let mut rows = statement.query([run.0])?;
    let mut words: Vec<(String, u64)> = Vec::new();
    while let Some(row) = rows.next()? {
        tally.targets += 1;
        let Some(word) = row.get_ref(0)?.as_str_or_null().map_err(rusqlite::Error::from)? else {
            continue;
        };
        tally.checked += 1;
        tally.cached += u64::from(row.get::<_, bool>(1)?);
        match words.iter_mut().find(|(known, _)| known == word) {
            Some((_, count)) => *count += 1,
            None => words.push((word.to_owned(), 1)),
        }
    }
    for (word, count) in words {
        if let Some(word) = named(Some(word))? {
            tally.verdicts.insert(word, count);
        }
    }
    Ok(tally)
}

/// Links whose documents say to leave alone what was found; and how many of
/// them are told as ignored instead of checked. A missing place that is left
/// alone leaves its link to the page.
fn hidden_links(db: &Connection, run: RunId) -> DbResult<(u64, u64)> {
    let mut statement = db.prepare(concat!(
        "SELECT count(*), count(e.host_id) FROM link l INDEXED BY link_hidden
         CROSS JOIN task e ON e.id = l.task_id",
        with_outcome!(),
        "WHERE l.hidden IS NOT NULL AND e.run_id = ? AND NOT ",
        link_is_told!()
    ))?;
    Ok(statement.query_row([run.0], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

pub(super) fn hosts(db: &Connection, run: RunId, limit: usize) -> DbResult<Vec<HostStats>> {
    let mut statement = db.prepare(
        "SELECT h.name, rh.asked, rh.answered, rh.throttled, rh.busy_ms, rh.waited_ms,
                rh.controls
         FROM run_host rh JOIN host h ON h.id = rh.host_id
         WHERE rh.run_id = ? AND rh.asked > 0
         ORDER BY rh.asked DESC, h.name LIMIT ?",
    )?;
    let rows = statement.query_map((run.0, number(limit)), |row| {
        Ok(HostStats {
            name: row.get(0)?,
            requests: row.get(1)?,
            responses: row.get(2)?,
            throttled: row.get(3)?,
            request_ms: row.get(4)?,
            politeness_wait_ms: row.get(5)?,
            controls: row.get(6)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
