//! How fast a host may be asked.

use std::time::Duration;

/// The politeness a run owes every host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolitenessPolicy {
    /// How many requests of one host may be in flight.
    pub host_concurrency: usize,
    /// The least time between two requests of one host. Zero also switches off
    /// what is learned (`is_adaptive`) and the gate between hosts.
    pub interval: Duration,
    /// Whether slow hosts are asked more slowly.
    pub is_adaptive: bool,
    /// How long a slow host is left alone, in percent of its answering time.
    pub adaptive_percent: u32,
    /// The least time between requests for different hosts on one address.
    pub ip_gap: Duration,
}

impl PolitenessPolicy {
    /// For a list the user owns: 4 in flight, 100 ms apart.
    pub const CHECK_CONCURRENCY: usize = 4;
    /// See [`Pace::CHECK_CONCURRENCY`].
    pub const CHECK_INTERVAL: Duration = Duration::from_millis(100);
    /// For a site we walk through: one request at a time.
    pub const CRAWL_CONCURRENCY: usize = 1;
    /// See [`Pace::CRAWL_CONCURRENCY`]: a second between requests.
    pub const CRAWL_INTERVAL: Duration = Duration::from_secs(1);
    /// In a check slow hosts are given half of their answering time to breathe.
    pub const CHECK_BREATH: u32 = 50;
    /// In a crawl, which asks one host for long, five times as much as it took.
    pub const CRAWL_BREATH: u32 = 500;
    /// Between requests for different hosts on one address.
    pub const ADDRESS_GAP: Duration = Duration::from_millis(250);
    /// The first pause after a host answered only with errors.
    pub const OUTAGE_PAUSE: Duration = Duration::from_secs(2);
    /// The same where waiting is switched off: a server that restarts needs a
    /// moment even if no politeness is owed to it.
    pub const SHORT_OUTAGE_PAUSE: Duration = Duration::from_millis(50);
    /// No learned delay is longer than this.
    pub const LONGEST_DELAY: Duration = Duration::from_secs(30);

    /// The pace of a check. An interval of zero switches all waiting off.
    pub fn check(host_concurrency: usize, interval: Duration) -> Self {
        let is_polite = !interval.is_zero();
        Self {
            host_concurrency: host_concurrency.max(1),
            interval,
            is_adaptive: is_polite,
            adaptive_percent: Self::CHECK_BREATH,
            ip_gap: if is_polite { Self::ADDRESS_GAP } else { Duration::ZERO },
        }
    }

    /// The first pause after a host answered only with errors.
    pub fn outage_pause(&self) -> Duration {
        if self.interval.is_zero() { Self::SHORT_OUTAGE_PAUSE } else { Self::OUTAGE_PAUSE }
    }

    /// The pace of a crawl. An interval of zero switches off all waiting but
    /// that which a host asks for, by its answers or its `robots.txt`.
    pub fn crawl(host_concurrency: usize, interval: Duration) -> Self {
        Self { adaptive_percent: Self::CRAWL_BREATH, ..Self::check(host_concurrency, interval) }
    }
}

impl Default for PolitenessPolicy {
    fn default() -> Self {
        Self::check(Self::CHECK_CONCURRENCY, Self::CHECK_INTERVAL)
    }
}
