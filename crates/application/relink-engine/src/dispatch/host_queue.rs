//! State of one leased host: rate limiter, task queue and statistics.
//!
//! A host is *closed* if this run sends no more requests to it: its lease is lost, it
//! is down, or it requested a longer backoff than the run waits. A *control* is a page
//! fetched only for comparison; an *attempt* is a fetched page, which may wait for a
//! control before it is judged. The queue is *refilled* with tasks from the store.

use std::collections::{HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::{
    BlockDetector, HostAvailability, HostSignal, Outage, PolitenessPolicy, ResponseSignal,
};
use relink_model::{FetchTask, Probe, TaskId};
use relink_ports::{Claim, HostLease, HostSchedule, HostStats, RequestOptions};
use url::Url;

use super::comparisons::DeferredComparisons;
use super::controls::ControlTask;
use super::host_queues::ReadyKey;
use super::robots::RobotsState;
use crate::Waiting;
use relink_requests::{FinishedRequest, HostPacer};

/// State of the DNS lookup of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressLookup {
    /// Not looked up yet.
    Unknown,
    /// Being looked up.
    InProgress,
    /// Resolved, or not needed.
    Known(Option<IpAddr>),
}

/// Parameters of a refill from the store.
#[derive(Debug, Clone, Copy)]
pub(super) struct RefillLimit {
    /// Maximum number of tasks.
    pub(super) limit: usize,
    /// Number of link batches stored before the refill.
    pub(super) stored_batches: u64,
}

/// The current time on both clocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct CurrentTime {
    /// Time since the start of the run, on a monotonic clock.
    pub(super) elapsed: Duration,
    /// System time.
    pub(super) time: Timestamp,
}

/// A leased host and its queue.
pub(super) struct HostQueue {
    pub(super) lease: HostLease,
    /// Whether another worker may have claimed the host. The queue then only
    /// waits for its requests in flight.
    pub(super) is_lease_lost: bool,
    pub(super) pacer: HostPacer,
    pub(super) tasks: VecDeque<FetchTask>,
    pub(super) address_lookup: AddressLookup,
    /// Rules of robots.txt.
    pub(super) robots: RobotsState,
    /// Whether the queue may contain tasks that robots.txt disallows.
    pub(super) needs_filtering: bool,
    /// Detects a host that starts to block the crawler.
    pub(super) block_detector: BlockDetector,
    /// Detects a host that is down.
    pub(super) outage: Outage,
    /// The first pause after the host seems to be down.
    outage_pause: Duration,
    /// Tasks that were rejected since the last regular response. In a crawl
    /// they are fetched again if the host turns out to block the crawler.
    pub(super) rejected_tasks: Vec<FetchTask>,
    /// Tasks in flight, in depth-first order only.
    pub(super) in_flight_tasks: HashSet<TaskId>,
    /// The position of the host in [`super::host_queues::HostQueues`], if a request may
    /// be sent now or later.
    pub(super) ready_key: Option<ReadyKey>,
    /// Due time and id of the last task read from the store.
    pub(super) cursor: (Timestamp, TaskId),
    /// Number of link batches stored when the store had no more tasks of the host;
    /// `None` if the store may have more.
    pub(super) exhausted_after_batch: Option<u64>,
    /// Since when the queue has waited for a rate limit.
    pub(super) waiting_since: Option<Duration>,
    /// Controls to fetch. Those that attempts wait for come first.
    pub(super) pending_controls: VecDeque<ControlTask>,
    /// Number of attempts that wait for a control.
    pub(super) awaiting_control: usize,
    /// Fetched pages that wait for a control until all pages of the host are fetched.
    pub(super) comparisons: DeferredComparisons,
    /// A parsed URL of the host. URLs of the same host are parsed faster with it.
    base_url: Option<Arc<Url>>,
    stats: HostStats,
}

impl HostQueue {
    pub(super) fn new(
        claim: Claim,
        politeness: PolitenessPolicy,
        now: CurrentTime,
        refill_limit: RefillLimit,
    ) -> Self {
        let pacer = HostPacer::new(politeness, now.elapsed, &claim.schedule, now.time);
        let mut queue = Self {
            lease: claim.lease,
            is_lease_lost: false,
            pacer,
            tasks: VecDeque::new(),
            // Without a limit per IP address, no lookup is needed.
            address_lookup: match (politeness.ip_gap.is_zero(), claim.schedule.address) {
                (true, _) => AddressLookup::Known(None),
                (false, Some(address)) => AddressLookup::Known(Some(address)),
                (false, None) => AddressLookup::Unknown,
            },
            robots: RobotsState::NotRequired,
            needs_filtering: true,
            block_detector: BlockDetector::default(),
            outage: Outage::default(),
            outage_pause: politeness.outage_pause(),
            rejected_tasks: Vec::new(),
            in_flight_tasks: HashSet::new(),
            ready_key: None,
            cursor: (Timestamp::MIN, TaskId(i64::MIN)),
            exhausted_after_batch: None,
            waiting_since: None,
            pending_controls: VecDeque::new(),
            awaiting_control: 0,
            comparisons: DeferredComparisons::default(),
            base_url: None,
            stats: HostStats { name: claim.name, ..HostStats::default() },
        };
        queue.refill(claim.tasks, refill_limit);
        queue
    }

