//! The outside things a use case is given.

use std::sync::Arc;

use jiff::Timestamp;
use relink_ports::{Archive, Clock, Fetch, Files, Render, SearchEngine, Store};

use crate::probe::moment;

/// One of each outside thing.
#[derive(Clone)]
pub struct Ports {
    /// Asks web servers.
    pub fetch: Arc<dyn Fetch>,
    /// Reads documents.
    pub files: Arc<dyn Files>,
    /// Remembers.
    pub store: Arc<dyn Store>,
    /// Builds pages in a browser, where there is one.
    pub render: Option<Arc<dyn Render>>,
    /// Web archives, in the order to ask them.
    pub archives: Vec<Arc<dyn Archive>>,
    /// Search engines, in the order to ask them.
    pub searches: Vec<Arc<dyn SearchEngine>>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

impl Ports {
    /// The present moment, as the store keeps it.
    pub(crate) fn now(&self) -> Timestamp {
        moment(&*self.clock)
    }
}
