//! Results: probes and the states that follow from them, and reading them back.

use std::collections::{HashMap, HashSet};

use relink_model::{
    Confidence, Errand, ErrandId, Look, Place, PlaceKind, Probe, Purpose, RunId, Span, Word,
};
use relink_ports::{
    Completed, Completion, HostLease, Mentions, Moments, PlaceIn, Settled, SettledQuery,
    Settlement, Step,
};
use rusqlite::{Connection, Row};

use super::anchors;
use super::fault::Outcome;
use super::pages::Intake;
use super::rows::{
    ERRAND_COLUMNS, errand, errand_columns, errand_is_told, from_json, link_is_told, millis,
    moment, named, number, probe_of_errand, streak,
};

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
    let mut intake = Intake::new(run, moments);
    for completion in completions {
        if completion.lease.is_some_and(|lease| lost.contains(&lease)) {
            refused.push(completion.errand);
            continue;
        }
        let probe = completion.probe.as_ref();
        let probe = probe.map(|probe| insert_probe(db, run, completion, probe)).transpose()?;
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
            }
            Step::Leave => leave(db, completion)?,
            Step::Settle(settlement) => {
                settle_errand(db, completion, settlement, probe)?;
                settle_target(db, completion, settlement, probe)?;
                if let Some(anchors) = &completion.anchors {
                    anchors::keep(db, completion.target.0, settlement.at, anchors)?;
                }
            }
        }
        if let Some(page) = &completion.page {
            intake.take(db, page, Some(completion.errand.0))?;
        }
    }
    Ok(Completed { refused, ..intake.finish(db)? })
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

/// Adds a probe, behind the one its errand had so far.
fn insert_probe(
    db: &Connection,
    run: RunId,
    completion: &Completion,
    probe: &Probe,
) -> Outcome<i64> {
    // Most errands are asked once, and then there is nothing to look up.
    let asked_before = (looks(&completion.step).len() > 1).then_some(completion.errand.0);
    db.prepare_cached(
        "INSERT INTO probe (target_id, run_id, asked_at, status, detail, prior)
         VALUES (?, ?, ?, ?, ?, (SELECT probe_id FROM errand WHERE id = ?))",
    )?
    .execute((
        completion.target.0,
        run.0,
        millis(probe.asked),
        probe.ending.status(),
        serde_json::to_string(probe)?,
        asked_before,
    ))?;
    Ok(db.last_insert_rowid())
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

fn settle_errand(
    db: &Connection,
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
    db.prepare_cached(
        "UPDATE errand SET state = 2, looks = ?, word = ?, code = ?, status = ?, reason = ?,
                           since = ?, settled_at = ?, confidence = ?, grounds = ?,
                           probe_id = ifnull(?, probe_id)
         WHERE id = ?",
    )?
    .execute((
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
    db: &Connection,
    completion: &Completion,
    settlement: &Settlement,
    probe: Option<i64>,
) -> Outcome<()> {
    let reached = settlement.word.is_reached().then_some(millis(settlement.at));
    // A page that drifted is measured against what was linked until somebody
    // accepts the change.
    let remembered = reached.filter(|_| settlement.word != Word::Drifted);
    db.prepare_cached(
        "UPDATE target SET word = ?, code = ?, status = ?, reason = ?, since = ?, checked_at = ?,
                           confidence = ?, failed_runs = ?, first_failed_at = ?,
                           last_failed_at = ?,
                           reached_at = ifnull(?, reached_at),
                           reached_probe = ifnull(?, reached_probe)
         WHERE id = ?",
    )?
    .execute((
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

pub(super) fn held(
    db: &Connection,
    run: RunId,
    after: ErrandId,
    limit: usize,
) -> Outcome<Vec<(Errand, Probe)>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        errand_columns!(),
        ", (SELECT detail FROM probe WHERE id = e.probe_id)
         FROM errand e INDEXED BY errand_held
         CROSS JOIN target t ON t.id = e.target_id
         WHERE e.state = 1 AND e.run_id = ?1 AND e.id > ?2
         ORDER BY e.id LIMIT ?3"
    ))?;
    let rows = statement.query_and_then((run.0, after.0, number(limit)), |row| {
        let detail: String = row.get(ERRAND_COLUMNS)?;
        Outcome::Ok((errand(db, row)?, serde_json::from_str(&detail)?))
    })?;
    rows.collect()
}

/// The columns [`settled_row`] reads, from `errand e` and `target t`.
macro_rules! settled_columns {
    () => {
        concat!(
            "e.id, t.url, e.given, e.cached, e.looks, e.word, e.code, e.status, e.reason,
             e.since, e.settled_at, t.failed_runs, t.first_failed_at, t.last_failed_at,
             e.confidence, e.grounds, e.depth, (SELECT p.detail FROM probe p WHERE ",
            probe_of_errand!(),
            ")"
        )
    };
}

pub(super) fn settled(
    db: &Connection,
    run: RunId,
    query: SettledQuery<'_>,
) -> Outcome<Vec<Settled>> {
    // NOT INDEXED: pages follow the row number, which is the input's order.
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        settled_columns!(),
        " FROM errand e NOT INDEXED CROSS JOIN target t ON t.id = e.target_id
          WHERE e.id > ?2 AND e.run_id = ?1 AND e.state = 2
            AND (?4 IS NULL OR e.word IN (SELECT value FROM json_each(?4)))
            AND (NOT ?5 OR e.cached OR e.host_id IS NULL)
            AND ",
        errand_is_told!(),
        " ORDER BY e.id LIMIT ?3"
    ))?;
    let words = query.words.map(serde_json::to_string).transpose()?;
    let mut labels = Labels::default();
    let rows = statement.query_and_then(
        (run.0, query.after.0, number(query.limit), words, query.is_unasked),
        |row| settled_row(db, row, query.places, &mut labels),
    )?;
    rows.collect()
}

/// One settled errand.
pub(super) fn settled_one(db: &Connection, errand: ErrandId) -> Outcome<Option<Settled>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        settled_columns!(),
        " FROM errand e CROSS JOIN target t ON t.id = e.target_id
          WHERE e.id = ? AND e.state = 2"
    ))?;
    let mut rows = statement.query([errand.0])?;
    let row = rows.next()?;
    row.map(|row| settled_row(db, row, usize::MAX, &mut Labels::default())).transpose()
}

