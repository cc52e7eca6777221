//! Why a page was not requested.

use std::fmt;
use std::time::Duration;

use relink_frontier::host_key;
use relink_model::{FetchOutcome, InvalidRedirect, Timings};
use relink_ports::FetchResult;
use url::Url;

use crate::robots::RobotsFailure;

/// The status a host answers with that wants fewer requests.
const TOO_MANY_REQUESTS: u16 = 429;

/// Why a page was not requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    text: String,
    outcome: FetchOutcome,
    retry_after: Option<u64>,
}

impl Refusal {
    /// The host's rules forbid it, by this line.
    pub(super) fn forbidden(url: &Url, line: Option<&str>) -> Self {
        let rule = line.map_or_else(|| "forbids it".to_owned(), |line| format!("says `{line}`"));
        Self::robots(url, &format!("robots.txt {rule}"))
    }

    /// The host's rules could not be fetched.
    pub(super) fn no_rules(url: &Url, failure: &RobotsFailure) -> Self {
        Self::robots(url, &failure.reason())
    }

    fn robots(url: &Url, reason: &str) -> Self {
        let text = format!("{url} was not requested: {reason}");
        Self { text, outcome: FetchOutcome::RobotsDisallowed, retry_after: None }
    }

    /// The host asked for a longer wait than is waited.
    pub(super) fn wait(url: &Url, wait: Duration) -> Self {
        let (host, seconds) = (host_key(url), wait.as_secs());
        Self {
            text: format!("{host} asked for no requests for {seconds} s"),
            outcome: FetchOutcome::Response(TOO_MANY_REQUESTS),
            retry_after: Some(seconds),
        }
    }

    /// The URL has no host.
    pub(super) fn not_web() -> Self {
        let ending = FetchOutcome::InvalidRedirect(InvalidRedirect::NotWeb);
        Self { text: "not a URL of a web page".to_owned(), outcome: ending, retry_after: None }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The result of a request that was not sent.
pub(super) fn refused(refusal: &Refusal) -> FetchResult {
    FetchResult { retry_after: refusal.retry_after, ..unsent(refusal.outcome.clone()) }
}

/// The result of a request to a host that cannot be reached, as the request
/// for its rules showed.
pub(super) fn unreachable(failure: &RobotsFailure) -> FetchResult {
    unsent(failure.probe.outcome.clone())
}

fn unsent(ending: FetchOutcome) -> FetchResult {
    FetchResult {
        hops: Vec::new(),
        outcome: ending,
        timings: Timings::default(),
        retry_after: None,
        headers: Vec::new(),
        body: None,
    }
}
