//! Rules of a crawl: which URLs to fetch, in which order, and when.
//!
//! Canonical URLs, scope, robots rules, traversal order, spider traps, rate limits
//! and outages. This crate does no I/O and reads no clock. Callers pass the time.

// Untrusted input must not cause a panic, see CONTRIBUTING.md.
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
mod query;
mod robots;
mod template_links;
mod traps;
mod traversal_order;
mod url_filter;
mod url_remap;

pub use backoff::backoff;
pub use block_detector::BlockDetector;
pub use canonical::{CanonicalError, canonicalize, host_key};
pub use crawl_scope::{CrawlScope, ScopeMode};
pub use depth_curve::{DepthCount, DepthCurve, DepthPoint, depth_curve};
pub use directives::RobotsDirectives;
pub use host_rate_limiter::{HostRateLimiter, HostReadiness, ResponseSignal, StoredDelays};
pub use ip_rate_limiter::IpRateLimiter;
pub use network::{NetworkDoubt, NetworkEvidence, external_domain};
pub use outage::{HostAvailability, HostSignal, Outage};
pub use parameters::{ParameterLearner, TrialOutcome, strip};
pub use politeness::PolitenessPolicy;
pub use robots::{RobotsPolicy, RobotsTxt};
pub use template_links::{is_template, section};
pub use traps::{
    DetectedTrap, EndlessTest, PageFingerprint, TrapDecision, TrapGuard, TrapKind, TrapLimits,
    UrlPattern,
};
pub use traversal_order::{LinkDiscovery, TraversalOrder, is_within_depth};
pub use url_filter::{PatternError, UrlFilter};
pub use url_remap::UrlRemap;
