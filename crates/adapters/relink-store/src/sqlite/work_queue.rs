//! The implementation of [`WorkQueue`].

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{FetchTask, Probe, RunId, TaskId};
use relink_ports::{
    CacheWindow, Claim, ClaimRequest, CommitSummary, HostLease, HostRelease, JoinableRun, NextDue,
    QueueStatus, RunStatus, StoreError, TaskCompletion, WorkQueue,
};

use super::{SqliteStore, claims, commit, pages, results, workers};

#[async_trait]
impl WorkQueue for SqliteStore {
    fn is_shared(&self) -> bool {
        false
    }

    async fn joinable_runs(&self) -> Result<Vec<JoinableRun>, StoreError> {
        self.perform("listing runs", workers::joinable_runs)
    }

    async fn run_status(&self, run: RunId) -> Result<RunStatus, StoreError> {
        self.perform("reading a run", |db| workers::run_status(db, run))
    }

    async fn queue_status(&self) -> Result<QueueStatus, StoreError> {
        self.perform("reading the queue", workers::queue_status)
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

    async fn due_by_rank(
        &self,
        run: RunId,
        lease: HostLease,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError> {
        self.perform("reading tasks", |db| pages::due_by_rank(db, run, lease, limit, now))
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

    async fn held_tasks(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<(FetchTask, Probe)>, StoreError> {
        self.perform("reading held tasks", |db| results::held_tasks(db, run, after, limit))
    }

    async fn reserve_request(
        &self,
        host: &str,
        now: Timestamp,
        next_at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.perform("reserving a request", |db| claims::reserve_request(db, host, now, next_at))
    }
}
