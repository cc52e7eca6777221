//! The asker: works off the tasks of a run until none is left.
//!
//! One loop owns everything: it takes hosts from the store, sends requests out
//! as the hosts' clocks allow, judges what comes back, commits it in small
//! batches and reports it. Only the requests themselves run beside it. A batch
//! that came back makes room for as many requests, and what those bring waits
//! until the batch is committed, so a kill repeats little.

mod anchors;
mod claims;
mod commit;
mod controls;
mod crawl_hooks;
mod deferred_reports;
mod host_queue;
mod host_queues;
mod network;
mod outage;
mod pending_judgment;
mod result_queue;
mod robots;
mod send;
mod source;
mod stall;

pub(crate) use self::host_queue::THROTTLING;
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

use self::claims::ClaimScheduler;
use self::commit::HoldReason;
use self::controls::{ControlTask, Controls};
use self::deferred_reports::DeferredReports;
use self::host_queue::ReadyKey;
use self::host_queues::HostQueues;
use self::network::Network;
use self::pending_judgment::PageContent;
use self::result_queue::ResultQueue;
use crate::crawl::Crawler;
use crate::isolation::internal_error;
use crate::load::LoadProgress;
use crate::robots::RobotsResult;
use crate::{EngineError, Observer, Ports, Progress, StopSignal, Waiting};

/// How often progress is reported.
const PROGRESS: Duration = Duration::from_millis(100);
/// What is settled before all links are read can only be told then, and is read
/// back from the store for it. So the reading has a start, within which most
/// inputs are read to the end.
const HEAD_START: Duration = Duration::from_millis(250);
/// Hosts named in a progress report.
const NAMED_WAITS: usize = 3;

/// How to ask.
#[derive(Debug, Clone, Copy)]
pub struct DispatchSettings {
    /// Requests in flight over all hosts.
    pub concurrency: usize,
    /// The politeness owed to each host.
    pub politeness: PolitenessPolicy,
    /// What counts as enough evidence.
    pub policy: Policy,
    /// The longest wait a host may ask for before its tasks are put off to
    /// another run.
    pub max_host_wait: Duration,
    /// How long a page asked for comparison is good for.
    pub control_age: Duration,
    /// Bytes read of a page whose anchors are wanted; those of a longer page
    /// are unknown.
    pub page_bytes: usize,
}

impl DispatchSettings {
    /// Bytes read of a page for its links or anchors, unless the user says
    /// otherwise. Generated documentation has pages of 10 MB.
    pub const PAGE_BYTES: usize = 16 << 20;
}

impl Default for DispatchSettings {
    fn default() -> Self {
        Self {
            concurrency: 128,
            politeness: PolitenessPolicy::default(),
            policy: Policy::default(),
            max_host_wait: Duration::from_mins(2),
            control_age: Duration::from_hours(7 * 24),
            page_bytes: Self::PAGE_BYTES,
        }
    }
}

/// When the asking may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DispatchStart {
    /// While links are being read, if that takes longer than a moment.
    WhileLoading,
    /// Once all links are stored.
    WhenLoaded,
}

/// How the asking ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DispatchEnd {
    /// Every target is settled.
    Done,
    /// No host answered at all.
    NoNetwork,
    /// Every target is settled, but failures may be those of our own network.
    InDoubt(NetworkDoubt),
    /// Somebody stopped it.
    Stopped,
    /// Its time was up.
    TimeLimitReached,
    /// The site does not want us any more.
    BlockedByHost {
        /// Its host.
        host: String,
        /// How often it was asked by then.
        requests: u64,
        /// Whether it sends no responses any more; else it refuses us.
        is_silent: bool,
    },
}

/// What comes back from beside the loop.
enum WorkerEvent {
    /// A host's address, as far as it can be told.
    Located(HostId, Option<std::net::IpAddr>),
    /// A request's result.
    Looked(HostId, Box<FetchedTask>),
    /// The result of a request for a page whose links are followed.
    Visited(HostId, Box<FetchedTask>, Option<RenderError>),
    /// What a host says about robots.
    Robots(HostId, Box<RobotsResult>, Box<Probe>),
    /// The result of a request for a page to compare with.
    Compared(HostId, Box<ControlTask>, Box<Probe>),
}

/// What came of a task.
struct FetchedTask {
    task: FetchTask,
    probe: Probe,
    /// What the page was heard to say, beside the loop.
    phrase_scan: Option<PhraseScan>,
    shown: PageContent,
}

