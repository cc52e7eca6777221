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
    /// Maximum wait that a host may request. If a host requests a longer wait, its
    /// remaining tasks are finished as blocked.
    pub max_host_wait: Duration,
    /// Duration of a lease: the exclusive right to fetch from a host. After this time, the
    /// hosts of a crashed process can be claimed again.
    pub lease: Duration,
    /// Maximum age of a stored control (a page fetched only for comparison).
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
