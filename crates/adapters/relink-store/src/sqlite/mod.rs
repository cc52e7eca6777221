//! The store in one SQLite file, used by one process at a time.
//!
//! There is a single connection: SQLite has only one writer, and the exclusive
//! lock avoids the shared-memory index. Statements run on the calling thread.
//! A batch takes a few milliseconds, and moving each statement to another
//! thread would cost more than most statements.

mod anchors;
mod budget_store;
mod bulk;
mod bulk_links;
mod claims;
mod collection_store;
mod collections;
mod commit;
mod controls;
mod decay;
mod error;
mod harvest;
mod inlinks;
mod loading;
mod maintenance;
mod open;
mod pages;
mod read_only;
mod result_writer;
mod results;
mod revive;
mod revive_store;
mod rows;
mod runs;
mod site;
mod site_store;
mod target_record;
mod wal;
mod watched_pages;
mod workers;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{FetchTask, Probe, RunId, TaskId};
use relink_ports::{
    CacheWindow, CheckedTarget, CheckedTargetQuery, Claim, ClaimRequest, CommitSummary, DocumentId,
    HostLease, HostRelease, HostStats, Inlinks, LinkBatch, LoadedDocument, Neighbor, NewDocument,
    NextDue, OpenRun, RunKey, RunProgress, RunState, RunStats, Store, StoreError, StoreSize,
    StoredControl, TargetRecord, TaskCompletion,
};
use rusqlite::{Connection, Transaction};
use tempfile::TempDir;

use self::error::{DbError, DbResult, Operation};
use self::wal::WalSyncer;
use crate::redaction;

/// Maximum number of loading steps in one transaction. A transaction per step
/// would write the same pages of the database for every document. After a crash,
/// the documents of the last transaction are loaded again.
const MAX_BATCHED_STEPS: usize = 4_096;

/// A store in one SQLite file, held exclusively while it is open.
pub struct SqliteStore {
    path: PathBuf,
    /// Dropped before the connection, because closing the database deletes the
    /// write-ahead log.
    wal_syncer: WalSyncer,
    /// `None` after [`SqliteStore::close`].
    connection: Mutex<Option<Connection>>,
    /// Number of loading steps in the open transaction.
    batched_steps: AtomicUsize,
    /// The directory of a temporary copy, if the file cannot be opened itself.
    _copy: Option<TempDir>,
}

impl SqliteStore {
    /// Runs `work` in a transaction and commits it if `work` succeeds.
    fn transact<T>(
        &self,
        operation: Operation,
        work: impl FnOnce(&Transaction<'_>) -> DbResult<T>,
    ) -> Result<T, StoreError> {
        // Ignore poisoning: a panic inside of a transaction rolls it back.
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let done = connection.as_mut().ok_or(DbError::Closed).and_then(|connection| {
            self.commit_batch(connection)?;
            let transaction = connection.transaction()?;
            let done = work(&transaction)?;
            transaction.commit()?;
            self.wal_syncer.record_commit();
            Ok(done)
        });
        done.map_err(|error: DbError| error.into_store_error(&self.path, operation))
    }

    /// Runs `work` as a loading step. Several steps share a transaction, which is
    /// committed before the next operation of another kind.
    fn batch<T>(
        &self,
        operation: Operation,
        work: impl FnOnce(&Connection) -> DbResult<T>,
    ) -> Result<T, StoreError> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let done = connection.as_mut().ok_or(DbError::Closed).and_then(|connection| {
            if connection.is_autocommit() {
                connection.execute_batch("BEGIN")?;
            }
            // A failed step must not leave a part of its changes.
            let step = connection.savepoint()?;
            let done = work(&step)?;
            step.commit()?;
            if self.batched_steps.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_BATCHED_STEPS {
                self.commit_batch(connection)?;
            }
            Ok(done)
        });
        done.map_err(|error: DbError| error.into_store_error(&self.path, operation))
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

    /// Runs `work` without a transaction.
    fn perform<T>(
        &self,
        operation: Operation,
        work: impl FnOnce(&Connection) -> DbResult<T>,
    ) -> Result<T, StoreError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let done = connection.as_ref().ok_or(DbError::Closed).and_then(work);
        done.map_err(|error| error.into_store_error(&self.path, operation))
    }

