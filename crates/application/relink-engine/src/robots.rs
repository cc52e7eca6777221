//! Fetching `robots.txt`, for crawls and for every other command that obeys it.
//!
//! A file is requested once per origin. A reset, a time-out or a server error
//! is retried with backoff: one of them must not close a site. What follows
//! when no attempt succeeds is decided here, once for all commands.

use std::time::Duration;

use relink_frontier::{Pace, Robots, RobotsAnswer, backoff};
use relink_model::{DnsFault, Ending, Look, Probe, Purpose, RequestRights};
use relink_ports::{Agent, Body, KeptRobots, Terms};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::isolation::isolate;
use crate::look::LookAt;

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
    patience: Duration,
    looks: Vec<Look>,
}

impl RobotsAttempts {
    /// No attempt yet. `patience` is the longest wait that a host may ask for.
    pub(crate) fn new(origin: String, pace: &Pace, patience: Duration) -> Self {
        Self { origin, interval: pace.interval, patience, looks: Vec::new() }
    }

    /// The URL of the file; nothing if the origin has none.
    pub(crate) fn url(&self) -> Option<Url> {
        Url::parse(&format!("{}/robots.txt", self.origin)).ok()
    }

    /// The request for the file.
    pub(crate) fn request(url: &Url, rights: RequestRights) -> LookAt<'_> {
        let terms = Terms { body_cap: Some(Robots::LONGEST_FILE), ..Terms::default() };
        LookAt { terms, ..LookAt::new(url, rights, Agent::Plain) }
    }

    /// Notes an attempt. Returns the wait before the next one, or nothing if
    /// this was the last.
    pub(crate) fn note(&mut self, probe: &Probe) -> Option<Duration> {
        let is_unknown_name = is_unknown_name(&probe.ending);
        let purpose = match (self.looks.is_empty(), is_unknown_name) {
            (true, _) => Purpose::First,
            (false, true) => Purpose::SecondLook,
            (false, false) => Purpose::Retry,
        };
        self.looks.push(Look {
            asked: probe.asked,
            purpose,
            ending: probe.ending.clone(),
            took_ms: probe.timings.total,
        });
        let limit = if is_unknown_name { MAX_LOOKUPS } else { MAX_ATTEMPTS };
        if !is_transient(&probe.ending) || self.looks.len() >= limit {
            return None;
        }
        let asked_for = Duration::from_secs(probe.retry_after.unwrap_or(0));
        (asked_for <= self.patience).then(|| self.retry_wait().max(asked_for))
    }

    fn retry_wait(&self) -> Duration {
        if self.interval.is_zero() {
            return MIN_RETRY_WAIT;
        }
        let attempt = u32::try_from(self.looks.len()).unwrap_or(u32::MAX);
        backoff(attempt, xxh3_64(self.origin.as_bytes())).max(self.interval)
    }

    /// The result of the last attempt.
    pub(crate) fn finish(self, probe: Probe, body: Option<Body>) -> RobotsResult {
        let Some(status) = status(&probe) else {
            return RobotsResult::Failed(RobotsFailure { probe, looks: self.looks });
        };
        let text = body.map(|body| body.bytes).unwrap_or_default();
        let text = text.get(..Robots::LONGEST_FILE).unwrap_or(&text).to_vec();
        let kept =
            KeptRobots { origin: self.origin, asked: probe.asked, status: Some(status), text };
        let rules = parse(status, &kept);
        if rules.is_unreachable {
            return RobotsResult::Failed(RobotsFailure { probe, looks: self.looks });
        }
        let kept = probe.ending.met_a_server().then_some(kept);
        RobotsResult::Rules { rules, kept, attempts: self.looks.len() }
    }
}

/// The status that decides, if there is one. More redirects than the rule
/// allows lead to no file, and neither does one to a private address.
fn status(probe: &Probe) -> Option<u16> {
    let is_far = probe.hops.len() > RobotsAnswer::MOST_REDIRECTS + 1;
    match probe.ending {
        _ if is_far => Some(NO_FILE),
        Ending::Answered(status) => Some(status),
        // Requests for pages of a host that may not be reached end so, too.
        Ending::TooManyHops | Ending::Loop | Ending::Malformed(_) | Ending::Barred(_) => {
            Some(NO_FILE)
        }
        _ => None,
    }
}

fn is_unknown_name(ending: &Ending) -> bool {
    matches!(ending, Ending::NoAddress(DnsFault::NoSuchName | DnsFault::NoRecords))
}

fn is_transient(ending: &Ending) -> bool {
    match ending {
        Ending::Answered(status) => matches!(status, 429 | 500..),
        Ending::TooManyHops | Ending::Loop | Ending::Malformed(_) | Ending::Barred(_) => false,
        _ => true,
    }
}

/// What the attempts to fetch a file led to.
#[derive(Debug)]
pub(crate) enum RobotsResult {
    /// These rules hold.
    Rules {
        /// The rules.
        rules: RobotsAnswer,
        /// The file as it is stored; nothing if the host said nothing because
        /// it may not be reached with the rights of this request.
        kept: Option<KeptRobots>,
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
            Self::Failed(failure) => failure.looks.len(),
        }
    }
}

/// Why a file could not be fetched.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RobotsFailure {
    /// The last attempt.
    pub(crate) probe: Probe,
    /// All attempts.
    pub(crate) looks: Vec<Look>,
}

impl RobotsFailure {
    /// The reason, as people read it.
    pub(crate) fn reason(&self) -> String {
        format!("robots.txt could not be fetched: {}", self.probe.ending)
    }

