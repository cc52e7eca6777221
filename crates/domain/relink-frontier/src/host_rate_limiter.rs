//! When a host may be asked again.
//!
//! Moments are durations since the run began, on a clock that never jumps.
//! The durable part of a host's politeness lives in the store; this is what a
//! worker keeps in memory while it holds the host's lease.

use std::time::Duration;

use crate::PolitenessPolicy;

/// The first delay after a host has asked for fewer requests. Each further such
/// response doubles it, each other response halves it.
const THROTTLED_DELAY: Duration = Duration::from_secs(1);
/// A throttling delay shorter than this is over.
const SHORTEST_THROTTLE: Duration = Duration::from_millis(100);
/// A stored throttling delay is forgotten after this time: rate limits are
/// counted per minute or hour.
const THROTTLE_LIFETIME: Duration = Duration::from_hours(1);
/// A stored delay learned from response times is forgotten after this time.
const LEARNED_LIFETIME: Duration = Duration::from_hours(24);

/// How a request came back, as far as politeness cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseSignal {
    /// An answer like any other.
    Clean,
    /// Nobody answered.
    NoResponse,
    /// The host asked for slower visits, perhaps saying for how long to stay away.
    Throttled(Option<Duration>),
}

/// Whether a host may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostReadiness {
    /// From this moment on.
    From(Duration),
    /// Not before one of the requests in flight comes back.
    WhenSlotFrees,
}

/// The clock of one host.
#[derive(Debug, Clone)]
pub struct HostRateLimiter {
    politeness: PolitenessPolicy,
    next: Duration,
    in_flight: usize,
    limit: usize,
    adaptive_delay: Duration,
    /// What the host's `robots.txt` asks for.
    asked: Duration,
    /// The delay since the host asked for fewer requests.
    throttle: Option<Duration>,
}

/// The delays of a host as an earlier run left them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoredDelays {
    /// The delay learned from response times.
    pub learned: Duration,
    /// The delay since the host asked for fewer requests; zero if it did not.
    pub throttle: Duration,
    /// How long ago they were stored.
    pub age: Duration,
}

impl StoredDelays {
    fn learned(&self) -> Duration {
        if self.age < LEARNED_LIFETIME { self.learned } else { Duration::ZERO }
    }

    fn throttle(&self) -> Option<Duration> {
        let is_valid = self.age < THROTTLE_LIFETIME && !self.throttle.is_zero();
        is_valid.then(|| self.throttle.min(PolitenessPolicy::LONGEST_DELAY))
    }
}

impl HostRateLimiter {
    /// The longest wait a host may ask for. A longer one is cut to this, so that
    /// no host is left unchecked for years because of one response.
    pub const MAX_RETRY_AFTER: Duration = Duration::from_hours(7 * 24);

    /// A clock for a host that accepts requests from `next` on.
    pub fn new(pace: PolitenessPolicy, next: Duration, stored: StoredDelays) -> Self {
        let throttle = stored.throttle();
        Self {
            politeness: pace,
            next,
            in_flight: 0,
            limit: if throttle.is_some() { 1 } else { pace.host_concurrency },
            adaptive_delay: stored.learned(),
            asked: Duration::ZERO,
            throttle,
        }
    }

    /// The host's `robots.txt` asks for this delay between requests. It is
    /// kept whatever our own pace, one request at a time.
    pub fn set_crawl_delay(&mut self, delay: Duration) {
        self.asked = delay;
        self.limit = self.usual_limit();
    }

    /// Whether and from when the host may be asked.
    pub fn readiness(&self) -> HostReadiness {
        if self.in_flight >= self.limit {
            HostReadiness::WhenSlotFrees
        } else {
            HostReadiness::From(self.next)
        }
    }

    /// Requests in flight.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// The moment before which the host must be left alone.
    pub fn next(&self) -> Duration {
        self.next
    }

    /// The delay between requests learned from response times.
    pub fn learned(&self) -> Duration {
        self.adaptive_delay
    }

    /// The delay since the host asked for fewer requests; zero if it did not.
    pub fn throttle(&self) -> Duration {
        self.throttle.unwrap_or_default()
    }

    /// Whether the host has asked for fewer requests lately.
    pub fn is_throttled(&self) -> bool {
        self.throttle.is_some()
    }

    /// A request leaves at `now`.
    pub fn request_started(&mut self, now: Duration) {
        self.in_flight += 1;
        self.rest(now);
    }

