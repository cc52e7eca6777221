//! URLs of controls and the keys under which their results are shared.
//!
//! A control is a URL that is fetched only for comparison with a page. Most controls
//! are random URLs, which cannot exist. The response to one shows how the server
//! responds to all missing pages. All targets of a directory share one random URL, so
//! a site with a thousand pages gets only a few more requests.
//!
//! A control must not change data on the server or look like an attack. Controls
//! therefore never request random scripts, never change an identifier in a URL
//! that looks like an action, and never contain a password (see
//! [`control_safety`](crate::control_safety)).
//!
//! This module only builds URLs and sends no requests.

use std::cmp::Reverse;

use relink_model::ControlKind;

use crate::cache_buster::is_hash;
use crate::control_safety::{is_action, is_action_directory, is_script, triggers_attack_filters};
use crate::url_parts::{Number, Parameter, UrlParts, directory_identifier, numbers};

/// Number of letters in a random name (sic-transit §3: R = 25).
pub const RANDOM_NAME_LENGTH: usize = 25;

/// Number of digits by which a random number is longer than the original, so that it
/// is larger than any number in use.
const EXTRA_DIGITS: usize = 3;

/// Query parameters that select a part or a variant of the page.
pub(crate) const VARIANT_PARAMETERS: [&str; 14] = [
    "page", "pg", "start", "offset", "limit", "sort", "order", "dir", "view", "tab", "per_page",
    "variant", "size", "color",
];

/// The URL of a control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlUrl {
    /// The URL.
    pub url: String,
    /// A key that is the same for all targets that share the control.
    pub key: String,
}

/// Returns the control URL of a canonical URL. Returns `None` if the URL has no
/// control of this kind, if only the store knows one, as for neighbors, or if the page
/// contains it (see [`linked_control`](crate::linked_control)).
///
/// ```
/// use relink_judge::control_url;
/// use relink_model::ControlKind;
/// let kind = ControlKind::RandomName;
/// let control = control_url(kind, "http://example.org/docs/a.html", 7).unwrap();
/// assert!(control.url.starts_with("http://example.org/docs/"));
/// assert!(control.url.ends_with(".html"));
/// assert_eq!(control.key, "random-name http://example.org/docs/*.html");
/// ```
pub fn control_url(kind: ControlKind, url: &str, salt: u64) -> Option<ControlUrl> {
    let template = template(kind, url)?;
    let key = template.key(kind);
    let url = template.fill(&mut RandomChars::new(salt, &key));
    Some(ControlUrl { url, key })
}

/// Returns the key under which the result of a control is shared.
pub fn control_key(kind: ControlKind, url: &str) -> Option<String> {
    template(kind, url).map(|template| template.key(kind))
}

/// A URL with a gap for random characters. The parts before and after the gap are
/// joined without separators.
struct UrlTemplate<'a> {
    before: Vec<&'a str>,
    gap: Gap,
    after: Vec<&'a str>,
}

/// The random characters that fill the gap of a [`UrlTemplate`].
enum Gap {
    /// A random name.
    Letters,
    /// A number longer than the original, which has this number of digits.
    Digits(usize),
    /// No gap: the URL is fixed.
    Nothing,
}

fn template(kind: ControlKind, url: &str) -> Option<UrlTemplate<'_>> {
    let parts = UrlParts::parse(url)?;
    let has_random_name = matches!(
        kind,
        ControlKind::RandomName
            | ControlKind::SecondRandomName
            | ControlKind::RandomNameInParent
            | ControlKind::RandomSuffix
    );
    if has_random_name && (is_action_directory(&parts) || triggers_attack_filters(&parts)) {
        return None;
    }
    if !has_random_name && kind != ControlKind::HomePage && is_action(&parts) {
        return None;
    }
    match kind {
        ControlKind::RandomName | ControlKind::SecondRandomName => Some(random_name(parts)),
        ControlKind::RandomNameInParent => Some(random_name_in_parent(parts)),
        ControlKind::RandomSuffix => Some(random_suffix(parts)),
        ControlKind::RandomQueryValue => random_query_value(parts, varied_parameter(parts)?),
        ControlKind::WithoutParameter => without_parameter(parts, varied_parameter(parts)?),
        ControlKind::OtherQueryValue => random_query_value(parts, second_parameter(parts)?),
        ControlKind::WithoutOtherParameter => without_parameter(parts, second_parameter(parts)?),
        ControlKind::RandomPathNumber => random_path_number(parts),
        ControlKind::HomePage => Some(fixed_url(vec![scheme(parts), authority(parts), "/"])),
        ControlKind::Refetch => {
            let query = if parts.query.is_some() { "?" } else { "" };
            let path = vec![scheme(parts), authority(parts), parts.path, query];
            Some(fixed_url([path, vec![parts.query.unwrap_or_default()]].concat()))
        }
        ControlKind::Neighbor | ControlKind::SecondNeighbor | ControlKind::LinkedQueryValue => None,
    }
}

