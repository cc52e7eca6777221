//! The implementation of [`Store`].

use std::sync::atomic::Ordering;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{FetchTask, Probe, RunId, TaskId};
use relink_ports::{
    CacheWindow, CheckedTarget, CheckedTargetQuery, Claim, ClaimRequest, CommitSummary, DocumentId,
    HostLease, HostRelease, HostStats, Inlinks, LinkBatch, LoadedDocument, Neighbor, NewDocument,
    NextDue, OpenRun, RunKey, RunProgress, RunState, RunStats, Store, StoreError, StoreSize,
    StoredControl, TargetRecord, TaskCompletion,
};

use super::claims::ClaimQuery;
use super::rows::to_i64;
use super::{
    PostgresStore, addresses, claims, commit, controls, loading, maintenance, perform, results,
    runs, transact,
};

#[async_trait]
impl Store for PostgresStore {
    async fn open_run(
        &self,
        key: &RunKey,
        fresh: bool,
        now: Timestamp,
    ) -> Result<OpenRun, StoreError> {
        self.open_owned_run(key, fresh, now).await
    }

    async fn load_document(
        &self,
        run: RunId,
        document: &NewDocument,
    ) -> Result<LoadedDocument, StoreError> {
        transact!(self, "loading a document", |db| loading::load_document(db, run, document))
    }

    async fn add_links(&self, run: RunId, batch: LinkBatch<'_>) -> Result<(), StoreError> {
        transact!(self, "storing links", |db| loading::add_links(db, run, &batch))
    }

    async fn finish_document(&self, document: DocumentId) -> Result<(), StoreError> {
        perform!(self, "loading a document", |db| loading::finish_document(db, document))
    }

    async fn finish_loading(&self, run: RunId, documents: &[DocumentId]) -> Result<(), StoreError> {
        transact!(self, "finishing the loading", |db| loading::finish_loading(db, run, documents))
    }

    async fn claim(&self, run: RunId, request: ClaimRequest) -> Result<Vec<Claim>, StoreError> {
        let worker = self.register_worker().await?;
        let clock = self.update_clock().await?;
        let query = ClaimQuery {
            run,
            hosts: request.hosts,
            tasks: request.tasks,
            due: clock.db_time(request.due_until()),
            now: clock.db_time(request.now),
            until: clock.db_time(request.until),
            worker,
            bucket: self.next_bucket.load(Ordering::Relaxed),
        };
        let (claims, last_bucket) =
            transact!(self, "claiming hosts", |db| claims::claim(db, clock, &query))?;
        if let Some(bucket) = last_bucket {
            self.next_bucket.store(bucket, Ordering::Relaxed);
        }
        Ok(claims)
    }

