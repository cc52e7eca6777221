//! What workers share: the runs they can join, and the state of the queue.

use std::net::IpAddr;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::RunId;

use crate::{HostLease, OpenRun, RunKey, RunState, StoreError};

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
    /// Whether all of its documents are loaded.
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
    /// When it started.
    pub started_at: Timestamp,
    /// Its last heartbeat.
    pub seen_at: Timestamp,
    /// The number of hosts it has leased.
    pub leases: u64,
    /// The number of results it has committed.
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
    /// The number of these hosts that are leased.
    pub leased: u64,
}

/// The part of the store that shows workers to each other.
#[async_trait]
pub trait WorkerStore: Send + Sync {
    /// Whether several processes can use the store at the same time.
    fn is_shared(&self) -> bool;

    /// Returns open runs whose documents are loaded, oldest first.
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

    /// Leases the IP address of a leased host for this worker, until the host lease
    /// ends. Returns whether this worker may send requests to the address: `false`
    /// while another worker sends requests to hosts with the same address. The lease is
    /// renewed and released together with the hosts.
    ///
    /// A store of one process needs no such leases.
    async fn lease_address(
        &self,
        _lease: HostLease,
        _address: IpAddr,
        _now: Timestamp,
        _until: Timestamp,
    ) -> Result<bool, StoreError> {
        Ok(true)
    }

    /// Returns the workers, leases and queues.
    async fn queue_status(&self) -> Result<QueueStatus, StoreError>;
}
