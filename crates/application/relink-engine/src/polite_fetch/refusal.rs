//! Why a page was not requested.

use std::fmt;
use std::time::Duration;

use relink_frontier::host_name;
use relink_model::{Ending, Malformation, Timings};
use relink_ports::Fetched;
use url::Url;

use crate::robots::RobotsFailure;

/// The status a host answers with that wants fewer requests.
const TOO_MANY_REQUESTS: u16 = 429;

/// Why a page was not requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    text: String,
    ending: Ending,
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
        Self { text, ending: Ending::Closed, retry_after: None }
    }

    /// The host asked for a longer wait than is waited.
    pub(super) fn wait(url: &Url, wait: Duration) -> Self {
        let (host, seconds) = (host_name(url), wait.as_secs());
        Self {
            text: format!("{host} asked for no requests for {seconds} s"),
            ending: Ending::Answered(TOO_MANY_REQUESTS),
            retry_after: Some(seconds),
        }
    }

    /// The URL has no host.
    pub(super) fn not_web() -> Self {
        let ending = Ending::Malformed(Malformation::NotWeb);
        Self { text: "not a URL of a web page".to_owned(), ending, retry_after: None }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The result of a request that was not sent.
pub(super) fn refused(refusal: &Refusal) -> Fetched {
    Fetched { retry_after: refusal.retry_after, ..unsent(refusal.ending.clone()) }
}

/// The result of a request to a host that cannot be reached, as the request
/// for its rules showed.
pub(super) fn unreachable(failure: &RobotsFailure) -> Fetched {
    unsent(failure.probe.ending.clone())
}

fn unsent(ending: Ending) -> Fetched {
    Fetched {
        hops: Vec::new(),
        ending,
        timings: Timings::default(),
        retry_after: None,
        headers: Vec::new(),
        body: None,
    }
}
