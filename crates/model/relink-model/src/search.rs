//! Search queries and hits.
//!
//! A hit is a page that a search engine reports. The page may be dead, and it may be another
//! page than the one that was searched for.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

/// A query for a search engine.
///
/// The `Display` text has the query syntax of common search engines and identifies the query.
/// It does not contain `limit`:
///
/// ```
/// use relink_model::SearchQuery;
/// let query =
///     SearchQuery::new(["winter", "birds"]).with_phrase("snowy owl").with_site("example.org");
/// assert_eq!(query.to_string(), "\"snowy owl\" winter birds site:example.org");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SearchQuery {
    /// Required phrases, most specific first. A phrase may be a single word.
    pub phrases: Vec<String>,
    /// Optional words that improve the rank of a page, most specific first.
    /// Some engines find only pages with all terms.
    pub terms: Vec<String>,
    /// The host to search, including its subdomains.
    pub site: Option<String>,
    /// The maximum number of hits.
    pub limit: usize,
}

impl SearchQuery {
    /// The default of `limit`: the usual size of one result page.
    pub const DEFAULT_LIMIT: usize = 10;

    /// Creates a query for `terms`, most specific first.
    pub fn new<W: Into<String>>(terms: impl IntoIterator<Item = W>) -> Self {
        let terms = terms.into_iter().map(Into::into).collect();
        Self { terms, phrases: Vec::new(), site: None, limit: Self::DEFAULT_LIMIT }
    }

    /// Adds a required phrase.
    #[must_use]
    pub fn with_phrase(mut self, phrase: impl Into<String>) -> Self {
        self.phrases.push(phrase.into());
        self
    }

    /// Restricts the query to a host and its subdomains.
    #[must_use]
    pub fn with_site(mut self, site: impl Into<String>) -> Self {
        self.site = Some(site.into());
        self
    }

    /// Whether no term or phrase has a letter or digit.
    pub fn is_empty(&self) -> bool {
        let mut words = self.terms.iter().chain(&self.phrases);
        words.all(|word| !word.contains(char::is_alphanumeric))
    }

    /// Whether a URL is on the site of the query.
    ///
    /// ```
    /// use relink_model::SearchQuery;
    /// let query = SearchQuery::new(["owl"]).with_site("Example.org");
    /// let matches = |url: &str| query.matches_site(&url.parse().unwrap());
    /// assert!(matches("http://example.org/a") && matches("https://www.example.org/"));
    /// assert!(!matches("http://badexample.org/") && !matches("http://org/"));
    /// ```
    pub fn matches_site(&self, url: &Url) -> bool {
        let Some(site) = self.site.as_deref() else { return true };
        let site = site.trim_end_matches('.');
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        let Some(site_start) = host.len().checked_sub(site.len()) else { return false };
        let Some((subdomain, tail)) = host.split_at_checked(site_start) else { return false };
        tail.eq_ignore_ascii_case(site) && (subdomain.is_empty() || subdomain.ends_with('.'))
    }
}

impl fmt::Display for SearchQuery {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phrases = self.phrases.iter().map(|phrase| format!("\"{phrase}\""));
        let site = self.site.iter().map(|site| format!("site:{site}"));
        let parts: Vec<_> = phrases.chain(self.terms.iter().cloned()).chain(site).collect();
        formatter.write_str(&parts.join(" "))
    }
}

/// One result of a search engine.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SearchHit {
    /// The URL of the page.
    pub url: Url,
    /// The title reported by the engine, or an empty string.
    pub title: String,
    /// The excerpt reported by the engine, or an empty string.
    pub snippet: String,
    /// The name of the engine.
    pub engine: String,
    /// The position in the result list, from 1.
    pub rank: usize,
}

impl fmt::Display for SearchHit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}. {} {}", self.rank, self.url, self.title)
    }
}
