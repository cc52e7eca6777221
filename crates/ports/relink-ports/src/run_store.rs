//! Runs: opening, resuming and closing them, their statistics and checkpoints.

use std::collections::BTreeMap;

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{RunId, TaskId, Verdict};

use crate::StoreError;

/// The key of a run. An unfinished run with the same key is resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunKey {
    /// The command, such as `check`.
    pub command: String,
    /// The inputs as given by the user.
    pub inputs: Vec<String>,
    /// All other options that determine which URLs are fetched, as one text.
    pub scope: String,
}

/// A new or resumed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenRun {
    /// The id of the run.
    pub id: RunId,
    /// The time of the first start.
    pub started_at: Timestamp,
    /// Whether an unfinished run is continued.
    pub is_resumed: bool,
    /// Whether a server was reached before the interruption.
    pub network_confirmed: bool,
    /// A number that increases whenever the run is opened. The store rejects
    /// results of an earlier generation of the run.
    pub generation: i64,
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// Running or interrupted.
    Open,
    /// All targets are checked.
    Finished,
    /// No host was reachable; the run has no results.
    NoNetwork,
}

/// An entry of the list of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// The id of the run.
    pub id: RunId,
    /// The command.
    pub command: String,
    /// The inputs as given by the user.
    pub inputs: Vec<String>,
    /// The time of the first start.
    pub started_at: Timestamp,
    /// The time when the run was closed; `None` if it is unfinished.
    pub closed_at: Option<Timestamp>,
    /// Whether all targets were checked.
    pub is_finished: bool,
    /// The number of targets.
    pub targets: u64,
    /// The number of checked targets.
    pub checked: u64,
    /// The number of parsed pages.
    pub pages: u64,
}

/// The statistics of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Links found.
    pub links: u64,
    /// Documents read.
    pub documents: u64,
    /// Hosts contacted.
    pub hosts: u64,
    /// Distinct targets.
    pub targets: u64,
    /// Checked targets.
    pub checked: u64,
    /// Targets with a cached result.
    pub cached: u64,
    /// Targets by verdict.
    pub verdicts: BTreeMap<Verdict, u64>,
    /// Links whose document suppresses the finding. The other counters exclude
    /// these links, and targets that have no other links.
    pub ignored: u64,
}

/// The progress of a run. Unlike [`RunStats`], it includes findings that documents
/// suppress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// Distinct targets.
    pub targets: u64,
    /// Checked targets.
    pub checked: u64,
}

/// The request statistics of a host in a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostStats {
    /// The host name, with the port if it is not the default one.
    pub name: String,
    /// All requests, including retries and confirmations.
    pub requests: u64,
    /// Requests for controls, included in `requests`.
    pub control_requests: u64,
    /// Requests that received a response.
    pub responses: u64,
    /// Throttling responses such as 429.
    pub throttled: u64,
    /// The total duration of all requests in milliseconds.
    pub request_ms: u64,
    /// The time that tasks waited for the rate limiter, in milliseconds.
    pub politeness_wait_ms: u64,
}

/// The runs of all commands.
#[async_trait]
pub trait RunStore: Send + Sync {
    /// Opens the unfinished run with this key, or a new run.
    ///
    /// If `fresh` is set, always opens a new run. The unfinished run with this key can then
    /// never be resumed.
    async fn open_run(
        &self,
        key: &RunKey,
        fresh: bool,
        now: Timestamp,
    ) -> Result<OpenRun, StoreError>;

    /// Closes a run.
    async fn close_run(
        &self,
        run: RunId,
        state: RunState,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Records that a server was reached.
    async fn confirm_network(&self, run: RunId) -> Result<(), StoreError>;

    /// Returns the progress of the run.
    async fn progress(&self, run: RunId) -> Result<RunProgress, StoreError>;

    /// Returns the statistics of the run without the counters of targets. Faster than
    /// [`Self::run_stats`], because the results are not read.
    async fn source_stats(&self, run: RunId) -> Result<RunStats, StoreError>;

    /// Returns the statistics of the run.
    async fn run_stats(&self, run: RunId) -> Result<RunStats, StoreError>;

    /// Returns the hosts of the run with the most requests, busiest first.
    async fn host_stats(&self, run: RunId, limit: usize) -> Result<Vec<HostStats>, StoreError>;

    /// Returns the runs of a command, or of all commands, newest first.
    async fn runs(
        &self,
        command: Option<&str>,
        limit: usize,
    ) -> Result<Vec<RunSummary>, StoreError>;

    /// Returns the greatest task id of a run.
    async fn last_task_id(&self, run: RunId) -> Result<TaskId, StoreError>;

    /// Returns the checkpoint of a run with this name: state that a command saved
    /// in order to resume the run.
    async fn checkpoint(&self, run: RunId, name: &str) -> Result<Option<String>, StoreError>;

    /// Saves a checkpoint of a run, replacing an earlier one with this name.
    async fn save_checkpoint(&self, run: RunId, name: &str, text: &str) -> Result<(), StoreError>;
}