    /// A request that left comes back at `now`, having taken `took`.
    pub fn request_finished(&mut self, now: Duration, took: Duration, arrival: ResponseSignal) {
        self.in_flight = self.in_flight.saturating_sub(1);
        match arrival {
            ResponseSignal::Throttled(stay_away) => self.slow_down(now, stay_away),
            ResponseSignal::Clean => self.note_clean(took),
            ResponseSignal::NoResponse => self.learn(took),
        }
    }

    /// The host was asked at `now` by a request that had left before.
    pub fn rest(&mut self, now: Duration) {
        self.next = self.next.max(now + self.delay());
    }

    /// The least time between two requests.
    pub fn delay(&self) -> Duration {
        let learned =
            if self.politeness.is_adaptive { self.adaptive_delay } else { Duration::ZERO };
        self.politeness.interval.max(learned).max(self.throttle()).max(self.asked)
    }

    fn usual_limit(&self) -> usize {
        let is_slow = self.throttle.is_some() || !self.asked.is_zero();
        if is_slow { 1 } else { self.politeness.host_concurrency }
    }

    fn slow_down(&mut self, now: Duration, stay_away: Option<Duration>) {
        let delay = self.throttle.map_or(THROTTLED_DELAY, |delay| delay * 2);
        let delay = delay.clamp(THROTTLED_DELAY, PolitenessPolicy::LONGEST_DELAY);
        self.throttle = Some(delay);
        self.limit = 1;
        let wait = stay_away.unwrap_or(delay).min(Self::MAX_RETRY_AFTER);
        self.next = self.next.max(now + wait);
    }

    fn note_clean(&mut self, took: Duration) {
        self.learn(took);
        let Some(delay) = self.throttle else { return };
        self.throttle = Some(delay / 2).filter(|delay| *delay >= SHORTEST_THROTTLE);
        self.limit = self.usual_limit();
    }

