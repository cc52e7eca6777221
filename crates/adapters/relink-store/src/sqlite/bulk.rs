//! Many rows to a statement: a statement costs about as much as a row, so it is
//! worth the trouble.

use rusqlite::{CachedStatement, Connection, ToSql};

use super::error::DbResult;
use super::rows::number;

/// Rows in such a statement.
pub(super) const ROWS: usize = 32;

/// Rows in the statements of a [`Bulk`], together few for any number of rows.
const SIZES: [usize; 3] = [ROWS, 8, 1];

/// An insertion of so many rows, each with these values.
///
/// With `OR FAIL` or `OR IGNORE` the statement need not be able to undo its
/// first rows, which the transaction around it does anyway.
pub(super) fn many(rows: usize, insertion: &str, values: &str) -> String {
    format!("{insertion} VALUES {}", listed(rows, values))
}

/// So many times the same, with commas.
pub(super) fn listed(times: usize, item: &str) -> String {
    vec![item; times].join(", ")
}

/// The number of the first of so many rows just inserted: without gaps, new
/// rows are numbered one after the other.
pub(super) fn first_number(db: &Connection, rows: usize) -> i64 {
    db.last_insert_rowid() + 1 - number(rows)
}

/// The text of one statement for each of [`SIZES`].
pub(super) type Texts = [String; SIZES.len()];

/// Writes a statement as it is for so many rows.
pub(super) fn texts(statement: impl Fn(usize) -> String) -> Texts {
    SIZES.map(statement)
}

/// One statement for some numbers of rows.
pub(super) struct Bulk<'db> {
    statements: Vec<(usize, CachedStatement<'db>)>,
}

impl<'db> Bulk<'db> {
    pub(super) fn new(db: &'db Connection, texts: &Texts) -> DbResult<Self> {
        let prepared =
            SIZES.into_iter().zip(texts).map(|(size, text)| Ok((size, db.prepare_cached(text)?)));
        Ok(Self { statements: prepared.collect::<DbResult<_>>()? })
    }

    /// Runs it for all items, in as few statements as may be. Each statement
    /// begins with `head`, `put` puts an item's row, and `done` is told the
    /// items of a statement and how many rows it changed.
    pub(super) fn run<T>(
        &mut self,
        head: &[&dyn ToSql],
        items: &[T],
        put: impl Fn(&mut Rows<'_, '_>, &T) -> DbResult<()>,
        mut done: impl FnMut(&[T], usize) -> DbResult<()>,
    ) -> DbResult<()> {
        let mut rest = items;
        for (size, statement) in &mut self.statements {
            while let Some((chunk, after)) = rest.split_at_checked(*size) {
                let mut rows = Rows::of(statement);
                rows.put(head)?;
                for item in chunk {
                    put(&mut rows, item)?;
                }
                let changed = rows.run()?;
                done(chunk, changed)?;
                rest = after;
            }
        }
        Ok(())
    }
}

/// The rows of one statement, put one after the other.
pub(super) struct Rows<'s, 'db> {
    statement: &'s mut CachedStatement<'db>,
    bound: usize,
}

impl<'s, 'db> Rows<'s, 'db> {
    pub(super) fn of(statement: &'s mut CachedStatement<'db>) -> Self {
        Self { statement, bound: 0 }
    }

    pub(super) fn put(&mut self, row: &[&dyn ToSql]) -> DbResult<()> {
        for value in row {
            self.bound += 1;
            self.statement.raw_bind_parameter(self.bound, value)?;
        }
        Ok(())
    }

    /// Runs the statement; returns how many rows it changed.
    pub(super) fn run(self) -> DbResult<usize> {
        Ok(self.statement.raw_execute()?)
    }
}
