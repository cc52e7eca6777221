//! The work queue: leases of hosts, due tasks and their results.
//!
//! This is the only part of the store that workers share. A worker claims hosts, not
//! single tasks: it receives a *lease*, the exclusive right to fetch the tasks of a host
//! until a given time. A lease has a *fencing token*, a number that grows with every
//! lease of the host. The store rejects results with an old token, so a worker that lost
//! its lease cannot overwrite results.
//!
//! A *held* task is judged after the lease has ended, from its stored probe. The result of a
//! held task has the generation of the run instead of a fencing token. The generation is a
//! number that increases whenever the run is opened.

use std::net::IpAddr;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{
    Attempt, Confidence, Evidence, FailureStreak, FetchPurpose, FetchTask, FindingCode, Probe,
    RunId, TargetId, TaskId, Verdict,
};

use crate::{CacheWindow, HostStats, NewPage, OpenRun, RunKey, RunState, StoreError};

/// The id of a host in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub i64);

/// A lease of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HostLease {
    /// The host.
    pub host: HostId,
    /// The token that increases with every lease of the host.
    pub fencing_token: i64,
}

/// The right to store a result, verified when the result is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fence {
    /// The lease held during the fetch.
    Host(HostLease),
    /// The generation of the run ([`OpenRun::generation`]), for results of held tasks. Only
    /// the process that opened the run judges held tasks.
    Run(i64),
}

impl From<HostLease> for Fence {
    fn from(lease: HostLease) -> Self {
        Self::Host(lease)
    }
}

/// Which hosts and tasks to claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimRequest {
    /// The maximum number of hosts.
    pub hosts: usize,
    /// The maximum number of tasks per host.
    pub tasks: usize,
    /// The current time.
    pub now: Timestamp,
    /// The time when the new leases end.
    pub until: Timestamp,
    /// Whether hosts and tasks are also claimed before they are due. The leases of other
    /// workers are always respected.
    pub claims_before_due: bool,
}

impl ClaimRequest {
    /// Returns the time up to which hosts and tasks are claimed.
    pub fn due_until(&self) -> Timestamp {
        if self.claims_before_due { Timestamp::MAX } else { self.now }
    }
}

/// When the next host of a run can be claimed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NextDue {
    /// The due time of the next task whose host is not leased.
    pub at: Option<Timestamp>,
    /// Whether other workers have leased hosts with tasks. These hosts can be
    /// claimed when they are released or their leases end.
    pub is_shared: bool,
}

/// The persistent state of a host's rate limiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HostSchedule {
    /// The earliest time of the next request.
    pub next_at: Timestamp,
    /// The delay between requests derived from response times, in milliseconds.
    pub delay_ms: u32,
    /// The delay after a throttling response such as 429, in milliseconds; zero
    /// if there was none.
    pub throttle_ms: u32,
    /// The time of the last update. A time in the future means that the system
    /// clock was set back.
    pub stored_at: Timestamp,
    /// The IP address of the last request.
    pub address: Option<IpAddr>,
}

/// A claimed host with its first tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The lease.
    pub lease: HostLease,
    /// The host name, with the port if it is not the default one.
    pub name: String,
    /// The state of its rate limiter.
    pub schedule: HostSchedule,
    /// Due tasks, oldest first.
    pub tasks: Vec<FetchTask>,
}

/// A host to release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRelease {
    /// The lease.
    pub lease: HostLease,
    /// The state of its rate limiter.
    pub schedule: HostSchedule,
    /// The increments of its request statistics.
    pub stats: HostStats,
}

/// The result of one attempt, to be committed.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskCompletion {
    /// The id of the task.
    pub task: TaskId,
    /// The id of its target.
    pub target: TargetId,
    /// The right to store the result.
    pub fence: Fence,
    /// The probe, if a request was sent.
    pub probe: Option<Probe>,
    /// The next state of the task.
    pub update: TaskUpdate,
    /// The fetched page, if its links are followed.
    pub page: Option<NewPage>,
    /// The sorted [`anchor_hash`](crate::anchor_hash) values of the page; `None` if they are
    /// unknown or not needed.
    pub anchors: Option<Vec<u32>>,
}

/// The next state of a task.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskUpdate {
    /// Fetch the target again.
    Retry {
        /// The reason for the next attempt.
        purpose: FetchPurpose,
        /// The earliest time of the next attempt.
        not_before: Timestamp,
        /// The attempts so far.
        attempts: Vec<Attempt>,
    },
    /// Postpone the judgment until any server has responded, or until other
    /// pages of the directory are fetched.
    Hold {
        /// The attempts so far.
        attempts: Vec<Attempt>,
    },
    /// Delete the task and the links to it.
    Drop,
    /// Store the result.
    Finish(TargetResult),
}

/// The result of a target in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetResult {
    /// The verdict.
    pub verdict: Verdict,
    /// The code of the finding; `None` if the verdict is not a finding.
    pub code: Option<FindingCode>,
    /// The last HTTP status.
    pub status: Option<u16>,
    /// The reason shown to users.
    pub reason: String,
    /// The time since which every check had this verdict.
    pub since: Timestamp,
    /// The time of the check.
    pub checked_at: Timestamp,
    /// The attempts of the run.
    pub attempts: Vec<Attempt>,
    /// The successive runs that failed, including this one; `None` if this run did not
    /// fail.
    pub streak: Option<FailureStreak>,
    /// The confidence of the verdict.
    pub confidence: Confidence,
    /// The evidence in addition to the attempts.
    pub evidence: Vec<Evidence>,
}

