//! Claims hosts and tasks from the store, and releases hosts.
//!
//! A *claim* takes the lease of a host: the exclusive right to fetch its tasks until a
//! given time. A host is claimed with its first tasks; a *refill* reads further ones. A
//! task is *due* when it may be fetched; retries become due later. A *closed* host
//! requested a backoff that is longer than this run waits. Durations are times since
//! the start of the dispatcher.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;
use relink_ports::{ClaimRequest, HostId, HostRelease};

use super::Dispatcher;
use super::host_queue::{AddressLookup, CurrentTime, HostQueue, RefillLimit};
use super::leases::Renewal;
use crate::Observer;
use relink_requests::EngineError;

/// Maximum number of hosts leased in one claim.
const MAX_CLAIMED_HOSTS: usize = 50;
/// Minimum number of tasks claimed per host.
const MIN_TASKS: usize = 10;
/// Queued tasks in memory, as a multiple of the requests in flight.
const QUEUE_FACTOR: usize = 16;
/// Resolution of the times at which hosts are due.
const DUE_TICK: Duration = Duration::from_millis(10);
/// Interval between claims while other workers have leased the last hosts. They
/// may release a host with further tasks.
const SHARED_CLAIM_INTERVAL: Duration = Duration::from_secs(1);

/// Decides when to claim hosts and when to refill their queues.
pub(super) struct ClaimScheduler {
    hosts_to_refill: Vec<HostId>,
    /// Leased hosts with a task that becomes due later, by time.
    due_hosts: BTreeSet<(Duration, HostId)>,
    claimable_hosts: ClaimableHosts,
    /// The last renewal of all leases.
    pub(super) renewal: Renewal,
    /// Number of link batches stored so far. A new batch may contain new tasks.
    stored_batches: u64,
}

/// Whether the store has hosts to claim.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum ClaimableHosts {
    /// The store may have hosts.
    #[default]
    Unknown,
    /// No host before this time.
    From(Duration),
    /// No host, unless one is released.
    None,
}

impl ClaimScheduler {
    /// Creates a scheduler at this time, without leases.
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            hosts_to_refill: Vec::new(),
            due_hosts: BTreeSet::new(),
            claimable_hosts: ClaimableHosts::default(),
            renewal: Renewal::at(Duration::ZERO, now),
            stored_batches: 0,
        }
    }

    /// Sets the number of stored link batches. Returns whether it changed.
    pub(super) fn set_stored_batches(&mut self, stored_batches: u64) -> bool {
        let is_changed = self.stored_batches != stored_batches;
        if is_changed {
            self.stored_batches = stored_batches;
            self.claimable_hosts = ClaimableHosts::Unknown;
        }
        is_changed
    }

    /// Whether a host needs tasks now.
    pub(super) fn needs_refill(&self) -> bool {
        !self.hosts_to_refill.is_empty()
    }

    /// Records that tasks were added.
    pub(super) fn add_stored_batch(&mut self) {
        self.set_stored_batches(self.stored_batches + 1);
    }

    /// Requests a refill of a host's queue.
    pub(super) fn request_refill(&mut self, host: HostId) {
        self.hosts_to_refill.push(host);
    }

    /// Schedules a refill for a task that becomes due later. The time is
    /// rounded up so that tasks with similar times share one refill.
    pub(super) fn schedule_refill(&mut self, host: HostId, at: Duration) {
        let ticks = at.as_nanos().div_ceil(DUE_TICK.as_nanos());
        let at = DUE_TICK * u32::try_from(ticks).unwrap_or(u32::MAX);
        self.due_hosts.insert((at, host));
    }

    /// Removes and returns a host with a scheduled refill that is due.
    fn next_due_host(&mut self, now: Duration) -> Option<HostId> {
        let is_due = self.due_hosts.first().is_some_and(|(at, _)| *at <= now);
        is_due.then(|| self.due_hosts.pop_first()).flatten().map(|(_, host)| host)
    }

    /// Records that a host was released, so that the store may have hosts again.
    pub(super) fn record_release(&mut self) {
        self.claimable_hosts = ClaimableHosts::Unknown;
    }

    /// Whether the store has nothing left to claim.
    pub(super) fn is_exhausted(&self) -> bool {
        self.claimable_hosts == ClaimableHosts::None
    }

    /// Returns the time of the next claim, if it is known.
    pub(super) fn next_claim(&self) -> Option<Duration> {
        match self.claimable_hosts {
            ClaimableHosts::From(at) => Some(at),
            ClaimableHosts::Unknown | ClaimableHosts::None => None,
        }
    }

    /// Returns when the next scheduled refill is due.
    pub(super) fn next_refill(&self) -> Option<Duration> {
        self.due_hosts.first().map(|(at, _)| *at)
    }

    /// Whether the next claim is possible only after this time.
    fn has_nothing_before(&self, time: Duration) -> bool {
        matches!(self.claimable_hosts, ClaimableHosts::From(at) if at > time)
    }

    fn can_claim_at(&self, now: Duration) -> bool {
        match self.claimable_hosts {
            ClaimableHosts::Unknown => true,
            ClaimableHosts::From(at) => at <= now,
            ClaimableHosts::None => false,
        }
    }
}

