//! The places that name a target.

use std::collections::HashMap;

use relink_model::{ErrandId, Place, PlaceKind, Span};
use relink_ports::{Mentions, PlaceIn};
use rusqlite::{CachedStatement, Connection, Row};

use super::fault::Outcome;
use super::rows::{link_is_told, number, with_outcome};

/// Errands so close together are read in one go: skipping a few rows costs less
/// than another statement.
const CLOSE: i64 = 4;

/// The links that name each errand's target.
pub(super) fn mentions(
    db: &Connection,
    errands: &[ErrandId],
    places: usize,
) -> Outcome<Vec<Mentions>> {
    let mut naming = Naming::new(db)?;
    if places == usize::MAX {
        return naming.all_mentions(errands);
    }
    errands.iter().map(|errand| naming.mentions(*errand, places)).collect()
}

/// The columns of a place, from `link l`.
macro_rules! place_columns {
    () => {
        "l.document_id, l.span_start, l.span_end, l.line, l.col, l.kind"
    };
}

/// Whether `link l` is told, without its errand at hand: most links hide
/// nothing, and then it is not looked at.
macro_rules! place_is_told {
    () => {
        concat!(
            "(l.hidden IS NULL
              OR (SELECT ",
            link_is_told!(),
            " FROM errand e",
            with_outcome!(),
            "WHERE e.id = l.errand_id))"
        )
    };
}

/// Finds the places that name a target.
pub(super) struct Naming<'db> {
    db: &'db Connection,
    places: CachedStatement<'db>,
    /// The labels of documents looked up so far: many links share few.
    labels: HashMap<i64, String>,
}

impl<'db> Naming<'db> {
    pub(super) fn new(db: &'db Connection) -> Outcome<Self> {
        let places = db.prepare_cached(concat!(
            "SELECT ",
            place_columns!(),
            " FROM link l WHERE l.errand_id = ? AND ",
            place_is_told!(),
            " ORDER BY l.document_id, l.position LIMIT ?"
        ))?;
        Ok(Self { db, places, labels: HashMap::new() })
    }

    /// Up to so many places that name an errand's target, in the order of their
    /// documents.
    pub(super) fn mentions(&mut self, errand: ErrandId, limit: usize) -> Outcome<Mentions> {
        let Self { db, places, labels } = self;
        let rows =
            places.query_and_then((errand.0, number(limit)), |row| place(db, labels, row))?;
        let places: Vec<PlaceIn> = rows.collect::<Outcome<_>>()?;
        let count = if places.len() < limit { places.len() as u64 } else { self.count(errand)? };
        let are_hidden = count == 0 && self.is_linked(errand)?;
        Ok(Mentions { places, count, are_hidden })
    }

    /// All places that name the targets of some errands.
    fn all_mentions(&mut self, errands: &[ErrandId]) -> Outcome<Vec<Mentions>> {
        let mut found: Vec<Vec<PlaceIn>> = vec![Vec::new(); errands.len()];
        let mut sorted: Vec<(i64, usize)> =
            errands.iter().enumerate().map(|(at, errand)| (errand.0, at)).collect();
        sorted.sort_unstable();
        for close in sorted.chunk_by(|(one, _), (next, _)| next.saturating_sub(*one) <= CLOSE) {
            self.find_all(close, &mut found)?;
        }
        let told = errands.iter().zip(found).map(|(errand, places)| {
            let are_hidden = places.is_empty() && self.is_linked(*errand)?;
            Ok(Mentions { count: places.len() as u64, places, are_hidden })
        });
        told.collect()
    }

    /// Finds the places for some errands, given by number and by where the
    /// places belong, in one go.
    fn find_all(&mut self, errands: &[(i64, usize)], found: &mut [Vec<PlaceIn>]) -> Outcome<()> {
        let (Some((first, _)), Some((last, _))) = (errands.first(), errands.last()) else {
            return Ok(());
        };
        let mut statement = self.db.prepare_cached(concat!(
            "SELECT ",
            place_columns!(),
            ", l.errand_id FROM link l WHERE l.errand_id BETWEEN ? AND ? AND ",
            place_is_told!(),
            " ORDER BY l.errand_id, l.document_id, l.position"
        ))?;
        let mut rows = statement.query((first, last))?;
        let mut left = errands.iter().peekable();
        while let Some(row) = rows.next()? {
            let errand: i64 = row.get(6)?;
            while left.next_if(|(number, _)| *number < errand).is_some() {}
            for (_, at) in left.clone().take_while(|(number, _)| *number == errand) {
                found[*at].push(place(self.db, &mut self.labels, row)?);
            }
        }
        Ok(())
    }

    /// How many links name it that do not hide it.
    fn count(&self, errand: ErrandId) -> Outcome<u64> {
        let mut count = self.db.prepare_cached(concat!(
            "SELECT count(*) FROM errand e CROSS JOIN link l ON l.errand_id = e.id",
            with_outcome!(),
            "WHERE e.id = ? AND ",
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

fn place(db: &Connection, labels: &mut HashMap<i64, String>, row: &Row<'_>) -> Outcome<PlaceIn> {
    let kind = row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?;
    let kind = PlaceKind::named(kind).unwrap_or(PlaceKind::Link);
    let span = Span { start: row.get(1)?, end: row.get(2)? };
    let place = Place { span, line: row.get(3)?, column: row.get(4)?, kind };
    Ok(PlaceIn { path: label(db, labels, row.get(0)?)?, place })
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
