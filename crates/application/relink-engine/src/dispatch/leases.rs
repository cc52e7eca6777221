//! Renews leases, and gives up hosts whose lease was lost.
//!
//! A lease is lost if the process was stopped or disconnected for longer than
//! its duration. Another worker may then fetch from the host. **No request is
//! sent after the end of a lease**: sending stops some seconds before it, and
//! continues only after a renewal.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use relink_ports::{Claim, Fence, HostId, HostLease, HostRelease, HostStats};

use super::Dispatcher;
use super::controls::ControlTask;
use crate::EngineError;
use crate::politeness::add_wait;

/// Renewals per lease.
const RENEWALS: u32 = 3;
/// The part of a lease before its end in which nothing is sent, as a divisor. It
/// covers the time from the decision to send until the request is on the wire.
const SEND_MARGIN: u32 = 5;
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
    /// Leases claimed at this time or later are valid.
    pub(super) fn at(elapsed: Duration, time: Timestamp) -> Self {
        Self { elapsed, time }
    }

    /// Returns the time since the renewal. The monotonic clock does not count
    /// the time while the machine was suspended, the system clock does.
    fn age(self, elapsed: Duration, time: Timestamp) -> Duration {
        let by_time: SignedDuration = time.duration_since(self.time);
        elapsed.saturating_sub(self.elapsed).max(Duration::try_from(by_time).unwrap_or_default())
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
        self.claims.renewal.age(now, self.ports.now()) < lease.saturating_sub(lease / SEND_MARGIN)
    }

    /// Renews the leases if necessary, and gives up the hosts whose lease was
    /// lost.
    pub(super) async fn renew_leases(&mut self) -> Result<(), EngineError> {
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
            // The attempts that wait for the control are discarded.
            let discarded = self.discard_control(lease.host, &control);
            self.requests.free(discarded);
        }
        self.schedule(lease.host);
        self.claims.request_refill(lease.host);
    }

    /// Releases a host for a moment, before any of its requests.
    pub(super) async fn give_back(&mut self, host: HostId) -> Result<(), EngineError> {
        let Some(lease) = self.queues.get(host).map(|queue| queue.lease) else { return Ok(()) };
        self.give_up(lease);
        let Some(queue) = self.queues.remove(host) else { return Ok(()) };
        let mut schedule = queue.host_schedule(self.elapsed(), self.ports.now());
        schedule.next_at = schedule.next_at.max(add_wait(self.ports.now(), RECLAIM_WAIT));
        let released = HostRelease { lease, schedule, stats: HostStats::default() };
        self.ports.store.release(self.run.id, &[released]).await?;
        self.claims.forget_exhaustion();
        Ok(())
    }

    /// Returns the claim unless the process still has requests in flight from
    /// an earlier lease of the host. Such a host is released for a moment.
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
        let host = HostRelease { lease: claim.lease, schedule, stats: HostStats::default() };
        self.ports.store.release(self.run.id, &[host]).await?;
        Ok(None)
    }
}
