//! Addresses to compare with: which ones, and who may share the answer.
//!
//! A stray is an address that cannot exist, because its name is random; what a
//! server says to it, it says to every page it does not have. Strays of one
//! directory are shared by all targets there, so a site of a thousand pages is
//! asked a few more questions, not a thousand.
//!
//! Only letters are looked at here; nothing is asked.

use std::cmp::Reverse;

use relink_model::ControlKind;

use crate::url_parts::{Parameter, UrlParts, numbers};

/// Letters in a random name (sic-transit §3: R = 25).
pub const RANDOM_NAME_LENGTH: usize = 25;

/// Digits by which a random number is longer than the one it stands for, so
/// that it lies beyond any numbering in use.
const MORE_DIGITS: usize = 3;

/// Query parameters that choose a part or a form of the page.
pub(crate) const FORMS: [&str; 14] = [
    "page", "pg", "start", "offset", "limit", "sort", "order", "dir", "view", "tab", "per_page",
    "variant", "size", "color",
];

/// An address to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlUrl {
    /// The address.
    pub url: String,
    /// What all targets have in common that may share the answer.
    pub key: String,
}

/// The sibling of a canonical URL; `None` if it has none of this kind, or if
/// only the store can name one.
///
/// ```
/// use relink_judge::control_url;
/// use relink_model::ControlKind;
/// let stray = sibling(ControlKind::Stray, "http://example.org/docs/a.html", 7).unwrap();
/// assert!(stray.url.starts_with("http://example.org/docs/"));
/// assert!(stray.url.ends_with(".html"));
/// assert_eq!(stray.key, "stray http://example.org/docs/*.html");
/// ```
pub fn control_url(kind: ControlKind, url: &str, salt: u64) -> Option<ControlUrl> {
    let pattern = pattern(kind, url)?;
    let key = pattern.key(kind);
    let url = pattern.filled(&mut Letters::new(salt, &key));
    Some(ControlUrl { url, key })
}

/// The key under which a sibling's answer is shared.
pub fn control_key(kind: ControlKind, url: &str) -> Option<String> {
    pattern(kind, url).map(|pattern| pattern.key(kind))
}

/// An address with a gap in it.
struct UrlTemplate<'a> {
    before: Vec<&'a str>,
    gap: Gap,
    after: Vec<&'a str>,
}

enum Gap {
    Letters,
    Digits(usize),
    Nothing,
}

fn pattern(kind: ControlKind, url: &str) -> Option<UrlTemplate<'_>> {
    let address = UrlParts::of(url)?;
    match kind {
        ControlKind::RandomName | ControlKind::SecondRandomName => Some(stray(address)),
        ControlKind::RandomNameInParent => Some(stray_in_parent(address)),
        ControlKind::RandomSuffix => Some(stray_suffix(address)),
        ControlKind::RandomQueryValue => stray_query(address),
        ControlKind::RandomPathNumber => stray_number(address),
        ControlKind::HomePage => Some(whole(vec![address.origin, "/"])),
        ControlKind::Refetch => Some(whole(vec![url])),
        ControlKind::Neighbor | ControlKind::SecondNeighbor => None,
    }
}

