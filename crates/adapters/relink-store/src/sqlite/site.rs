//! Reads runs, targets, pages and links of crawls. Lists are read page by page: `after`
//! is the last item of the previous call. `NOT INDEXED` makes SQLite read tasks by rowid,
//! which is the order of the result.

use relink_model::{LinkKind, Probe, RunId, TaskId, Verdict};
use relink_ports::{
    DocumentId, LinkCursor, PastVerdict, RunSummary, SiteLink, SitePage, SiteTarget, VerdictChange,
};
use rusqlite::{Connection, Row};

use super::error::DbResult;
use super::rows::{from_json, join_result, parse_name, probe_of_task, timestamp, to_i64};
use crate::values::{fragment_url, run_state, unpack_anchors};

/// Returns the latest runs. If `command` is given, returns only runs of this command.
pub(super) fn runs(
    db: &Connection,
    command: Option<&str>,
    limit: usize,
) -> DbResult<Vec<RunSummary>> {
    let mut statement = db.prepare_cached(
        "SELECT r.id, r.command, r.inputs, r.started_at, r.closed_at, r.state,
                (SELECT count(*) FROM task WHERE run_id = r.id),
                (SELECT count(*) FROM task WHERE run_id = r.id AND state = 2 /* finished */),
                (SELECT count(*) FROM document WHERE run_id = r.id AND task_id IS NOT NULL)
         FROM run r WHERE ?1 IS NULL OR r.command = ?1
         ORDER BY r.id DESC LIMIT ?2",
    )?;
    let rows = statement.query_and_then((command, to_i64(limit)), |row| {
        let inputs: String = row.get(2)?;
        DbResult::Ok(RunSummary {
            id: RunId(row.get(0)?),
            command: row.get(1)?,
            inputs: serde_json::from_str(&inputs)?,
            started_at: timestamp(row.get(3)?),
            closed_at: row.get::<_, Option<i64>>(4)?.map(timestamp),
            is_finished: row.get::<_, i64>(5)? == run_state::FINISHED,
            targets: row.get(6)?,
            checked: row.get(7)?,
            pages: row.get(8)?,
        })
    })?;
    rows.collect()
}

