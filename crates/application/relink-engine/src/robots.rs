//! Fetching `robots.txt`, for crawls and for every other command that obeys it.
//!
//! A file is requested once per origin. A reset, a time-out or a server error
//! is retried with backoff: one of them must not close a site. What follows
//! when no attempt succeeds is decided here, once for all commands.

use std::time::Duration;

use relink_frontier::{PolitenessPolicy, RobotsPolicy, RobotsTxt, backoff};
use relink_model::{Attempt, DnsError, FetchOutcome, FetchPurpose, Probe, RequestRights};
use relink_ports::{Body, RequestOptions, StoredRobots, UserAgent};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::isolation::isolate;
use crate::probe::ProbeRequest;

/// The product token that rules in `robots.txt` are matched with.
pub(crate) const AGENT: &str = "relink";

/// The status of a file that does not exist.
const NO_FILE: u16 = 404;

/// Requests for one file, at most.
const MAX_ATTEMPTS: usize = 3;

/// Lookups of a name that does not exist: hard evidence counts when it is seen
/// twice.
const MAX_LOOKUPS: usize = 2;

/// The wait before a retry where the user switched waiting off.
const MIN_RETRY_WAIT: Duration = Duration::from_millis(50);

/// The attempts to fetch one file.
#[derive(Debug)]
pub(crate) struct RobotsAttempts {
    origin: String,
    interval: Duration,
    max_host_wait: Duration,
    attempts: Vec<Attempt>,
}

impl RobotsAttempts {
    /// No attempt yet. `patience` is the longest wait that a host may ask for.
    pub(crate) fn new(origin: String, pace: &PolitenessPolicy, patience: Duration) -> Self {
        Self { origin, interval: pace.interval, max_host_wait: patience, attempts: Vec::new() }
    }

    /// The URL of the file; nothing if the origin has none.
    pub(crate) fn url(&self) -> Option<Url> {
        Url::parse(&format!("{}/robots.txt", self.origin)).ok()
    }

    /// The request for the file.
    pub(crate) fn request(url: &Url, rights: RequestRights) -> ProbeRequest<'_> {
        let terms = RequestOptions {
            max_body_bytes: Some(RobotsTxt::LONGEST_FILE),
            ..RequestOptions::default()
        };
        ProbeRequest { options: terms, ..ProbeRequest::new(url, rights, UserAgent::Plain) }
    }

    /// Notes an attempt. Returns the wait before the next one, or nothing if
    /// this was the last.
    pub(crate) fn note(&mut self, probe: &Probe) -> Option<Duration> {
        let is_unknown_name = is_unknown_name(&probe.outcome);
        let purpose = match (self.attempts.is_empty(), is_unknown_name) {
            (true, _) => FetchPurpose::Initial,
            (false, true) => FetchPurpose::Confirmation,
            (false, false) => FetchPurpose::Retry,
        };
        self.attempts.push(Attempt {
            requested_at: probe.requested_at,
            purpose,
            outcome: probe.outcome.clone(),
            duration_ms: probe.timings.total,
        });
        let limit = if is_unknown_name { MAX_LOOKUPS } else { MAX_ATTEMPTS };
        if !is_transient(&probe.outcome) || self.attempts.len() >= limit {
            return None;
        }
        let asked_for = Duration::from_secs(probe.retry_after.unwrap_or(0));
        (asked_for <= self.max_host_wait).then(|| self.retry_wait().max(asked_for))
    }

    fn retry_wait(&self) -> Duration {
        if self.interval.is_zero() {
            return MIN_RETRY_WAIT;
        }
        let attempt = u32::try_from(self.attempts.len()).unwrap_or(u32::MAX);
        backoff(attempt, xxh3_64(self.origin.as_bytes())).max(self.interval)
    }

    /// The result of the last attempt.
    pub(crate) fn finish(self, probe: Probe, body: Option<Body>) -> RobotsResult {
        let Some(status) = status(&probe) else {
            return RobotsResult::Failed(RobotsFailure { probe, attempts: self.attempts });
        };
        let text = body.map(|body| body.bytes).unwrap_or_default();
        let text = text.get(..RobotsTxt::LONGEST_FILE).unwrap_or(&text).to_vec();
        let kept = StoredRobots {
            origin: self.origin,
            requested_at: probe.requested_at,
            status: Some(status),
            text,
        };
        let rules = parse(status, &kept);
        if rules.is_unreachable {
            return RobotsResult::Failed(RobotsFailure { probe, attempts: self.attempts });
        }
        let kept = probe.outcome.reached_server().then_some(kept);
        RobotsResult::Rules { rules, kept, attempts: self.attempts.len() }
    }
}

