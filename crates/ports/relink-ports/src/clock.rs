//! The port of the system clock, so that tests can set the time.

use jiff::Timestamp;

/// The system clock. Waits use the monotonic clock of the async runtime
/// instead.
pub trait Clock: Send + Sync {
    /// Returns the current time in UTC.
    fn now(&self) -> Timestamp;
}
