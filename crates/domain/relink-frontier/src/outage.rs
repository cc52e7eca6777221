//! Detection of hosts that are down.
//!
//! A host that sends only server errors or no response at all is paused. After
//! each pause one request is sent as a probe. If every probe fails, the host is
//! down for the rest of the run. Nothing here sleeps: callers pass the time.

use std::time::Duration;

use jiff::Timestamp;
use relink_model::{FetchOutcome, Probe};
use url::Url;

/// Failed requests in a row after which a host is paused. With the default of
/// two retries these are the attempts of seven pages.
const MAX_FAILURES: u32 = 20;
/// Fewer are enough once they lasted for `LONG_OUTAGE`: a host that answers 503
/// is requested more and more slowly.
const MIN_FAILURES: u32 = 6;
/// See [`MIN_FAILURES`].
const LONG_OUTAGE: Duration = Duration::from_mins(1);
/// Probes, each after a pause, before the host counts as down.
const MAX_PROBES: u32 = 3;
/// Each pause is this many times as long as the one before.
const PAUSE_GROWTH: u32 = 4;

/// What one request says about the host it was sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostSign {
    /// The host works.
    Up,
    /// A server error, or no response.
    Failed,
    /// Neither: the request did not reach the host, for other reasons.
    Neutral,
}

impl HostSign {
    /// Reads a probe. Once a redirect led to another host, the first one works,
    /// whatever the other one does.
    pub fn of(probe: &Probe) -> Self {
        if led_to_another_host(probe) {
            return Self::Up;
        }
        // The redirect may lead to another host, which did not respond.
        let leads_away = probe.hops.last().is_some_and(|hop| hop.location.is_some());
        match probe.outcome {
            FetchOutcome::TimedOut(_)
            | FetchOutcome::ConnectFailed(_)
            | FetchOutcome::ProtocolError(_)
                if leads_away =>
            {
                Self::Neutral
            }
            FetchOutcome::Response(500..=599)
            | FetchOutcome::TimedOut(_)
            | FetchOutcome::ConnectFailed(_)
            | FetchOutcome::ProtocolError(_) => Self::Failed,
            FetchOutcome::DnsFailed(_) | FetchOutcome::Tls(_) | FetchOutcome::PrivateAddress(_) => {
                Self::Neutral
            }
            _ => Self::Up,
        }
    }
}

fn led_to_another_host(probe: &Probe) -> bool {
    let host = |url: &str| Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    // Most probes have one hop, and its URL need not be parsed.
    let Some((first, others)) = probe.hops.split_first() else { return false };
    !others.is_empty() && {
        let first = host(&first.url);
        others.iter().any(|hop| host(&hop.url) != first)
    }
}

/// When a host may be sent the next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admittance {
    /// As its rate limit allows.
    Open,
    /// Not before this time, and only if no other request is in flight.
    ProbeFrom(Duration),
    /// Not in this run.
    Down,
}

/// The failed requests of a host since its last success.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outage {
    failures: u32,
    /// When the first of them was sent, and how the last of them ended.
    since: Option<Timestamp>,
    last: Option<FetchOutcome>,
    /// When the first of them ended, as time since the run began.
    began: Option<Duration>,
    state: State,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Open,
    /// Until this time; so many probes have failed.
    Paused {
        until: Duration,
        failed: u32,
    },
    /// A probe is in flight; so many have failed before it.
    Probing {
        failed: u32,
    },
    Down,
}

impl Outage {
    /// Notes the result of a request at `now`, the time since the run began.
    pub fn note(&mut self, sign: HostSign, probe: &Probe, now: Duration, first_pause: Duration) {
        match sign {
            // Requests that were in flight may still fail or succeed.
            _ if self.is_down() => {}
            HostSign::Up => *self = Self::default(),
            HostSign::Failed => {
                self.failures = self.failures.saturating_add(1);
                self.since.get_or_insert(probe.requested_at);
                self.last = Some(probe.outcome.clone());
                self.began.get_or_insert(now);
                self.advance(now, first_pause);
            }
            HostSign::Neutral => {
                if matches!(self.state, State::Probing { .. }) {
                    self.advance(now, first_pause);
                }
            }
        }
    }

