//! URLs that a crawl invents to test whether a site generates pages for any URL.
//!
//! An invented URL has the form of a known one. The last generated part (a number, a date, an
//! id) is replaced by another of the same form: a larger number, a date decades later, a random
//! name of the same length. If no part of a path is generated, its last name is replaced. The
//! same known URLs always give the same invented ones.

use url::Url;

use super::segment_class::{SegmentClass, is_date};
use crate::query::{join_parameters, parameters};

/// Number of invented URLs of a test.
const URLS_PER_TEST: u64 = 2;
/// Number of years by which a date is moved, so that no calendar has entries there.
const YEAR_OFFSET: i32 = 61;
/// Added to a number after it is multiplied by ten. No page has such a large number.
const NUMBER_OFFSET: u64 = 1_000_003;
/// Maximum number of digits of a number; longer ones are replaced like random names.
const MAX_NUMBER_DIGITS: usize = 7;

/// Returns invented URLs of the form of `url`; empty if the URL has no part that can be
/// replaced. `other` is an earlier URL of the set under test (see `endless`): a query parameter whose value differs between
/// the two is replaced.
pub(super) fn invent(url: &Url, other: Option<&Url>) -> Vec<Url> {
    (1..=URLS_PER_TEST).filter_map(|salt| invent_one(url, other, salt)).collect()
}

/// Returns the invented URL with the number `salt`.
fn invent_one(url: &Url, other: Option<&Url>, salt: u64) -> Option<Url> {
    let seed = seed(url.as_str()) ^ salt.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut invented = url.clone();
    if url.query().is_some() {
        invented.set_query(Some(&invent_query(url, other, seed, salt)?));
    } else {
        invented.set_path(&invent_path(url, seed, salt)?);
    }
    (invented != *url).then_some(invented)
}

/// Replaces the value of the last parameter whose value differs between the URLs. Without
/// another URL, replaces the value of the last parameter.
fn invent_query(url: &Url, other: Option<&Url>, seed: u64, salt: u64) -> Option<String> {
    let others: Vec<&str> =
        other.into_iter().flat_map(parameters).map(|found| found.text).collect();
    let mut found: Vec<_> = parameters(url).collect();
    let varies = |text: &str| !others.contains(&text);
    let position = found.iter().rposition(|parameter| {
        !parameter.value.is_empty() && (others.is_empty() || varies(parameter.text))
    });
    let parameter = found.get_mut(position?)?;
    let text = format!("{}={}", parameter.key, invent_name(parameter.value, seed, salt));
    parameter.text = &text;
    join_parameters(found)
}

/// Replaces the last generated segment, or the last segment if none is generated. Of a date
/// such as `/2026/05/31`, only the year is replaced.
fn invent_path(url: &Url, seed: u64, salt: u64) -> Option<String> {
    let mut segments: Vec<String> = url.path().split('/').map(str::to_owned).collect();
    let is_year = |segment: &String| {
        segment.len() == 4 && segment.parse::<i32>().is_ok_and(|year| (1900..2200).contains(&year))
    };
    let is_short_number = |segment: &String| {
        matches!(segment.len(), 1..=2) && segment.bytes().all(|byte| byte.is_ascii_digit())
    };
    let last = segments.iter().rposition(|segment| !segment.is_empty())?;
    // Prefer a generated part to the last segment. In `/blob/<id>/src/main.c`, an invented file
    // name would not test whether ids are generated.
    let position = segments.iter().rposition(|segment| is_generated(segment)).unwrap_or(last);
    // Four digits are a year only if all segments after them, up to `position`, are short
    // numbers.
    let year = segments.iter().rposition(is_year).filter(|year| {
        *year < position
            && segments
                .get(year + 1..=position)
                .is_some_and(|rest| rest.iter().all(is_short_number))
    });
    let segment = segments.get_mut(year.unwrap_or(position))?;
    *segment = match year {
        Some(_) => later_year(segment, salt)?,
        None => invent_name(segment, seed, salt),
    };
    Some(segments.join("/"))
}

/// Whether a path segment, without its neighbors, is a number, a date or a generated name.
fn is_generated(segment: &str) -> bool {
    SegmentClass::from_segment(segment, SegmentClass::Literal, None) != SegmentClass::Literal
}

