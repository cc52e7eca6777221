//! Reading results back.

use relink_model::{Attempt, Confidence, FetchPurpose, FetchTask, Probe, RunId, TaskId, Verdict};
use relink_ports::{CheckedTarget, CheckedTargetQuery, Inlinks, TargetResult};
use rusqlite::{Connection, Row};

use super::error::DbResult;
use super::mentions::InlinkReader;
use super::rows::{
    TASK_COLUMNS, from_json, moment, named, number, probe_of_task, streak, task, task_columns,
    task_is_told,
};

pub(super) fn held(
    db: &Connection,
    run: RunId,
    after: TaskId,
    limit: usize,
) -> DbResult<Vec<(FetchTask, Probe)>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        task_columns!(),
        ", (SELECT detail FROM probe WHERE id = e.probe_id)
         FROM task e INDEXED BY task_held
         CROSS JOIN target t ON t.id = e.target_id
         WHERE e.state = 1 AND e.run_id = ?1 AND e.id > ?2
         ORDER BY e.id LIMIT ?3"
    ))?;
    let rows = statement.query_and_then((run.0, after.0, number(limit)), |row| {
        let detail: String = row.get(TASK_COLUMNS)?;
        DbResult::Ok((task(db, row)?, serde_json::from_str(&detail)?))
    })?;
    rows.collect()
}

/// The columns [`settled_row`] reads, from `task e`, `target t` and
/// `outcome o`.
macro_rules! settled_columns {
    () => {
        concat!(
            "e.id, t.url, e.given, e.cached, o.looks, o.word, o.code, o.status, o.reason,
             o.since, o.settled_at, o.failed_runs, o.first_failed_at, o.last_failed_at,
             o.confidence, o.grounds, e.depth, (SELECT p.detail FROM probe p WHERE ",
            probe_of_task!(),
            ")"
        )
    };
}

pub(super) fn settled(
    db: &Connection,
    run: RunId,
    query: CheckedTargetQuery<'_>,
) -> DbResult<Vec<CheckedTarget>> {
    // NOT INDEXED: pages follow the row number, which is the input's order.
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        settled_columns!(),
        " FROM task e NOT INDEXED CROSS JOIN target t ON t.id = e.target_id
          CROSS JOIN outcome o ON o.target_id = e.target_id AND o.turn = e.turn
          WHERE e.id > ?2 AND e.run_id = ?1 AND e.state = 2
            AND (?4 IS NULL OR o.word IN (SELECT value FROM json_each(?4)))
            AND (NOT ?5 OR e.cached OR e.host_id IS NULL)
            AND ",
        task_is_told!(),
        " ORDER BY e.id LIMIT ?3"
    ))?;
    let words = query.verdicts.map(serde_json::to_string).transpose()?;
    let mut naming = InlinkReader::new(db)?;
    let rows = statement.query_and_then(
        (run.0, query.after.0, number(query.limit), words, query.is_unfetched),
        |row| settled_row(row, query.locations, &mut naming),
    )?;
    rows.collect()
}

/// One settled task.
pub(super) fn settled_one(db: &Connection, task: TaskId) -> DbResult<Option<CheckedTarget>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        settled_columns!(),
        " FROM task e CROSS JOIN target t ON t.id = e.target_id
          CROSS JOIN outcome o ON o.target_id = e.target_id AND o.turn = e.turn
          WHERE e.id = ? AND e.state = 2"
    ))?;
    let mut rows = statement.query([task.0])?;
    let row = rows.next()?;
    row.map(|row| settled_row(row, usize::MAX, &mut InlinkReader::new(db)?)).transpose()
}

fn settled_row(
    row: &Row<'_>,
    places: usize,
    naming: &mut InlinkReader<'_>,
) -> DbResult<CheckedTarget> {
    let task = TaskId(row.get(0)?);
    let url: String = row.get(1)?;
    let given: Option<String> = row.get(2)?;
    let probe: Option<Probe> = from_json(row.get(17)?)?;
    let Inlinks { locations: places, count: inlinks, .. } = naming.mentions(task, places)?;
    let stored: Option<Vec<Attempt>> = from_json(row.get(4)?)?;
    let looks = stored.unwrap_or_else(|| probe.iter().map(only_look).collect());
    let settlement = TargetResult {
        verdict: named(row.get(5)?)?.unwrap_or(Verdict::Alive),
        code: named(row.get(6)?)?,
        status: row.get(7)?,
        reason: row.get(8)?,
        since: moment(row.get(9)?),
        at: moment(row.get(10)?),
        attempts: looks,
        streak: streak(row.get(11)?, row.get(12)?, row.get(13)?),
        confidence: row.get::<_, Option<u8>>(14)?.map_or(Confidence::CERTAIN, Confidence::percent),
        evidence: from_json(row.get(15)?)?.unwrap_or_default(),
    };
    Ok(CheckedTarget {
        task,
        original_url: given.unwrap_or_else(|| url.clone()),
        url,
        result: settlement,
        is_cached: row.get(3)?,
        probe,
        locations: places,
        inlinks,
        depth: row.get(16)?,
    })
}

fn only_look(probe: &Probe) -> Attempt {
    Attempt {
        requested_at: probe.requested_at,
        purpose: FetchPurpose::Initial,
        outcome: probe.outcome.clone(),
        duration_ms: probe.timings.total,
    }
}
