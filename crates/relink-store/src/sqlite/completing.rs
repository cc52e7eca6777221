//! Storing results: probes, and the states that follow from them.
//!
//! This is done for every request, so statements are prepared once for a whole
//! batch: looking one up costs as much as running a small one.

use std::collections::HashSet;

use relink_model::{Look, Probe, Purpose, RunId, Word};
use relink_ports::{Completed, Completion, HostLease, Moments, Settlement, Step};
use rusqlite::{CachedStatement, Connection, OptionalExtension as _};

use super::anchors;
use super::fault::Outcome;
use super::pages::Intake;
use super::rows::{millis, moment};

const PENDING: u8 = 0;
const HELD: u8 = 1;

/// Stores results; those asked under a lease that is lost are refused.
pub(super) fn complete(
    db: &Connection,
    run: RunId,
    completions: &[Completion],
    moments: Moments,
) -> Outcome<Completed> {
    let lost = lost_leases(db, completions)?;
    let mut refused = Vec::new();
    let mut intake = Intake::new(db, run, moments)?;
    let mut settling = Settling::new(db)?;
    for completion in completions {
        if completion.lease.is_some_and(|lease| lost.contains(&lease)) {
            refused.push(completion.errand);
            continue;
        }
        let probe = completion.probe.as_ref();
        let probe = probe.map(|probe| settling.insert(run, completion, probe)).transpose()?;
        match &completion.step {
            Step::Again { purpose, not_before, looks } => {
                let state =
                    Waiting { state: PENDING, purpose: *purpose, not_before: millis(*not_before) };
                put_off(db, completion, &state, looks, probe)?;
                if completion.lease.is_none() {
                    make_due(db, completion)?;
                }
            }
            Step::Hold { looks } => {
                let state = Waiting { state: HELD, purpose: Purpose::First, not_before: 0 };
                put_off(db, completion, &state, looks, probe)?;
                if let (Some(anchors), Some(probe)) = (&completion.anchors, &completion.probe) {
                    anchors::keep(db, completion.target.0, probe.asked, anchors)?;
                }
            }
            Step::Leave => leave(db, completion)?,
            Step::Settle(settlement) => {
                settling.settle_errand(completion, settlement, probe)?;
                let probe = match probe {
                    None => taken_up(db, completion, settlement)?,
                    new => new,
                };
                settling.settle_target(completion, settlement, probe)?;
                if let Some(anchors) = &completion.anchors {
                    anchors::keep(db, completion.target.0, settlement.at, anchors)?;
                }
            }
        }
        if let Some(page) = &completion.page {
            intake.take(page, Some(completion.errand.0))?;
        }
    }
    Ok(Completed { refused, ..intake.finish()? })
}

/// The probe that an errand was put on hold with, if its page is there after
/// all; so are then the places it was seen to have.
fn taken_up(
    db: &Connection,
    completion: &Completion,
    settlement: &Settlement,
) -> Outcome<Option<i64>> {
    if !settlement.word.is_reached() {
        return Ok(None);
    }
    let mut held = db.prepare_cached(
        "SELECT p.id, p.asked_at FROM errand e JOIN probe p ON p.id = e.probe_id WHERE e.id = ?",
    )?;
    let held = held.query_row([completion.errand.0], |row| Ok((row.get(0)?, row.get(1)?)));
    let Some((probe, asked)) = held.optional()? else { return Ok(None) };
    anchors::confirm(db, completion.target.0, moment(asked), settlement.at)?;
    Ok(Some(probe))
}

fn lost_leases(db: &Connection, completions: &[Completion]) -> Outcome<HashSet<HostLease>> {
    let leases: HashSet<HostLease> =
        completions.iter().filter_map(|completion| completion.lease).collect();
    let mut held = db.prepare_cached("SELECT 1 FROM host WHERE id = ? AND lease_no = ?")?;
    let mut lost = HashSet::new();
    for lease in leases {
        if !held.exists((lease.host.0, lease.number))? {
            lost.insert(lease);
        }
    }
    Ok(lost)
}

/// Stores what most results need.
struct Settling<'db> {
    db: &'db Connection,
    probe: CachedStatement<'db>,
    errand: CachedStatement<'db>,
    target: CachedStatement<'db>,
}

impl<'db> Settling<'db> {
    fn new(db: &'db Connection) -> Outcome<Self> {
        let probe = db.prepare_cached(
            "INSERT INTO probe (target_id, run_id, asked_at, status, detail, prior)
             VALUES (?, ?, ?, ?, ?, (SELECT probe_id FROM errand WHERE id = ?))",
        )?;
        let errand = db.prepare_cached(
            "UPDATE errand SET state = 2, looks = ?, word = ?, code = ?, status = ?, reason = ?,
                               since = ?, settled_at = ?, confidence = ?, grounds = ?,
                               probe_id = ifnull(?, probe_id)
             WHERE id = ?",
        )?;
        let target = db.prepare_cached(
            "UPDATE target SET word = ?, code = ?, status = ?, reason = ?, since = ?,
                               checked_at = ?, confidence = ?, failed_runs = ?,
                               first_failed_at = ?, last_failed_at = ?,
                               reached_at = ifnull(?, reached_at),
                               reached_probe = ifnull(?, reached_probe)
             WHERE id = ?",
        )?;
        Ok(Self { db, probe, errand, target })
    }

