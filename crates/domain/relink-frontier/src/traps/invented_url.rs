//! URLs that a crawl invents to test whether a site generates pages for any URL.
//!
//! An invented URL has the form of a known URL. The part in which the known URLs of a set
//! differ (a number, a date, an id, a name) is replaced by another value of the same form: a
//! larger number, a date years later, a random name of the same length. Every other test of a
//! set combines the words of two known names instead, because a generator may accept only its
//! own words. The same known URLs always give the same invented URLs.

use url::Url;

use super::segment_class::{SegmentClass, is_date};
use crate::query::{join_parameters, parameters};

/// Number of invented URLs of a test.
const URLS_PER_TEST: u64 = 2;
/// Number of years by which a date is moved: beyond the entries of real calendars, and within
/// the range of most generated calendars.
const YEAR_OFFSETS: [i32; 2] = [4, 9];
/// Added to a number after it is multiplied by ten. No page has such a large number.
const NUMBER_OFFSET: u64 = 1_000_003;
/// Maximum number of digits of a number. Longer numbers are replaced like random names.
const MAX_NUMBER_DIGITS: usize = 7;

/// The form of the part of a URL that is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InventedForm {
    Date,
    /// A number, with the value in the known URL.
    Number(u64),
    Name,
}

/// Invented URLs of the same form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InventedUrls {
    pub(super) urls: Vec<Url>,
    pub(super) form: InventedForm,
}

/// Invents the URLs of one test.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inventor {
    /// The year in which the crawl started.
    year: i32,
    /// Whether names are combined from the words of known names.
    combines_words: bool,
}

impl Inventor {
    /// Returns an inventor for a crawl that starts in `year`.
    pub(super) fn new(year: i16) -> Self {
        Self { year: i32::from(year), combines_words: false }
    }

    /// Returns the inventor for the test with the number `round`, from 0, of a set. Tests with
    /// random names and tests with combined names alternate.
    pub(super) fn with_round(self, round: u32) -> Self {
        Self { combines_words: !round.is_multiple_of(2), ..self }
    }

    /// Returns invented URLs of the form of `url`, or none if no part of the URL can be replaced.
    /// `other` is another URL of the set. A part in which both URLs differ is replaced.
    pub(super) fn invent(self, url: &Url, other: Option<&Url>) -> InventedUrls {
        let part =
            if url.query().is_some() { query_part(url, other) } else { self.path_part(url, other) };
        let Some(part) = part else {
            return InventedUrls { urls: Vec::new(), form: InventedForm::Name };
        };
        let urls =
            (1..=URLS_PER_TEST).filter_map(|url_number| self.invent_one(url, &part, url_number));
        InventedUrls { urls: urls.collect(), form: self.form(&part) }
    }

    /// Returns the segment of the path to replace. In order of preference: a generated segment
    /// (number, date, id) that differs between the URLs; another generated segment; another
    /// segment that differs; the last segment. Tests with combined names prefer a segment that
    /// differs. If the segment is part of a date such as `/2026/05/31`, returns the year.
    fn path_part<'a>(self, url: &'a Url, other: Option<&'a Url>) -> Option<ReplacedPart<'a>> {
        let segments: Vec<&str> = url.path().split('/').collect();
        let other = other.map(Url::path).unwrap_or_default();
        let other_segments: Vec<&str> = other.split('/').collect();
        let is_generated = |index: &usize| {
            segments.get(*index).is_some_and(|segment| is_generated_segment(segment))
        };
        let differing = differing_segments(&segments, &other_segments);
        let first_differing = differing.first().copied();
        // The last generated segment may be unimportant: below every version id, a version control
        // system has the same file names. Therefore, differing segments are searched first.
        let last_generated = (0..segments.len()).rfind(is_generated);
        let differing_generated = differing.into_iter().find(is_generated);
        let second_choice = if self.combines_words { first_differing } else { last_generated };
        let last_segment = || segments.iter().rposition(|segment| !segment.is_empty());
        let position = differing_generated
            .or(second_choice)
            .or(last_generated)
            .or(first_differing)
            .or_else(last_segment)?;
        let year = year_of_date(&segments, position);
        let position = year.unwrap_or(position);
        Some(ReplacedPart {
            position: Position::Segment(position),
            value: segments.get(position)?,
            other: other_segments.get(position).copied(),
            is_year: year.is_some(),
        })
    }

    /// Returns the form of the part. It determines how the part is replaced.
    fn form(self, part: &ReplacedPart<'_>) -> InventedForm {
        match part.value.parse::<u64>() {
            _ if part.is_year || is_date(part.value) => InventedForm::Date,
            Ok(number) if part.value.len() <= MAX_NUMBER_DIGITS => InventedForm::Number(number),
            // In names such as `board-1-page-7`, only the numbers differ.
            _ if self.combines_words && has_separate_numbers(part.value) => {
                largest_number(part.value).map_or(InventedForm::Name, InventedForm::Number)
            }
            _ => InventedForm::Name,
        }
    }