/// The status that decides, if there is one. More redirects than the rule
/// allows lead to no file, and neither does one to a private address.
fn status(probe: &Probe) -> Option<u16> {
    let is_far = probe.hops.len() > RobotsPolicy::MOST_REDIRECTS + 1;
    match probe.outcome {
        _ if is_far => Some(NO_FILE),
        FetchOutcome::Response(status) => Some(status),
        // Requests for pages of a host that may not be reached end so, too.
        FetchOutcome::TooManyRedirects
        | FetchOutcome::RedirectLoop
        | FetchOutcome::InvalidRedirect(_)
        | FetchOutcome::PrivateAddress(_) => Some(NO_FILE),
        _ => None,
    }
}

fn is_unknown_name(ending: &FetchOutcome) -> bool {
    matches!(ending, FetchOutcome::DnsFailed(DnsError::NoSuchName | DnsError::NoRecords))
}

fn is_transient(ending: &FetchOutcome) -> bool {
    match ending {
        FetchOutcome::Response(status) => matches!(status, 429 | 500..),
        FetchOutcome::TooManyRedirects
        | FetchOutcome::RedirectLoop
        | FetchOutcome::InvalidRedirect(_)
        | FetchOutcome::PrivateAddress(_) => false,
        _ => true,
    }
}

/// What the attempts to fetch a file led to.
#[derive(Debug)]
pub(crate) enum RobotsResult {
    /// These rules hold.
    Rules {
        /// The rules.
        rules: RobotsPolicy,
        /// The file as it is stored; nothing if the host said nothing because
        /// it may not be reached with the rights of this request.
        kept: Option<StoredRobots>,
        /// How many attempts it took.
        attempts: usize,
    },
    /// The file could not be fetched, so nothing may be crawled (RFC 9309,
    /// section 2.3.1.4).
    Failed(RobotsFailure),
}

impl RobotsResult {
    /// How many attempts it took.
    pub(crate) fn attempts(&self) -> usize {
        match self {
            Self::Rules { attempts, .. } => *attempts,
            Self::Failed(failure) => failure.attempts.len(),
        }
    }
}

/// Why a file could not be fetched.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RobotsFailure {
    /// The last attempt.
    pub(crate) probe: Probe,
    /// All attempts.
    pub(crate) attempts: Vec<Attempt>,
}

impl RobotsFailure {
    /// The reason, as people read it.
    pub(crate) fn reason(&self) -> String {
        format!("robots.txt could not be fetched: {}", self.probe.outcome)
    }

    /// Whether the failure says how a link to this host ends, so that the link
    /// is judged by it and not called blocked.
    ///
    /// A host that cannot be reached at all is down, whatever its rules would
    /// say. One that accepts connections and breaks them off is closed to
    /// crawling; a link to it that would only be checked fails in the same way.
    /// A server error says nothing about the pages.
    pub(crate) fn decides_link(&self, is_crawled: bool) -> bool {
        let ending = &self.probe.outcome;
        let is_answered = !self.probe.hops.is_empty() || ending.status().is_some();
        let is_down = !ending.reached_server() || matches!(ending, FetchOutcome::Tls(_));
        !is_answered && (is_down || !is_crawled)
    }
}

/// The origin whose `robots.txt` holds for a URL.
pub(crate) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Rules from the store. A failure of an earlier run is not reused: the file is
/// requested again.
pub(crate) fn stored_rules(kept: &StoredRobots) -> Option<RobotsPolicy> {
    let rules = parse(kept.status?, kept);
    (!rules.is_unreachable).then_some(rules)
}