    /// Adds tasks from the store. If there are fewer than the limit, the store has no
    /// more due tasks.
    pub(super) fn refill(&mut self, tasks: Vec<FetchTask>, refill_limit: RefillLimit) {
        self.exhausted_after_batch =
            (tasks.len() < refill_limit.limit).then_some(refill_limit.stored_batches);
        if let Some(last) = tasks.last() {
            self.cursor = (last.not_before, last.id);
        }
        self.needs_filtering = true;
        self.tasks.extend(tasks);
    }

    /// Returns when the next request may be sent. Returns `None` if there is no request
    /// to send, or if another event must happen first: the end of a lookup, of the
    /// request for robots.txt or of a request in flight.
    pub(super) fn ready_at(&self) -> Option<Duration> {
        let has_no_request = self.tasks.is_empty() && self.pending_controls.is_empty();
        let is_looked_up = matches!(self.address_lookup, AddressLookup::Known(_));
        if has_no_request || !is_looked_up || !self.robots.is_ready() {
            return None;
        }
        let by_pacer = self.pacer.ready_at()?;
        match self.outage.availability(self.pacer.in_flight())? {
            HostAvailability::Open => Some(by_pacer),
            HostAvailability::TestFrom(at) => Some(by_pacer.max(at)),
            HostAvailability::Down => None,
        }
    }

    /// Returns the position in the ready set for a request at time `at`.
    pub(super) fn ready_key_at(&self, at: Duration, now: Duration) -> Option<ReadyKey> {
        let is_control = self.pending_controls.front().is_some_and(|control| !control.is_prefetch);
        let next_task = match self.tasks.front() {
            Some(task) => task.id,
            None if self.pending_controls.is_empty() => return None,
            // A host with controls only comes before hosts with tasks.
            None => TaskId(0),
        };
        let at = if at <= now { Duration::ZERO } else { at };
        Some(ReadyKey { at, is_control, next_task })
    }

    pub(super) fn address(&self) -> Option<IpAddr> {
        match self.address_lookup {
            AddressLookup::Known(address) => address,
            AddressLookup::Unknown | AddressLookup::InProgress => None,
        }
    }

    /// Closes the host until a time that this run does not wait for.
    pub(super) fn close_until(&mut self, until: Timestamp) {
        self.pacer.close_until(until);
        // Read the tasks that are due later, too: all tasks are finished now.
        self.exhausted_after_batch = None;
    }

    /// Whether this run sends no more requests to the host.
    pub(super) fn is_closed(&self) -> bool {
        self.is_lease_lost || self.pacer.closed_until().is_some() || self.outage.is_down()
    }

    /// Returns the time up to which tasks count as due. The tasks of a closed
    /// host are not fetched, so all of them are due.
    pub(super) fn due_until(&self, now: Timestamp) -> Timestamp {
        if self.is_closed() { Timestamp::MAX } else { now }
    }

    /// Whether the last refill found no more tasks and no links were stored
    /// since.
    pub(super) fn is_exhausted(&self, stored_batches: u64) -> bool {
        self.exhausted_after_batch == Some(stored_batches)
    }

    /// Whether the host has nothing to fetch or to compare for now.
    pub(super) fn is_idle(&self, stored_batches: u64) -> bool {
        self.comparisons.is_empty() && self.is_fetched(stored_batches)
    }

    /// Whether all due tasks of the host are fetched and no control is requested.
    pub(super) fn is_fetched(&self, stored_batches: u64) -> bool {
        let is_empty =
            self.tasks.is_empty() && self.pending_controls.is_empty() && self.awaiting_control == 0;
        let is_busy = self.pacer.in_flight() > 0 || self.is_waiting_for_robots();
        is_empty && self.is_exhausted(stored_batches) && !is_busy
    }

    /// Removes and returns the next task. If the host seems to be down, the last task
    /// tests whether it works: its page is more likely to be in another section of the
    /// site than the pages that failed.
    pub(super) fn next_task(&mut self) -> Option<FetchTask> {
        if self.outage.is_paused() { self.tasks.pop_back() } else { self.tasks.pop_front() }
    }

