//! Opens, resumes and closes runs, and reads their statistics. The generation is a
//! counter that grows when a run starts or resumes. A larger generation is later.

use jiff::Timestamp;
use relink_model::RunId;
use relink_ports::{HostStats, OpenRun, RunKey, RunProgress, RunState, RunStats};

use super::clock::ClockOffset;
use super::error::DbResult;
use super::rows::{
    count, join_result, link_is_reported, millis, parse_name, task_is_reported, timestamp, to_i64,
};
use super::session::Db;
use crate::redaction;
use crate::values::run_state;

/// An upper bound of the delay of a retry in milliseconds. The longest backoff
/// is 11 minutes.
const MAX_RETRY_WAIT_MS: i64 = 15 * 60 * 1000;

/// Resumes the unfinished run with this key, or starts a run. If `fresh` is set, an unfinished run
/// is abandoned first. A table lock serializes processes that open runs.
pub(super) async fn open(
    db: &Db<'_>,
    clock: ClockOffset,
    key: &RunKey,
    fresh: bool,
    now: Timestamp,
) -> DbResult<OpenRun> {
    let identity = identity(key)?;
    db.execute("LOCK TABLE generation IN EXCLUSIVE MODE", &[]).await?;
    if fresh {
        abandon(db, &identity, now).await?;
    }
    repair_host_times(db, clock.db_time(now)).await?;
    let open = match find_unfinished(db, &identity).await? {
        Some(open) => {
            repair_task_times(db, open.id, clock.db_time(now)).await?;
            open
        }
        None => insert_run(db, key, &identity, now).await?,
    };
    start_loading_in_new_generation(db, open.id).await?;
    Ok(OpenRun { generation: generation(db, open.id).await?, ..open })
}

/// Returns the text that identifies a run in the database.
fn identity(key: &RunKey) -> DbResult<String> {
    let identity = serde_json::to_string(&(&key.command, &key.inputs, &key.scope))?;
    Ok(redaction::json(&identity)?.into_owned())
}

/// Returns the unfinished run with this key.
pub(super) async fn unfinished(db: &Db<'_>, key: &RunKey) -> DbResult<Option<OpenRun>> {
    let Some(open) = find_unfinished(db, &identity(key)?).await? else { return Ok(None) };
    Ok(Some(OpenRun { generation: generation(db, open.id).await?, ..open }))
}

/// Corrects the schedules of hosts after the clock was set back: if the time at which a wait
/// was stored is in the future, the elapsed part of the wait is unknown, and the whole wait
/// starts again now.
async fn repair_host_times(db: &Db<'_>, now: i64) -> DbResult<()> {
    db.execute(
        "UPDATE host SET next_at = $1 + greatest(next_at - schedule_at, 0), schedule_at = $1
         WHERE schedule_at > $1",
        &[&now],
    )
    .await?;
    Ok(())
}

/// Makes retries due now if they are more than [`MAX_RETRY_WAIT_MS`] in the future. The
/// clock was set back after such retries were scheduled.
async fn repair_task_times(db: &Db<'_>, run: RunId, now: i64) -> DbResult<()> {
    let limit = now.saturating_add(MAX_RETRY_WAIT_MS);
    db.execute(
        "UPDATE task SET not_before = $1
         WHERE state = 0 /* pending */ AND run_id = $2 AND not_before > $3",
        &[&now, &run.0, &limit],
    )
    .await?;
    db.execute(
        "UPDATE run_host SET due_at = $1 WHERE run_id = $2 AND due_at > $3",
        &[&now, &run.0, &limit],
    )
    .await?;
    Ok(())
}

/// Starts a new generation for the run, so that its next results are later than all stored
/// results. Also marks the run as not loaded: a resumed run reads its documents again, and other
/// workers must wait until it has read them.
async fn start_loading_in_new_generation(db: &Db<'_>, run: RunId) -> DbResult<()> {
    db.execute("UPDATE generation SET latest = latest + 1", &[]).await?;
    db.execute(
        "UPDATE run SET generation = (SELECT latest FROM generation), loaded = FALSE
         WHERE id = $1",
        &[&run.0],
    )
    .await?;
    Ok(())
}

/// Reads the generation of a run.
pub(super) const SELECT_GENERATION: &str = "SELECT generation FROM run WHERE id = $1";

/// Returns the current generation of a run.
pub(super) async fn generation(db: &Db<'_>, run: RunId) -> DbResult<i64> {
    Ok(db.query_one(SELECT_GENERATION, &[&run.0]).await?.get(0))
}

/// Returns the open run with this identity. The caller sets its generation.
async fn find_unfinished(db: &Db<'_>, identity: &str) -> DbResult<Option<OpenRun>> {
    let row = db
        .query_opt(
            "SELECT id, started_at, network_confirmed FROM run
             WHERE identity = $1 AND state = 0 /* open */ ORDER BY id DESC LIMIT 1",
            &[&identity],
        )
        .await?;
    Ok(row.map(|row| OpenRun {
        id: RunId(row.get(0)),
        started_at: timestamp(row.get(1)),
        is_resumed: true,
        network_confirmed: row.get(2),
        generation: 0,
    }))
}

/// Closes the open runs with this identity.
async fn abandon(db: &Db<'_>, identity: &str, now: Timestamp) -> DbResult<()> {
    db.execute(
        "UPDATE run SET state = $1, closed_at = $2 WHERE identity = $3 AND state = 0 /* open */",
        &[&run_state::ABANDONED, &millis(now), &identity],
    )
    .await?;
    Ok(())
}

