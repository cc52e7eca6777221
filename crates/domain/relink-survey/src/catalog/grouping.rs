//! How the URLs of one domain fall into directories of a useful size.
//!
//! A directory of one URL teaches nothing, so small ones are joined under
//! coarser keys; one of thousands may be dead in part, so large ones are cut
//! into runs in their natural order (`9` before `10`).

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use std::cmp::Ordering;
use std::collections::HashMap;

use super::key::{Grain, key, pairs, parts};

/// A group with fewer URLs is joined with others.
const SMALLEST: usize = 3;

/// A group with more URLs is cut; one further look per 256 URLs costs less
/// than half a percent.
const LARGEST: usize = 256;

/// A query name tells collections apart if each of its values is shared by so
/// many URLs on average.
const SHARED_BY: usize = 8;

/// Puts the URLs (given by position) of one domain into directories.
pub(super) fn directories<'a>(urls: &[u32], text: &impl Fn(u32) -> &'a str) -> Vec<Vec<u32>> {
    let mut settled = Vec::new();
    let mut left = urls.to_vec();
    for grain in Grain::ALL {
        let (large, small): (Vec<_>, Vec<_>) = by_key(&left, |url| key(text(url), grain))
            .into_iter()
            .partition(|group| group.len() >= SMALLEST || grain == Grain::Whole);
        settled.extend(large);
        left = small.concat();
        left.sort_unstable();
    }
    let collections = settled.into_iter().flat_map(|group| by_collection(group, text));
    collections.flat_map(|group| runs(group, text)).collect()
}

/// Groups by key, in the order in which keys first appear.
fn by_key<K: std::hash::Hash + Eq>(urls: &[u32], key: impl Fn(u32) -> K) -> Vec<Vec<u32>> {
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for &url in urls {
        let place = *places.entry(key(url)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(url),
            None => groups.push(vec![url]),
        }
    }
    groups
}

/// Cuts a group whose queries name collections (`?course=3&page=7`).
fn by_collection<'a>(group: Vec<u32>, text: &impl Fn(u32) -> &'a str) -> Vec<Vec<u32>> {
    let names = collection_names(&group, text);
    if names.is_empty() {
        return vec![group];
    }
    let collection = |url| -> Vec<&str> {
        let query = parts(text(url)).2.unwrap_or_default();
        pairs(query).filter(|(name, _)| names.contains(name)).map(|(_, value)| value).collect()
    };
    let (large, small): (Vec<_>, Vec<_>) =
        by_key(&group, collection).into_iter().partition(|part| part.len() >= SMALLEST);
    let rest = small.concat();
    large.into_iter().chain((!rest.is_empty()).then_some(rest)).collect()
}

/// The names in the queries of a group whose values many URLs share.
fn collection_names<'a>(group: &[u32], text: &impl Fn(u32) -> &'a str) -> Vec<&'a str> {
    let mut values: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
    for &url in group {
        for (name, value) in parts(text(url)).2.into_iter().flat_map(pairs) {
            *values.entry(name).or_default().entry(value).or_default() += 1;
        }
    }
    if values.len() < 2 {
        return Vec::new();
    }
    let is_shared =
        |found: &HashMap<&str, usize>| found.len() > 1 && found.len() * SHARED_BY <= group.len();
    values.into_iter().filter(|(_, found)| is_shared(found)).map(|(name, _)| name).collect()
}

/// Cuts a large group into runs of about equal length in natural order.
fn runs<'a>(mut group: Vec<u32>, text: &impl Fn(u32) -> &'a str) -> Vec<Vec<u32>> {
    if group.len() <= LARGEST {
        return vec![group];
    }
    group.sort_by(|&one, &other| natural_order(text(one), text(other)));
    let pieces = group.len().div_ceil(LARGEST);
    group.chunks(group.len().div_ceil(pieces)).map(<[u32]>::to_vec).collect()
}

/// Compares texts with the numbers in them taken as numbers.
fn natural_order(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    loop {
        let (Some(&left), Some(&right)) = (one.first(), other.first()) else {
            return one.len().cmp(&other.len());
        };
        let order = if left.is_ascii_digit() && right.is_ascii_digit() {
            let (first, second) = (take_number(&mut one), take_number(&mut other));
            first.len().cmp(&second.len()).then_with(|| first.cmp(second))
        } else {
            (one, other) = (&one[1..], &other[1..]);
            left.cmp(&right)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Takes the number at the front, without its leading zeros.
fn take_number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    *text = rest;
    let zeros = number.iter().take_while(|&&byte| byte == b'0').count();
    &number[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The groups of the addresses, each by its last words.
    #[track_caller]
    fn check(paths: &[&str], expect: &[&[&str]]) {
        let urls: Vec<String> = paths.iter().map(|path| format!("http://a.test/{path}")).collect();
        let positions: Vec<u32> = (0..).take(urls.len()).collect();
        let groups = directories(&positions, &|url| urls[url as usize].as_str());
        let found: Vec<Vec<&str>> = groups
            .iter()
            .map(|group| group.iter().map(|&url| paths[url as usize]).collect())
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn directories_stand_apart() {
        check(
            &["a/1", "a/2", "b/1", "a/3", "b/2", "b/3"],
            &[&["a/1", "a/2", "a/3"], &["b/1", "b/2", "b/3"]],
        );
    }

    #[test]
    fn pages_with_a_directory_each_are_joined() {
        check(&["i/1/x", "i/2/x", "i/3/x"], &[&["i/1/x", "i/2/x", "i/3/x"]]);
        check(&["u/ann/me", "u/bob/me", "u/cid/me"], &[&["u/ann/me", "u/bob/me", "u/cid/me"]]);
    }

    #[test]
    fn what_belongs_nowhere_is_one_group() {
        check(&["", "a", "b/c/d"], &[&["", "a", "b/c/d"]]);
    }

    #[test]
    fn a_query_may_name_a_collection() {
        let paths: Vec<String> =
            (0..32).map(|at| format!("view?course={}&page={at}", at % 2)).collect();
        let even: Vec<&str> = paths.iter().step_by(2).map(String::as_str).collect();
        let odd: Vec<&str> = paths.iter().skip(1).step_by(2).map(String::as_str).collect();
        check(&paths.iter().map(String::as_str).collect::<Vec<_>>(), &[&even, &odd]);
    }

    #[test]
    fn a_large_group_is_cut_in_natural_order() {
        let paths: Vec<String> = (0..300).rev().map(|at| format!("view?id={at}")).collect();
        let given: Vec<&str> = paths.iter().map(String::as_str).collect();
        let natural: Vec<&str> = given.iter().rev().copied().collect();
        check(&given, &[&natural[..150], &natural[150..]]);
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        assert_eq!(natural_order("a9", "a10"), Ordering::Less);
        assert_eq!(natural_order("a010b", "a10b"), Ordering::Equal);
        assert_eq!(natural_order("a1", "b0"), Ordering::Less);
        assert_eq!(natural_order("a", "a0"), Ordering::Less);
    }
}
