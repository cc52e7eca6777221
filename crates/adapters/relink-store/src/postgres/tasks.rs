//! Stores targets and tasks in multi-row statements. A target is stored once for all
//! runs. Each run has one task per target. A *local* target is a finding without a
//! request, such as a missing file. Its key is stored instead of a URL. A result is
//! *cached* if it was reused from an earlier run.
//!
//! Each column of the new rows is passed as an array, and the statement combines the
//! arrays to rows with `unnest`. Rows that several workers may insert are inserted in
//! the order of their keys, so that two transactions cannot wait for each other.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use relink_model::{RunId, Verdict};
use relink_ports::{CacheWindow, NewLink, NewTarget};

use super::claims::LOCK_RUN_HOSTS;
use super::error::DbResult;
use super::history::record_changes;
use super::rows::{millis, stored_text, without_nul};
use super::runs;
use super::session::Db;
use crate::redaction;
use crate::values::{host_bucket, task_state};

/// A task to store, unless the run already has a task for the target.
pub(super) struct NewTask<'a> {
    pub(super) target: &'a NewTarget,
    pub(super) original_url: &'a str,
    /// Whether the link has a fragment to check.
    pub(super) has_fragment: bool,
    /// Targets that were alive at this time or later are not fetched again.
    pub(super) fresh_since: Timestamp,
    /// The earliest time of the first attempt, on the database clock.
    pub(super) not_before: i64,
    /// The number of links to follow from a start URL of the crawl.
    pub(super) depth: Option<u32>,
    /// The traversal rank of a crawl: tasks of lower rank are fetched first.
    pub(super) rank: Option<i64>,
}

impl<'a> NewTask<'a> {
    /// A task that is due immediately, outside of crawls.
    pub(super) fn immediate(link: &'a NewLink, cache_window: CacheWindow) -> Self {
        Self {
            target: &link.target,
            original_url: &link.original_url,
            has_fragment: link.fragment.is_some(),
            fresh_since: cache_window.fresh_since,
            not_before: 0,
            depth: None,
            rank: None,
        }
    }

    /// Returns [`target_key`] of the target.
    fn key(&self) -> String {
        target_key(self.target)
    }

    fn is_user_supplied(&self) -> bool {
        matches!(self.target, NewTarget::Web { rights, .. } if rights.is_user_supplied())
    }

    fn is_local(&self) -> bool {
        matches!(self.target, NewTarget::Local { .. })
    }
}

/// Returns the value of `target.url`: the URL, or the key of a local target.
pub(super) fn target_key(target: &NewTarget) -> String {
    match target {
        NewTarget::Web { url, .. } => without_nul(&redaction::url(url)),
        NewTarget::Local { key, .. } => stored_text(key),
    }
}

/// The task of a target, after it was inserted or found.
#[derive(Debug, Clone, Copy)]
pub(super) struct InsertedTask {
    pub(super) id: i64,
    /// Whether the task was inserted by this call.
    pub(super) is_new: bool,
    /// Whether the task needs no request.
    pub(super) is_finished: bool,
}

/// A stored target, with the values that are needed to create a task for it.
struct StoredTarget {
    id: i64,
    host: Option<i64>,
    is_user_supplied: bool,
    /// Generation, verdict and time of the current result.
    result: Option<(i64, String, i64)>,
    /// Whether the anchors of the current result are stored.
    has_anchors: bool,
}

impl StoredTarget {
    /// Whether the result can be reused: the target was alive recently, and, if the
    /// link has a fragment, the anchors of the page are stored.
    fn can_use_cache(&self, task: &NewTask<'_>, now: Timestamp) -> bool {
        let fresh_times = millis(task.fresh_since)..=millis(now);
        let was_alive = self.result.as_ref().is_some_and(|(_, verdict, checked_at)| {
            *verdict == Verdict::Alive.as_str() && fresh_times.contains(checked_at)
        });
        was_alive && (!task.has_fragment || self.has_anchors)
    }
}

