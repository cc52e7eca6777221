//! Under which key URLs belong together, from fine to coarse.
//!
//! Pages of a directory tend to die together (FABLE, fig. 2), so the first key
//! is the directory: the address up to its last slash, or, where a query tells
//! pages apart, the whole path with the names in the query. A group that turns
//! out too small is tried again under a coarser key.

use std::hash::{DefaultHasher, Hash, Hasher};

/// How coarse a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grain {
    /// The directory itself.
    Directory,
    /// Numbers in the directory do not count: `/item/7/` is `/item/8/`.
    NumbersAlike,
    /// The directory above, numbers not counting.
    Parent,
    /// The two directories above.
    Grandparent,
    /// Everything of the domain.
    Whole,
}

impl Grain {
    /// Every grain, finest first.
    pub(super) const ALL: [Self; 5] =
        [Self::Directory, Self::NumbersAlike, Self::Parent, Self::Grandparent, Self::Whole];
}

/// The key of an address at a grain; equal keys belong together.
pub(super) fn key(url: &str, grain: Grain) -> u64 {
    let mut hasher = DefaultHasher::new();
    let (host, path, query) = parts(url);
    match grain {
        Grain::Directory => (host, directory(path, query), names(query)).hash(&mut hasher),
        Grain::NumbersAlike => {
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

/// Host, path and query of an address; no part has to be there.
pub(super) fn parts(url: &str) -> (&str, &str, Option<&str>) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, rest) = rest.split_at(end);
    match rest.split_once('?') {
        Some((path, query)) => (host, path, Some(query)),
        None => (host, rest, None),
    }
}

/// The directory of a path. A query makes the whole path one; a slash at the
/// end belongs to the name before it.
fn directory<'a>(path: &'a str, query: Option<&str>) -> &'a str {
    if query.is_some_and(|query| !query.is_empty()) { path } else { parent(path) }
}

fn parent(path: &str) -> &str {
    let path = path.strip_suffix('/').unwrap_or(path);
    path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or_default()
}

/// The names in a query, in their order of appearance.
fn names(query: Option<&str>) -> Vec<&str> {
    pairs(query.unwrap_or_default()).map(|(name, _)| name).collect()
}

/// The names and values of a query.
pub(super) fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split(['&', ';']).map(|pair| pair.split_once('=').unwrap_or(("", pair)))
}

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
    // The end counts, so that two texts hashed one after the other keep apart.
    u8::MAX.hash(hasher);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, other: &str, expect: &[Grain]) {
        let alike = |grain: &Grain| key(one, *grain) == key(other, *grain);
        let found: Vec<Grain> = Grain::ALL.into_iter().filter(alike).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn a_directory_is_what_stands_before_the_last_slash() {
        check("http://a.test/x/1.html", "http://a.test/x/2.html", &Grain::ALL);
        check("http://a.test/x/1", "http://a.test/y/2", &Grain::ALL[2..]);
    }

    #[test]
    fn a_slash_at_the_end_does_not_make_a_directory_for_each_page() {
        check("http://a.test/item/17/", "http://a.test/item/18/", &Grain::ALL);
    }

    #[test]
    fn pages_told_apart_by_a_query_value_belong_together() {
        check("http://a.test/view?id=1", "http://a.test/view?id=2", &Grain::ALL);
        check("http://a.test/view?id=1", "http://a.test/list?id=2", &Grain::ALL[2..]);
        check("http://a.test/view?id=1", "http://a.test/view?name=2", &Grain::ALL[2..]);
    }

    #[test]
    fn numbers_in_the_middle_are_alike_at_the_second_grain() {
        check("http://a.test/i/17/view", "http://a.test/i/9/view", &Grain::ALL[1..]);
    }

    #[test]
    fn anything_has_a_key() {
        for text in ["", "?", "://", "mailto:a", "http://", "http://a?b=c", "/x//", "é?ü=ö"] {
            let _ = Grain::ALL.map(|grain| key(text, grain));
        }
    }
}
