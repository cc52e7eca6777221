//! SQLite: the embedded default, one process at a time.
//!
//! One connection does all the work. SQLite has a single writer anyway, and an
//! exclusive lock spares the shared-memory index. Rows go in and out in
//! batches, many rows to a statement through `json_each`, so that a statement
//! is prepared once whatever the batch size.

mod claims;
mod fault;
mod loading;
mod open;
mod results;
mod row_struct;
mod rows;
mod runs;
mod upkeep;

use std::path::PathBuf;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{Errand, ErrandId, Probe, RunId, Word};
use relink_ports::{
    Claim, Completion, DocumentId, HostLease, HostPace, HostTally, LinkBatch, LoadedDocument,
    NewDocument, OpenRun, PlaceIn, RunPlan, RunState, Settled, Store, StoreFault, StoreSize, Tally,
};
use sqlx::SqliteConnection;
use tokio::sync::{Mutex, MutexGuard};

/// A store in one SQLite file, held exclusively while it is open.
pub struct SqliteStore {
    place: PathBuf,
    connection: Mutex<SqliteConnection>,
}

impl SqliteStore {
    async fn connection(&self) -> MutexGuard<'_, SqliteConnection> {
        self.connection.lock().await
    }

    /// Turns what the database said about `doing` into our words.
    fn fault(&self, doing: &'static str) -> impl Fn(sqlx::Error) -> StoreFault + '_ {
        move |fault| fault::translate(&self.place, doing, fault)
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
        self.open_run(plan, fresh, now).await
    }

    async fn load_document(
        &self,
        run: RunId,
        document: &NewDocument,
    ) -> Result<LoadedDocument, StoreFault> {
        self.load_document(run, document).await
    }

    async fn add_links(&self, run: RunId, batch: LinkBatch<'_>) -> Result<(), StoreFault> {
        self.add_links(run, batch).await
    }

    async fn finish_document(&self, document: DocumentId) -> Result<(), StoreFault> {
        self.finish_document(document).await
    }

    async fn finish_loading(&self, run: RunId, documents: &[DocumentId]) -> Result<(), StoreFault> {
        self.finish_loading(run, documents).await
    }

    async fn claim(
        &self,
        run: RunId,
        hosts: usize,
        errands: usize,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Claim>, StoreFault> {
        self.claim(run, hosts, errands, now, until).await
    }

    async fn refill(
        &self,
        run: RunId,
        lease: HostLease,
        after: (Timestamp, ErrandId),
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Errand>, StoreFault> {
        self.refill(run, lease, after, limit, now).await
    }

    async fn renew(&self, leases: &[HostLease], until: Timestamp) -> Result<(), StoreFault> {
        self.renew(leases, until).await
    }

    async fn release(
        &self,
        run: RunId,
        lease: HostLease,
        pace: &HostPace,
        tally: &HostTally,
    ) -> Result<(), StoreFault> {
        self.release(run, lease, pace, tally).await
    }

    async fn next_due(&self, run: RunId) -> Result<Option<Timestamp>, StoreFault> {
        self.next_due(run).await
    }

    async fn complete(
        &self,
        run: RunId,
        completions: &[Completion],
    ) -> Result<Vec<ErrandId>, StoreFault> {
        self.complete(run, completions).await
    }

    async fn prove_network(&self, run: RunId) -> Result<(), StoreFault> {
        self.prove_network(run).await
    }

    async fn held(
        &self,
        run: RunId,
        after: ErrandId,
        limit: usize,
    ) -> Result<Vec<(Errand, Probe)>, StoreFault> {
        self.held(run, after, limit).await
    }

    async fn settled(
        &self,
        run: RunId,
        after: ErrandId,
        limit: usize,
        words: Option<&[Word]>,
    ) -> Result<Vec<Settled>, StoreFault> {
        self.settled(run, after, limit, words).await
    }

    async fn places(&self, errands: &[ErrandId]) -> Result<Vec<Vec<PlaceIn>>, StoreFault> {
        self.places(errands).await
    }

    async fn tally(&self, run: RunId) -> Result<Tally, StoreFault> {
        self.tally(run).await
    }

    async fn hosts(&self, run: RunId, limit: usize) -> Result<Vec<HostTally>, StoreFault> {
        self.hosts(run, limit).await
    }

    async fn close_run(
        &self,
        run: RunId,
        state: RunState,
        now: Timestamp,
    ) -> Result<(), StoreFault> {
        self.close_run(run, state, now).await
    }

    async fn size(&self) -> Result<StoreSize, StoreFault> {
        self.size().await
    }

    async fn prune(&self, before: Timestamp) -> Result<StoreSize, StoreFault> {
        self.prune(before).await
    }

    async fn vacuum(&self) -> Result<(), StoreFault> {
        self.vacuum().await
    }
}
