//! When a host may be asked again.
//!
//! Moments are durations since the run began, on a clock that never jumps.
//! The durable part of a host's politeness lives in the store; this is what a
//! worker keeps in memory while it holds the host's lease.

use std::time::Duration;

use crate::Pace;

/// The least delay once a host has asked for slower visits.
const THROTTLED_DELAY: Duration = Duration::from_secs(1);
/// Clean answers in a row after which a throttled host is trusted again.
const CLEAN_ANSWERS: u32 = 10;

/// How a request came back, as far as politeness cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// An answer like any other.
    Clean,
    /// Nobody answered.
    Silent,
    /// The host asked for slower visits, perhaps saying for how long to stay away.
    Throttled(Option<Duration>),
}

/// Whether a host may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// From this moment on.
    From(Duration),
    /// Not before one of the requests in flight comes back.
    WhenOneReturns,
}

/// The clock of one host.
#[derive(Debug, Clone)]
pub struct HostClock {
    pace: Pace,
    next: Duration,
    in_flight: usize,
    limit: usize,
    learnt: Duration,
    /// What the host's `robots.txt` asks for.
    asked: Duration,
    throttled: Option<Throttle>,
}

#[derive(Debug, Clone, Copy)]
struct Throttle {
    delay: Duration,
    clean: u32,
}

impl HostClock {
    /// A clock for a host that may be asked from `next` on, with what was
    /// learnt of it before.
    pub fn new(pace: Pace, next: Duration, learnt: Duration, is_throttled: bool) -> Self {
        let throttle = Throttle { delay: learnt.max(THROTTLED_DELAY), clean: 0 };
        Self {
            pace,
            next,
            in_flight: 0,
            limit: if is_throttled { 1 } else { pace.host_concurrency },
            learnt,
            asked: Duration::ZERO,
            throttled: is_throttled.then_some(throttle),
        }
    }

    /// The host's `robots.txt` asks for this delay between requests. It is
    /// kept whatever our own pace, one request at a time.
    pub fn keep_crawl_delay(&mut self, delay: Duration) {
        self.asked = delay;
        self.limit = self.usual_limit();
    }