    fn learn(&mut self, took: Duration) {
        let breath = took.saturating_mul(self.politeness.adaptive_percent) / 100;
        let breath = breath.min(PolitenessPolicy::LONGEST_DELAY);
        self.adaptive_delay = (self.adaptive_delay * 3 + breath) / 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn clock(pace: PolitenessPolicy) -> HostRateLimiter {
        HostRateLimiter::new(pace, Duration::ZERO, StoredDelays::default())
    }

    #[test]
    fn requests_leave_at_least_an_interval_apart() {
        let mut clock = clock(PolitenessPolicy::default());
        clock.request_started(10 * MS);
        assert_eq!(clock.readiness(), HostReadiness::From(110 * MS));
    }

    #[test]
    fn no_more_than_the_limit_are_in_flight() {
        let mut clock = clock(PolitenessPolicy::check(2, Duration::ZERO));
        clock.request_started(MS);
        assert_eq!(clock.readiness(), HostReadiness::From(MS));
        clock.request_started(MS);
        assert_eq!(clock.readiness(), HostReadiness::WhenSlotFrees);
        clock.request_finished(2 * MS, MS, ResponseSignal::Clean);
        assert_eq!(clock.readiness(), HostReadiness::From(MS));
    }

    #[test]
    fn a_slow_host_is_asked_more_slowly() {
        let mut clock = clock(PolitenessPolicy::default());
        for n in 1..20 {
            clock.request_started(n * 1_000 * MS);
            clock.request_finished(n * 1_000 * MS, 2_000 * MS, ResponseSignal::Clean);
        }
        clock.request_started(100_000 * MS);
        let HostReadiness::From(next) = clock.readiness() else {
            panic!("nothing else is in flight")
        };
        assert!(next >= 100_900 * MS, "{next:?}");
    }

    #[test]
    fn zero_switches_off_what_was_learned() {
        let mut clock = clock(PolitenessPolicy::check(4, Duration::ZERO));
        clock.request_started(MS);
        clock.request_finished(MS, 9_000 * MS, ResponseSignal::Clean);
        clock.request_started(MS);
        assert_eq!(clock.readiness(), HostReadiness::From(MS));
    }

    #[test]
    fn a_crawl_waits_five_times_as_long_as_an_answer_took() {
        let mut clock = clock(PolitenessPolicy::crawl(
            PolitenessPolicy::CRAWL_CONCURRENCY,
            PolitenessPolicy::CRAWL_INTERVAL,
        ));
        for n in 1..40 {
            clock.request_started(n * 1_000 * MS);
            clock.request_finished(n * 1_000 * MS, 800 * MS, ResponseSignal::Clean);
        }
        assert!((3_990..=4_000).contains(&clock.learned().as_millis()), "{:?}", clock.learned());
    }

    #[test]
    fn a_crawl_delay_is_kept_even_without_politeness() {
        let mut clock = clock(PolitenessPolicy::crawl(64, Duration::ZERO));
        clock.set_crawl_delay(2_000 * MS);
        clock.request_started(MS);
        assert_eq!(clock.readiness(), HostReadiness::WhenSlotFrees);
        clock.request_finished(2 * MS, MS, ResponseSignal::Clean);
        assert_eq!(clock.readiness(), HostReadiness::From(2_001 * MS));
        clock.request_finished(2 * MS, MS, ResponseSignal::Throttled(None));
        for _ in 0..10 {
            clock.request_finished(3 * MS, MS, ResponseSignal::Clean);
        }
        assert!(!clock.is_throttled());
        clock.request_started(9_000 * MS);
        assert_eq!(clock.readiness(), HostReadiness::WhenSlotFrees);
    }

    #[test]
    fn retry_after_is_obeyed_even_without_politeness() {
        let mut clock = clock(PolitenessPolicy::check(256, Duration::ZERO));
        clock.request_started(MS);
        clock.request_finished(MS, MS, ResponseSignal::Throttled(Some(7_000 * MS)));
        assert_eq!(clock.readiness(), HostReadiness::From(7_001 * MS));
        clock.request_started(7_001 * MS);
        assert_eq!(clock.readiness(), HostReadiness::WhenSlotFrees);
    }

    #[test]
    fn repeated_throttling_doubles_the_delay_up_to_a_limit() {
        let mut clock = clock(PolitenessPolicy::default());
        for _ in 0..10 {
            clock.request_started(Duration::ZERO);
            clock.request_finished(Duration::ZERO, MS, ResponseSignal::Throttled(None));
        }
        assert_eq!(clock.throttle(), PolitenessPolicy::LONGEST_DELAY);
    }

    #[test]
    fn each_clean_response_halves_the_throttling_delay() {
        let mut clock = clock(PolitenessPolicy::default());
        clock.request_finished(MS, MS, ResponseSignal::Throttled(None));
        let mut delays = Vec::new();
        while clock.is_throttled() {
            delays.push(clock.throttle().as_millis());
            clock.request_started(MS);
            clock.request_finished(MS, MS, ResponseSignal::Clean);
        }
        assert_eq!(delays, [1_000, 500, 250, 125]);
    }

    #[test]
    fn one_throttled_request_does_not_slow_down_later_runs() {
        let mut stored = StoredDelays::default();
        for run in 1..=3 {
            let mut clock =
                HostRateLimiter::new(PolitenessPolicy::default(), Duration::ZERO, stored);
            let mut now = Duration::ZERO;
            for request in 0..9 {
                if let HostReadiness::From(next) = clock.readiness() {
                    now = now.max(next);
                }
                clock.request_started(now);
                let is_first = run == 1 && request == 0;
                let arrival =
                    if is_first { ResponseSignal::Throttled(None) } else { ResponseSignal::Clean };
                clock.request_finished(now, 2 * MS, arrival);
            }
            assert!(now < 4_000 * MS, "run {run} took {now:?}");
            let (learned, throttle) = (clock.learned(), clock.throttle());
            stored = StoredDelays { learned, throttle, age: MS };
        }
    }

    #[test]
    fn stored_delays_expire_with_age() {
        let stored = |age| StoredDelays { learned: 500 * MS, throttle: 8_000 * MS, age };
        let delay = |age| {
            HostRateLimiter::new(PolitenessPolicy::default(), Duration::ZERO, stored(age)).delay()
        };
        assert_eq!(delay(MS), 8_000 * MS);
        assert_eq!(delay(THROTTLE_LIFETIME), 500 * MS);
        assert_eq!(delay(LEARNED_LIFETIME), PolitenessPolicy::CHECK_INTERVAL);
    }

    #[test]
    fn retry_after_is_limited_to_a_week() {
        let mut clock = clock(PolitenessPolicy::default());
        clock.request_started(MS);
        clock.request_finished(MS, MS, ResponseSignal::Throttled(Some(Duration::MAX)));
        assert_eq!(clock.readiness(), HostReadiness::From(MS + HostRateLimiter::MAX_RETRY_AFTER));
    }
}
