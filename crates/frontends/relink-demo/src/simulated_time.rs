//! The simulated time of the demo sites. Some pages had other content a year ago.

use std::sync::atomic::{AtomicBool, Ordering};

/// A time at which the demo sites are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SimulatedTime {
    /// Before some pages changed, were deleted, or lost their domain.
    OneYearAgo,
    /// The current state.
    Today,
}

/// The simulated time of all requests, shared between threads.
#[derive(Debug)]
pub(crate) struct SimulatedClock {
    is_one_year_ago: AtomicBool,
}

impl SimulatedClock {
    /// Creates a clock that starts at [`SimulatedTime::Today`].
    pub(crate) fn new() -> Self {
        Self { is_one_year_ago: AtomicBool::new(false) }
    }

    /// Sets the simulated time.
    pub(crate) fn set_time(&self, time: SimulatedTime) {
        self.is_one_year_ago.store(time == SimulatedTime::OneYearAgo, Ordering::Release);
    }

    /// Returns the simulated time.
    pub(crate) fn time(&self) -> SimulatedTime {
        if self.is_one_year_ago.load(Ordering::Acquire) {
            SimulatedTime::OneYearAgo
        } else {
            SimulatedTime::Today
        }
    }
}
