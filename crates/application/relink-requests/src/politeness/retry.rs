//! Computes when a page is fetched again.

use std::time::Duration;

use relink_frontier::backoff;
use relink_judge::RetryDelay;
use relink_model::Probe;
use xxhash_rust::xxh3::xxh3_64;

/// Returns the wait before the next attempt to fetch a page. `probe` is the last attempt;
/// `interval` is the minimum time between the requests to one host.
pub fn retry_delay(delay: RetryDelay, url: &str, probe: &Probe, interval: Duration) -> Duration {
    match delay {
        RetryDelay::HostInterval => interval,
        RetryDelay::Backoff(attempt) => {
            let retry_after = Duration::from_secs(probe.retry_after.unwrap_or(0));
            // The hash makes the backoff random, but the same for every run.
            backoff(attempt, xxh3_64(url.as_bytes())).max(retry_after)
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::{FetchOutcome, Timings};

    use super::*;

    #[test]
    fn backoff_is_at_least_retry_after() {
        let probe = Probe {
            requested_at: Timestamp::UNIX_EPOCH,
            hops: Vec::new(),
            outcome: FetchOutcome::Response(503),
            timings: Timings::default(),
            retry_after: Some(600),
            version: None,
            digest: None,
        };
        let delay = |delay| retry_delay(delay, "http://a.test/", &probe, Duration::from_secs(1));
        assert_eq!(delay(RetryDelay::HostInterval), Duration::from_secs(1));
        assert_eq!(delay(RetryDelay::Backoff(1)), Duration::from_mins(10));
    }
}
