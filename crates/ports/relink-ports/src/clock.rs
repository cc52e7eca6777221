//! The time of day.

use jiff::Timestamp;

/// Tells the time of day. Waiting is not its business: waits are measured on
/// the runtime's own clock, which never jumps.
pub trait Clock: Send + Sync {
    /// The present moment, UTC.
    fn now(&self) -> Timestamp;
}
