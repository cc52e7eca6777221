//! The implementation of [`WorkQueue`].

use std::net::IpAddr;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{FetchTask, Probe, RunId, TaskId};
use relink_ports::{
    CacheWindow, Claim, ClaimRequest, CommitSummary, HostLease, HostRelease, JoinableRun, NextDue,
    OpenRun, QueueStatus, RunKey, RunStatus, StoreError, TargetState, TaskCompletion, WorkQueue,
};

use super::claims::ClaimQuery;
use super::connection::is_run_locked;
use super::rows::to_i64;
use super::{PostgresStore, addresses, claims, commit, perform, results, runs, transact, workers};

#[async_trait]
impl WorkQueue for PostgresStore {
    fn is_shared(&self) -> bool {
        true
    }

    async fn joinable_runs(&self) -> Result<Vec<JoinableRun>, StoreError> {
        perform!(self, "listing runs", |db| workers::joinable_runs(db))
    }

    async fn unfinished_run(&self, key: &RunKey) -> Result<Option<OpenRun>, StoreError> {
        perform!(self, "searching for a run", |db| runs::unfinished(db, key))
    }

    async fn is_owned(&self, run: RunId) -> Result<bool, StoreError> {
        perform!(self, "searching for the owner of a run", |db| is_run_locked(db, run.0))
    }

    async fn run_status(&self, run: RunId) -> Result<RunStatus, StoreError> {
        perform!(self, "reading a run", |db| workers::run_status(db, run))
    }

    async fn queue_status(&self) -> Result<QueueStatus, StoreError> {
        perform!(self, "reading the queue", |db| workers::queue_status(db))
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

    async fn due_by_rank(
        &self,
        run: RunId,
        lease: HostLease,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError> {
        let clock = self.clock_offset();
        perform!(self, "reading tasks", |db| claims::due_by_rank(
            db,
            clock,
            (run, lease),
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
        let committed = completions.len() - summary.rejected.len();
        self.results.fetch_add(to_i64(committed), Ordering::Relaxed);
        Ok(summary)
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

    async fn target_states(
        &self,
        run: RunId,
        urls: &[String],
    ) -> Result<Vec<(String, TargetState)>, StoreError> {
        perform!(self, "reading the states of targets", |db| results::target_states(db, run, urls))
    }

    async fn reserve_request(
        &self,
        host: &str,
        now: Timestamp,
        next_at: Timestamp,
    ) -> Result<bool, StoreError> {
        let clock = self.update_clock().await?;
        let times = (clock.db_time(now), clock.db_time(next_at));
        transact!(self, "reserving a request", |db| claims::reserve_request(db, host, times))
    }

    async fn lease_address(
        &self,
        lease: HostLease,
        address: IpAddr,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, StoreError> {
        let (worker, clock) = (self.register_worker().await?, self.clock_offset());
        let times = (clock.db_time(now), clock.db_time(until));
        transact!(self, "leasing an IP address", |db| addresses::lease(
            db, worker, lease, address, times
        ))
    }
}
