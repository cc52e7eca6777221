//! Parses the responses of search engines.
//!
//! Responses are untrusted: they are parsed within limits, invalid rows are
//! skipped, and control characters and markup are removed from text.

use std::collections::HashSet;

use relink_model::{SearchHit, SearchQuery};
use relink_ports::SearchResponse;
use serde_json::Value;
use url::Url;

use super::sanitize;

/// Maximum number of rows to parse.
const MAX_ROWS: usize = 200;

/// Maximum length of a URL in bytes.
const MAX_URL_BYTES: usize = 4_096;

/// JSON pointers (RFC 6901) to the parts of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseMapping {
    /// The list of results. The first pointer that refers to a list is used.
    pub results: Vec<String>,
    /// The URL within a result.
    pub url: String,
    /// The title within a result.
    pub title: String,
    /// The snippet within a result.
    pub snippet: String,
    /// The total number of matching pages, if the engine returns it.
    pub total: Option<String>,
    /// A member that every response has. A response with this member, but without the
    /// list of results, has no hits.
    pub marker: Option<String>,
    /// The list of upstream engines that did not respond, if the engine combines the
    /// results of other engines.
    pub unresponsive: Option<String>,
    /// Format of titles and snippets.
    pub text: TextKind,
}

/// Format of titles and snippets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// Plain text.
    #[default]
    Plain,
    /// HTML with tags and entities.
    Html,
}

impl Default for ResponseMapping {
    /// The names that most engines use.
    fn default() -> Self {
        Self {
            results: vec!["/results".to_owned()],
            url: "/url".to_owned(),
            title: "/title".to_owned(),
            snippet: "/snippet".to_owned(),
            total: Some("/total".to_owned()),
            marker: None,
            unresponsive: None,
            text: TextKind::Plain,
        }
    }
}

/// Reason why a response has no results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseError {
    /// The response has an unexpected format.
    Invalid,
    /// No upstream engine responded.
    UpstreamUnavailable,
}

impl ResponseMapping {
    /// Parses the response to a query.
    pub(super) fn parse(
        &self,
        bytes: &[u8],
        engine: &str,
        query: &SearchQuery,
    ) -> Result<SearchResponse, ResponseError> {
        let json: Value = serde_json::from_slice(bytes).map_err(|_| ResponseError::Invalid)?;
        let rows = self.rows(&json).ok_or(ResponseError::Invalid)?;
        let mut response = SearchResponse::default();
        let mut has_other_sites = false;
        let mut seen = HashSet::new();
        for (index, row) in rows.iter().take(MAX_ROWS).enumerate() {
            let hit = self.hit(row, engine, index + 1);
            let is_on_site = hit.as_ref().is_some_and(|hit| query.matches_site(&hit.url));
            has_other_sites |= hit.is_some() && !is_on_site;
            match hit.filter(|_| is_on_site) {
                None => response.skipped += 1,
                Some(hit) if response.hits.len() < query.limit && seen.insert(hit.url.clone()) => {
                    response.hits.push(hit);
                }
                // A duplicate, or a hit beyond the limit.
                Some(_) => {}
            }
        }
        if rows.is_empty() && self.is_upstream_unavailable(&json) {
            return Err(ResponseError::UpstreamUnavailable);
        }
        // An engine that ignores the site filter counts the pages of all sites.
        response.total = self.total(&json, response.hits.len()).filter(|_| !has_other_sites);
        Ok(response)
    }

