//! Which pages a crawl walks through.
//!
//! Links that lead outside are checked, and not followed (Website Health
//! Analyser, §IV). Whether a page may be visited at all is for its site to
//! say, see [`Robots`](crate::Robots).

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::{UrlFilter, host_key};

/// How far from its seeds a crawl goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScopeMode {
    /// The host of a seed, with or without `www.`.
    #[default]
    Host,
    /// All hosts of its registrable domain: `blog.example.co.uk` belongs to
    /// `example.co.uk`.
    Domain,
    /// The folder of a seed and what is below it.
    Prefix,
}

/// The pages of a crawl.
///
/// ```
/// use relink_frontier::{CrawlScope, Reach, Scope};
/// let seed = "https://example.org/docs/index.html".parse()?;
/// let scope = CrawlScope::new(Reach::Prefix, &[seed], Scope::new(&[], &["draft".into()])?);
/// assert!(scope.is_inside(&"https://example.org/docs/a/b".parse()?));
/// assert!(!scope.is_inside(&"https://example.org/docs/draft".parse()?));
/// assert!(!scope.is_inside(&"https://example.org/blog".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CrawlScope {
    regions: Vec<Region>,
    patterns: UrlFilter,
}

/// What is reached from one seed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Region {
    Host(String),
    Domain(String),
    Prefix { host: String, folder: String },
}

impl CrawlScope {
    /// The pages within `reach` of one of the seeds that the patterns take.
    pub fn new(reach: ScopeMode, seeds: &[Url], patterns: UrlFilter) -> Self {
        let mut regions = Vec::new();
        for seed in seeds {
            let region = Region::around(reach, seed);
            if !regions.contains(&region) {
                regions.push(region);
            }
        }
        Self { regions, patterns }
    }

    /// Whether the crawl walks through `url`.
    pub fn is_inside(&self, url: &Url) -> bool {
        self.regions.iter().any(|region| region.holds(url)) && self.patterns.matches(url.as_str())
    }
}

impl Region {
    fn around(reach: ScopeMode, seed: &Url) -> Self {
        match reach {
            ScopeMode::Host => Self::Host(bare_host(seed)),
            // An address of numbers has no domain, nor has a name without a dot.
            ScopeMode::Domain => {
                domain(seed).map_or_else(|| Self::Host(bare_host(seed)), Self::Domain)
            }
            ScopeMode::Prefix => {
                Self::Prefix { host: bare_host(seed), folder: folder(seed.path()) }
            }
        }
    }

    fn holds(&self, url: &Url) -> bool {
        match self {
            Self::Host(host) => bare_host(url) == *host,
            Self::Domain(own) => domain(url).is_some_and(|domain| domain == *own),
            Self::Prefix { host, folder } => {
                let below = url.path().strip_prefix(folder.trim_end_matches('/'));
                let is_below = below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
                is_below && bare_host(url) == *host
            }
        }
    }
}

/// The host without `www.`: most sites answer under both names.
fn bare_host(url: &Url) -> String {
    let name = host_key(url);
    name.strip_prefix("www.").map_or(name.clone(), str::to_owned)
}

fn domain(url: &Url) -> Option<String> {
    let Some(Host::Domain(name)) = url.host() else { return None };
    psl::domain_str(name).map(str::to_owned)
}

/// The folder of a page; a path whose last name has no ending is a folder.
fn folder(path: &str) -> String {
    let (parent, last) = path.rsplit_once('/').unwrap_or(("", path));
    if last.contains('.') { format!("{parent}/") } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reach: ScopeMode, seed: &str, inside: &[&str], outside: &[&str]) {
        let url = |text: &str| Url::parse(text).unwrap();
        let scope = CrawlScope::new(reach, &[url(seed)], UrlFilter::default());
        for text in inside {
            assert!(scope.is_inside(&url(text)), "{text} is within {reach:?} of {seed}");
        }
        for text in outside {
            assert!(!scope.is_inside(&url(text)), "{text} is not within {reach:?} of {seed}");
        }
    }

    #[test]
    fn a_host_is_one_with_and_without_www() {
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
    fn a_domain_is_what_somebody_can_register() {
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
    fn a_prefix_ends_at_a_slash() {
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
    fn without_seeds_nothing_is_inside() {
        let url = Url::parse("https://example.org/").unwrap();
        assert!(!CrawlScope::default().is_inside(&url));
    }
}