/// What a request brought, read next to the loop.
struct PageSeen {
    probe: Probe,
    phrase_scan: Option<PhraseScan>,
    shown: PageContent,
}

impl PageSeen {
    fn new(probe: Probe, shown: PageContent) -> Self {
        let heard = probe.digest.as_deref().map(PhraseScan::of);
        Self { probe, phrase_scan: heard, shown }
    }

    /// What is known of a page whose reading panicked.
    fn unread(asked: Timestamp) -> Self {
        Self { probe: internal_error(asked), phrase_scan: None, shown: PageContent::default() }
    }
}

impl FetchedTask {
    fn new(task: FetchTask, seen: PageSeen) -> Self {
        let PageSeen { probe, phrase_scan: heard, shown } = seen;
        Self { task, probe, phrase_scan: heard, shown }
    }
}

/// Works off the tasks of one run.
pub(crate) struct Dispatcher<'a> {
    ports: &'a Ports,
    run: RunId,
    /// When the run was first started.
    started: Timestamp,
    settings: &'a DispatchSettings,
    start: DispatchStart,
    loading: &'a LoadProgress,
    /// The crawl, if pages are followed.
    crawler: Option<&'a mut Crawler>,
    /// Who else may have further tasks.
    source: Option<&'a mut dyn TaskSource>,
    /// Whether all links are stored, so that results can be reported with
    /// every place.
    is_loaded: bool,
    began: Instant,
    lanes: HostQueues,
    /// Lanes with something to ask, by when they may.
    ready: BTreeSet<(ReadyKey, HostId)>,
    gate: IpRateLimiter,
    supply: ClaimScheduler,
    controls: Controls,
    /// Requests whose result is not yet stored: more than are out at once, by up
    /// to a batch.
    in_flight: usize,
    /// Requests and look-ups that are out.
    outstanding: usize,
    tray: Arc<ResultQueue<WorkerEvent>>,
    has_network: bool,
    network: Network,
    /// The last task there was when all links were stored.
    last_known: TaskId,
    /// What was settled by then, until it is told.
    backlog: Option<DeferredReports>,
    checked: u64,
    targets: u64,
    reported: Option<Duration>,
    /// Tasks that are not asked after all.
    left: Vec<(HostId, FetchTask)>,
    /// When the crawl's memory is saved next.
    save_due: Duration,
    /// Hosts whose last requests failed, while they are not leased.
    outages: HashMap<HostId, Outage>,
}

impl<'a> Dispatcher<'a> {
    pub(crate) fn new(
        ports: &'a Ports,
        run: &OpenRun,
        settings: &'a DispatchSettings,
        start: DispatchStart,
        loading: &'a LoadProgress,
        crawler: Option<&'a mut Crawler>,
    ) -> Self {
        Self {
            ports,
            run: run.id,
            started: run.started,
            settings,
            start,
            loading,
            crawler,
            source: None,
            is_loaded: false,
            began: Instant::now(),
            lanes: HostQueues::default(),
            ready: BTreeSet::new(),
            gate: IpRateLimiter::new(settings.politeness.ip_gap),
            supply: ClaimScheduler::default(),
            controls: Controls::default(),
            in_flight: 0,
            outstanding: 0,
            tray: Arc::new(ResultQueue::new()),
            has_network: run.network_confirmed,
            network: Network::default(),
            last_known: TaskId(0),
            backlog: None,
            checked: 0,
            targets: 0,
            reported: None,
            left: Vec::new(),
            save_due: Duration::ZERO,
            outages: HashMap::new(),
        }
    }

    /// With somebody who has further tasks as answers come in.
    pub(crate) fn led_by(self, source: &'a mut dyn TaskSource) -> Self {
        Self { source: Some(source), ..self }
    }

