//! SQLite: the embedded default, one process at a time.
//!
//! One connection does all the work: SQLite has a single writer anyway, and an
//! exclusive lock spares the shared-memory index. Statements run where they
//! are called. A batch takes a few milliseconds, the caller has nothing else
//! to do meanwhile, and a hop to another thread and back for each statement
//! costs more than most statements do.

mod anchors;
mod claims;
mod completing;
mod dossier;
mod fault;
mod fresh;
mod judging;
mod ledger;
mod loading;
mod log;
mod many;
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
mod upkeep;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{Errand, ErrandId, Probe, RunId};
use relink_ports::{
    Claim, Completed, Completion, DocumentId, Dossier, HostLease, HostPace, HostTally, KeptControl,
    LinkBatch, LoadedDocument, Mentions, Moments, Neighbor, NewDocument, OpenRun, RunPlan,
    RunProgress, RunState, Settled, SettledQuery, Store, StoreFault, StoreSize, Tally,
};
use rusqlite::{Connection, Transaction};
use tempfile::TempDir;

use self::fault::{Doing, Outcome, Trouble};
use self::log::LogKeeper;

/// A store in one SQLite file, held exclusively while it is open.
pub struct SqliteStore {
    place: PathBuf,
    /// Dropped first: whoever closes the database takes the log away.
    log: LogKeeper,
    /// Absent once the store is closed.
    connection: Mutex<Option<Connection>>,
    /// Where the file was copied to, if it could not be read where it is.
    _copy: Option<TempDir>,
}

impl SqliteStore {
    /// Runs `work` in one transaction; what it did counts only if it succeeds.
    fn transact<T>(
        &self,
        doing: Doing,
        work: impl FnOnce(&Transaction<'_>) -> Outcome<T>,
    ) -> Result<T, StoreFault> {
        // A panic in the middle of a transaction has rolled it back.
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let done = connection.as_mut().ok_or(Trouble::Closed).and_then(|connection| {
            let transaction = connection.transaction()?;
            let done = work(&transaction)?;
            transaction.commit()?;
            self.log.note_commit();
            Ok(done)
        });
        done.map_err(|trouble: Trouble| trouble.told(&self.place, doing))
    }

    /// Runs `work` outside of any transaction.
    fn perform<T>(
        &self,
        doing: Doing,
        work: impl FnOnce(&Connection) -> Outcome<T>,
    ) -> Result<T, StoreFault> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let done = connection.as_ref().ok_or(Trouble::Closed).and_then(work);
        done.map_err(|trouble| trouble.told(&self.place, doing))
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
        plan: &RunPlan,
        fresh: bool,
        now: Timestamp,
    ) -> Result<OpenRun, StoreFault> {
        self.transact("opening a run", |db| runs::open(db, plan, fresh, now))
    }

    async fn load_document(
        &self,
        run: RunId,
        document: &NewDocument,
    ) -> Result<LoadedDocument, StoreFault> {
        self.transact("loading a document", |db| loading::document(db, run, document))
    }

    async fn add_links(&self, run: RunId, batch: LinkBatch<'_>) -> Result<(), StoreFault> {
        self.transact("storing links", |db| loading::links(db, run, &batch))
    }

    async fn finish_document(&self, document: DocumentId) -> Result<(), StoreFault> {
        self.perform("loading a document", |db| loading::finish_document(db, document))
    }

    async fn finish_loading(&self, run: RunId, documents: &[DocumentId]) -> Result<(), StoreFault> {
        self.transact("ending the loading", |db| loading::finish(db, run, documents))
    }

