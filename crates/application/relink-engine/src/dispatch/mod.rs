//! Runs the fetch tasks of a run until none is left.
//!
//! One loop owns all state. It claims hosts from the store, sends requests as
//! the rate limiters allow, judges the responses, commits the results in
//! batches and reports them. Only the requests themselves run in other tasks. A
//! finished batch frees its request slots. New results are not processed before
//! the batch is committed, so a crash repeats at most one batch.

mod anchors;
mod at_risk;
mod claims;
mod commit;
mod comparisons;
mod controls;
mod crawl_hooks;
mod deferred_reports;
mod host_queue;
mod host_queues;
mod leases;
mod network;
mod outage;
mod page_sink;
mod pending_judgment;
mod result_queue;
mod robots;
mod send;
mod source;
mod stall;
mod task_set;
mod trap_tests;
mod worker;

pub use self::controls::ranked_key as ranked_control_key;
pub(crate) use self::host_queue::THROTTLING_STATUSES;
pub use self::page_sink::PageSink;
pub(crate) use self::source::{NewTasks, TaskSource};

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::{IpRateLimiter, NetworkDoubt, Outage, PolitenessPolicy};
use relink_judge::{PhraseScan, Policy};
use relink_model::{FetchTask, Probe, RunId, TaskId};
use relink_ports::{HostId, OpenRun, RenderError};
use tokio::time::Instant;

pub use self::at_risk::AT_RISK_DECAY;

use self::at_risk::AtRiskPages;
use self::claims::ClaimScheduler;
use self::commit::HoldReason;
use self::comparisons::ControlDemand;
use self::controls::{ControlTask, Controls};
use self::deferred_reports::DeferredReports;
use self::host_queue::ReadyKey;
use self::host_queues::HostQueues;
use self::network::Network;
use self::pending_judgment::PageContent;
use self::result_queue::ResultQueue;
use self::task_set::TaskSet;
use self::worker::Role;
use crate::crawl::Crawler;
use crate::isolation::internal_error_probe;
use crate::load::LoadProgress;
use crate::robots::RobotsResult;
use crate::{EngineError, Observer, Ports, Progress, StopSignal, Waiting};

/// Interval between progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// Time before fetching starts while links are still being read. Results that
/// finish before all links are read are read back from the store to be
/// reported. Most inputs are read within this time, so most runs avoid that.
const LOADING_HEAD_START: Duration = Duration::from_millis(250);
/// Maximum number of hosts named in a progress report.
const MAX_NAMED_HOSTS: usize = 3;

/// Settings of the dispatcher.
#[derive(Debug, Clone, Copy)]
pub struct DispatchSettings {
    /// Maximum number of requests in flight over all hosts.
    pub concurrency: usize,
    /// Rate limits per host.
    pub politeness: PolitenessPolicy,
    /// Rules that decide which evidence is sufficient.
    pub policy: Policy,
    /// Maximum wait that a host may request. The tasks of a host that requests
    /// more are left to a later run.
    pub max_host_wait: Duration,
    /// Duration of the lease of a host. The hosts of a crashed process are free
    /// after this time.
    pub lease: Duration,
    /// Maximum age of a stored control.
    pub max_control_age: Duration,
    /// Whether pages are compared with controls.
    pub uses_controls: bool,
    /// Maximum number of bytes read from a page whose anchors are needed. The
    /// anchors of a longer page are unknown.
    pub max_page_bytes: usize,
}

impl DispatchSettings {
    /// Default maximum number of bytes read from a page for its links or
    /// anchors. Generated documentation has pages of 10 MB.
    pub const MAX_PAGE_BYTES: usize = 16 << 20;

    /// Default duration of a lease.
    pub const LEASE: Duration = Duration::from_secs(25);
}

impl Default for DispatchSettings {
    fn default() -> Self {
        Self {
            concurrency: 128,
            politeness: PolitenessPolicy::default(),
            policy: Policy::default(),
            max_host_wait: Duration::from_mins(2),
            lease: Self::LEASE,
            max_control_age: Duration::from_hours(7 * 24),
            uses_controls: true,
            max_page_bytes: Self::MAX_PAGE_BYTES,
        }
    }
}

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
    /// Every target is checked, but failures may be caused by the local
    /// network.
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
        /// Whether the host stopped responding. If not, it responds with
        /// refusals.
        is_silent: bool,
    },
}

/// Message from a spawned request to the loop.
enum WorkerEvent {
    /// The IP address of a host; `None` if the lookup failed.
    AddressResolved(HostId, Option<std::net::IpAddr>),
    /// The result of a task.
    TaskFetched(HostId, Box<FetchedTask>),
    /// The result of a task whose page is parsed for links.
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

/// Result of a request, digested outside the loop.
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

    /// Returns the result of a page whose parsing panicked.
    fn internal_error(requested_at: Timestamp) -> Self {
        Self {
            probe: internal_error_probe(requested_at),
            phrase_scan: None,
            content: PageContent::default(),
        }
    }
}

