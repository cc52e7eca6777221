//! Limits on the request rate per host.

use std::time::Duration;

/// The limits that apply to every host of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolitenessPolicy {
    /// Maximum number of requests in flight per host.
    pub host_concurrency: usize,
    /// Minimum time between two requests to a host. Zero also disables the adaptive
    /// delay and the gap between hosts.
    pub interval: Duration,
    /// Whether slow hosts get an additional delay.
    pub is_adaptive: bool,
    /// Delay after a response, in percent of the response time.
    pub adaptive_percent: u32,
    /// Minimum time between requests to different hosts on one IP address.
    pub ip_gap: Duration,
}

impl PolitenessPolicy {
    /// Requests in flight per host in a check, where the user supplies the URLs.
    pub const CHECK_CONCURRENCY: usize = 4;
    /// Interval of a check.
    pub const CHECK_INTERVAL: Duration = Duration::from_millis(100);
    /// Requests in flight per host in a crawl.
    pub const CRAWL_CONCURRENCY: usize = 1;
    /// Interval of a crawl.
    pub const CRAWL_INTERVAL: Duration = Duration::from_secs(1);
    /// Adaptive delay of a check.
    pub const CHECK_ADAPTIVE_PERCENT: u32 = 50;
    /// Adaptive delay of a crawl, which sends many requests to one host.
    pub const CRAWL_ADAPTIVE_PERCENT: u32 = 500;
    /// Gap between requests to different hosts on one IP address.
    pub const IP_GAP: Duration = Duration::from_millis(250);
    /// First pause of a host that is down.
    pub const OUTAGE_PAUSE: Duration = Duration::from_secs(2);
    /// First pause if delays are disabled. It is not zero, because a server needs time
    /// to restart.
    pub const SHORT_OUTAGE_PAUSE: Duration = Duration::from_millis(50);
    /// Maximum adaptive or throttling delay.
    pub const MAX_DELAY: Duration = Duration::from_secs(30);

    /// Returns the policy of a check. An interval of zero disables all delays.
    pub fn check(host_concurrency: usize, interval: Duration) -> Self {
        let is_polite = !interval.is_zero();
        Self {
            host_concurrency: host_concurrency.max(1),
            interval,
            is_adaptive: is_polite,
            adaptive_percent: Self::CHECK_ADAPTIVE_PERCENT,
            ip_gap: if is_polite { Self::IP_GAP } else { Duration::ZERO },
        }
    }

    /// Returns the first pause of a host that is down.
    pub fn outage_pause(&self) -> Duration {
        if self.interval.is_zero() { Self::SHORT_OUTAGE_PAUSE } else { Self::OUTAGE_PAUSE }
    }

    /// Returns the policy of a crawl. An interval of zero disables all delays except
    /// the delays that a host requests in a response or in `robots.txt`.
    pub fn crawl(host_concurrency: usize, interval: Duration) -> Self {
        Self {
            adaptive_percent: Self::CRAWL_ADAPTIVE_PERCENT,
            ..Self::check(host_concurrency, interval)
        }
    }
}

impl Default for PolitenessPolicy {
    fn default() -> Self {
        Self::check(Self::CHECK_CONCURRENCY, Self::CHECK_INTERVAL)
    }
}
