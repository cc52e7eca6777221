//! Pages that the user declares dead: a list of names and patterns.

use std::collections::HashSet;

use relink_frontier::{PatternError, UrlFilter};
use url::Url;

/// Pages that count as dead, whatever a server responds.
#[derive(Debug, Clone, Default)]
pub struct FailureList {
    /// The names as written, and in canonical form if they are URLs.
    names: HashSet<String>,
    patterns: UrlFilter,
}

impl FailureList {
    /// Creates a list from the names of a file, one per line, and patterns.
    ///
    /// ```
    /// use relink_measure::FailureList;
    /// let list = FailureList::new("https://a.test\n", &["/retired/".to_owned()])?;
    /// assert!(list.contains("https://a.test/"));
    /// assert!(list.contains("https://b.test/retired/1"));
    /// assert!(!list.contains("https://b.test/1"));
    /// # Ok::<(), relink_frontier::PatternError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a pattern is neither a regular expression nor a glob.
    pub fn new(names: &str, patterns: &[String]) -> Result<Self, PatternError> {
        let names = names.lines().map(str::trim).filter(|name| !name.is_empty());
        let spellings = names.flat_map(|name| {
            let canonical = Url::parse(name).ok().map(String::from);
            [Some(name.to_owned()), canonical].into_iter().flatten()
        });
        Ok(Self { names: spellings.collect(), patterns: UrlFilter::new(&[], patterns)? })
    }

    /// Whether a page counts as dead.
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains(name) || self.patterns.excludes(name)
    }
}
