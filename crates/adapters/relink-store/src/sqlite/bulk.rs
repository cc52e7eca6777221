//! Multi-row statements. Executing a statement costs about as much as inserting one
//! row, so statements with many rows save up to half of the time.
//!
//! SQLite prepares a statement for a fixed number of rows. Therefore statements for
//! 32, 8 and 1 rows are prepared. Together they insert any number of rows.

use rusqlite::{CachedStatement, Connection, ToSql};

use super::error::DbResult;
use super::rows::to_i64;

/// The number of rows of the largest statement.
pub(super) const BATCH_ROWS: usize = 32;

/// The numbers of rows for which a [`Bulk`] prepares a statement, in descending
/// order. Any number of rows is a sum of them.
const SIZES: [usize; 3] = [BATCH_ROWS, 8, 1];

/// Returns an INSERT statement for `rows` rows. `insertion` is the text before `VALUES`,
/// and `values` the placeholders of one row, such as `(?, ?)`.
///
/// Use `INSERT OR FAIL` or `OR IGNORE`: SQLite then needs no statement journal to undo
/// the first rows of a failed statement. The surrounding transaction undoes them.
pub(super) fn insert_rows(rows: usize, insertion: &str, values: &str) -> String {
    format!("{insertion} VALUES {}", repeat_joined(rows, values))
}

/// Returns `times` copies of `item`, separated by commas.
pub(super) fn repeat_joined(times: usize, item: &str) -> String {
    vec![item; times].join(", ")
}

/// Returns the rowid of the first of `rows` rows that were just inserted.
/// Rowids of one statement are consecutive.
pub(super) fn first_rowid(db: &Connection, rows: usize) -> i64 {
    db.last_insert_rowid() + 1 - to_i64(rows)
}

/// The SQL text for each of [`SIZES`].
pub(super) type BulkSql = [String; SIZES.len()];

/// Returns the SQL texts. `statement` creates the text for a number of rows.
pub(super) fn bulk_sql(statement: impl Fn(usize) -> String) -> BulkSql {
    SIZES.map(statement)
}

/// A statement prepared for several numbers of rows.
pub(super) struct Bulk<'db> {
    statements: Vec<(usize, CachedStatement<'db>)>,
}

impl<'db> Bulk<'db> {
    pub(super) fn new(db: &'db Connection, texts: &BulkSql) -> DbResult<Self> {
        let prepared =
            SIZES.into_iter().zip(texts).map(|(size, text)| Ok((size, db.prepare_cached(text)?)));
        Ok(Self { statements: prepared.collect::<DbResult<_>>()? })
    }

    /// Executes the statement for all items, with as few executions as possible.
    ///
    /// `shared` contains the first parameters of each execution. `bind` binds the
    /// parameters of an item. `on_executed` is called after each execution, with
    /// its items and the number of changed rows.
    pub(super) fn run<T>(
        &mut self,
        shared: &[&dyn ToSql],
        items: &[T],
        bind: impl Fn(&mut RowBinder<'_, '_>, &T) -> DbResult<()>,
        mut on_executed: impl FnMut(&[T], usize) -> DbResult<()>,
    ) -> DbResult<()> {
        let mut rest = items;
        for (size, statement) in &mut self.statements {
            while let Some((chunk, after)) = rest.split_at_checked(*size) {
                let mut rows = RowBinder::new(statement);
                rows.bind(shared)?;
                for item in chunk {
                    bind(&mut rows, item)?;
                }
                let changed = rows.execute()?;
                on_executed(chunk, changed)?;
                rest = after;
            }
        }
        Ok(())
    }
}

/// Binds the parameters of a multi-row statement, row by row.
pub(super) struct RowBinder<'s, 'db> {
    statement: &'s mut CachedStatement<'db>,
    bound_count: usize,
}

impl<'s, 'db> RowBinder<'s, 'db> {
    pub(super) fn new(statement: &'s mut CachedStatement<'db>) -> Self {
        Self { statement, bound_count: 0 }
    }

    /// Binds the next parameters.
    pub(super) fn bind(&mut self, row: &[&dyn ToSql]) -> DbResult<()> {
        for value in row {
            self.bound_count += 1;
            self.statement.raw_bind_parameter(self.bound_count, value)?;
        }
        Ok(())
    }

    /// Executes the statement and returns the number of changed rows.
    pub(super) fn execute(self) -> DbResult<usize> {
        Ok(self.statement.raw_execute()?)
    }
}