fn settled_row(
    db: &Connection,
    row: &Row<'_>,
    places: usize,
    labels: &mut Labels,
) -> Outcome<Settled> {
    let errand = ErrandId(row.get(0)?);
    let url: String = row.get(1)?;
    let given: Option<String> = row.get(2)?;
    let probe: Option<Probe> = from_json(row.get(17)?)?;
    let Mentions { places, count: inlinks, .. } = mentions_of(db, errand, places, labels)?;
    let stored: Option<Vec<Look>> = from_json(row.get(4)?)?;
    let looks = stored.unwrap_or_else(|| probe.iter().map(only_look).collect());
    let settlement = Settlement {
        word: named(row.get(5)?)?.unwrap_or(Word::Alive),
        code: named(row.get(6)?)?,
        status: row.get(7)?,
        reason: row.get::<_, Option<String>>(8)?.unwrap_or_default(),
        since: moment(row.get::<_, Option<i64>>(9)?.unwrap_or_default()),
        at: moment(row.get::<_, Option<i64>>(10)?.unwrap_or_default()),
        looks,
        streak: streak(row.get(11)?, row.get(12)?, row.get(13)?),
        confidence: row.get::<_, Option<u8>>(14)?.map_or(Confidence::FULL, Confidence::percent),
        grounds: from_json(row.get(15)?)?.unwrap_or_default(),
    };
    Ok(Settled {
        errand,
        given: given.unwrap_or_else(|| url.clone()),
        url,
        settlement,
        is_cached: row.get(3)?,
        probe,
        places,
        inlinks,
        depth: row.get(16)?,
    })
}

fn only_look(probe: &Probe) -> Look {
    Look {
        asked: probe.asked,
        purpose: Purpose::First,
        ending: probe.ending.clone(),
        took_ms: probe.timings.total,
    }
}

/// The links that name each errand's target.
pub(super) fn mentions(
    db: &Connection,
    errands: &[ErrandId],
    places: usize,
) -> Outcome<Vec<Mentions>> {
    let mut labels = Labels::default();
    errands.iter().map(|errand| mentions_of(db, *errand, places, &mut labels)).collect()
}

fn mentions_of(
    db: &Connection,
    errand: ErrandId,
    limit: usize,
    labels: &mut Labels,
) -> Outcome<Mentions> {
    let places = places_of(db, errand, limit, labels)?;
    let count = if places.len() < limit {
        places.len() as u64
    } else {
        let mut count = db.prepare_cached(concat!(
            "SELECT count(*) FROM errand e CROSS JOIN link l ON l.errand_id = e.id
             WHERE e.id = ? AND ",
            link_is_told!()
        ))?;
        count.query_row([errand.0], |row| row.get(0))?
    };
    let are_hidden = count == 0
        && db.prepare_cached("SELECT 1 FROM link WHERE errand_id = ?")?.exists([errand.0])?;
    Ok(Mentions { places, count, are_hidden })
}

/// The labels of documents looked up so far: many links share few documents.
#[derive(Default)]
struct Labels(HashMap<i64, String>);

impl Labels {
    fn get(&mut self, db: &Connection, document: i64) -> Outcome<String> {
        if let Some(label) = self.0.get(&document) {
            return Ok(label.clone());
        }
        let label: String = db
            .prepare_cached("SELECT label FROM document WHERE id = ?")?
            .query_row([document], |row| row.get(0))?;
        self.0.insert(document, label.clone());
        Ok(label)
    }
}

/// The places that name an errand's target, in the order of their documents.
fn places_of(
    db: &Connection,
    errand: ErrandId,
    limit: usize,
    labels: &mut Labels,
) -> Outcome<Vec<PlaceIn>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT l.document_id, l.span_start, l.span_end, l.line, l.col, l.kind
         FROM errand e CROSS JOIN link l ON l.errand_id = e.id
         WHERE e.id = ? AND ",
        link_is_told!(),
        " ORDER BY l.document_id, l.position LIMIT ?"
    ))?;
    let rows = statement.query_and_then((errand.0, number(limit)), |row| {
        let kind = row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?;
        let kind = PlaceKind::named(kind).unwrap_or(PlaceKind::Link);
        let span = Span { start: row.get(1)?, end: row.get(2)? };
        let place = Place { span, line: row.get(3)?, column: row.get(4)?, kind };
        Outcome::Ok(PlaceIn { path: labels.get(db, row.get(0)?)?, place })
    })?;
    rows.collect()
}
