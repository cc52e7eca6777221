//! Groups the URLs of one domain into directories of a useful size.
//!
//! A directory with one URL contains no information about other URLs, so small directories are
//! merged under coarser keys. A directory with thousands of URLs may be dead in part, so large
//! directories are sorted in natural order (`9` before `10`) and split into runs: groups of
//! consecutive URLs. A *collection* is selected by a query parameter, such as `course` in
//! `?course=3&page=7`.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use std::cmp::Ordering;
use std::collections::HashMap;

use super::key::{Grain, key, pairs, parts};

/// A group with fewer URLs is merged with others.
const MIN_SIZE: usize = 3;

/// A group with more URLs is split. Each group needs at least one check of its own, which costs
/// less than half a percent of 256 checks.
const MAX_SIZE: usize = 256;

/// A query parameter selects collections if each of its values occurs in at least this number of
/// URLs on average.
const MIN_URLS_PER_VALUE: usize = 8;

/// Groups the URLs of one domain into directories. URLs are numbers, for which `text` returns
/// the URL.
pub(super) fn directories<'a>(urls: &[u32], text: &impl Fn(u32) -> &'a str) -> Vec<Vec<u32>> {
    let mut groups = Vec::new();
    let mut ungrouped = urls.to_vec();
    for grain in Grain::ALL {
        let (large, small): (Vec<_>, Vec<_>) = by_key(&ungrouped, |url| key(text(url), grain))
            .into_iter()
            .partition(|group| group.len() >= MIN_SIZE || grain == Grain::Whole);
        groups.extend(large);
        ungrouped = small.concat();
        ungrouped.sort_unstable();
    }
    let collections = groups.into_iter().flat_map(|group| by_collection(group, text));
    collections.flat_map(|group| runs(group, text)).collect()
}

/// Groups by key, in the order of first occurrence.
fn by_key<K: std::hash::Hash + Eq>(urls: &[u32], key: impl Fn(u32) -> K) -> Vec<Vec<u32>> {
    let mut indexes: HashMap<K, usize> = HashMap::new();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for &url in urls {
        let index = *indexes.entry(key(url)).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(url),
            None => groups.push(vec![url]),
        }
    }
    groups
}

/// Splits a group by the collections that its queries select. Small collections remain together.
fn by_collection<'a>(group: Vec<u32>, text: &impl Fn(u32) -> &'a str) -> Vec<Vec<u32>> {
    let names = collection_names(&group, text);
    if names.is_empty() {
        return vec![group];
    }
    let collection = |url| -> Vec<&str> {
        let (_, _, query) = parts(text(url));
        let parameters = pairs(query.unwrap_or_default());
        parameters.filter(|(name, _)| names.contains(name)).map(|(_, value)| value).collect()
    };
    let (large, small): (Vec<_>, Vec<_>) =
        by_key(&group, collection).into_iter().partition(|part| part.len() >= MIN_SIZE);
    let rest = small.concat();
    large.into_iter().chain((!rest.is_empty()).then_some(rest)).collect()
}

/// Returns the query parameters of a group whose values are shared by many URLs.
fn collection_names<'a>(group: &[u32], text: &impl Fn(u32) -> &'a str) -> Vec<&'a str> {
    // For each parameter, the number of URLs with each of its values.
    let mut values: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
    for &url in group {
        let (_, _, query) = parts(text(url));
        for (name, value) in query.into_iter().flat_map(pairs) {
            *values.entry(name).or_default().entry(value).or_default() += 1;
        }
    }
    // The only parameter of a group selects the page itself.
    if values.len() < 2 {
        return Vec::new();
    }
    let is_shared = |value_counts: &HashMap<&str, usize>| {
        value_counts.len() > 1 && value_counts.len() * MIN_URLS_PER_VALUE <= group.len()
    };
    values.into_iter().filter(|(_, counts)| is_shared(counts)).map(|(name, _)| name).collect()
}

/// Splits a large group into runs of about equal length in natural order.
fn runs<'a>(mut group: Vec<u32>, text: &impl Fn(u32) -> &'a str) -> Vec<Vec<u32>> {
    if group.len() <= MAX_SIZE {
        return vec![group];
    }
    group.sort_by(|&one, &other| natural_order(text(one), text(other)));
    let runs = group.len().div_ceil(MAX_SIZE);
    group.chunks(group.len().div_ceil(runs)).map(<[u32]>::to_vec).collect()
}

/// Compares texts and treats the numbers in them as numbers.
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

/// Takes the number at the start, without leading zeros.
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

    /// Asserts the groups of these paths.
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
    fn directories_are_separate_groups() {
        check(
            &["a/1", "a/2", "b/1", "a/3", "b/2", "b/3"],
            &[&["a/1", "a/2", "a/3"], &["b/1", "b/2", "b/3"]],
        );
    }

    #[test]
    fn directories_with_one_page_each_are_merged() {
        check(&["i/1/x", "i/2/x", "i/3/x"], &[&["i/1/x", "i/2/x", "i/3/x"]]);
        check(&["u/ann/me", "u/bob/me", "u/cid/me"], &[&["u/ann/me", "u/bob/me", "u/cid/me"]]);
    }

    #[test]
    fn remaining_urls_are_one_group() {
        check(&["", "a", "b/c/d"], &[&["", "a", "b/c/d"]]);
    }

    #[test]
    fn query_parameter_may_select_a_collection() {
        let paths: Vec<String> =
            (0..32).map(|at| format!("view?course={}&page={at}", at % 2)).collect();
        let even: Vec<&str> = paths.iter().step_by(2).map(String::as_str).collect();
        let odd: Vec<&str> = paths.iter().skip(1).step_by(2).map(String::as_str).collect();
        check(&paths.iter().map(String::as_str).collect::<Vec<_>>(), &[&even, &odd]);
    }

    #[test]
    fn large_group_is_split_in_natural_order() {
        let paths: Vec<String> = (0..300).rev().map(|at| format!("view?id={at}")).collect();
        let given: Vec<&str> = paths.iter().map(String::as_str).collect();
        let natural: Vec<&str> = given.iter().rev().copied().collect();
        check(&given, &[&natural[..150], &natural[150..]]);
    }

    #[test]
    fn natural_order_compares_numbers() {
        assert_eq!(natural_order("a9", "a10"), Ordering::Less);
        assert_eq!(natural_order("a010b", "a10b"), Ordering::Equal);
        assert_eq!(natural_order("a1", "b0"), Ordering::Less);
        assert_eq!(natural_order("a", "a0"), Ordering::Less);
    }
}
