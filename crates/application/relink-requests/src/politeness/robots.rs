//! Fetches robots.txt, for crawls and for all other commands that obey it.
//!
//! The file is fetched once per origin. A connection reset, a timeout or a server error
//! is retried with backoff, because a single failure must not exclude a site. If no
//! attempt succeeds, this module decides what that means for links to the host. The
//! *rules* are the parsed file.

use std::time::Duration;

use relink_frontier::{PolitenessPolicy, RobotsPolicy, RobotsTxt};
use relink_model::{Attempt, DnsError, FetchOutcome, FetchPurpose, Probe, RequestRights};
use relink_ports::{Body, Clock, Fetch, RequestOptions, StoredRobots, UserAgent};
use url::Url;

use super::retry::transient_retry_delay;
use crate::isolation::isolate;
use crate::probe::{ProbeRequest, current_time, invalid_url_probe, probe_url};

/// Product token that rules in robots.txt are matched with.
pub const AGENT: &str = "relink";

/// Status of a file that does not exist.
const NOT_FOUND: u16 = 404;

/// Maximum number of attempts.
const MAX_ATTEMPTS: usize = 3;

/// Maximum number of attempts if the host name does not exist: the second lookup
/// confirms the first one.
const MAX_LOOKUPS: usize = 2;

/// Attempts to fetch one robots.txt.
#[derive(Debug)]
pub struct RobotsAttempts {
    origin: String,
    /// Minimum time between two requests to the host.
    interval: Duration,
    /// Maximum `Retry-After` of the host.
    max_host_wait: Duration,
    /// The attempts so far.
    attempts: Vec<Attempt>,
}

impl RobotsAttempts {
    /// Returns a value without attempts.
    pub fn new(origin: String, politeness: &PolitenessPolicy, max_host_wait: Duration) -> Self {
        Self { origin, interval: politeness.interval, max_host_wait, attempts: Vec::new() }
    }

    /// Returns the URL of the file; `None` if the origin cannot have one.
    pub fn url(&self) -> Option<Url> {
        Url::parse(&format!("{}/robots.txt", self.origin)).ok()
    }

    /// Returns the request for the file.
    fn request(url: &Url, rights: RequestRights) -> ProbeRequest<'_> {
        let options = RequestOptions {
            max_body_bytes: Some(RobotsTxt::MAX_FILE_SIZE),
            ..RequestOptions::default()
        };
        ProbeRequest { options, ..ProbeRequest::new(url, rights, UserAgent::Relink) }
    }

    /// Records an attempt. Returns the wait before the next one, or `None` if
    /// it was the last.
    pub(super) fn record_attempt(&mut self, probe: &Probe) -> Option<Duration> {
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
        let attempts = self.attempts.len();
        if attempts >= limit {
            return None;
        }
        transient_retry_delay(attempts, &self.origin, probe, self.interval, self.max_host_wait)
    }

    /// Returns the result, given the probe and the body of the last attempt.
    pub fn finish(self, probe: Probe, body: Option<Body>) -> RobotsResult {
        let Some(status) = status(&probe) else {
            return RobotsResult::Failed(RobotsFailure { probe, attempts: self.attempts });
        };
        let text = body.map(|body| body.bytes).unwrap_or_default();
        let text = text.get(..RobotsTxt::MAX_FILE_SIZE).unwrap_or(&text).to_vec();
        let stored = StoredRobots {
            origin: self.origin,
            requested_at: probe.requested_at,
            status: Some(status),
            text,
        };
        let rules = parse(status, &stored);
        if rules.is_unreachable {
            return RobotsResult::Failed(RobotsFailure { probe, attempts: self.attempts });
        }
        // Only the permission to reach the host is missing if there is a status but no
        // response. Another request may have the permission, so do not store the rules.
        let stored = probe.outcome.reached_server().then_some(stored);
        RobotsResult::Rules { rules, stored, attempts: self.attempts.len() }
    }
}

/// Returns the status that determines the rules; `None` if the file could not be
/// fetched. Too many redirects and a private address count as a missing file.
fn status(probe: &Probe) -> Option<u16> {
    let has_too_many_redirects = probe.hops.len() > RobotsPolicy::MAX_REDIRECTS + 1;
    match probe.outcome {
        _ if has_too_many_redirects => Some(NOT_FOUND),
        FetchOutcome::Response(status) => Some(status),
        // A missing file allows all pages. At a private address, the requests for the
        // pages fail in the same way.
        FetchOutcome::TooManyRedirects
        | FetchOutcome::RedirectLoop
        | FetchOutcome::InvalidRedirect(_)
        | FetchOutcome::PrivateAddress(_) => Some(NOT_FOUND),
        _ => None,
    }
}

