//! How fast a host may be asked.

use std::time::Duration;

/// The politeness a run owes every host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How many requests of one host may be in flight.
    pub host_concurrency: usize,
    /// The least time between two requests of one host. Zero also switches off
    /// what is learnt (`is_adaptive`) and the gate between hosts.
    pub interval: Duration,
    /// Whether slow hosts are asked more slowly.
    pub is_adaptive: bool,
    /// The least time between requests for different hosts on one address.
    pub address_gap: Duration,
}

impl Pace {
    /// For a list the user owns: 4 in flight, 100 ms apart.
    pub const CHECK_CONCURRENCY: usize = 4;
    /// See [`Pace::CHECK_CONCURRENCY`].
    pub const CHECK_INTERVAL: Duration = Duration::from_millis(100);
    /// Between requests for different hosts on one address.
    pub const ADDRESS_GAP: Duration = Duration::from_millis(250);
    /// No learnt delay is longer than this.
    pub const LONGEST_DELAY: Duration = Duration::from_secs(30);

    /// The pace of a check. An interval of zero switches all waiting off.
    pub fn check(host_concurrency: usize, interval: Duration) -> Self {
        let is_polite = !interval.is_zero();
        Self {
            host_concurrency: host_concurrency.max(1),
            interval,
            is_adaptive: is_polite,
            address_gap: if is_polite { Self::ADDRESS_GAP } else { Duration::ZERO },
        }
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self::check(Self::CHECK_CONCURRENCY, Self::CHECK_INTERVAL)
    }
}
