//! The outside things a use case is given.

use std::sync::Arc;

use jiff::Timestamp;
use relink_ports::{Clock, Fetch, Files, Store};

/// One of each outside thing.
#[derive(Clone)]
pub struct Ports {
    /// Asks web servers.
    pub fetch: Arc<dyn Fetch>,
    /// Reads documents.
    pub files: Arc<dyn Files>,
    /// Remembers.
    pub store: Arc<dyn Store>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

impl Ports {
    /// The present moment in whole milliseconds, which is how the store keeps
    /// it: a result then reads the same before and after it was stored.
    pub(crate) fn now(&self) -> Timestamp {
        let now = self.clock.now();
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }
}
