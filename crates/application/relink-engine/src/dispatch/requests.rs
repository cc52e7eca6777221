//! The requests of the dispatcher: how many may be in flight, and their results.
//!
//! Each request runs in a tokio task and returns an event. The loop of the dispatcher
//! takes the events in batches. A request occupies a *slot* until its result is stored.
//! A *control* is a page fetched only for comparison; an *attempt* is a fetched page
//! that is not judged yet, and may wait for a control.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::WorkerEvent;
use super::host_queues::ReadyKey;
use super::result_queue::ResultQueue;
use relink_requests::Ports;

/// Requests in flight and their slots.
pub(super) struct Requests {
    ports: Ports,
    results: Arc<ResultQueue<WorkerEvent>>,
    slots: Slots,
}

/// Counts of requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slots {
    /// Maximum number of requests in flight.
    limit: usize,
    /// Requests whose result is not yet stored: the requests in flight, and those that
    /// returned but whose result is not judged or not committed.
    occupied: usize,
    /// Spawned requests and lookups that have not returned.
    outstanding: usize,
}

impl Slots {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, occupied: 0, outstanding: 0 }
    }

    /// Whether the limit allows one more request. A control that attempts wait for
    /// needs no slot of its own, because these attempts hold theirs.
    pub(super) fn has_slot(&self, is_control: bool) -> bool {
        (if is_control { self.outstanding } else { self.occupied }) < self.limit
    }
}

impl Requests {
    pub(super) fn new(ports: &Ports, limit: usize) -> Self {
        Self {
            ports: ports.clone(),
            results: Arc::new(ResultQueue::new()),
            slots: Slots::new(limit),
        }
    }

    /// Whether the next request of a host can be sent. Hosts with a control that
    /// attempts wait for come first.
    pub(super) fn has_slot(&self, ready_key: ReadyKey) -> bool {
        self.slots.has_slot(ready_key.is_control)
    }

    /// Occupies slots until the results are stored.
    pub(super) fn occupy(&mut self, slots: usize) {
        self.slots.occupied += slots;
    }

    /// Frees slots.
    pub(super) fn free(&mut self, slots: usize) {
        self.slots.occupied -= slots;
    }

    /// Returns the number of occupied slots.
    pub(super) fn in_flight(&self) -> usize {
        self.slots.occupied
    }

    /// Returns the number of requests and lookups that have not returned.
    pub(super) fn outstanding(&self) -> usize {
        self.slots.outstanding
    }

    /// Starts a request or a lookup. It must return an event even if it panics,
    /// because the loop waits for it.
    pub(super) fn spawn<F>(&mut self, request: impl FnOnce(Ports) -> F)
    where
        F: Future<Output = WorkerEvent> + Send + 'static,
    {
        self.slots.outstanding += 1;
        let results = Arc::clone(&self.results);
        let request = request(self.ports.clone());
        tokio::spawn(async move { results.push(request.await) });
    }

    /// Removes and returns up to `max` events, oldest first.
    pub(super) fn take(&mut self, max: usize) -> Vec<WorkerEvent> {
        let events = self.results.take(max);
        self.slots.outstanding -= events.len();
        events
    }

    /// Waits until a request has returned.
    pub(super) async fn wait(&self) {
        self.results.wait().await;
    }

    /// Waits for a batch of events, at most for `timeout`.
    pub(super) async fn wait_for_batch(&self, batch: usize, timeout: Duration) {
        self.results.wait_for_batch(batch, Instant::now() + timeout).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_limit_requests_until_they_are_stored_and_controls_until_they_return() {
        let mut slots = Slots::new(2);
        slots.occupied = 2;
        slots.outstanding = 1;
        assert!(!slots.has_slot(false), "a returned request holds its slot until it is stored");
        assert!(slots.has_slot(true), "a control uses the slot of the attempt that waits for it");
        slots.outstanding = 2;
        assert!(!slots.has_slot(true));
    }
}
