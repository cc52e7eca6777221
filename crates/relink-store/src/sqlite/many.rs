//! Insertions of many rows: a statement costs about as much as its row, so one
//! statement for many rows is worth the trouble.

use rusqlite::{CachedStatement, Connection, ToSql};

use super::fault::Outcome;
use super::rows::number;

/// Rows in such a statement.
pub(super) const ROWS: usize = 32;

/// An insertion of [`ROWS`] rows, each with these values.
///
/// With `OR FAIL` or `OR IGNORE` the statement need not be able to undo its
/// first rows, which the transaction around it does anyway.
pub(super) fn many(insertion: &str, values: &str) -> String {
    format!("{insertion} VALUES {}", [values; ROWS].join(", "))
}

/// The number of the first of [`ROWS`] rows just inserted: without gaps, new
/// rows are numbered one after the other.
pub(super) fn first_number(db: &Connection) -> i64 {
    db.last_insert_rowid() + 1 - number(ROWS)
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

    pub(super) fn put(&mut self, row: &[&dyn ToSql]) -> Outcome<()> {
        for value in row {
            self.bound += 1;
            self.statement.raw_bind_parameter(self.bound, value)?;
        }
        Ok(())
    }

    /// Returns how many rows were new.
    pub(super) fn insert(self) -> Outcome<usize> {
        Ok(self.statement.raw_execute()?)
    }
}
