//! What to ask next, and when.
//!
//! Pure rules: the canonical form under which a target is asked once, the
//! scope of a run, what sites and pages ask of programs, the order of a crawl,
//! the traps it does not enter, and the clocks that keep us polite. Nothing
//! here asks anything or knows the time; moments come in as arguments.

// Untrusted input must not end the program: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

mod address_gate;
mod backoff;
mod canonical;
mod crawl_scope;
mod depth_curve;
mod directives;
mod host_clock;
mod network;
mod order;
mod outage;
mod pace;
mod parameters;
mod robots;
mod scope;
mod template_links;
mod traps;
mod welcome;

pub use address_gate::AddressGate;
pub use backoff::backoff;
pub use canonical::{CanonicalError, canonical, host_name};
pub use crawl_scope::{CrawlScope, Reach};
pub use depth_curve::{DepthCount, DepthCurve, DepthPoint, depth_curve};
pub use directives::PageDirectives;
pub use host_clock::{Arrival, HostClock, Readiness, StoredDelays};
pub use network::{NetworkDoubt, NetworkEvidence, outside_domain};
pub use order::{Discovery, Order, is_within_depth};
pub use outage::{Admittance, HostSign, Outage};
pub use pace::Pace;
pub use parameters::{ParameterTrials, TrialOutcome, strip};
pub use robots::{Robots, RobotsAnswer};
pub use scope::{PatternError, Scope};
pub use template_links::{is_template, section};
pub use traps::{Admission, AvoidedPattern, PageSight, TrapKind, TrapWatch, UrlPattern};
pub use welcome::Welcome;
