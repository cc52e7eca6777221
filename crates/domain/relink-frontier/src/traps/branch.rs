//! Branches of a site: sets of URLs that have something in common.
//!
//! A URL belongs to a chain of branches. The branches of
//! `https://example.org/shop/list?page=7` are, from the largest to the smallest:
//!
//! - `example.org`: the host
//! - `example.org/shop/`: the directory, with everything below
//! - `example.org/shop/list?…`: the path with any query
//! - `example.org/shop/list?page`: the path with these parameters
//! - `example.org/shop/list?page={n}`: the pattern of the URL
//!
//! A URL without query also belongs to `example.org/shop/*`, the files of its directory.
//! A host with further labels, such as `docs.example.org`, also belongs to `*.example.org`, all
//! hosts of its domain: a server may respond to any host name with copies of a site.
//!
//! Numbers, dates and random names are replaced by placeholders, see [`UrlPattern`].

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
    /// Number of keys that are a host or all hosts of a domain.
    host_keys: usize,
    pattern: UrlPattern,
}

impl BranchChain {
    /// Returns the branches of `url` for a crawl that starts in `year`. Patterns mark dates
    /// that are far from this year.
    pub(super) fn new(url: &Url, year: i16) -> Self {
        let pattern = UrlPattern::new(url, year);
        let path = pattern.path();
        let mut keys: Vec<String> = domain_key(url).into_iter().chain([host_key(url)]).collect();
        let host_keys = keys.len();
        let parameter_keys: Vec<&str> = parameter_keys(url);
        // `path` starts with the host, so the first slash ends the host.
        let slashes = path.char_indices().filter(|(_, letter)| *letter == '/').skip(1);
        let directories = slashes.filter_map(|(index, _)| path.get(..=index));
        // `/a/?sort=name` does not belong to the branch `/a/`: a trap of sorted lists does not
        // use up the budget of the pages in the directory.
        let directories =
            directories.filter(|directory| parameter_keys.is_empty() || *directory != path);
        keys.extend(directories.take(MAX_DIRECTORIES).map(str::to_owned));
        if parameter_keys.is_empty() {
            keys.push(format!("{}*", parent(path)));
            // A path without placeholders is one page, not a branch.
            if !path.ends_with('/') && pattern.has_variable_path() {
                keys.push(path.to_owned());
            }
        } else {
            keys.push(format!("{path}?…"));
            keys.push(format!("{path}?{}", parameter_keys.join("&")));
            keys.push(pattern.as_str().to_owned());
        }
        keys.dedup();
        Self { keys, host_keys, pattern }
    }

    /// Returns the keys of the branches, the largest first: all hosts of the domain if the host
    /// has further labels, then the host, then the branches of the host.
    pub(super) fn keys(&self) -> &[String] {
        &self.keys
    }

    /// Returns the keys of the branches of the host, the largest first.
    pub(super) fn keys_below_host(&self) -> &[String] {
        self.keys.get(self.host_keys..).unwrap_or_default()
    }

    /// Whether a key is the host.
    pub(super) fn is_host(&self, key: &str) -> bool {
        // The host is the last of the host keys.
        let host_index = self.host_keys.checked_sub(1);
        host_index.and_then(|index| self.keys.get(index)).is_some_and(|host| host == key)
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

/// Returns the key of all hosts of a domain, such as `*.example.org`, or `None` for the domain
/// itself, for `www.` and for IP addresses.
fn domain_key(url: &Url) -> Option<String> {
    let host = url.domain()?;
    let domain = std::str::from_utf8(psl::domain(host.as_bytes())?.as_bytes()).ok()?;
    let labels = host.strip_suffix(domain)?.trim_end_matches('.');
    (!labels.is_empty() && labels != "www").then(|| format!("*.{domain}"))
}

/// Whether a key stands for all hosts of a domain.
pub(super) fn is_domain_key(key: &str) -> bool {
    key.starts_with("*.")
}

/// Returns a path without its last segment, with the slash at the end.
fn parent(path: &str) -> &str {
    let end = path.trim_end_matches('/').rfind('/').map_or(path.len(), |index| index + 1);
    path.get(..end).unwrap_or(path)
}

/// Returns the distinct keys of the parameters, sorted.
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

    /// Asserts the branches of a URL, without the host and the branch of the host.
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
        // A semicolon separates parameters, too.
        check("/g?p=t;a=blob", "/g?… /g?a&p /g?a=blob&p=t");
    }

    #[test]
    fn host_with_further_labels_belongs_to_its_domain() {
        let keys = |url: &str| BranchChain::new(&Url::parse(url).unwrap(), 2026).keys().join(" ");
        assert_eq!(
            keys("https://a.b.example.org/x/y"),
            "*.example.org a.b.example.org a.b.example.org/x/ a.b.example.org/x/*"
        );
        assert_eq!(keys("https://www.example.org/"), "www.example.org www.example.org/*");
        assert_eq!(keys("http://127.0.0.1:8/"), "127.0.0.1:8 127.0.0.1:8/*");
    }

    #[test]
    fn endless_sets_are_directories_files_and_queries() {
        let sets = |path: &str| chain(path).endless_keys().join(" ").replace("example.org", "");
        assert_eq!(sets("/word"), "/*");
        assert_eq!(sets("/tree/a/b"), "/tree/ /tree/a/ /tree/a/*");
        assert_eq!(sets("/list?p=1"), "/list?…");
    }
}
