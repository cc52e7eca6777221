//! Storing results: probes, and the states that follow from them.
//!
//! This is done for every request, so statements are prepared once for a whole
//! batch: looking one up costs as much as running a small one.

use std::sync::LazyLock;

use relink_model::{Look, Probe, Purpose, RunId};
use relink_ports::{Completed, Completion, HostLease, Moments, Settlement, Step};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension as _};

use super::anchors;
use super::fault::Outcome;
use super::many::{Bulk, Rows, Texts, first_number, many, texts};
use super::outcomes::{Outcomes, SettledErrand};
use super::pages::Intake;
use super::redaction;
use super::rows::{millis, moment};

const PENDING: u8 = 0;
const HELD: u8 = 1;

/// What most probes fit in, in bytes of JSON.
const USUAL_DETAIL: usize = 1024;

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
    let numbers = insert_probes(db, run, &accepted)?;
    let mut settled = Vec::with_capacity(accepted.len());
    for (completion, probe) in accepted.iter().copied().zip(numbers) {
        settled.extend(take_step(db, completion, probe)?);
    }
    Outcomes::new(db, run)?.add(&settled)?;
    let mut intake = Intake::new(db, run, moments)?;
    for completion in accepted {
        if let Some(page) = &completion.page {
            intake.take(page, Some(completion.errand.0))?;
        }
    }
    Ok(Completed { refused, ..intake.finish()? })
}

/// What follows for the errand itself: it waits, is left, or is settled now.
fn take_step<'a>(
    db: &Connection,
    completion: &'a Completion,
    probe: Option<i64>,
) -> Outcome<Option<SettledErrand<'a>>> {
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
            let probe = match probe {
                None => taken_up(db, completion, settlement)?,
                known => known,
            };
            if let Some(anchors) = &completion.anchors {
                anchors::keep(db, completion.target.0, settlement.at, anchors)?;
            }
            return Ok(Some(SettledErrand { completion, settlement, probe }));
        }
    }
    Ok(None)
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

fn lost_leases(db: &Connection, completions: &[Completion]) -> Outcome<Vec<HostLease>> {
    let mut leases: Vec<HostLease> =
        completions.iter().filter_map(|completion| completion.lease).collect();
    leases.sort_unstable_by_key(|lease| (lease.host.0, lease.number));
    leases.dedup();
    let mut held = db.prepare_cached("SELECT 1 FROM host WHERE id = ? AND lease_no = ?")?;
    let mut lost = Vec::new();
    for lease in leases {
        if !held.exists((lease.host.0, lease.number))? {
            lost.push(lease);
        }
    }
    Ok(lost)
}

const INTO: &str = "INSERT OR FAIL INTO probe (target_id, run_id, asked_at, status, detail";

/// Stores the first probes of errands.
static FIRST_PROBES: LazyLock<Texts> =
    LazyLock::new(|| texts(|rows| many(rows, &format!("{INTO})"), "(?, ?, ?, ?, ?)")));

/// Stores probes behind those that their errands had so far.
static NEXT_PROBES: LazyLock<Texts> = LazyLock::new(|| {
    let values = "(?, ?, ?, ?, ?, (SELECT probe_id FROM errand WHERE id = ?))";
    texts(|rows| many(rows, &format!("{INTO}, prior)"), values))
});

/// Adds the probes of all that have one; returns their numbers.
fn insert_probes(
    db: &Connection,
    run: RunId,
    completions: &[&Completion],
) -> Outcome<Vec<Option<i64>>> {
    let with_probe = completions
        .iter()
        .enumerate()
        .filter_map(|(at, completion)| Some((at, *completion, completion.probe.as_ref()?)));
    let (first, next): (Vec<_>, Vec<_>) =
        with_probe.partition(|(_, completion, _)| looks(&completion.step).len() <= 1);
    let mut numbers = vec![None; completions.len()];
    let mut number = |stored: &[(usize, &Completion, &Probe)], _| {
        for ((at, ..), number) in stored.iter().zip(first_number(db, stored.len())..) {
            numbers[*at] = Some(number);
        }
        Ok(())
    };
    let put_first = |rows: &mut Rows<'_, '_>, (_, completion, probe): &(_, &Completion, &Probe)| {
        put_probe(rows, run, completion, probe)
    };
    Bulk::new(db, &FIRST_PROBES)?.run(&[], &first, put_first, &mut number)?;
    let put_next = |rows: &mut Rows<'_, '_>, (_, completion, probe): &(_, &Completion, &Probe)| {
        put_probe(rows, run, completion, probe)?;
        rows.put(&[&completion.errand.0])
    };
    Bulk::new(db, &NEXT_PROBES)?.run(&[], &next, put_next, &mut number)?;
    Ok(numbers)
}

fn put_probe(
    rows: &mut Rows<'_, '_>,
    run: RunId,
    completion: &Completion,
    probe: &Probe,
) -> Outcome<()> {
    let mut detail = Vec::with_capacity(USUAL_DETAIL);
    serde_json::to_writer(&mut detail, probe)?;
    let detail = redaction::json_bytes(&detail)?;
    rows.put(&[
        &completion.target.0,
        &run.0,
        &millis(probe.asked),
        &probe.ending.status(),
        &ToSqlOutput::Borrowed(ValueRef::Text(&detail)),
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
        "UPDATE errand SET state = ?, purpose = ?, not_before = ?, looks = ?, turn = NULL,
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
