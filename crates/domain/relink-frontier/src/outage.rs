//! Detects hosts that are down.
//!
//! A host that sends only server errors or no responses is paused. After each pause,
//! one request is sent as a test. If all tests fail, the host is down for the rest of
//! the run. Nothing here sleeps: callers pass the time.

use std::time::Duration;

use jiff::Timestamp;
use relink_model::{FetchOutcome, Probe};
use url::Url;

/// Number of consecutive failed requests after which a host is paused. With two
/// retries, these are the attempts of seven pages.
const MAX_FAILURES: u32 = 20;
/// Number of consecutive failed requests after which a host is paused if the failures are
/// spread over [`LONG_OUTAGE`]. A throttled host gets too few requests to reach
/// [`MAX_FAILURES`] soon.
const MIN_FAILURES: u32 = 6;
/// Time over which [`MIN_FAILURES`] failures pause a host.
const LONG_OUTAGE: Duration = Duration::from_mins(1);
/// Number of failed tests, each after a pause, after which the host is down.
const MAX_TESTS: u32 = 3;
/// Factor by which each pause is longer than the previous pause.
const PAUSE_GROWTH: u32 = 4;

/// The availability of a host according to one probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostSignal {
    /// The host works.
    Up,
    /// A server error, or no response.
    Failed,
    /// The probe does not show whether the host works, for example after a failed DNS lookup.
    Neutral,
}

impl HostSignal {
    /// Classifies a probe. A redirect to another host means that the first host works,
    /// regardless of the other host.
    pub fn from_probe(probe: &Probe) -> Self {
        if was_redirected_to_other_host(probe) {
            return Self::Up;
        }
        // The URL of the last redirect may be on another host. Then that host did not respond.
        let ends_with_redirect = probe.hops.last().is_some_and(|hop| hop.location.is_some());
        match probe.outcome {
            FetchOutcome::TimedOut(_)
            | FetchOutcome::ConnectFailed(_)
            | FetchOutcome::ProtocolError(_)
                if ends_with_redirect =>
            {
                Self::Neutral
            }
            FetchOutcome::Response(500..=599)
            | FetchOutcome::TimedOut(_)
            | FetchOutcome::ConnectFailed(_)
            | FetchOutcome::ProtocolError(_) => Self::Failed,
            FetchOutcome::DnsFailed(_)
            | FetchOutcome::TlsFailed(_)
            | FetchOutcome::PrivateAddress(_) => Self::Neutral,
            _ => Self::Up,
        }
    }
}

/// Whether a redirect of the probe led to another host.
fn was_redirected_to_other_host(probe: &Probe) -> bool {
    let host = |url: &str| Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    // Most probes have one hop. Return before its URL is parsed.
    let Some((first, others)) = probe.hops.split_first() else { return false };
    if others.is_empty() {
        return false;
    }
    let first_host = host(&first.url);
    others.iter().any(|hop| host(&hop.url) != first_host)
}

/// Time and condition of the next request to a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostAvailability {
    /// As soon as the rate limiter allows it.
    Open,
    /// From this time on, and only if no other request is in flight.
    TestFrom(Duration),
    /// Not in this run.
    Down,
}

/// The failed requests of a host since its last success.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outage {
    failures: u32,
    /// Time at which the first failed request was sent.
    first_failed_at: Option<Timestamp>,
    /// The outcome of the last failed request.
    last_outcome: Option<FetchOutcome>,
    /// Time from the start of the run to the end of the first failed request.
    first_finished: Option<Duration>,
    state: State,
}

/// The phase of an outage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Open,
    /// No request before `until`. `failed` tests have failed so far.
    Paused {
        until: Duration,
        failed: u32,
    },
    /// A test request is in flight. `failed` tests have failed before.
    Testing {
        failed: u32,
    },
    Down,
}

impl Outage {
    /// Records the result of a request at `now`, the time since the start of the run. The
    /// first pause of the host lasts `first_pause`.
    pub fn record(
        &mut self,
        signal: HostSignal,
        probe: &Probe,
        now: Duration,
        first_pause: Duration,
    ) {
        match signal {
            // A host that is down stays down, even if a request in flight still succeeds.
            _ if self.is_down() => {}
            HostSignal::Up => *self = Self::default(),
            HostSignal::Failed => {
                self.failures = self.failures.saturating_add(1);
                self.first_failed_at.get_or_insert(probe.requested_at);
                self.last_outcome = Some(probe.outcome.clone());
                self.first_finished.get_or_insert(now);
                self.advance(now, first_pause);
            }
            // A test that proves nothing counts as failed, so that the tests end.
            HostSignal::Neutral => {
                if matches!(self.state, State::Testing { .. }) {
                    self.advance(now, first_pause);
                }
            }
        }
    }

