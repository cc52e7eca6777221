//! Stores controls, finds neighbors, and reads everything about one target.
//!
//! A control is a URL fetched only for comparison, usually with a random name that cannot
//! exist. A neighbor is another page in the same directory of a host. A probe is
//! everything observed in one fetch.

use jiff::Timestamp;
use relink_model::{Probe, RunId, TaskId, Verdict};
use relink_ports::{Neighbor, StoredControl, TargetRecord};
use tokio_postgres::Row;

use super::error::DbResult;
use super::rows::{
    from_json, join_result, millis, parse_name, probe_of_task, timestamp, to_i64, without_nul,
};
use super::session::Db;
use super::{history, results};
use crate::redaction;

/// The maximum number of targets that are read before and after a URL. A directory may
/// have millions, and a few neighbors are enough.
const MAX_SCANNED: i64 = 256;

/// The maximum number of runs in a target record. Older runs are omitted.
const MAX_RUNS: i64 = 1000;

/// Returns the control with this key if it was fetched at `since` or later.
pub(super) async fn control(
    db: &Db<'_>,
    key: &str,
    since: Timestamp,
) -> DbResult<Option<StoredControl>> {
    let row = db
        .query_opt(
            "SELECT url, detail FROM control WHERE key = $1 AND requested_at >= $2",
            &[&without_nul(key), &millis(since)],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    let detail: &str = row.get(1);
    let probe = serde_json::from_str(detail)?;
    Ok(Some(StoredControl { key: key.to_owned(), url: row.get(0), probe }))
}

/// Saves controls. A stored control with the same key is replaced unless it is newer.
pub(super) async fn save_controls(db: &Db<'_>, controls: &[StoredControl]) -> DbResult<()> {
    // Lock the rows in the order of keys, so that two transactions cannot wait for each
    // other.
    let mut sorted: Vec<&StoredControl> = controls.iter().collect();
    sorted.sort_by(|one, other| one.key.cmp(&other.key));
    for StoredControl { key, url, probe } in sorted {
        let detail = serde_json::to_string(probe)?;
        db.execute(
            "INSERT INTO control (key, url, requested_at, detail) VALUES ($1, $2, $3, $4)
             ON CONFLICT (key) DO UPDATE SET
                 url = excluded.url, requested_at = excluded.requested_at,
                 detail = excluded.detail
             WHERE excluded.requested_at >= control.requested_at",
            &[
                &without_nul(key),
                &redaction::url(url),
                &millis(probe.requested_at),
                &redaction::json(&detail)?,
            ],
        )
        .await?;
    }
    Ok(())
}

/// Returns targets of a directory that were fetched in this run. They alternate between
/// the nearest URL after `url` and the nearest URL before it, in URL order.
pub(super) async fn neighbors(
    db: &Db<'_>,
    run: RunId,
    directory: &str,
    url: &str,
    limit: usize,
) -> DbResult<Vec<Neighbor>> {
    // The range ends at the greatest character. LIKE would interpret `%` and
    // `_` in the URL.
    let end = format!("{directory}{}", char::MAX);
    let after = fetched_between(db, run, (url.max(directory), &end), "ASC", limit).await?;
    let before = fetched_between(db, run, (directory, url.min(&end)), "DESC", limit).await?;
    let (mut after, mut before) = (after.into_iter(), before.into_iter());
    let pairs = std::iter::from_fn(|| Some([after.next(), before.next()]));
    Ok(pairs.take(limit).flatten().flatten().take(limit).collect())
}

/// Returns up to `limit` fetched targets between two URLs. `order` is `ASC` or `DESC`.
async fn fetched_between(
    db: &Db<'_>,
    run: RunId,
    (from, to): (&str, &str),
    order: &'static str,
    limit: usize,
) -> DbResult<Vec<Neighbor>> {
    let sql = format!(
        "SELECT near.url, p.detail
         FROM (SELECT id, url FROM target WHERE url > $2 AND url < $3
               ORDER BY url {order} LIMIT $4) AS near
         JOIN task ON task.run_id = $1 AND task.target_id = near.id AND NOT task.cached
         {}
         JOIN probe p ON p.id = coalesce(result.probe_id, task.probe_id)
         ORDER BY near.url {order} LIMIT $5",
        join_result!()
    );
    let rows = db
        .query(&sql, &[&run.0, &without_nul(from), &without_nul(to), &MAX_SCANNED, &to_i64(limit)])
        .await?;
    let neighbor = |row: &Row| {
        let detail: &str = row.get(1);
        DbResult::Ok(Neighbor { url: row.get(0), probe: serde_json::from_str(detail)? })
    };
    rows.iter().map(neighbor).collect()
}

/// Returns everything that is stored about a target.
pub(super) async fn target_record(db: &Db<'_>, url: &str) -> DbResult<Option<TargetRecord>> {
    let row = db.query_opt("SELECT id FROM target WHERE url = $1", &[&without_nul(url)]).await?;
    let Some(row) = row else { return Ok(None) };
    let target: i64 = row.get(0);
    let runs = checked_runs(db, target).await?;
    let mut record = TargetRecord {
        url: url.to_owned(),
        latest: None,
        past_verdicts: runs.iter().rev().map(|run| (run.at, run.verdict)).collect(),
        changes: history::verdict_changes(db, target).await?,
        probes: Vec::new(),
    };
    if let Some(latest) = runs.first() {
        record.latest = results::checked_target(db, latest.task).await?;
        record.probes = probes(db, latest.task).await?;
    }
    Ok(Some(record))
}

/// The result of a target in one run.
struct CheckedRun {
    task: TaskId,
    at: Timestamp,
    verdict: Verdict,
}

/// Returns the runs that checked a target, latest first. A run that reused a cached result has the
/// same `checked_at` as the run that fetched the page. Of these two, the run that fetched the page
/// comes first, because it has the probe.
async fn checked_runs(db: &Db<'_>, target: i64) -> DbResult<Vec<CheckedRun>> {
    let rows = db
        .query(
            "SELECT task.id, result.checked_at, result.verdict
             FROM run r JOIN task ON task.run_id = r.id AND task.target_id = $1
             JOIN result
                 ON result.target_id = task.target_id AND result.generation = task.generation
             WHERE task.state = 2 /* finished */
             ORDER BY result.checked_at DESC, task.cached, task.id DESC LIMIT $2",
            &[&target, &MAX_RUNS],
        )
        .await?;
    let run = |row: &Row| {
        DbResult::Ok(CheckedRun {
            task: TaskId(row.get(0)),
            at: timestamp(row.get(1)),
            // The column is `NOT NULL`, so the default is never used.
            verdict: parse_name(row.get(2))?.unwrap_or(Verdict::Alive),
        })
    };
    rows.iter().map(run).collect()
}

/// Returns the probes of a task, oldest first.
async fn probes(db: &Db<'_>, task: TaskId) -> DbResult<Vec<Probe>> {
    let rows = db
        .query(
            // Follows the chain from the last probe of the task through `previous_id`.
            concat!(
                "WITH RECURSIVE seen (id, previous_id, detail) AS (
                     SELECT p.id, p.previous_id, p.detail FROM task",
                join_result!(),
                "JOIN probe p ON ",
                probe_of_task!(),
                "    WHERE task.id = $1
                     UNION ALL
                     SELECT p.id, p.previous_id, p.detail
                     FROM seen s JOIN probe p ON p.id = s.previous_id)
                 SELECT detail FROM seen ORDER BY id"
            ),
            &[&task.0],
        )
        .await?;
    let probes: DbResult<Vec<Option<Probe>>> =
        rows.iter().map(|row| Ok(from_json(row.get(0))?)).collect();
    Ok(probes?.into_iter().flatten().collect())
}