/// A random name with the same extension, or with the same final slash.
fn stray(address: UrlParts<'_>) -> UrlTemplate<'_> {
    let ending = if address.path.ends_with('/') && address.path != "/" {
        "/"
    } else {
        address.extension().map_or("", |(_, ending)| ending)
    };
    let before = vec![address.origin, address.parent()];
    UrlTemplate { before, gap: Gap::Letters, after: vec![ending] }
}

/// A random name in the parent directory, and nothing else.
fn stray_in_parent(address: UrlParts<'_>) -> UrlTemplate<'_> {
    let before = vec![address.origin, address.parent()];
    UrlTemplate { before, gap: Gap::Letters, after: vec![] }
}

/// A random name in place of all that follows the last slash.
fn stray_suffix(address: UrlParts<'_>) -> UrlTemplate<'_> {
    let directory = address.directory();
    UrlTemplate { before: vec![address.origin, directory], gap: Gap::Letters, after: vec![] }
}

/// Another value for the parameter that most likely chooses the page.
fn stray_query(address: UrlParts<'_>) -> Option<UrlTemplate<'_>> {
    let query = address.query?;
    let chosen = address
        .choosing()
        .filter(|parameter| !parameter.value.is_empty())
        .filter(|parameter| !chooses_form(parameter))
        .max_by_key(|parameter| (likelihood(parameter), Reverse(parameter.start)))?;
    let (front, value) = query.split_at_checked(chosen.start)?;
    let before = vec![address.origin, address.path, "?", front];
    let after = vec![value.strip_prefix(chosen.value)?];
    Some(UrlTemplate { before, gap: gap_for(chosen.value), after })
}

/// Another number in the path.
fn stray_number(address: UrlParts<'_>) -> Option<UrlTemplate<'_>> {
    let number = numbers(address.path).max_by_key(|number| (number.is_segment, number.length()))?;
    let (start, end) = (number.start, number.end);
    let query = if address.query.is_some() { "?" } else { "" };
    let before = vec![address.origin, address.path.get(..start)?];
    let after = vec![address.path.get(end..)?, query, address.query.unwrap_or_default()];
    Some(UrlTemplate { before, gap: Gap::Digits(end - start), after })
}

fn whole(before: Vec<&str>) -> UrlTemplate<'_> {
    UrlTemplate { before, gap: Gap::Nothing, after: vec![] }
}

/// Whether a parameter chooses a part or a form; `page=about` names a page.
fn chooses_form(parameter: &Parameter<'_>) -> bool {
    let is_number = parameter.value.bytes().all(|byte| byte.is_ascii_digit());
    let is_form = FORMS.contains(&parameter.name.to_ascii_lowercase().as_str());
    is_form && (is_number || parameter.name.len() > "page".len())
}

/// How likely a parameter chooses the page: numbers, then names that say so.
fn likelihood(parameter: &Parameter<'_>) -> (bool, bool) {
    let is_number = parameter.value.bytes().all(|byte| byte.is_ascii_digit());
    let name = parameter.name.to_ascii_lowercase();
    let is_telling = ["id", "no", "nr", "num", "item", "art", "doc", "rec", "story", "key", "isbn"]
        .iter()
        .any(|telling| name.ends_with(telling));
    (is_telling, is_number)
}

fn gap_for(value: &str) -> Gap {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { Gap::Digits(value.len()) } else { Gap::Letters }
}

impl UrlTemplate<'_> {
    fn key(&self, kind: ControlKind) -> String {
        let gap = match self.gap {
            Gap::Letters | Gap::Digits(_) => "*",
            Gap::Nothing => "",
        };
        // Asked for every page, so room is made once.
        let parts = self.before.iter().chain(&self.after);
        let length = parts.map(|part| part.len()).sum::<usize>() + kind.as_str().len() + 2;
        let mut key = String::with_capacity(length);
        key.push_str(kind.as_str());
        key.push(' ');
        key.extend(self.before.iter().copied());
        key.push_str(gap);
        key.extend(self.after.iter().copied());
        key
    }

    fn filled(&self, letters: &mut Letters) -> String {
        let mut url: String = self.before.iter().copied().collect();
        match self.gap {
            Gap::Letters => url.extend((0..RANDOM_NAME_LENGTH).map(|_| letters.letter())),
            Gap::Digits(length) => {
                url.push('9');
                url.extend((0..length + MORE_DIGITS - 1).map(|_| letters.digit()));
            }
            Gap::Nothing => {}
        }
        url.extend(self.after.iter().copied());
        url
    }
}

/// Letters and digits from a seed (`SplitMix64`).
struct Letters(u64);

impl Letters {
    /// The key takes part, so that each directory has a name of its own.
    fn new(salt: u64, key: &str) -> Self {
        let mixed = key.bytes().fold(salt ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(mixed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn letter(&mut self) -> char {
        char::from(b'a' + self.below(26))
    }

    fn digit(&mut self) -> char {
        char::from(b'0' + self.below(10))
    }

    fn below(&mut self, bound: u8) -> u8 {
        u8::try_from(self.next() % u64::from(bound)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: ControlKind, url: &str, expect: &str) {
        let control = control_url(kind, url, 1);
        let key = control.as_ref().map_or("none", |control| &control.key);
        assert_eq!(key.split_once(' ').map_or(key, |(_, rest)| rest), expect);
        if let Some(control) = control {
            let gap = control.url.len() + 1 - expect.len();
            assert!(!expect.contains('*') || gap >= MORE_DIGITS, "{}", control.url);
            assert_eq!(control_key(kind, url), Some(control.key));
        }
    }

    #[test]
    fn a_stray_keeps_the_directory_and_the_form_of_the_name() {
        use ControlKind::RandomName;
        check(RandomName, "http://a.test/", "http://a.test/*");
        check(RandomName, "http://a.test/us", "http://a.test/*");
        check(RandomName, "http://a.test/us/", "http://a.test/*/");
        check(RandomName, "http://a.test/us/hr", "http://a.test/us/*");
        check(RandomName, "http://a.test/d/a.html?x=1", "http://a.test/d/*.html");
        check(RandomName, "http://a.test/d/.x", "http://a.test/d/*");
        check(RandomName, "http://a.test/v1.2/notes", "http://a.test/v1.2/*");
        check(RandomName, "http://a.test/d/a.tar.gz", "http://a.test/d/*.gz");
    }

    #[test]
    fn a_suffix_stray_replaces_what_follows_the_last_slash() {
        use ControlKind::RandomSuffix;
        check(RandomSuffix, "http://a.test/us/", "http://a.test/us/*");
        check(RandomSuffix, "http://a.test/us/a.html?b", "http://a.test/us/*");
    }

    #[test]
    fn a_stray_query_changes_the_value_that_chooses() {
        use ControlKind::RandomQueryValue;
        check(RandomQueryValue, "http://a.test/i.php?id=12", "http://a.test/i.php?id=*");
        check(
            RandomQueryValue,
            "http://a.test/i?t=book&id=12&v=3",
            "http://a.test/i?t=book&id=*&v=3",
        );
        check(RandomQueryValue, "http://a.test/i?name=x&p=4", "http://a.test/i?name=x&p=*");
        check(RandomQueryValue, "http://a.test/i?utm_source=x&lang=de", "none");
        check(RandomQueryValue, "http://a.test/i?flag", "none");
        check(RandomQueryValue, "http://a.test/i", "none");
    }

    #[test]
    fn stray_query_ignores_parameters_that_bust_caches() {
        use ControlKind::RandomQueryValue;
        check(RandomQueryValue, "http://a.test/a.js?ver=6.1", "none");
        check(RandomQueryValue, "http://a.test/logo.svg?v=3", "none");
        check(
            RandomQueryValue,
            "http://a.test/i.php?ver=6.1&id=12",
            "http://a.test/i.php?ver=6.1&id=*",
        );
        check(RandomQueryValue, "http://a.test/watch?v=3", "http://a.test/watch?v=*");
    }

    #[test]
    fn a_stray_number_changes_a_number_that_is_no_date() {
        use ControlKind::RandomPathNumber;
        check(RandomPathNumber, "http://a.test/news/419483/story", "http://a.test/news/*/story");
        check(
            RandomPathNumber,
            "http://a.test/2014/05/story-17.html",
            "http://a.test/2014/05/story-*.html",
        );
        check(RandomPathNumber, "http://a.test/item/7?x", "http://a.test/item/*?x");
        check(RandomPathNumber, "http://a.test/2014/05/story", "none");
        check(RandomPathNumber, "http://a.test/h2o", "none");
    }

    #[test]
    fn strays_differ_from_directory_to_directory_and_from_salt_to_salt() {
        let name = |url: &str, salt| {
            let url = control_url(ControlKind::RandomName, url, salt).unwrap().url;
            url.rsplit('/').next().unwrap().to_owned()
        };
        let one = name("http://a.test/a/x", 1);
        assert_eq!(one.len(), RANDOM_NAME_LENGTH);
        assert_eq!(one, name("http://a.test/a/y", 1));
        assert_ne!(one, name("http://a.test/b/x", 1));
        assert_ne!(one, name("http://a.test/a/x", 2));
    }
}