    fn advance(&mut self, now: Duration, first_pause: Duration) {
        let paused = |failed: u32| State::Paused {
            until: now + first_pause.saturating_mul(PAUSE_GROWTH.saturating_pow(failed)),
            failed,
        };
        self.state = match self.state {
            State::Open if self.seems_down(now) => paused(0),
            State::Probing { failed } if failed + 1 >= MAX_PROBES => State::Down,
            State::Probing { failed } => paused(failed + 1),
            state => state,
        };
    }

    fn seems_down(&self, now: Duration) -> bool {
        let lasted = self.began.map_or(Duration::ZERO, |began| now.saturating_sub(began));
        self.failures >= MAX_FAILURES || self.failures >= MIN_FAILURES && lasted >= LONG_OUTAGE
    }

    /// Notes that a request is sent: after a pause it is a probe.
    pub fn request_started(&mut self) {
        if let State::Paused { failed, .. } = self.state {
            self.state = State::Probing { failed };
        }
    }

    /// When the next request may be sent; `None` means not before a request in
    /// flight has ended.
    pub fn admittance(&self, in_flight: usize) -> Option<Admittance> {
        match self.state {
            State::Open => Some(Admittance::Open),
            State::Down => Some(Admittance::Down),
            State::Paused { until, .. } if in_flight == 0 => Some(Admittance::ProbeFrom(until)),
            // The probe came to nothing and left no result.
            State::Probing { .. } if in_flight == 0 => Some(Admittance::ProbeFrom(Duration::ZERO)),
            State::Paused { .. } | State::Probing { .. } => None,
        }
    }

    /// Whether the next request is a probe.
    pub fn is_paused(&self) -> bool {
        matches!(self.state, State::Paused { .. })
    }

    /// Whether the host counts as down for the rest of the run.
    pub fn is_down(&self) -> bool {
        self.state == State::Down
    }

    /// Whether any request failed since the last success.
    pub fn has_failures(&self) -> bool {
        self.failures > 0
    }

    /// Since when the host has only failed, and how the last request ended.
    pub fn facts(&self) -> Option<(Timestamp, &FetchOutcome)> {
        Some((self.since?, self.last.as_ref()?))
    }

    /// Whether the last failed request got no response from a server.
    pub fn is_silent(&self) -> bool {
        self.last.as_ref().is_some_and(|ending| !matches!(ending, FetchOutcome::Response(_)))
    }
}

#[cfg(test)]
mod tests {
    use relink_model::{ConnectError, DnsError, Hop, Phase, Timings};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn probe(ending: FetchOutcome, hops: &[(&str, u16, Option<&str>)]) -> Probe {
        let hop = |(url, status, location): &(&str, u16, Option<&str>)| Hop {
            url: (*url).to_owned(),
            status: *status,
            location: location.map(str::to_owned),
            ip: None,
        };
        Probe {
            requested_at: Timestamp::UNIX_EPOCH,
            hops: hops.iter().map(hop).collect(),
            outcome: ending,
            timings: Timings::default(),
            retry_after: None,
            digest: None,
        }
    }

    fn answered(status: u16) -> Probe {
        probe(FetchOutcome::Response(status), &[("http://a.test/x", status, None)])
    }

    /// Sends a request whenever that is allowed; returns when each was sent
    /// until the host counts as down, or after so many requests.
    fn sent(mut respond: impl FnMut(usize) -> Probe, most: usize) -> (Vec<Duration>, Outage) {
        let (mut outage, mut now, mut sent) = (Outage::default(), Duration::ZERO, Vec::new());
        while sent.len() < most {
            match outage.admittance(0) {
                Some(Admittance::Open) => {}
                Some(Admittance::ProbeFrom(at)) => now = now.max(at),
                Some(Admittance::Down) | None => break,
            }
            outage.request_started();
            sent.push(now);
            let probe = respond(sent.len());
            outage.note(HostSign::of(&probe), &probe, now, SECOND);
        }
        (sent, outage)
    }

