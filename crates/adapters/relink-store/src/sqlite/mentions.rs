//! The places that name a target.

use std::collections::HashMap;

use relink_model::{LinkKind, SourceLocation, Span, TaskId};
use relink_ports::{Inlinks, LinkLocation};
use rusqlite::{CachedStatement, Connection, Row};

use super::error::DbResult;
use super::rows::{link_is_told, number, with_outcome};

/// Tasks so close together are read in one go: skipping a few rows costs less
/// than another statement.
const CLOSE: i64 = 4;

/// The links that name each task's target.
pub(super) fn mentions(db: &Connection, tasks: &[TaskId], places: usize) -> DbResult<Vec<Inlinks>> {
    let mut naming = InlinkReader::new(db)?;
    if places == usize::MAX {
        return naming.all_mentions(tasks);
    }
    tasks.iter().map(|task| naming.mentions(*task, places)).collect()
}

/// The columns of a place, from `link l`.
macro_rules! place_columns {
    () => {
        "l.document_id, l.span_start, l.span_end, l.line, l.col, l.kind"
    };
}

/// Whether `link l` is told, without its task at hand: most links hide
/// nothing, and then it is not looked at.
macro_rules! place_is_told {
    () => {
        concat!(
            "(l.hidden IS NULL
              OR (SELECT ",
            link_is_told!(),
            " FROM task e",
            with_outcome!(),
            "WHERE e.id = l.task_id))"
        )
    };
}

/// Finds the places that name a target.
pub(super) struct InlinkReader<'db> {
    db: &'db Connection,
    places: CachedStatement<'db>,
    /// The labels of documents looked up so far: many links share few.
    labels: HashMap<i64, String>,
}

impl<'db> InlinkReader<'db> {
    pub(super) fn new(db: &'db Connection) -> DbResult<Self> {
        let places = db.prepare_cached(concat!(
            "SELECT ",
            place_columns!(),
            " FROM link l WHERE l.task_id = ? AND ",
            place_is_told!(),
            " ORDER BY l.document_id, l.position LIMIT ?"
        ))?;
        Ok(Self { db, places, labels: HashMap::new() })
    }

    /// Up to so many places that name a task's target, in the order of their
    /// documents.
    pub(super) fn mentions(&mut self, task: TaskId, limit: usize) -> DbResult<Inlinks> {
        let Self { db, places, labels } = self;
        let rows = places.query_and_then((task.0, number(limit)), |row| place(db, labels, row))?;
        let places: Vec<LinkLocation> = rows.collect::<DbResult<_>>()?;
        let count = if places.len() < limit { places.len() as u64 } else { self.count(task)? };
        let are_hidden = count == 0 && self.is_linked(task)?;
        Ok(Inlinks { locations: places, count, all_ignored: are_hidden })
    }

    /// All places that name the targets of some tasks.
    fn all_mentions(&mut self, tasks: &[TaskId]) -> DbResult<Vec<Inlinks>> {
        let mut found: Vec<Vec<LinkLocation>> = vec![Vec::new(); tasks.len()];
        let mut sorted: Vec<(i64, usize)> =
            tasks.iter().enumerate().map(|(at, task)| (task.0, at)).collect();
        sorted.sort_unstable();
        for close in sorted.chunk_by(|(one, _), (next, _)| next.saturating_sub(*one) <= CLOSE) {
            self.find_all(close, &mut found)?;
        }
        let told = tasks.iter().zip(found).map(|(task, places)| {
            let are_hidden = places.is_empty() && self.is_linked(*task)?;
            Ok(Inlinks { count: places.len() as u64, locations: places, all_ignored: are_hidden })
        });
        told.collect()
    }

    /// Finds the places for some tasks, given by number and by where the
    /// places belong, in one go.
    fn find_all(
        &mut self,
        tasks: &[(i64, usize)],
        found: &mut [Vec<LinkLocation>],
    ) -> DbResult<()> {
        let (Some((first, _)), Some((last, _))) = (tasks.first(), tasks.last()) else {
            return Ok(());
        };
        let mut statement = self.db.prepare_cached(concat!(
            "SELECT ",
            place_columns!(),
            ", l.task_id FROM link l WHERE l.task_id BETWEEN ? AND ? AND ",
            place_is_told!(),
            " ORDER BY l.task_id, l.document_id, l.position"
        ))?;
        let mut rows = statement.query((first, last))?;
        let mut left = tasks.iter().peekable();
        while let Some(row) = rows.next()? {
            let task: i64 = row.get(6)?;
            while left.next_if(|(number, _)| *number < task).is_some() {}
            for (_, at) in left.clone().take_while(|(number, _)| *number == task) {
                found[*at].push(place(self.db, &mut self.labels, row)?);
            }
        }
        Ok(())
    }

    /// How many links name it that do not hide it.
    fn count(&self, task: TaskId) -> DbResult<u64> {
        let mut count = self.db.prepare_cached(concat!(
            "SELECT count(*) FROM task e CROSS JOIN link l ON l.task_id = e.id",
            with_outcome!(),
            "WHERE e.id = ? AND ",
            link_is_told!()
        ))?;
        Ok(count.query_row([task.0], |row| row.get(0))?)
    }

    /// Whether any link names it.
    fn is_linked(&self, task: TaskId) -> DbResult<bool> {
        let mut linked = self.db.prepare_cached("SELECT 1 FROM link WHERE task_id = ?")?;
        Ok(linked.exists([task.0])?)
    }
}

fn place(
    db: &Connection,
    labels: &mut HashMap<i64, String>,
    row: &Row<'_>,
) -> DbResult<LinkLocation> {
    let kind = row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?;
    let kind = LinkKind::named(kind).unwrap_or(LinkKind::Hyperlink);
    let span = Span { start: row.get(1)?, end: row.get(2)? };
    let place = SourceLocation { span, line: row.get(3)?, column: row.get(4)?, kind };
    Ok(LinkLocation { path: label(db, labels, row.get(0)?)?, location: place })
}

fn label(db: &Connection, known: &mut HashMap<i64, String>, document: i64) -> DbResult<String> {
    if let Some(label) = known.get(&document) {
        return Ok(label.clone());
    }
    let label: String = db
        .prepare_cached("SELECT label FROM document WHERE id = ?")?
        .query_row([document], |row| row.get(0))?;
    known.insert(document, label.clone());
    Ok(label)
}
