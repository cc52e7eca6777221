//! One leased host: its clock, its queue, and what was done to it.

use std::cmp::Ordering;
use std::collections::{HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::{
    Admittance, BlockDetector, HostRateLimiter, HostReadiness, HostSign, Outage, PolitenessPolicy,
    ResponseSignal,
};
use relink_judge::Soft404Profile;
use relink_model::{ControlKind, FetchOutcome, FetchTask, Probe, TaskId};
use relink_ports::{Claim, HostLease, HostSchedule, HostStats, RequestOptions};
use url::Url;

use super::controls::ControlTask;
use super::robots::RobotsState;
use crate::Waiting;
use crate::host_pace::{later, pace_to_store, stored_delays};

/// Statuses by which a server asks for slower visits.
pub(crate) const THROTTLING: [u16; 2] = [429, 503];

/// Where a host is, as far as we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressLookup {
    /// Not looked up yet.
    Unknown,
    /// Being looked up.
    InProgress,
    /// Looked up, or not needed.
    Known(Option<IpAddr>),
}

/// What was asked of the store.
#[derive(Debug, Clone, Copy)]
pub(super) struct RefillLimit {
    /// So many tasks at most.
    pub(super) limit: usize,
    /// After links had been stored so often.
    pub(super) chunks: u64,
}

/// The present on both clocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// Time since the run began, on a clock that never jumps.
    pub(super) elapsed: Duration,
    /// The system's time.
    pub(super) time: Timestamp,
}

/// When a lane may send, and before which others: lanes that may do so at once
/// take turns in the order of the input, which is the order of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadyKey {
    pub(super) at: Duration,
    /// Whether a control is next. Controls go first, for many may wait.
    pub(super) is_control: bool,
    next: TaskId,
}

impl Ord for ReadyKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |turn: &Self| (turn.at, !turn.is_control, turn.next);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for ReadyKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Requests for comparison that every host can bear, and then one for so many
/// looks.
const CONTROLS: u64 = 24;
const LOOKS_PER_CONTROL: u64 = 4;

/// One leased host.
pub(super) struct HostQueue {
    pub(super) lease: HostLease,
    pub(super) clock: HostRateLimiter,
    pub(super) queue: VecDeque<FetchTask>,
    pub(super) whereabouts: AddressLookup,
    /// What it allows.
    pub(super) robots: RobotsState,
    /// Whether the queue may hold what it does not allow.
    pub(super) is_unsifted: bool,
    /// Whether it still wants us.
    pub(super) welcome: BlockDetector,
    /// Whether it is down.
    pub(super) outage: Outage,
    /// The first pause once it seems to be down.
    outage_pause: Duration,
    /// Tasks that were turned away since the host last answered; in a crawl
    /// they are asked again once it is clear that we were shut out.
    pub(super) doubted: Vec<FetchTask>,
    /// Tasks that are out, where the order asks for it.
    pub(super) out: HashSet<TaskId>,
    /// The entry in the asker's ready set.
    pub(super) turn: Option<ReadyKey>,
    /// How far the store's tasks were handed out.
    pub(super) cursor: (Timestamp, TaskId),
    /// When the store had no more: how often links had been stored by then.
    pub(super) exhausted_at: Option<u64>,
    /// Since when the queue has waited out of politeness.
    pub(super) waits_since: Option<Duration>,
    /// Until when the host wants no requests, if that is longer than the run
    /// waits.
    pub(super) shut_until: Option<Timestamp>,
    /// Pages to be asked for comparison, those that somebody waits for first.
    pub(super) pending_controls: VecDeque<ControlTask>,
    /// How many looks wait for one.
    pub(super) awaiting_control: usize,
    /// How the host treats strays.
    pub(super) habit: Soft404Profile,
    /// One of its addresses, taken apart.
    like: Option<Arc<Url>>,
    attempts: u64,
    controls: u64,
    tally: HostStats,
}

impl HostQueue {
    pub(super) fn new(
        claim: Claim,
        pace: PolitenessPolicy,
        now: Moment,
        order: RefillLimit,
    ) -> Self {
        let stored = stored_delays(&claim.politeness, now.time);
        let mut lane = Self {
            lease: claim.lease,
            clock: HostRateLimiter::new(pace, now.elapsed, stored),
            queue: VecDeque::new(),
            whereabouts: match (pace.ip_gap.is_zero(), claim.politeness.address) {
                (true, _) => AddressLookup::Known(None),
                (false, Some(address)) => AddressLookup::Known(Some(address)),
                (false, None) => AddressLookup::Unknown,
            },
            robots: RobotsState::Free,
            is_unsifted: true,
            welcome: BlockDetector::default(),
            outage: Outage::default(),
            outage_pause: pace.outage_pause(),
            doubted: Vec::new(),
            out: HashSet::new(),
            turn: None,
            cursor: (Timestamp::MIN, TaskId(i64::MIN)),
            exhausted_at: None,
            waits_since: None,
            shut_until: None,
            pending_controls: VecDeque::new(),
            awaiting_control: 0,
            habit: Soft404Profile::default(),
            like: None,
            attempts: 0,
            controls: 0,
            tally: HostStats { name: claim.name, ..HostStats::default() },
        };
        lane.refill(claim.tasks, order);
        lane
    }

