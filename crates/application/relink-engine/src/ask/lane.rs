//! One leased host: its clock, its queue, and what was done to it.

use std::cmp::Ordering;
use std::collections::{HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::{Admittance, Arrival, HostClock, HostSign, Outage, Pace, Readiness, Welcome};
use relink_judge::Habit;
use relink_model::{ControlKind, Ending, Errand, ErrandId, Probe};
use relink_ports::{Claim, HostLease, HostPace, HostTally, Terms};
use url::Url;

use super::controls::ControlErrand;
use super::manners::Manners;
use crate::Waiting;
use crate::host_pace::{later, pace_to_store, stored_delays};

/// Statuses by which a server asks for slower visits.
pub(crate) const THROTTLING: [u16; 2] = [429, 503];

/// Where a host is, as far as we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// Not looked up yet.
    Unknown,
    /// Being looked up.
    Sought,
    /// Looked up, or not needed.
    Known(Option<IpAddr>),
}

/// What was asked of the store.
#[derive(Debug, Clone, Copy)]
pub(super) struct Order {
    /// So many errands at most.
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
pub(super) struct Turn {
    pub(super) at: Duration,
    /// Whether a control is next. Controls go first, for many may wait.
    pub(super) is_control: bool,
    next: ErrandId,
}

impl Ord for Turn {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |turn: &Self| (turn.at, !turn.is_control, turn.next);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Requests for comparison that every host can bear, and then one for so many
/// looks.
const CONTROLS: u64 = 24;
const LOOKS_PER_CONTROL: u64 = 4;

/// One leased host.
pub(super) struct Lane {
    pub(super) lease: HostLease,
    pub(super) clock: HostClock,
    pub(super) queue: VecDeque<Errand>,
    pub(super) whereabouts: Whereabouts,
    /// What it allows.
    pub(super) manners: Manners,
    /// Whether the queue may hold what it does not allow.
    pub(super) is_unsifted: bool,
    /// Whether it still wants us.
    pub(super) welcome: Welcome,
    /// Whether it is down.
    pub(super) outage: Outage,
    /// The first pause once it seems to be down.
    outage_pause: Duration,
    /// Errands that were turned away since the host last answered; in a crawl
    /// they are asked again once it is clear that we were shut out.
    pub(super) doubted: Vec<Errand>,
    /// Errands that are out, where the order asks for it.
    pub(super) out: HashSet<ErrandId>,
    /// The entry in the asker's ready set.
    pub(super) turn: Option<Turn>,
    /// How far the store's errands were handed out.
    pub(super) cursor: (Timestamp, ErrandId),
    /// When the store had no more: how often links had been stored by then.
    pub(super) dry_at: Option<u64>,
    /// Since when the queue has waited out of politeness.
    pub(super) waits_since: Option<Duration>,
    /// Until when the host wants no requests, if that is longer than the run
    /// waits.
    pub(super) shut_until: Option<Timestamp>,
    /// Pages to be asked for comparison, those that somebody waits for first.
    pub(super) strays: VecDeque<ControlErrand>,
    /// How many looks wait for one.
    pub(super) parked: usize,
    /// How the host treats strays.
    pub(super) habit: Habit,
    /// One of its addresses, taken apart.
    like: Option<Arc<Url>>,
    looks: u64,
    controls: u64,
    tally: HostTally,
}

impl Lane {
    pub(super) fn new(claim: Claim, pace: Pace, now: Moment, order: Order) -> Self {
        let stored = stored_delays(&claim.pace, now.time);
        let mut lane = Self {
            lease: claim.lease,
            clock: HostClock::new(pace, now.elapsed, stored),
            queue: VecDeque::new(),
            whereabouts: match (pace.address_gap.is_zero(), claim.pace.address) {
                (true, _) => Whereabouts::Known(None),
                (false, Some(address)) => Whereabouts::Known(Some(address)),
                (false, None) => Whereabouts::Unknown,
            },
            manners: Manners::Free,
            is_unsifted: true,
            welcome: Welcome::default(),
            outage: Outage::default(),
            outage_pause: pace.outage_pause(),
            doubted: Vec::new(),
            out: HashSet::new(),
            turn: None,
            cursor: (Timestamp::MIN, ErrandId(i64::MIN)),
            dry_at: None,
            waits_since: None,
            shut_until: None,
            strays: VecDeque::new(),
            parked: 0,
            habit: Habit::default(),
            like: None,
            looks: 0,
            controls: 0,
            tally: HostTally { name: claim.name, ..HostTally::default() },
        };
        lane.refill(claim.errands, order);
        lane
    }

