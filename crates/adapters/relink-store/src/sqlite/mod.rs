//! SQLite: the embedded default, one process at a time.
//!
//! One connection does all the work: SQLite has a single writer anyway, and an
//! exclusive lock spares the shared-memory index. Statements run where they
//! are called. A batch takes a few milliseconds, the caller has nothing else
//! to do meanwhile, and a hop to another thread and back for each statement
//! costs more than most statements do.

mod anchors;
mod bulk;
mod claims;
mod commit;
mod dossier;
mod error;
mod fresh;
mod judging;
mod ledger;
mod loading;
mod maintenance;
mod mentions;
mod open;
mod outcomes;
mod pages;
mod read_only;
mod redaction;
mod results;
mod revive;
mod revive_store;
mod rows;
mod runs;
mod site;
mod site_store;
mod wal;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{FetchTask, Probe, RunId, TaskId};
use relink_ports::{
    CacheWindow, CheckedTarget, CheckedTargetQuery, Claim, CommitSummary, DocumentId, HostLease,
    HostSchedule, HostStats, Inlinks, LinkBatch, LoadedDocument, Neighbor, NewDocument, OpenRun,
    RunKey, RunProgress, RunState, RunStats, Store, StoreError, StoreSize, StoredControl,
    TargetRecord, TaskCompletion,
};
use rusqlite::{Connection, Transaction};
use tempfile::TempDir;

use self::error::{DbError, DbResult, Operation};
use self::wal::WalSyncer;

/// A store in one SQLite file, held exclusively while it is open.
pub struct SqliteStore {
    path: PathBuf,
    /// Dropped first: whoever closes the database takes the log away.
    log: WalSyncer,
    /// Absent once the store is closed.
    connection: Mutex<Option<Connection>>,
    /// Where the file was copied to, if it could not be read where it is.
    _copy: Option<TempDir>,
}

impl SqliteStore {
    /// Runs `work` in one transaction; what it did counts only if it succeeds.
    fn transact<T>(
        &self,
        doing: Operation,
        work: impl FnOnce(&Transaction<'_>) -> DbResult<T>,
    ) -> Result<T, StoreError> {
        // A panic in the middle of a transaction has rolled it back.
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let done = connection.as_mut().ok_or(DbError::Closed).and_then(|connection| {
            let transaction = connection.transaction()?;
            let done = work(&transaction)?;
            transaction.commit()?;
            self.log.note_commit();
            Ok(done)
        });
        done.map_err(|trouble: DbError| trouble.into_store_error(&self.path, doing))
    }

    /// Runs `work` outside of any transaction.
    fn perform<T>(
        &self,
        doing: Operation,
        work: impl FnOnce(&Connection) -> DbResult<T>,
    ) -> Result<T, StoreError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let done = connection.as_ref().ok_or(DbError::Closed).and_then(work);
        done.map_err(|trouble| trouble.into_store_error(&self.path, doing))
    }