fn is_unknown_name(outcome: &FetchOutcome) -> bool {
    matches!(outcome, FetchOutcome::DnsFailed(DnsError::NoSuchName | DnsError::NoRecords))
}

/// Result of fetching robots.txt.
#[derive(Debug)]
pub enum RobotsResult {
    /// The rules are known.
    Rules {
        /// The rules.
        rules: RobotsPolicy,
        /// The file to store; `None` if the request lacked the permission to
        /// reach the host.
        stored: Option<StoredRobots>,
        /// Number of attempts.
        attempts: usize,
    },
    /// The file could not be fetched, so nothing may be crawled (RFC 9309,
    /// section 2.3.1.4).
    Failed(RobotsFailure),
}

impl RobotsResult {
    /// Returns the number of attempts.
    pub fn attempts(&self) -> usize {
        match self {
            Self::Rules { attempts, .. } => *attempts,
            Self::Failed(failure) => failure.attempts.len(),
        }
    }
}

/// Why the robots.txt of a host could not be fetched.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotsFailure {
    /// The probe of the last attempt.
    pub probe: Probe,
    /// All attempts.
    pub attempts: Vec<Attempt>,
}

impl RobotsFailure {
    /// Returns the reason as text for users.
    pub fn reason(&self) -> String {
        format!("robots.txt could not be fetched: {}", self.probe.outcome)
    }

    /// Whether this failure is also the result of a link to the host. If not, the link is
    /// blocked: its page must not be requested. `is_crawled` is whether the page is
    /// crawled, not only checked.
    ///
    /// - A host that cannot be reached is down, so all its links fail.
    /// - A host that accepts connections and then drops them must not be crawled, but a
    ///   link that is only checked fails in the same way.
    /// - A server error does not indicate the state of the pages.
    pub fn decides_link(&self, is_crawled: bool) -> bool {
        let outcome = &self.probe.outcome;
        let has_response = !self.probe.hops.is_empty() || outcome.status().is_some();
        let is_down = !outcome.reached_server() || matches!(outcome, FetchOutcome::TlsFailed(_));
        !has_response && (is_down || !is_crawled)
    }
}

/// Fetches the file with retries. The caller or `fetch` limits the rate of requests.
/// Also returns the probe of the last attempt.
pub async fn fetch_robots(
    fetch: &dyn Fetch,
    clock: &dyn Clock,
    mut attempts: RobotsAttempts,
    rights: RequestRights,
) -> (RobotsResult, Probe) {
    let Some(url) = attempts.url() else {
        let probe = invalid_url_probe(current_time(clock));
        return (attempts.finish(probe.clone(), None), probe);
    };
    loop {
        let (probe, body) = probe_url(fetch, clock, RobotsAttempts::request(&url, rights)).await;
        match attempts.record_attempt(&probe) {
            Some(wait) => tokio::time::sleep(wait).await,
            None => return (attempts.finish(probe.clone(), body), probe),
        }
    }
}

/// Returns the origin whose robots.txt applies to a URL.
pub fn robots_origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Returns the rules of a stored file. Returns `None` if the store has a failure: then
/// the file is fetched again.
pub(super) fn stored_rules(stored: &StoredRobots) -> Option<RobotsPolicy> {
    let rules = parse(stored.status?, stored);
    (!rules.is_unreachable).then_some(rules)
}