/// The results that a commit stored and rejected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitSummary {
    /// Tasks whose results were rejected, because their fence is outdated.
    pub rejected: Vec<TaskId>,
    /// Targets that are new to the run.
    pub new_targets: u64,
    /// New targets that need no request, included in `new_targets`.
    pub already_checked: u64,
}

/// A run that workers can join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinableRun {
    /// The run, as its owner opened it.
    pub run: OpenRun,
    /// The command.
    pub command: String,
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunStatus {
    /// Whether the run is open.
    pub state: RunState,
    /// Whether all documents of the run are loaded.
    pub is_loaded: bool,
    /// Whether any worker has reached a server.
    pub network_confirmed: bool,
}

/// The state of the queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueStatus {
    /// The time on the clock of the store.
    pub now: Timestamp,
    /// Workers that were seen within the last day, newest first.
    pub workers: Vec<WorkerStatus>,
    /// Open runs, newest first.
    pub runs: Vec<RunQueue>,
}

/// A process that uses the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerStatus {
    /// The id in the store.
    pub id: i64,
    /// The host name and process id.
    pub name: String,
    /// The time when the process started.
    pub started_at: Timestamp,
    /// The time of the last heartbeat of the process.
    pub seen_at: Timestamp,
    /// The number of hosts that the process has leased.
    pub leases: u64,
    /// The number of results that the process has committed.
    pub results: u64,
    /// Results per minute since the heartbeat before the last one.
    pub rate: u64,
}

/// The queue of an open run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunQueue {
    /// The run.
    pub run: RunId,
    /// The command.
    pub command: String,
    /// The number of tasks to fetch.
    pub pending: u64,
    /// The number of tasks on hold.
    pub held: u64,
    /// The number of checked targets.
    pub checked: u64,
    /// The number of hosts with tasks to fetch.
    pub hosts: u64,
    /// The number of leased hosts with tasks to fetch.
    pub leased: u64,
}

/// The state of a task that is not pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetState {
    /// The target has a result in the run.
    Checked(Verdict),
    /// The target was fetched and is judged later.
    Held,
}

/// The queue of fetch tasks.
#[async_trait]
pub trait WorkQueue: Send + Sync {
    /// Whether several processes can use the store at the same time.
    fn is_shared(&self) -> bool;

    /// Returns open runs without a document that is only partly loaded, oldest first.
    async fn joinable_runs(&self) -> Result<Vec<JoinableRun>, StoreError>;

    /// Returns the unfinished run with this key.
    async fn unfinished_run(&self, _key: &RunKey) -> Result<Option<OpenRun>, StoreError> {
        Ok(None)
    }

    /// Whether a process that has opened the run is connected.
    async fn is_owned(&self, _run: RunId) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// Returns the state of a run.
    async fn run_status(&self, run: RunId) -> Result<RunStatus, StoreError>;

    /// Returns the workers, leases and queues.
    async fn queue_status(&self) -> Result<QueueStatus, StoreError>;

    /// Leases hosts with due tasks and returns their first tasks.
    async fn claim(&self, run: RunId, request: ClaimRequest) -> Result<Vec<Claim>, StoreError>;

    /// Returns further due tasks of a leased host: those after the due time and
    /// id in `after`.
    async fn more_tasks(
        &self,
        run: RunId,
        lease: HostLease,
        after: (Timestamp, TaskId),
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError>;

    /// Returns due tasks of a leased host by traversal rank
    /// ([`LinkDecision::Fetch`](crate::LinkDecision::Fetch)), lowest first.
    async fn due_by_rank(
        &self,
        run: RunId,
        lease: HostLease,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<FetchTask>, StoreError>;

    /// Extends leases, and records that this worker is alive. Returns the lost leases:
    /// another worker may have claimed their hosts.
    async fn renew(
        &self,
        leases: &[HostLease],
        until: Timestamp,
    ) -> Result<Vec<HostLease>, StoreError>;

    /// Releases hosts, and stores their schedules and statistics. A lease that
    /// was lost is ignored.
    async fn release(&self, run: RunId, hosts: &[HostRelease]) -> Result<(), StoreError>;

    /// Returns when the next host can be claimed. If the result is [`NextDue::default`] and
    /// this worker has leased no host, the run has no task to fetch.
    async fn next_due(&self, run: RunId) -> Result<NextDue, StoreError>;

    /// Commits results and the links of their pages in one transaction.
    async fn commit(
        &self,
        run: RunId,
        completions: &[TaskCompletion],
        cache_window: CacheWindow,
    ) -> Result<CommitSummary, StoreError>;

    /// Returns held tasks after `after`, each with its last probe.
    async fn held_tasks(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<(FetchTask, Probe)>, StoreError>;

    /// Returns the states of the tasks of these targets that are not pending. The owner of a
    /// run that selects its tasks by results finds those of other workers with it.
    ///
    /// The default is for a store that only one process uses.
    async fn target_states(
        &self,
        _run: RunId,
        _urls: &[String],
    ) -> Result<Vec<(String, TargetState)>, StoreError> {
        Ok(Vec::new())
    }

    /// Reserves the next request to a host outside of runs. Returns `false` while the
    /// host is leased or its next request is not due. Otherwise no worker may send
    /// another request before `next_at`.
    async fn reserve_request(
        &self,
        host: &str,
        now: Timestamp,
        next_at: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Leases the IP address of a leased host for this worker, until the host lease
    /// ends. Returns `false` while another worker has leased the address; this worker must
    /// then not send requests to it. The lease of the address is renewed and released
    /// together with the lease of the host.
    ///
    /// The default is for a store that only one process uses.
    async fn lease_address(
        &self,
        _lease: HostLease,
        _address: IpAddr,
        _now: Timestamp,
        _until: Timestamp,
    ) -> Result<bool, StoreError> {
        Ok(true)
    }
}