    /// Takes in tasks; fewer than asked for means there are no more due.
    pub(super) fn refill(&mut self, tasks: Vec<FetchTask>, order: RefillLimit) {
        self.exhausted_at = (tasks.len() < order.limit).then_some(order.chunks);
        if let Some(last) = tasks.last() {
            self.cursor = (last.not_before, last.id);
        }
        self.is_unsifted = true;
        self.queue.extend(tasks);
    }

    /// From when the next task may leave, if there is one and a place for it.
    pub(super) fn next_departure(&self) -> Option<Duration> {
        let is_idle = self.queue.is_empty() && self.pending_controls.is_empty();
        let is_known = matches!(self.whereabouts, AddressLookup::Known(_));
        if is_idle || !is_known || !self.robots.is_settled() {
            return None;
        }
        let HostReadiness::From(next) = self.clock.readiness() else { return None };
        match self.outage.admittance(self.clock.in_flight())? {
            Admittance::Open => Some(next),
            Admittance::ProbeFrom(at) => Some(next.max(at)),
            Admittance::Down => None,
        }
    }

    /// The turn of the next task, which may leave at this moment.
    pub(super) fn turn_at(&self, at: Duration, now: Duration) -> Option<ReadyKey> {
        let is_control = self.pending_controls.front().is_some_and(|stray| !stray.is_ahead);
        let next = self.queue.front().map(|task| task.id);
        let next = next.or((!self.pending_controls.is_empty()).then_some(TaskId(0)))?;
        Some(ReadyKey { at: if at <= now { Duration::ZERO } else { at }, is_control, next })
    }

    pub(super) fn address(&self) -> Option<IpAddr> {
        match self.whereabouts {
            AddressLookup::Known(address) => address,
            AddressLookup::Unknown | AddressLookup::InProgress => None,
        }
    }

    /// The host wants no requests until a time that this run does not wait
    /// for. Retries are turned away with the rest.
    pub(super) fn shut(&mut self, until: Timestamp) {
        self.shut_until = Some(until);
        self.exhausted_at = None;
    }

    /// Whether nothing more is requested of the host in this run.
    pub(super) fn is_closed(&self) -> bool {
        self.shut_until.is_some() || self.outage.is_down()
    }

    /// Up to which moment tasks count as due. Those of a host that is shut
    /// are never asked, and so need not be waited for.
    pub(super) fn horizon(&self, now: Timestamp) -> Timestamp {
        if self.is_closed() { Timestamp::MAX } else { now }
    }

    /// Whether the store had no more when it was last asked, and no links were
    /// stored since.
    pub(super) fn is_dry(&self, chunks: u64) -> bool {
        self.exhausted_at == Some(chunks)
    }

    /// Whether nothing more can be done here for now.
    pub(super) fn is_idle(&self, chunks: u64) -> bool {
        let is_empty =
            self.queue.is_empty() && self.pending_controls.is_empty() && self.awaiting_control == 0;
        let is_out = self.clock.in_flight() > 0 || self.is_waiting_for_robots();
        is_empty && self.is_dry(chunks) && !is_out
    }

    /// Takes the next task from the queue. A probe of a host that seems to be
    /// down takes the last one: it is more probably of another section.
    pub(super) fn next_task(&mut self) -> Option<FetchTask> {
        if self.outage.is_paused() { self.queue.pop_back() } else { self.queue.pop_front() }
    }

    /// Whether a host that answered before refuses or ignores every request.
    pub(super) fn has_stopped_answering(&self) -> bool {
        let is_ignored = self.outage.is_down() && self.outage.is_silent();
        self.welcome.is_blocking() || is_ignored && self.welcome.has_answered()
    }

    pub(super) fn depart(&mut self, now: Duration) {
        self.clock.request_started(now);
        self.outage.request_started();
        if let Some(since) = self.waits_since.take() {
            self.tally.politeness_wait_ms += millis(now.saturating_sub(since));
        }
    }

    /// Whether the host has answered in this run.
    pub(super) fn has_answered(&self) -> bool {
        self.tally.responses > 0
    }

    /// Has a page asked for comparison that somebody waits for; one that was
    /// to be asked ahead is not asked twice.
    pub(super) fn want_control(&mut self, task: ControlTask) {
        self.pending_controls.retain(|stray| stray.key != task.key);
        self.pending_controls.push_front(ControlTask { is_ahead: false, ..task });
    }