    /// Returns the invented URL with this number, from 1.
    fn invent_one(self, url: &Url, part: &ReplacedPart<'_>, url_number: u64) -> Option<Url> {
        let seed = seed_of(url.as_str()) ^ url_number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let value = self.invent_value(part, seed, url_number)?;
        let mut invented = url.clone();
        match part.position {
            Position::Parameter(position) => {
                invented.set_query(Some(&query_with_value(url, position, &value)?));
            }
            Position::Segment(position) => {
                let mut segments: Vec<&str> = url.path().split('/').collect();
                *segments.get_mut(position)? = &value;
                invented.set_path(&segments.join("/"));
            }
        }
        (invented != *url).then_some(invented)
    }

    /// Returns another value of the same form as the part.
    fn invent_value(self, part: &ReplacedPart<'_>, seed: u64, url_number: u64) -> Option<String> {
        let value = part.value;
        if self.form(part) == InventedForm::Date {
            let (year, rest) = value.split_at_checked(4).unwrap_or((value, ""));
            return Some(self.later_year(year, url_number)? + rest);
        }
        match value.parse::<u64>() {
            Ok(number) if value.len() <= MAX_NUMBER_DIGITS => {
                Some(enlarge_number(number, url_number))
            }
            _ if self.combines_words => {
                let combined = combined_name(value, part.other, url_number);
                Some(combined.unwrap_or_else(|| random_name(value, seed, url_number)))
            }
            _ => Some(random_name(value, seed, url_number)),
        }
    }

    /// Returns a year after `year` and after the start of the crawl.
    fn later_year(self, year: &str, url_number: u64) -> Option<String> {
        let year: i32 = year.parse().ok()?;
        let index = usize::try_from(url_number.checked_sub(1)?).ok()?;
        Some(year.max(self.year).checked_add(*YEAR_OFFSETS.get(index)?)?.to_string())
    }
}

/// The position of the replaced part.
#[derive(Debug, Clone, Copy)]
enum Position {
    /// Index of a parameter.
    Parameter(usize),
    /// Index of a part between slashes.
    Segment(usize),
}

/// The part of a URL that is replaced.
#[derive(Debug, Clone, Copy)]
struct ReplacedPart<'a> {
    position: Position,
    value: &'a str,
    /// The same part of another URL of the set.
    other: Option<&'a str>,
    /// Whether the value is the year of a date in several segments.
    is_year: bool,
}

/// Returns the last parameter whose value differs between the URLs. If there is no other URL,
/// returns the last parameter with a value.
fn query_part<'a>(url: &'a Url, other: Option<&'a Url>) -> Option<ReplacedPart<'a>> {
    let other_parameters: Vec<_> = other.into_iter().flat_map(parameters).collect();
    let own_parameters: Vec<_> = parameters(url).collect();
    let is_in_other = |text: &str| other_parameters.iter().any(|other| other.text == text);
    let position = own_parameters
        .iter()
        .rposition(|parameter| !parameter.value.is_empty() && !is_in_other(parameter.text))?;
    let parameter = own_parameters.get(position)?;
    let same_key = other_parameters.iter().find(|other| other.key == parameter.key);
    let other = same_key.map(|parameter| parameter.value);
    let position = Position::Parameter(position);
    Some(ReplacedPart { position, value: parameter.value, other, is_year: false })
}

/// Returns the query of a URL with another value of the parameter at `position`.
fn query_with_value(url: &Url, position: usize, value: &str) -> Option<String> {
    let mut changed: Vec<_> = parameters(url).collect();
    let parameter = changed.get_mut(position)?;
    let text = format!("{}={value}", parameter.key);
    parameter.text = &text;
    join_parameters(changed)
}

/// Returns the positions of the segments that differ from the segments of another path. Returns
/// none if the paths have different numbers of segments.
fn differing_segments(segments: &[&str], others: &[&str]) -> Vec<usize> {
    if segments.len() != others.len() {
        return Vec::new();
    }
    let pairs = segments.iter().zip(others).enumerate();
    let differing = pairs.filter(|(_, (own, other))| own != other && !own.is_empty());
    differing.map(|(index, _)| index).collect()
}

