//! The system clock.

use jiff::Timestamp;

/// The system clock. Waits use the monotonic clock of the async runtime
/// instead.
pub trait Clock: Send + Sync {
    /// Returns the current time in UTC.
    fn now(&self) -> Timestamp;
}
