//! What to ask next, and when.
//!
//! Pure rules: the canonical form under which a target is asked once, the
//! scope of a run, what sites and pages ask of programs, the order of a crawl,
//! the traps it does not enter, and the clocks that keep us polite. Nothing
//! here asks anything or knows the time; moments come in as arguments.

// Untrusted input must not end the program: see CONTRIBUTING.md.
#![warn(clippy::indexing_slicing)]

mod backoff;
mod block_detector;
mod canonical;
mod crawl_scope;
mod depth_curve;
mod directives;
mod host_rate_limiter;
mod ip_rate_limiter;
mod network;
mod outage;
mod parameters;
mod politeness;
mod robots;
mod scope;
mod template_links;
mod traps;
mod traversal_order;

pub use backoff::backoff;
pub use block_detector::BlockDetector;
pub use canonical::{CanonicalError, canonicalize, host_key};
pub use crawl_scope::{CrawlScope, ScopeMode};
pub use depth_curve::{DepthCount, DepthCurve, DepthPoint, depth_curve};
pub use directives::RobotsDirectives;
pub use host_rate_limiter::{HostRateLimiter, HostReadiness, ResponseSignal, StoredDelays};
pub use ip_rate_limiter::IpRateLimiter;
pub use network::{NetworkDoubt, NetworkEvidence, outside_domain};
pub use outage::{Admittance, HostSign, Outage};
pub use parameters::{ParameterLearner, TrialOutcome, strip};
pub use politeness::PolitenessPolicy;
pub use robots::{RobotsPolicy, RobotsTxt};
pub use scope::{PatternError, UrlFilter};
pub use template_links::{is_template, section};
pub use traps::{DetectedTrap, PageFingerprint, TrapDecision, TrapDetector, TrapKind, UrlPattern};
pub use traversal_order::{LinkDiscovery, TraversalOrder, is_within_depth};