/// Returns the URLs of the tasks of a run that follow the task `after`.
pub(super) fn urls(
    db: &Connection,
    run: RunId,
    after: TaskId,
    limit: usize,
) -> DbResult<Vec<(TaskId, String)>> {
    let mut statement = db.prepare_cached(
        "SELECT task.id, t.url FROM task NOT INDEXED CROSS JOIN target t ON t.id = task.target_id
         WHERE task.id > ?2 AND task.run_id = ?1 ORDER BY task.id LIMIT ?3",
    )?;
    let rows = statement
        .query_map((run.0, after.0, to_i64(limit)), |row| Ok((TaskId(row.get(0)?), row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the targets of a run with their results, in the order of task ids.
pub(super) fn targets(
    db: &Connection,
    run: RunId,
    after: TaskId,
    limit: usize,
) -> DbResult<Vec<SiteTarget>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT task.id, t.url, result.verdict, result.code, result.status, result.reason,
                task.depth,
                (SELECT p.detail FROM probe p WHERE ",
        probe_of_task!(),
        ") FROM task NOT INDEXED CROSS JOIN target t ON t.id = task.target_id",
        join_result!(),
        "WHERE task.id > ?2 AND task.run_id = ?1 ORDER BY task.id LIMIT ?3"
    ))?;
    let rows = statement.query_and_then((run.0, after.0, to_i64(limit)), target_row)?;
    rows.collect()
}

/// Converts a row of the database to a target.
fn target_row(row: &Row<'_>) -> DbResult<SiteTarget> {
    let probe: Option<Probe> = from_json(row.get(7)?)?;
    let digest = probe.as_ref().and_then(|probe| probe.digest.as_deref());
    Ok(SiteTarget {
        task: TaskId(row.get(0)?),
        url: row.get(1)?,
        verdict: parse_name(row.get(2)?)?,
        code: parse_name(row.get(3)?)?,
        status: row.get(4)?,
        reason: row.get::<_, Option<String>>(5)?.unwrap_or_default(),
        depth: row.get(6)?,
        requested_at: probe.as_ref().map(|probe| probe.requested_at),
        duration_ms: probe.as_ref().map(|probe| probe.timings.total),
        bytes: digest.map(|digest| digest.bytes),
        title: digest.and_then(|digest| digest.title.clone()),
        final_url: probe.as_ref().and_then(fragment_url),
        hops: probe.iter().flat_map(|probe| &probe.hops).map(|hop| hop.url.clone()).collect(),
    })
}

/// Returns the documents of a run in the order of their ids.
pub(super) fn pages(
    db: &Connection,
    run: RunId,
    after: DocumentId,
    limit: usize,
) -> DbResult<Vec<SitePage>> {
    let mut statement = db.prepare_cached(
        "SELECT id, label, task_id, links, anchors, sitemap FROM document
         WHERE id > ?2 AND run_id = ?1 ORDER BY id LIMIT ?3",
    )?;
    let rows = statement.query_and_then((run.0, after.0, to_i64(limit)), |row| {
        DbResult::Ok(SitePage {
            document: DocumentId(row.get(0)?),
            label: row.get(1)?,
            task: row.get::<_, Option<i64>>(2)?.map(TaskId),
            is_sitemap: row.get(5)?,
            links: row.get(3)?,
            anchors: row.get::<_, Option<Vec<u8>>>(4)?.map(|anchors| unpack_anchors(&anchors)),
        })
    })?;
    rows.collect()
}

/// Returns the links of a run in the order of tasks, starting after the cursor.
pub(super) fn links(
    db: &Connection,
    run: RunId,
    (task, document, position): LinkCursor,
    limit: usize,
) -> DbResult<Vec<SiteLink>> {
    // The first call has a cursor of zeros. It starts at the first task of the run, so
    // that the links of earlier runs are not scanned.
    let mut statement = db.prepare_cached(
        "SELECT l.document_id, l.position, l.task_id, l.line, l.kind, l.fragment
         FROM link l CROSS JOIN task ON task.id = l.task_id
         WHERE (l.task_id, l.document_id, l.position)
             > (iif(?2 > 0, ?2, (SELECT ifnull(min(id), 0) FROM task WHERE run_id = ?1) - 1),
                ?3, ?4)
           AND task.run_id = ?1
         ORDER BY l.task_id, l.document_id, l.position LIMIT ?5",
    )?;
    let position = i64::try_from(position).unwrap_or(i64::MAX);
    let rows =
        statement.query_and_then((run.0, task.0, document.0, position, to_i64(limit)), |row| {
            let kind = row.get_ref(4)?.as_str().map_err(rusqlite::Error::from)?;
            DbResult::Ok(SiteLink {
                from: DocumentId(row.get(0)?),
                position: row.get(1)?,
                to: TaskId(row.get(2)?),
                line: row.get(3)?,
                kind: LinkKind::from_name(kind).unwrap_or(LinkKind::Hyperlink),
                fragment: row.get(5)?,
            })
        })?;
    rows.collect()
}

/// Returns the URLs whose verdict differs between two runs, in URL order,
/// starting after `after_url`.
pub(super) fn verdict_changes(
    db: &Connection,
    before: RunId,
    after: RunId,
    after_url: &str,
    limit: usize,
) -> DbResult<Vec<VerdictChange>> {
    let mut statement = db.prepare_cached(
        // `b` is the result before, `a` the result after. A URL may be in one run only.
        "SELECT t.url, b.verdict, a.verdict, ifnull(a.code, b.code)
         FROM (SELECT target_id FROM task WHERE run_id = ?1 AND state = 2 /* finished */
               UNION SELECT target_id FROM task WHERE run_id = ?2 AND state = 2 /* finished */) AS checked
         JOIN target t ON t.id = checked.target_id
         LEFT JOIN task tb ON tb.run_id = ?1 AND tb.target_id = t.id
         LEFT JOIN result b ON b.target_id = t.id AND b.generation = tb.generation
         LEFT JOIN task ta ON ta.run_id = ?2 AND ta.target_id = t.id
         LEFT JOIN result a ON a.target_id = t.id AND a.generation = ta.generation
         WHERE b.verdict IS NOT a.verdict AND t.url > ?3
         ORDER BY t.url LIMIT ?4",
    )?;
    let rows = statement.query_and_then((before.0, after.0, after_url, to_i64(limit)), |row| {
        DbResult::Ok(VerdictChange {
            url: row.get(0)?,
            before: parse_name(row.get(1)?)?,
            after: parse_name(row.get(2)?)?,
            code: parse_name(row.get(3)?)?,
        })
    })?;
    rows.collect()
}

/// Returns the web targets of all runs in URL order.
pub(super) fn known_urls(db: &Connection, after_url: &str, limit: usize) -> DbResult<Vec<String>> {
    let mut statement = db.prepare_cached(
        "SELECT url FROM target WHERE url > ? AND host_id IS NOT NULL ORDER BY url LIMIT ?",
    )?;
    let rows = statement.query_map((after_url, to_i64(limit)), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the verdicts of fetched targets of all runs, in the order of tasks.
pub(super) fn past_verdicts(
    db: &Connection,
    after: TaskId,
    limit: usize,
) -> DbResult<Vec<PastVerdict>> {
    let mut statement = db.prepare_cached(
        "SELECT task.id, t.url, result.checked_at, result.verdict
         FROM task NOT INDEXED CROSS JOIN target t ON t.id = task.target_id
         CROSS JOIN result
             ON result.target_id = task.target_id AND result.generation = task.generation
         WHERE task.id > ? AND task.state = 2 /* finished */ AND NOT task.cached
           AND task.host_id IS NOT NULL
         ORDER BY task.id LIMIT ?",
    )?;
    let rows = statement.query_and_then((after.0, to_i64(limit)), |row| {
        DbResult::Ok(PastVerdict {
            task: TaskId(row.get(0)?),
            url: row.get(1)?,
            checked_at: timestamp(row.get(2)?),
            // The column is `NOT NULL`, so the default is never used.
            verdict: parse_name(row.get(3)?)?.unwrap_or(Verdict::Alive),
        })
    })?;
    rows.collect()
}
