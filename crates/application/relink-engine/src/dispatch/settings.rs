//! Settings of the dispatcher.

use std::time::Duration;

use relink_frontier::PolitenessPolicy;
use relink_judge::Policy;

/// Settings of the dispatcher.
#[derive(Debug, Clone, Copy)]
pub struct DispatchSettings {
    /// Maximum number of requests in flight over all hosts.
    pub concurrency: usize,
    /// Rate limits per host.
    pub politeness: PolitenessPolicy,
    /// Rules that decide which evidence is sufficient.
    pub policy: Policy,
    /// Maximum wait that a host may request. The tasks of a host that requests
    /// more are left to a later run.
    pub max_host_wait: Duration,
    /// Duration of the lease of a host. The hosts of a crashed process are free
    /// after this time.
    pub lease: Duration,
    /// Maximum age of a stored control.
    pub max_control_age: Duration,
    /// Whether pages are compared with controls.
    pub uses_controls: bool,
    /// Maximum number of bytes read from a page whose anchors are needed. The
    /// anchors of a longer page are unknown.
    pub max_page_bytes: usize,
}

impl DispatchSettings {
    /// Default maximum number of bytes read from a page for its links or
    /// anchors. Generated documentation has pages of 10 MB.
    pub const MAX_PAGE_BYTES: usize = 16 << 20;

    /// Default duration of a lease.
    pub const LEASE: Duration = Duration::from_secs(25);
}

impl Default for DispatchSettings {
    fn default() -> Self {
        Self {
            concurrency: 128,
            politeness: PolitenessPolicy::default(),
            policy: Policy::default(),
            max_host_wait: Duration::from_mins(2),
            lease: Self::LEASE,
            max_control_age: Duration::from_hours(7 * 24),
            uses_controls: true,
            max_page_bytes: Self::MAX_PAGE_BYTES,
        }
    }
}
