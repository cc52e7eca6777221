//! From rows to the model's words and back.

use jiff::Timestamp;
use relink_model::{
    Attempt, FailureStreak, FetchPurpose, FetchTask, History, Probe, RequestRights, TargetId,
    TaskId,
};
use rusqlite::{Connection, Row};
use serde::de::DeserializeOwned;

use super::error::DbResult;

/// Milliseconds since 1970.
pub(super) fn millis(moment: Timestamp) -> i64 {
    moment.as_millisecond()
}

/// The moment of so many milliseconds since 1970; the ends of time if beyond.
pub(super) fn moment(millis: i64) -> Timestamp {
    let end = if millis < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(millis).unwrap_or(end)
}

/// A count or limit as SQLite takes it.
pub(super) fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A word, a code or a kind from the text it is stored as.
pub(super) fn named<T: DeserializeOwned>(text: Option<String>) -> DbResult<Option<T>> {
    Ok(text.map(|text| serde_json::from_value(text.into())).transpose()?)
}

/// A value from the JSON it is stored as.
pub(super) fn from_json<T: DeserializeOwned>(text: Option<String>) -> DbResult<Option<T>> {
    Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
}

/// The columns [`task`] reads, from `task e` and `target t`.
macro_rules! task_columns {
    () => {
        "e.id, e.target_id, t.url, e.given, e.named, e.purpose, e.not_before, e.looks,
         EXISTS (SELECT 1 FROM outcome WHERE target_id = e.target_id), e.depth"
    };
}
pub(super) use task_columns;

/// How many columns [`task`] reads.
pub(super) const TASK_COLUMNS: usize = 10;

/// Joins `task e` with its `outcome o`, if it has one.
macro_rules! with_outcome {
    () => {
        " LEFT JOIN outcome o ON o.target_id = e.target_id AND o.turn = e.turn "
    };
}
pub(super) use with_outcome;

/// Whether `link l` is told of a task's `outcome o`: unless its document says
/// to leave alone what was found.
macro_rules! link_is_told {
    () => {
        "(l.hidden IS NULL OR ifnull(instr(l.hidden, ' ' || o.code || ' '), 0) = 0)"
    };
}
pub(super) use link_is_told;

/// Whether `task e` with its `outcome o` is told: unless all its links say to
/// leave it alone.
macro_rules! task_is_told {
    () => {
        concat!(
            "(o.code IS NULL
              OR EXISTS (SELECT 1 FROM link l WHERE l.task_id = e.id AND ",
            crate::sqlite::rows::link_is_told!(),
            ") OR NOT EXISTS (SELECT 1 FROM link l WHERE l.task_id = e.id))"
        )
    };
}
pub(super) use task_is_told;

/// That `probe p` is the last one of `task e` with `outcome o`: its own, or
/// for an answer from memory the one that reached the page. Numbers of forgotten
/// probes are given again, so the number alone proves nothing.
macro_rules! probe_of_task {
    () => {
        "p.id = iif(e.cached, o.reached_probe, ifnull(o.probe_id, e.probe_id))
         AND p.target_id = e.target_id AND (e.cached OR p.run_id = e.run_id)"
    };
}
pub(super) use probe_of_task;

/// Reads a task with what is known of its target.
pub(super) fn task(db: &Connection, row: &Row<'_>) -> DbResult<FetchTask> {
    let url: String = row.get(2)?;
    let given: Option<String> = row.get(3)?;
    let target = TargetId(row.get(1)?);
    let is_known: bool = row.get(8)?;
    Ok(FetchTask {
        id: TaskId(row.get(0)?),
        target,
        original_url: given.unwrap_or_else(|| url.clone()),
        url,
        rights: RequestRights::from_stored(row.get(4)?),
        depth: row.get(9)?,
        purpose: purpose(row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?),
        not_before: moment(row.get(6)?),
        attempts: from_json::<Vec<Attempt>>(row.get(7)?)?.unwrap_or_default(),
        history: if is_known { history(db, target)? } else { History::default() },
    })
}

/// What earlier runs concluded about a target. A statement of its own, because
/// most targets of a first run have none.
fn history(db: &Connection, target: TargetId) -> DbResult<History> {
    let mut statement = db.prepare_cached(
        "SELECT t.word, t.code, t.since, t.settled_at, t.reached_at,
                t.failed_runs, t.first_failed_at, t.last_failed_at, p.detail
         FROM standing t LEFT JOIN probe p ON p.id = t.reached_probe WHERE t.id = ?",
    )?;
    let mut rows = statement.query([target.0])?;
    let Some(row) = rows.next()? else { return Ok(History::default()) };
    let reached = from_json::<Probe>(row.get(8)?)?;
    Ok(History {
        verdict: named(row.get(0)?)?,
        code: named(row.get(1)?)?,
        since: row.get::<_, Option<i64>>(2)?.map(moment),
        checked: row.get::<_, Option<i64>>(3)?.map(moment),
        last_reached: row.get::<_, Option<i64>>(4)?.map(moment),
        streak: streak(row.get(5)?, row.get(6)?, row.get(7)?),
        final_url: reached.as_ref().and_then(landing),
        digest: reached.and_then(|probe| probe.digest),
    })
}

/// The address at which a probe found its page.
fn landing(probe: &Probe) -> Option<String> {
    probe.hops.last().map(|hop| hop.url.clone())
}

fn purpose(text: &str) -> FetchPurpose {
    FetchPurpose::ALL
        .into_iter()
        .find(|purpose| purpose.as_str() == text)
        .unwrap_or(FetchPurpose::Initial)
}

/// A failure streak from its three columns.
pub(super) fn streak(runs: u32, first: Option<i64>, last: Option<i64>) -> Option<FailureStreak> {
    match (runs, first, last) {
        (1.., Some(first), Some(last)) => {
            Some(FailureStreak { runs, first: moment(first), last: moment(last) })
        }
        _ => None,
    }
}
