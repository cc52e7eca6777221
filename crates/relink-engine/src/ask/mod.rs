//! The asker: works off the errands of a run until none is left.
//!
//! One loop owns everything: it takes hosts from the store, sends requests out
//! as the hosts' clocks allow, judges what comes back, commits it in small
//! batches and reports it. Only the requests themselves run beside it. A
//! request keeps its slot until its result is committed, so a kill repeats
//! little.

mod dispatch;
mod lane;
mod look;
mod settle;
mod supply;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use relink_frontier::{AddressGate, Pace};
use relink_judge::Policy;
use relink_model::{Errand, Probe, RunId};
use relink_ports::{HostId, OpenRun};
use tokio::task::JoinSet;
use tokio::time::Instant;

use self::lane::Lane;
pub(crate) use self::look::look;
use self::supply::Supply;
use crate::{EngineFault, Observer, Ports, Progress, Stop, Waiting};

/// Results committed at once: small, so that little is repeated after a kill.
const BATCH: usize = 64;
/// How often progress is reported.
const PROGRESS: Duration = Duration::from_millis(100);
/// Hosts named in a progress report.
const NAMED_WAITS: usize = 3;

/// How to ask.
#[derive(Debug, Clone, Copy)]
pub struct AskSettings {
    /// Requests in flight over all hosts.
    pub concurrency: usize,
    /// The politeness owed to each host.
    pub pace: Pace,
    /// What counts as enough evidence.
    pub policy: Policy,
    /// The longest wait a host may ask for before its errands are put off to
    /// another run.
    pub patience: Duration,
}

impl Default for AskSettings {
    fn default() -> Self {
        Self {
            concurrency: 128,
            pace: Pace::default(),
            policy: Policy::default(),
            patience: Duration::from_mins(2),
        }
    }
}

/// How the asking ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskEnd {
    /// Every target is settled.
    Done,
    /// No host answered at all.
    NoNetwork,
    /// Somebody stopped it.
    Stopped,
}

/// What comes back from beside the loop.
enum Returned {
    /// A host's address, as far as it can be told.
    Located(HostId, Option<std::net::IpAddr>),
    /// A request's result.
    Looked(HostId, Box<Errand>, Box<Probe>),
}

/// Works off the errands of one run.
pub(crate) struct Asker<'a> {
    ports: &'a Ports,
    run: RunId,
    settings: &'a AskSettings,
    /// Probes made while loading, used instead of asking again.
    known: Arc<HashMap<String, Probe>>,
    began: Instant,
    lanes: HashMap<HostId, Lane>,
    /// Lanes with something to ask, by when they may.
    ready: BTreeSet<(Duration, HostId)>,
    gate: AddressGate,
    supply: Supply,
    in_flight: usize,
    beside: JoinSet<Returned>,
    has_network: bool,
    settled: u64,
    targets: u64,
    reported: Option<Duration>,
}

impl<'a> Asker<'a> {
    pub(crate) async fn new(
        ports: &'a Ports,
        run: &OpenRun,
        settings: &'a AskSettings,
        known: HashMap<String, Probe>,
    ) -> Result<Self, EngineFault> {
        let tally = ports.store.tally(run.id).await?;
        Ok(Self {
            ports,
            run: run.id,
            settings,
            known: Arc::new(known),
            began: Instant::now(),
            lanes: HashMap::new(),
            ready: BTreeSet::new(),
            gate: AddressGate::new(settings.pace.address_gap),
            supply: Supply::default(),
            in_flight: 0,
            beside: JoinSet::new(),
            has_network: run.has_network,
            settled: tally.settled,
            targets: tally.targets,
            reported: None,
        })
    }

    /// Asks until nothing is left, or until stopped.
    pub(crate) async fn run(
        mut self,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<AskEnd, EngineFault> {
        loop {
            if stop.is_raised() {
                self.put_down().await?;
                return Ok(AskEnd::Stopped);
            }
            self.take_supplies(observer).await?;
            self.dispatch();
            self.report_progress(observer);
            if self.is_done() {
                break;
            }
            if let Some(first) = self.wait(stop).await {
                self.take_in(first, observer).await?;
            }
        }
        if self.has_network {
            // An interruption may have come between the proof and its fruits.
            self.judge_held(observer).await?;
        }
        let is_done = self.has_network || self.settled == self.targets;
        Ok(if is_done { AskEnd::Done } else { AskEnd::NoNetwork })
    }

    /// Time since the asking began, on a clock that never jumps.
    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn is_done(&self) -> bool {
        self.lanes.is_empty() && self.beside.is_empty() && self.supply.is_exhausted()
    }

    /// Waits for a result, for the next host to become ready, or for a stop.
    async fn wait(&mut self, stop: &Stop) -> Option<Returned> {
        let wake = self.began + self.next_wake();
        tokio::select! {
            biased;
            Some(returned) = self.beside.join_next(), if !self.beside.is_empty() => {
                // A request beside the loop neither panics nor is aborted.
                returned.ok()
            }
            () = stop.raised() => None,
            () = tokio::time::sleep_until(wake) => None,
        }
    }

    fn next_wake(&self) -> Duration {
        let now = self.elapsed();
        let is_full = self.in_flight >= self.settings.concurrency;
        let lane = self.ready.first().map(|(at, _)| *at).filter(|_| !is_full);
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
        observer.progress(&Progress::Asking {
            settled: self.settled,
            targets: self.targets,
            in_flight: self.in_flight,
            waiting: self.waiting(now),
        });
    }

    fn waiting(&self, now: Duration) -> Vec<Waiting> {
        let is_long = |wait: &Duration| *wait > Duration::from_secs(1);
        self.ready
            .iter()
            .rev()
            .map_while(|(at, host)| Some((at.checked_sub(now).filter(is_long)?, host)))
            .filter_map(|(wait, host)| Some((wait, self.lanes.get(host)?)))
            .take(NAMED_WAITS)
            .map(|(wait, lane)| lane.waiting(wait))
            .collect()
    }
}