/// The values of a task row.
struct TaskRow {
    target: i64,
    host: Option<i64>,
    is_user_supplied: bool,
    original_url: Option<String>,
    is_finished: bool,
    is_cached: bool,
    generation: Option<i64>,
    not_before: i64,
    depth: Option<i64>,
    rank: Option<i64>,
}

/// Returns the tasks of the targets in this run. Inserts missing tasks. Also returns the hosts of
/// the targets.
pub(super) async fn insert_tasks(
    db: &Db<'_>,
    run: RunId,
    tasks: &[NewTask<'_>],
    now: Timestamp,
) -> DbResult<(Vec<InsertedTask>, BTreeSet<i64>)> {
    // The order matters: tasks refer to targets, and local results are read as current results.
    let hosts = insert_targets(db, tasks).await?;
    insert_local_results(db, run, tasks, now).await?;
    let keys: Vec<String> = tasks.iter().map(NewTask::key).collect();
    let targets = stored_targets(db, &keys).await?;
    let mut rows: Vec<TaskRow> = Vec::with_capacity(tasks.len());
    for (task, key) in tasks.iter().zip(&keys) {
        let Some(target) = targets.get(key) else { continue };
        rows.push(new_task_row(task, key, target, now));
    }
    mark_user_supplied(db, tasks, &keys, &targets).await?;
    let (ids, mut new_targets) = insert_rows(db, run, &rows).await?;
    let mut inserted = Vec::with_capacity(rows.len());
    let mut existing = Vec::new();
    for (row, task) in rows.iter().zip(tasks) {
        // `insert_rows` returns the id of each target, so the default is never used.
        let id = ids.get(&row.target).copied().unwrap_or_default();
        // Only the first of several links to a new target creates its task.
        let is_new = new_targets.remove(&row.target);
        if !is_new {
            existing.push((id, row, task));
        }
        inserted.push(InsertedTask { id, is_new, is_finished: row.is_finished });
    }
    update_existing(db, &existing).await?;
    Ok((inserted, hosts))
}

/// Returns the values of a task, used if the run has no task for the target yet.
fn new_task_row(task: &NewTask<'_>, key: &str, target: &StoredTarget, now: Timestamp) -> TaskRow {
    let can_use_cache = target.can_use_cache(task, now);
    let is_finished = task.is_local() || can_use_cache;
    let result = target.result.as_ref().filter(|_| is_finished);
    let original_url = stored_text(task.original_url);
    TaskRow {
        target: target.id,
        host: target.host,
        is_user_supplied: task.is_user_supplied(),
        original_url: (original_url != key).then_some(original_url),
        is_finished,
        is_cached: can_use_cache && !task.is_local(),
        generation: result.map(|(generation, ..)| *generation),
        not_before: task.not_before,
        depth: task.depth.map(i64::from),
        rank: task.rank,
    }
}

/// Returns the ids of hosts. Inserts missing hosts.
pub(super) async fn host_ids(db: &Db<'_>, names: &[&str]) -> DbResult<HashMap<String, i64>> {
    let names: BTreeSet<&str> = names.iter().copied().collect();
    let names: Vec<&str> = names.into_iter().collect();
    let buckets: Vec<i64> = names.iter().map(|name| host_bucket(name)).collect();
    db.execute(
        "INSERT INTO host (name, bucket)
         SELECT name, bucket FROM unnest($1::text[], $2::bigint[]) AS new (name, bucket)
         WHERE NOT EXISTS (SELECT 1 FROM host WHERE host.name = new.name)
         ON CONFLICT DO NOTHING",
        &[&names, &buckets],
    )
    .await?;
    let rows = db.query("SELECT name, id FROM host WHERE name = ANY($1)", &[&names]).await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Inserts targets that do not exist, and returns the host ids of all targets.
async fn insert_targets(db: &Db<'_>, tasks: &[NewTask<'_>]) -> DbResult<BTreeSet<i64>> {
    let host_name = |task: &NewTask<'_>| match task.target {
        NewTarget::Web { host, .. } => Some(without_nul(host)),
        NewTarget::Local { .. } => None,
    };
    let host_names: Vec<Option<String>> = tasks.iter().map(host_name).collect();
    let names: Vec<&str> = host_names.iter().flatten().map(String::as_str).collect();
    let hosts = host_ids(db, &names).await?;
    let hosts_by_key: BTreeMap<String, Option<i64>> = tasks
        .iter()
        .zip(&host_names)
        .map(|(task, host)| (task.key(), host.as_ref().and_then(|host| hosts.get(host).copied())))
        .collect();
    let (urls, host_ids): (Vec<String>, Vec<Option<i64>>) = hosts_by_key.into_iter().unzip();
    db.execute(
        "INSERT INTO target (url, host_id)
         SELECT url, host FROM unnest($1::text[], $2::bigint[]) AS new (url, host)
         WHERE NOT EXISTS (SELECT 1 FROM target WHERE target.url = new.url)
         ON CONFLICT DO NOTHING",
        &[&urls, &host_ids],
    )
    .await?;
    Ok(hosts.into_values().collect())
}

