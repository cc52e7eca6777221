//! Watchdog: detects a run that has tasks left but nothing to wait for.
//!
//! Such a run would wait forever because of a defect in Relink. The run is saved and
//! ends with an internal error. Slow hosts, long waits and slow disks do not trigger
//! the watchdog: for each of them, a request is in flight or a timer is set.

use super::Dispatcher;
use relink_requests::EngineError;

/// Everything that can make a run continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Activity {
    /// Requests and lookups in flight.
    in_flight: usize,
    /// Whether links are being read, or deferred results reported.
    is_busy: bool,
    /// Whether a host has a request to send, now or at a set time.
    can_send: bool,
    /// Whether hosts or tasks can be claimed, now or at a set time.
    can_claim: bool,
}

impl Activity {
    fn is_stalled(self) -> bool {
        let is_active = self.in_flight > 0 || self.is_busy || self.can_send || self.can_claim;
        !is_active
    }
}

impl Dispatcher<'_> {
    /// Saves the run and fails if nothing can make it continue. Only called
    /// while work is outstanding.
    pub(super) async fn fail_if_stalled(&mut self) -> Result<(), EngineError> {
        if !self.activity().is_stalled() {
            return Ok(());
        }
        self.release_all().await?;
        Err(EngineError::Stalled { outstanding: self.reports.unchecked() })
    }

    fn activity(&self) -> Activity {
        Activity {
            in_flight: self.requests.outstanding(),
            is_busy: !self.loading.is_done() || self.reports.is_deferring(),
            can_send: self
                .queues
                .next_send(|ready_key| self.requests.has_slot(ready_key))
                .is_some(),
            can_claim: self.claims.needs_refill()
                || self.claims.next_refill().is_some()
                || !self.claims.is_exhausted() && self.has_room_for_hosts(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Activity =
        Activity { in_flight: 0, is_busy: false, can_send: false, can_claim: false };

    #[test]
    fn run_with_nothing_to_wait_for_is_stalled() {
        assert!(NOTHING.is_stalled());
    }

    #[test]
    fn run_that_waits_for_anything_is_not_stalled() {
        for activity in [
            Activity { in_flight: 1, ..NOTHING },
            Activity { is_busy: true, ..NOTHING },
            Activity { can_send: true, ..NOTHING },
            Activity { can_claim: true, ..NOTHING },
        ] {
            assert!(!activity.is_stalled(), "{activity:?}");
        }
    }
}