    async fn more_tasks(
        &self,
        run: RunId,
        lease: HostLease,
        after: (Timestamp, TaskId),
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError> {
        let clock = self.clock_offset();
        perform!(self, "reading tasks", |db| claims::more_tasks(
            db,
            clock,
            (run, lease),
            after,
            limit,
            clock.db_time(now)
        ))
    }

    async fn renew(
        &self,
        leases: &[HostLease],
        until: Timestamp,
    ) -> Result<Vec<HostLease>, StoreError> {
        let clock = self.update_clock().await?;
        let (worker, now, until) = (self.worker_id(), self.db_now(), clock.db_time(until));
        let lost = transact!(self, "renewing leases", |db| async {
            addresses::renew(db, worker, until).await?;
            claims::renew(db, worker, leases, (now, until)).await
        })?;
        self.record_heartbeat().await?;
        Ok(lost)
    }

    async fn release(&self, run: RunId, hosts: &[HostRelease]) -> Result<(), StoreError> {
        let (clock, worker) = (self.clock_offset(), self.worker_id());
        transact!(self, "releasing hosts", |db| claims::release(db, clock, (run, worker), hosts))
    }

    async fn next_due(&self, run: RunId) -> Result<NextDue, StoreError> {
        let (worker, now) = (self.worker_id(), self.db_now());
        let (due, is_shared) =
            perform!(self, "searching for due tasks", |db| claims::next_due(db, run, worker, now))?;
        Ok(NextDue { at: due.map(|due| self.clock_offset().caller_time(due)), is_shared })
    }

    async fn commit(
        &self,
        run: RunId,
        completions: &[TaskCompletion],
        cache_window: CacheWindow,
    ) -> Result<CommitSummary, StoreError> {
        let clock = self.clock_offset();
        let summary = transact!(self, "storing results", |db| commit::commit(
            db,
            clock,
            run,
            completions,
            cache_window
        ))?;
        let stored = completions.len() - summary.rejected.len();
        self.results.fetch_add(to_i64(stored), Ordering::Relaxed);
        Ok(summary)
    }

    async fn confirm_network(&self, run: RunId) -> Result<(), StoreError> {
        perform!(self, "confirming the network", |db| runs::confirm_network(db, run))
    }

    async fn held_tasks(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<(FetchTask, Probe)>, StoreError> {
        let clock = self.clock_offset();
        perform!(self, "reading held tasks", |db| results::held_tasks(db, clock, run, after, limit))
    }

    async fn checked_targets(
        &self,
        run: RunId,
        query: CheckedTargetQuery<'_>,
    ) -> Result<Vec<CheckedTarget>, StoreError> {
        perform!(self, "reading results", |db| results::checked_targets(db, run, query))
    }

    async fn inlinks(
        &self,
        tasks: &[TaskId],
        max_locations: usize,
    ) -> Result<Vec<Inlinks>, StoreError> {
        perform!(self, "reading link locations", |db| results::inlinks(db, tasks, max_locations))
    }

    async fn control(
        &self,
        key: &str,
        since: Timestamp,
    ) -> Result<Option<StoredControl>, StoreError> {
        perform!(self, "reading a control", |db| controls::control(db, key, since))
    }

    async fn save_controls(&self, controls: &[StoredControl]) -> Result<(), StoreError> {
        transact!(self, "saving controls", |db| controls::save_controls(db, controls))
    }

    async fn neighbors(
        &self,
        run: RunId,
        directory: &str,
        url: &str,
        limit: usize,
    ) -> Result<Vec<Neighbor>, StoreError> {
        perform!(self, "searching for neighbors", |db| {
            controls::neighbors(db, run, directory, url, limit)
        })
    }

    async fn target_record(&self, url: &str) -> Result<Option<TargetRecord>, StoreError> {
        perform!(self, "reading a target record", |db| controls::target_record(db, url))
    }

    async fn progress(&self, run: RunId) -> Result<RunProgress, StoreError> {
        perform!(self, "reading run statistics", |db| runs::progress(db, run))
    }

    async fn source_stats(&self, run: RunId) -> Result<RunStats, StoreError> {
        perform!(self, "reading run statistics", |db| runs::source_stats(db, run))
    }

    async fn run_stats(&self, run: RunId) -> Result<RunStats, StoreError> {
        perform!(self, "reading run statistics", |db| runs::run_stats(db, run))
    }

    async fn host_stats(&self, run: RunId, limit: usize) -> Result<Vec<HostStats>, StoreError> {
        perform!(self, "listing hosts", |db| runs::host_stats(db, run, limit))
    }

    async fn close_run(
        &self,
        run: RunId,
        state: RunState,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        perform!(self, "closing a run", |db| runs::close(db, run, state, now))
    }

    async fn size(&self) -> Result<StoreSize, StoreError> {
        perform!(self, "reading the database size", |db| maintenance::size(db))
    }

    async fn prune(&self, before: Timestamp) -> Result<StoreSize, StoreError> {
        transact!(self, "pruning", |db| maintenance::prune(db, before))?;
        perform!(self, "reading the database size", |db| maintenance::size(db))
    }

    async fn vacuum(&self) -> Result<(), StoreError> {
        perform!(self, "shrinking the database", |db| maintenance::vacuum(db))
    }
}
