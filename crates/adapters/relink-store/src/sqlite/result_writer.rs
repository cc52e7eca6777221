//! Writes results in multi-row statements. The generation is a counter that grows when a
//! run starts or resumes. A target is *reached* if a server returned its page.
//!
//! A target has at most one result per generation. A later result of the same
//! generation replaces the earlier result. If the target was not reached, its result copies
//! `reached_at` and `reached_probe` of the previous result, because only the
//! latest result is read.

use std::sync::LazyLock;

use relink_model::{RunId, Verdict};
use relink_ports::{TargetResult, TaskCompletion};
use rusqlite::{CachedStatement, Connection};

use super::bulk::{Bulk, BulkSql, RowBinder, bulk_sql, insert_rows, repeat_joined};
use super::error::DbResult;
use super::history::RECORD_CHANGE;
use super::redaction;
use super::rows::millis;
use super::runs;

/// A finished task.
pub(super) struct FinishedTask<'a> {
    pub(super) completion: &'a TaskCompletion,
    pub(super) result: &'a TargetResult,
    /// The id of the last probe, or `None` if the id is stored only in `task.probe_id`.
    pub(super) probe: Option<i64>,
}

impl FinishedTask<'_> {
    /// Returns the time of the check if the target was reached.
    fn reached_at(&self) -> Option<i64> {
        self.result.verdict.is_reached().then_some(millis(self.result.checked_at))
    }

    /// Returns the probe with which later probes of the target are compared. Returns
    /// `None` for a drifted page (other content than before), so that later probes are
    /// compared with the original content.
    fn reached_probe(&self) -> Option<i64> {
        let is_reference =
            self.result.verdict.is_reached() && self.result.verdict != Verdict::Drifted;
        self.probe.filter(|_| is_reference)
    }

    /// Returns the value of `result.attempts`. Returns `None` for a single attempt, because
    /// its probe has the same data.
    fn attempts_json(&self) -> DbResult<Option<String>> {
        let attempts = &self.result.attempts;
        let equals_probe = attempts.len() == 1 && self.completion.probe.is_some();
        Ok((!equals_probe).then(|| serde_json::to_string(attempts)).transpose()?)
    }

    /// Returns the value of `result.evidence`.
    fn evidence_json(&self) -> DbResult<Option<String>> {
        let evidence = &self.result.evidence;
        if evidence.is_empty() {
            return Ok(None);
        }
        Ok(Some(redaction::json(&serde_json::to_string(evidence)?)?.into_owned()))
    }
}

/// The columns in the order of [`bind_result`].
const INTO_RESULT: &str =
    "INTO result (target_id, generation, verdict, code, status, reason, since, checked_at,
     confidence, evidence, attempts, probe_id, reached_at, reached_probe, failed_runs,
     first_failed_at, last_failed_at)";

/// Inserts results of reached targets, which need no value of the previous result. Ignores a row
/// if the target already has a result in this generation.
static INSERT_RESULTS: LazyLock<BulkSql> = LazyLock::new(|| {
    let values = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    bulk_sql(|rows| insert_rows(rows, &format!("INSERT OR IGNORE {INTO_RESULT}"), values))
});

/// Inserts or replaces a result. Copies `reached_at` and `reached_probe` from the
/// previous result if the new result has none.
static INSERT_WITH_HISTORY: LazyLock<String> = LazyLock::new(|| {
    let newest = "FROM result WHERE target_id = ?1 ORDER BY generation DESC LIMIT 1";
    let values = format!(
        "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
          ifnull(?13, (SELECT reached_at {newest})),
          ifnull(?14, (SELECT reached_probe {newest})), ?, ?, ?)"
    );
    format!("INSERT OR REPLACE {INTO_RESULT} VALUES {values}")
});

/// Marks tasks as finished.
static FINISH_TASKS: LazyLock<BulkSql> = LazyLock::new(|| {
    let update = "UPDATE task SET state = 2 /* finished */, generation = ? WHERE id IN";
    bulk_sql(|rows| format!("{update} ({})", repeat_joined(rows, "?")))
});

