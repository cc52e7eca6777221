//! Decides when the next request to a host may be sent.
//!
//! Never sleeps; callers pass the time, as a duration since the start of the run. The
//! state is stored after a run as a [`HostSchedule`].

use std::net::IpAddr;
use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::{HostRateLimiter, HostReadiness, PolitenessPolicy, ResponseSignal};
use relink_model::{FetchOutcome, Probe, Timings};
use relink_ports::HostSchedule;

use super::schedule::{add_wait, schedule_to_store, stored_delays};

/// Response statuses of a host that limits the request rate.
pub const THROTTLING_STATUSES: [u16; 2] = [429, 503];

/// The properties of a finished request that determine the next one.
#[derive(Debug, Clone, Copy)]
pub struct FinishedRequest<'a> {
    /// The time at which the request was sent.
    pub requested_at: Timestamp,
    /// The time until it ended.
    pub duration: Duration,
    /// The part of it before the request was sent: name lookup, connection, TLS handshake.
    pub connecting: Duration,
    /// The time since it began. If the processor was busy, it began later than
    /// [`HostPacer::request_started`] recorded.
    pub age: Duration,
    /// The outcome.
    pub outcome: &'a FetchOutcome,
    /// The `Retry-After` of the response, in seconds.
    pub retry_after: Option<u64>,
}

impl<'a> FinishedRequest<'a> {
    /// Returns the request of a probe at the time `now`.
    pub fn from_probe(probe: &'a Probe, now: Timestamp) -> Self {
        Self {
            // Negative if the system clock was set back. Then the age is zero.
            age: Duration::try_from(now.duration_since(probe.requested_at)).unwrap_or_default(),
            requested_at: probe.requested_at,
            duration: Duration::from_millis(probe.timings.total.into()),
            connecting: connecting_time(&probe.timings),
            outcome: &probe.outcome,
            retry_after: probe.retry_after,
        }
    }

    /// Converts the outcome to a signal for the rate limiter.
    pub fn signal(&self) -> ResponseSignal {
        match self.outcome {
            FetchOutcome::Response(status) if THROTTLING_STATUSES.contains(status) => {
                ResponseSignal::Throttled(self.retry_after.map(Duration::from_secs))
            }
            // `RobotsDisallowed` is a redirect that was not followed: also a response.
            FetchOutcome::Response(_) | FetchOutcome::RobotsDisallowed => ResponseSignal::Clean,
            _ => ResponseSignal::NoResponse,
        }
    }
}

/// Returns the time before a request was sent on its connection.
pub(super) fn connecting_time(timings: &Timings) -> Duration {
    let Timings { dns, connect, tls, .. } = timings;
    Duration::from_millis(u64::from(*dns) + u64::from(*connect) + u64::from(*tls))
}

/// The pace of one host.
#[derive(Debug)]
pub struct HostPacer {
    limiter: HostRateLimiter,
    /// The end of the host's backoff, if it is longer than this run waits.
    closed_until: Option<Timestamp>,
}

impl HostPacer {
    /// Returns the pacer of a host that accepts requests from `next` on, with the
    /// delays of an earlier run. `now` is the current time.
    pub fn new(
        politeness: PolitenessPolicy,
        next: Duration,
        stored: &HostSchedule,
        now: Timestamp,
    ) -> Self {
        let limiter = HostRateLimiter::new(politeness, next, stored_delays(stored, now));
        Self { limiter, closed_until: None }
    }

    /// Returns when the next request may be sent; `None` if a request in flight
    /// must finish first.
    pub fn ready_at(&self) -> Option<Duration> {
        match self.limiter.readiness() {
            HostReadiness::ReadyAt(next) => Some(next),
            HostReadiness::WhenSlotFrees => None,
        }
    }

    /// Returns the number of requests in flight.
    pub fn in_flight(&self) -> usize {
        self.limiter.in_flight()
    }

    /// Returns the minimum time between two requests.
    pub fn delay(&self) -> Duration {
        self.limiter.delay()
    }

    /// Whether the host has limited the request rate recently.
    pub fn is_throttled(&self) -> bool {
        self.limiter.is_throttled()
    }

    /// Sets the `Crawl-delay` of the host's robots.txt.
    pub fn set_crawl_delay(&mut self, delay: Duration) {
        self.limiter.set_crawl_delay(delay);
    }

    /// Records that a request is sent at `now`.
    pub fn request_started(&mut self, now: Duration) {
        self.limiter.request_started(now);
    }