/// Stores the results of targets that need no request.
async fn insert_local_results(
    db: &Db<'_>,
    run: RunId,
    tasks: &[NewTask<'_>],
    now: Timestamp,
) -> DbResult<()> {
    // Verdict, code and reason by key.
    let mut rows: BTreeMap<String, (&str, Option<String>, String)> = BTreeMap::new();
    for task in tasks {
        if let NewTarget::Local { verdict, code, reason, .. } = task.target {
            let code = code.map(|code| code.to_string());
            rows.insert(task.key(), (verdict.as_str(), code, stored_text(reason)));
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let generation = runs::generation(db, run).await?;
    let keys: Vec<&str> = rows.keys().map(String::as_str).collect();
    let verdicts: Vec<&str> = rows.values().map(|(verdict, ..)| *verdict).collect();
    let codes: Vec<Option<&str>> = rows.values().map(|(_, code, _)| code.as_deref()).collect();
    let reasons: Vec<&str> = rows.values().map(|(.., reason)| reason.as_str()).collect();
    db.execute(
        concat!(
            // `since` is the start of the current verdict: unchanged if the verdict is the same.
            "WITH new AS (
                 SELECT t.id AS target, local.verdict, local.code, local.reason,
                        $6::bigint AS since
                 FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
                     AS local (url, verdict, code, reason)
                 JOIN target t ON t.url = local.url),",
            record_changes!("$5::bigint"),
            "INSERT INTO result (target_id, generation, verdict, code, reason, checked_at, since)
             SELECT new.target, $5, new.verdict, new.code, new.reason, new.since,
                    coalesce((SELECT c.since FROM current_result c
                              WHERE c.id = new.target AND c.verdict = new.verdict), new.since)
             FROM new
             ON CONFLICT (target_id, generation) DO UPDATE SET
                 verdict = excluded.verdict, code = excluded.code, reason = excluded.reason,
                 checked_at = excluded.checked_at, since = excluded.since"
        ),
        &[&keys, &verdicts, &codes, &reasons, &generation, &millis(now)],
    )
    .await?;
    Ok(())
}

/// Returns targets and their current results by key.
async fn stored_targets(db: &Db<'_>, keys: &[String]) -> DbResult<HashMap<String, StoredTarget>> {
    let rows = db
        .query(
            "SELECT t.url, t.id, t.host_id, t.user_supplied, r.generation, r.verdict, r.checked_at,
                    EXISTS (SELECT 1 FROM anchors a
                            WHERE a.target_id = t.id AND a.seen_at = r.checked_at)
             FROM target t LEFT JOIN LATERAL (
                 SELECT generation, verdict, checked_at FROM result
                 WHERE result.target_id = t.id ORDER BY generation DESC LIMIT 1) r ON TRUE
             WHERE t.url = ANY($1)",
            &[&keys],
        )
        .await?;
    let target_row = |row: &tokio_postgres::Row| {
        let generation: Option<i64> = row.get(4);
        StoredTarget {
            id: row.get(1),
            host: row.get(2),
            is_user_supplied: row.get(3),
            result: generation.map(|generation| (generation, row.get(5), row.get(6))),
            has_anchors: row.get(7),
        }
    };
    Ok(rows.iter().map(|row| (row.get(0), target_row(row))).collect())
}

/// Marks targets as user-supplied if one of their tasks is user-supplied. The mark stays if later runs
/// only discover the URL.
async fn mark_user_supplied(
    db: &Db<'_>,
    tasks: &[NewTask<'_>],
    keys: &[String],
    targets: &HashMap<String, StoredTarget>,
) -> DbResult<()> {
    let supplied = tasks.iter().zip(keys).filter(|(task, _)| task.is_user_supplied());
    let ids: BTreeSet<i64> = supplied
        .filter_map(|(_, key)| targets.get(key))
        .filter(|target| !target.is_user_supplied)
        .map(|target| target.id)
        .collect();
    if ids.is_empty() {
        return Ok(());
    }
    let ids: Vec<i64> = ids.into_iter().collect();
    db.execute("UPDATE target SET user_supplied = TRUE WHERE id = ANY($1)", &[&ids]).await?;
    Ok(())
}

/// Inserts tasks in the order of the rows. Returns the task ids by target, and
/// the targets of new tasks.
async fn insert_rows(
    db: &Db<'_>,
    run: RunId,
    rows: &[TaskRow],
) -> DbResult<(HashMap<i64, i64>, HashSet<i64>)> {
    // The first of several links to a target decides the values of its task.
    let mut seen = HashSet::new();
    let unique: Vec<&TaskRow> = rows.iter().filter(|row| seen.insert(row.target)).collect();
    let targets: Vec<i64> = unique.iter().map(|row| row.target).collect();
    let hosts: Vec<Option<i64>> = unique.iter().map(|row| row.host).collect();
    let supplied: Vec<bool> = unique.iter().map(|row| row.is_user_supplied).collect();
    let urls: Vec<Option<&str>> = unique.iter().map(|row| row.original_url.as_deref()).collect();
    let state =
        |row: &&TaskRow| if row.is_finished { task_state::FINISHED } else { task_state::PENDING };
    let states: Vec<i64> = unique.iter().map(state).collect();
    let cached: Vec<bool> = unique.iter().map(|row| row.is_cached).collect();
    let generations: Vec<Option<i64>> = unique.iter().map(|row| row.generation).collect();
    let times: Vec<i64> = unique.iter().map(|row| row.not_before).collect();
    let depths: Vec<Option<i64>> = unique.iter().map(|row| row.depth).collect();
    let ranks: Vec<Option<i64>> = unique.iter().map(|row| row.rank).collect();
    let inserted = db
        .query(
            "INSERT INTO task (run_id, target_id, host_id, user_supplied, original_url, state,
                               cached, generation, not_before, depth, rank)
             SELECT $1, target, host, supplied, url, state, cached, generation, time, depth, rank
             FROM unnest($2::bigint[], $3::bigint[], $4::boolean[], $5::text[], $6::bigint[],
                         $7::boolean[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])
                 WITH ORDINALITY AS new (target, host, supplied, url, state, cached, generation,
                                         time, depth, rank, position)
             WHERE NOT EXISTS (
                 SELECT 1 FROM task WHERE task.run_id = $1 AND task.target_id = new.target)
             ORDER BY position
             ON CONFLICT DO NOTHING RETURNING target_id, id",
            &[
                &run.0,
                &targets,
                &hosts,
                &supplied,
                &urls,
                &states,
                &cached,
                &generations,
                &times,
                &depths,
                &ranks,
            ],
        )
        .await?;
    let mut ids: HashMap<i64, i64> = inserted.iter().map(|row| (row.get(0), row.get(1))).collect();
    let new_targets: HashSet<i64> = ids.keys().copied().collect();
    let is_missing = |target: &i64| !new_targets.contains(target);
    ids.extend(existing_tasks(db, run, targets.into_iter().filter(is_missing).collect()).await?);
    Ok((ids, new_targets))
}

/// Returns the task ids of these targets by target.
async fn existing_tasks(db: &Db<'_>, run: RunId, targets: Vec<i64>) -> DbResult<HashMap<i64, i64>> {
    if targets.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = db
        .query(
            "SELECT target_id, id FROM task WHERE run_id = $1 AND target_id = ANY($2)",
            &[&run.0, &targets],
        )
        .await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Updates tasks that existed before this call. `existing` has the task id, the row that
/// would have been inserted, and the new link.
///
/// - Marks the task as user-supplied if the link is.
/// - Makes the task pending again if it has a cached result, but the link has a fragment
///   and the anchors of the page are not stored.
/// - Assigns the new result if the target is local.
async fn update_existing(db: &Db<'_>, existing: &[(i64, &TaskRow, &NewTask<'_>)]) -> DbResult<()> {
    let ids_where = |is_affected: &dyn Fn(&TaskRow, &NewTask<'_>) -> bool| -> Vec<i64> {
        let affected = existing.iter().filter(|(_, row, task)| is_affected(row, task));
        affected.map(|(id, ..)| *id).collect()
    };
    let supplied = ids_where(&|row, _| row.is_user_supplied);
    if !supplied.is_empty() {
        db.execute(
            "UPDATE task SET user_supplied = TRUE WHERE id = ANY($1) AND NOT user_supplied",
            &[&supplied],
        )
        .await?;
    }
    // `can_use_cache` is false for such a link, so `is_finished` is false.
    let to_fetch = ids_where(&|row, task| task.has_fragment && !row.is_finished);
    if !to_fetch.is_empty() {
        db.execute(
            "UPDATE task SET state = 0 /* pending */, cached = FALSE, generation = NULL
             WHERE id = ANY($1) AND cached",
            &[&to_fetch],
        )
        .await?;
    }
    // A local task was inserted before an interruption of the run. The file may have
    // been created or deleted since.
    let local: Vec<_> = existing.iter().filter(|(_, _, task)| task.is_local()).collect();
    if !local.is_empty() {
        let (ids, generations): (Vec<i64>, Vec<Option<i64>>) =
            local.iter().map(|(id, row, _)| (*id, row.generation)).unzip();
        db.execute(
            "UPDATE task SET generation = new.generation
             FROM unnest($1::bigint[], $2::bigint[]) AS new (id, generation)
             WHERE task.id = new.id",
            &[&ids, &generations],
        )
        .await?;
    }
    Ok(())
}

/// Stores the due time of the first pending task of each host. Hosts without pending
/// tasks are not changed.
pub(super) async fn update_due_times(
    db: &Db<'_>,
    run: RunId,
    hosts: &BTreeSet<i64>,
) -> DbResult<()> {
    let hosts: Vec<i64> = hosts.iter().copied().collect();
    if hosts.is_empty() {
        return Ok(());
    }
    db.execute(LOCK_RUN_HOSTS, &[&run.0, &hosts]).await?;
    db.execute(
        "INSERT INTO run_host (run_id, host_id, bucket, due_at)
         SELECT $1, due.id, due.bucket, due.at
         FROM (SELECT h.id, h.bucket,
                      (SELECT min(not_before) FROM task
                       WHERE run_id = $1 AND host_id = h.id AND state = 0 /* pending */) AS at
               FROM host h WHERE h.id = ANY($2) ORDER BY h.id) AS due
         WHERE due.at IS NOT NULL
         ON CONFLICT (run_id, host_id) DO UPDATE SET due_at = excluded.due_at
         WHERE run_host.due_at IS DISTINCT FROM excluded.due_at",
        &[&run.0, &hosts],
    )
    .await?;
    Ok(())
}
