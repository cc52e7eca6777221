//! Opens, resumes and closes runs, and reads their statistics. The generation is a
//! counter that grows when a run starts or resumes. A larger generation is later.

use jiff::Timestamp;
use relink_model::RunId;
use relink_ports::{HostStats, OpenRun, RunKey, RunProgress, RunState, RunStats};
use rusqlite::{Connection, OptionalExtension as _};

use super::error::DbResult;
use super::redaction;
use super::rows::{
    join_result, link_is_reported, millis, parse_name, task_is_reported, timestamp, to_i64,
};
use crate::values::run_state;

/// An upper bound of the delay of a retry in milliseconds. The longest backoff is 11
/// minutes.
const MAX_RETRY_WAIT_MS: i64 = 15 * 60 * 1000;

/// Resumes the unfinished run with this key, or starts a run. If `fresh` is set, an unfinished run
/// is abandoned first.
pub(super) fn open(
    db: &Connection,
    key: &RunKey,
    fresh: bool,
    now: Timestamp,
) -> DbResult<OpenRun> {
    let identity = serde_json::to_string(&(&key.command, &key.inputs, &key.scope))?;
    let identity = redaction::json(&identity)?;
    if fresh {
        abandon(db, &identity, now)?;
    }
    repair_host_times(db, now)?;
    let open = match find_unfinished(db, &identity)? {
        Some(open) => {
            repair_task_times(db, open.id, now)?;
            open
        }
        None => insert_run(db, key, &identity, now)?,
    };
    start_generation(db, open.id)?;
    Ok(OpenRun { generation: generation(db, open.id)?, ..open })
}

/// Corrects the schedules of hosts after the clock was set back. If the time at which a wait
/// was stored is in the future, the elapsed part of the wait is unknown. Then the whole wait
/// starts again now.
fn repair_host_times(db: &Connection, now: Timestamp) -> DbResult<()> {
    db.execute(
        "UPDATE host SET next_at = ?1 + max(next_at - schedule_at, 0), schedule_at = ?1
         WHERE schedule_at > ?1",
        [millis(now)],
    )?;
    Ok(())
}

/// Makes retries due now if they are more than [`MAX_RETRY_WAIT_MS`] in the future. The
/// system clock was set back after such retries were scheduled.
fn repair_task_times(db: &Connection, run: RunId, now: Timestamp) -> DbResult<()> {
    let (now, limit) = (millis(now), millis(now).saturating_add(MAX_RETRY_WAIT_MS));
    db.execute(
        "UPDATE task SET not_before = ?1
         WHERE state = 0 /* pending */ AND run_id = ?2 AND not_before > ?3",
        (now, run.0, limit),
    )?;
    db.execute(
        "UPDATE run_host SET due_at = ?1 WHERE run_id = ?2 AND due_at > ?3",
        (now, run.0, limit),
    )?;
    Ok(())
}

/// Starts a new generation for the run, so that its next results are later than all
/// stored results.
fn start_generation(db: &Connection, run: RunId) -> DbResult<()> {
    db.execute("UPDATE generation SET latest = latest + 1", ())?;
    db.execute(
        "UPDATE run SET generation = (SELECT latest FROM generation) WHERE id = ?",
        [run.0],
    )?;
    Ok(())
}

/// Returns the current generation of a run.
pub(super) fn generation(db: &Connection, run: RunId) -> DbResult<i64> {
    let mut statement = db.prepare_cached("SELECT generation FROM run WHERE id = ?")?;
    Ok(statement.query_row([run.0], |row| row.get(0))?)
}

/// Returns the open run with this identity. The caller sets its generation.
fn find_unfinished(db: &Connection, identity: &str) -> DbResult<Option<OpenRun>> {
    let open = db.query_row(
        "SELECT id, started_at, network_confirmed FROM run
         WHERE identity = ? AND state = 0 /* open */ ORDER BY id DESC LIMIT 1",
        [identity],
        |row| {
            Ok(OpenRun {
                id: RunId(row.get(0)?),
                started_at: timestamp(row.get(1)?),
                is_resumed: true,
                network_confirmed: row.get(2)?,
                generation: 0,
            })
        },
    );
    Ok(open.optional()?)
}

/// Closes the open runs with this identity.
fn abandon(db: &Connection, identity: &str, now: Timestamp) -> DbResult<()> {
    db.execute(
        "UPDATE run SET state = ?, closed_at = ? WHERE identity = ? AND state = 0 /* open */",
        (run_state::ABANDONED, millis(now), identity),
    )?;
    Ok(())
}

/// Inserts an open run. The caller sets its generation.
fn insert_run(db: &Connection, key: &RunKey, identity: &str, now: Timestamp) -> DbResult<OpenRun> {
    let inputs = serde_json::to_string(&key.inputs)?;
    let inputs = redaction::json(&inputs)?;
    db.execute(
        "INSERT INTO run (identity, command, inputs, scope, started_at) VALUES (?, ?, ?, ?, ?)",
        (identity, &key.command, inputs, redaction::text(&key.scope), millis(now)),
    )?;
    let id = RunId(db.last_insert_rowid());
    Ok(OpenRun { id, started_at: now, is_resumed: false, network_confirmed: false, generation: 0 })
}

/// Records that a host has responded. From then on, network failures are failures of the
/// requested hosts, not of the own network.
pub(super) fn confirm_network(db: &Connection, run: RunId) -> DbResult<()> {
    db.execute("UPDATE run SET network_confirmed = 1 WHERE id = ?", [run.0])?;
    Ok(())
}