    /// Takes in errands; fewer than asked for means there are no more due.
    pub(super) fn refill(&mut self, errands: Vec<Errand>, order: Order) {
        self.dry_at = (errands.len() < order.limit).then_some(order.chunks);
        if let Some(last) = errands.last() {
            self.cursor = (last.not_before, last.id);
        }
        self.is_unsifted = true;
        self.queue.extend(errands);
    }

    /// From when the next errand may leave, if there is one and a place for it.
    pub(super) fn next_departure(&self) -> Option<Duration> {
        let is_idle = self.queue.is_empty() && self.strays.is_empty();
        let is_known = matches!(self.whereabouts, Whereabouts::Known(_));
        if is_idle || !is_known || !self.manners.is_settled() {
            return None;
        }
        let Readiness::From(next) = self.clock.readiness() else { return None };
        match self.outage.admittance(self.clock.in_flight())? {
            Admittance::Open => Some(next),
            Admittance::ProbeFrom(at) => Some(next.max(at)),
            Admittance::Down => None,
        }
    }

    /// The turn of the next errand, which may leave at this moment.
    pub(super) fn turn_at(&self, at: Duration, now: Duration) -> Option<Turn> {
        let is_control = self.strays.front().is_some_and(|stray| !stray.is_ahead);
        let next = self.queue.front().map(|errand| errand.id);
        let next = next.or((!self.strays.is_empty()).then_some(ErrandId(0)))?;
        Some(Turn { at: if at <= now { Duration::ZERO } else { at }, is_control, next })
    }

    pub(super) fn address(&self) -> Option<IpAddr> {
        match self.whereabouts {
            Whereabouts::Known(address) => address,
            Whereabouts::Unknown | Whereabouts::Sought => None,
        }
    }

    /// The host wants no requests until a time that this run does not wait
    /// for. Retries are turned away with the rest.
    pub(super) fn shut(&mut self, until: Timestamp) {
        self.shut_until = Some(until);
        self.dry_at = None;
    }

    /// Whether nothing more is requested of the host in this run.
    pub(super) fn is_closed(&self) -> bool {
        self.shut_until.is_some() || self.outage.is_down()
    }

    /// Up to which moment errands count as due. Those of a host that is shut
    /// are never asked, and so need not be waited for.
    pub(super) fn horizon(&self, now: Timestamp) -> Timestamp {
        if self.is_closed() { Timestamp::MAX } else { now }
    }

    /// Whether the store had no more when it was last asked, and no links were
    /// stored since.
    pub(super) fn is_dry(&self, chunks: u64) -> bool {
        self.dry_at == Some(chunks)
    }

    /// Whether nothing more can be done here for now.
    pub(super) fn is_idle(&self, chunks: u64) -> bool {
        let is_empty = self.queue.is_empty() && self.strays.is_empty() && self.parked == 0;
        let is_out = self.clock.in_flight() > 0 || self.is_waiting_for_robots();
        is_empty && self.is_dry(chunks) && !is_out
    }

    /// Takes the next task from the queue. A probe of a host that seems to be
    /// down takes the last one: it is more probably of another section.
    pub(super) fn next_task(&mut self) -> Option<Errand> {
        if self.outage.is_paused() { self.queue.pop_back() } else { self.queue.pop_front() }
    }

    /// Whether a host that answered before refuses or ignores every request.
    pub(super) fn has_stopped_answering(&self) -> bool {
        let is_ignored = self.outage.is_down() && self.outage.is_silent();
        self.welcome.is_over() || is_ignored && self.welcome.has_answered()
    }

    pub(super) fn depart(&mut self, now: Duration) {
        self.clock.depart(now);
        self.outage.depart();
        if let Some(since) = self.waits_since.take() {
            self.tally.waited_ms += millis(now.saturating_sub(since));
        }
    }

    /// Whether the host has answered in this run.
    pub(super) fn has_answered(&self) -> bool {
        self.tally.answered > 0
    }

    /// Has a page asked for comparison that somebody waits for; one that was
    /// to be asked ahead is not asked twice.
    pub(super) fn want_control(&mut self, errand: ControlErrand) {
        self.strays.retain(|stray| stray.key != errand.key);
        self.strays.push_front(ControlErrand { is_ahead: false, ..errand });
    }

