//! Runs the fetch tasks of a run until none is left.
//!
//! One loop owns all state. It claims hosts from the store, sends requests as the rate
//! limiters allow, judges the responses, commits the results in batches and reports them.
//! Only the requests themselves run in other tasks. A finished batch frees its request
//! slots. New results are not processed before the batch is committed, so a crash repeats
//! at most one batch.
//!
//! A *claim* leases a host: it takes the exclusive right to fetch its tasks for some time. A
//! *control* is a page fetched only for comparison. A *held* result waits in the store,
//! usually for the end of the run. A run is *in doubt* if the local network may have caused
//! its failures. A *deferred* result is not reported yet, because links are still being read.

mod anchors;
mod at_risk;
mod claims;
mod commit;
mod comparisons;
mod controls;
mod crawl_hooks;
mod events;
mod held;
mod host_queue;
mod host_queues;
mod job;
mod judgment;
mod leases;
mod loading;
mod neighbors;
mod network;
mod new_tasks;
mod page_sink;
mod pending_judgment;
mod reports;
mod requests;
mod result_queue;
mod robots;
mod send;
mod settings;
mod stall;
mod task_set;
mod trap_tests;
mod unrequested;
mod worker;
mod worker_results;

pub use self::at_risk::AT_RISK_DECAY;
pub use self::controls::ranked_key as ranked_control_key;
pub(crate) use self::job::{Job, ListJob, NamedCheckpoint, NewTasks};
pub use self::page_sink::PageSink;
pub use self::settings::DispatchSettings;

use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::NetworkDoubt;
use relink_judge::PhraseScan;
use relink_model::{FetchTask, Probe, RunId};
use relink_ports::{HostId, OpenRun, RenderError};
use tokio::time::Instant;

use self::at_risk::AtRiskPages;
use self::claims::ClaimScheduler;
use self::controls::{ControlTask, Controls};
use self::crawl_hooks::CheckpointTimer;
use self::held::HoldReason;
use self::host_queues::HostQueues;
use self::loading::Loading;
use self::network::Network;
use self::pending_judgment::PageContent;
use self::reports::RunReports;
use self::requests::Requests;
use self::worker::Role;
use self::worker_results::ResultPoll;
use crate::Observer;
use relink_documents::LoadProgress;
use relink_requests::{EngineError, Ports, RobotsResult, StopSignal, internal_error_probe};

/// Interval between progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// Earliest time at which fetching starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DispatchStart {
    /// While links are being read, if that takes longer than 250 ms.
    DuringLoading,
    /// After all links are stored.
    AfterLoading,
}

/// Why the dispatcher ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DispatchEnd {
    /// Every target is checked.
    Done,
    /// No host responded.
    NoNetwork,
    /// Every target is checked, but the local network may have caused failures.
    InDoubt(NetworkDoubt),
    /// Interrupted by the user.
    Stopped,
    /// The time limit of the crawl was reached.
    TimeLimitReached,
    /// A host of the crawled site started to block the crawler.
    BlockedByHost {
        /// The name of the host.
        host: String,
        /// Number of requests sent to the host.
        requests: u64,
        /// Whether the host stopped responding. If not, it refuses requests.
        is_silent: bool,
    },
}

/// Message from a spawned request to the loop.
enum WorkerEvent {
    /// The IP address of a host; `None` if the lookup failed.
    AddressResolved(HostId, Option<std::net::IpAddr>),
    /// The result of a task.
    TaskFetched(HostId, Box<FetchedTask>),
    /// The result of a task whose page is parsed for links. The error is set if the page
    /// needs a browser and was not rendered.
    PageFetched(HostId, Box<FetchedTask>, Option<RenderError>),
    /// The result of fetching robots.txt.
    RobotsFetched(HostId, Box<RobotsResult>, Box<Probe>),
    /// The result of fetching a control.
    ControlFetched(HostId, Box<ControlTask>, Box<Probe>),
}

/// A task with its fetched page.
struct FetchedTask {
    task: FetchTask,
    probe: Probe,
    /// Phrases found on the page. The scan runs outside the loop.
    phrase_scan: Option<PhraseScan>,
    content: PageContent,
}

/// Result of a request. The page is parsed and scanned outside the loop.
struct FetchedPage {
    probe: Probe,
    phrase_scan: Option<PhraseScan>,
    content: PageContent,
}

