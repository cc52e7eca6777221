//! The store in one SQLite file, used by one process at a time.
//!
//! There is a single connection, because SQLite allows only one writer. Its exclusive
//! lock makes the shared-memory file of the write-ahead log unnecessary. Statements run
//! on the calling thread. A batch takes a few milliseconds, and moving each statement to
//! another thread would cost more than most statements.

mod anchors;
mod budget_store;
mod bulk;
mod bulk_links;
mod cache_store;
mod claims;
mod collection_store;
mod collections;
mod commit;
mod controls;
mod decay;
mod error;
mod harvest;
mod history;
mod inlinks;
mod intake_store;
mod loading;
mod local_targets;
mod maintenance;
mod open;
mod pages;
mod read_only;
mod result_store;
mod result_writer;
mod results;
mod revive;
mod rows;
mod run_store;
mod runs;
mod site;
mod target_record;
mod task_writer;
mod wal;
mod watched_pages;
mod work_queue;
mod workers;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use relink_ports::{Store, StoreError};
use rusqlite::{Connection, Transaction};
use tempfile::TempDir;

use self::error::{DbError, DbResult, Operation};
use self::open::open_with_retry;
use self::wal::WalSyncer;
use crate::redaction;

/// Maximum number of loading steps in one transaction. A loading step stores a document
/// or a batch of its links. A transaction per step would write the same database pages
/// for every document. After a crash, the documents of the last transaction are loaded
/// again.
const MAX_BATCHED_STEPS: usize = 4_096;

/// The time to wait for another process that has opened the released file.
const RELEASED_WAIT: Duration = Duration::from_secs(1);

/// A store in one SQLite file. The file is locked exclusively while the store is open.
pub struct SqliteStore {
    path: PathBuf,
    /// Dropped before the connection, because closing the database deletes the
    /// write-ahead log.
    wal_syncer: WalSyncer,
    /// `None` after [`SqliteStore::close`] and after a release.
    connection: Mutex<Option<Connection>>,
    /// Whether the file was released, so that the next operation opens it again.
    is_released: AtomicBool,
    /// Number of loading steps in the open transaction.
    batched_steps: AtomicUsize,
    /// The directory of a temporary copy, if the file itself cannot be opened.
    _temporary_copy: Option<TempDir>,
}

impl Store for SqliteStore {}

impl SqliteStore {
    /// Returns the connection. Opens a released file again.
    fn connection(&self) -> Result<MutexGuard<'_, Option<Connection>>, StoreError> {
        // Ignore poisoning: a panic inside of a transaction rolls it back.
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_released.load(Ordering::Relaxed) {
            *connection = Some(open_with_retry(&self.path, RELEASED_WAIT)?);
            self.is_released.store(false, Ordering::Relaxed);
        }
        Ok(connection)
    }

    /// Runs `work` in a transaction and commits it if `work` succeeds.
    fn transact<T>(
        &self,
        operation: Operation,
        work: impl FnOnce(&Transaction<'_>) -> DbResult<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self.connection()?;
        let result = connection.as_mut().ok_or(DbError::Closed).and_then(|connection| {
            self.commit_batch(connection)?;
            let transaction = connection.transaction()?;
            let result = work(&transaction)?;
            transaction.commit()?;
            self.wal_syncer.record_commit();
            Ok(result)
        });
        result.map_err(|error: DbError| error.into_store_error(&self.path, operation))
    }

    /// Runs `work` as a loading step. Several steps share a transaction, which is
    /// committed before the next operation of another kind.
    fn batch<T>(
        &self,
        operation: Operation,
        work: impl FnOnce(&Connection) -> DbResult<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self.connection()?;
        let result = connection.as_mut().ok_or(DbError::Closed).and_then(|connection| {
            if connection.is_autocommit() {
                connection.execute_batch("BEGIN")?;
            }
            // A failed step must not leave a part of its changes.
            let step = connection.savepoint()?;
            let result = work(&step)?;
            step.commit()?;
            if self.batched_steps.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_BATCHED_STEPS {
                self.commit_batch(connection)?;
            }
            Ok(result)
        });
        result.map_err(|error: DbError| error.into_store_error(&self.path, operation))
    }

    /// Commits the loading steps.
    fn commit_batch(&self, connection: &Connection) -> DbResult<()> {
        if !connection.is_autocommit() {
            connection.execute_batch("COMMIT")?;
            self.wal_syncer.record_commit();
        }
        self.batched_steps.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// Runs `work` without starting a transaction. If loading steps have left a
    /// transaction open, `work` runs in that transaction.
    fn perform<T>(
        &self,
        operation: Operation,
        work: impl FnOnce(&Connection) -> DbResult<T>,
    ) -> Result<T, StoreError> {
        let connection = self.connection()?;
        let result = connection.as_ref().ok_or(DbError::Closed).and_then(work);
        result.map_err(|error| error.into_store_error(&self.path, operation))
    }

    /// Closes the file, even if other handles to the store exist, because cancelled tasks
    /// may hold a handle until the process ends. Writes the write-ahead log into the
    /// database and removes it. Later calls fail.
    pub fn close(&self) {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_released.store(false, Ordering::Relaxed);
        self.drop_connection(&mut connection);
    }

    /// Closes the file until the next operation, so that another process can use it. Must not be
    /// called during a run, because another process would revoke the leases of the run.
    fn release_file(&self) {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if connection.is_some() {
            self.drop_connection(&mut connection);
            self.is_released.store(true, Ordering::Relaxed);
        }
    }

    fn drop_connection(&self, connection: &mut Option<Connection>) {
        if let Some(connection) = connection.as_ref() {
            // Ignore the error: the documents of the last batch are loaded again.
            let _ = self.commit_batch(connection);
        }
        // Ignore errors: if the log cannot be written into the database now, the next
        // `open` does it.
        drop(connection.take());
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.close();
    }
}
