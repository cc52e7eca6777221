//! What kind of thing one piece of an address is: a word, a number, a date, a
//! name that a machine made.

/// Years this far ahead of a crawl are far.
const FAR_AHEAD: i32 = 2;
/// Years this far back are far.
const FAR_BACK: i32 = 20;
/// Four digits are a year from here.
const FIRST_YEAR: i32 = 1900;
/// Four digits are a year up to here.
const LAST_YEAR: i32 = 2199;

/// The shortest hexadecimal name.
const SHORTEST_ID: usize = 8;
/// The shortest name made by chance.
const SHORTEST_TOKEN: usize = 16;
/// How often digits and letters change places in one.
const TOKEN_CHANGES: usize = 4;
/// The longest value that is kept as it is.
const LONGEST_WORD: usize = 10;
/// Keys that hold a year.
const YEAR_KEYS: [&str; 4] = ["y", "yr", "year", "jahr"];

/// What kind of thing a piece of an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SegmentClass {
    Literal,
    Number,
    Year,
    Month,
    Day,
    Date,
    Id,
    Token,
    Text,
}

impl SegmentClass {
    /// What stands in its place.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Literal => "",
            Self::Number => "{n}",
            Self::Year => "{year}",
            Self::Month => "{month}",
            Self::Day => "{day}",
            Self::Date => "{date}",
            Self::Id => "{id}",
            Self::Token => "{token}",
            Self::Text => "{text}",
        }
    }

    /// A segment after `last` and before `next`. Only a month tells a year
    /// from the number of an article.
    pub(super) fn of_segment(segment: &str, last: Self, next: Option<&str>) -> Self {
        let Some(number) = number(segment) else { return Self::of_name(segment) };
        match (last, segment.len()) {
            (Self::Year, 1..=2) if (1..=12).contains(&number) => Self::Month,
            (Self::Month, 1..=2) if (1..=31).contains(&number) => Self::Day,
            (_, 4) if next.is_some_and(is_month_of(number)) => Self::Year,
            (_, 8) if is_day(number) => Self::Date,
            _ => Self::Number,
        }
    }

    /// A value of a query, whose key may say what it is.
    pub(super) fn of_value(key: &str, value: &str) -> Self {
        match number(value) {
            Some(_) if value.len() == 4 && is_key(&YEAR_KEYS, key) => return Self::Year,
            Some(number) if value.len() == 8 && is_day(number) => return Self::Date,
            Some(_) => return Self::Number,
            None => {}
        }
        let is_word =
            value.len() <= LONGEST_WORD && value.bytes().all(|byte| byte.is_ascii_lowercase());
        match Self::of_name(value) {
            Self::Literal if is_word => Self::Literal,
            Self::Literal => Self::Text,
            other => other,
        }
    }

    fn of_name(name: &str) -> Self {
        if is_date(name) {
            return Self::Date;
        }
        // A file's ending is no part of its name, a session's mark is.
        let stem = name.split('.').next().unwrap_or_default();
        let has_digit = stem.bytes().any(|byte| byte.is_ascii_digit());
        let is_hex = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        if stem.len() >= SHORTEST_ID
            && has_digit
            && stem.bytes().all(is_hex)
            && !is_dashed_number(stem)
        {
            return Self::Id;
        }
        if name.starts_with("(S(") || is_token(stem) { Self::Token } else { Self::Literal }
    }
}

/// Whether a key is one of these, however written.
pub(super) fn is_key(keys: &[&str], key: &str) -> bool {
    keys.iter().any(|known| known.eq_ignore_ascii_case(key))
}

/// A number of up to nine digits; longer ones are numbers without a value.
fn number(text: &str) -> Option<i32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(i32::MAX))
}

fn is_year(number: i32) -> bool {
    (FIRST_YEAR..=LAST_YEAR).contains(&number)
}

fn is_month(text: &str) -> bool {
    text.len() == 2 && number(text).is_some_and(|month| (1..=12).contains(&month))
}

/// What is a month after this number: `5` does after a year of our time, `05`
/// after any.
fn is_month_of(year: i32) -> impl Fn(&str) -> bool {
    move |text| {
        let is_digit = text.len() == 1 && number(text).is_some_and(|month| month > 0);
        is_month(text) || (is_digit && is_year(year))
    }
}

/// Whether eight digits are a year, a month and a day.
fn is_day(number: i32) -> bool {
    is_year(number / 10_000)
        && (1..=12).contains(&(number / 100 % 100))
        && (1..=31).contains(&(number % 100))
}

/// `2026-05` or `2026-05-31`, perhaps with a time after it.
fn is_date(text: &str) -> bool {
    let Some((year, rest)) = text.split_once('-') else { return false };
    let Some((month, after)) = rest.split_at_checked(2) else { return false };
    year.len() == 4
        && number(year).is_some()
        && is_month(month)
        && (after.is_empty() || after.starts_with('-'))
        && rest.bytes().all(|byte| byte.is_ascii_digit() || b"-T:.Z%+".contains(&byte))
}

/// Whether a date is far from `year`. Its year comes first, however written.
pub(super) fn is_far(date: &str, year: i16) -> bool {
    let Some(written) = date.get(..4).and_then(number) else { return false };
    !(i32::from(year) - FAR_BACK..=i32::from(year) + FAR_AHEAD).contains(&written)
}

/// `2026-1-3` or `555-1234`: numbers, and no name.
fn is_dashed_number(text: &str) -> bool {
    !text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether a name was made by chance: digits and letters in no order.
fn is_token(name: &str) -> bool {
    if name.len() < SHORTEST_TOKEN || !name.is_ascii() {
        return false;
    }
    // In what people write, parts with digits are short: `iphone-15-pro-max`.
    let longest = name.split(['-', '_', '%']).max_by_key(|part| part.len()).unwrap_or_default();
    let pairs = longest.bytes().zip(longest.bytes().skip(1));
    let changes = pairs.filter(|(one, next)| one.is_ascii_digit() != next.is_ascii_digit());
    let changes = changes.count();
    longest.len() >= SHORTEST_ID && changes >= TOKEN_CHANGES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_date_text_after_dash_is_short_returns_false() {
        for text in ["page-2", "x-y", "price-a", "-", "2026-", "2026-5", "a-é", "2026-é", "2026-0é"]
        {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn is_date_year_and_month_returns_true() {
        for text in ["2026-05", "2026-05-31", "2026-05-31T10:00:00Z"] {
            assert!(is_date(text), "{text}");
        }
        for text in ["2026-13", "2026-055", "2026-05-x", "26-05"] {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn of_segment_short_part_after_dash_is_literal() {
        for segment in ["page-2", "x-y", "-", "é-", "-é"] {
            assert_eq!(
                SegmentClass::of_segment(segment, SegmentClass::Literal, None),
                SegmentClass::Literal
            );
        }
        assert_eq!(SegmentClass::of_value("sort", "price-a"), SegmentClass::Text);
    }
}
