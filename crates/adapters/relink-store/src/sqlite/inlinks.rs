//! Reads inlinks: the links to a target. A link is *reported* unless its document ignores
//! the code of the finding.

use std::collections::HashMap;

use relink_model::{LinkKind, SourceLocation, Span, TaskId};
use relink_ports::{Inlinks, LinkLocation};
use rusqlite::{CachedStatement, Connection, Row};

use super::error::DbResult;
use super::rows::{join_result, link_is_reported, to_i64};

/// Tasks whose ids differ by at most this number are read with one statement. To skip the
/// links of a few other tasks costs less than another statement.
const MAX_GAP: i64 = 4;

/// Returns the inlinks of the target of each task.
pub(super) fn inlinks(
    db: &Connection,
    tasks: &[TaskId],
    max_locations: usize,
) -> DbResult<Vec<Inlinks>> {
    let mut reader = InlinkReader::new(db)?;
    if max_locations == usize::MAX {
        return reader.inlinks_of_all(tasks);
    }
    tasks.iter().map(|task| reader.inlinks(*task, max_locations)).collect()
}

/// The columns of [`location`], from `link l`.
macro_rules! location_columns {
    () => {
        "l.document_id, l.span_start, l.span_end, l.line, l.col, l.kind"
    };
}

/// SQL condition: `link l` is reported. Unlike `link_is_reported!`, the condition does not need
/// the task in the query. The task is read only for links with ignored codes, which are few.
macro_rules! inlink_is_reported {
    () => {
        concat!(
            "(l.ignored_codes IS NULL
              OR (SELECT ",
            link_is_reported!(),
            " FROM task",
            join_result!(),
            "WHERE task.id = l.task_id))"
        )
    };
}

/// Reads the inlinks of targets.
pub(super) struct InlinkReader<'db> {
    db: &'db Connection,
    locations: CachedStatement<'db>,
    /// A cache of document labels, because many links share a document.
    labels: HashMap<i64, String>,
}

impl<'db> InlinkReader<'db> {
    pub(super) fn new(db: &'db Connection) -> DbResult<Self> {
        let locations = db.prepare_cached(concat!(
            "SELECT ",
            location_columns!(),
            " FROM link l WHERE l.task_id = ? AND ",
            inlink_is_reported!(),
            " ORDER BY l.document_id, l.position LIMIT ?"
        ))?;
        Ok(Self { db, locations, labels: HashMap::new() })
    }

    /// Returns the inlinks of a task with up to `limit` locations, in document
    /// order.
    pub(super) fn inlinks(&mut self, task: TaskId, limit: usize) -> DbResult<Inlinks> {
        let Self { db, locations, labels } = self;
        let rows =
            locations.query_and_then((task.0, to_i64(limit)), |row| location(db, labels, row))?;
        let locations: Vec<LinkLocation> = rows.collect::<DbResult<_>>()?;
        // If the limit was reached, there may be further links.
        let is_complete = locations.len() < limit;
        let count = if is_complete { locations.len() as u64 } else { self.count(task)? };
        let all_ignored = count == 0 && self.is_linked(task)?;
        Ok(Inlinks { locations, count, all_ignored })
    }

    /// Returns the inlinks of several tasks with all locations.
    fn inlinks_of_all(&mut self, tasks: &[TaskId]) -> DbResult<Vec<Inlinks>> {
        let mut found: Vec<Vec<LinkLocation>> = vec![Vec::new(); tasks.len()];
        let mut sorted: Vec<(i64, usize)> =
            tasks.iter().enumerate().map(|(index, task)| (task.0, index)).collect();
        sorted.sort_unstable();
        let is_near = |(id, _): &(i64, usize), (next_id, _): &(i64, usize)| {
            next_id.saturating_sub(*id) <= MAX_GAP
        };
        for group in sorted.chunk_by(is_near) {
            self.read_group(group, &mut found)?;
        }
        let inlinks = tasks.iter().zip(found).map(|(task, locations)| {
            let all_ignored = locations.is_empty() && self.is_linked(*task)?;
            Ok(Inlinks { count: locations.len() as u64, locations, all_ignored })
        });
        inlinks.collect()
    }

    /// Reads the locations of tasks with nearby ids in one statement. `tasks` contains
    /// task ids in ascending order, each with the index of its locations in `found`. A
    /// task id may occur several times.
    fn read_group(
        &mut self,
        tasks: &[(i64, usize)],
        found: &mut [Vec<LinkLocation>],
    ) -> DbResult<()> {
        let (Some((first, _)), Some((last, _))) = (tasks.first(), tasks.last()) else {
            return Ok(());
        };
        let mut statement = self.db.prepare_cached(concat!(
            "SELECT ",
            location_columns!(),
            ", l.task_id FROM link l WHERE l.task_id BETWEEN ? AND ? AND ",
            inlink_is_reported!(),
            " ORDER BY l.task_id, l.document_id, l.position"
        ))?;
        let mut rows = statement.query((first, last))?;
        let mut remaining = tasks.iter().peekable();
        while let Some(row) = rows.next()? {
            let task: i64 = row.get(6)?;
            // Skip the requested tasks without links. The row may also belong to a task that was
            // not requested.
            while remaining.next_if(|(id, _)| *id < task).is_some() {}
            for (_, index) in remaining.clone().take_while(|(id, _)| *id == task) {
                found[*index].push(location(self.db, &mut self.labels, row)?);
            }
        }
        Ok(())
    }

    /// Counts the reported links to the target of a task.
    fn count(&self, task: TaskId) -> DbResult<u64> {
        let mut count = self.db.prepare_cached(concat!(
            "SELECT count(*) FROM task CROSS JOIN link l ON l.task_id = task.id",
            join_result!(),
            "WHERE task.id = ? AND ",
            link_is_reported!()
        ))?;
        Ok(count.query_row([task.0], |row| row.get(0))?)
    }

    /// Whether the task has any link.
    fn is_linked(&self, task: TaskId) -> DbResult<bool> {
        let mut select_link = self.db.prepare_cached("SELECT 1 FROM link WHERE task_id = ?")?;
        Ok(select_link.exists([task.0])?)
    }
}

/// Reads a location. `labels` caches the labels of documents.
fn location(
    db: &Connection,
    labels: &mut HashMap<i64, String>,
    row: &Row<'_>,
) -> DbResult<LinkLocation> {
    let kind = row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?;
    let kind = LinkKind::from_name(kind).unwrap_or(LinkKind::Hyperlink);
    let span = Span { start: row.get(1)?, end: row.get(2)? };
    let location = SourceLocation { span, line: row.get(3)?, column: row.get(4)?, kind };
    Ok(LinkLocation { path: label(db, labels, row.get(0)?)?, location })
}

/// Returns the label of a document, reading it once.
fn label(db: &Connection, cache: &mut HashMap<i64, String>, document: i64) -> DbResult<String> {
    if let Some(label) = cache.get(&document) {
        return Ok(label.clone());
    }
    let label: String = db
        .prepare_cached("SELECT label FROM document WHERE id = ?")?
        .query_row([document], |row| row.get(0))?;
    cache.insert(document, label.clone());
    Ok(label)
}
