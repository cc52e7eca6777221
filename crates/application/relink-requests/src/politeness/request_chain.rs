//! Which requests a fetch has sent: the first one and those that followed redirects.

use std::net::IpAddr;

use relink_frontier::host_key;
use relink_model::{FetchOutcome, Phase};
use relink_ports::FetchResult;
use url::Url;

/// Returns the URLs that a fetch has requested, in order. If a redirect was followed and its
/// target sent no response, the target is included. Empty if the first request got no response.
pub(super) fn requested_urls(result: &FetchResult) -> Vec<Url> {
    let mut urls: Vec<Url> =
        result.hops.iter().filter_map(|hop| Url::parse(&hop.url).ok()).collect();
    urls.extend(target_without_response(result));
    urls
}

/// Returns the target of the last redirect if it was requested but sent no response.
fn target_without_response(result: &FetchResult) -> Option<Url> {
    let last = result.hops.last()?;
    let is_redirect = (300..400).contains(&last.status);
    if !is_redirect || !is_without_response(&result.outcome) {
        return None;
    }
    Url::parse(&last.url).ok()?.join(last.location.as_deref()?).ok()
}

/// Whether the last request got no response. Name lookups and connections that failed count as
/// requests. A redirect that was not followed does not.
pub(super) fn is_without_response(outcome: &FetchOutcome) -> bool {
    match outcome {
        // The head of the response was received.
        FetchOutcome::TimedOut(Phase::Body) => false,
        FetchOutcome::DnsFailed(_)
        | FetchOutcome::ConnectFailed(_)
        | FetchOutcome::TimedOut(_)
        | FetchOutcome::TlsFailed(_)
        | FetchOutcome::ProtocolError(_) => true,
        _ => false,
    }
}

/// Returns the IP address at which a host has responded.
pub(super) fn address_of(result: &FetchResult, key: &str) -> Option<IpAddr> {
    let is_host = |url: &str| Url::parse(url).is_ok_and(|url| host_key(&url) == key);
    result.hops.iter().rev().find(|hop| is_host(&hop.url))?.ip
}

#[cfg(test)]
mod tests {
    use relink_model::{DnsError, Hop, Timings};

    use super::*;

    /// Returns the requested URLs of a redirect from `http://a.test/x` to `location`.
    fn requested(location: &str, outcome: FetchOutcome) -> Vec<String> {
        let (url, location) = ("http://a.test/x".to_owned(), Some(location.to_owned()));
        let result = FetchResult {
            hops: vec![Hop { url, status: 302, location, ip: None }],
            outcome,
            timings: Timings::default(),
            retry_after: None,
            headers: Vec::new(),
            body: None,
        };
        requested_urls(&result).iter().map(Url::to_string).collect()
    }

    #[test]
    fn redirect_target_without_response_was_requested() {
        let first = "http://a.test/x";
        let failure = FetchOutcome::DnsFailed(DnsError::NoSuchName);
        assert_eq!(requested("//b.test/y", failure.clone()), [first, "http://b.test/y"]);
        assert_eq!(requested("/y", failure), [first, "http://a.test/y"]);
    }

    #[test]
    fn redirect_target_that_was_not_followed_was_not_requested() {
        for outcome in [FetchOutcome::RobotsDisallowed, FetchOutcome::TimedOut(Phase::Body)] {
            assert_eq!(requested("//b.test/y", outcome), ["http://a.test/x"]);
        }
    }
}
