//! Classes of path segments and query values: word, number, date, generated name.

/// Maximum number of years after the crawl at which a date is not far.
const MAX_YEARS_AHEAD: i32 = 2;
/// Maximum number of years before the crawl at which a date is not far.
const MAX_YEARS_BACK: i32 = 20;
/// Minimum value of four digits that are a year.
const MIN_YEAR: i32 = 1900;
/// Maximum value of four digits that are a year.
const MAX_YEAR: i32 = 2199;

/// Minimum length of a hexadecimal id.
const MIN_ID_LENGTH: usize = 8;
/// Minimum length of a random token.
const MIN_TOKEN_LENGTH: usize = 16;
/// Minimum number of changes between digits and letters in a token.
const MIN_TOKEN_CHANGES: usize = 4;
/// Maximum length of a query value that is a word, and not replaced in patterns.
const MAX_WORD_LENGTH: usize = 10;
/// Query parameters whose value is a year.
const YEAR_KEYS: [&str; 4] = ["y", "yr", "year", "jahr"];

/// The class of a path segment or a query value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SegmentClass {
    /// A word, which is retained in patterns.
    Literal,
    Number,
    Year,
    Month,
    Day,
    /// A whole date in one segment: `2026-05-31`, `20260531`.
    Date,
    /// A hexadecimal name with digits, such as a hash.
    Id,
    /// A random name of letters and digits, such as a session id.
    Token,
    /// A query value of more than one word.
    Text,
}

impl SegmentClass {
    /// Returns the placeholder in a pattern.
    pub(super) fn placeholder(self) -> &'static str {
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

    /// Classifies a segment between the class of the previous segment and the next segment. Four
    /// digits are a year only if a month follows. Otherwise they may be the number of an article.
    pub(super) fn from_segment(segment: &str, previous: Self, next: Option<&str>) -> Self {
        let Some(number) = parse_digits(segment) else { return Self::from_name(segment) };
        match (previous, segment.len()) {
            (Self::Year, 1..=2) if (1..=12).contains(&number) => Self::Month,
            (Self::Month, 1..=2) if (1..=31).contains(&number) => Self::Day,
            (_, 4) if next.is_some_and(month_test_after(number)) => Self::Year,
            (_, 8) if is_date_number(number) => Self::Date,
            _ => Self::Number,
        }
    }

    /// Classifies a query value. Its key may indicate a year.
    pub(super) fn from_value(key: &str, value: &str) -> Self {
        match parse_digits(value) {
            Some(_) if value.len() == 4 && contains_key(&YEAR_KEYS, key) => return Self::Year,
            Some(number) if value.len() == 8 && is_date_number(number) => return Self::Date,
            Some(_) => return Self::Number,
            None => {}
        }
        let is_word =
            value.len() <= MAX_WORD_LENGTH && value.bytes().all(|byte| byte.is_ascii_lowercase());
        match Self::from_name(value) {
            Self::Literal if is_word => Self::Literal,
            Self::Literal => Self::Text,
            other => other,
        }
    }

    /// Classifies a name that is not a number.
    fn from_name(name: &str) -> Self {
        if is_date(name) {
            return Self::Date;
        }
        // Ignore the file extension.
        let stem = name.split('.').next().unwrap_or_default();
        let has_digit = stem.bytes().any(|byte| byte.is_ascii_digit());
        let is_hex = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        if stem.len() >= MIN_ID_LENGTH
            && has_digit
            && stem.bytes().all(is_hex)
            && !is_dashed_number(stem)
        {
            return Self::Id;
        }
        if name.starts_with("(S(") || is_token(stem) { Self::Token } else { Self::Literal }
    }
}

/// Whether `keys` contains a key, regardless of case.
pub(super) fn contains_key(keys: &[&str], key: &str) -> bool {
    keys.iter().any(|known| known.eq_ignore_ascii_case(key))
}

/// Parses a text that consists of digits. More than nine digits become the maximum value.
fn parse_digits(text: &str) -> Option<i32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(i32::MAX))
}

fn is_year(number: i32) -> bool {
    (MIN_YEAR..=MAX_YEAR).contains(&number)
}

/// Whether a text is a month of two digits.
fn is_month(text: &str) -> bool {
    text.len() == 2 && parse_digits(text).is_some_and(|month| (1..=12).contains(&month))
}

/// Returns a function that tests whether a segment can be a month after the segment `year`:
/// `05` after any number, `5` only after a plausible year.
fn month_test_after(year: i32) -> impl Fn(&str) -> bool {
    move |text| {
        let is_digit = text.len() == 1 && parse_digits(text).is_some_and(|month| month > 0);
        is_month(text) || (is_digit && is_year(year))
    }
}

/// Whether eight digits are a year, a month and a day.
fn is_date_number(number: i32) -> bool {
    is_year(number / 10_000)
        && (1..=12).contains(&(number / 100 % 100))
        && (1..=31).contains(&(number % 100))
}

/// Whether a text is `2026-05` or `2026-05-31`, optionally with a time.
pub(super) fn is_date(text: &str) -> bool {
    let Some((year, rest)) = text.split_once('-') else { return false };
    let Some((month, after)) = rest.split_at_checked(2) else { return false };
    year.len() == 4
        && parse_digits(year).is_some()
        && is_month(month)
        && (after.is_empty() || after.starts_with('-'))
        && rest.bytes().all(|byte| byte.is_ascii_digit() || b"-T:.Z%+".contains(&byte))
}

/// Whether a date, which starts with its year, is far from `year`.
pub(super) fn is_far(date: &str, year: i16) -> bool {
    let Some(date_year) = date.get(..4).and_then(parse_digits) else { return false };
    let recent = i32::from(year) - MAX_YEARS_BACK..=i32::from(year) + MAX_YEARS_AHEAD;
    !recent.contains(&date_year)
}

/// Whether a text contains no letters, like `2026-1-3` or `555-1234`.
fn is_dashed_number(text: &str) -> bool {
    !text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether a name is random: digits and letters alternate often.
fn is_token(name: &str) -> bool {
    if name.len() < MIN_TOKEN_LENGTH || !name.is_ascii() {
        return false;
    }
    // Check only the longest part. In names that people write, parts with digits are short:
    // `iphone-15-pro-max`.
    let longest = name.split(['-', '_', '%']).max_by_key(|part| part.len()).unwrap_or_default();
    let pairs = longest.bytes().zip(longest.bytes().skip(1));
    let changes =
        pairs.filter(|(byte, next)| byte.is_ascii_digit() != next.is_ascii_digit()).count();
    longest.len() >= MIN_ID_LENGTH && changes >= MIN_TOKEN_CHANGES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_date_rejects_short_text_after_dash() {
        for text in ["page-2", "x-y", "price-a", "-", "2026-", "2026-5", "a-é", "2026-é", "2026-0é"]
        {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn is_date_accepts_year_and_month() {
        for text in ["2026-05", "2026-05-31", "2026-05-31T10:00:00Z"] {
            assert!(is_date(text), "{text}");
        }
        for text in ["2026-13", "2026-055", "2026-05-x", "26-05"] {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn from_segment_short_part_after_dash_is_literal() {
        for segment in ["page-2", "x-y", "-", "é-", "-é"] {
            assert_eq!(
                SegmentClass::from_segment(segment, SegmentClass::Literal, None),
                SegmentClass::Literal
            );
        }
        assert_eq!(SegmentClass::from_value("sort", "price-a"), SegmentClass::Text);
    }
}