    /// Whether a page is still to be asked for comparison.
    pub(super) fn has_stray(&self, key: &str) -> bool {
        self.pending_controls.iter().any(|stray| stray.key == key)
    }

    /// Whether the host can bear another request for comparison; it is then
    /// counted.
    pub(super) fn takes_control(&mut self) -> bool {
        let can_bear = self.controls < CONTROLS + self.attempts / LOOKS_PER_CONTROL;
        self.controls += u64::from(can_bear);
        can_bear
    }

    /// A look came back.
    pub(super) fn arrive(&mut self, now: Duration, probe: &Probe, patience: Duration) {
        self.attempts += 1;
        self.take_note(now, probe, patience);
    }

    /// A page asked for comparison came back.
    pub(super) fn arrive_control(
        &mut self,
        now: Duration,
        task: &ControlTask,
        probe: &Probe,
        patience: Duration,
    ) {
        self.tally.controls += probe.hops.len().max(1) as u64;
        self.take_note(now, probe, patience);
        if task.kind == ControlKind::RandomName {
            match probe.outcome {
                FetchOutcome::Response(404 | 410) => self.habit.hard_404_directories += 1,
                FetchOutcome::Response(200..=299) => self.habit.soft_404_directories += 1,
                _ => {}
            }
        }
    }

    fn take_note(&mut self, now: Duration, probe: &Probe, patience: Duration) {
        let took = Duration::from_millis(probe.timings.total.into());
        let arrival = arrival(probe);
        self.welcome.note(&probe.outcome);
        if !self.welcome.is_suspected() {
            self.doubted.clear();
        }
        self.clock.request_finished(now, took, arrival);
        self.note_outage(now, probe);
        if probe.hops.len() > 1 && matches!(self.robots, RobotsState::Known(_)) {
            self.clock.rest(now);
        }
        self.tally.requests += probe.hops.len().max(1) as u64;
        self.tally.responses += probe.hops.len() as u64;
        self.tally.request_ms += millis(took);
        if let ResponseSignal::Throttled(stay_away) = arrival {
            self.tally.throttled += 1;
            if let Some(wait) = stay_away.filter(|wait| *wait > patience) {
                self.shut(later(
                    probe.requested_at,
                    took + wait.min(HostRateLimiter::MAX_RETRY_AFTER),
                ));
            }
        }
        if let Some(address) = probe.hops.first().and_then(|hop| hop.ip) {
            self.whereabouts = AddressLookup::Known(Some(address));
        }
    }

    fn note_outage(&mut self, now: Duration, probe: &Probe) {
        self.outage.note(HostSign::of(probe), probe, now, self.outage_pause);
        if self.outage.is_down() {
            // Tasks that are due later are settled with the others.
            self.exhausted_at = None;
        }
    }

    /// The durable part of the clock, at `now` on both clocks.
    pub(super) fn pace(&self, elapsed: Duration, now: Timestamp) -> HostSchedule {
        pace_to_store(&self.clock, elapsed, now, self.address())
    }

    /// The host's name.
    pub(super) fn name(&self) -> &str {
        &self.tally.name
    }

    /// What is owed to the host during a request: redirects pass its gate and
    /// keep its pace. A list that the user owns is asked as it comes.
    pub(super) fn terms(&self) -> RequestOptions {
        let gate = self.robots.gate(self.name());
        let pause = if gate.is_some() { self.clock.delay() } else { Duration::ZERO };
        RequestOptions { redirect_filter: gate, redirect_delay: pause, ..RequestOptions::default() }
    }

    /// One of its addresses, to take others apart by.
    pub(super) fn like(&mut self, task: &FetchTask) -> Option<Arc<Url>> {
        if self.like.is_none() {
            self.like = Url::parse(&task.url).ok().map(Arc::new);
        }
        self.like.clone()
    }

    /// Whether something is on its way.
    pub(super) fn is_waiting_for_robots(&self) -> bool {
        matches!(self.robots, RobotsState::InProgress)
    }

    pub(super) fn tally(&self) -> &HostStats {
        &self.tally
    }

    pub(super) fn waiting(&self, wait: Duration) -> Waiting {
        Waiting { host: self.tally.name.clone(), wait, is_throttled: self.clock.is_throttled() }
    }
}

/// What a probe means to the host's clock.
fn arrival(probe: &Probe) -> ResponseSignal {
    match probe.outcome {
        FetchOutcome::Response(status) if THROTTLING.contains(&status) => {
            ResponseSignal::Throttled(probe.retry_after.map(Duration::from_secs))
        }
        FetchOutcome::Response(_) => ResponseSignal::Clean,
        _ => ResponseSignal::NoResponse,
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