    /// Moves to the next state after a request without success.
    fn advance(&mut self, now: Duration, first_pause: Duration) {
        let paused = |failed: u32| State::Paused {
            until: now + first_pause.saturating_mul(PAUSE_GROWTH.saturating_pow(failed)),
            failed,
        };
        self.state = match self.state {
            State::Open if self.seems_down(now) => paused(0),
            State::Testing { failed } if failed + 1 >= MAX_TESTS => State::Down,
            State::Testing { failed } => paused(failed + 1),
            state => state,
        };
    }

    /// Whether enough requests have failed to pause the host.
    fn seems_down(&self, now: Duration) -> bool {
        let failing_for =
            self.first_finished.map_or(Duration::ZERO, |first| now.saturating_sub(first));
        self.failures >= MAX_FAILURES || self.failures >= MIN_FAILURES && failing_for >= LONG_OUTAGE
    }

    /// Records that a request is sent. After a pause, it is a test.
    pub fn request_started(&mut self) {
        if let State::Paused { failed, .. } = self.state {
            self.state = State::Testing { failed };
        }
    }

    /// Returns when the next request may be sent, or `None` until a request in flight has
    /// finished.
    pub fn availability(&self, in_flight: usize) -> Option<HostAvailability> {
        match self.state {
            State::Open => Some(HostAvailability::Open),
            State::Down => Some(HostAvailability::Down),
            State::Paused { until, .. } if in_flight == 0 => {
                Some(HostAvailability::TestFrom(until))
            }
            // The test was canceled without a result. It may be repeated at once.
            State::Testing { .. } if in_flight == 0 => {
                Some(HostAvailability::TestFrom(Duration::ZERO))
            }
            State::Paused { .. } | State::Testing { .. } => None,
        }
    }

    /// Whether the next request is a test.
    pub fn is_paused(&self) -> bool {
        matches!(self.state, State::Paused { .. })
    }

    /// Whether the host is down for the rest of the run.
    pub fn is_down(&self) -> bool {
        self.state == State::Down
    }

    /// Whether a request has failed since the last success.
    pub fn has_failures(&self) -> bool {
        self.failures > 0
    }

    /// Returns when the first failed request was sent, and the outcome of the last failed request.
    pub fn last_failure(&self) -> Option<(Timestamp, &FetchOutcome)> {
        Some((self.first_failed_at?, self.last_outcome.as_ref()?))
    }

    /// Whether the last failed request got no response.
    pub fn has_no_response(&self) -> bool {
        self.last_outcome
            .as_ref()
            .is_some_and(|outcome| !matches!(outcome, FetchOutcome::Response(_)))
    }
}

#[cfg(test)]
mod tests {
    use relink_model::{ConnectError, DnsError, Hop, Phase, Timings};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Returns a probe. Each hop is a URL, its status and its `Location`.
    fn probe(outcome: FetchOutcome, hops: &[(&str, u16, Option<&str>)]) -> Probe {
        let hop = |(url, status, location): &(&str, u16, Option<&str>)| Hop {
            url: (*url).to_owned(),
            status: *status,
            location: location.map(str::to_owned),
            ip: None,
        };
        Probe {
            requested_at: Timestamp::UNIX_EPOCH,
            hops: hops.iter().map(hop).collect(),
            outcome,
            timings: Timings::default(),
            retry_after: None,
            digest: None,
            version: None,
        }
    }

    fn response(status: u16) -> Probe {
        probe(FetchOutcome::Response(status), &[("http://a.test/x", status, None)])
    }