impl Dispatcher<'_> {
    /// Returns the current time on both clocks.
    pub(super) fn current_time(&self) -> CurrentTime {
        CurrentTime { elapsed: self.elapsed(), time: self.ports.now() }
    }

    /// Returns the number of link batches stored so far.
    pub(super) fn stored_batches(&self) -> u64 {
        self.claims.stored_batches
    }

    /// Refills queues, releases idle hosts and claims new ones.
    pub(super) async fn refill_queues(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineError> {
        while let Some(host) = self.claims.next_due_host(self.elapsed()) {
            if let Some(queue) = self.queues.get_mut(host) {
                queue.exhausted_after_batch = None;
                self.claims.request_refill(host);
            }
        }
        let hosts = std::mem::take(&mut self.claims.hosts_to_refill);
        for host in &hosts {
            self.refill(*host).await?;
            self.finish_blocked(*host, observer).await?;
            self.finish_unrequested(*host, observer).await?;
            self.spend_controls(*host, observer).await?;
        }
        self.release_idle(&hosts).await?;
        self.renew_leases().await?;
        let (max_queues, has_room) = (self.settings.concurrency, self.has_room_for_hosts());
        while has_room && self.claims.can_claim_at(self.elapsed()) && self.queues.len() < max_queues
        {
            self.claim(MAX_CLAIMED_HOSTS.min(max_queues - self.queues.len())).await?;
        }
        // Only hosts are left that this run does not wait for.
        let longest_wait = self.elapsed() + self.settings.max_host_wait;
        if self.loading.is_done()
            && self.queues.is_empty()
            && self.claims.has_nothing_before(longest_wait)
        {
            self.claim_closed_hosts().await?;
        }
        Ok(())
    }

    /// Whether at least a quarter of the queues is free. While other hosts are active,
    /// a claim of a few hosts is not worth its cost.
    pub(super) fn has_room_for_hosts(&self) -> bool {
        4 * self.queues.len() <= 3 * self.settings.concurrency
    }

    /// Claims hosts whose backoff is longer than this run waits, so that their
    /// tasks are finished as blocked.
    async fn claim_closed_hosts(&mut self) -> Result<(), EngineError> {
        let refill_limit =
            RefillLimit { limit: MIN_TASKS, stored_batches: self.claims.stored_batches };
        let now = self.current_time();
        let request = ClaimRequest {
            hosts: MAX_CLAIMED_HOSTS,
            tasks: refill_limit.limit,
            now: now.time,
            until: self.lease_end(),
            claims_before_due: true,
        };
        for claim in self.ports.store.claim(self.run.id, request).await? {
            let Some(claim) = self.without_old_requests(claim).await? else { continue };
            let host = claim.lease.host;
            let next_at = claim.schedule.next_at;
            let mut queue = HostQueue::new(claim, self.settings.politeness, now, refill_limit);
            queue.close_until(next_at);
            self.queues.insert(queue);
            self.claims.request_refill(host);
        }
        self.claims.claimable_hosts = ClaimableHosts::Unknown;
        Ok(())
    }

    /// Claims up to `hosts` hosts, with their first tasks.
    async fn claim(&mut self, hosts: usize) -> Result<(), EngineError> {
        // In depth-first order, hosts are claimed without tasks: see `refill_by_rank`.
        let limit = if self.job.is_depth_first() { 0 } else { self.tasks_per_host(hosts) };
        let refill_limit = RefillLimit { limit, stored_batches: self.claims.stored_batches };
        let request = ClaimRequest {
            hosts,
            tasks: refill_limit.limit,
            now: self.ports.now(),
            until: self.lease_end(),
            claims_before_due: false,
        };
        let claims = self.ports.store.claim(self.run.id, request).await?;
        let now = self.current_time();
        if claims.len() < hosts {
            self.claims.claimable_hosts = self.next_claim(now).await?;
        }
        for claim in claims {
            let Some(claim) = self.without_old_requests(claim).await? else { continue };
            let host = claim.lease.host;
            let mut queue = HostQueue::new(claim, self.settings.politeness, now, refill_limit);
            if self.run.is_shared && queue.address().is_some() {
                // The lookup also leases the address, so repeat it for each claim.
                queue.address_lookup = AddressLookup::Unknown;
            }
            self.queues.restore_outage(&mut queue);
            self.queues.insert(queue);
            self.load_robots(host).await?;
            self.prefetch_controls(host).await?;
            self.schedule(host);
            // A host without due tasks is released in the next round.
            self.claims.request_refill(host);
        }
        Ok(())
    }

    /// Returns when the store will have hosts to claim, after a claim found too few.
    async fn next_claim(&self, now: CurrentTime) -> Result<ClaimableHosts, EngineError> {
        let next = self.ports.store.next_due(self.run.id).await?;
        let wait_until = |due: Timestamp| {
            let wait = Duration::try_from(due.duration_since(now.time)).unwrap_or_default();
            // Wait at least 1 ms, so that a stopped clock does not cause a busy
            // loop.
            wait.max(Duration::from_millis(1))
        };
        let shared_wait = next.is_shared.then_some(SHARED_CLAIM_INTERVAL);
        let wait = [next.at.map(wait_until), shared_wait].into_iter().flatten().min();
        Ok(wait.map_or(ClaimableHosts::None, |wait| ClaimableHosts::From(now.elapsed + wait)))
    }

    /// Returns the number of tasks to queue per host when `new_hosts` are added.
    fn tasks_per_host(&self, new_hosts: usize) -> usize {
        let hosts = (self.queues.len() + new_hosts).max(1);
        let max_tasks = (2 * self.settings.politeness.host_concurrency).max(MIN_TASKS);
        (QUEUE_FACTOR * self.settings.concurrency / hosts).clamp(MIN_TASKS, max_tasks)
    }

    /// Reads further tasks of a host if its queue is less than half full.
    async fn refill(&mut self, host: HostId) -> Result<(), EngineError> {
        if self.job.is_depth_first() {
            return self.refill_by_rank(host).await;
        }
        let refill_limit = RefillLimit {
            limit: self.tasks_per_host(0),
            stored_batches: self.claims.stored_batches,
        };
        let Some(queue) = self.queues.get(host) else { return Ok(()) };
        let is_low = 2 * queue.tasks.len() < refill_limit.limit;
        if queue.is_exhausted(self.claims.stored_batches) || !is_low {
            return Ok(());
        }
        let (lease, cursor) = (queue.lease, queue.cursor);
        let due_until = queue.due_until(self.ports.now());
        let tasks = self
            .ports
            .store
            .more_tasks(self.run.id, lease, cursor, refill_limit.limit, due_until)
            .await?;
        if let Some(queue) = self.queues.get_mut(host) {
            queue.refill(tasks, refill_limit);
        }
        self.prefetch_controls(host).await?;
        self.schedule(host);
        Ok(())
    }

    /// Releases the hosts that have nothing more to do for now.
    pub(super) async fn release_idle(&mut self, hosts: &[HostId]) -> Result<(), EngineError> {
        let stored_batches = self.claims.stored_batches;
        let is_idle = |host: &&HostId| {
            self.queues.get(**host).is_some_and(|queue| queue.is_idle(stored_batches))
        };
        let idle: Vec<HostId> = hosts.iter().filter(is_idle).copied().collect();
        self.release(&idle).await
    }

    async fn release(&mut self, hosts: &[HostId]) -> Result<(), EngineError> {
        let mut released = Vec::with_capacity(hosts.len());
        for host in hosts {
            let Some(queue) = self.queues.remove(*host) else { continue };
            released.push(HostRelease {
                lease: queue.lease,
                schedule: queue.host_schedule(self.elapsed(), self.ports.now()),
                stats: queue.stats().clone(),
            });
        }
        if !released.is_empty() {
            self.ports.store.release(self.run.id, &released).await?;
            // The released hosts may have tasks that are due soon.
            self.claims.record_release();
        }
        Ok(())
    }

    /// Releases all hosts. Requests in flight are discarded and repeated by the
    /// next run.
    pub(super) async fn release_all(&mut self) -> Result<(), EngineError> {
        let hosts: Vec<HostId> = self.queues.iter().map(|(host, _)| host).collect();
        self.release(&hosts).await
    }
}