    /// Closes the file, even if other handles to the store exist: cancelled
    /// tasks may hold one until the process ends. Writes the write-ahead log
    /// into the database and removes it. Later calls fail.
    pub fn close(&self) {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(connection) = connection.as_ref() {
            // Ignore the error: the documents of the last batch are loaded again.
            let _ = self.commit_batch(connection);
        }
        // Ignore errors: a log that cannot be written back is used by the next open.
        drop(connection.take());
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.close();
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn open_run(
        &self,
        key: &RunKey,
        fresh: bool,
        now: Timestamp,
    ) -> Result<OpenRun, StoreError> {
        self.transact("opening a run", |db| runs::open(db, key, fresh, now))
    }

    async fn load_document(
        &self,
        run: RunId,
        document: &NewDocument,
    ) -> Result<LoadedDocument, StoreError> {
        self.batch("loading a document", |db| loading::load_document(db, run, document))
    }

    async fn add_links(&self, run: RunId, batch: LinkBatch<'_>) -> Result<(), StoreError> {
        self.batch("storing links", |db| loading::add_links(db, run, &batch))
    }

    async fn finish_document(&self, document: DocumentId) -> Result<(), StoreError> {
        self.batch("loading a document", |db| loading::finish_document(db, document))
    }

    async fn finish_loading(&self, run: RunId, documents: &[DocumentId]) -> Result<(), StoreError> {
        self.transact("finishing the loading", |db| loading::finish_loading(db, run, documents))
    }

    async fn claim(&self, run: RunId, request: ClaimRequest) -> Result<Vec<Claim>, StoreError> {
        self.transact("claiming hosts", |db| {
            let leased = claims::lease(db, run, request)?;
            let due = request.due_until();
            leased.into_iter().map(|host| host.into_claim(db, run, request.tasks, due)).collect()
        })
    }

    async fn more_tasks(
        &self,
        run: RunId,
        lease: HostLease,
        after: (Timestamp, TaskId),
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError> {
        self.perform("reading tasks", |db| claims::due_tasks(db, run, lease, after, limit, now))
    }

    async fn renew(
        &self,
        leases: &[HostLease],
        until: Timestamp,
    ) -> Result<Vec<HostLease>, StoreError> {
        self.transact("renewing leases", |db| claims::renew(db, leases, until))
    }

    async fn release(&self, run: RunId, hosts: &[HostRelease]) -> Result<(), StoreError> {
        self.transact("releasing hosts", |db| {
            hosts.iter().try_for_each(|host| claims::release(db, run, host))
        })
    }

    async fn next_due(&self, run: RunId) -> Result<NextDue, StoreError> {
        self.perform("searching for due tasks", |db| claims::next_due(db, run))
    }

    async fn commit(
        &self,
        run: RunId,
        completions: &[TaskCompletion],
        cache_window: CacheWindow,
    ) -> Result<CommitSummary, StoreError> {
        self.transact("storing results", |db| commit::commit(db, run, completions, cache_window))
    }

    async fn confirm_network(&self, run: RunId) -> Result<(), StoreError> {
        self.perform("confirming the network", |db| runs::confirm_network(db, run))
    }

    async fn held_tasks(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<(FetchTask, Probe)>, StoreError> {
        self.perform("reading held tasks", |db| results::held_tasks(db, run, after, limit))
    }

    async fn checked_targets(
        &self,
        run: RunId,
        query: CheckedTargetQuery<'_>,
    ) -> Result<Vec<CheckedTarget>, StoreError> {
        self.perform("reading results", |db| results::checked_targets(db, run, query))
    }

    async fn inlinks(
        &self,
        tasks: &[TaskId],
        max_locations: usize,
    ) -> Result<Vec<Inlinks>, StoreError> {
        self.perform("reading link locations", |db| inlinks::inlinks(db, tasks, max_locations))
    }

    async fn control(
        &self,
        key: &str,
        since: Timestamp,
    ) -> Result<Option<StoredControl>, StoreError> {
        self.perform("reading a control", |db| controls::control(db, key, since))
    }

    async fn save_controls(&self, controls: &[StoredControl]) -> Result<(), StoreError> {
        self.transact("saving controls", |db| controls::save_controls(db, controls))
    }

    async fn neighbors(
        &self,
        run: RunId,
        directory: &str,
        url: &str,
        limit: usize,
    ) -> Result<Vec<Neighbor>, StoreError> {
        self.perform("searching for neighbors", |db| {
            controls::neighbors(db, run, directory, url, limit)
        })
    }

    async fn target_record(&self, url: &str) -> Result<Option<TargetRecord>, StoreError> {
        self.perform("reading a target record", |db| target_record::target_record(db, url))
    }

    async fn progress(&self, run: RunId) -> Result<RunProgress, StoreError> {
        self.perform("reading run statistics", |db| runs::progress(db, run))
    }

    async fn source_stats(&self, run: RunId) -> Result<RunStats, StoreError> {
        self.perform("reading run statistics", |db| runs::source_stats(db, run))
    }

    async fn run_stats(&self, run: RunId) -> Result<RunStats, StoreError> {
        self.perform("reading run statistics", |db| runs::run_stats(db, run))
    }

    async fn host_stats(&self, run: RunId, limit: usize) -> Result<Vec<HostStats>, StoreError> {
        self.perform("listing hosts", |db| runs::host_stats(db, run, limit))
    }

    async fn close_run(
        &self,
        run: RunId,
        state: RunState,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.perform("closing a run", |db| runs::close(db, run, state, now))
    }

    async fn size(&self) -> Result<StoreSize, StoreError> {
        self.perform("reading the database size", maintenance::size)
    }

    async fn prune(&self, before: Timestamp) -> Result<StoreSize, StoreError> {
        self.transact("pruning", |db| maintenance::prune(db, before))?;
        self.perform("reading the database size", maintenance::size)
    }

    async fn vacuum(&self) -> Result<(), StoreError> {
        self.perform("shrinking the database", maintenance::vacuum)
    }
}
