//! Rate limiter of one host.
//!
//! Times are durations since the start of the run on a monotonic clock. Only the worker
//! that leases the host uses its limiter. The delays are stored at the end of a run, see
//! [`StoredDelays`]. The limiter never sleeps.

use std::time::Duration;

use crate::PolitenessPolicy;

/// Delay after the first response that limits the request rate, such as 429. Each further
/// such response doubles the delay. Each other response halves it.
const THROTTLED_DELAY: Duration = Duration::from_secs(1);
/// Throttling ends when its delay becomes shorter than this value.
const MIN_THROTTLE: Duration = Duration::from_millis(100);
/// Maximum age of a stored throttling delay. Servers count requests per minute or
/// hour.
const THROTTLE_LIFETIME: Duration = Duration::from_hours(1);
/// Maximum age of a stored adaptive delay.
const ADAPTIVE_LIFETIME: Duration = Duration::from_hours(24);

/// Effect of a response on the request rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseSignal {
    /// A normal response.
    Clean,
    /// The request got no response.
    NoResponse,
    /// The host limits the request rate. Holds its `Retry-After`, if any.
    Throttled(Option<Duration>),
}

/// The condition for the next request to a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostReadiness {
    /// At this time or later.
    ReadyAt(Duration),
    /// After a request in flight has finished.
    WhenSlotFrees,
}

/// The rate limiter of one host.
#[derive(Debug, Clone)]
pub struct HostRateLimiter {
    politeness: PolitenessPolicy,
    /// The time before which no request may be sent.
    next_request_at: Duration,
    /// Time at which the last request was sent, or `None` before the first request.
    last_request: Option<Duration>,
    in_flight: usize,
    /// Maximum number of requests in flight, or 1 while the host throttles requests.
    concurrency_limit: usize,
    /// The delay computed from response times.
    adaptive_delay: Duration,
    /// The `Crawl-delay` of the host's `robots.txt`.
    crawl_delay: Duration,
    /// The delay after the host has limited the request rate, or `None` if it has not.
    throttle: Option<Duration>,
}

/// The delays of a host at the end of an earlier run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoredDelays {
    /// The delay computed from response times.
    pub adaptive: Duration,
    /// The delay after the host has limited the request rate, or zero if it has not.
    pub throttle: Duration,
    /// Time since the delays were stored.
    pub age: Duration,
}

impl StoredDelays {
    /// Returns the adaptive delay, or zero if it has expired.
    fn valid_adaptive(&self) -> Duration {
        if self.age < ADAPTIVE_LIFETIME { self.adaptive } else { Duration::ZERO }
    }

    /// Returns the throttling delay, or `None` if there is none or if it has expired.
    fn valid_throttle(&self) -> Option<Duration> {
        let is_valid = self.age < THROTTLE_LIFETIME && !self.throttle.is_zero();
        is_valid.then(|| self.throttle.min(PolitenessPolicy::MAX_DELAY))
    }
}

impl HostRateLimiter {
    /// Maximum accepted `Retry-After`. Without a limit, one response could exclude a
    /// host for years.
    pub const MAX_RETRY_AFTER: Duration = Duration::from_hours(7 * 24);

    /// Returns the rate limiter of a host that accepts requests from `next_request_at` on.
    pub fn new(
        politeness: PolitenessPolicy,
        next_request_at: Duration,
        stored: StoredDelays,
    ) -> Self {
        let throttle = stored.valid_throttle();
        Self {
            politeness,
            next_request_at,
            last_request: None,
            in_flight: 0,
            concurrency_limit: if throttle.is_some() { 1 } else { politeness.host_concurrency },
            adaptive_delay: stored.valid_adaptive(),
            crawl_delay: Duration::ZERO,
            throttle,
        }
    }

    /// Sets the `Crawl-delay` of the host's `robots.txt`.
    ///
    /// The delay applies with any politeness policy, also after the request for
    /// `robots.txt`. The host then gets one request at a time.
    pub fn set_crawl_delay(&mut self, delay: Duration) {
        self.crawl_delay = delay;
        self.concurrency_limit = self.allowed_concurrency();
        if let Some(last_request) = self.last_request {
            self.delay_next(last_request);
        }
    }

