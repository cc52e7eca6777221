//! Reads runs, targets, pages and links of crawls, and stores robots.txt and checkpoints.
//! Lists are read page by page: `after` is the last item of the previous call.

use jiff::Timestamp;
use relink_model::{LinkKind, Probe, RunId, TaskId, Verdict};
use relink_ports::{
    DocumentId, LinkCursor, PastVerdict, RunSummary, SiteLink, SitePage, SiteTarget, StoredRobots,
    VerdictChange,
};
use tokio_postgres::Row;

use super::error::DbResult;
use super::rows::{
    count, from_json, join_result, millis, optional_number, parse_name, probe_of_task, timestamp,
    to_i64, without_nul,
};
use super::session::Db;
use crate::redaction;
use crate::values::{fragment_url, run_state, unpack_anchors};

/// Returns the greatest task id of a run, or zero.
pub(super) async fn last_task_id(db: &Db<'_>, run: RunId) -> DbResult<TaskId> {
    let row =
        db.query_one("SELECT coalesce(max(id), 0) FROM task WHERE run_id = $1", &[&run.0]).await?;
    Ok(TaskId(row.get(0)))
}

/// Returns the robots.txt of an origin if it was fetched at `since` or later.
pub(super) async fn robots(
    db: &Db<'_>,
    origin: &str,
    since: Timestamp,
) -> DbResult<Option<StoredRobots>> {
    let row = db
        .query_opt(
            "SELECT requested_at, status, text FROM robots
             WHERE origin = $1 AND requested_at >= $2",
            &[&origin, &millis(since)],
        )
        .await?;
    Ok(row.map(|row| StoredRobots {
        origin: origin.to_owned(),
        requested_at: timestamp(row.get(0)),
        status: optional_number(&row, 1),
        text: row.get(2),
    }))
}

/// Replaces the stored robots.txt of an origin.
pub(super) async fn save_robots(db: &Db<'_>, robots: &StoredRobots) -> DbResult<()> {
    db.execute(
        "INSERT INTO robots (origin, requested_at, status, text) VALUES ($1, $2, $3, $4)
         ON CONFLICT (origin) DO UPDATE SET requested_at = excluded.requested_at,
             status = excluded.status, text = excluded.text",
        &[
            &robots.origin,
            &millis(robots.requested_at),
            &robots.status.map(i64::from),
            &redaction::bytes(&robots.text),
        ],
    )
    .await?;
    Ok(())
}

/// Returns the state that an interrupted run saved under this name.
pub(super) async fn checkpoint(db: &Db<'_>, run: RunId, name: &str) -> DbResult<Option<String>> {
    let row = db
        .query_opt("SELECT text FROM checkpoint WHERE run_id = $1 AND name = $2", &[&run.0, &name])
        .await?;
    Ok(row.map(|row| row.get(0)))
}

/// Saves state that is needed to resume the run.
pub(super) async fn save_checkpoint(
    db: &Db<'_>,
    run: RunId,
    name: &str,
    text: &str,
) -> DbResult<()> {
    db.execute(
        "INSERT INTO checkpoint (run_id, name, text) VALUES ($1, $2, $3)
         ON CONFLICT (run_id, name) DO UPDATE SET text = excluded.text",
        &[&run.0, &name, &without_nul(&redaction::json(text)?)],
    )
    .await?;
    Ok(())
}

/// Returns the latest runs. If `command` is given, returns only runs of this command.
pub(super) async fn runs(
    db: &Db<'_>,
    command: Option<&str>,
    limit: usize,
) -> DbResult<Vec<RunSummary>> {
    let rows = db
        .query(
            "SELECT r.id, r.command, r.inputs, r.started_at, r.closed_at, r.state,
                    (SELECT count(*) FROM task WHERE run_id = r.id),
                    (SELECT count(*) FROM task WHERE run_id = r.id AND state = 2 /* finished */),
                    (SELECT count(*) FROM document WHERE run_id = r.id AND task_id IS NOT NULL)
             FROM run r WHERE $1::text IS NULL OR r.command = $1
             ORDER BY r.id DESC LIMIT $2",
            &[&command, &to_i64(limit)],
        )
        .await?;
    let run = |row: &Row| {
        let inputs: &str = row.get(2);
        DbResult::Ok(RunSummary {
            id: RunId(row.get(0)),
            command: row.get(1),
            inputs: serde_json::from_str(inputs)?,
            started_at: timestamp(row.get(3)),
            closed_at: row.get::<_, Option<i64>>(4).map(timestamp),
            is_finished: row.get::<_, i64>(5) == run_state::FINISHED,
            targets: count(row, 6),
            checked: count(row, 7),
            pages: count(row, 8),
        })
    };
    rows.iter().map(run).collect()
}