    /// Adds a probe, behind the one its errand had so far.
    fn insert(&mut self, run: RunId, completion: &Completion, probe: &Probe) -> Outcome<i64> {
        // Most errands are asked once, and then there is nothing to look up.
        let asked_before = (looks(&completion.step).len() > 1).then_some(completion.errand.0);
        self.probe.execute((
            completion.target.0,
            run.0,
            millis(probe.asked),
            probe.ending.status(),
            serde_json::to_string(probe)?,
            asked_before,
        ))?;
        Ok(self.db.last_insert_rowid())
    }

    fn settle_errand(
        &mut self,
        completion: &Completion,
        settlement: &Settlement,
        probe: Option<i64>,
    ) -> Outcome<()> {
        // One look is told by its probe.
        let looks = (settlement.looks.len() > 1 || completion.probe.is_none())
            .then(|| serde_json::to_string(&settlement.looks))
            .transpose()?;
        let grounds = (!settlement.grounds.is_empty())
            .then(|| serde_json::to_string(&settlement.grounds))
            .transpose()?;
        self.errand.execute((
            looks,
            settlement.word.as_str(),
            settlement.code.map(|code| code.to_string()),
            settlement.status,
            &settlement.reason,
            millis(settlement.since),
            millis(settlement.at),
            settlement.confidence.hundredths(),
            grounds,
            probe,
            completion.errand.0,
        ))?;
        Ok(())
    }

    /// Carries a settled errand over into the target's current state.
    fn settle_target(
        &mut self,
        completion: &Completion,
        settlement: &Settlement,
        probe: Option<i64>,
    ) -> Outcome<()> {
        let reached = settlement.word.is_reached().then_some(millis(settlement.at));
        // A page that drifted is measured against what was linked until somebody
        // accepts the change.
        let remembered = reached.filter(|_| settlement.word != Word::Drifted);
        self.target.execute((
            settlement.word.as_str(),
            settlement.code.map(|code| code.to_string()),
            settlement.status,
            &settlement.reason,
            millis(settlement.since),
            millis(settlement.at),
            settlement.confidence.hundredths(),
            settlement.streak.map_or(0, |streak| streak.runs),
            settlement.streak.map(|streak| millis(streak.first)),
            settlement.streak.map(|streak| millis(streak.last)),
            reached,
            probe.filter(|_| remembered.is_some()),
            completion.target.0,
        ))?;
        Ok(())
    }
}

/// The looks so far, this one included.
fn looks(step: &Step) -> &[Look] {
    match step {
        Step::Again { looks, .. } | Step::Hold { looks } => looks,
        Step::Settle(settlement) => &settlement.looks,
        Step::Leave => &[],
    }
}

/// How an errand waits: to be asked again, or on hold.
struct Waiting {
    state: u8,
    purpose: Purpose,
    not_before: i64,
}

fn put_off(
    db: &Connection,
    completion: &Completion,
    waiting: &Waiting,
    looks: &[Look],
    probe: Option<i64>,
) -> Outcome<()> {
    db.prepare_cached(
        "UPDATE errand SET state = ?, purpose = ?, not_before = ?, looks = ?,
                           probe_id = ifnull(?, probe_id)
         WHERE id = ?",
    )?
    .execute((
        waiting.state,
        waiting.purpose.as_str(),
        waiting.not_before,
        serde_json::to_string(looks)?,
        probe,
        completion.errand.0,
    ))?;
    Ok(())
}

/// Forgets an errand that is not asked after all.
fn leave(db: &Connection, completion: &Completion) -> Outcome<()> {
    db.prepare_cached("DELETE FROM link WHERE errand_id = ?")?.execute([completion.errand.0])?;
    db.prepare_cached("DELETE FROM errand WHERE id = ?")?.execute([completion.errand.0])?;
    Ok(())
}

/// Makes a host due whose errand was put back. With a lease, its holder does
/// so when giving the host back.
fn make_due(db: &Connection, completion: &Completion) -> Outcome<()> {
    db.prepare_cached(
        "UPDATE run_host SET due_at = min(ifnull(due_at, e.not_before), e.not_before)
         FROM errand e
         WHERE e.id = ? AND run_host.run_id = e.run_id AND run_host.host_id = e.host_id",
    )?
    .execute([completion.errand.0])?;
    Ok(())
}