    /// Returns when the next request may be sent.
    pub fn readiness(&self) -> HostReadiness {
        if self.in_flight >= self.concurrency_limit {
            HostReadiness::WhenSlotFrees
        } else {
            HostReadiness::ReadyAt(self.next_request_at)
        }
    }

    /// Returns the number of requests in flight.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Returns the time before which no request may be sent.
    pub fn next_request_at(&self) -> Duration {
        self.next_request_at
    }

    /// Returns the delay computed from response times.
    pub fn adaptive_delay(&self) -> Duration {
        self.adaptive_delay
    }

    /// Returns the delay after the host has limited the request rate, or zero if it has not.
    pub fn throttle(&self) -> Duration {
        self.throttle.unwrap_or_default()
    }

    /// Whether the host has limited the request rate recently.
    pub fn is_throttled(&self) -> bool {
        self.throttle.is_some()
    }

    /// Records that a request is sent at `now`.
    pub fn request_started(&mut self, now: Duration) {
        self.in_flight += 1;
        self.delay_next(now);
    }

    /// Records that a request reached the host at `at`, some time after it was sent, because
    /// its connection had to be opened first. The next request may use the open connection
    /// and would then arrive too early.
    pub fn request_arrived(&mut self, at: Duration) {
        self.next_request_at = self.next_request_at.max(at + self.delay());
    }

    /// Records that a request finished at `now` after `duration`.
    pub fn request_finished(&mut self, now: Duration, duration: Duration, signal: ResponseSignal) {
        self.in_flight = self.in_flight.saturating_sub(1);
        match signal {
            ResponseSignal::Throttled(retry_after) => self.record_throttling(now, retry_after),
            ResponseSignal::Clean => self.record_clean_response(duration),
            ResponseSignal::NoResponse => self.update_adaptive_delay(duration),
        }
    }

    /// Delays the next request after a request that was sent at `now`. Callers also call it
    /// for redirects.
    pub fn delay_next(&mut self, now: Duration) {
        self.last_request = Some(now);
        self.next_request_at = self.next_request_at.max(now + self.delay());
    }

    /// Returns the minimum time between two requests.
    pub fn delay(&self) -> Duration {
        let adaptive =
            if self.politeness.is_adaptive { self.adaptive_delay } else { Duration::ZERO };
        self.politeness.interval.max(adaptive).max(self.throttle()).max(self.crawl_delay)
    }

    /// Returns the number of requests in flight that the current delays allow.
    fn allowed_concurrency(&self) -> usize {
        let is_slow = self.throttle.is_some() || !self.crawl_delay.is_zero();
        if is_slow { 1 } else { self.politeness.host_concurrency }
    }

    /// Doubles the throttling delay and obeys the `Retry-After` of the host.
    fn record_throttling(&mut self, now: Duration, retry_after: Option<Duration>) {
        let delay = self.throttle.map_or(THROTTLED_DELAY, |delay| delay * 2);
        let delay = delay.clamp(THROTTLED_DELAY, PolitenessPolicy::MAX_DELAY);
        self.throttle = Some(delay);
        self.concurrency_limit = 1;
        let wait = retry_after.unwrap_or(delay).min(Self::MAX_RETRY_AFTER);
        self.next_request_at = self.next_request_at.max(now + wait);
    }

    /// Halves the throttling delay, if there is one.
    fn record_clean_response(&mut self, duration: Duration) {
        self.update_adaptive_delay(duration);
        let Some(delay) = self.throttle else { return };
        self.throttle = Some(delay / 2).filter(|delay| *delay >= MIN_THROTTLE);
        self.concurrency_limit = self.allowed_concurrency();
    }