/// Returns the URLs of the tasks of a run that follow the task `after`.
pub(super) async fn urls(
    db: &Db<'_>,
    run: RunId,
    after: TaskId,
    limit: usize,
) -> DbResult<Vec<(TaskId, String)>> {
    let rows = db
        .query(
            "SELECT task.id, t.url FROM task JOIN target t ON t.id = task.target_id
             WHERE task.id > $2 AND task.run_id = $1 ORDER BY task.id LIMIT $3",
            &[&run.0, &after.0, &to_i64(limit)],
        )
        .await?;
    Ok(rows.iter().map(|row| (TaskId(row.get(0)), row.get(1))).collect())
}

/// Returns the targets of a run with their results, in the order of task ids.
pub(super) async fn targets(
    db: &Db<'_>,
    run: RunId,
    after: TaskId,
    limit: usize,
) -> DbResult<Vec<SiteTarget>> {
    let rows = db
        .query(
            concat!(
                "SELECT task.id, t.url, result.verdict, result.code, result.status, result.reason,
                        task.depth, (SELECT p.detail FROM probe p WHERE ",
                probe_of_task!(),
                ") FROM task JOIN target t ON t.id = task.target_id",
                join_result!(),
                "WHERE task.id > $2 AND task.run_id = $1 ORDER BY task.id LIMIT $3"
            ),
            &[&run.0, &after.0, &to_i64(limit)],
        )
        .await?;
    rows.iter().map(target_row).collect()
}

/// Converts a row of the database to a target.
fn target_row(row: &Row) -> DbResult<SiteTarget> {
    let probe: Option<Probe> = from_json(row.get(7))?;
    let digest = probe.as_ref().and_then(|probe| probe.digest.as_deref());
    Ok(SiteTarget {
        task: TaskId(row.get(0)),
        url: row.get(1),
        verdict: parse_name(row.get(2))?,
        code: parse_name(row.get(3))?,
        status: optional_number(row, 4),
        reason: row.get::<_, Option<String>>(5).unwrap_or_default(),
        depth: optional_number(row, 6),
        requested_at: probe.as_ref().map(|probe| probe.requested_at),
        duration_ms: probe.as_ref().map(|probe| probe.timings.total),
        bytes: digest.map(|digest| digest.bytes),
        title: digest.and_then(|digest| digest.title.clone()),
        final_url: probe.as_ref().and_then(fragment_url),
        hops: probe.iter().flat_map(|probe| &probe.hops).map(|hop| hop.url.clone()).collect(),
    })
}

/// Returns the documents of a run in the order of their ids.
pub(super) async fn pages(
    db: &Db<'_>,
    run: RunId,
    after: DocumentId,
    limit: usize,
) -> DbResult<Vec<SitePage>> {
    let rows = db
        .query(
            "SELECT id, label, task_id, links, anchors, sitemap FROM document
             WHERE id > $2 AND run_id = $1 ORDER BY id LIMIT $3",
            &[&run.0, &after.0, &to_i64(limit)],
        )
        .await?;
    let page = |row: &Row| SitePage {
        document: DocumentId(row.get(0)),
        label: row.get(1),
        task: row.get::<_, Option<i64>>(2).map(TaskId),
        is_sitemap: row.get(5),
        links: count(row, 3),
        anchors: row.get::<_, Option<&[u8]>>(4).map(unpack_anchors),
    };
    Ok(rows.iter().map(page).collect())
}

/// Returns the links of a run in the order of tasks, starting after the cursor.
pub(super) async fn links(
    db: &Db<'_>,
    run: RunId,
    (task, document, position): LinkCursor,
    limit: usize,
) -> DbResult<Vec<SiteLink>> {
    let position = i64::try_from(position).unwrap_or(i64::MAX);
    let rows = db
        .query(
            "SELECT l.document_id, l.position, l.task_id, l.line, l.kind, l.fragment
             FROM task JOIN link l ON l.task_id = task.id
             WHERE (l.task_id, l.document_id, l.position) > ($2, $3, $4)
               AND task.run_id = $1 AND task.id >= $2
             ORDER BY l.task_id, l.document_id, l.position LIMIT $5",
            &[&run.0, &task.0, &document.0, &position, &to_i64(limit)],
        )
        .await?;
    let link = |row: &Row| SiteLink {
        from: DocumentId(row.get(0)),
        position: count(row, 1),
        to: TaskId(row.get(2)),
        line: optional_number(row, 3).unwrap_or(0),
        kind: LinkKind::from_name(row.get(4)).unwrap_or(LinkKind::Hyperlink),
        fragment: row.get(5),
    };
    Ok(rows.iter().map(link).collect())
}

/// Returns the URLs whose verdict differs between two runs, in URL order,
/// starting after `after_url`.
pub(super) async fn verdict_changes(
    db: &Db<'_>,
    before: RunId,
    after: RunId,
    after_url: &str,
    limit: usize,
) -> DbResult<Vec<VerdictChange>> {
    let rows = db
        .query(
            // `b` is the result before, `a` the result after. A URL may be in one run only.
            "SELECT t.url, b.verdict, a.verdict, coalesce(a.code, b.code)
             FROM (SELECT target_id FROM task WHERE run_id = $1 AND state = 2 /* finished */
                   UNION SELECT target_id FROM task WHERE run_id = $2 AND state = 2 /* finished */) AS checked
             JOIN target t ON t.id = checked.target_id
             LEFT JOIN task tb ON tb.run_id = $1 AND tb.target_id = t.id
             LEFT JOIN result b ON b.target_id = t.id AND b.generation = tb.generation
             LEFT JOIN task ta ON ta.run_id = $2 AND ta.target_id = t.id
             LEFT JOIN result a ON a.target_id = t.id AND a.generation = ta.generation
             WHERE b.verdict IS DISTINCT FROM a.verdict AND t.url > $3
             ORDER BY t.url LIMIT $4",
            &[&before.0, &after.0, &without_nul(after_url), &to_i64(limit)],
        )
        .await?;
    let change = |row: &Row| {
        DbResult::Ok(VerdictChange {
            url: row.get(0),
            before: parse_name(row.get(1))?,
            after: parse_name(row.get(2))?,
            code: parse_name(row.get(3))?,
        })
    };
    rows.iter().map(change).collect()
}

/// Returns the web targets of all runs in URL order.
pub(super) async fn known_urls(
    db: &Db<'_>,
    after_url: &str,
    limit: usize,
) -> DbResult<Vec<String>> {
    let rows = db
        .query(
            "SELECT url FROM target WHERE url > $1 AND host_id IS NOT NULL ORDER BY url LIMIT $2",
            &[&without_nul(after_url), &to_i64(limit)],
        )
        .await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Returns the verdicts of fetched targets of all runs, in the order of tasks.
pub(super) async fn past_verdicts(
    db: &Db<'_>,
    after: TaskId,
    limit: usize,
) -> DbResult<Vec<PastVerdict>> {
    let rows = db
        .query(
            "SELECT task.id, t.url, result.checked_at, result.verdict
             FROM task JOIN target t ON t.id = task.target_id
             JOIN result
                 ON result.target_id = task.target_id AND result.generation = task.generation
             WHERE task.id > $1 AND task.state = 2 /* finished */ AND NOT task.cached
               AND task.host_id IS NOT NULL
             ORDER BY task.id LIMIT $2",
            &[&after.0, &to_i64(limit)],
        )
        .await?;
    let past = |row: &Row| {
        DbResult::Ok(PastVerdict {
            task: TaskId(row.get(0)),
            url: row.get(1),
            checked_at: timestamp(row.get(2)),
            // The column is `NOT NULL`, so the default is never used.
            verdict: parse_name(row.get(3))?.unwrap_or(Verdict::Alive),
        })
    };
    rows.iter().map(past).collect()
}
