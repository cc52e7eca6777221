//! Computes when a page is fetched again.

use std::time::Duration;

use relink_frontier::backoff;
use relink_judge::RetryDelay;
use relink_model::{FetchOutcome, Probe};
use xxhash_rust::xxh3::xxh3_64;

/// Wait before a retry if the user set the host interval to zero.
pub(super) const MIN_RETRY_WAIT: Duration = Duration::from_millis(50);

/// Returns the wait before a file that must be read is requested again: robots.txt, or a
/// document among the inputs. `probe` is the last of `attempts` attempts, and `max_wait`
/// the maximum `Retry-After`. Returns `None` if a retry is useless or the host requests a
/// longer wait.
pub fn transient_retry_delay(
    attempts: usize,
    url: &str,
    probe: &Probe,
    interval: Duration,
    max_wait: Duration,
) -> Option<Duration> {
    let requested_wait = Duration::from_secs(probe.retry_after.unwrap_or(0));
    if !is_transient(&probe.outcome) || requested_wait > max_wait {
        return None;
    }
    let attempt = u32::try_from(attempts).unwrap_or(u32::MAX);
    let wait = if interval.is_zero() {
        MIN_RETRY_WAIT
    } else {
        backoff(attempt, xxh3_64(url.as_bytes())).max(interval)
    };
    Some(wait.max(requested_wait))
}

/// Whether another attempt may have another outcome.
fn is_transient(outcome: &FetchOutcome) -> bool {
    match outcome {
        FetchOutcome::Response(status) => matches!(status, 429 | 500..),
        FetchOutcome::TooManyRedirects
        | FetchOutcome::RedirectLoop
        | FetchOutcome::RobotsDisallowed
        | FetchOutcome::InvalidRedirect(_)
        | FetchOutcome::PrivateAddress(_) => false,
        _ => true,
    }
}

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
    use relink_model::Timings;

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
