//! Rate limiting per IP address, for servers that host many names.
//!
//! Requests to *different* hosts on one IP address are separated by a gap. Requests to
//! one host are limited by its [`HostRateLimiter`](crate::HostRateLimiter).

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

/// Number of IP addresses after which expired entries are dropped.
const CLEANUP_THRESHOLD: usize = 4_096;

/// Separates requests to different hosts on one IP address.
#[derive(Debug, Default)]
pub struct IpRateLimiter {
    gap: Duration,
    /// The last request to each IP address: the id of its host and its time.
    last_requests: HashMap<IpAddr, (i64, Duration)>,
}

impl IpRateLimiter {
    /// Returns a limiter with this gap. A gap of zero disables the limiter.
    pub fn new(gap: Duration) -> Self {
        Self { gap, last_requests: HashMap::new() }
    }

    /// Whether no gap is configured.
    pub fn is_disabled(&self) -> bool {
        self.gap.is_zero()
    }

    /// Returns the time from which a request to `host` on `address` may be sent.
    pub fn ready_at(&self, address: IpAddr, host: i64) -> Duration {
        match self.last_requests.get(&address) {
            Some((last_host, requested_at)) if *last_host != host => *requested_at + self.gap,
            _ => Duration::ZERO,
        }
    }

    /// Records a request to `host` on `address` at `now`.
    pub fn request_started(&mut self, address: IpAddr, host: i64, now: Duration) {
        if self.is_disabled() {
            return;
        }
        if self.last_requests.len() >= CLEANUP_THRESHOLD {
            let gap = self.gap;
            self.last_requests.retain(|_, (_, requested_at)| *requested_at + gap > now);
        }
        self.last_requests.insert(address, (host, now));
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn different_hosts_on_one_address_are_separated() {
        let mut limiter = IpRateLimiter::new(Duration::from_millis(250));
        limiter.request_started(ADDRESS, 1, SECOND);
        assert_eq!(limiter.ready_at(ADDRESS, 2), Duration::from_millis(1_250));
        assert_eq!(limiter.ready_at(ADDRESS, 1), Duration::ZERO);
    }

    #[test]
    fn disabled_limiter_has_no_gap() {
        let mut limiter = IpRateLimiter::new(Duration::ZERO);
        limiter.request_started(ADDRESS, 1, SECOND);
        assert_eq!(limiter.ready_at(ADDRESS, 2), Duration::ZERO);
    }
}