impl FetchedPage {
    fn new(probe: Probe, content: PageContent) -> Self {
        let phrase_scan = probe.digest.as_deref().map(PhraseScan::from_digest);
        Self { probe, phrase_scan, content }
    }

    /// Returns the result for a page if fetching or parsing it panicked.
    fn internal_error(requested_at: Timestamp) -> Self {
        let (probe, content) = (internal_error_probe(requested_at), PageContent::default());
        Self { probe, phrase_scan: None, content }
    }
}

impl FetchedTask {
    fn new(task: FetchTask, page: FetchedPage) -> Self {
        let FetchedPage { probe, phrase_scan, content } = page;
        Self { task, probe, phrase_scan, content }
    }
}

/// The run of a dispatcher.
#[derive(Debug, Clone, Copy)]
struct RunContext {
    id: RunId,
    /// Increases whenever the run is opened, so that only the last process judges held tasks.
    generation: i64,
    /// The time at which the run was first started.
    started_at: Timestamp,
    role: Role,
    /// Whether other processes may commit results of this run.
    is_shared: bool,
}

/// Runs the fetch tasks of one run.
pub(crate) struct Dispatcher<'a> {
    ports: &'a Ports,
    run: RunContext,
    settings: &'a DispatchSettings,
    /// The rules of the command.
    job: &'a mut dyn Job,
    loading: Loading<'a>,
    created_at: Instant,
    claims: ClaimScheduler,
    queues: HostQueues,
    requests: Requests,
    controls: Controls,
    network: Network,
    /// Pages with a high stored decay.
    at_risk: AtRiskPages,
    reports: RunReports,
    /// Tasks that are dropped instead of fetched.
    skipped: Vec<(HostId, FetchTask)>,
    /// Decides when the periodic checkpoint of the job is saved.
    checkpoints: CheckpointTimer,
    /// Decides when results of other workers are read.
    result_poll: ResultPoll,
}

impl<'a> Dispatcher<'a> {
    pub(crate) fn new(
        ports: &'a Ports,
        run: &OpenRun,
        settings: &'a DispatchSettings,
        start: DispatchStart,
        load_progress: &'a LoadProgress,
        job: &'a mut dyn Job,
    ) -> Self {
        let is_shared = ports.store.is_shared();
        let OpenRun { id, generation, started_at, network_confirmed, .. } = *run;
        Self {
            ports,
            run: RunContext { id, generation, started_at, role: Role::Owner, is_shared },
            settings,
            job,
            loading: Loading::new(start, load_progress),
            created_at: Instant::now(),
            claims: ClaimScheduler::new(ports.now()),
            queues: HostQueues::new(settings.politeness.ip_gap),
            requests: Requests::new(ports, settings.concurrency),
            controls: Controls::default(),
            network: Network::new(network_confirmed),
            at_risk: AtRiskPages::default(),
            reports: RunReports::new(is_shared),
            skipped: Vec::new(),
            checkpoints: CheckpointTimer::default(),
            result_poll: ResultPoll::default(),
        }
    }