    /// Updates the adaptive delay: a moving average, in which the last response time has a
    /// weight of one quarter.
    fn update_adaptive_delay(&mut self, duration: Duration) {
        let delay = duration.saturating_mul(self.politeness.adaptive_percent) / 100;
        let delay = delay.min(PolitenessPolicy::MAX_DELAY);
        self.adaptive_delay = (self.adaptive_delay * 3 + delay) / 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One millisecond.
    const MS: Duration = Duration::from_millis(1);

    fn limiter(politeness: PolitenessPolicy) -> HostRateLimiter {
        HostRateLimiter::new(politeness, Duration::ZERO, StoredDelays::default())
    }

    #[test]
    fn requests_are_at_least_an_interval_apart() {
        let mut limiter = limiter(PolitenessPolicy::default());
        limiter.request_started(10 * MS);
        assert_eq!(limiter.readiness(), HostReadiness::ReadyAt(110 * MS));
    }

    #[test]
    fn request_that_arrives_late_delays_the_next_one() {
        let mut limiter = limiter(PolitenessPolicy::default());
        limiter.request_started(Duration::ZERO);
        limiter.request_arrived(70 * MS);
        assert_eq!(limiter.readiness(), HostReadiness::ReadyAt(170 * MS));
        limiter.request_arrived(20 * MS);
        assert_eq!(limiter.readiness(), HostReadiness::ReadyAt(170 * MS), "never earlier");
    }

    #[test]
    fn requests_in_flight_are_limited() {
        let mut limiter = limiter(PolitenessPolicy::check(2, Duration::ZERO));
        limiter.request_started(MS);
        assert_eq!(limiter.readiness(), HostReadiness::ReadyAt(MS));
        limiter.request_started(MS);
        assert_eq!(limiter.readiness(), HostReadiness::WhenSlotFrees);
        limiter.request_finished(2 * MS, MS, ResponseSignal::Clean);
        assert_eq!(limiter.readiness(), HostReadiness::ReadyAt(MS));
    }

    #[test]
    fn slow_host_gets_an_adaptive_delay() {
        let mut limiter = limiter(PolitenessPolicy::default());
        for second in 1..20 {
            limiter.request_started(second * 1_000 * MS);
            limiter.request_finished(second * 1_000 * MS, 2_000 * MS, ResponseSignal::Clean);
        }
        limiter.request_started(100_000 * MS);
        let HostReadiness::ReadyAt(next_request_at) = limiter.readiness() else {
            panic!("nothing else is in flight")
        };
        // The adaptive delay approaches half of the response time of 2 s.
        assert!(next_request_at >= 100_900 * MS, "{next_request_at:?}");
    }

    #[test]
    fn interval_zero_disables_adaptive_delay() {
        let mut limiter = limiter(PolitenessPolicy::check(4, Duration::ZERO));
        limiter.request_started(MS);
        limiter.request_finished(MS, 9_000 * MS, ResponseSignal::Clean);
        limiter.request_started(MS);
        assert_eq!(limiter.readiness(), HostReadiness::ReadyAt(MS));
    }

    #[test]
    fn crawl_waits_five_times_the_response_time() {
        let mut limiter = limiter(PolitenessPolicy::crawl(
            PolitenessPolicy::CRAWL_CONCURRENCY,
            PolitenessPolicy::CRAWL_INTERVAL,
        ));
        for second in 1..40 {
            limiter.request_started(second * 1_000 * MS);
            limiter.request_finished(second * 1_000 * MS, 800 * MS, ResponseSignal::Clean);
        }
        assert!(
            (3_990..=4_000).contains(&limiter.adaptive_delay().as_millis()),
            "{:?}",
            limiter.adaptive_delay()
        );
    }

    #[test]
    fn crawl_delay_applies_with_interval_zero() {
        let mut limiter = limiter(PolitenessPolicy::crawl(64, Duration::ZERO));
        limiter.set_crawl_delay(2_000 * MS);
        limiter.request_started(MS);
        assert_eq!(limiter.readiness(), HostReadiness::WhenSlotFrees);
        limiter.request_finished(2 * MS, MS, ResponseSignal::Clean);
        assert_eq!(limiter.readiness(), HostReadiness::ReadyAt(2_001 * MS));
        // The crawl delay still allows one request at a time after throttling has ended.
        limiter.request_finished(2 * MS, MS, ResponseSignal::Throttled(None));
        for _ in 0..10 {
            limiter.request_finished(3 * MS, MS, ResponseSignal::Clean);
        }
        assert!(!limiter.is_throttled());
        limiter.request_started(9_000 * MS);
        assert_eq!(limiter.readiness(), HostReadiness::WhenSlotFrees);
    }

    #[test]
    fn crawl_delay_applies_after_the_request_for_robots_txt() {
        let mut limiter = limiter(PolitenessPolicy::crawl(1, 1_000 * MS));
        limiter.request_started(MS);
        limiter.request_finished(2 * MS, MS, ResponseSignal::Clean);
        limiter.set_crawl_delay(7_000 * MS);
        assert_eq!(limiter.readiness(), HostReadiness::ReadyAt(7_001 * MS));
    }

    #[test]
    fn retry_after_applies_with_interval_zero() {
        let mut limiter = limiter(PolitenessPolicy::check(256, Duration::ZERO));
        limiter.request_started(MS);
        limiter.request_finished(MS, MS, ResponseSignal::Throttled(Some(7_000 * MS)));
        assert_eq!(limiter.readiness(), HostReadiness::ReadyAt(7_001 * MS));
        limiter.request_started(7_001 * MS);
        assert_eq!(limiter.readiness(), HostReadiness::WhenSlotFrees);
    }

    #[test]
    fn repeated_throttling_doubles_delay_up_to_maximum() {
        let mut limiter = limiter(PolitenessPolicy::default());
        for _ in 0..10 {
            limiter.request_started(Duration::ZERO);
            limiter.request_finished(Duration::ZERO, MS, ResponseSignal::Throttled(None));
        }
        assert_eq!(limiter.throttle(), PolitenessPolicy::MAX_DELAY);
    }

    #[test]
    fn clean_response_halves_throttling_delay() {
        let mut limiter = limiter(PolitenessPolicy::default());
        limiter.request_finished(MS, MS, ResponseSignal::Throttled(None));
        let mut delays = Vec::new();
        while limiter.is_throttled() {
            delays.push(limiter.throttle().as_millis());
            limiter.request_started(MS);
            limiter.request_finished(MS, MS, ResponseSignal::Clean);
        }
        assert_eq!(delays, [1_000, 500, 250, 125]);
    }

    #[test]
    fn one_throttled_request_does_not_slow_down_later_runs() {
        let mut stored = StoredDelays::default();
        for run in 1..=3 {
            let mut limiter =
                HostRateLimiter::new(PolitenessPolicy::default(), Duration::ZERO, stored);
            let mut now = Duration::ZERO;
            for request in 0..9 {
                if let HostReadiness::ReadyAt(next_request_at) = limiter.readiness() {
                    now = now.max(next_request_at);
                }
                limiter.request_started(now);
                let is_first = run == 1 && request == 0;
                let signal =
                    if is_first { ResponseSignal::Throttled(None) } else { ResponseSignal::Clean };
                limiter.request_finished(now, 2 * MS, signal);
            }
            assert!(now < 4_000 * MS, "run {run} took {now:?}");
            let (adaptive, throttle) = (limiter.adaptive_delay(), limiter.throttle());
            stored = StoredDelays { adaptive, throttle, age: MS };
        }
    }

    #[test]
    fn stored_delays_expire_with_age() {
        let stored = |age| StoredDelays { adaptive: 500 * MS, throttle: 8_000 * MS, age };
        let delay = |age| {
            HostRateLimiter::new(PolitenessPolicy::default(), Duration::ZERO, stored(age)).delay()
        };
        assert_eq!(delay(MS), 8_000 * MS);
        assert_eq!(delay(THROTTLE_LIFETIME), 500 * MS);
        assert_eq!(delay(ADAPTIVE_LIFETIME), PolitenessPolicy::CHECK_INTERVAL);
    }

    #[test]
    fn retry_after_is_limited_to_a_week() {
        let mut limiter = limiter(PolitenessPolicy::default());
        limiter.request_started(MS);
        limiter.request_finished(MS, MS, ResponseSignal::Throttled(Some(Duration::MAX)));
        assert_eq!(
            limiter.readiness(),
            HostReadiness::ReadyAt(MS + HostRateLimiter::MAX_RETRY_AFTER)
        );
    }
}