/// Returns the position of the year of a date that contains the segment at `position`, or `None`
/// if the segment is not part of a date.
fn year_of_date(segments: &[&str], position: usize) -> Option<usize> {
    let is_year = |segment: &&str| {
        segment.len() == 4 && segment.parse::<i32>().is_ok_and(|year| (1900..2200).contains(&year))
    };
    let is_short_number = |segment: &&str| {
        matches!(segment.len(), 1..=2) && segment.bytes().all(|byte| byte.is_ascii_digit())
    };
    let year = segments.get(..=position)?.iter().rposition(is_year)?;
    // The month follows the year. All segments from the year to `position` belong to the date.
    let date = segments.get(year + 1..=position.max(year + 1))?;
    date.iter().all(is_short_number).then_some(year)
}

/// Whether a path segment is a number, a date or a generated name.
fn is_generated_segment(segment: &str) -> bool {
    SegmentClass::from_segment(segment, SegmentClass::Literal, None) != SegmentClass::Literal
}

/// Returns a larger number, which depends on the number of the invented URL.
fn enlarge_number(number: u64, url_number: u64) -> String {
    number.saturating_mul(10).saturating_add(NUMBER_OFFSET * url_number).to_string()
}

/// Splits a name where its characters change between letters, digits and other characters:
/// `page-7` becomes `page`, `-` and `7`.
fn split_name(name: &str) -> Vec<&str> {
    let class = |letter: char| (letter.is_alphabetic(), letter.is_ascii_digit());
    let mut parts = Vec::new();
    let mut start = 0;
    let letters: Vec<(usize, char)> = name.char_indices().collect();
    for pair in letters.windows(2) {
        if let [(_, before), (index, after)] = pair
            && class(*before) != class(*after)
        {
            parts.extend(name.get(start..*index));
            start = *index;
        }
    }
    parts.extend(name.get(start..));
    parts
}

/// Whether a part of a name consists of digits.
fn is_number(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether numbers in a name are separate from its words, unlike in `a4f09c`.
fn has_separate_numbers(name: &str) -> bool {
    let parts = split_name(name);
    let is_word = |part: &&str| part.chars().all(char::is_alphabetic);
    !parts.windows(2).any(|pair| matches!(pair, [one, two] if is_number(one) && is_word(two)))
}

/// Returns the largest number in a name.
fn largest_number(name: &str) -> Option<u64> {
    split_name(name).into_iter().filter_map(|part| part.parse().ok()).max()
}

/// Combines the words of a name with the words of another name, and enlarges the numbers. Returns
/// `None` if the result would not be a third name.
fn combined_name(name: &str, other: Option<&str>, url_number: u64) -> Option<String> {
    let (own_parts, other_parts) = (split_name(name), split_name(other?));
    if own_parts.len() != other_parts.len() || own_parts.len() < 2 {
        return None;
    }
    let mut combined = String::new();
    for (index, (own, other)) in own_parts.iter().zip(&other_parts).enumerate() {
        match own.parse::<u64>() {
            Ok(number) if own.len() <= MAX_NUMBER_DIGITS => {
                combined.push_str(&enlarge_number(number, url_number));
            }
            // The first URL has the first word of `name` and the other words of `other`. The
            // second URL has the first word of `other` and the other words of `name`.
            _ if (index == 0) == (url_number == 1) => combined.push_str(own),
            _ => combined.push_str(other),
        }
    }
    (combined != name && Some(combined.as_str()) != other).then_some(combined)
}

/// Replaces letters and digits before the file extension by random characters. Hexadecimal names
/// remain hexadecimal. A number that is separate from the letters is enlarged, because it may
/// be an id that selects the page alone.
fn random_name(name: &str, seed: u64, url_number: u64) -> String {
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if extension.len() <= 5 && !stem.is_empty() => (stem, extension),
        _ => (name, ""),
    };
    let is_hex = stem.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let letter_count: u8 = if is_hex { 6 } else { 26 };
    let mut state = seed;
    let mut random_below = |count: u8| {
        state = mix_hash(state);
        u8::try_from(state % u64::from(count)).unwrap_or_default()
    };
    let mut random_letter = |letter: char| match letter {
        '0'..='9' => char::from(b'0' + random_below(10)),
        'a'..='z' => char::from(b'a' + random_below(letter_count)),
        'A'..='Z' => char::from(b'A' + random_below(letter_count)),
        other => other,
    };
    let enlarges_numbers = !is_hex && has_separate_numbers(stem);
    let mut random = String::new();
    for part in split_name(stem) {
        match part.parse::<u64>() {
            Ok(number) if enlarges_numbers && part.len() <= MAX_NUMBER_DIGITS => {
                random.push_str(&enlarge_number(number, url_number));
            }
            _ => random.extend(part.chars().map(&mut random_letter)),
        }
    }
    if !extension.is_empty() {
        random.push('.');
        random.push_str(extension);
    }
    random
}

/// Returns a seed for random names that depends on a text.
fn seed_of(text: &str) -> u64 {
    text.bytes().fold(17, |hash, byte| mix_hash(hash ^ u64::from(byte)))
}

