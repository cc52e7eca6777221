//! Reading results back.

use std::collections::HashMap;

use relink_model::{
    Confidence, Errand, ErrandId, Look, Place, PlaceKind, Probe, Purpose, RunId, Span, Word,
};
use relink_ports::{Mentions, PlaceIn, Settled, SettledQuery, Settlement};
use rusqlite::{CachedStatement, Connection, Row};

use super::fault::Outcome;
use super::rows::{
    ERRAND_COLUMNS, errand, errand_columns, errand_is_told, from_json, link_is_told, moment, named,
    number, probe_of_errand, streak,
};

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
    let mut naming = Naming::new(db)?;
    let rows = statement.query_and_then(
        (run.0, query.after.0, number(query.limit), words, query.is_unasked),
        |row| settled_row(row, query.places, &mut naming),
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
    row.map(|row| settled_row(row, usize::MAX, &mut Naming::new(db)?)).transpose()
}

fn settled_row(row: &Row<'_>, places: usize, naming: &mut Naming<'_>) -> Outcome<Settled> {
    let errand = ErrandId(row.get(0)?);
    let url: String = row.get(1)?;
    let given: Option<String> = row.get(2)?;
    let probe: Option<Probe> = from_json(row.get(17)?)?;
    let Mentions { places, count: inlinks, .. } = naming.mentions(errand, places)?;
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
    let mut naming = Naming::new(db)?;
    errands.iter().map(|errand| naming.mentions(*errand, places)).collect()
}

/// Finds the places that name a target.
struct Naming<'db> {
    db: &'db Connection,
    places: CachedStatement<'db>,
    /// The labels of documents looked up so far: many links share few.
    labels: HashMap<i64, String>,
}

impl<'db> Naming<'db> {
    fn new(db: &'db Connection) -> Outcome<Self> {
        let places = db.prepare_cached(concat!(
            "SELECT l.document_id, l.span_start, l.span_end, l.line, l.col, l.kind
             FROM errand e CROSS JOIN link l ON l.errand_id = e.id
             WHERE e.id = ? AND ",
            link_is_told!(),
            " ORDER BY l.document_id, l.position LIMIT ?"
        ))?;
        Ok(Self { db, places, labels: HashMap::new() })
    }

    fn mentions(&mut self, errand: ErrandId, limit: usize) -> Outcome<Mentions> {
        let places = self.places(errand, limit)?;
        let count = if places.len() < limit { places.len() as u64 } else { self.count(errand)? };
        let are_hidden = count == 0 && self.is_linked(errand)?;
        Ok(Mentions { places, count, are_hidden })
    }

    /// The places that name an errand's target, in the order of their documents.
    fn places(&mut self, errand: ErrandId, limit: usize) -> Outcome<Vec<PlaceIn>> {
        let Self { db, places, labels } = self;
        let rows = places.query_and_then((errand.0, number(limit)), |row| {
            let kind = row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?;
            let kind = PlaceKind::named(kind).unwrap_or(PlaceKind::Link);
            let span = Span { start: row.get(1)?, end: row.get(2)? };
            let place = Place { span, line: row.get(3)?, column: row.get(4)?, kind };
            Outcome::Ok(PlaceIn { path: label(db, labels, row.get(0)?)?, place })
        })?;
        rows.collect()
    }

    /// How many links name it that do not hide it.
    fn count(&self, errand: ErrandId) -> Outcome<u64> {
        let mut count = self.db.prepare_cached(concat!(
            "SELECT count(*) FROM errand e CROSS JOIN link l ON l.errand_id = e.id
             WHERE e.id = ? AND ",
            link_is_told!()
        ))?;
        Ok(count.query_row([errand.0], |row| row.get(0))?)
    }

    /// Whether any link names it.
    fn is_linked(&self, errand: ErrandId) -> Outcome<bool> {
        let mut linked = self.db.prepare_cached("SELECT 1 FROM link WHERE errand_id = ?")?;
        Ok(linked.exists([errand.0])?)
    }
}

fn label(db: &Connection, known: &mut HashMap<i64, String>, document: i64) -> Outcome<String> {
    if let Some(label) = known.get(&document) {
        return Ok(label.clone());
    }
    let label: String = db
        .prepare_cached("SELECT label FROM document WHERE id = ?")?
        .query_row([document], |row| row.get(0))?;
    known.insert(document, label.clone());
    Ok(label)
}