/// The rules of a file. One that cannot be parsed because of an internal error
/// allows nothing.
fn parse(status: u16, kept: &StoredRobots) -> RobotsPolicy {
    let rules = || RobotsPolicy::of_status(status, &kept.text, kept.requested_at);
    isolate(&kept.origin, rules).unwrap_or_else(|_| RobotsPolicy::unreachable(kept.requested_at))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::{ConnectError, Hop, Phase, ProtocolError, Timings, TlsError};

    use super::*;

    fn probe(ending: FetchOutcome) -> Probe {
        let status = ending.status();
        let url = "http://a.test/robots.txt".to_owned();
        let hop = |status| Hop { url: url.clone(), status, location: None, ip: None };
        Probe {
            requested_at: Timestamp::UNIX_EPOCH,
            hops: status.map(hop).into_iter().collect(),
            outcome: ending,
            timings: Timings::default(),
            retry_after: None,
            digest: None,
        }
    }

    fn attempts(interval: Duration) -> RobotsAttempts {
        let pace = PolitenessPolicy::crawl(1, interval);
        RobotsAttempts::new("http://a.test".to_owned(), &pace, Duration::from_mins(2))
    }

    /// The waits between attempts that all end so.
    fn waits(ending: &FetchOutcome, retry_after: Option<u64>) -> Vec<Duration> {
        let mut attempts = attempts(Duration::from_secs(1));
        let probe = Probe { retry_after, ..probe(ending.clone()) };
        std::iter::from_fn(|| attempts.note(&probe)).collect()
    }

    #[test]
    fn attempts_retry_transient_failures_at_least_an_interval_apart() {
        for ending in [
            FetchOutcome::Response(503),
            FetchOutcome::Response(429),
            FetchOutcome::ConnectFailed(ConnectError::Refused),
            FetchOutcome::ProtocolError(ProtocolError::Reset),
            FetchOutcome::TimedOut(Phase::Headers),
        ] {
            let waits = waits(&ending, None);
            assert_eq!(waits.len(), MAX_ATTEMPTS - 1, "{ending}");
            assert!(waits.iter().all(|wait| *wait >= Duration::from_secs(1)), "{waits:?}");
        }
        for ending in
            [FetchOutcome::Response(200), FetchOutcome::Response(404), FetchOutcome::RedirectLoop]
        {
            assert_eq!(waits(&ending, None), [], "{ending}");
        }
        assert_eq!(waits(&FetchOutcome::DnsFailed(DnsError::NoSuchName), None).len(), 1);
    }

    #[test]
    fn attempts_wait_as_long_as_the_host_asks_up_to_the_limit() {
        let minute = Duration::from_mins(1);
        assert_eq!(waits(&FetchOutcome::Response(503), Some(60)), [minute; 2]);
        assert_eq!(waits(&FetchOutcome::Response(503), Some(3600)), []);
    }

    #[test]
    fn attempts_do_not_wait_for_seconds_where_waiting_is_off() {
        let mut attempts = attempts(Duration::ZERO);
        assert_eq!(attempts.note(&probe(FetchOutcome::Response(503))), Some(MIN_RETRY_WAIT));
    }

    #[track_caller]
    fn check(ending: &FetchOutcome, crawled: bool, checked: bool) {
        let failure = RobotsFailure { probe: probe(ending.clone()), attempts: Vec::new() };
        let decides = (failure.decides_link(true), failure.decides_link(false));
        assert_eq!(decides, (crawled, checked), "{ending}");
    }

    #[test]
    fn failure_decides_links_of_hosts_that_are_down() {
        check(&FetchOutcome::ConnectFailed(ConnectError::Refused), true, true);
        check(&FetchOutcome::DnsFailed(DnsError::NoSuchName), true, true);
        check(&FetchOutcome::TimedOut(Phase::Connect), true, true);
        check(&FetchOutcome::Tls(TlsError::Expired), true, true);
    }

    #[test]
    fn failure_of_a_connection_closes_a_host_to_crawling_only() {
        check(&FetchOutcome::ProtocolError(ProtocolError::Reset), false, true);
        check(&FetchOutcome::TimedOut(Phase::Headers), false, true);
    }

    #[test]
    fn failure_with_a_server_error_decides_no_link() {
        check(&FetchOutcome::Response(503), false, false);
        check(&FetchOutcome::Response(429), false, false);
    }

    #[test]
    fn finish_with_a_status_follows_rfc_9309() {
        for (ending, allows) in [
            (FetchOutcome::Response(404), Some(true)),
            (FetchOutcome::Response(403), Some(true)),
            (FetchOutcome::TooManyRedirects, Some(true)),
            (FetchOutcome::Response(500), None),
            (FetchOutcome::ConnectFailed(ConnectError::Refused), None),
        ] {
            let mut attempts = attempts(Duration::ZERO);
            let probe = probe(ending.clone());
            attempts.note(&probe);
            let allowed = match attempts.finish(probe, None) {
                RobotsResult::Rules { rules, .. } => {
                    let url = "http://a.test/x".parse().unwrap();
                    Some(rules.robots.is_allowed(AGENT, &url))
                }
                RobotsResult::Failed(_) => None,
            };
            assert_eq!(allowed, allows, "{ending}");
        }
    }
}
