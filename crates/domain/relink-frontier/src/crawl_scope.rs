//! The scope of a crawl.
//!
//! Pages outside of the scope are checked, but their links are not followed (paper "Website
//! Health Analyser", section IV). [`RobotsTxt`](crate::RobotsTxt) decides whether a page may
//! be fetched at all.

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::{UrlFilter, host_key};

/// The extent of a crawl around its seeds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScopeMode {
    /// The host of a seed, with and without `www.`.
    #[default]
    Host,
    /// All hosts of the registrable domain of a seed: `blog.example.co.uk` belongs to
    /// `example.co.uk`.
    Domain,
    /// The directory of a seed and everything below it.
    Prefix,
}

/// The scope of a crawl: regions around the seeds and a URL filter.
///
/// ```
/// use relink_frontier::{CrawlScope, ScopeMode, UrlFilter};
/// let seed = "https://example.org/docs/index.html".parse()?;
/// let filter = UrlFilter::new(&[], &["draft".into()])?;
/// let scope = CrawlScope::new(ScopeMode::Prefix, &[seed], filter);
/// assert!(scope.is_inside(&"https://example.org/docs/a/b".parse()?));
/// assert!(!scope.is_inside(&"https://example.org/docs/draft".parse()?));
/// assert!(!scope.is_inside(&"https://example.org/blog".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CrawlScope {
    regions: Vec<Region>,
    filter: UrlFilter,
}

/// The region of one seed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Region {
    Host(String),
    Domain(String),
    Prefix { host: String, directory: String },
}

impl CrawlScope {
    /// Returns the scope of these seeds, restricted by the filter.
    pub fn new(mode: ScopeMode, seeds: &[Url], filter: UrlFilter) -> Self {
        let mut regions = Vec::new();
        for seed in seeds {
            let region = Region::new(mode, seed);
            if !regions.contains(&region) {
                regions.push(region);
            }
        }
        Self { regions, filter }
    }

    /// Whether the crawl follows links on `url`.
    pub fn is_inside(&self, url: &Url) -> bool {
        self.regions.iter().any(|region| region.contains(url)) && self.filter.matches(url.as_str())
    }
}

impl Region {
    fn new(mode: ScopeMode, seed: &Url) -> Self {
        match mode {
            ScopeMode::Host => Self::Host(host_without_www(seed)),
            // IP addresses and names without a dot have no domain.
            ScopeMode::Domain => registrable_domain(seed)
                .map_or_else(|| Self::Host(host_without_www(seed)), Self::Domain),
            ScopeMode::Prefix => {
                Self::Prefix { host: host_without_www(seed), directory: directory(seed.path()) }
            }
        }
    }

    fn contains(&self, url: &Url) -> bool {
        match self {
            Self::Host(host) => host_without_www(url) == *host,
            Self::Domain(domain) => {
                registrable_domain(url).is_some_and(|url_domain| url_domain == *domain)
            }
            Self::Prefix { host, directory } => {
                let rest = url.path().strip_prefix(directory.trim_end_matches('/'));
                let is_below = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
                is_below && host_without_www(url) == *host
            }
        }
    }
}

/// Returns the host without `www.`, because most sites use both names.
fn host_without_www(url: &Url) -> String {
    let name = host_key(url);
    name.strip_prefix("www.").map_or(name.clone(), str::to_owned)
}

/// Returns the registrable domain, such as `example.co.uk`, or `None` for an IP address.
fn registrable_domain(url: &Url) -> Option<String> {
    let Some(Host::Domain(name)) = url.host() else { return None };
    psl::domain_str(name).map(str::to_owned)
}

/// Returns the directory of a page. A path whose last segment has no extension is a
/// directory.
fn directory(path: &str) -> String {
    let (parent, last) = path.rsplit_once('/').unwrap_or(("", path));
    if last.contains('.') { format!("{parent}/") } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts which URLs are in the scope of a crawl from `seed`.
    #[track_caller]
    fn check(mode: ScopeMode, seed: &str, inside: &[&str], outside: &[&str]) {
        let url = |text: &str| Url::parse(text).unwrap();
        let scope = CrawlScope::new(mode, &[url(seed)], UrlFilter::default());
        for text in inside {
            assert!(scope.is_inside(&url(text)), "{text} is in scope {mode:?} of {seed}");
        }
        for text in outside {
            assert!(!scope.is_inside(&url(text)), "{text} is not in scope {mode:?} of {seed}");
        }
    }

    #[test]
    fn host_scope_includes_www() {
        check(
            ScopeMode::Host,
            "https://example.org/a",
            &["https://example.org/", "http://www.example.org/b"],
            &["https://blog.example.org/", "https://example.org:8443/", "https://example.net/"],
        );
        check(
            ScopeMode::Host,
            "http://127.0.0.1:81/",
            &["http://127.0.0.1:81/a"],
            &["http://127.0.0.1/"],
        );
    }

    #[test]
    fn domain_scope_is_the_registrable_domain() {
        check(
            ScopeMode::Domain,
            "https://www.example.co.uk/",
            &["https://example.co.uk/", "http://a.b.example.co.uk:8080/"],
            &["https://other.co.uk/", "https://example.uk/"],
        );
        check(
            ScopeMode::Domain,
            "http://127.0.0.1/",
            &["http://127.0.0.1/a"],
            &["http://127.1.0.1/"],
        );
    }

    #[test]
    fn prefix_scope_ends_at_a_slash() {
        for seed in ["https://example.org/docs", "https://example.org/docs/"] {
            check(
                ScopeMode::Prefix,
                seed,
                &[
                    "https://example.org/docs",
                    "https://example.org/docs/a/b",
                    "https://example.org/docs?q",
                ],
                &["https://example.org/", "https://example.org/docs2", "https://example.net/docs/"],
            );
        }
        check(
            ScopeMode::Prefix,
            "https://example.org/docs/index.html",
            &["https://example.org/docs/", "https://example.org/docs/a"],
            &["https://example.org/a"],
        );
        check(ScopeMode::Prefix, "https://example.org/a.html", &["https://example.org/b"], &[]);
    }

    #[test]
    fn scope_without_seeds_is_empty() {
        let url = Url::parse("https://example.org/").unwrap();
        assert!(!CrawlScope::default().is_inside(&url));
    }
}
