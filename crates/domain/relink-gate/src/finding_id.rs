//! Stable ids of findings.

use std::fmt;

use xxhash_rust::xxh3::xxh3_64;

/// Identifies a broken link across runs: its document and its URL.
///
/// The line is not part of it, because other edits move the link. The code is not
/// part of it, because the same broken link may time out today and give 404
/// tomorrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FindingId(u64);

impl FindingId {
    /// Returns the id of a URL in a document.
    ///
    /// ```
    /// use relink_gate::FindingId;
    /// let id = FindingId::new("docs/a.md", "https://example.org/gone");
    /// assert_eq!(id.to_string(), "23c18573274eda8d");
    /// ```
    pub fn new(path: &str, url: &str) -> Self {
        Self(xxh3_64(format!("{path}\0{url}").as_bytes()))
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
