//! Branches of a site: sets of URLs that have something in common.
//!
//! A URL belongs to a chain of branches, from the host over its directories to its path, its
//! parameters and their values. Names that vary are replaced, see [`UrlPattern`]. The
//! branches of `https://example.org/shop/list?page=7` are `example.org`,
//! `example.org/shop/`, `example.org/shop/list?…` (any query), `example.org/shop/list?page`
//! (these parameters) and `example.org/shop/list?page={n}`. `example.org/shop/*` are the
//! files of a directory.

use url::Url;

use super::UrlPattern;
use crate::host_key;
use crate::query::parameters;

/// Maximum number of directories in a chain.
const MAX_DIRECTORIES: usize = 6;

/// The branches of a URL, the largest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BranchChain {
    keys: Vec<String>,
    pattern: UrlPattern,
}

impl BranchChain {
    /// Returns the branches of `url` for a crawl in `year`.
    pub(super) fn new(url: &Url, year: i16) -> Self {
        let pattern = UrlPattern::new(url, year);
        let path = pattern.path();
        let mut keys = vec![host_key(url)];
        let names: Vec<&str> = parameter_keys(url);
        let slashes = path.char_indices().filter(|(_, letter)| *letter == '/').skip(1);
        let directories = slashes.filter_map(|(index, _)| path.get(..=index));
        // Sorted and filtered lists of a directory say nothing about its pages.
        let directories = directories.filter(|directory| names.is_empty() || *directory != path);
        keys.extend(directories.take(MAX_DIRECTORIES).map(str::to_owned));
        if names.is_empty() {
            keys.push(format!("{}*", parent(path)));
            if !path.ends_with('/') && pattern.has_variable_path() {
                keys.push(path.to_owned());
            }
        } else {
            keys.push(format!("{path}?…"));
            keys.push(format!("{path}?{}", names.join("&")));
            keys.push(pattern.as_str().to_owned());
        }
        keys.dedup();
        Self { keys, pattern }
    }

    /// Returns the keys of the branches, the largest first. The first is the host.
    pub(super) fn keys(&self) -> &[String] {
        &self.keys
    }

    /// Returns the pattern of the URL.
    pub(super) fn pattern(&self) -> &UrlPattern {
        &self.pattern
    }

    /// Whether the URL belongs to a branch.
    pub(super) fn contains(&self, key: &str) -> bool {
        self.keys.iter().any(|own| own == key)
    }

    /// Returns the keys of the sets that can be endless, the largest first: directories with
    /// everything below, files of a directory, and a path with any query.
    pub(super) fn endless_keys(&self) -> Vec<String> {
        let is_set = |key: &&String| key.ends_with('/') || key.ends_with("?…");
        let mut sets: Vec<String> = self.keys.iter().filter(is_set).cloned().collect();
        if !self.pattern.has_query() {
            sets.push(format!("{}*", parent(self.pattern.path())));
        }
        sets
    }
}

/// Returns a path without its last name.
fn parent(path: &str) -> &str {
    let end = path.trim_end_matches('/').rfind('/').map_or(path.len(), |index| index + 1);
    path.get(..end).unwrap_or(path)
}

/// Returns the different keys of the parameters, sorted.
fn parameter_keys(url: &Url) -> Vec<&str> {
    let mut keys: Vec<&str> = parameters(url).map(|parameter| parameter.key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(path: &str) -> BranchChain {
        BranchChain::new(&Url::parse(&format!("https://example.org{path}")).unwrap(), 2026)
    }

    #[track_caller]
    fn check(path: &str, expect: &str) {
        let keys = chain(path).keys().join(" ").replace("example.org", "");
        assert_eq!(keys.trim_start(), expect, "{path}");
    }

    #[test]
    fn branches_lead_from_the_host_to_the_values() {
        check("/", "/*");
        check("/about", "/*");
        check("/a/b/c", "/a/ /a/b/ /a/b/*");
        check("/a/b/c/", "/a/ /a/b/ /a/b/c/ /a/b/*");
        check("/a/17", "/a/ /a/* /a/{n}");
        check("/a?b=1&a=x", "/a?… /a?a&b /a?a=x&b={n}");
        check("/a/?b=1", "/a/?… /a/?b /a/?b={n}");
        check("/g?p=t;a=blob", "/g?… /g?a&p /g?a=blob&p=t");
    }

    #[test]
    fn endless_sets_are_directories_files_and_queries() {
        let sets = |path: &str| chain(path).endless_keys().join(" ").replace("example.org", "");
        assert_eq!(sets("/word"), "/*");
        assert_eq!(sets("/tree/a/b"), "/tree/ /tree/a/ /tree/a/*");
        assert_eq!(sets("/list?p=1"), "/list?…");
    }
}
