//! What is asked of a search engine, and what it finds.
//!
//! A hit is what an engine says, not what is there: whether its page lives,
//! and whether it is the page that was lost, is for others to say.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

/// What is asked of a search engine.
///
/// It is written as people write it, which is also how it is told apart from
/// other queries:
///
/// ```
/// use relink_model::SearchQuery;
/// let query = SearchQuery::of(["winter", "birds"]).with_phrase("snowy owl").within("example.org");
/// assert_eq!(query.to_string(), "\"snowy owl\" winter birds site:example.org");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SearchQuery {
    /// Words that all must stand on the page, together and in this order; a
    /// single word must stand there too. The most telling comes first.
    pub phrases: Vec<String>,
    /// Words that make a page fit better, the most telling first. Some engines
    /// want them all.
    pub terms: Vec<String>,
    /// The host whose pages are wanted, those of the hosts below it included.
    pub site: Option<String>,
    /// The most hits wanted.
    pub limit: usize,
}

impl SearchQuery {
    /// The limit, unless told: what most engines give as one page.
    pub const LIMIT: usize = 10;

    /// A query for some words, the most telling first.
    pub fn new<W: Into<String>>(terms: impl IntoIterator<Item = W>) -> Self {
        let terms = terms.into_iter().map(Into::into).collect();
        Self { terms, phrases: Vec::new(), site: None, limit: Self::LIMIT }
    }

    /// The query with one more phrase that must stand on the page.
    #[must_use]
    pub fn with_phrase(mut self, phrase: impl Into<String>) -> Self {
        self.phrases.push(phrase.into());
        self
    }

    /// The query for the pages of one host and of the hosts below it.
    #[must_use]
    pub fn within(mut self, site: impl Into<String>) -> Self {
        self.site = Some(site.into());
        self
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        let mut words = self.terms.iter().chain(&self.phrases);
        words.all(|word| !word.contains(char::is_alphanumeric))
    }

    /// Whether a page is where the query looks.
    ///
    /// ```
    /// use relink_model::SearchQuery;
    /// let query = SearchQuery::of(["owl"]).within("Example.org");
    /// let admits = |url: &str| query.admits(&url.parse().unwrap());
    /// assert!(admits("http://example.org/a") && admits("https://www.example.org/"));
    /// assert!(!admits("http://badexample.org/") && !admits("http://org/"));
    /// ```
    pub fn matches_site(&self, url: &Url) -> bool {
        let Some(site) = self.site.as_deref() else { return true };
        let site = site.trim_end_matches('.');
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        let Some(split) = host.len().checked_sub(site.len()) else { return false };
        let Some((below, tail)) = host.split_at_checked(split) else { return false };
        tail.eq_ignore_ascii_case(site) && (below.is_empty() || below.ends_with('.'))
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

/// One page that a search engine names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SearchHit {
    /// Where it is.
    pub url: Url,
    /// Its title, as the engine has it; empty where it has none.
    pub title: String,
    /// Some of its text, as the engine has it; empty where it gives none.
    pub snippet: String,
    /// Which engine names it.
    pub engine: String,
    /// Its place in the engine's list, from 1.
    pub rank: usize,
}

impl fmt::Display for SearchHit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}. {} {}", self.rank, self.url, self.title)
    }
}