/// Starts a run. The caller sets its generation.
async fn insert_run(
    db: &Db<'_>,
    key: &RunKey,
    identity: &str,
    now: Timestamp,
) -> DbResult<OpenRun> {
    let inputs = serde_json::to_string(&key.inputs)?;
    let row = db
        .query_one(
            "INSERT INTO run (identity, command, inputs, scope, started_at)
             VALUES ($1, $2, $3, $4, $5) RETURNING id",
            &[
                &identity,
                &key.command,
                &redaction::json(&inputs)?,
                &redaction::text(&key.scope),
                &millis(now),
            ],
        )
        .await?;
    let id = RunId(row.get(0));
    Ok(OpenRun { id, started_at: now, is_resumed: false, network_confirmed: false, generation: 0 })
}

/// Records that a host has responded. From then on, network failures are failures of the
/// requested hosts, not of the own network.
pub(super) async fn confirm_network(db: &Db<'_>, run: RunId) -> DbResult<()> {
    db.execute("UPDATE run SET network_confirmed = TRUE WHERE id = $1", &[&run.0]).await?;
    Ok(())
}

/// Closes a run in this state. Does nothing for [`RunState::Open`], the state of an interrupted
/// run: such a run stays open and can be resumed.
pub(super) async fn close(
    db: &Db<'_>,
    run: RunId,
    state: RunState,
    now: Timestamp,
) -> DbResult<()> {
    let state = match state {
        RunState::Open => return Ok(()),
        RunState::Finished => run_state::FINISHED,
        RunState::NoNetwork => run_state::NO_NETWORK,
    };
    db.execute(
        "UPDATE run SET state = $1, closed_at = $2 WHERE id = $3",
        &[&state, &millis(now), &run.0],
    )
    .await?;
    Ok(())
}

/// Counts the targets of a run, and the checked targets among them.
pub(super) async fn progress(db: &Db<'_>, run: RunId) -> DbResult<RunProgress> {
    let row = db
        .query_one(
            "SELECT count(*), count(*) FILTER (WHERE state = 2 /* finished */)
             FROM task WHERE run_id = $1",
            &[&run.0],
        )
        .await?;
    Ok(RunProgress { targets: count(&row, 0), checked: count(&row, 1) })
}

/// Counts the documents, links and requested hosts of a run.
pub(super) async fn source_stats(db: &Db<'_>, run: RunId) -> DbResult<RunStats> {
    let row = db
        .query_one(
            "SELECT (SELECT count(*) FROM document WHERE run_id = $1),
                    (SELECT coalesce(sum(links), 0)::bigint FROM document WHERE run_id = $1),
                    (SELECT count(*) FROM run_host WHERE run_id = $1 AND requests > 0)",
            &[&run.0],
        )
        .await?;
    let (ignored, ignored_web_links) = count_ignored_links(db, run).await?;
    Ok(RunStats {
        documents: count(&row, 0),
        links: count(&row, 1).saturating_sub(ignored_web_links),
        hosts: count(&row, 2),
        ignored,
        ..RunStats::default()
    })
}

/// Counts the reported targets by verdict, in addition to [`source_stats`].
pub(super) async fn run_stats(db: &Db<'_>, run: RunId) -> DbResult<RunStats> {
    let mut stats = source_stats(db, run).await?;
    let rows = db
        .query(
            concat!(
                "SELECT result.verdict, count(*), count(*) FILTER (WHERE task.cached) FROM task",
                join_result!(),
                "WHERE task.run_id = $1 AND ",
                task_is_reported!(),
                " GROUP BY result.verdict"
            ),
            &[&run.0],
        )
        .await?;
    for row in rows {
        stats.targets += count(&row, 1);
        if let Some(verdict) = parse_name(row.get(0))? {
            stats.checked += count(&row, 1);
            stats.cached += count(&row, 2);
            stats.verdicts.insert(verdict, count(&row, 1));
        }
    }
    Ok(stats)
}

/// Counts the links whose document suppresses the finding: all of these links, and those of them
/// that lead to web targets. Only links to web targets are subtracted from the number of checked
/// links. The others are additional rows: for a finding of a missing anchor, the store adds a copy
/// of the link to the page. The link to the page itself is checked and stays counted.
async fn count_ignored_links(db: &Db<'_>, run: RunId) -> DbResult<(u64, u64)> {
    let row = db
        .query_one(
            concat!(
                "SELECT count(*), count(task.host_id) FROM link l
                 JOIN task ON task.id = l.task_id",
                join_result!(),
                "WHERE l.ignored_codes IS NOT NULL AND task.run_id = $1 AND NOT ",
                link_is_reported!()
            ),
            &[&run.0],
        )
        .await?;
    Ok((count(&row, 0), count(&row, 1)))
}

/// Returns the hosts with the most requests.
pub(super) async fn host_stats(db: &Db<'_>, run: RunId, limit: usize) -> DbResult<Vec<HostStats>> {
    let rows = db
        .query(
            "SELECT h.name, rh.requests, rh.responses, rh.throttled, rh.request_ms,
                    rh.politeness_wait_ms, rh.control_requests
             FROM run_host rh JOIN host h ON h.id = rh.host_id
             WHERE rh.run_id = $1 AND rh.requests > 0
             ORDER BY rh.requests DESC, h.name LIMIT $2",
            &[&run.0, &to_i64(limit)],
        )
        .await?;
    let host = |row: &tokio_postgres::Row| HostStats {
        name: row.get(0),
        requests: count(row, 1),
        responses: count(row, 2),
        throttled: count(row, 3),
        request_ms: count(row, 4),
        politeness_wait_ms: count(row, 5),
        control_requests: count(row, 6),
    };
    Ok(rows.iter().map(host).collect())
}
