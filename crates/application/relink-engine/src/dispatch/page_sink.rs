//! Receives the bodies of fetched pages.
//!
//! A check drops each body after its digest is computed. A sink sees the body
//! first, in the task of the request and not in the loop of the dispatcher.

use relink_model::Probe;
use relink_ports::Body;

/// A receiver of page bodies.
pub trait PageSink: Send + Sync {
    /// Called for every response with a body. The probe is not judged yet.
    fn on_page(&self, url: &str, probe: &Probe, body: &Body);
}