/// Returns the scheme with `://`.
fn scheme(parts: UrlParts<'_>) -> &str {
    parts.origin.find("://").and_then(|at| parts.origin.get(..at + "://".len())).unwrap_or_default()
}

/// Returns the host and port. A user name and password in the URL are omitted.
fn authority(parts: UrlParts<'_>) -> &str {
    let authority = parts.origin.strip_prefix(scheme(parts)).unwrap_or(parts.origin);
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

/// A random name with the same extension or trailing slash. The extension of a
/// script is omitted.
fn random_name(parts: UrlParts<'_>) -> UrlTemplate<'_> {
    let is_directory = parts.path.ends_with('/') && parts.path != "/";
    // Directories such as `name.git/` have an extension, too.
    let name = UrlParts { path: parts.path.trim_end_matches('/'), ..parts };
    let suffix = name.extension().map_or("", |(_, suffix)| suffix);
    let suffix = if is_script(suffix) { "" } else { suffix };
    let before = vec![scheme(parts), authority(parts), parts.parent()];
    let end = if is_directory { "/" } else { "" };
    UrlTemplate { before, gap: Gap::Letters, after: vec![suffix, end] }
}

/// A random name in the parent directory without an extension.
fn random_name_in_parent(parts: UrlParts<'_>) -> UrlTemplate<'_> {
    let before = vec![scheme(parts), authority(parts), parts.parent()];
    UrlTemplate { before, gap: Gap::Letters, after: vec![] }
}

/// A random name instead of everything after the last slash.
fn random_suffix(parts: UrlParts<'_>) -> UrlTemplate<'_> {
    let before = vec![scheme(parts), authority(parts), parts.directory()];
    UrlTemplate { before, gap: Gap::Letters, after: vec![] }
}

/// A random value for a parameter.
fn random_query_value<'a>(parts: UrlParts<'a>, selected: Parameter<'a>) -> Option<UrlTemplate<'a>> {
    let query = parts.query?;
    let (front, value) = query.split_at_checked(selected.start)?;
    let before = vec![scheme(parts), authority(parts), parts.path, "?", front];
    let after = vec![value.strip_prefix(selected.value)?];
    Some(UrlTemplate { before, gap: gap_for(selected.value), after })
}

/// The same URL without a parameter.
fn without_parameter<'a>(parts: UrlParts<'a>, selected: Parameter<'a>) -> Option<UrlTemplate<'a>> {
    let query = parts.query?;
    let start = selected.start.checked_sub(selected.name.len() + 1)?;
    let front = query.get(..start)?.trim_end_matches(['&', ';']);
    let back = query.get(selected.start + selected.value.len()..)?;
    let back = if front.is_empty() { back.trim_start_matches(['&', ';']) } else { back };
    let mark = if front.is_empty() && back.is_empty() { "" } else { "?" };
    Some(fixed_url(vec![scheme(parts), authority(parts), parts.path, mark, front, back]))
}

/// Returns the parameter that most likely selects the page.
pub(crate) fn varied_parameter(parts: UrlParts<'_>) -> Option<Parameter<'_>> {
    candidates(parts).max_by_key(selection_rank)
}

/// Returns the parameter that selects the page if [`varied_parameter`] does not.
pub(crate) fn second_parameter(parts: UrlParts<'_>) -> Option<Parameter<'_>> {
    let first = varied_parameter(parts)?;
    candidates(parts).filter(|parameter| parameter.start != first.start).max_by_key(selection_rank)
}

/// Returns the parameters that may select the page.
fn candidates(parts: UrlParts<'_>) -> impl Iterator<Item = Parameter<'_>> {
    parts
        .selecting_parameters()
        .filter(|parameter| !parameter.value.is_empty())
        .filter(|parameter| !selects_variant(parameter))
}

/// Returns a sort key that is higher the more likely a parameter selects the page:
/// first those whose name says that they identify something, or whose value is a hash, then
/// numbers, then the parameter that comes first in the query.
fn selection_rank(parameter: &Parameter<'_>) -> (bool, bool, Reverse<usize>) {
    let is_number = parameter.value.bytes().all(|byte| byte.is_ascii_digit());
    let identifies = is_identifier(parameter) || is_hash(parameter.value);
    (identifies, is_number, Reverse(parameter.start))
}

/// Whether a parameter likely selects the page: its name says that it identifies
/// something, or it is a number that a script receives, as in `showthread.php?t=977`.
/// The numbers 0 and 1 often switch an option on and off.
pub(crate) fn likely_selects_page(url: UrlParts<'_>, parameter: &Parameter<'_>) -> bool {
    let is_number = parameter.value.parse::<u64>().is_ok_and(|number| number > 1);
    let is_script_path = url.extension().is_some_and(|(_, suffix)| is_script(suffix))
        || url.is_front_page_with_query();
    is_identifier(parameter) || is_hash(parameter.value) || (is_number && is_script_path)
}

/// Whether the name of a parameter says that it identifies something.
pub(crate) fn is_identifier(parameter: &Parameter<'_>) -> bool {
    const ENDINGS: [&str; 11] =
        ["id", "no", "nr", "num", "item", "art", "doc", "rec", "story", "key", "isbn"];
    let name = parameter.name.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// A random value instead of the part of the path that most likely selects the page: a
/// segment that is a number, a directory that is an identifier, or the longest number.
fn random_path_number(parts: UrlParts<'_>) -> Option<UrlTemplate<'_>> {
    if parts.extension().is_some_and(|(_, suffix)| is_script(suffix)) {
        return None;
    }
    let number = selecting_number(parts);
    let number_of_page =
        number.filter(|number| number.is_segment || number.start >= name_start(parts));
    let (start, end, gap) = match (number_of_page, directory_identifier(parts.path), number) {
        (None, Some(identifier), _) => (identifier.start, identifier.end, Gap::Letters),
        (Some(number), ..) | (None, None, Some(number)) => {
            (number.start, number.end, Gap::Digits(number.length()))
        }
        (None, None, None) => return None,
    };
    let query = if parts.query.is_some() { "?" } else { "" };
    let before = vec![scheme(parts), authority(parts), parts.path.get(..start)?];
    let after = vec![parts.path.get(end..)?, query, parts.query.unwrap_or_default()];
    Some(UrlTemplate { before, gap, after })
}

/// Returns the number of a path that most likely selects the page.
fn selecting_number(parts: UrlParts<'_>) -> Option<Number> {
    numbers(parts.path).max_by_key(|number| (number.is_segment, number.length()))
}

/// Returns the position of the last segment of a path.
fn name_start(parts: UrlParts<'_>) -> usize {
    parts.path.trim_end_matches('/').len() - parts.name().len()
}

/// Whether the control with a random path number varies the last segment, and not a
/// directory.
pub(crate) fn random_number_varies_name(parts: UrlParts<'_>) -> bool {
    selecting_number(parts).is_some_and(|number| number.start >= name_start(parts))
}

fn fixed_url(before: Vec<&str>) -> UrlTemplate<'_> {
    UrlTemplate { before, gap: Gap::Nothing, after: vec![] }
}

/// Whether a parameter selects a part or a variant; `page=about` selects a page.
pub(crate) fn selects_variant(parameter: &Parameter<'_>) -> bool {
    let is_number = parameter.value.bytes().all(|byte| byte.is_ascii_digit());
    let is_variant = VARIANT_PARAMETERS.contains(&parameter.name.to_ascii_lowercase().as_str());
    is_variant && (is_number || parameter.name.len() > "page".len())
}

fn gap_for(value: &str) -> Gap {
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { Gap::Digits(value.len()) } else { Gap::Letters }
}

impl UrlTemplate<'_> {
    fn key(&self, kind: ControlKind) -> String {
        // Letters and digits have different keys, because a server may reject letters
        // where it expects a number.
        let gap = match self.gap {
            Gap::Letters => "*",
            Gap::Digits(_) => "#",
            Gap::Nothing => "",
        };
        // Computed for every page, so allocate once.
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

    /// Returns the URL with random characters in the gap.
    fn fill(&self, random: &mut RandomChars) -> String {
        let mut url: String = self.before.iter().copied().collect();
        match self.gap {
            Gap::Letters => url.extend((0..RANDOM_NAME_LENGTH).map(|_| random.letter())),
            Gap::Digits(length) => {
                // No leading zero, so that the number is large.
                url.push('9');
                url.extend((0..length + EXTRA_DIGITS - 1).map(|_| random.digit()));
            }
            Gap::Nothing => {}
        }
        url.extend(self.after.iter().copied());
        url
    }
}

/// Random letters and digits from a seed (`SplitMix64`).
struct RandomChars(u64);

impl RandomChars {
    /// Includes the key in the seed, so that each directory gets another random name.
    fn new(salt: u64, key: &str) -> Self {
        // FNV-1a.
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
            assert!(!expect.contains(['*', '#']) || gap >= EXTRA_DIGITS, "{}", control.url);
            assert_eq!(control_key(kind, url), Some(control.key));
        }
    }

    #[test]
    fn random_name_retains_directory_and_extension() {
        use ControlKind::RandomName;
        check(RandomName, "http://a.test/", "http://a.test/*");
        check(RandomName, "http://a.test/us", "http://a.test/*");
        check(RandomName, "http://a.test/us/", "http://a.test/*/");
        check(RandomName, "http://a.test/tool.git/", "http://a.test/*.git/");
        check(RandomName, "http://a.test/us/hr", "http://a.test/us/*");
        check(RandomName, "http://a.test/d/a.html?x=1", "http://a.test/d/*.html");
        check(RandomName, "http://a.test/d/.x", "http://a.test/d/*");
        check(RandomName, "http://a.test/v1.2/notes", "http://a.test/v1.2/*");
        check(RandomName, "http://a.test/d/a.tar.gz", "http://a.test/d/*.gz");
    }

    #[test]
    fn controls_request_no_random_scripts() {
        use ControlKind::{RandomName, RandomPathNumber, RandomSuffix};
        check(RandomName, "http://a.test/d/show.php?id=3", "http://a.test/d/*");
        check(RandomName, "http://a.test/d/show.ASPX", "http://a.test/d/*");
        check(RandomName, "http://a.test/d/show.phtml", "http://a.test/d/*");
        check(RandomPathNumber, "http://a.test/d/news17.php", "none");
        check(RandomPathNumber, "http://a.test/d/news17.html", "http://a.test/d/news#.html");
        for kind in [RandomName, RandomSuffix] {
            check(kind, "http://a.test/cgi-bin/show", "none");
            check(kind, "http://a.test/webmail/help.html", "none");
        }
    }

    #[test]
    fn actions_get_no_random_identifiers() {
        use ControlKind::{RandomName, RandomPathNumber, RandomQueryValue, Refetch};
        for url in [
            "http://a.test/unsubscribe?id=12",
            "http://a.test/list?action=delete&id=12",
            "http://a.test/shop?add-to-cart=12",
            "http://a.test/view?id=12&token=ab12cd",
            "http://a.test/poll/vote/12?id=3",
            "http://a.test/session/logout?id=3",
        ] {
            check(RandomQueryValue, url, "none");
            check(Refetch, url, "none");
            check(ControlKind::WithoutParameter, url, "none");
        }
        check(RandomPathNumber, "http://a.test/poll/vote/12", "none");
        check(RandomName, "http://a.test/unsubscribe/ab12cd", "none");
        check(RandomName, "http://a.test/logout", "http://a.test/*");
        check(RandomQueryValue, "http://a.test/cartoons?id=12", "http://a.test/cartoons?id=#");
    }

    #[test]
    fn controls_contain_no_password() {
        for kind in ControlKind::ALL {
            let control = control_url(kind, "http://ann:secret@a.test/d/17?id=3", 1);
            let url = control.map(|control| control.url).unwrap_or_default();
            assert!(!url.contains("secret"), "{url}");
        }
    }

    #[test]
    fn without_parameter_removes_the_selecting_parameter() {
        use ControlKind::WithoutParameter;
        let mut expected = vec![
            ("http://a.test/i.php?id=12", "http://a.test/i.php"),
            ("http://a.test/i?t=book&id=12&v=3", "http://a.test/i?t=book&v=3"),
            ("http://a.test/i?id=12;v=3", "http://a.test/i?v=3"),
        ];
        expected.push(("http://a.test/i?t=book&id=12", "http://a.test/i?t=book"));
        for (url, expect) in expected {
            let control = control_url(WithoutParameter, url, 1).unwrap();
            assert_eq!((control.url.as_str(), control.key.contains(expect)), (expect, true));
        }
        assert_eq!(control_url(WithoutParameter, "http://a.test/i?lang=de", 1), None);
    }

    #[test]
    fn random_suffix_replaces_everything_after_last_slash() {
        use ControlKind::RandomSuffix;
        check(RandomSuffix, "http://a.test/us/", "http://a.test/us/*");
        check(RandomSuffix, "http://a.test/us/a.html?b", "http://a.test/us/*");
    }

    #[test]
    fn random_query_value_replaces_the_selecting_value() {
        use ControlKind::RandomQueryValue;
        check(RandomQueryValue, "http://a.test/i.php?id=12", "http://a.test/i.php?id=#");
        check(
            RandomQueryValue,
            "http://a.test/i?t=book&id=12&v=3",
            "http://a.test/i?t=book&id=#&v=3",
        );
        check(RandomQueryValue, "http://a.test/i?name=x&p=4", "http://a.test/i?name=x&p=#");
        check(RandomQueryValue, "http://a.test/i?id=oak", "http://a.test/i?id=*");
        check(RandomQueryValue, "http://a.test/i?utm_source=x&lang=de", "none");
        check(RandomQueryValue, "http://a.test/i?flag", "none");
        check(RandomQueryValue, "http://a.test/i", "none");
    }

    #[test]
    fn second_parameter_is_varied_if_there_is_one() {
        use ControlKind::{OtherQueryValue, WithoutOtherParameter};
        check(OtherQueryValue, "http://a.test/i?name=x&p=4", "http://a.test/i?name=*&p=4");
        check(WithoutOtherParameter, "http://a.test/i?name=x&p=4", "http://a.test/i?p=4");
        check(OtherQueryValue, "http://a.test/i?id=4&page=2", "none");
    }

    #[test]
    fn random_query_value_ignores_cache_busters() {
        use ControlKind::RandomQueryValue;
        check(RandomQueryValue, "http://a.test/a.js?ver=6.1", "none");
        check(RandomQueryValue, "http://a.test/logo.svg?v=3", "none");
        check(
            RandomQueryValue,
            "http://a.test/i.php?ver=6.1&id=12",
            "http://a.test/i.php?ver=6.1&id=#",
        );
        check(RandomQueryValue, "http://a.test/watch?v=3", "http://a.test/watch?v=#");
    }

    #[test]
    fn random_path_number_ignores_dates() {
        use ControlKind::RandomPathNumber;
        check(RandomPathNumber, "http://a.test/news/419483/story", "http://a.test/news/#/story");
        check(
            RandomPathNumber,
            "http://a.test/2014/05/story-17.html",
            "http://a.test/2014/05/story-#.html",
        );
        check(RandomPathNumber, "http://a.test/item/7?x", "http://a.test/item/#?x");
        check(RandomPathNumber, "http://a.test/2014/05/story", "none");
        check(RandomPathNumber, "http://a.test/h2o", "none");
        check(
            RandomPathNumber,
            "http://a.test/file/t1x9vq40zz/a.zip",
            "http://a.test/file/*/a.zip",
        );
        check(RandomPathNumber, "http://a.test/t1x9vq40zz", "none");
        check(RandomPathNumber, "http://a.test/(S(55d587f0b6))/about", "none");
        check(
            RandomPathNumber,
            "http://a.test/s/55d587f0b6/news17",
            "http://a.test/s/55d587f0b6/news#",
        );
    }

    #[test]
    fn random_names_differ_by_directory_and_salt() {
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