    /// Asks until nothing is left, or until stopped.
    pub(crate) async fn run(
        mut self,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<DispatchEnd, EngineError> {
        self.recall_network().await?;
        loop {
            if stop.is_stopped() {
                self.report_deferred(observer).await?;
                self.release_all().await?;
                return Ok(DispatchEnd::Stopped);
            }
            self.note_loading().await?;
            if self.may_ask() {
                self.refill_queues(observer).await?;
                self.dispatch(self.elapsed());
                self.drop_skipped(observer).await?;
            }
            self.tell_some_backlog(observer).await?;
            self.report_progress(observer);
            if self.is_done() {
                if self.goes_on(observer, stop).await? {
                    continue;
                }
                break;
            }
            if self.wants_more() {
                self.find_more().await?;
            }
            self.save_checkpoint().await?;
            if self.is_out_of_time() {
                // Better told by what is known than left out of the report.
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
        self.report_unasked(observer).await?;
        if self.loading.brought().wants_any() {
            self.judge_anchors(observer).await?;
        }
        let is_done = self.has_network || self.checked == self.targets;
        Ok(match self.network.doubt() {
            _ if !is_done => DispatchEnd::NoNetwork,
            Some(doubt) => DispatchEnd::InDoubt(doubt.clone()),
            None => DispatchEnd::Done,
        })
    }

    /// Nothing is left to ask: judges what was put on hold, unless a crawl has
    /// more pages, which may be its neighbors. Returns whether it goes on.
    async fn goes_on(
        &mut self,
        observer: &mut dyn Observer,
        stop: &StopSignal,
    ) -> Result<bool, EngineError> {
        if self.find_more().await? {
            return Ok(true);
        }
        self.judge_held(HoldReason::All, observer, stop).await?;
        // A survey goes on by what it learns from them.
        let is_over = self.network.doubt().is_some();
        Ok(stop.is_stopped() || !is_over && self.find_more().await?)
    }

    /// Looks whether loading has gone on. Once it is done every place is
    /// known, and what was settled until then can be told.
    async fn note_loading(&mut self) -> Result<(), EngineError> {
        if self.is_loaded {
            return Ok(());
        }
        self.supply.note_chunks(self.loading.chunks());
        if !self.loading.is_done() {
            return Ok(());
        }
        self.is_loaded = true;
        self.last_known = self.ports.store.last_task_id(self.run).await?;
        self.supply.note_chunks(self.loading.chunks());
        let progress = self.ports.store.progress(self.run).await?;
        (self.checked, self.targets) = (progress.checked, progress.targets);
        self.backlog = Some(DeferredReports::through(self.last_known));
        Ok(())
    }

    /// Whether enough is read to ask.
    fn may_ask(&self) -> bool {
        self.is_loaded || self.start == DispatchStart::WhileLoading && self.elapsed() >= HEAD_START
    }

    /// Time since the asking began, on a clock that never jumps.
    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn is_done(&self) -> bool {
        let has_told = self.is_loaded && self.backlog.is_none();
        has_told && self.lanes.is_empty() && self.outstanding == 0 && self.supply.is_exhausted()
    }

    /// Waits for results, for the next host to become ready, or for a stop.
    async fn wait(&self, stop: &StopSignal) {
        let wake = self.began + self.next_wake();
        tokio::select! {
            biased;
            () = self.tray.wait() => {}
            () = self.loading.changed(), if !self.is_loaded => {}
            () = stop.raised() => {}
            () = tokio::time::sleep_until(wake) => {}
        }
    }

    fn next_wake(&self) -> Duration {
        let now = self.elapsed();
        if self.supply.is_hungry() || self.backlog.is_some() {
            return now;
        }
        let is_full = self.in_flight >= self.settings.concurrency;
        let lane = self.ready.first().map(|(turn, _)| turn.at).filter(|_| !is_full);
        let supply = self.supply.wake().filter(|_| !is_full);
        let next = [lane, supply].into_iter().flatten().min();
        next.unwrap_or(now + PROGRESS).min(now + PROGRESS)
    }

    fn report_progress(&mut self, observer: &mut dyn Observer) {
        let now = self.elapsed();
        if self.reported.is_some_and(|last| now < last + PROGRESS) {
            return;
        }
        self.reported = Some(now);
        let standings = self.source.as_ref().and_then(|source| source.standings());
        observer.progress(&if let Some(standings) = standings {
            let (asked, waiting) = (self.checked, self.waiting(now));
            Progress::Surveying { requests: asked, in_flight: self.in_flight, waiting, standings }
        } else if self.is_loaded {
            Progress::Asking {
                checked: self.checked,
                targets: self.targets,
                in_flight: self.in_flight,
                waiting: self.waiting(now),
            }
        } else {
            Progress::Loading { documents: self.loading.documents(), links: self.loading.links() }
        });
    }

    fn waiting(&self, now: Duration) -> Vec<Waiting> {
        let is_long = |wait: &Duration| *wait > Duration::from_secs(1);
        self.ready
            .iter()
            .rev()
            .map_while(|(turn, host)| Some((turn.at.checked_sub(now).filter(is_long)?, host)))
            .filter_map(|(wait, host)| Some((wait, self.lanes.get(host)?)))
            .take(NAMED_WAITS)
            .map(|(wait, lane)| lane.waiting(wait))
            .collect()
    }
}
