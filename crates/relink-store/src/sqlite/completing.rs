//! Storing results: probes, and the states that follow from them.
//!
//! This is done for every request, so statements are prepared once for a whole
//! batch: looking one up costs as much as running a small one.

use std::collections::HashSet;

use relink_model::{Look, Probe, Purpose, RunId, Word};
use relink_ports::{Completed, Completion, HostLease, Moments, Settlement, Step};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, OptionalExtension as _};

use super::anchors;
use super::fault::Outcome;
use super::many::{ROWS, Rows, first_number, many};
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
    let is_refused =
        |completion: &&Completion| completion.lease.is_some_and(|lease| lost.contains(&lease));
    let refused = completions.iter().filter(is_refused).map(|refused| refused.errand).collect();
    let accepted: Vec<&Completion> =
        completions.iter().filter(|completion| !is_refused(completion)).collect();
    // Table by table: each then stays where it is quickly reached.
    let mut settling = Settling::new(db)?;
    let mut probes = settling.insert_probes(run, &accepted)?;
    for (completion, probe) in accepted.iter().zip(&mut probes) {
        take_step(db, &mut settling, completion, probe)?;
    }
    for (completion, probe) in accepted.iter().zip(&probes) {
        if let Step::Settle(settlement) = &completion.step {
            settling.settle_target(completion, settlement, *probe)?;
        }
    }
    let mut intake = Intake::new(db, run, moments)?;
    for completion in accepted {
        if let Some(page) = &completion.page {
            intake.take(page, Some(completion.errand.0))?;
        }
    }
    Ok(Completed { refused, ..intake.finish()? })
}

/// What follows for the errand itself. Its probe may be one it has already.
fn take_step(
    db: &Connection,
    settling: &mut Settling<'_>,
    completion: &Completion,
    probe: &mut Option<i64>,
) -> Outcome<()> {
    match &completion.step {
        Step::Again { purpose, not_before, looks } => {
            let state =
                Waiting { state: PENDING, purpose: *purpose, not_before: millis(*not_before) };
            put_off(db, completion, &state, looks, *probe)?;
            if completion.lease.is_none() {
                make_due(db, completion)?;
            }
        }
        Step::Hold { looks } => {
            let state = Waiting { state: HELD, purpose: Purpose::First, not_before: 0 };
            put_off(db, completion, &state, looks, *probe)?;
            if let (Some(anchors), Some(probe)) = (&completion.anchors, &completion.probe) {
                anchors::keep(db, completion.target.0, probe.asked, anchors)?;
            }
        }
        Step::Leave => leave(db, completion)?,
        Step::Settle(settlement) => {
            settling.settle_errand(completion, settlement, *probe)?;
            if probe.is_none() {
                *probe = taken_up(db, completion, settlement)?;
            }
            if let Some(anchors) = &completion.anchors {
                anchors::keep(db, completion.target.0, settlement.at, anchors)?;
            }
        }
    }
    Ok(())
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
    probes: CachedStatement<'db>,
    errand: CachedStatement<'db>,
    target: CachedStatement<'db>,
    /// Room for a probe on its way.
    json: Vec<u8>,
}

impl<'db> Settling<'db> {
    fn new(db: &'db Connection) -> Outcome<Self> {
        let insertion =
            "INSERT OR FAIL INTO probe (target_id, run_id, asked_at, status, detail, prior)";
        let values = "(?, ?, ?, ?, ?, (SELECT probe_id FROM errand WHERE id = ?))";
        let probe = db.prepare_cached(&format!("{insertion} VALUES {values}"))?;
        let probes = db.prepare_cached(&many(insertion, values))?;
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
        Ok(Self { db, probe, probes, errand, target, json: Vec::new() })
    }

    /// Adds the probes of all that have one; returns their numbers.
    fn insert_probes(
        &mut self,
        run: RunId,
        completions: &[&Completion],
    ) -> Outcome<Vec<Option<i64>>> {
        let mut numbers = vec![None; completions.len()];
        let with_probe: Vec<(usize, &Completion, &Probe)> = completions
            .iter()
            .enumerate()
            .filter_map(|(at, completion)| Some((at, *completion, completion.probe.as_ref()?)))
            .collect();
        let (full, rest) = with_probe.as_chunks::<ROWS>();
        for chunk in full {
            let mut rows = Rows::of(&mut self.probes);
            for (_, completion, probe) in chunk {
                put_probe(&mut rows, run, completion, probe, &mut self.json)?;
            }
            rows.insert()?;
            for ((at, ..), number) in chunk.iter().zip(first_number(self.db)..) {
                numbers[*at] = Some(number);
            }
        }
        for (at, completion, probe) in rest {
            let mut row = Rows::of(&mut self.probe);
            put_probe(&mut row, run, completion, probe, &mut self.json)?;
            row.insert()?;
            numbers[*at] = Some(self.db.last_insert_rowid());
        }
        Ok(numbers)
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

/// Puts a probe behind the one its errand had so far.
fn put_probe(
    rows: &mut Rows<'_, '_>,
    run: RunId,
    completion: &Completion,
    probe: &Probe,
    json: &mut Vec<u8>,
) -> Outcome<()> {
    // Most errands are asked once, and then there is nothing to look up.
    let asked_before = (looks(&completion.step).len() > 1).then_some(completion.errand.0);
    json.clear();
    serde_json::to_writer(&mut *json, probe)?;
    rows.put(&[
        &completion.target.0,
        &run.0,
        &millis(probe.asked),
        &probe.ending.status(),
        &ToSqlOutput::Borrowed(ValueRef::Text(json)),
        &asked_before,
    ])
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
