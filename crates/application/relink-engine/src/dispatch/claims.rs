//! Taking hosts and tasks from the store, and giving hosts back.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use relink_ports::{HostId, HostLease};

use super::Dispatcher;
use super::host_queue::{HostQueue, Moment, RefillLimit};
use crate::{EngineError, Observer};

/// Hosts leased in one claim.
const HOSTS: usize = 50;
/// Tasks taken at once from a host, at least.
const FEW_TASKS: usize = 10;
/// Queued tasks held in memory, as a multiple of the requests in flight.
const AHEAD: usize = 16;
/// How long a lease lasts without being renewed.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// Recalls are this far apart.
const RECALL_TICK: Duration = Duration::from_millis(10);
/// How often leases are renewed.
const RENEWAL: Duration = Duration::from_secs(20);

/// What is wanted from the store, and when it is worth asking.
#[derive(Default)]
pub(super) struct ClaimScheduler {
    needs_refill: Vec<HostId>,
    /// Leased hosts whose tasks fall due again, by when.
    recalls: BTreeSet<(Duration, HostId)>,
    hosts: Hosts,
    renewed: Duration,
    /// How often links were stored; after that there may be new tasks.
    chunks: u64,
}

/// Whether there are hosts to claim.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Hosts {
    /// There may be some.
    #[default]
    Perhaps,
    /// None before this moment.
    From(Duration),
    /// None at all, unless one is given back.
    None,
}

impl ClaimScheduler {
    /// Links were stored so often by now.
    pub(super) fn note_chunks(&mut self, chunks: u64) {
        if self.chunks != chunks {
            self.chunks = chunks;
            self.hosts = Hosts::Perhaps;
        }
    }

    /// Whether some host wants tasks at once.
    pub(super) fn is_hungry(&self) -> bool {
        !self.needs_refill.is_empty()
    }

    /// There are new tasks.
    pub(super) fn note_new(&mut self) {
        self.note_chunks(self.chunks + 1);
    }

    /// A lane's queue runs low.
    pub(super) fn want_refill(&mut self, host: HostId) {
        self.needs_refill.push(host);
    }

    /// A task of a leased host falls due again at this moment, rounded up so
    /// that many of them are few recalls.
    pub(super) fn recall(&mut self, host: HostId, at: Duration) {
        let ticks = at.as_nanos().div_ceil(RECALL_TICK.as_nanos());
        let at = RECALL_TICK * u32::try_from(ticks).unwrap_or(u32::MAX);
        self.recalls.insert((at, host));
    }

    fn next_recall(&mut self, now: Duration) -> Option<HostId> {
        let due = self.recalls.first().is_some_and(|(at, _)| *at <= now);
        due.then(|| self.recalls.pop_first()).flatten().map(|(_, host)| host)
    }

    /// Whether the store has nothing left to claim.
    pub(super) fn is_exhausted(&self) -> bool {
        self.hosts == Hosts::None
    }

    /// Whether the store may have a host to claim now.
    pub(super) fn may_have_hosts(&self) -> bool {
        self.hosts == Hosts::Perhaps
    }

    /// When to look again.
    pub(super) fn wake(&self) -> Option<Duration> {
        let claim = match self.hosts {
            Hosts::From(at) => Some(at),
            Hosts::Perhaps | Hosts::None => None,
        };
        let recall = self.recalls.first().map(|(at, _)| *at);
        [claim, recall].into_iter().flatten().min()
    }

    /// Whether there is something to claim, but not before this moment.
    fn has_nothing_before(&self, moment: Duration) -> bool {
        matches!(self.hosts, Hosts::From(at) if at > moment)
    }

    fn is_worth_asking(&self, now: Duration) -> bool {
        match self.hosts {
            Hosts::Perhaps => true,
            Hosts::From(at) => at <= now,
            Hosts::None => false,
        }
    }
}