    /// Whether a page is still to be asked for comparison.
    pub(super) fn has_stray(&self, key: &str) -> bool {
        self.strays.iter().any(|stray| stray.key == key)
    }

    /// Whether the host can bear another request for comparison; it is then
    /// counted.
    pub(super) fn takes_control(&mut self) -> bool {
        let can_bear = self.controls < CONTROLS + self.looks / LOOKS_PER_CONTROL;
        self.controls += u64::from(can_bear);
        can_bear
    }

    /// A look came back.
    pub(super) fn arrive(&mut self, now: Duration, probe: &Probe, patience: Duration) {
        self.looks += 1;
        self.take_note(now, probe, patience);
    }

    /// A page asked for comparison came back.
    pub(super) fn arrive_control(
        &mut self,
        now: Duration,
        errand: &ControlErrand,
        probe: &Probe,
        patience: Duration,
    ) {
        self.tally.controls += probe.hops.len().max(1) as u64;
        self.take_note(now, probe, patience);
        if errand.kind == ControlKind::Stray {
            match probe.ending {
                Ending::Answered(404 | 410) => self.habit.refusing += 1,
                Ending::Answered(200..=299) => self.habit.answering += 1,
                _ => {}
            }
        }
    }

    fn take_note(&mut self, now: Duration, probe: &Probe, patience: Duration) {
        let took = Duration::from_millis(probe.timings.total.into());
        let arrival = arrival(probe);
        self.welcome.note(&probe.ending);
        if !self.welcome.is_in_doubt() {
            self.doubted.clear();
        }
        self.clock.arrive(now, took, arrival);
        self.note_outage(now, probe);
        if probe.hops.len() > 1 && matches!(self.manners, Manners::Known(_)) {
            self.clock.rest(now);
        }
        self.tally.asked += probe.hops.len().max(1) as u64;
        self.tally.answered += probe.hops.len() as u64;
        self.tally.busy_ms += millis(took);
        if let Arrival::Throttled(stay_away) = arrival {
            self.tally.throttled += 1;
            if let Some(wait) = stay_away.filter(|wait| *wait > patience) {
                self.shut(later(probe.asked, took + wait.min(HostClock::MAX_RETRY_AFTER)));
            }
        }
        if let Some(address) = probe.hops.first().and_then(|hop| hop.address) {
            self.whereabouts = Whereabouts::Known(Some(address));
        }
    }

    fn note_outage(&mut self, now: Duration, probe: &Probe) {
        self.outage.note(HostSign::of(probe), probe, now, self.outage_pause);
        if self.outage.is_down() {
            // Tasks that are due later are settled with the others.
            self.dry_at = None;
        }
    }

    /// The durable part of the clock, at `now` on both clocks.
    pub(super) fn pace(&self, elapsed: Duration, now: Timestamp) -> HostPace {
        pace_to_store(&self.clock, elapsed, now, self.address())
    }

    /// The host's name.
    pub(super) fn name(&self) -> &str {
        &self.tally.name
    }

    /// What is owed to the host during a request: redirects pass its gate and
    /// keep its pace. A list that the user owns is asked as it comes.
    pub(super) fn terms(&self) -> Terms {
        let gate = self.manners.gate(self.name());
        let pause = if gate.is_some() { self.clock.delay() } else { Duration::ZERO };
        Terms { gate, pause, ..Terms::default() }
    }

    /// One of its addresses, to take others apart by.
    pub(super) fn like(&mut self, errand: &Errand) -> Option<Arc<Url>> {
        if self.like.is_none() {
            self.like = Url::parse(&errand.url).ok().map(Arc::new);
        }
        self.like.clone()
    }

    /// Whether something is on its way.
    pub(super) fn is_waiting_for_robots(&self) -> bool {
        matches!(self.manners, Manners::Sought)
    }

    pub(super) fn tally(&self) -> &HostTally {
        &self.tally
    }

    pub(super) fn waiting(&self, wait: Duration) -> Waiting {
        Waiting { host: self.tally.name.clone(), wait, is_throttled: self.clock.is_throttled() }
    }
}

/// What a probe means to the host's clock.
fn arrival(probe: &Probe) -> Arrival {
    match probe.ending {
        Ending::Answered(status) if THROTTLING.contains(&status) => {
            Arrival::Throttled(probe.retry_after.map(Duration::from_secs))
        }
        Ending::Answered(_) => Arrival::Clean,
        _ => Arrival::Silent,
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