impl FetchedTask {
    fn new(task: FetchTask, page: FetchedPage) -> Self {
        let FetchedPage { probe, phrase_scan, content } = page;
        Self { task, probe, phrase_scan, content }
    }
}

/// Runs the fetch tasks of one run.
pub(crate) struct Dispatcher<'a> {
    ports: &'a Ports,
    run: RunId,
    /// The generation of the run, which is the fence of held results.
    generation: i64,
    role: Role,
    /// Whether other workers may commit results of this run.
    is_shared: bool,
    /// The reported tasks, if other workers may commit results.
    reported: TaskSet,
    /// When the run was first started.
    run_started_at: Timestamp,
    settings: &'a DispatchSettings,
    start: DispatchStart,
    load_progress: &'a LoadProgress,
    /// The crawl; `None` if pages are not followed.
    crawler: Option<&'a mut Crawler>,
    /// Source of tasks other than the crawl.
    source: Option<&'a mut dyn TaskSource>,
    /// Receives the bodies of fetched pages.
    page_sink: Option<Arc<dyn PageSink>>,
    /// Whether all links are stored. Results are reported with all link
    /// locations only from then on.
    is_loaded: bool,
    created_at: Instant,
    queues: HostQueues,
    /// Hosts with a task to send, ordered by the time at which it may be sent.
    ready: BTreeSet<(ReadyKey, HostId)>,
    ip_limiter: IpRateLimiter,
    claims: ClaimScheduler,
    /// Pages with a high stored decay.
    at_risk: AtRiskPages,
    controls: Controls,
    demand: ControlDemand,
    /// Requests whose result is not yet stored. This exceeds the number of open
    /// requests by up to one batch.
    in_flight: usize,
    /// Spawned requests and lookups that have not returned.
    outstanding: usize,
    results: Arc<ResultQueue<WorkerEvent>>,
    has_network: bool,
    network: Network,
    /// The last task that existed when all links were stored.
    last_loaded_task: TaskId,
    /// Results from before that time that are not yet reported.
    deferred: Option<DeferredReports>,
    checked: u64,
    targets: u64,
    last_progress: Option<Duration>,
    /// Tasks that are dropped instead of fetched.
    skipped: Vec<(HostId, FetchTask)>,
    /// When the crawl checkpoint is saved next.
    save_due: Duration,
    /// Failures of hosts that are not leased at present.
    outages: HashMap<HostId, Outage>,
}

impl<'a> Dispatcher<'a> {
    pub(crate) fn new(
        ports: &'a Ports,
        run: &OpenRun,
        settings: &'a DispatchSettings,
        start: DispatchStart,
        load_progress: &'a LoadProgress,
        crawler: Option<&'a mut Crawler>,
    ) -> Self {
        Self {
            ports,
            run: run.id,
            generation: run.generation,
            role: Role::Owner,
            is_shared: ports.store.is_shared(),
            reported: TaskSet::default(),
            run_started_at: run.started_at,
            settings,
            start,
            load_progress,
            crawler,
            source: None,
            page_sink: None,
            is_loaded: false,
            created_at: Instant::now(),
            queues: HostQueues::default(),
            ready: BTreeSet::new(),
            ip_limiter: IpRateLimiter::new(settings.politeness.ip_gap),
            claims: ClaimScheduler::new(ports.now()),
            at_risk: AtRiskPages::default(),
            controls: Controls::default(),
            demand: ControlDemand::default(),
            in_flight: 0,
            outstanding: 0,
            results: Arc::new(ResultQueue::new()),
            has_network: run.network_confirmed,
            network: Network::default(),
            last_loaded_task: TaskId(0),
            deferred: None,
            checked: 0,
            targets: 0,
            last_progress: None,
            skipped: Vec::new(),
            save_due: Duration::ZERO,
            outages: HashMap::new(),
        }
    }

    /// Adds a source of further tasks.
    pub(crate) fn with_source(self, source: &'a mut dyn TaskSource) -> Self {
        Self { source: Some(source), ..self }
    }

    /// Passes the bodies of fetched pages to a sink.
    pub(crate) fn with_page_sink(self, page_sink: Arc<dyn PageSink>) -> Self {
        Self { page_sink: Some(page_sink), ..self }
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
            if self.can_send() {
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
            if self.source_has_ready_tasks() {
                self.add_new_tasks().await?;
            }
            self.save_checkpoint().await?;
            if self.is_time_limit_reached() {
                // Report held results with the evidence at hand rather than
                // omit them.
                self.report_deferred(observer).await?;
                self.judge_held(HoldReason::All, observer, stop).await?;
                self.release_all().await?;
                return Ok(DispatchEnd::TimeLimitReached);
            }
            if let Some(end) = self.blocking_host() {
                self.retract_blocked(observer).await?;
                self.report_deferred(observer).await?;
                self.judge_held(HoldReason::All, observer, stop).await?;
                self.release_all().await?;
                return Ok(end);
            }
            self.fail_if_stalled().await?;
            self.wait(stop).await;
            self.collect_results(observer, stop).await?;
        }
        self.report_results_of_workers(observer).await?;
        self.report_unfetched(observer).await?;
        if self.load_progress.handoff().needs_any_anchors() {
            self.judge_anchors(observer).await?;
        }
        let is_done = self.has_network || self.checked == self.targets;
        Ok(match self.network.doubt() {
            _ if !is_done => DispatchEnd::NoNetwork,
            Some(doubt) => DispatchEnd::InDoubt(doubt.clone()),
            None => DispatchEnd::Done,
        })
    }