    #[test]
    fn host_with_only_server_errors_is_paused_probed_and_given_up() {
        let (sent, outage) = sent(|_| answered(502), 1_000);
        let limit = (MAX_FAILURES + MAX_PROBES) as usize;
        assert_eq!(sent.len(), limit);
        let at = |request: usize| sent[request].as_secs();
        assert_eq!([at(limit - 4), at(limit - 3), at(limit - 2), at(limit - 1)], [0, 1, 5, 21]);
        assert!(outage.is_down() && !outage.is_silent());
        assert_eq!(outage.facts().unwrap().1, &FetchOutcome::Response(502));
    }

    #[test]
    fn host_that_recovers_during_a_pause_is_used_as_before() {
        let (sent, outage) = sent(|n| answered(if n == 22 { 404 } else { 500 }), 30);
        assert_eq!(sent.len(), 30);
        assert!(!outage.is_down() && !outage.is_paused());
    }

    #[test]
    fn host_with_some_successes_is_never_paused() {
        let (sent, outage) = sent(|n| answered(if n % 19 == 0 { 200 } else { 503 }), 500);
        assert_eq!((sent.len(), sent[499]), (500, Duration::ZERO));
        assert!(!outage.is_down());
    }

    #[test]
    fn host_with_slow_errors_is_paused_after_a_minute() {
        let mut outage = Outage::default();
        for n in 0..MIN_FAILURES {
            assert!(!outage.is_paused());
            outage.note(HostSign::Failed, &answered(503), SECOND * 12 * n, SECOND);
        }
        assert!(outage.is_paused());
    }

    #[test]
    fn probe_waits_until_nothing_is_in_flight() {
        let (_, outage) = sent(|_| answered(500), MAX_FAILURES as usize);
        assert!(outage.is_paused());
        assert_eq!(outage.admittance(3), None);
        assert_eq!(outage.admittance(0), Some(Admittance::ProbeFrom(SECOND)));
    }

    #[test]
    fn failures_in_flight_during_a_pause_are_not_probes() {
        let (_, mut outage) = sent(|_| answered(500), MAX_FAILURES as usize);
        for _ in 0..64 {
            outage.note(HostSign::Failed, &answered(500), SECOND, SECOND);
        }
        assert!(outage.is_paused() && !outage.is_down());
    }

    #[track_caller]
    fn check(probe: &Probe, expect: HostSign) {
        assert_eq!(HostSign::of(probe), expect, "{probe:?}");
    }

    #[test]
    fn sign_of_a_probe_is_about_the_host_that_was_named() {
        let refused = || FetchOutcome::ConnectFailed(ConnectError::Refused);
        check(&answered(200), HostSign::Up);
        check(&answered(404), HostSign::Up);
        check(&answered(599), HostSign::Failed);
        check(&probe(refused(), &[]), HostSign::Failed);
        check(&probe(FetchOutcome::TimedOut(Phase::Headers), &[]), HostSign::Failed);
        check(&probe(FetchOutcome::DnsFailed(DnsError::NoSuchName), &[]), HostSign::Neutral);
        let away = [("http://a.test/", 301, Some("http://b.test/")), ("http://b.test/", 502, None)];
        check(&probe(FetchOutcome::Response(502), &away), HostSign::Up);
        check(&probe(refused(), &away[..1]), HostSign::Neutral);
        let home =
            [("http://a.test/", 301, Some("https://a.test/")), ("https://a.test/", 502, None)];
        check(&probe(FetchOutcome::Response(502), &home), HostSign::Failed);
    }
}
