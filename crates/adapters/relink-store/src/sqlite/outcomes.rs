//! Outcomes: what was found out about targets, stored many rows to a statement.
//!
//! A target has one outcome for each turn in which something was found out; if
//! it is settled again within a turn, the last counts. The newest outcome is the
//! target's present state, so it carries over what is still true of the one
//! before.

use std::sync::LazyLock;

use relink_model::{RunId, Verdict};
use relink_ports::{TargetResult, TaskCompletion};
use rusqlite::{CachedStatement, Connection};

use super::bulk::{Bulk, Rows, Texts, listed, many, texts};
use super::error::DbResult;
use super::redaction;
use super::rows::millis;
use super::runs;

/// A task that is settled.
pub(super) struct FinishedTask<'a> {
    pub(super) completion: &'a TaskCompletion,
    pub(super) result: &'a TargetResult,
    /// The number of its last probe, unless the task has it already.
    pub(super) probe: Option<i64>,
}

impl FinishedTask<'_> {
    /// When its target was reached, if it was.
    fn reached_at(&self) -> Option<i64> {
        self.result.verdict.is_reached().then_some(millis(self.result.at))
    }

    /// The probe that its target is measured against from now on. A page that
    /// drifted is measured against what was linked until somebody accepts the
    /// change.
    fn reached_probe(&self) -> Option<i64> {
        let is_remembered =
            self.result.verdict.is_reached() && self.result.verdict != Verdict::Drifted;
        self.probe.filter(|_| is_remembered)
    }

    /// Its looks as they are stored: a single one is told by its probe.
    fn looks(&self) -> DbResult<Option<String>> {
        let looks = &self.result.attempts;
        let are_told = looks.len() == 1 && self.completion.probe.is_some();
        Ok((!are_told).then(|| serde_json::to_string(looks)).transpose()?)
    }

    fn grounds(&self) -> DbResult<Option<String>> {
        let grounds = &self.result.evidence;
        if grounds.is_empty() {
            return Ok(None);
        }
        Ok(Some(redaction::json(&serde_json::to_string(grounds)?)?.into_owned()))
    }
}

/// The columns in the order of [`put`].
const INTO: &str = "INTO outcome (target_id, turn, word, code, status, reason, since, settled_at,
     confidence, grounds, looks, probe_id, reached_at, reached_probe, failed_runs,
     first_failed_at, last_failed_at)";

/// Stores outcomes that say all themselves, unless their target has one in this
/// turn.
static PLAIN: LazyLock<Texts> = LazyLock::new(|| {
    let values = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    texts(|rows| many(rows, &format!("INSERT OR IGNORE {INTO}"), values))
});

/// Stores an outcome that carries over from the one before when its target was
/// reached.
static CARRY: LazyLock<String> = LazyLock::new(|| {
    let newest = "FROM outcome WHERE target_id = ?1 ORDER BY turn DESC LIMIT 1";
    let values = format!(
        "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
          ifnull(?13, (SELECT reached_at {newest})),
          ifnull(?14, (SELECT reached_probe {newest})), ?, ?, ?)"
    );
    format!("INSERT OR REPLACE {INTO} VALUES {values}")
});

static SETTLE: LazyLock<Texts> = LazyLock::new(|| {
    let settle = "UPDATE task SET state = 2, turn = ? WHERE id IN";
    texts(|rows| format!("{settle} ({})", listed(rows, "?")))
});

/// Stores outcomes.
pub(super) struct ResultWriter<'db> {
    generation: i64,
    plain: Bulk<'db>,
    carrying: CachedStatement<'db>,
    settle: Bulk<'db>,
}

impl<'db> ResultWriter<'db> {
    pub(super) fn new(db: &'db Connection, run: RunId) -> DbResult<Self> {
        Ok(Self {
            generation: runs::generation(db, run)?,
            plain: Bulk::new(db, &PLAIN)?,
            carrying: db.prepare_cached(&CARRY)?,
            settle: Bulk::new(db, &SETTLE)?,
        })
    }

    /// Stores what was found out, and marks the tasks as settled.
    pub(super) fn add(&mut self, settled: &[FinishedTask<'_>]) -> DbResult<()> {
        let Self { generation: turn, plain, carrying, settle } = self;
        // Most pages are there, and then nothing is carried over.
        let (there, others): (Vec<_>, Vec<_>) =
            settled.iter().partition(|settled| settled.reached_probe().is_some());
        let put_plain = |rows: &mut Rows<'_, '_>, one: &&FinishedTask<'_>| put(rows, *turn, one);
        plain.run(&[], &there, put_plain, |stored, new| {
            // Some may have been settled in this turn before.
            let again = if new < stored.len() { stored } else { &[] };
            add_each(carrying, *turn, again)
        })?;
        add_each(carrying, *turn, &others)?;
        let put_task =
            |rows: &mut Rows<'_, '_>, one: &FinishedTask<'_>| rows.put(&[&one.completion.task.0]);
        settle.run(&[turn], settled, put_task, |_, _| Ok(()))
    }
}

fn add_each(
    statement: &mut CachedStatement<'_>,
    turn: i64,
    settled: &[&FinishedTask<'_>],
) -> DbResult<()> {
    for one in settled {
        let mut row = Rows::of(statement);
        put(&mut row, turn, one)?;
        row.run()?;
    }
    Ok(())
}

fn put(rows: &mut Rows<'_, '_>, turn: i64, settled: &FinishedTask<'_>) -> DbResult<()> {
    let FinishedTask { completion, result: settlement, probe } = settled;
    rows.put(&[
        &completion.target.0,
        &turn,
        &settlement.verdict.as_str(),
        &settlement.code.map(|code| code.to_string()),
        &settlement.status,
        &redaction::text(&settlement.reason),
        &millis(settlement.since),
        &millis(settlement.at),
        &settlement.confidence.as_percent(),
        &settled.grounds()?,
        &settled.looks()?,
        probe,
        &settled.reached_at(),
        &settled.reached_probe(),
        &settlement.streak.map_or(0, |streak| streak.runs),
        &settlement.streak.map(|streak| millis(streak.first)),
        &settlement.streak.map(|streak| millis(streak.last)),
    ])
}