    /// Records a request that finished at `now`. Returns whether the host requested
    /// a backoff of more than `max_wait`, which closes it.
    pub fn request_finished(
        &mut self,
        now: Duration,
        finished: &FinishedRequest<'_>,
        max_wait: Duration,
    ) -> bool {
        let signal = finished.signal();
        self.limiter.request_finished(now, finished.duration, signal);
        if finished.outcome.reached_server() {
            let began_at = now.saturating_sub(finished.age);
            self.limiter.request_arrived(now.min(began_at + finished.connecting));
        }
        let ResponseSignal::Throttled(Some(wait)) = signal else { return false };
        if wait <= max_wait {
            return false;
        }
        let wait = wait.min(HostRateLimiter::MAX_RETRY_AFTER);
        self.close_until(add_wait(finished.requested_at, finished.duration + wait));
        true
    }

    /// Delays the next request after a request, such as a redirect, that was sent
    /// at `now`.
    pub fn delay_next(&mut self, now: Duration) {
        self.limiter.delay_next(now);
    }

    /// Closes the host until a time that this run does not wait for.
    pub fn close_until(&mut self, until: Timestamp) {
        self.closed_until = Some(until);
    }

    /// Returns the end of the host's backoff, if it is longer than this run waits.
    pub fn closed_until(&self) -> Option<Timestamp> {
        self.closed_until
    }

    /// Returns the schedule to store, at the current time on both clocks.
    pub fn to_schedule(
        &self,
        elapsed: Duration,
        now: Timestamp,
        address: Option<IpAddr>,
    ) -> HostSchedule {
        schedule_to_store(&self.limiter, elapsed, now, address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    /// The pacer of a new host: one request at a time, one second apart.
    fn pacer() -> HostPacer {
        let politeness = PolitenessPolicy::check(1, Duration::from_secs(1));
        let (stored, now) = (HostSchedule::default(), Timestamp::UNIX_EPOCH);
        HostPacer::new(politeness, Duration::ZERO, &stored, now)
    }

    /// A request of one second with status 429 and `Retry-After` in seconds.
    fn throttled(retry_after: u64) -> FinishedRequest<'static> {
        FinishedRequest {
            requested_at: Timestamp::UNIX_EPOCH,
            duration: Duration::from_secs(1),
            connecting: Duration::ZERO,
            age: Duration::from_secs(1),
            outcome: &FetchOutcome::Response(429),
            retry_after: Some(retry_after),
        }
    }

    #[test]
    fn short_retry_after_delays_the_next_request() {
        let mut pacer = pacer();
        pacer.request_started(Duration::ZERO);
        assert_eq!(pacer.ready_at(), None);
        assert!(!pacer.request_finished(Duration::from_secs(1), &throttled(30), MINUTE));
        assert_eq!(pacer.ready_at(), Some(Duration::from_secs(31)));
        assert_eq!(pacer.closed_until(), None);
    }

    #[test]
    fn interval_counts_from_the_end_of_the_connection_setup() {
        let ms = Duration::from_millis;
        // The request was due at 0, began at 50 ms and was sent at 850 ms.
        let (age, connecting, outcome) = (ms(850), ms(800), &FetchOutcome::Response(200));
        let finished = FinishedRequest { connecting, age, outcome, ..throttled(1) };
        let mut pacer = pacer();
        pacer.request_started(Duration::ZERO);
        pacer.request_finished(ms(900), &finished, MINUTE);
        assert_eq!(pacer.ready_at(), Some(ms(1_850)));
    }

    #[test]
    fn age_of_a_request_is_zero_after_the_clock_was_set_back() {
        let mut probe = crate::probe::invalid_url_probe(Timestamp::from_second(100).unwrap());
        probe.timings.connect = 7;
        let age =
            |now| FinishedRequest::from_probe(&probe, Timestamp::from_second(now).unwrap()).age;
        assert_eq!((age(130), age(10)), (Duration::from_secs(30), Duration::ZERO));
    }

    #[test]
    fn long_retry_after_closes_the_host() {
        let mut pacer = pacer();
        pacer.request_started(Duration::ZERO);
        assert!(pacer.request_finished(Duration::from_secs(1), &throttled(3_600), MINUTE));
        assert_eq!(pacer.closed_until(), Some(Timestamp::from_second(3_601).unwrap()));
    }

    #[test]
    fn schedule_contains_the_remaining_wait() {
        let mut pacer = pacer();
        pacer.request_started(Duration::ZERO);
        pacer.request_finished(Duration::ZERO, &throttled(30), MINUTE);
        let now = Timestamp::from_second(1_000).unwrap();
        let schedule = pacer.to_schedule(Duration::from_secs(10), now, None);
        assert_eq!(schedule.next_at, Timestamp::from_second(1_020).unwrap());
        assert_eq!(schedule.throttle_ms, 1_000);
    }

    #[test]
    fn redirect_that_was_not_followed_counts_as_a_response() {
        let request = FinishedRequest { outcome: &FetchOutcome::RobotsDisallowed, ..throttled(1) };
        assert_eq!(request.signal(), ResponseSignal::Clean);
    }
}
