//! When a service that counts our requests will count anew.

use std::time::Duration;

use relink_ports::FetchResult;

/// The headers that tell: for each span that is counted (a second, a month),
/// how many requests are left in it and in how many seconds it begins anew.
pub(crate) const RATE_HEADERS: [&str; 2] = ["x-ratelimit-remaining", "x-ratelimit-reset"];

/// The longest span believed. A larger number is a date, as some write it.
const LONGEST_SPAN: u64 = 400 * 24 * 60 * 60;

/// How long it is until every span that is used up begins anew, where the
/// answer tells.
pub(super) fn rest(fetched: &FetchResult) -> Option<Duration> {
    let numbers = |name| Some(fetched.header(name)?.split(',').map(|part| part.trim().parse()));
    let [remaining, reset] = RATE_HEADERS;
    let pairs = numbers(remaining)?.zip(numbers(reset)?);
    let spent = pairs.filter_map(|pair| match pair {
        (Ok(0), Ok(seconds)) if seconds <= LONGEST_SPAN => Some(seconds),
        _ => None,
    });
    spent.max().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use relink_model::{FetchOutcome, Timings};

    use super::*;

    #[track_caller]
    fn check(remaining: &str, reset: &str, expect: Option<u64>) {
        let values = [remaining, reset];
        let headers = RATE_HEADERS.iter().zip(values);
        let headers = headers.map(|(name, value)| ((*name).to_owned(), value.to_owned()));
        let fetched = FetchResult {
            hops: Vec::new(),
            outcome: FetchOutcome::Response(429),
            timings: Timings::default(),
            retry_after: None,
            headers: headers.collect(),
            body: None,
        };
        assert_eq!(rest(&fetched), expect.map(Duration::from_secs));
    }

    #[test]
    fn the_longest_span_that_is_used_up_counts() {
        check("0, 14950", "1, 1419704", Some(1));
        check("0, 0", "1, 1419704", Some(1_419_704));
        check("0", "7", Some(7));
    }

    #[test]
    fn what_is_not_said_is_not_guessed() {
        check("1, 5", "1, 1419704", None);
        check("", "soon", None);
        check("0", "1790000000", None);
    }
}
