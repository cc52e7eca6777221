//! Gentleness with machines that serve many names.
//!
//! Twenty small sites on one address are one machine. Between requests for
//! *different* hosts on one address a gap is kept; requests for one host are
//! that host's own clock's business.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

/// Addresses remembered before the ones that no longer matter are dropped.
const REMEMBERED: usize = 4_096;

/// Keeps requests for different hosts on one address apart.
#[derive(Debug, Default)]
pub struct IpRateLimiter {
    gap: Duration,
    last: HashMap<IpAddr, (i64, Duration)>,
}

impl IpRateLimiter {
    /// A gate that keeps `gap`; zero keeps none.
    pub fn new(gap: Duration) -> Self {
        Self { gap, last: HashMap::new() }
    }

    /// Whether the gate keeps any gap at all.
    pub fn is_disabled(&self) -> bool {
        self.gap.is_zero()
    }

    /// From when `host` may be asked at `address`.
    pub fn ready_at(&self, address: IpAddr, host: i64) -> Duration {
        match self.last.get(&address) {
            Some((last, at)) if *last != host => *at + self.gap,
            _ => Duration::ZERO,
        }
    }

    /// A request for `host` leaves for `address` at `now`.
    pub fn request_started(&mut self, address: IpAddr, host: i64, now: Duration) {
        if self.is_disabled() {
            return;
        }
        if self.last.len() >= REMEMBERED {
            let gap = self.gap;
            self.last.retain(|_, (_, at)| *at + gap > now);
        }
        self.last.insert(address, (host, now));
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn different_hosts_on_one_address_wait_for_each_other() {
        let mut gate = IpRateLimiter::new(Duration::from_millis(250));
        gate.request_started(ADDRESS, 1, SECOND);
        assert_eq!(gate.ready_at(ADDRESS, 2), Duration::from_millis(1_250));
        assert_eq!(gate.ready_at(ADDRESS, 1), Duration::ZERO);
    }

    #[test]
    fn an_open_gate_remembers_nothing() {
        let mut gate = IpRateLimiter::new(Duration::ZERO);
        gate.request_started(ADDRESS, 1, SECOND);
        assert_eq!(gate.ready_at(ADDRESS, 2), Duration::ZERO);
    }
}