/// Parses a file. If the parser panics, nothing is allowed.
fn parse(status: u16, stored: &StoredRobots) -> RobotsPolicy {
    let rules = || RobotsPolicy::from_status(status, &stored.text, stored.requested_at);
    isolate(&stored.origin, rules)
        .unwrap_or_else(|_| RobotsPolicy::unreachable(stored.requested_at))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::{ConnectError, Hop, Phase, ProtocolError, Timings, TlsError};

    use super::super::retry::MIN_RETRY_WAIT;
    use super::*;

    fn probe(outcome: FetchOutcome) -> Probe {
        let status = outcome.status();
        let url = "http://a.test/robots.txt".to_owned();
        let hop = |status| Hop { url: url.clone(), status, location: None, ip: None };
        Probe {
            requested_at: Timestamp::UNIX_EPOCH,
            hops: status.map(hop).into_iter().collect(),
            outcome,
            timings: Timings::default(),
            retry_after: None,
            digest: None,
            version: None,
        }
    }

    fn attempts(interval: Duration) -> RobotsAttempts {
        let politeness = PolitenessPolicy::crawl(1, interval);
        RobotsAttempts::new("http://a.test".to_owned(), &politeness, Duration::from_mins(2))
    }

    /// Returns the waits between attempts that all have this outcome.
    fn waits(outcome: &FetchOutcome, retry_after: Option<u64>) -> Vec<Duration> {
        let mut attempts = attempts(Duration::from_secs(1));
        let probe = Probe { retry_after, ..probe(outcome.clone()) };
        std::iter::from_fn(|| attempts.record_attempt(&probe)).collect()
    }

    #[test]
    fn attempts_retry_only_transient_failures_at_least_an_interval_apart() {
        for outcome in [
            FetchOutcome::Response(503),
            FetchOutcome::Response(429),
            FetchOutcome::ConnectFailed(ConnectError::Refused),
            FetchOutcome::ProtocolError(ProtocolError::Reset),
            FetchOutcome::TimedOut(Phase::Headers),
        ] {
            let waits = waits(&outcome, None);
            assert_eq!(waits.len(), MAX_ATTEMPTS - 1, "{outcome}");
            assert!(waits.iter().all(|wait| *wait >= Duration::from_secs(1)), "{waits:?}");
        }
        for outcome in
            [FetchOutcome::Response(200), FetchOutcome::Response(404), FetchOutcome::RedirectLoop]
        {
            assert_eq!(waits(&outcome, None), [], "{outcome}");
        }
    }

    #[test]
    fn attempts_retry_an_unknown_name_once() {
        assert_eq!(waits(&FetchOutcome::DnsFailed(DnsError::NoSuchName), None).len(), 1);
    }

    #[test]
    fn attempts_wait_for_retry_after_up_to_the_limit() {
        let minute = Duration::from_mins(1);
        assert_eq!(waits(&FetchOutcome::Response(503), Some(60)), [minute; 2]);
        assert_eq!(waits(&FetchOutcome::Response(503), Some(3600)), []);
    }

    #[test]
    fn attempts_use_the_minimum_wait_without_an_interval() {
        let mut attempts = attempts(Duration::ZERO);
        assert_eq!(
            attempts.record_attempt(&probe(FetchOutcome::Response(503))),
            Some(MIN_RETRY_WAIT)
        );
    }

    /// Checks whether a failure decides a link that is crawled, and one that is only
    /// checked.
    #[track_caller]
    fn check(outcome: &FetchOutcome, if_crawled: bool, if_checked: bool) {
        let failure = RobotsFailure { probe: probe(outcome.clone()), attempts: Vec::new() };
        let decides = (failure.decides_link(true), failure.decides_link(false));
        assert_eq!(decides, (if_crawled, if_checked), "{outcome}");
    }

    #[test]
    fn links_to_hosts_that_are_down_are_judged_by_the_failure() {
        check(&FetchOutcome::ConnectFailed(ConnectError::Refused), true, true);
        check(&FetchOutcome::DnsFailed(DnsError::NoSuchName), true, true);
        check(&FetchOutcome::TimedOut(Phase::Connect), true, true);
        check(&FetchOutcome::TlsFailed(TlsError::Expired), true, true);
    }

    #[test]
    fn links_to_hosts_that_drop_connections_are_judged_by_the_failure_if_only_checked() {
        check(&FetchOutcome::ProtocolError(ProtocolError::Reset), false, true);
        check(&FetchOutcome::TimedOut(Phase::Headers), false, true);
    }

    #[test]
    fn links_to_hosts_with_server_errors_are_not_judged_by_the_failure() {
        check(&FetchOutcome::Response(503), false, false);
        check(&FetchOutcome::Response(429), false, false);
    }

    #[test]
    fn finish_follows_rfc_9309() {
        // `None` means that the rules are unknown.
        for (outcome, expected) in [
            (FetchOutcome::Response(404), Some(true)),
            (FetchOutcome::Response(403), Some(true)),
            (FetchOutcome::TooManyRedirects, Some(true)),
            (FetchOutcome::Response(500), None),
            (FetchOutcome::ConnectFailed(ConnectError::Refused), None),
        ] {
            let mut attempts = attempts(Duration::ZERO);
            let probe = probe(outcome.clone());
            attempts.record_attempt(&probe);
            let is_allowed = match attempts.finish(probe, None) {
                RobotsResult::Rules { rules, .. } => {
                    let url = "http://a.test/x".parse().unwrap();
                    Some(rules.robots.is_allowed(AGENT, &url))
                }
                RobotsResult::Failed(_) => None,
            };
            assert_eq!(is_allowed, expected, "{outcome}");
        }
    }
}
