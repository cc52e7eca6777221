//! The time of a capture as archives write it: `20150506070809`, UTC.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The digits of a time to the second.
const DIGITS: usize = 14;

/// Reads a time of 4 to 14 digits; what is left out is the beginning of it, so
/// `2015` is its first second. Digits beyond the second are dropped.
///
/// Old indexes hold days that never were (`20000100`, `20110231`). They are
/// moved to the nearest that was, for the capture itself is as good as any.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    if text.len() < 4 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |at: usize| text.get(at..at + 2).and_then(|digits| digits.parse::<i8>().ok());
    let year: i16 = text.get(..4)?.parse().ok()?;
    let month = part(4).unwrap_or(1).clamp(1, 12);
    let first = Date::new(year, month, 1).ok()?;
    let day = part(6).unwrap_or(1).clamp(1, first.days_in_month());
    let date = Date::new(year, month, day).ok()?;
    let [hour, minute, second] =
        [(8, 23), (10, 59), (12, 59)].map(|(at, most)| part(at).unwrap_or(0).min(most));
    Some(date.at(hour, minute, second, 0).to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// Writes a time with 14 digits.
pub(crate) fn write(time: Timestamp) -> String {
    time.strftime("%Y%m%d%H%M%S").to_string()
}

/// The time at the front of a replay path (`20150506070809id_/http://…`), with
/// the URL that follows.
pub(crate) fn split(path: &str) -> Option<(Timestamp, &str)> {
    let (front, url) = path.split_once('/')?;
    let digits = front.len() - front.trim_start_matches(|it: char| it.is_ascii_digit()).len();
    let (digits, modifier) = front.split_at(digits);
    // `id_`, `mp_`, `if_`, `js_`, …
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

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let time = parse(text).map_or("none".to_owned(), |time| time.to_string());
        assert_eq!(time, expect, "{text}");
    }

    #[test]
    fn a_time_is_read_as_far_as_it_goes() {
        check("20150506070809", "2015-05-06T07:08:09Z");
        check("201505060708", "2015-05-06T07:08:00Z");
        check("201505", "2015-05-01T00:00:00Z");
        check("2015", "2015-01-01T00:00:00Z");
        check("20155", "2015-01-01T00:00:00Z");
        check("20150506070809123", "2015-05-06T07:08:09Z");
    }

    #[test]
    fn a_day_that_never_was_becomes_the_nearest() {
        check("20000100000000", "2000-01-01T00:00:00Z");
        check("20110231000000", "2011-02-28T00:00:00Z");
        check("20151399256161", "2015-12-31T23:59:59Z");
    }

    #[test]
    fn anything_else_is_no_time() {
        for text in ["", "-", "201", "2015-05-06", "next year", "٢٠١٥"] {
            check(text, "none");
        }
    }

    #[test]
    fn a_replay_path_tells_time_and_url() {
        let time = |path| split(path).map(|(time, url)| (write(time), url.to_owned()));
        let found = |url: &str| Some(("20150506070809".to_owned(), url.to_owned()));
        assert_eq!(time("20150506070809/http://a.test/"), found("http://a.test/"));
        assert_eq!(time("20150506070809id_/http://a.test/"), found("http://a.test/"));
        assert_eq!(time("2015x/http://a.test/"), None);
        assert_eq!(time("http://a.test/"), None);
    }

    proptest! {
        #[test]
        fn what_is_written_can_be_read(second in 0i64..4_000_000_000) {
            let time = Timestamp::from_second(second).unwrap();
            prop_assert_eq!(parse(&write(time)), Some(time));
        }

        #[test]
        fn nothing_read_is_a_fault(text in "\\PC{0,20}", digits in "[0-9]{0,20}") {
            let _ = (parse(&text), parse(&digits), split(&text));
        }
    }
}
