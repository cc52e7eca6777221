//! Parses the rate limit headers of a service.

use std::time::Duration;

use relink_ports::FetchResult;

/// The rate limit headers. Both contain one number per window (for example per
/// second and per month): the remaining requests and the seconds until the
/// reset.
pub(crate) const RATE_HEADERS: [&str; 2] = ["x-ratelimit-remaining", "x-ratelimit-reset"];

/// Maximum number of seconds until a reset. Larger values are timestamps, which
/// some services send.
const MAX_RESET_SECONDS: u64 = 400 * 24 * 60 * 60;

/// Returns the time until all exhausted windows are reset, if the response
/// contains it.
pub(super) fn time_to_reset(result: &FetchResult) -> Option<Duration> {
    let numbers = |name| Some(result.header(name)?.split(',').map(|part| part.trim().parse()));
    let [remaining, reset] = RATE_HEADERS;
    let pairs = numbers(remaining)?.zip(numbers(reset)?);
    let exhausted = pairs.filter_map(|pair| match pair {
        (Ok(0), Ok(seconds)) if seconds <= MAX_RESET_SECONDS => Some(seconds),
        _ => None,
    });
    exhausted.max().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use relink_model::{FetchOutcome, Timings};

    use super::*;

    /// Checks the seconds until the reset for the values of the two headers.
    #[track_caller]
    fn check(remaining: &str, reset: &str, expect: Option<u64>) {
        let values = [remaining, reset];
        let headers = RATE_HEADERS.iter().zip(values);
        let headers = headers.map(|(name, value)| ((*name).to_owned(), value.to_owned()));
        let result = FetchResult {
            hops: Vec::new(),
            outcome: FetchOutcome::Response(429),
            timings: Timings::default(),
            retry_after: None,
            headers: headers.collect(),
            body: None,
        };
        assert_eq!(time_to_reset(&result), expect.map(Duration::from_secs));
    }

    #[test]
    fn time_to_reset_is_the_longest_exhausted_window() {
        check("0, 14950", "1, 1419704", Some(1));
        check("0, 0", "1, 1419704", Some(1_419_704));
        check("0", "7", Some(7));
    }

    #[test]
    fn time_to_reset_is_none_without_exhausted_windows() {
        check("1, 5", "1, 1419704", None);
        check("", "soon", None);
        check("0", "1790000000", None);
    }
}