    /// Fetches until no task is left or the run is stopped.
    pub(crate) async fn run(
        mut self,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<DispatchEnd, EngineError> {
        self.load_network().await?;
        self.at_risk = AtRiskPages::load(&*self.ports.store).await?;
        loop {
            if stop.is_stopped() {
                self.report_deferred(observer).await?;
                self.release_all().await?;
                return Ok(DispatchEnd::Stopped);
            }
            self.update_load_state().await?;
            if self.loading.can_send(self.elapsed()) {
                self.refill_queues(observer).await?;
                self.dispatch(self.elapsed());
                self.drop_skipped(observer).await?;
            }
            self.report_deferred_page(observer).await?;
            self.report_progress(observer);
            if self.is_done() {
                if self.continue_or_finish(observer, stop).await? {
                    continue;
                }
                break;
            }
            self.read_awaited_results_if_due().await?;
            if self.job.has_ready_tasks() {
                self.add_new_tasks().await?;
            }
            self.save_checkpoint_if_due().await?;
            if let Some(end) = self.end_early(observer, stop).await? {
                return Ok(end);
            }
            self.fail_if_stalled().await?;
            self.wait(stop).await;
            self.collect_results(observer, stop).await?;
        }
        self.report_remaining(observer).await?;
        // Without a response, only targets that need no request are checked.
        let is_done = self.network.is_confirmed() || self.reports.is_complete();
        Ok(match self.network.doubt() {
            _ if !is_done => DispatchEnd::NoNetwork,
            Some(doubt) => DispatchEnd::InDoubt(doubt.clone()),
            None => DispatchEnd::Done,
        })
    }

    /// Ends a crawl whose time limit is reached, or that is blocked by a host.
    async fn end_early(
        &mut self,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<Option<DispatchEnd>, EngineError> {
        let end = if self.is_time_limit_reached() {
            DispatchEnd::TimeLimitReached
        } else if let Some(end) = self.blocking_host() {
            self.requeue_rejected_tasks(observer).await?;
            end
        } else {
            return Ok(None);
        };
        // Report held results with the evidence at hand rather than omit them.
        self.report_deferred(observer).await?;
        self.judge_held(HoldReason::All, observer, stop).await?;
        self.release_all().await?;
        Ok(Some(end))
    }

    /// Reports the results that were not reported when they were stored.
    async fn report_remaining(&mut self, observer: &mut dyn Observer) -> Result<(), EngineError> {
        self.report_results_of_workers(observer).await?;
        self.report_unfetched(observer).await?;
        if self.loading.loader().handoff().needs_any_anchors() {
            self.judge_anchors(observer).await?;
        }
        Ok(())
    }

    /// Adds tasks or judges held results after all tasks are done. Held results come last
    /// because they may need pages found later. Returns whether the loop continues.
    async fn continue_or_finish(
        &mut self,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<bool, EngineError> {
        self.read_awaited_results().await?;
        if self.add_new_tasks().await? {
            return Ok(true);
        }
        self.sync_with_workers().await?;
        self.judge_held(HoldReason::All, observer, stop).await?;
        // The loop handles a stop. A survey selects new tasks by the results just judged.
        let is_in_doubt = self.network.doubt().is_some();
        Ok(stop.is_stopped() || !is_in_doubt && self.add_new_tasks().await?)
    }

    /// Updates the loading state. When loading is done, deferred results can be reported.
    async fn update_load_state(&mut self) -> Result<(), EngineError> {
        if self.loading.is_done() {
            return Ok(());
        }
        let has_ended = self.loading.has_ended();
        if self.claims.set_stored_batches(self.loading.stored_batches()) || has_ended {
            self.refill_deferred_hosts();
        }
        if has_ended {
            let last = self.ports.store.last_task_id(self.run.id).await?;
            self.loading.finish(last);
            self.reports.set_progress(&self.ports.store.progress(self.run.id).await?);
            self.reports.defer_through(last);
        }
        Ok(())
    }

    /// Time since the dispatcher was created, on a monotonic clock.
    fn elapsed(&self) -> Duration {
        self.created_at.elapsed()
    }

    /// Whether all tasks are fetched and all deferred results reported.
    fn is_done(&self) -> bool {
        let is_reported = self.loading.is_done() && !self.reports.is_deferring();
        let is_idle = self.queues.is_empty() && self.requests.outstanding() == 0;
        is_reported && is_idle && self.claims.is_exhausted()
    }

    /// Waits for results, for the next host to become ready, or for a stop.
    async fn wait(&self, stop: &StopSignal) {
        let wake = self.created_at + self.next_wake();
        tokio::select! {
            biased;
            () = self.requests.wait() => {}
            () = self.loading.changed(), if !self.loading.is_done() => {}
            () = stop.stopped() => {}
            () = tokio::time::sleep_until(wake) => {}
        }
    }

    /// Returns when the loop must run again, even if no result arrives.
    fn next_wake(&self) -> Duration {
        let now = self.elapsed();
        if self.claims.needs_refill() || self.reports.is_deferring() {
            return now;
        }
        let next_send = self.queues.next_send(|ready_key| self.requests.has_slot(ready_key));
        // A claim that is due must not keep the loop awake while it has no room.
        let next_claim = self.claims.next_claim().filter(|_| self.has_room_for_hosts());
        let next = [next_send, next_claim, self.claims.next_refill()].into_iter().flatten().min();
        next.unwrap_or(now + PROGRESS_INTERVAL).min(now + PROGRESS_INTERVAL)
    }
}