    /// Returns the rows of the response. A response with the marker but without a list of
    /// results has no rows. Returns `None` if the response has neither.
    fn rows<'a>(&self, json: &'a Value) -> Option<&'a [Value]> {
        let mut lists = self.results.iter().filter_map(|pointer| json.pointer(pointer)?.as_array());
        if let Some(list) = lists.next() {
            return Some(list);
        }
        let marker = self.marker.as_deref()?;
        json.pointer(marker).filter(|member| !member.is_null()).map(|_| &[] as &[Value])
    }

    /// Reads a hit from a row of the response.
    fn hit(&self, row: &Value, engine: &str, rank: usize) -> Option<SearchHit> {
        let text = row.pointer(&self.url)?.as_str()?;
        let url = Url::parse(text).ok().filter(|_| text.len() <= MAX_URL_BYTES)?;
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        // Reject URLs with credentials: `http://example.org@evil.test/`
        // imitates another host.
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        let text = |pointer: &str| self.text(row.pointer(pointer));
        (is_web && !has_credentials).then(|| SearchHit {
            url,
            title: text(&self.title),
            snippet: text(&self.snippet),
            engine: engine.to_owned(),
            rank,
        })
    }

    /// Returns the text of a value, without markup.
    fn text(&self, value: Option<&Value>) -> String {
        let text = value.and_then(Value::as_str).unwrap_or_default();
        match self.text {
            TextKind::Plain => sanitize::plain(text),
            TextKind::Html => sanitize::from_html(text),
        }
    }

    /// Returns the total number of matching pages. A total below the number of hits is
    /// invalid and not returned.
    fn total(&self, json: &Value, hits: usize) -> Option<u64> {
        let value = json.pointer(self.total.as_deref()?)?;
        let total = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())?;
        (total >= hits as u64).then_some(total)
    }

    /// Whether the response lists upstream engines that did not respond.
    fn is_upstream_unavailable(&self, json: &Value) -> bool {
        let list =
            self.unresponsive.as_deref().and_then(|pointer| json.pointer(pointer)?.as_array());
        list.is_some_and(|list| !list.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Summarizes the response to a query on `example.org` with at most three hits:
    /// `[RANKS] of TOTAL, N skipped`, or the name of the error.
    fn summarize(json: &str) -> String {
        let mapping = ResponseMapping {
            unresponsive: Some("/unresponsive".to_owned()),
            ..ResponseMapping::default()
        };
        let query = SearchQuery { limit: 3, ..SearchQuery::new(["x"]).with_site("example.org") };
        match mapping.parse(json.as_bytes(), "e", &query) {
            Ok(response) => {
                let ranks: Vec<_> = response.hits.iter().map(|hit| hit.rank.to_string()).collect();
                let total = response.total.map_or("?".to_owned(), |total| total.to_string());
                format!("[{}] of {total}, {} skipped", ranks.join(" "), response.skipped)
            }
            Err(error) => format!("{error:?}"),
        }
    }

    /// Checks the summary of a response with these URLs.
    #[track_caller]
    fn check(urls: &[&str], total: &str, expect: &str) {
        let rows: Vec<_> = urls.iter().map(|url| format!("{{\"url\": \"{url}\"}}")).collect();
        let json = format!("{{\"total\": {total}, \"results\": [{}]}}", rows.join(","));
        assert_eq!(summarize(&json), expect);
    }

    const A: &str = "http://example.org/a";
    const B: &str = "https://www.example.org/b";

    #[test]
    fn hits_keep_their_rank_and_are_unique() {
        check(&[A, A, B], "7", "[1 3] of 7, 0 skipped");
        check(&[A, B, "http://example.org/c", "http://example.org/d"], "\"90\"", {
            "[1 2 3] of 90, 0 skipped"
        });
    }

    #[test]
    fn invalid_urls_and_hits_outside_the_site_are_skipped() {
        check(&["javascript:alert(1)", "file:///etc", "/relative", A], "1", {
            "[4] of 1, 3 skipped"
        });
        check(&["http://example.org@evil.test/", "http://me@example.org/", A], "9", {
            "[3] of 9, 2 skipped"
        });
        // A total that includes other sites is unknown.
        check(&["http://evil.test/", A], "9", "[2] of ?, 1 skipped");
        let long = format!("http://example.org/{}", "x".repeat(9_000));
        check(&[&long, A], "9", "[2] of 9, 1 skipped");
    }

    #[test]
    fn total_below_the_number_of_hits_is_unknown() {
        check(&[A, B], "0", "[1 2] of ?, 0 skipped");
        check(&[], "0", "[] of 0, 0 skipped");
        check(&[A], "{}", "[1] of ?, 0 skipped");
    }

    #[test]
    fn unresponsive_upstream_differs_from_no_results() {
        assert_eq!(
            summarize("{\"results\": [], \"unresponsive\": [[\"a\", \"timeout\"]]}"),
            "UpstreamUnavailable"
        );
        assert_eq!(summarize("{\"results\": [], \"unresponsive\": []}"), "[] of ?, 0 skipped");
    }

    #[test]
    fn parse_rejects_other_formats() {
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        for json in ["", "null", "<html>", "{\"results\": {}}", "[]", "{\"results\": [", &deep] {
            assert_eq!(summarize(json), "Invalid", "{json}");
        }
        assert_eq!(summarize("{\"results\": [null, 1, {}, {\"url\": 1}]}"), "[] of ?, 4 skipped");
    }

    proptest! {
        #[test]
        fn parse_never_panics(text in ".{0,200}", url in ".{0,60}") {
            summarize(&text);
            let row = serde_json::json!({"results": [{"url": url, "title": text}]});
            summarize(&row.to_string());
        }
    }
}