/// Writes results of one generation with statements prepared once.
pub(super) struct ResultWriter<'db> {
    generation: i64,
    insert: Bulk<'db>,
    insert_with_history: CachedStatement<'db>,
    finish_tasks: Bulk<'db>,
    record_change: CachedStatement<'db>,
}

impl<'db> ResultWriter<'db> {
    pub(super) fn new(db: &'db Connection, run: RunId) -> DbResult<Self> {
        Ok(Self {
            generation: runs::generation(db, run)?,
            insert: Bulk::new(db, &INSERT_RESULTS)?,
            insert_with_history: db.prepare_cached(&INSERT_WITH_HISTORY)?,
            finish_tasks: Bulk::new(db, &FINISH_TASKS)?,
            record_change: db.prepare_cached(RECORD_CHANGE)?,
        })
    }

    /// Stores the results and marks the tasks as finished.
    pub(super) fn add(&mut self, finished: &[FinishedTask<'_>]) -> DbResult<()> {
        // Compares with the stored results, so it must run first.
        self.record_changes(finished)?;
        let Self { generation, insert, insert_with_history, finish_tasks, .. } = self;
        // Most targets are reached, and then no previous value is needed.
        let (reached, others): (Vec<_>, Vec<_>) =
            finished.iter().partition(|task| task.reached_probe().is_some());
        let bind = |rows: &mut RowBinder<'_, '_>, task: &&FinishedTask<'_>| {
            bind_result(rows, *generation, task)
        };
        insert.run(&[], &reached, bind, |tasks, inserted_rows| {
            // Rows were ignored if their target has a result in this generation. Write
            // all rows again, and replace these results.
            let to_replace = if inserted_rows < tasks.len() { tasks } else { &[] };
            insert_each(insert_with_history, *generation, to_replace)
        })?;
        insert_each(insert_with_history, *generation, &others)?;
        let bind_task = |rows: &mut RowBinder<'_, '_>, task: &FinishedTask<'_>| {
            rows.bind(&[&task.completion.task.0])
        };
        finish_tasks.run(&[generation], finished, bind_task, |_, _| Ok(()))
    }
}

impl ResultWriter<'_> {
    /// Records the verdicts that differ from the verdicts of the previous generation.
    fn record_changes(&mut self, finished: &[FinishedTask<'_>]) -> DbResult<()> {
        for FinishedTask { completion, result, .. } in finished {
            let code = result.code.map(|code| code.to_string());
            let (verdict, since) = (result.verdict.as_str(), millis(result.since));
            let target = completion.target.0;
            self.record_change.execute((target, self.generation, since, verdict, code))?;
        }
        Ok(())
    }
}

/// Inserts results one by one.
fn insert_each(
    statement: &mut CachedStatement<'_>,
    generation: i64,
    finished: &[&FinishedTask<'_>],
) -> DbResult<()> {
    for task in finished {
        let mut row = RowBinder::new(statement);
        bind_result(&mut row, generation, task)?;
        row.execute()?;
    }
    Ok(())
}

/// Binds the columns of [`INTO_RESULT`].
fn bind_result(
    rows: &mut RowBinder<'_, '_>,
    generation: i64,
    task: &FinishedTask<'_>,
) -> DbResult<()> {
    let FinishedTask { completion, result, probe } = task;
    rows.bind(&[
        &completion.target.0,
        &generation,
        &result.verdict.as_str(),
        &result.code.map(|code| code.to_string()),
        &result.status,
        &redaction::text(&result.reason),
        &millis(result.since),
        &millis(result.checked_at),
        &result.confidence.as_percent(),
        &task.evidence_json()?,
        &task.attempts_json()?,
        probe,
        &task.reached_at(),
        &task.reached_probe(),
        &result.streak.map_or(0, |streak| streak.runs),
        &result.streak.map(|streak| millis(streak.first_at)),
        &result.streak.map(|streak| millis(streak.last_at)),
    ])
}
