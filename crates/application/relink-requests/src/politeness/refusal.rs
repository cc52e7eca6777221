//! Reasons why a page is not fetched.

use std::fmt;
use std::time::Duration;

use relink_frontier::host_key;
use relink_model::{FetchOutcome, InvalidRedirect, Timings};
use relink_ports::FetchResult;
use url::Url;

use super::robots::RobotsFailure;

/// Status of a host that limits the request rate.
const TOO_MANY_REQUESTS: u16 = 429;

/// Reason why a page is not fetched, with the outcome to report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestRefusal {
    text: String,
    outcome: FetchOutcome,
    retry_after: Option<u64>,
}

impl RequestRefusal {
    /// Returns the refusal of a page that robots.txt does not allow, for this reason.
    pub(super) fn disallowed(url: &Url, reason: &str) -> Self {
        let text = format!("{url} was not requested: {reason}");
        Self { text, outcome: FetchOutcome::RobotsDisallowed, retry_after: None }
    }

    /// Returns the refusal of a page whose host requested a wait beyond the maximum.
    pub(super) fn wait(url: &Url, wait: Duration) -> Self {
        let (host, seconds) = (host_key(url), wait.as_secs());
        Self {
            text: format!("{host} sent Retry-After: {seconds} s"),
            outcome: FetchOutcome::Response(TOO_MANY_REQUESTS),
            retry_after: Some(seconds),
        }
    }

    /// Returns the refusal of a URL without a host.
    pub(super) fn not_web() -> Self {
        let outcome = FetchOutcome::InvalidRedirect(InvalidRedirect::NotHttp);
        Self { text: "not a URL of a web page".to_owned(), outcome, retry_after: None }
    }
}

impl fmt::Display for RequestRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the result of a request that was not sent.
pub(super) fn refused_result(refusal: &RequestRefusal) -> FetchResult {
    FetchResult { retry_after: refusal.retry_after, ..unsent_result(refusal.outcome.clone()) }
}

/// Returns the result for a page of an unreachable host: the outcome of the request for
/// its robots.txt.
pub(super) fn unreachable_result(failure: &RobotsFailure) -> FetchResult {
    unsent_result(failure.probe.outcome.clone())
}

fn unsent_result(outcome: FetchOutcome) -> FetchResult {
    FetchResult {
        hops: Vec::new(),
        outcome,
        timings: Timings::default(),
        retry_after: None,
        headers: Vec::new(),
        body: None,
    }
}