/// Returns another name of the same form.
fn invent_name(name: &str, seed: u64, salt: u64) -> String {
    if is_date(name) {
        let (year, rest) = name.split_at_checked(4).unwrap_or((name, ""));
        return later_year(year, salt).map_or_else(|| name.to_owned(), |year| year + rest);
    }
    match name.parse::<u64>() {
        Ok(number) if name.len() <= MAX_NUMBER_DIGITS => {
            (number * 10 + NUMBER_OFFSET * salt).to_string()
        }
        _ => random_name(name, seed),
    }
}

/// Returns a year [`YEAR_OFFSET`] years later, or a multiple of it.
fn later_year(year: &str, salt: u64) -> Option<String> {
    let year: i32 = year.parse().ok()?;
    let years = i32::try_from(salt).ok()?.checked_mul(YEAR_OFFSET)?;
    Some(year.checked_add(years)?.to_string())
}

/// Replaces letters and digits before the file extension. Hexadecimal names remain
/// hexadecimal.
fn random_name(name: &str, seed: u64) -> String {
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if extension.len() <= 5 && !stem.is_empty() => (stem, extension),
        _ => (name, ""),
    };
    let is_hex = stem.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let letters: u8 = if is_hex { 6 } else { 26 };
    let mut state = seed;
    let mut pick = |count: u8| {
        state = mix(state);
        u8::try_from(state % u64::from(count)).unwrap_or_default()
    };
    let random = stem.chars().map(|letter| match letter {
        '0'..='9' => char::from(b'0' + pick(10)),
        'a'..='z' => char::from(b'a' + pick(letters)),
        'A'..='Z' => char::from(b'A' + pick(letters)),
        other => other,
    });
    let mut random: String = random.collect();
    if !extension.is_empty() {
        random.push('.');
        random.push_str(extension);
    }
    random
}

fn seed(text: &str) -> u64 {
    text.bytes().fold(17, |hash, byte| mix(hash ^ u64::from(byte)))
}

fn mix(state: u64) -> u64 {
    let mixed = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the paths of the URLs that are invented from `path` and `other` (`""` for none).
    #[track_caller]
    fn check(path: &str, other: &str, expect: [&str; 2]) {
        let url = |path: &str| Url::parse(&format!("https://example.org{path}")).unwrap();
        let other = (!other.is_empty()).then(|| url(other));
        let found = invent(&url(path), other.as_ref());
        let found: Vec<&str> = found
            .iter()
            .map(|url| url.as_str().trim_start_matches("https://example.org"))
            .collect();
        assert_eq!(found, expect, "{path}");
    }

    #[test]
    fn numbers_and_dates_become_larger() {
        check("/list?p=7", "", ["/list?p=1000073", "/list?p=2000076"]);
        check("/list?p=7&n=3", "/list?p=6&n=3", ["/list?p=1000073&n=3", "/list?p=2000076&n=3"]);
        check("/cal/2026/05", "", ["/cal/2087/05", "/cal/2148/05"]);
        check("/cal/2026-05-01", "", ["/cal/2087-05-01", "/cal/2148-05-01"]);
        check("/g?a=log;h=7", "/g?a=log;h=6", ["/g?a=log;h=1000073", "/g?a=log;h=2000076"]);
    }

    #[test]
    fn generated_segment_is_replaced_before_a_name() {
        let url = Url::parse("https://example.org/git/blob/a1b2c3d4e5f6/src/main.c").unwrap();
        for invented in invent(&url, None) {
            let path = invented.path();
            assert!(path.starts_with("/git/blob/") && path.ends_with("/src/main.c"), "{path}");
        }
        check("/item/7/view", "", ["/item/1000073/view", "/item/2000076/view"]);
    }

    #[test]
    fn names_stay_in_their_form() {
        let url = Url::parse("https://example.org/tree/Alpha-beta2.html").unwrap();
        for invented in invent(&url, None) {
            let name = invented.path().trim_start_matches("/tree/");
            let (stem, extension) = name.split_once('.').unwrap();
            assert_eq!((stem.len(), extension, stem.get(5..6)), (11, "html", Some("-")), "{name}");
            assert_ne!(stem, "Alpha-beta2");
            assert!(stem.ends_with(|letter: char| letter.is_ascii_digit()), "{name}");
        }
        assert_eq!(invent(&Url::parse("https://example.org/").unwrap(), None), []);
    }
}
