//! Requests to a trap site and its responses.

use std::collections::BTreeMap;

/// A requested path and query.
#[derive(Debug, Clone)]
pub struct SiteRequest {
    /// The path.
    pub path: String,
    /// The segments of the path that are not empty.
    pub segments: Vec<String>,
    /// The query parameters, separated by `&` or `;`, in order.
    pub pairs: Vec<(String, String)>,
    /// The path with the query.
    pub target: String,
}

impl SiteRequest {
    /// Parses a path with a query.
    pub fn parse(target: &str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let pairs = query.split(['&', ';']).filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (key.to_owned(), value.to_owned())
        });
        let segments = path.split('/').filter(|segment| !segment.is_empty());
        Self {
            path: path.to_owned(),
            segments: segments.map(str::to_owned).collect(),
            pairs: pairs.collect(),
            target: target.to_owned(),
        }
    }

    /// Returns the value of a query parameter, or an empty text if the parameter is missing.
    pub fn get(&self, key: &str) -> &str {
        self.pairs.iter().find(|(name, _)| name == key).map_or("", |(_, value)| value)
    }

    /// Returns the value of a query parameter as a number.
    pub fn number(&self, key: &str) -> Option<u64> {
        self.get(key).parse().ok()
    }

    /// Returns the query parameters, sorted by key.
    pub fn parameters(&self) -> BTreeMap<String, String> {
        self.pairs.iter().cloned().collect()
    }

    /// Returns the first segment of the path, or an empty text for the root.
    pub fn first_segment(&self) -> &str {
        self.segments.first().map_or("", String::as_str)
    }
}

/// A response of a trap site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SiteResponse {
    /// 200 with HTML.
    Page(String),
    /// 302 to a path with a query.
    Redirect(String),
    /// 404.
    Missing,
}