impl Dispatcher<'_> {
    /// The present on both clocks.
    fn moment(&self) -> Moment {
        Moment { elapsed: self.elapsed(), time: self.ports.now() }
    }

    /// How often there were new tasks.
    pub(super) fn supply_chunks(&self) -> u64 {
        self.supply.chunks
    }

    /// Refills hungry lanes, gives idle ones back and claims new ones.
    pub(super) async fn refill_queues(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        while let Some(host) = self.supply.next_recall(self.elapsed()) {
            if let Some(lane) = self.lanes.get_mut(&host) {
                lane.exhausted_at = None;
                self.supply.want_refill(host);
            }
        }
        for host in std::mem::take(&mut self.supply.needs_refill) {
            self.refill(host).await?;
            self.finish_blocked(host, observer).await?;
            self.settle_unrequested(host, observer).await?;
            self.release_if_idle(host).await?;
        }
        self.renew_leases().await?;
        let (lanes, has_room) = (self.settings.concurrency, self.has_room_for_hosts());
        while has_room && self.supply.is_worth_asking(self.elapsed()) && self.lanes.len() < lanes {
            self.claim(HOSTS.min(lanes - self.lanes.len())).await?;
        }
        let patience = self.elapsed() + self.settings.max_host_wait;
        if self.is_loaded && self.lanes.is_empty() && self.supply.has_nothing_before(patience) {
            self.claim_shut().await?;
        }
        Ok(())
    }

    /// Whether enough lanes are free for a claim: a few are not worth one while
    /// others still work.
    pub(super) fn has_room_for_hosts(&self) -> bool {
        4 * self.lanes.len() <= 3 * self.settings.concurrency
    }

    /// Takes hosts that want to be left alone for longer than this run will
    /// wait, so that their tasks are turned away.
    async fn claim_shut(&mut self) -> Result<(), EngineError> {
        let order = RefillLimit { limit: FEW_TASKS, chunks: self.supply.chunks };
        let (now, sometime) = (self.moment(), Timestamp::MAX);
        let until = lease_end(now.time);
        let claims = self.ports.store.claim(self.run, HOSTS, order.limit, sometime, until).await?;
        for claim in claims {
            let host = claim.lease.host;
            let next_at = claim.politeness.next_at;
            let mut lane = HostQueue::new(claim, self.settings.politeness, now, order);
            lane.shut(next_at);
            self.lanes.insert(host, lane);
            self.supply.want_refill(host);
        }
        self.supply.hosts = Hosts::Perhaps;
        Ok(())
    }

    async fn claim(&mut self, hosts: usize) -> Result<(), EngineError> {
        // By rank, they are taken one by one.
        let limit = if self.goes_by_rank() { 0 } else { self.tasks_per_host(hosts) };
        let order = RefillLimit { limit, chunks: self.supply.chunks };
        let now = self.ports.now();
        let claims =
            self.ports.store.claim(self.run, hosts, order.limit, now, lease_end(now)).await?;
        let now = self.moment();
        if claims.len() < hosts {
            self.supply.hosts = self.when_due(now.time, now.elapsed).await?;
        }
        for claim in claims {
            let host = claim.lease.host;
            let mut lane = HostQueue::new(claim, self.settings.politeness, now, order);
            lane.outage = self.outages.get(&host).cloned().unwrap_or_default();
            self.lanes.insert(host, lane);
            self.recall_manners(host).await?;
            self.order_ahead(host).await?;
            self.schedule(host);
            // A host without due tasks is given back in the next round.
            self.supply.want_refill(host);
        }
        Ok(())
    }

    async fn when_due(&self, now: Timestamp, elapsed: Duration) -> Result<Hosts, EngineError> {
        let due = self.ports.store.next_due(self.run).await?;
        Ok(due.map_or(Hosts::None, |due| {
            let wait = Duration::try_from(due.duration_since(now)).unwrap_or_default();
            // At least a moment, so that a clock that stands still is no busy loop.
            Hosts::From(elapsed + wait.max(Duration::from_millis(1)))
        }))
    }

    fn tasks_per_host(&self, new_hosts: usize) -> usize {
        let hosts = (self.lanes.len() + new_hosts).max(1);
        let most = (2 * self.settings.politeness.host_concurrency).max(FEW_TASKS);
        (AHEAD * self.settings.concurrency / hosts).clamp(FEW_TASKS, most)
    }

    async fn refill(&mut self, host: HostId) -> Result<(), EngineError> {
        if self.goes_by_rank() {
            return self.refill_by_rank(host).await;
        }
        let order = RefillLimit { limit: self.tasks_per_host(0), chunks: self.supply.chunks };
        let Some(lane) = self.lanes.get(&host) else { return Ok(()) };
        let runs_low = 2 * lane.queue.len() < order.limit;
        if lane.is_dry(self.supply.chunks) || !runs_low {
            return Ok(());
        }
        let (lease, cursor, now) = (lane.lease, lane.cursor, lane.horizon(self.ports.now()));
        let tasks = self.ports.store.more_tasks(self.run, lease, cursor, order.limit, now).await?;
        if let Some(lane) = self.lanes.get_mut(&host) {
            lane.refill(tasks, order);
        }
        self.order_ahead(host).await?;
        self.schedule(host);
        Ok(())
    }

    /// Gives a host back once nothing more can be done with it for now.
    pub(super) async fn release_if_idle(&mut self, host: HostId) -> Result<(), EngineError> {
        let chunks = self.supply.chunks;
        if self.lanes.get(&host).is_some_and(|lane| lane.is_idle(chunks)) {
            self.release(host).await?;
        }
        Ok(())
    }

    async fn release(&mut self, host: HostId) -> Result<(), EngineError> {
        let Some(lane) = self.lanes.remove(&host) else { return Ok(()) };
        if let Some(turn) = lane.turn {
            self.ready.remove(&(turn, host));
        }
        self.keep_outage(host, &lane);
        let pace = lane.pace(self.elapsed(), self.ports.now());
        self.ports.store.release(self.run, lane.lease, &pace, lane.tally()).await?;
        // Its tasks may fall due again, perhaps at once.
        self.supply.hosts = Hosts::Perhaps;
        Ok(())
    }

    /// Stops in an orderly way: hosts are given back. Requests in flight come
    /// to nothing and will be made again.
    pub(super) async fn release_all(&mut self) -> Result<(), EngineError> {
        let hosts: Vec<HostId> = self.lanes.keys().copied().collect();
        for host in hosts {
            self.release(host).await?;
        }
        Ok(())
    }

    async fn renew_leases(&mut self) -> Result<(), EngineError> {
        let now = self.elapsed();
        if now < self.supply.renewed + RENEWAL {
            return Ok(());
        }
        self.supply.renewed = now;
        let leases: Vec<HostLease> = self.lanes.values().map(|lane| lane.lease).collect();
        let until = lease_end(self.ports.now());
        self.ports.store.renew(&leases, until).await?;
        Ok(())
    }
}

fn lease_end(now: Timestamp) -> Timestamp {
    now.checked_add(LEASE).unwrap_or(Timestamp::MAX)
}