/// Returns the next state of a pseudorandom number generator (`SplitMix64`).
fn mix_hash(state: u64) -> u64 {
    let mixed = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse(&format!("https://example.org{path}")).unwrap()
    }

    /// Returns the paths of the URLs that are invented from `path` and `other` (`""` for none).
    fn invent(inventor: Inventor, path: &str, other: &str) -> Vec<String> {
        let other = (!other.is_empty()).then(|| url(other));
        let invented = inventor.invent(&url(path), other.as_ref()).urls;
        let path = |url: &Url| url.as_str().trim_start_matches("https://example.org").to_owned();
        invented.iter().map(path).collect()
    }

    /// Asserts the URLs that the first test of a set invents.
    #[track_caller]
    fn check(path: &str, other: &str, expect: [&str; 2]) {
        assert_eq!(invent(Inventor::new(2026), path, other), expect, "{path}");
    }

    /// Asserts the URLs of the second test of a set.
    #[track_caller]
    fn check_combined(path: &str, other: &str, expect: [&str; 2]) {
        assert_eq!(invent(Inventor::new(2026).with_round(1), path, other), expect, "{path}");
    }

    #[test]
    fn numbers_and_dates_become_larger() {
        check("/list?p=7", "", ["/list?p=1000073", "/list?p=2000076"]);
        check("/list?p=7&n=3", "/list?p=6&n=3", ["/list?p=1000073&n=3", "/list?p=2000076&n=3"]);
        check("/cal/2026/05", "", ["/cal/2030/05", "/cal/2035/05"]);
        check("/cal/1990/05", "/cal/1991/05", ["/cal/2030/05", "/cal/2035/05"]);
        check("/cal/2040-05-01", "", ["/cal/2044-05-01", "/cal/2049-05-01"]);
        check(
            "/d/2026/05/14/choir",
            "/d/2026/05/15/chess",
            ["/d/2030/05/14/choir", "/d/2035/05/14/choir"],
        );
        check("/g?a=log;h=7", "/g?a=log;h=6", ["/g?a=log;h=1000073", "/g?a=log;h=2000076"]);
    }

    #[test]
    fn differing_segment_is_replaced_before_a_name() {
        let path = "/git/blob/a1b2c3d4e5f6/src/main.c";
        for invented in invent(Inventor::new(2026), path, "") {
            assert!(
                invented.starts_with("/git/blob/") && invented.ends_with("/src/main.c"),
                "{invented}"
            );
        }
        check("/item/7/view", "", ["/item/1000073/view", "/item/2000076/view"]);
        check("/7/view", "/7/edit", ["/1000073/view", "/2000076/view"]);
        for invented in invent(Inventor::new(2026), "/people/ada/photos", "/people/bob/friends") {
            assert!(
                invented.starts_with("/people/") && invented.ends_with("/photos"),
                "{invented}"
            );
        }
    }

    #[test]
    fn names_stay_in_their_form() {
        for invented in invent(Inventor::new(2026), "/tree/Alpha-beta.html", "") {
            let name = invented.trim_start_matches("/tree/");
            let (stem, extension) = name.split_once('.').unwrap();
            assert_eq!((stem.len(), extension, stem.get(5..6)), (10, "html", Some("-")), "{name}");
            assert_ne!(stem, "Alpha-beta");
        }
        assert!(invent(Inventor::new(2026), "/", "").is_empty());
    }

    #[test]
    fn number_that_may_select_the_page_becomes_larger() {
        for invented in invent(Inventor::new(2026), "/p/12-blue-mug", "") {
            let number = invented.trim_start_matches("/p/").split('-').next().unwrap();
            assert!(number.parse::<u64>().unwrap() > 1_000_000, "{invented}");
        }
    }

    #[test]
    fn names_are_combined_from_known_words() {
        check_combined("/m/ada-river", "/m/bob-stone", ["/m/ada-stone", "/m/bob-river"]);
        check_combined("/m/ada7", "/m/bob8", ["/m/ada1000073", "/m/bob2000076"]);
        check_combined("/b/page-7", "/b/page-8", ["/b/page-1000073", "/b/page-2000076"]);
    }

    #[test]
    fn form_describes_the_replaced_part() {
        let form = |path: &str| Inventor::new(2026).with_round(1).invent(&url(path), None).form;
        assert_eq!(form("/cal/2026/05"), InventedForm::Date);
        assert_eq!(form("/list?p=7"), InventedForm::Number(7));
        assert_eq!(form("/b/board-1-page-77"), InventedForm::Number(77));
        assert_eq!(form("/p/a4f09c"), InventedForm::Name);
        assert_eq!(form("/u/ada"), InventedForm::Name);
    }
}
