//! Shapes that only mistakes make.
//!
//! The limits are those that large crawlers have settled on: they are passed
//! by next to no real page.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use super::TrapKind;
use crate::host_key;

/// Path segments of one address.
const MOST_SEGMENTS: usize = 20;
/// How often one segment may stand in a row.
const MOST_IN_A_ROW: usize = 2;
/// How often one segment may stand in one path.
const MOST_REPEATS: usize = 3;
/// The longest address that all browsers and caches take.
const LONGEST: usize = 2_083;
/// Different keys in one query.
const MOST_KEYS: usize = 8;
/// How many segments of a path name it in a report.
const SHOWN_SEGMENTS: usize = 3;

/// The trap an address is by its shape alone, and what to call it.
pub(super) fn trap_of(url: &Url) -> Option<(TrapKind, String)> {
    let segments: Vec<&str> = segments(url).collect();
    let host = host_key(url);
    if let Some(segment) = repeated(&segments) {
        return Some((TrapKind::RepeatedSegment, format!("{host}/…/{segment}/…/{segment}/…")));
    }
    let beginning =
        || format!("{host}/{}/…", segments.get(..SHOWN_SEGMENTS).unwrap_or(&segments).join("/"));
    if segments.len() > MOST_SEGMENTS {
        return Some((TrapKind::TooDeep, beginning()));
    }
    if url.as_str().len() > LONGEST {
        let segments = segments.iter().take(SHOWN_SEGMENTS);
        let short: Vec<String> =
            segments.map(|segment| segment.chars().take(40).collect()).collect();
        return Some((TrapKind::TooLong, format!("{host}/{}…", short.join("/"))));
    }
    let keys = query_keys(url);
    if keys.len() > MOST_KEYS {
        let shown: Vec<&str> = keys.iter().take(SHOWN_SEGMENTS).copied().collect();
        let pattern = format!("{host}{}?{}&… ({} keys)", url.path(), shown.join("&"), keys.len());
        return Some((TrapKind::TooManyParameters, pattern));
    }
    None
}

/// The segments of a path that are not empty.
pub(super) fn segments(url: &Url) -> impl Iterator<Item = &str> {
    url.path().split('/').filter(|segment| !segment.is_empty())
}

/// The segment that repeats itself too often. Numbers may: `/2011/11/11/11`
/// is a date and an hour.
fn repeated<'a>(segments: &[&'a str]) -> Option<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut last, mut in_a_row) = ("", 0);
    for segment in segments {
        in_a_row = if *segment == last { in_a_row + 1 } else { 1 };
        last = segment;
        let count = counts.entry(segment).or_default();
        *count += 1;
        let is_number = segment.bytes().all(|byte| byte.is_ascii_digit());
        let spare = if is_number { MOST_REPEATS } else { 0 };
        if in_a_row > MOST_IN_A_ROW + spare || *count > MOST_REPEATS + spare {
            return Some(segment);
        }
    }
    None
}

fn query_keys(url: &Url) -> BTreeSet<&str> {
    let pairs = url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split('=').next().unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expect: &str) {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        let trap = trap_of(&url).map(|(kind, pattern)| format!("{kind:?} {pattern}"));
        assert_eq!(trap.unwrap_or_default(), expect, "{path}");
    }

    #[test]
    fn ordinary_addresses_have_no_such_shape() {
        check("/", "");
        check("/docs/docs/a", "");
        check("/a/b/a/b/a/b", "");
        check("/2011/11/11/11", "");
        check("/a?b=1&b=2&b=3&b=4&b=5&b=6&b=7&b=8&b=9", "");
    }

    #[test]
    fn segments_do_not_repeat_for_ever() {
        check("/docs/docs/docs/a", "RepeatedSegment example.org/…/docs/…/docs/…");
        check("/a/b/a/b/a/b/a", "RepeatedSegment example.org/…/a/…/a/…");
        check("/1/1/1/1/1/1", "RepeatedSegment example.org/…/1/…/1/…");
    }

    #[test]
    fn paths_and_queries_have_an_end() {
        let deep: Vec<String> = (0..=20).map(|n| format!("/s{n}")).collect();
        check(&deep.concat(), "TooDeep example.org/s0/s1/s2/…");
        check(&deep[..20].concat(), "");
        check(&format!("/a?{}", "x".repeat(2_083)), "TooLong example.org/a…");
        let keys: Vec<String> = (0..9).map(|n| format!("k{n}=1")).collect();
        let query = format!("/a?{}", keys.join("&"));
        check(&query, "TooManyParameters example.org/a?k0&k1&k2&… (9 keys)");
    }
}