    /// Closes the file, even if other handles to the store exist: tasks that
    /// are stopped may hold one until the process ends. Writes the write-ahead
    /// log into the database and removes it. Any later call fails.
    pub fn close(&self) {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        // A log that cannot be written back stays, and the next open uses it.
        drop(connection.take());
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn open_run(
        &self,
        plan: &RunKey,
        fresh: bool,
        now: Timestamp,
    ) -> Result<OpenRun, StoreError> {
        self.transact("opening a run", |db| runs::open(db, plan, fresh, now))
    }

    async fn load_document(
        &self,
        run: RunId,
        document: &NewDocument,
    ) -> Result<LoadedDocument, StoreError> {
        self.transact("loading a document", |db| loading::document(db, run, document))
    }

    async fn add_links(&self, run: RunId, batch: LinkBatch<'_>) -> Result<(), StoreError> {
        self.transact("storing links", |db| loading::links(db, run, &batch))
    }

    async fn finish_document(&self, document: DocumentId) -> Result<(), StoreError> {
        self.perform("loading a document", |db| loading::finish_document(db, document))
    }

    async fn finish_loading(&self, run: RunId, documents: &[DocumentId]) -> Result<(), StoreError> {
        self.transact("ending the loading", |db| loading::finish(db, run, documents))
    }

    async fn claim(
        &self,
        run: RunId,
        hosts: usize,
        tasks: usize,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Claim>, StoreError> {
        self.transact("claiming hosts", |db| {
            let leased = claims::lease(db, run, hosts, now, until)?;
            leased.into_iter().map(|host| host.into_claim(db, run, tasks, now)).collect()
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
        self.perform("fetching tasks", |db| claims::due(db, run, lease, after, limit, now))
    }

    async fn renew(&self, leases: &[HostLease], until: Timestamp) -> Result<(), StoreError> {
        self.transact("renewing leases", |db| claims::renew(db, leases, until))
    }

    async fn release(
        &self,
        run: RunId,
        lease: HostLease,
        pace: &HostSchedule,
        tally: &HostStats,
    ) -> Result<(), StoreError> {
        self.transact("giving a host back", |db| claims::release(db, run, lease, pace, tally))
    }

    async fn next_due(&self, run: RunId) -> Result<Option<Timestamp>, StoreError> {
        self.perform("looking for due tasks", |db| claims::next_due(db, run))
    }

    async fn commit(
        &self,
        run: RunId,
        completions: &[TaskCompletion],
        moments: CacheWindow,
    ) -> Result<CommitSummary, StoreError> {
        self.transact("storing results", |db| commit::complete(db, run, completions, moments))
    }

    async fn confirm_network(&self, run: RunId) -> Result<(), StoreError> {
        self.perform("noting that the network works", |db| runs::prove_network(db, run))
    }

    async fn held_tasks(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<(FetchTask, Probe)>, StoreError> {
        self.perform("reading what is on hold", |db| results::held(db, run, after, limit))
    }

    async fn checked_targets(
        &self,
        run: RunId,
        query: CheckedTargetQuery<'_>,
    ) -> Result<Vec<CheckedTarget>, StoreError> {
        self.perform("reading results", |db| results::settled(db, run, query))
    }

    async fn inlinks(&self, tasks: &[TaskId], places: usize) -> Result<Vec<Inlinks>, StoreError> {
        self.perform("reading places", |db| mentions::mentions(db, tasks, places))
    }

    async fn control(
        &self,
        key: &str,
        since: Timestamp,
    ) -> Result<Option<StoredControl>, StoreError> {
        self.perform("reading a control", |db| judging::control(db, key, since))
    }

    async fn save_controls(&self, controls: &[StoredControl]) -> Result<(), StoreError> {
        self.transact("keeping controls", |db| judging::keep_controls(db, controls))
    }

    async fn neighbors(
        &self,
        run: RunId,
        directory: &str,
        url: &str,
        limit: usize,
    ) -> Result<Vec<Neighbor>, StoreError> {
        self.perform("looking for neighbors", |db| {
            judging::neighbors(db, run, directory, url, limit)
        })
    }

    async fn target_record(&self, url: &str) -> Result<Option<TargetRecord>, StoreError> {
        self.perform("reading a dossier", |db| dossier::dossier(db, url))
    }

    async fn progress(&self, run: RunId) -> Result<RunProgress, StoreError> {
        self.perform("counting a run", |db| runs::progress(db, run))
    }

    async fn source_stats(&self, run: RunId) -> Result<RunStats, StoreError> {
        self.perform("counting a run", |db| runs::sources(db, run))
    }

    async fn run_stats(&self, run: RunId) -> Result<RunStats, StoreError> {
        self.perform("counting a run", |db| runs::tally(db, run))
    }

    async fn hosts(&self, run: RunId, limit: usize) -> Result<Vec<HostStats>, StoreError> {
        self.perform("listing hosts", |db| runs::hosts(db, run, limit))
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
        self.perform("measuring the database", maintenance::size)
    }

    async fn prune(&self, before: Timestamp) -> Result<StoreSize, StoreError> {
        self.transact("pruning", |db| maintenance::prune(db, before))?;
        self.perform("measuring the database", maintenance::size)
    }

    async fn vacuum(&self) -> Result<(), StoreError> {
        self.perform("giving room back", maintenance::vacuum)
    }
}