    /// Sends requests as soon as they are allowed, until the host is down or `max` requests were
    /// sent. `respond` returns the probe of each request by its number, from 1.
    /// Returns the time of each request.
    fn send_until_down(
        mut respond: impl FnMut(usize) -> Probe,
        max: usize,
    ) -> (Vec<Duration>, Outage) {
        let mut outage = Outage::default();
        let mut now = Duration::ZERO;
        let mut sent = Vec::new();
        while sent.len() < max {
            match outage.availability(0) {
                Some(HostAvailability::Open) => {}
                Some(HostAvailability::TestFrom(at)) => now = now.max(at),
                Some(HostAvailability::Down) | None => break,
            }
            outage.request_started();
            sent.push(now);
            let probe = respond(sent.len());
            outage.record(HostSignal::from_probe(&probe), &probe, now, SECOND);
        }
        (sent, outage)
    }

    #[test]
    fn host_with_only_server_errors_is_paused_tested_and_down() {
        let (sent, outage) = send_until_down(|_| response(502), 1_000);
        let limit = (MAX_FAILURES + MAX_TESTS) as usize;
        assert_eq!(sent.len(), limit);
        // The last request before the first pause, and the three tests.
        let seconds: Vec<u64> = sent[limit - 4..].iter().map(Duration::as_secs).collect();
        assert_eq!(seconds, [0, 1, 5, 21]);
        assert!(outage.is_down() && !outage.has_no_response());
        assert_eq!(outage.last_failure().unwrap().1, &FetchOutcome::Response(502));
    }

    #[test]
    fn host_that_recovers_during_a_pause_is_open() {
        // Request 22 is the second test, after the second pause.
        let (sent, outage) = send_until_down(|n| response(if n == 22 { 404 } else { 500 }), 30);
        assert_eq!(sent.len(), 30);
        assert!(!outage.is_down() && !outage.is_paused());
    }

    #[test]
    fn host_with_some_successes_is_never_paused() {
        // One success in 19 requests prevents 20 consecutive failures.
        let respond = |n| response(if n % 19 == 0 { 200 } else { 503 });
        let (sent, outage) = send_until_down(respond, 500);
        assert_eq!((sent.len(), sent[499]), (500, Duration::ZERO));
        assert!(!outage.is_down());
    }

    #[test]
    fn host_with_slow_errors_is_paused_after_a_minute() {
        let mut outage = Outage::default();
        for number in 0..MIN_FAILURES {
            assert!(!outage.is_paused());
            outage.record(HostSignal::Failed, &response(503), SECOND * 12 * number, SECOND);
        }
        assert!(outage.is_paused());
    }

    #[test]
    fn test_request_waits_until_nothing_is_in_flight() {
        let (_, outage) = send_until_down(|_| response(500), MAX_FAILURES as usize);
        assert!(outage.is_paused());
        assert_eq!(outage.availability(3), None);
        assert_eq!(outage.availability(0), Some(HostAvailability::TestFrom(SECOND)));
    }

    #[test]
    fn failures_in_flight_during_a_pause_are_not_tests() {
        let (_, mut outage) = send_until_down(|_| response(500), MAX_FAILURES as usize);
        for _ in 0..64 {
            outage.record(HostSignal::Failed, &response(500), SECOND, SECOND);
        }
        assert!(outage.is_paused() && !outage.is_down());
    }

    /// Asserts what a probe says about the first host of its redirect chain.
    #[track_caller]
    fn check(probe: &Probe, expect: HostSignal) {
        assert_eq!(HostSignal::from_probe(probe), expect, "{probe:?}");
    }

    #[test]
    fn signal_of_a_probe_is_about_the_first_host() {
        let refused = || FetchOutcome::ConnectFailed(ConnectError::Refused);
        check(&response(200), HostSignal::Up);
        check(&response(404), HostSignal::Up);
        check(&response(599), HostSignal::Failed);
        check(&probe(refused(), &[]), HostSignal::Failed);
        check(&probe(FetchOutcome::TimedOut(Phase::Headers), &[]), HostSignal::Failed);
        check(&probe(FetchOutcome::DnsFailed(DnsError::NoSuchName), &[]), HostSignal::Neutral);
        let to_other_host =
            [("http://a.test/", 301, Some("http://b.test/")), ("http://b.test/", 502, None)];
        check(&probe(FetchOutcome::Response(502), &to_other_host), HostSignal::Up);
        check(&probe(refused(), &to_other_host[..1]), HostSignal::Neutral);
        let to_same_host =
            [("http://a.test/", 301, Some("https://a.test/")), ("https://a.test/", 502, None)];
        check(&probe(FetchOutcome::Response(502), &to_same_host), HostSignal::Failed);
    }
}
