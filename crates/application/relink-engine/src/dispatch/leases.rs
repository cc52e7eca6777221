//! Renews leases, and gives up hosts whose lease was lost.
//!
//! A lease is the exclusive right to send requests to a host until a given time. It is
//! lost if the process was suspended or disconnected from the store for longer than the
//! lease lasts. Another worker may then fetch from the host. **No request is sent after
//! the end of a lease**: sending stops some seconds before, and continues only after a
//! renewal. A *fence* lets the store reject results of a process without the lease.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use relink_ports::{Claim, Fence, HostId, HostLease, HostRelease, HostStats};

use super::Dispatcher;
use super::controls::ControlTask;
use relink_requests::{EngineError, add_wait};

/// Number of renewals within the duration of a lease.
const RENEWALS: u32 = 3;
/// Nothing is sent in the last fifth of a lease. This margin covers the time from the
/// decision to send until the request is on the wire.
const SEND_MARGIN_DIVISOR: u32 = 5;
/// Wait before a host is claimed again whose old requests are in flight, or whose IP
/// address another worker uses.
const RECLAIM_WAIT: Duration = Duration::from_secs(1);

/// The time of the last renewal on both clocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Renewal {
    elapsed: Duration,
    time: Timestamp,
}

impl Renewal {
    /// Returns a renewal at this time, on both clocks.
    pub(super) fn at(elapsed: Duration, time: Timestamp) -> Self {
        Self { elapsed, time }
    }

    /// Returns the time since the renewal: the longer of the times on both clocks. The
    /// monotonic clock does not count the time while the machine was suspended; the
    /// system clock may have been set back.
    fn age(self, elapsed: Duration, time: Timestamp) -> Duration {
        let by_system_clock: SignedDuration = time.duration_since(self.time);
        let by_system_clock = Duration::try_from(by_system_clock).unwrap_or_default();
        elapsed.saturating_sub(self.elapsed).max(by_system_clock)
    }
}

impl Dispatcher<'_> {
    /// Returns the end of a lease that starts now.
    pub(super) fn lease_end(&self) -> Timestamp {
        add_wait(self.ports.now(), self.settings.lease)
    }

    /// Returns the fence of results that are judged from stored probes.
    pub(super) fn run_fence(&self) -> Fence {
        Fence::Run(self.run.generation)
    }

    /// Whether all leases are certainly valid.
    pub(super) fn has_valid_leases(&self, now: Duration) -> bool {
        let lease = self.settings.lease;
        let send_time = lease.saturating_sub(lease / SEND_MARGIN_DIVISOR);
        self.claims.renewal.age(now, self.ports.now()) < send_time
    }

    /// Renews the leases if necessary, and gives up the hosts whose lease was
    /// lost.
    pub(super) async fn renew_leases(&mut self) -> Result<(), EngineError> {
        // Take the time before the store does: the leases last at least until then.
        let renewal = Renewal::at(self.elapsed(), self.ports.now());
        let age = self.claims.renewal.age(renewal.elapsed, renewal.time);
        if age < self.settings.lease / RENEWALS {
            return Ok(());
        }
        let leases: Vec<HostLease> = self
            .queues
            .iter()
            .filter(|(_, queue)| !queue.is_lease_lost)
            .map(|(_, queue)| queue.lease)
            .collect();
        let lost = self.ports.store.renew(&leases, self.lease_end()).await?;
        self.claims.renewal = renewal;
        for lease in lost {
            self.give_up(lease);
        }
        Ok(())
    }

    /// Discards the queue of a host whose lease was lost. Results of requests in
    /// flight will be rejected by the store.
    pub(super) fn give_up(&mut self, lease: HostLease) {
        let Some(queue) = self.queues.get_mut(lease.host) else { return };
        if queue.lease != lease || queue.is_lease_lost {
            return;
        }
        queue.is_lease_lost = true;
        queue.tasks.clear();
        let controls: Vec<ControlTask> = queue.pending_controls.drain(..).collect();
        for control in controls {
            // Fetched pages that wait for the control are discarded.
            let discarded = self.discard_control(lease.host, &control);
            self.requests.free(discarded);
        }
        self.schedule(lease.host);
        self.claims.request_refill(lease.host);
    }

    /// Releases a host to which no request was sent yet. It can be claimed again after
    /// [`RECLAIM_WAIT`].
    pub(super) async fn give_back(&mut self, host: HostId) -> Result<(), EngineError> {
        let Some(lease) = self.queues.get(host).map(|queue| queue.lease) else { return Ok(()) };
        self.give_up(lease);
        let Some(queue) = self.queues.remove(host) else { return Ok(()) };
        let mut schedule = queue.host_schedule(self.elapsed(), self.ports.now());
        schedule.next_at = schedule.next_at.max(add_wait(self.ports.now(), RECLAIM_WAIT));
        let released = HostRelease { lease, schedule, stats: HostStats::default() };
        self.ports.store.release(self.run.id, &[released]).await?;
        self.claims.record_release();
        Ok(())
    }

    /// Returns the claim unless the process still has requests in flight from an
    /// earlier lease of the host. Such a host is released and can be claimed again after
    /// [`RECLAIM_WAIT`].
    pub(super) async fn without_old_requests(
        &mut self,
        claim: Claim,
    ) -> Result<Option<Claim>, EngineError> {
        let host: HostId = claim.lease.host;
        if !self.queues.contains(host) {
            return Ok(Some(claim));
        }
        let mut schedule = claim.schedule;
        schedule.next_at = schedule.next_at.max(add_wait(self.ports.now(), RECLAIM_WAIT));
        let released = HostRelease { lease: claim.lease, schedule, stats: HostStats::default() };
        self.ports.store.release(self.run.id, &[released]).await?;
        Ok(None)
    }
}
