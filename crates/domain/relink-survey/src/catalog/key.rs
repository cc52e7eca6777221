//! Keys under which URLs are grouped, from fine to coarse.
//!
//! Pages of a directory tend to die together (paper "FABLE", figure 2), so the finest key is the
//! directory: the URL up to its last slash. If the URL has a query, the query selects the page,
//! and the finest key consists of the whole path and the names of the parameters. A group that
//! is too small gets a coarser key.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The granularity of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grain {
    /// The directory.
    Directory,
    /// The directory without its numbers: `/item/7/` equals `/item/8/`.
    WithoutNumbers,
    /// The parent directory without its numbers.
    Parent,
    /// The grandparent directory without its numbers.
    Grandparent,
    /// The whole domain.
    Whole,
}

impl Grain {
    /// All granularities, finest first.
    pub(super) const ALL: [Self; 5] =
        [Self::Directory, Self::WithoutNumbers, Self::Parent, Self::Grandparent, Self::Whole];
}

/// Returns the key of a URL; URLs with equal keys are grouped.
pub(super) fn key(url: &str, grain: Grain) -> u64 {
    let mut hasher = DefaultHasher::new();
    let (host, path, query) = parts(url);
    match grain {
        Grain::Directory => (host, directory(path, query), names(query)).hash(&mut hasher),
        Grain::WithoutNumbers => {
            hash_without_numbers(host, &mut hasher);
            hash_without_numbers(directory(path, query), &mut hasher);
            names(query).hash(&mut hasher);
        }
        Grain::Parent => hash_without_numbers(parent(directory(path, query)), &mut hasher),
        Grain::Grandparent => {
            hash_without_numbers(parent(parent(directory(path, query))), &mut hasher);
        }
        Grain::Whole => {}
    }
    hasher.finish()
}

/// Splits a URL into host, path and query. Every part may be empty.
pub(super) fn parts(url: &str) -> (&str, &str, Option<&str>) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, rest) = rest.split_at(end);
    match rest.split_once('?') {
        Some((path, query)) => (host, path, Some(query)),
        None => (host, rest, None),
    }
}

/// Returns the directory of a path: the part up to its last slash, or the whole path if the URL
/// has a query. A slash at the end belongs to the name of the page.
fn directory<'a>(path: &'a str, query: Option<&str>) -> &'a str {
    if query.is_some_and(|query| !query.is_empty()) { path } else { parent(path) }
}

/// Returns the path of the parent directory: `/a/b` and `/a/b/` both have the parent `/a/`.
fn parent(path: &str) -> &str {
    let path = path.strip_suffix('/').unwrap_or(path);
    path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or_default()
}

/// Returns the names in a query in their order.
fn names(query: Option<&str>) -> Vec<&str> {
    pairs(query.unwrap_or_default()).map(|(name, _)| name).collect()
}

/// Returns the names and values of a query.
pub(super) fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split(['&', ';']).map(|pair| pair.split_once('=').unwrap_or(("", pair)))
}

/// Hashes a text in which `#` replaces each number.
fn hash_without_numbers(text: &str, hasher: &mut DefaultHasher) {
    let mut in_number = false;
    for &byte in text.as_bytes() {
        if !byte.is_ascii_digit() {
            byte.hash(hasher);
        } else if !in_number {
            b'#'.hash(hasher);
        }
        in_number = byte.is_ascii_digit();
    }
    // Mark the end, so that `ab` followed by `c` and `a` followed by `bc` have different keys.
    u8::MAX.hash(hasher);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the granularities at which two URLs have equal keys.
    #[track_caller]
    fn check(one: &str, other: &str, expect: &[Grain]) {
        let has_equal_key = |grain: &Grain| key(one, *grain) == key(other, *grain);
        let found: Vec<Grain> = Grain::ALL.into_iter().filter(has_equal_key).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn pages_of_a_directory_have_equal_keys() {
        check("http://a.test/x/1.html", "http://a.test/x/2.html", &Grain::ALL);
        // Two directories have the same parent; `Parent` is the third granularity.
        check("http://a.test/x/1", "http://a.test/y/2", &Grain::ALL[2..]);
    }

    #[test]
    fn trailing_slash_does_not_make_a_directory() {
        check("http://a.test/item/17/", "http://a.test/item/18/", &Grain::ALL);
    }

    #[test]
    fn pages_that_differ_in_a_query_value_have_equal_keys() {
        check("http://a.test/view?id=1", "http://a.test/view?id=2", &Grain::ALL);
        check("http://a.test/view?id=1", "http://a.test/list?id=2", &Grain::ALL[2..]);
        check("http://a.test/view?id=1", "http://a.test/view?name=2", &Grain::ALL[2..]);
    }

    #[test]
    fn numbers_in_the_directory_are_ignored_at_the_second_granularity() {
        check("http://a.test/i/17/view", "http://a.test/i/9/view", &Grain::ALL[1..]);
    }

    #[test]
    fn key_accepts_any_text() {
        for text in ["", "?", "://", "mailto:a", "http://", "http://a?b=c", "/x//", "é?ü=ö"] {
            let _ = Grain::ALL.map(|grain| key(text, grain));
        }
    }
}
