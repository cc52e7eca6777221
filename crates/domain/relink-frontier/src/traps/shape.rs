//! URL shapes that result from errors on a site.
//!
//! The limits are common among large crawlers. Almost no real page exceeds them.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use super::TrapKind;
use crate::host_key;
use crate::query::parameters;

/// Maximum number of path segments.
const MAX_SEGMENTS: usize = 20;
/// Maximum number of consecutive repetitions of a segment.
const MAX_CONSECUTIVE: usize = 2;
/// Maximum number of repetitions of a segment in a path.
const MAX_REPEATS: usize = 3;
/// Maximum length of a URL that all browsers and caches accept.
const MAX_LENGTH: usize = 2_083;
/// Maximum number of distinct keys in a query.
const MAX_KEYS: usize = 8;
/// Number of letters of a segment that a report shows.
const SHOWN_LETTERS: usize = 40;

/// Returns the kind of trap and the section of the site if a URL has the shape of a trap.
pub(super) fn find_trap(url: &Url) -> Option<(TrapKind, String)> {
    let segments: Vec<&str> = segments(url).collect();
    let kind = if has_repeated_segment(&segments) {
        TrapKind::RepeatedSegment
    } else if segments.len() > MAX_SEGMENTS {
        TrapKind::TooDeep
    } else if url.as_str().len() > MAX_LENGTH {
        TrapKind::TooLong
    } else if query_keys(url).len() > MAX_KEYS {
        TrapKind::TooManyParameters
    } else {
        return None;
    };
    let first: String = segments.first()?.chars().take(SHOWN_LETTERS).collect();
    let is_path = segments.len() > 1;
    let suffix = if is_path { "/" } else { "?…" };
    Some((kind, format!("{}/{first}{suffix}", host_key(url))))
}

/// Returns the segments of a path that are not empty.
pub(super) fn segments(url: &Url) -> impl Iterator<Item = &str> {
    url.path().split('/').filter(|segment| !segment.is_empty())
}

/// Whether a segment is repeated too often. Numbers may be repeated more often:
/// `/2011/11/11/11` is a date and an hour.
fn has_repeated_segment(segments: &[&str]) -> bool {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut previous, mut consecutive) = ("", 0);
    for segment in segments {
        consecutive = if *segment == previous { consecutive + 1 } else { 1 };
        previous = segment;
        let count = counts.entry(segment).or_default();
        *count += 1;
        let is_number = segment.bytes().all(|byte| byte.is_ascii_digit());
        let tolerance = if is_number { MAX_REPEATS } else { 0 };
        if consecutive > MAX_CONSECUTIVE + tolerance || *count > MAX_REPEATS + tolerance {
            return true;
        }
    }
    false
}

fn query_keys(url: &Url) -> BTreeSet<&str> {
    parameters(url).map(|parameter| parameter.key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the kind and the pattern of the trap. An empty text means no trap.
    #[track_caller]
    fn check(path: &str, expect: &str) {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        let trap = find_trap(&url).map(|(kind, pattern)| format!("{kind:?} {pattern}"));
        assert_eq!(trap.unwrap_or_default(), expect, "{path}");
    }

    #[test]
    fn find_trap_accepts_normal_urls() {
        check("/", "");
        check("/docs/docs/a", "");
        check("/a/b/a/b/a/b", "");
        check("/2011/11/11/11", "");
        check("/a?b=1&b=2&b=3&b=4&b=5&b=6&b=7&b=8&b=9", "");
    }

    #[test]
    fn find_trap_rejects_repeated_segments() {
        check("/docs/docs/docs/a", "RepeatedSegment example.org/docs/");
        check("/a/b/a/b/a/b/a", "RepeatedSegment example.org/a/");
        check("/1/1/1/1/1/1", "RepeatedSegment example.org/1/");
    }

    #[test]
    fn find_trap_rejects_long_paths_and_queries() {
        let deep: Vec<String> = (0..=20).map(|n| format!("/s{n}")).collect();
        check(&deep.concat(), "TooDeep example.org/s0/");
        check(&deep[..20].concat(), "");
        check(&format!("/a?{}", "x".repeat(2_083)), "TooLong example.org/a?…");
        let keys: Vec<String> = (0..9).map(|n| format!("k{n}=1")).collect();
        let query = format!("/a?{}", keys.join("&"));
        check(&query, "TooManyParameters example.org/a?…");
    }
}
