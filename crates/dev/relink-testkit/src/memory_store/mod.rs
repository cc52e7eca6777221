//! An implementation of the `Store` port in memory, for tests of the scheduler.
//!
//! It passes the conformance suite of the databases. Every call is one step
//! without waiting, so a test with a seeded scheduler and virtual time is
//! deterministic. Nothing is optimized beyond the needs of tests, and texts are
//! not redacted.

mod cache;
mod intake;
mod new_task;
mod queue;
mod reading;
mod results;
mod runs;
mod state;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use relink_ports::Store;

use self::state::State;

/// The longest delay of a call in milliseconds.
const MAX_DELAY_MS: u64 = 3;

/// A worker's handle of a store in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Arc<Mutex<State>>,
    /// The number of the worker that uses this handle.
    worker: u64,
    /// Whether several workers use the store.
    is_shared: bool,
    /// The state of the random number generator of delays.
    delays: Option<Mutex<u64>>,
}

impl MemoryStore {
    /// Creates an empty store that one worker uses.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty store that several workers use.
    pub fn shared() -> Self {
        Self { is_shared: true, ..Self::default() }
    }

    /// Returns the handle of another worker on the same store.
    #[must_use]
    pub fn join(&self) -> Self {
        let worker = {
            let mut state = self.lock();
            state.workers += 1;
            state.workers
        };
        Self { state: Arc::clone(&self.state), worker, is_shared: self.is_shared, delays: None }
    }

    /// Delays every call of this handle by 0 to `MAX_DELAY_MS` milliseconds, so
    /// that the calls of several workers interleave. The seed determines the
    /// delays.
    #[must_use]
    pub fn with_delays(self, seed: u64) -> Self {
        Self { delays: Some(Mutex::new(seed)), ..self }
    }

    /// Waits for the delay of this call, and returns the locked tables.
    async fn tables(&self) -> MutexGuard<'_, State> {
        if let Some(delays) = &self.delays {
            let delay = {
                let mut random = delays.lock().unwrap_or_else(PoisonError::into_inner);
                // The constants of Knuth's MMIX generator.
                *random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (*random >> 33) % (MAX_DELAY_MS + 1)
            };
            tokio::time::sleep(Duration::from_millis(delay)).await;
        }
        self.lock()
    }

    /// Revokes all leases, as a database does that only one process can open.
    pub fn revoke_leases(&self) {
        for host in &mut self.lock().hosts {
            host.lease_until = None;
        }
    }

    /// Locks the tables.
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic in one test worker must not hide the state from the others.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {}

#[cfg(test)]
mod tests {
    use super::MemoryStore;

    #[expect(clippy::unused_async, reason = "the suite opens databases")]
    async fn open_empty() -> (MemoryStore, ()) {
        (MemoryStore::new(), ())
    }

    crate::store_suite!(open_empty);
}
