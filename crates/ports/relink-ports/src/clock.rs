//! The port of the system clock, so that tests can set the time.

use jiff::Timestamp;

/// The system clock. It is not used for waiting: timers use the monotonic clock of the async
/// runtime.
pub trait Clock: Send + Sync {
    /// Returns the current time in UTC.
    fn now(&self) -> Timestamp;
}