    /// Whether and from when the host may be asked.
    pub fn readiness(&self) -> Readiness {
        if self.in_flight >= self.limit {
            Readiness::WhenOneReturns
        } else {
            Readiness::From(self.next)
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

    /// The delay between requests as learnt so far.
    pub fn learnt(&self) -> Duration {
        self.throttled.map_or(self.learnt, |throttle| throttle.delay)
    }

    /// Whether the host has asked for slower visits lately.
    pub fn is_throttled(&self) -> bool {
        self.throttled.is_some()
    }

    /// A request leaves at `now`.
    pub fn depart(&mut self, now: Duration) {
        self.in_flight += 1;
        self.rest(now);
    }

    /// A request that left comes back at `now`, having taken `took`.
    pub fn arrive(&mut self, now: Duration, took: Duration, arrival: Arrival) {
        self.in_flight = self.in_flight.saturating_sub(1);
        match arrival {
            Arrival::Throttled(stay_away) => self.slow_down(now, stay_away),
            Arrival::Clean => self.note_clean(took),
            Arrival::Silent => self.learn(took),
        }
    }

    /// The host was asked at `now` by a request that had left before.
    pub fn rest(&mut self, now: Duration) {
        self.next = self.next.max(now + self.delay());
    }

    /// The least time between two requests.
    pub fn delay(&self) -> Duration {
        let learnt = if self.pace.is_adaptive { self.learnt } else { Duration::ZERO };
        let throttled = self.throttled.map_or(Duration::ZERO, |throttle| throttle.delay);
        self.pace.interval.max(learnt).max(throttled).max(self.asked)
    }

    fn usual_limit(&self) -> usize {
        let is_slow = self.throttled.is_some() || !self.asked.is_zero();
        if is_slow { 1 } else { self.pace.host_concurrency }
    }

    fn slow_down(&mut self, now: Duration, stay_away: Option<Duration>) {
        let delay = self.throttled.map_or(THROTTLED_DELAY, |throttle| throttle.delay * 2);
        let delay = delay.min(Pace::LONGEST_DELAY);
        self.throttled = Some(Throttle { delay, clean: 0 });
        self.limit = 1;
        self.next = self.next.max(now + stay_away.unwrap_or(delay));
    }

    fn note_clean(&mut self, took: Duration) {
        self.learn(took);
        let Some(throttle) = &mut self.throttled else { return };
        throttle.clean += 1;
        if throttle.clean >= CLEAN_ANSWERS {
            self.throttled = None;
            self.limit = self.usual_limit();
        }
    }

    fn learn(&mut self, took: Duration) {
        let breath = took.saturating_mul(self.pace.breath) / 100;
        let breath = breath.min(Pace::LONGEST_DELAY);
        self.learnt = (self.learnt * 3 + breath) / 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn clock(pace: Pace) -> HostClock {
        HostClock::new(pace, Duration::ZERO, Duration::ZERO, false)
    }

    #[test]
    fn requests_leave_at_least_an_interval_apart() {
        let mut clock = clock(Pace::default());
        clock.depart(10 * MS);
        assert_eq!(clock.readiness(), Readiness::From(110 * MS));
    }

    #[test]
    fn no_more_than_the_limit_are_in_flight() {
        let mut clock = clock(Pace::check(2, Duration::ZERO));
        clock.depart(MS);
        assert_eq!(clock.readiness(), Readiness::From(MS));
        clock.depart(MS);
        assert_eq!(clock.readiness(), Readiness::WhenOneReturns);
        clock.arrive(2 * MS, MS, Arrival::Clean);
        assert_eq!(clock.readiness(), Readiness::From(MS));
    }

    #[test]
    fn a_slow_host_is_asked_more_slowly() {
        let mut clock = clock(Pace::default());
        for n in 1..20 {
            clock.depart(n * 1_000 * MS);
            clock.arrive(n * 1_000 * MS, 2_000 * MS, Arrival::Clean);
        }
        clock.depart(100_000 * MS);
        let Readiness::From(next) = clock.readiness() else { panic!("nothing else is in flight") };
        assert!(next >= 100_900 * MS, "{next:?}");
    }

    #[test]
    fn zero_switches_off_what_was_learnt() {
        let mut clock = clock(Pace::check(4, Duration::ZERO));
        clock.depart(MS);
        clock.arrive(MS, 9_000 * MS, Arrival::Clean);
        clock.depart(MS);
        assert_eq!(clock.readiness(), Readiness::From(MS));
    }

    #[test]
    fn a_crawl_waits_five_times_as_long_as_an_answer_took() {
        let mut clock = clock(Pace::crawl(Pace::CRAWL_CONCURRENCY, Pace::CRAWL_INTERVAL));
        for n in 1..40 {
            clock.depart(n * 1_000 * MS);
            clock.arrive(n * 1_000 * MS, 800 * MS, Arrival::Clean);
        }
        assert!((3_990..=4_000).contains(&clock.learnt().as_millis()), "{:?}", clock.learnt());
    }

    #[test]
    fn a_crawl_delay_is_kept_even_without_politeness() {
        let mut clock = clock(Pace::crawl(64, Duration::ZERO));
        clock.keep_crawl_delay(2_000 * MS);
        clock.depart(MS);
        assert_eq!(clock.readiness(), Readiness::WhenOneReturns);
        clock.arrive(2 * MS, MS, Arrival::Clean);
        assert_eq!(clock.readiness(), Readiness::From(2_001 * MS));
        clock.arrive(2 * MS, MS, Arrival::Throttled(None));
        for _ in 0..CLEAN_ANSWERS {
            clock.arrive(3 * MS, MS, Arrival::Clean);
        }
        clock.depart(9_000 * MS);
        assert_eq!(clock.readiness(), Readiness::WhenOneReturns);
    }

    #[test]
    fn retry_after_is_obeyed_even_without_politeness() {
        let mut clock = clock(Pace::check(256, Duration::ZERO));
        clock.depart(MS);
        clock.arrive(MS, MS, Arrival::Throttled(Some(7_000 * MS)));
        assert_eq!(clock.readiness(), Readiness::From(7_001 * MS));
        clock.depart(7_001 * MS);
        assert_eq!(clock.readiness(), Readiness::WhenOneReturns);
    }

    #[test]
    fn repeated_throttling_doubles_the_delay_up_to_a_limit() {
        let mut clock = clock(Pace::default());
        for _ in 0..10 {
            clock.depart(Duration::ZERO);
            clock.arrive(Duration::ZERO, MS, Arrival::Throttled(None));
        }
        assert_eq!(clock.learnt(), Pace::LONGEST_DELAY);
    }

    #[test]
    fn a_host_is_trusted_again_after_clean_answers() {
        let mut clock = clock(Pace::default());
        clock.arrive(MS, MS, Arrival::Throttled(None));
        for _ in 0..CLEAN_ANSWERS {
            clock.depart(MS);
            clock.arrive(MS, MS, Arrival::Clean);
        }
        assert!(!clock.is_throttled());
    }
}