    /// Whether the failure says how a link to this host ends, so that the link
    /// is judged by it and not called blocked.
    ///
    /// A host that cannot be reached at all is down, whatever its rules would
    /// say. One that accepts connections and breaks them off is closed to
    /// crawling; a link to it that would only be checked fails in the same way.
    /// A server error says nothing about the pages.
    pub(crate) fn decides_link(&self, is_crawled: bool) -> bool {
        let ending = &self.probe.ending;
        let is_answered = !self.probe.hops.is_empty() || ending.status().is_some();
        let is_down = !ending.met_a_server() || matches!(ending, Ending::Tls(_));
        !is_answered && (is_down || !is_crawled)
    }
}

/// The origin whose `robots.txt` holds for a URL.
pub(crate) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Rules from the store. A failure of an earlier run is not reused: the file is
/// requested again.
pub(crate) fn stored_rules(kept: &KeptRobots) -> Option<RobotsAnswer> {
    let rules = parse(kept.status?, kept);
    (!rules.is_unreachable).then_some(rules)
}

/// The rules of a file. One that cannot be parsed because of an internal error
/// allows nothing.
fn parse(status: u16, kept: &KeptRobots) -> RobotsAnswer {
    let rules = || RobotsAnswer::of_status(status, &kept.text, kept.asked);
    isolate(&kept.origin, rules).unwrap_or_else(|_| RobotsAnswer::unreachable(kept.asked))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::{ConnectFault, Hop, Phase, ProtocolFault, Timings, TlsFault};

    use super::*;

    fn probe(ending: Ending) -> Probe {
        let status = ending.status();
        let url = "http://a.test/robots.txt".to_owned();
        let hop = |status| Hop { url: url.clone(), status, location: None, address: None };
        Probe {
            asked: Timestamp::UNIX_EPOCH,
            hops: status.map(hop).into_iter().collect(),
            ending,
            timings: Timings::default(),
            retry_after: None,
            digest: None,
        }
    }

    fn attempts(interval: Duration) -> RobotsAttempts {
        let pace = Pace::crawl(1, interval);
        RobotsAttempts::new("http://a.test".to_owned(), &pace, Duration::from_mins(2))
    }

    /// The waits between attempts that all end so.
    fn waits(ending: &Ending, retry_after: Option<u64>) -> Vec<Duration> {
        let mut attempts = attempts(Duration::from_secs(1));
        let probe = Probe { retry_after, ..probe(ending.clone()) };
        std::iter::from_fn(|| attempts.note(&probe)).collect()
    }

    #[test]
    fn attempts_retry_transient_failures_at_least_an_interval_apart() {
        for ending in [
            Ending::Answered(503),
            Ending::Answered(429),
            Ending::NoConnection(ConnectFault::Refused),
            Ending::Broken(ProtocolFault::Reset),
            Ending::TimedOut(Phase::Head),
        ] {
            let waits = waits(&ending, None);
            assert_eq!(waits.len(), MAX_ATTEMPTS - 1, "{ending}");
            assert!(waits.iter().all(|wait| *wait >= Duration::from_secs(1)), "{waits:?}");
        }
        for ending in [Ending::Answered(200), Ending::Answered(404), Ending::Loop] {
            assert_eq!(waits(&ending, None), [], "{ending}");
        }
        assert_eq!(waits(&Ending::NoAddress(DnsFault::NoSuchName), None).len(), 1);
    }

    #[test]
    fn attempts_wait_as_long_as_the_host_asks_up_to_the_limit() {
        let minute = Duration::from_mins(1);
        assert_eq!(waits(&Ending::Answered(503), Some(60)), [minute; 2]);
        assert_eq!(waits(&Ending::Answered(503), Some(3600)), []);
    }

    #[test]
    fn attempts_do_not_wait_for_seconds_where_waiting_is_off() {
        let mut attempts = attempts(Duration::ZERO);
        assert_eq!(attempts.note(&probe(Ending::Answered(503))), Some(MIN_RETRY_WAIT));
    }

    #[track_caller]
    fn check(ending: &Ending, crawled: bool, checked: bool) {
        let failure = RobotsFailure { probe: probe(ending.clone()), looks: Vec::new() };
        let decides = (failure.decides_link(true), failure.decides_link(false));
        assert_eq!(decides, (crawled, checked), "{ending}");
    }

    #[test]
    fn failure_decides_links_of_hosts_that_are_down() {
        check(&Ending::NoConnection(ConnectFault::Refused), true, true);
        check(&Ending::NoAddress(DnsFault::NoSuchName), true, true);
        check(&Ending::TimedOut(Phase::Connect), true, true);
        check(&Ending::Tls(TlsFault::Expired), true, true);
    }

    #[test]
    fn failure_of_a_connection_closes_a_host_to_crawling_only() {
        check(&Ending::Broken(ProtocolFault::Reset), false, true);
        check(&Ending::TimedOut(Phase::Head), false, true);
    }

    #[test]
    fn failure_with_a_server_error_decides_no_link() {
        check(&Ending::Answered(503), false, false);
        check(&Ending::Answered(429), false, false);
    }

    #[test]
    fn finish_with_a_status_follows_rfc_9309() {
        for (ending, allows) in [
            (Ending::Answered(404), Some(true)),
            (Ending::Answered(403), Some(true)),
            (Ending::TooManyHops, Some(true)),
            (Ending::Answered(500), None),
            (Ending::NoConnection(ConnectFault::Refused), None),
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