    /// Adds tasks or judges held results after all tasks are done. Held results
    /// are judged last because further pages of a crawl may be their neighbors.
    /// Returns whether the loop continues.
    async fn continue_or_finish(
        &mut self,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<bool, EngineError> {
        if self.add_new_tasks().await? {
            return Ok(true);
        }
        self.sync_with_workers().await?;
        self.judge_held(HoldReason::All, observer, stop).await?;
        // A survey selects further URLs from these results.
        let is_over = self.network.doubt().is_some();
        Ok(stop.is_stopped() || !is_over && self.add_new_tasks().await?)
    }

    /// Updates the loading state. When loading is done, all link locations are
    /// known and deferred results can be reported.
    async fn update_load_state(&mut self) -> Result<(), EngineError> {
        if self.is_loaded {
            return Ok(());
        }
        if self.claims.set_stored_batches(self.load_progress.stored_batches()) {
            self.refill_deferred_hosts();
        }
        if !self.load_progress.is_done() {
            return Ok(());
        }
        self.is_loaded = true;
        self.last_loaded_task = self.ports.store.last_task_id(self.run).await?;
        self.claims.set_stored_batches(self.load_progress.stored_batches());
        self.refill_deferred_hosts();
        let progress = self.ports.store.progress(self.run).await?;
        (self.checked, self.targets) = (progress.checked, progress.targets);
        self.deferred = Some(DeferredReports::through(self.last_loaded_task));
        Ok(())
    }

    /// Whether enough links are read to send requests.
    fn can_send(&self) -> bool {
        self.is_loaded
            || self.start == DispatchStart::DuringLoading && self.elapsed() >= LOADING_HEAD_START
    }

    /// Time since the dispatcher was created, on a monotonic clock.
    fn elapsed(&self) -> Duration {
        self.created_at.elapsed()
    }

    fn is_done(&self) -> bool {
        let is_reported = self.is_loaded && self.deferred.is_none();
        is_reported && self.queues.is_empty() && self.outstanding == 0 && self.claims.is_exhausted()
    }

    /// Waits for results, for the next host to become ready, or for a stop.
    async fn wait(&self, stop: &StopSignal) {
        let wake = self.created_at + self.next_wake();
        tokio::select! {
            biased;
            () = self.results.wait() => {}
            () = self.load_progress.changed(), if !self.is_loaded => {}
            () = stop.stopped() => {}
            () = tokio::time::sleep_until(wake) => {}
        }
    }

    fn next_wake(&self) -> Duration {
        let now = self.elapsed();
        if self.claims.needs_refill() || self.deferred.is_some() {
            return now;
        }
        let mut ready = self.ready.iter().map(|(ready_key, _)| *ready_key);
        let next_send = ready.find(|ready_key| self.has_slot(*ready_key)).map(|key| key.at);
        // A claim that is due must not keep the loop awake while it has no room.
        let next_claim = self.claims.next_claim().filter(|_| self.has_room_for_hosts());
        let next = [next_send, next_claim, self.claims.next_refill()].into_iter().flatten().min();
        next.unwrap_or(now + PROGRESS_INTERVAL).min(now + PROGRESS_INTERVAL)
    }

    fn report_progress(&mut self, observer: &mut dyn Observer) {
        let now = self.elapsed();
        if self.last_progress.is_some_and(|last| now < last + PROGRESS_INTERVAL) {
            return;
        }
        self.last_progress = Some(now);
        let domain_counts = self.source.as_ref().and_then(|source| source.domain_counts());
        observer.on_progress(&if let Some(domain_counts) = domain_counts {
            let (requests, waiting) = (self.checked, self.waiting_hosts(now));
            Progress::Surveying { requests, in_flight: self.in_flight, waiting, domain_counts }
        } else if self.is_loaded {
            Progress::Checking {
                checked: self.checked,
                targets: self.targets,
                in_flight: self.in_flight,
                waiting: self.waiting_hosts(now),
            }
        } else {
            Progress::Loading {
                documents: self.load_progress.documents(),
                links: self.load_progress.links(),
            }
        });
    }

    fn waiting_hosts(&self, now: Duration) -> Vec<Waiting> {
        let is_long = |wait: &Duration| *wait > Duration::from_secs(1);
        self.ready
            .iter()
            .rev()
            .map_while(|(ready_key, host)| {
                Some((ready_key.at.checked_sub(now).filter(is_long)?, host))
            })
            .filter_map(|(wait, host)| Some((wait, self.queues.get(host)?)))
            .take(MAX_NAMED_HOSTS)
            .map(|(wait, queue)| queue.waiting(wait))
            .collect()
    }
}