    async fn claim(
        &self,
        run: RunId,
        hosts: usize,
        errands: usize,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Claim>, StoreFault> {
        self.transact("claiming hosts", |db| {
            let leased = claims::lease(db, run, hosts, now, until)?;
            leased.into_iter().map(|host| host.into_claim(db, run, errands, now)).collect()
        })
    }

    async fn refill(
        &self,
        run: RunId,
        lease: HostLease,
        after: (Timestamp, ErrandId),
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Errand>, StoreFault> {
        self.perform("fetching errands", |db| claims::due(db, run, lease, after, limit, now))
    }

    async fn renew(&self, leases: &[HostLease], until: Timestamp) -> Result<(), StoreFault> {
        self.transact("renewing leases", |db| claims::renew(db, leases, until))
    }

    async fn release(
        &self,
        run: RunId,
        lease: HostLease,
        pace: &HostPace,
        tally: &HostTally,
    ) -> Result<(), StoreFault> {
        self.transact("giving a host back", |db| claims::release(db, run, lease, pace, tally))
    }

    async fn next_due(&self, run: RunId) -> Result<Option<Timestamp>, StoreFault> {
        self.perform("looking for due errands", |db| claims::next_due(db, run))
    }

    async fn complete(
        &self,
        run: RunId,
        completions: &[Completion],
        moments: Moments,
    ) -> Result<Completed, StoreFault> {
        self.transact("storing results", |db| completing::complete(db, run, completions, moments))
    }

    async fn prove_network(&self, run: RunId) -> Result<(), StoreFault> {
        self.perform("noting that the network works", |db| runs::prove_network(db, run))
    }

    async fn held(
        &self,
        run: RunId,
        after: ErrandId,
        limit: usize,
    ) -> Result<Vec<(Errand, Probe)>, StoreFault> {
        self.perform("reading what is on hold", |db| results::held(db, run, after, limit))
    }

    async fn settled(
        &self,
        run: RunId,
        query: SettledQuery<'_>,
    ) -> Result<Vec<Settled>, StoreFault> {
        self.perform("reading results", |db| results::settled(db, run, query))
    }

    async fn mentions(
        &self,
        errands: &[ErrandId],
        places: usize,
    ) -> Result<Vec<Mentions>, StoreFault> {
        self.perform("reading places", |db| mentions::mentions(db, errands, places))
    }

    async fn control(
        &self,
        key: &str,
        since: Timestamp,
    ) -> Result<Option<KeptControl>, StoreFault> {
        self.perform("reading a control", |db| judging::control(db, key, since))
    }

    async fn keep_controls(&self, controls: &[KeptControl]) -> Result<(), StoreFault> {
        self.transact("keeping controls", |db| judging::keep_controls(db, controls))
    }

    async fn neighbors(
        &self,
        run: RunId,
        directory: &str,
        url: &str,
        limit: usize,
    ) -> Result<Vec<Neighbor>, StoreFault> {
        self.perform("looking for neighbors", |db| {
            judging::neighbors(db, run, directory, url, limit)
        })
    }

    async fn dossier(&self, url: &str) -> Result<Option<Dossier>, StoreFault> {
        self.perform("reading a dossier", |db| dossier::dossier(db, url))
    }

    async fn progress(&self, run: RunId) -> Result<RunProgress, StoreFault> {
        self.perform("counting a run", |db| runs::progress(db, run))
    }

    async fn sources(&self, run: RunId) -> Result<Tally, StoreFault> {
        self.perform("counting a run", |db| runs::sources(db, run))
    }

    async fn tally(&self, run: RunId) -> Result<Tally, StoreFault> {
        self.perform("counting a run", |db| runs::tally(db, run))
    }

    async fn hosts(&self, run: RunId, limit: usize) -> Result<Vec<HostTally>, StoreFault> {
        self.perform("listing hosts", |db| runs::hosts(db, run, limit))
    }

    async fn close_run(
        &self,
        run: RunId,
        state: RunState,
        now: Timestamp,
    ) -> Result<(), StoreFault> {
        self.perform("closing a run", |db| runs::close(db, run, state, now))
    }

    async fn size(&self) -> Result<StoreSize, StoreFault> {
        self.perform("measuring the database", upkeep::size)
    }

    async fn prune(&self, before: Timestamp) -> Result<StoreSize, StoreFault> {
        self.transact("pruning", |db| upkeep::prune(db, before))?;
        self.perform("measuring the database", upkeep::size)
    }

    async fn vacuum(&self) -> Result<(), StoreFault> {
        self.perform("giving room back", upkeep::vacuum)
    }
}