    /// Whether the host responded to earlier requests, and now refuses or ignores every
    /// request.
    pub(super) fn has_stopped_responding(&self) -> bool {
        let ignores_requests = self.outage.is_down() && self.outage.has_no_response();
        self.block_detector.is_blocking() || ignores_requests && self.block_detector.has_responded()
    }

    pub(super) fn request_started(&mut self, now: Duration) {
        self.pacer.request_started(now);
        self.outage.request_started();
        if let Some(since) = self.waiting_since.take() {
            self.stats.politeness_wait_ms += millis(now.saturating_sub(since));
        }
    }

    /// Whether the host has responded in this run.
    pub(super) fn has_responded(&self) -> bool {
        self.stats.responses > 0
    }

    /// Moves a control that attempts wait for to the front. A queued prefetch
    /// of the same control is replaced.
    pub(super) fn prioritize_control(&mut self, task: ControlTask) {
        self.pending_controls.retain(|control| control.request.key != task.request.key);
        self.pending_controls.push_front(ControlTask { is_prefetch: false, ..task });
    }

    /// Whether a control is queued.
    pub(super) fn has_pending_control(&self, key: &str) -> bool {
        self.pending_controls.iter().any(|control| control.request.key == key)
    }

    /// Records the result of an attempt.
    pub(super) fn request_finished(&mut self, now: CurrentTime, probe: &Probe, max_wait: Duration) {
        self.record_probe(now, probe, max_wait);
    }

    /// Records the result of a control.
    pub(super) fn control_finished(&mut self, now: CurrentTime, probe: &Probe, max_wait: Duration) {
        self.stats.control_requests += probe.hops.len().max(1) as u64;
        self.record_probe(now, probe, max_wait);
    }

    fn record_probe(&mut self, now: CurrentTime, probe: &Probe, max_wait: Duration) {
        let finished = FinishedRequest::from_probe(probe, now.time);
        let now = now.elapsed;
        self.block_detector.record(&probe.outcome);
        if !self.block_detector.is_suspected() {
            self.rejected_tasks.clear();
        }
        let is_closed_now = self.pacer.request_finished(now, &finished, max_wait);
        if is_closed_now {
            // Read the tasks that are due later, too: all tasks are finished now.
            self.exhausted_after_batch = None;
        }
        self.record_outage(now, probe);
        if probe.hops.len() > 1 && self.robots.delays_redirects() {
            // The rate limiter has counted the redirects as one request.
            self.pacer.delay_next(now);
        }
        self.stats.requests += probe.hops.len().max(1) as u64;
        self.stats.responses += probe.hops.len() as u64;
        self.stats.request_ms += millis(finished.duration);
        if matches!(finished.signal(), ResponseSignal::Throttled(_)) {
            self.stats.throttled += 1;
        }
        if let Some(address) = probe.hops.first().and_then(|hop| hop.ip) {
            self.address_lookup = AddressLookup::Known(Some(address));
        }
    }

    fn record_outage(&mut self, now: Duration, probe: &Probe) {
        self.outage.record(HostSignal::from_probe(probe), probe, now, self.outage_pause);
        if self.outage.is_down() {
            // Read the tasks that are due later, too: all tasks are finished now.
            self.exhausted_after_batch = None;
        }
    }

    /// Returns the schedule to store, at the current time on both clocks.
    pub(super) fn host_schedule(&self, elapsed: Duration, now: Timestamp) -> HostSchedule {
        self.pacer.to_schedule(elapsed, now, self.address())
    }

    /// Returns the name of the host.
    pub(super) fn name(&self) -> &str {
        &self.stats.name
    }

    /// Returns the options of a request. In a crawl, redirects must pass the
    /// robots.txt rules and keep the delay of the host. In a check, they are
    /// followed without a delay.
    pub(super) fn request_options(&self) -> RequestOptions {
        let redirect_filter = self.robots.redirect_filter(self.name());
        let delay = if redirect_filter.is_some() { self.pacer.delay() } else { Duration::ZERO };
        RequestOptions { redirect_filter, redirect_delay: delay, ..RequestOptions::default() }
    }

    /// Returns a parsed URL of the host. The URL of `task` is used if none is cached.
    pub(super) fn base_url(&mut self, task: &FetchTask) -> Option<Arc<Url>> {
        if self.base_url.is_none() {
            self.base_url = Url::parse(&task.url).ok().map(Arc::new);
        }
        self.base_url.clone()
    }

    /// Whether robots.txt is being fetched.
    pub(super) fn is_waiting_for_robots(&self) -> bool {
        matches!(self.robots, RobotsState::InProgress)
    }

    pub(super) fn stats(&self) -> &HostStats {
        &self.stats
    }

    pub(super) fn waiting(&self, wait: Duration) -> Waiting {
        Waiting { host: self.stats.name.clone(), wait, is_throttled: self.pacer.is_throttled() }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
