//! Reading results back.

use relink_model::{Confidence, Errand, ErrandId, Look, Probe, Purpose, RunId, Word};
use relink_ports::{Mentions, Settled, SettledQuery, Settlement};
use rusqlite::{Connection, Row};

use super::fault::Outcome;
use super::mentions::Naming;
use super::rows::{
    ERRAND_COLUMNS, errand, errand_columns, errand_is_told, from_json, moment, named, number,
    probe_of_errand, streak,
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

/// The columns [`settled_row`] reads, from `errand e`, `target t` and
/// `outcome o`.
macro_rules! settled_columns {
    () => {
        concat!(
            "e.id, t.url, e.given, e.cached, o.looks, o.word, o.code, o.status, o.reason,
             o.since, o.settled_at, o.failed_runs, o.first_failed_at, o.last_failed_at,
             o.confidence, o.grounds, e.depth, (SELECT p.detail FROM probe p WHERE ",
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
          CROSS JOIN outcome o ON o.target_id = e.target_id AND o.turn = e.turn
          WHERE e.id > ?2 AND e.run_id = ?1 AND e.state = 2
            AND (?4 IS NULL OR o.word IN (SELECT value FROM json_each(?4)))
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
          CROSS JOIN outcome o ON o.target_id = e.target_id AND o.turn = e.turn
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
        reason: row.get(8)?,
        since: moment(row.get(9)?),
        at: moment(row.get(10)?),
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
