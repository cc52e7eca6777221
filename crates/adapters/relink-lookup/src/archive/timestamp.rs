//! 14-digit capture timestamps: `20150506070809`, in UTC.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Number of digits of a timestamp with seconds.
const DIGITS: usize = 14;

/// Parses a timestamp of at least 4 digits. Missing parts have the smallest value, so
/// `2015` is the first second of the year. Digits after the seconds are ignored.
///
/// Old indexes contain invalid days (`20000100`, `20110231`). They are clamped
/// to the nearest valid day, because the capture itself is usable.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    if text.len() < 4 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part =
        |start: usize| text.get(start..start + 2).and_then(|digits| digits.parse::<i8>().ok());
    let year: i16 = text.get(..4)?.parse().ok()?;
    let month = part(4).unwrap_or(1).clamp(1, 12);
    let first = Date::new(year, month, 1).ok()?;
    let day = part(6).unwrap_or(1).clamp(1, first.days_in_month());
    let date = Date::new(year, month, day).ok()?;
    let [hour, minute, second] =
        [(8, 23), (10, 59), (12, 59)].map(|(start, max)| part(start).unwrap_or(0).min(max));
    Some(date.at(hour, minute, second, 0).to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// Formats a time with 14 digits.
pub(crate) fn format(time: Timestamp) -> String {
    time.strftime("%Y%m%d%H%M%S").to_string()
}

/// Splits a replay path (`20150506070809id_/http://…`) into its timestamp and
/// the original URL.
pub(crate) fn split(path: &str) -> Option<(Timestamp, &str)> {
    let (time_and_modifier, url) = path.split_once('/')?;
    let is_digit = |character: char| character.is_ascii_digit();
    let digit_count =
        time_and_modifier.len() - time_and_modifier.trim_start_matches(is_digit).len();
    // The modifier is the format of the replay: `id_`, `mp_`, `if_`, `js_`, …
    let (digits, modifier) = time_and_modifier.split_at(digit_count);
    let is_modifier = modifier.is_empty() || (modifier.len() <= 4 && modifier.ends_with('_'));
    if digits.len() > DIGITS || !is_modifier {
        return None;
    }
    Some((parse(digits)?, url))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks the parsed time, or `none`.
    #[track_caller]
    fn check(text: &str, expect: &str) {
        let time = parse(text).map_or("none".to_owned(), |time| time.to_string());
        assert_eq!(time, expect, "{text}");
    }

    #[test]
    fn parse_fills_missing_parts_with_the_minimum() {
        check("20150506070809", "2015-05-06T07:08:09Z");
        check("201505060708", "2015-05-06T07:08:00Z");
        check("201505", "2015-05-01T00:00:00Z");
        check("2015", "2015-01-01T00:00:00Z");
        check("20155", "2015-01-01T00:00:00Z");
        check("20150506070809123", "2015-05-06T07:08:09Z");
    }

    #[test]
    fn parse_clamps_invalid_days() {
        check("20000100000000", "2000-01-01T00:00:00Z");
        check("20110231000000", "2011-02-28T00:00:00Z");
        check("20151399256161", "2015-12-31T23:59:59Z");
    }

    #[test]
    fn parse_rejects_other_text() {
        for text in ["", "-", "201", "2015-05-06", "next year", "٢٠١٥"] {
            check(text, "none");
        }
    }

    #[test]
    fn split_returns_timestamp_and_original_url() {
        let split_path = |path| split(path).map(|(time, url)| (format(time), url.to_owned()));
        let expect = |url: &str| Some(("20150506070809".to_owned(), url.to_owned()));
        assert_eq!(split_path("20150506070809/http://a.test/"), expect("http://a.test/"));
        assert_eq!(split_path("20150506070809id_/http://a.test/"), expect("http://a.test/"));
        assert_eq!(split_path("2015x/http://a.test/"), None);
        assert_eq!(split_path("http://a.test/"), None);
    }

    proptest! {
        #[test]
        fn format_and_parse_round_trip(second in 0i64..4_000_000_000) {
            let time = Timestamp::from_second(second).unwrap();
            prop_assert_eq!(parse(&format(time)), Some(time));
        }

        #[test]
        fn parse_and_split_never_panic(text in "\\PC{0,20}", digits in "[0-9]{0,20}") {
            let _ = (parse(&text), parse(&digits), split(&text));
        }
    }
}
