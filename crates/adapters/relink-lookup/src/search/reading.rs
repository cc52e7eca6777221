//! What a search engine answered, made one kind of answer.
//!
//! The answer is not trusted: it is read within bounds, rows that are not
//! what they should be are passed over, and no text of it is kept that could
//! be more than text.

use std::collections::HashSet;

use relink_model::{SearchHit, SearchQuery};
use relink_ports::SearchResponse;
use serde_json::Value;
use url::Url;

use super::sanitize;

/// The most rows looked at, however many there are.
const MOST_ROWS: usize = 200;

/// The longest address kept, in bytes.
const LONGEST_ADDRESS: usize = 4_096;

/// Where the parts of an answer are in its JSON, as JSON pointers (RFC 6901).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseMapping {
    /// The list of results, in one of these places; the first that is a list
    /// counts.
    pub results: Vec<String>,
    /// The address, within a result.
    pub url: String,
    /// The title, within a result.
    pub title: String,
    /// The excerpt, within a result.
    pub excerpt: String,
    /// How many pages fit, where it is told.
    pub total: Option<String>,
    /// What stands in every answer, also in one that found nothing and
    /// therefore has no list.
    pub marker: Option<String>,
    /// The list of those who were asked and did not answer.
    pub deaf: Option<String>,
    /// What titles and excerpts are.
    pub text: TextKind,
}

/// What titles and excerpts are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// Text as it is read.
    #[default]
    Plain,
    /// Text with tags and entities of HTML.
    Markup,
}

impl Default for ResponseMapping {
    /// The names that most engines use.
    fn default() -> Self {
        Self {
            results: vec!["/results".to_owned()],
            url: "/url".to_owned(),
            title: "/title".to_owned(),
            excerpt: "/snippet".to_owned(),
            total: Some("/total".to_owned()),
            marker: None,
            deaf: None,
            text: TextKind::Plain,
        }
    }
}

/// Why there is no answer in what was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseError {
    /// It is no answer.
    Strange,
    /// Those who were asked did not answer.
    Deaf,
}

impl ResponseMapping {
    /// Reads what an engine said to a query.
    pub(super) fn read(
        &self,
        bytes: &[u8],
        engine: &str,
        query: &SearchQuery,
    ) -> Result<SearchResponse, ResponseError> {
        let said: Value = serde_json::from_slice(bytes).map_err(|_| ResponseError::Strange)?;
        let rows = self.rows(&said).ok_or(ResponseError::Strange)?;
        let mut answer = SearchResponse::default();
        let mut is_filtered = false;
        let mut seen = HashSet::new();
        for (at, row) in rows.iter().take(MOST_ROWS).enumerate() {
            let hit = self.hit(row, engine, at + 1);
            let is_wanted = hit.as_ref().is_some_and(|hit| query.matches_site(&hit.url));
            is_filtered |= hit.is_some() && !is_wanted;
            match hit.filter(|_| is_wanted) {
                None => answer.skipped += 1,
                Some(hit) if answer.hits.len() < query.limit && seen.insert(hit.url.clone()) => {
                    answer.hits.push(hit);
                }
                Some(_) => {}
            }
        }
        if rows.is_empty() && self.is_deaf(&said) {
            return Err(ResponseError::Deaf);
        }
        // An engine that ignores the site counts the pages of all.
        answer.total = self.total(&said, answer.hits.len()).filter(|_| !is_filtered);
        Ok(answer)
    }

