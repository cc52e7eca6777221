//! Ports that a use case needs.

use std::sync::Arc;

use jiff::Timestamp;
use relink_model::TaskId;
use relink_ports::{Archive, Clock, Fetch, Files, Render, SearchEngine, Store};

use crate::probe::current_time;

/// An id lower than that of every task: a query for the tasks after it starts at the
/// first task.
pub const BEFORE_FIRST_TASK: TaskId = TaskId(0);

/// Implementations of the ports.
#[derive(Clone)]
pub struct Ports {
    /// HTTP client.
    pub fetch: Arc<dyn Fetch>,
    /// File system.
    pub files: Arc<dyn Files>,
    /// Persistent store.
    pub store: Arc<dyn Store>,
    /// Headless browser, if one is configured.
    pub render: Option<Arc<dyn Render>>,
    /// Web archives, in the order of use.
    pub archives: Vec<Arc<dyn Archive>>,
    /// Search engines, in the order of use.
    pub search_engines: Vec<Arc<dyn SearchEngine>>,
    /// System clock.
    pub clock: Arc<dyn Clock>,
}

impl Ports {
    /// Returns the current time in milliseconds, the precision of the store.
    pub fn now(&self) -> Timestamp {
        current_time(&*self.clock)
    }
}
