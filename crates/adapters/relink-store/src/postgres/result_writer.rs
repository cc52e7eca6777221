//! Writes results in multi-row statements.
//!
//! The generation is a counter that grows when a run starts or resumes. A target has at
//! most one result per generation. A later result of the same generation replaces it. A
//! target is *reached* if a server returned its page. If the target was not reached, its
//! result copies `reached_at` and `reached_probe` of the previous result, because only
//! the latest result is read.

use std::collections::HashMap;

use relink_model::{RunId, Verdict};
use relink_ports::{TargetResult, TaskCompletion};

use super::error::DbResult;
use super::history::record_changes;
use super::rows::{millis, stored_text};
use super::runs;
use super::session::Db;
use crate::redaction;

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
        let verdict = self.result.verdict;
        self.probe.filter(|_| verdict.is_reached() && verdict != Verdict::Drifted)
    }

    /// Returns the value of `result.attempts`, or `None` for a single attempt, which is
    /// restored from its probe.
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

/// Inserts or replaces results and records changes of verdicts. Copies `reached_at` and
/// `reached_probe` from the previous result if the new result has none.
pub(super) const INSERT_RESULTS: &str = concat!(
    "WITH new AS (
         SELECT * FROM unnest(
                 $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bigint[],
                 $8::bigint[], $9::bigint[], $10::text[], $11::text[], $12::bigint[],
                 $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[])
         AS new (target, verdict, code, status, reason, since, checked_at, confidence, evidence,
                 attempts, probe, reached_at, reached_probe, failed_runs, first_failed_at,
                 last_failed_at)),",
    record_changes!("$1"),
    "INSERT INTO result (target_id, generation, verdict, code, status, reason,
         since, checked_at, confidence, evidence, attempts, probe_id, reached_at, reached_probe,
         failed_runs, first_failed_at, last_failed_at)
     SELECT new.target, $1, new.verdict, new.code, new.status, new.reason, new.since,
            new.checked_at, new.confidence, new.evidence, new.attempts, new.probe,
            coalesce(new.reached_at, last.reached_at),
            coalesce(new.reached_probe, last.reached_probe),
            new.failed_runs, new.first_failed_at, new.last_failed_at
     FROM new
     LEFT JOIN LATERAL (SELECT reached_at, reached_probe FROM result
                        WHERE new.reached_probe IS NULL AND target_id = new.target
                        ORDER BY generation DESC LIMIT 1) AS last ON TRUE
     ON CONFLICT (target_id, generation) DO UPDATE SET
         verdict = excluded.verdict, code = excluded.code, status = excluded.status,
         reason = excluded.reason, since = excluded.since, checked_at = excluded.checked_at,
         confidence = excluded.confidence, evidence = excluded.evidence,
         attempts = excluded.attempts, probe_id = excluded.probe_id,
         reached_at = excluded.reached_at, reached_probe = excluded.reached_probe,
         failed_runs = excluded.failed_runs, first_failed_at = excluded.first_failed_at,
         last_failed_at = excluded.last_failed_at"
);

/// Marks tasks as finished.
pub(super) const FINISH_TASKS: &str =
    "UPDATE task SET state = 2 /* finished */, generation = $1 WHERE id = ANY($2)";

/// Stores the results and marks the tasks as finished.
pub(super) async fn add(db: &Db<'_>, run: RunId, finished: &[FinishedTask<'_>]) -> DbResult<()> {
    if finished.is_empty() {
        return Ok(());
    }
    let generation = runs::generation(db, run).await?;
    insert_results(db, generation, &last_of_each_target(finished)).await?;
    let tasks: Vec<i64> = finished.iter().map(|task| task.completion.task.0).collect();
    db.execute(FINISH_TASKS, &[&generation, &tasks]).await?;
    Ok(())
}

/// Returns the last result of each target, because one statement cannot write a
/// row twice.
fn last_of_each_target<'task, 'data>(
    finished: &'task [FinishedTask<'data>],
) -> Vec<&'task FinishedTask<'data>> {
    let last: HashMap<i64, usize> = finished
        .iter()
        .enumerate()
        .map(|(index, task)| (task.completion.target.0, index))
        .collect();
    let is_last = |(index, task): &(usize, &FinishedTask<'_>)| {
        last.get(&task.completion.target.0) == Some(index)
    };
    finished.iter().enumerate().filter(is_last).map(|(_, task)| task).collect()
}

/// Runs [`INSERT_RESULTS`] with one array per column.
async fn insert_results(db: &Db<'_>, generation: i64, tasks: &[&FinishedTask<'_>]) -> DbResult<()> {
    let targets: Vec<i64> = tasks.iter().map(|task| task.completion.target.0).collect();
    let results: Vec<&TargetResult> = tasks.iter().map(|task| task.result).collect();
    let verdicts: Vec<&str> = results.iter().map(|result| result.verdict.as_str()).collect();
    let codes: Vec<Option<String>> =
        results.iter().map(|result| result.code.map(|code| code.to_string())).collect();
    let statuses: Vec<Option<i64>> =
        results.iter().map(|result| result.status.map(i64::from)).collect();
    let reasons: Vec<String> = results.iter().map(|result| stored_text(&result.reason)).collect();
    let since: Vec<i64> = results.iter().map(|result| millis(result.since)).collect();
    let checked_at: Vec<i64> = results.iter().map(|result| millis(result.checked_at)).collect();
    let confidences: Vec<i64> =
        results.iter().map(|result| i64::from(result.confidence.as_percent())).collect();
    let evidence: Vec<Option<String>> =
        tasks.iter().map(|task| task.evidence_json()).collect::<DbResult<_>>()?;
    let attempts: Vec<Option<String>> =
        tasks.iter().map(|task| task.attempts_json()).collect::<DbResult<_>>()?;
    let probes: Vec<Option<i64>> = tasks.iter().map(|task| task.probe).collect();
    let reached_at: Vec<Option<i64>> = tasks.iter().map(|task| task.reached_at()).collect();
    let reached_probes: Vec<Option<i64>> = tasks.iter().map(|task| task.reached_probe()).collect();
    let streaks: Vec<_> = results.iter().map(|result| result.streak).collect();
    let failed_runs: Vec<i64> =
        streaks.iter().map(|streak| streak.map_or(0, |streak| i64::from(streak.runs))).collect();
    let first_failures: Vec<Option<i64>> =
        streaks.iter().map(|streak| streak.map(|streak| millis(streak.first_at))).collect();
    let last_failures: Vec<Option<i64>> =
        streaks.iter().map(|streak| streak.map(|streak| millis(streak.last_at))).collect();
    db.execute(
        INSERT_RESULTS,
        &[
            &generation,
            &targets,
            &verdicts,
            &codes,
            &statuses,
            &reasons,
            &since,
            &checked_at,
            &confidences,
            &evidence,
            &attempts,
            &probes,
            &reached_at,
            &reached_probes,
            &failed_runs,
            &first_failures,
            &last_failures,
        ],
    )
    .await?;
    Ok(())
}