    fn rows<'a>(&self, said: &'a Value) -> Option<&'a [Value]> {
        let mut lists = self.results.iter().filter_map(|place| said.pointer(place)?.as_array());
        if let Some(list) = lists.next() {
            return Some(list);
        }
        let sign = self.marker.as_deref()?;
        said.pointer(sign).filter(|it| !it.is_null()).map(|_| &[] as &[Value])
    }

    fn hit(&self, row: &Value, engine: &str, rank: usize) -> Option<SearchHit> {
        let address = row.pointer(&self.url)?.as_str()?;
        let url = Url::parse(address).ok().filter(|_| address.len() <= LONGEST_ADDRESS)?;
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        // An address with a name before the host only looks like another's.
        let is_honest = url.username().is_empty() && url.password().is_none();
        let text = |place: &str| self.text(row.pointer(place));
        (is_web && is_honest).then(|| SearchHit {
            url,
            title: text(&self.title),
            snippet: text(&self.excerpt),
            engine: engine.to_owned(),
            rank,
        })
    }

    fn text(&self, value: Option<&Value>) -> String {
        let text = value.and_then(Value::as_str).unwrap_or_default();
        match self.text {
            TextKind::Plain => sanitize::plain(text),
            TextKind::Markup => sanitize::from_markup(text),
        }
    }

    /// How many pages fit; a number smaller than that of the hits says that
    /// the engine does not know.
    fn total(&self, said: &Value, hits: usize) -> Option<u64> {
        let value = said.pointer(self.total.as_deref()?)?;
        let total = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())?;
        (total >= hits as u64).then_some(total)
    }

    fn is_deaf(&self, said: &Value) -> bool {
        let list = self.deaf.as_deref().and_then(|place| said.pointer(place)?.as_array());
        list.is_some_and(|list| !list.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is read of an answer, in short.
    fn read(answer: &str) -> String {
        let shape =
            ResponseMapping { deaf: Some("/deaf".to_owned()), ..ResponseMapping::default() };
        let query = SearchQuery { limit: 3, ..SearchQuery::new(["x"]).within("example.org") };
        match shape.read(answer.as_bytes(), "e", &query) {
            Ok(answer) => {
                let ranks: Vec<_> = answer.hits.iter().map(|hit| hit.rank.to_string()).collect();
                let total = answer.total.map_or("?".to_owned(), |total| total.to_string());
                format!("[{}] of {total}, {} skipped", ranks.join(" "), answer.skipped)
            }
            Err(unread) => format!("{unread:?}"),
        }
    }

    #[track_caller]
    fn check(urls: &[&str], total: &str, expect: &str) {
        let rows: Vec<_> = urls.iter().map(|url| format!("{{\"url\": \"{url}\"}}")).collect();
        let answer = format!("{{\"total\": {total}, \"results\": [{}]}}", rows.join(","));
        assert_eq!(read(&answer), expect);
    }

    const A: &str = "http://example.org/a";
    const B: &str = "https://www.example.org/b";

    #[test]
    fn hits_keep_their_rank_and_come_once() {
        check(&[A, A, B], "7", "[1 3] of 7, 0 skipped");
        check(&[A, B, "http://example.org/c", "http://example.org/d"], "\"90\"", {
            "[1 2 3] of 90, 0 skipped"
        });
    }

    #[test]
    fn what_is_no_page_of_the_site_is_passed_over() {
        check(&["javascript:alert(1)", "file:///etc", "/relative", A], "1", {
            "[4] of 1, 3 skipped"
        });
        check(&["http://example.org@evil.test/", "http://me@example.org/", A], "9", {
            "[3] of 9, 2 skipped"
        });
        // Who counts the pages of other sites too has not counted ours.
        check(&["http://evil.test/", A], "9", "[2] of ?, 1 skipped");
        let long = format!("http://example.org/{}", "x".repeat(9_000));
        check(&[&long, A], "9", "[2] of 9, 1 skipped");
    }

    #[test]
    fn a_total_below_the_hits_is_unknown() {
        check(&[A, B], "0", "[1 2] of ?, 0 skipped");
        check(&[], "0", "[] of 0, 0 skipped");
        check(&[A], "{}", "[1] of ?, 0 skipped");
    }

    #[test]
    fn an_engine_that_nobody_answered_is_told_from_nothing() {
        assert_eq!(read("{\"results\": [], \"deaf\": [[\"a\", \"timeout\"]]}"), "Deaf");
        assert_eq!(read("{\"results\": [], \"deaf\": []}"), "[] of ?, 0 skipped");
    }

    #[test]
    fn what_is_no_answer_is_said_to_be_none() {
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        for answer in ["", "null", "<html>", "{\"results\": {}}", "[]", "{\"results\": [", &deep] {
            assert_eq!(read(answer), "Strange", "{answer}");
        }
        assert_eq!(read("{\"results\": [null, 1, {}, {\"url\": 1}]}"), "[] of ?, 4 skipped");
    }

    proptest! {
        #[test]
        fn anything_may_be_said(said in ".{0,200}", url in ".{0,60}") {
            read(&said);
            let row = serde_json::json!({"results": [{"url": url, "title": said}]});
            read(&row.to_string());
        }
    }
}