/// Closes a run in this state. Does nothing if the state is [`RunState::Open`], because an
/// interrupted run stays open and can be resumed.
pub(super) fn close(db: &Connection, run: RunId, state: RunState, now: Timestamp) -> DbResult<()> {
    let state = match state {
        RunState::Open => return Ok(()),
        RunState::Finished => run_state::FINISHED,
        RunState::NoNetwork => run_state::NO_NETWORK,
    };
    db.execute(
        "UPDATE run SET state = ?, closed_at = ? WHERE id = ?",
        (state, millis(now), run.0),
    )?;
    Ok(())
}

/// Counts the targets and the checked targets of a run.
pub(super) fn progress(db: &Connection, run: RunId) -> DbResult<RunProgress> {
    // Counting the unfinished tasks is cheap, because their indexes are small.
    let mut statement = db.prepare_cached(
        "SELECT (SELECT count(*) FROM task WHERE run_id = ?1),
                (SELECT count(*) FROM task INDEXED BY task_pending
                 WHERE run_id = ?1 AND state = 0 /* pending */)
                + (SELECT count(*) FROM task INDEXED BY task_held
                   WHERE run_id = ?1 AND state = 1 /* held */)",
    )?;
    let progress = statement.query_row([run.0], |row| {
        let (targets, unfinished): (u64, u64) = (row.get(0)?, row.get(1)?);
        Ok(RunProgress { targets, checked: targets.saturating_sub(unfinished) })
    });
    Ok(progress?)
}

/// Counts the documents, links and requested hosts of a run.
pub(super) fn source_stats(db: &Connection, run: RunId) -> DbResult<RunStats> {
    let mut stats = db.query_row(
        "SELECT (SELECT count(*) FROM document WHERE run_id = ?1),
                (SELECT ifnull(sum(links), 0) FROM document WHERE run_id = ?1),
                (SELECT count(*) FROM run_host WHERE run_id = ?1 AND requests > 0)",
        [run.0],
        |row| {
            let (documents, links, hosts) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(RunStats { documents, links, hosts, ..RunStats::default() })
        },
    )?;
    let (ignored, ignored_web_links) = count_ignored_links(db, run)?;
    stats.ignored = ignored;
    stats.links = u64::saturating_sub(stats.links, ignored_web_links);
    Ok(stats)
}

/// Counts the reported targets by verdict, in addition to [`source_stats`].
pub(super) fn run_stats(db: &Connection, run: RunId) -> DbResult<RunStats> {
    let mut stats = source_stats(db, run)?;
    // Count in Rust, because `GROUP BY` would sort all rows.
    let mut statement = db.prepare(concat!(
        "SELECT result.verdict, task.cached FROM task",
        join_result!(),
        "WHERE task.run_id = ? AND ",
        task_is_reported!(),
    ))?;
    let mut rows = statement.query([run.0])?;
    let mut verdict_counts: Vec<(String, u64)> = Vec::new();
    while let Some(row) = rows.next()? {
        stats.targets += 1;
        let Some(verdict) = row.get_ref(0)?.as_str_or_null().map_err(rusqlite::Error::from)? else {
            continue;
        };
        stats.checked += 1;
        stats.cached += u64::from(row.get::<_, bool>(1)?);
        match verdict_counts.iter_mut().find(|(counted, _)| counted == verdict) {
            Some((_, count)) => *count += 1,
            None => verdict_counts.push((verdict.to_owned(), 1)),
        }
    }
    for (verdict, count) in verdict_counts {
        if let Some(verdict) = parse_name(Some(verdict))? {
            stats.verdicts.insert(verdict, count);
        }
    }
    Ok(stats)
}

/// Counts the links whose document suppresses the finding. Returns the number of all these links,
/// and the number of these links to web targets. Only the links to web targets are subtracted from
/// the number of checked links. The other links are additional rows: for a finding of a missing
/// anchor, the store adds a copy of the link to the page. The link to the page itself is checked
/// and stays counted.
fn count_ignored_links(db: &Connection, run: RunId) -> DbResult<(u64, u64)> {
    let mut statement = db.prepare(concat!(
        "SELECT count(*), count(task.host_id) FROM link l INDEXED BY link_ignored
         CROSS JOIN task ON task.id = l.task_id",
        join_result!(),
        "WHERE l.ignored_codes IS NOT NULL AND task.run_id = ? AND NOT ",
        link_is_reported!()
    ))?;
    Ok(statement.query_row([run.0], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// Returns the hosts with the most requests.
pub(super) fn host_stats(db: &Connection, run: RunId, limit: usize) -> DbResult<Vec<HostStats>> {
    let mut statement = db.prepare(
        "SELECT h.name, rh.requests, rh.responses, rh.throttled, rh.request_ms,
                rh.politeness_wait_ms, rh.control_requests
         FROM run_host rh JOIN host h ON h.id = rh.host_id
         WHERE rh.run_id = ? AND rh.requests > 0
         ORDER BY rh.requests DESC, h.name LIMIT ?",
    )?;
    let rows = statement.query_map((run.0, to_i64(limit)), |row| {
        Ok(HostStats {
            name: row.get(0)?,
            requests: row.get(1)?,
            responses: row.get(2)?,
            throttled: row.get(3)?,
            request_ms: row.get(4)?,
            politeness_wait_ms: row.get(5)?,
            control_requests: row.get(6)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
