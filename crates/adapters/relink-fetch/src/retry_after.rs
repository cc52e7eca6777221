//! Parses the `Retry-After` header.

use jiff::Timestamp;
use jiff::fmt::rfc2822;

/// Returns the delay in seconds of a `Retry-After` value, relative to `now`.
///
/// The value is a number of seconds or an HTTP date (RFC 9110, section 10.2.3).
/// A date in the past is a delay of 0.
pub(crate) fn parse(value: &str, now: Timestamp) -> Option<u64> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit in a u64 is still a valid, very long
        // delay.
        return Some(value.parse().unwrap_or(u64::MAX));
    }
    let until = rfc2822::parse(value).ok()?.timestamp();
    Some(u64::try_from(until.as_second() - now.as_second()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the delay in seconds at 2026-01-02T03:04:05Z.
    #[track_caller]
    fn check(value: &str, expect: Option<u64>) {
        let now: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
        assert_eq!(parse(value, now), expect, "{value}");
    }

    #[test]
    fn parse_accepts_seconds() {
        check("120", Some(120));
        check(" 0 ", Some(0));
        check("99999999999999999999999", Some(u64::MAX));
    }

    #[test]
    fn parse_converts_a_date_to_a_delay() {
        check("Fri, 02 Jan 2026 03:05:05 GMT", Some(60));
        check("Thu, 01 Jan 2026 03:05:05 GMT", Some(0));
    }

    #[test]
    fn parse_rejects_invalid_values() {
        for value in ["", "soon", "-5", "1.5", "Fri, 99 Jan 2026 03:05:05 GMT"] {
            check(value, None);
        }
    }
}
