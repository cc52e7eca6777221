//! URL patterns: what many URLs have in common.
//!
//! Variable parts are replaced by a placeholder for their class: `{n}` is a number; `{year}`,
//! `{month}`, `{day}` and `{date}` are dates; `{id}` is a hexadecimal name, `{token}` a random
//! name, `{text}` another value. The keys of a query are sorted. Words in the path and short
//! values in the query are retained, because `action=edit` and `action=view` are different
//! pages.

use url::Url;

use super::TrapKind;
use super::segment_class::{SegmentClass, contains_key, is_far};
use super::shape::segments;
use crate::host_key;
use crate::query::parameters;

/// Maximum length of one part of a pattern.
const MAX_PART_LENGTH: usize = 64;

/// Query parameters with a page number, and path segments before a page number.
const PAGE_KEYS: [&str; 14] = [
    "p", "page", "paged", "pageno", "page_no", "pagenum", "pg", "seite", "pagina", "start",
    "offset", "skip", "from", "cursor",
];

/// The pattern of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlPattern {
    text: String,
    /// Length of the host and path in `text`.
    path_length: usize,
    has_variable_path: bool,
    /// Whether the pattern has a placeholder, so that several URLs can have it.
    is_variable: bool,
    /// Whether the URL contains a date far from the year of the crawl.
    is_far: bool,
    /// The kind of trap to report if the URLs turn out to be endless.
    kind: TrapKind,
}

impl UrlPattern {
    /// Returns the pattern of `url` for a crawl that starts in `year`. Dates far from this
    /// year are marked (`{far-year}`, `{far-date}`), because most endless calendars consist
    /// of them.
    ///
    /// ```
    /// use relink_frontier::UrlPattern;
    /// let url = "https://example.org/cal/2026/05/view?id=81&day=3".parse()?;
    /// let pattern = UrlPattern::new(&url, 2026);
    /// assert_eq!(pattern.as_str(), "example.org/cal/{year}/{month}/view?day={n}&id={n}");
    /// # Ok::<(), url::ParseError>(())
    /// ```
    pub fn new(url: &Url, year: i16) -> Self {
        let mut pattern = Self {
            text: host_key(url),
            path_length: 0,
            has_variable_path: false,
            is_variable: false,
            is_far: false,
            kind: TrapKind::NearDuplicates,
        };
        pattern.add_path(url, year);
        pattern.path_length = pattern.text.len();
        pattern.has_variable_path = pattern.is_variable;
        pattern.add_query(url, year);
        pattern
    }

    /// Returns the pattern as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(super) fn into_string(self) -> String {
        self.text
    }

    /// Returns the host and path.
    pub(super) fn path(&self) -> &str {
        self.text.get(..self.path_length).unwrap_or(&self.text)
    }

    /// Whether several paths can have the pattern.
    pub(super) fn has_variable_path(&self) -> bool {
        self.has_variable_path
    }

    /// Whether the URL has parameters.
    pub(super) fn has_query(&self) -> bool {
        self.path_length < self.text.len()
    }

    /// Whether several URLs can have the pattern.
    pub(super) fn is_variable(&self) -> bool {
        self.is_variable
    }

    /// Whether the URL contains a date far from the year of the crawl.
    pub(super) fn is_far(&self) -> bool {
        self.is_far
    }

    /// Returns the kind of trap to report if the URLs turn out to be endless.
    pub(super) fn kind(&self) -> TrapKind {
        self.kind
    }

    /// Sets the kind of trap if [`TrapKind`] declares it before the current kind.
    fn suggest_kind(&mut self, kind: TrapKind) {
        self.kind = self.kind.min(kind);
    }

    fn add_path(&mut self, url: &Url, year: i16) {
        let mut previous_class = SegmentClass::Literal;
        let mut previous_segment = "";
        let mut path = segments(url).peekable();
        while let Some(segment) = path.next() {
            let class = SegmentClass::from_segment(segment, previous_class, path.peek().copied());
            if class == SegmentClass::Number && contains_key(&PAGE_KEYS, previous_segment) {
                self.suggest_kind(TrapKind::EndlessPages);
            }
            self.text.push('/');
            self.add_part(class, segment, year);
            (previous_class, previous_segment) = (class, segment);
        }
        if url.path().ends_with('/') {
            self.text.push('/');
        }
    }

    fn add_query(&mut self, url: &Url, year: i16) {
        let mut pairs: Vec<(&str, &str)> =
            parameters(url).map(|parameter| (parameter.key, parameter.value)).collect();
        pairs.sort_by_key(|pair| pair.0);
        pairs.dedup_by_key(|pair| pair.0);
        let separators = std::iter::once('?').chain(std::iter::repeat('&'));
        for ((key, value), separator) in pairs.into_iter().zip(separators) {
            let class = SegmentClass::from_value(key, value);
            if class == SegmentClass::Number && contains_key(&PAGE_KEYS, key) {
                self.suggest_kind(TrapKind::EndlessPages);
            }
            self.text.push(separator);
            self.add_word(key);
            if !value.is_empty() {
                self.text.push('=');
                self.add_part(class, value, year);
            }
        }
    }

    /// Adds a path segment or the value of a parameter: the text or its placeholder.
    fn add_part(&mut self, class: SegmentClass, text: &str, year: i16) {
        self.is_variable |= class != SegmentClass::Literal;
        match class {
            SegmentClass::Token => self.suggest_kind(TrapKind::SessionIds),
            SegmentClass::Year | SegmentClass::Date => self.suggest_kind(TrapKind::EndlessCalendar),
            _ => {}
        }
        let is_far = matches!(class, SegmentClass::Year | SegmentClass::Date) && is_far(text, year);
        self.is_far |= is_far;
        match class {
            SegmentClass::Literal => self.add_word(text),
            SegmentClass::Year if is_far => self.text.push_str("{far-year}"),
            SegmentClass::Date if is_far => self.text.push_str("{far-date}"),
            other => self.text.push_str(other.placeholder()),
        }
    }

    /// Adds a word and replaces the numbers in it.
    fn add_word(&mut self, word: &str) {
        let mut was_digit = false;
        for letter in word.chars().take(MAX_PART_LENGTH) {
            let is_digit = letter.is_ascii_digit();
            if !is_digit {
                self.text.push(letter);
            } else if !was_digit {
                self.text.push_str("{n}");
                self.is_variable = true;
            }
            was_digit = is_digit;
        }
        if word.chars().nth(MAX_PART_LENGTH).is_some() {
            self.text.push('…');
            self.is_variable = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the pattern of a path in the year 2026. A pattern with `{` or `…` must be variable.
    #[track_caller]
    fn check(path: &str, expect: &str) {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        let pattern = UrlPattern::new(&url, 2026);
        assert_eq!(pattern.as_str(), format!("example.org{expect}"), "{path}");
        assert_eq!(pattern.is_variable(), expect.contains(['{', '…']), "{path}");
    }

    #[test]
    fn words_are_retained() {
        for path in ["/", "/about", "/a/b.html", "/a?view=list", "/my-first-post/"] {
            check(path, path);
        }
    }

    #[test]
    fn numbers_are_replaced() {
        check("/article/12345", "/article/{n}");
        check("/article-77.html", "/article-{n}.html");
        check("/v1.2.3/api", "/v{n}.{n}.{n}/api");
        check("/page/12/", "/page/{n}/");
        check("/x/99999999999999999999", "/x/{n}");
    }

    #[test]
    fn dates_are_replaced() {
        check("/2025/05/31/post", "/{year}/{month}/{day}/post");
        check("/2025/5", "/{year}/{month}");
        check("/2025/13", "/{n}/{n}");
        check("/4711/5", "/{n}/{n}");
        check("/cal/2027-03", "/cal/{date}");
        check("/cal/2027-03-01", "/cal/{date}");
        check("/cal/20270301", "/cal/{date}");
        check("/cal/555-1234", "/cal/{n}-{n}");
        check("/item/4711", "/item/{n}");
        check("/cal?year=2026&month=5", "/cal?month={n}&year={year}");
        check("/cal?d=2026-05-01T10:00", "/cal?d={date}");
    }

    #[test]
    fn dates_far_from_now_are_marked() {
        check("/cal/2031/05", "/cal/{far-year}/{month}");
        check("/cal/9031/05", "/cal/{far-year}/{month}");
        check("/cal/1951/05", "/cal/{far-year}/{month}");
        check("/cal/2028/05", "/cal/{year}/{month}");
        check("/cal?date=2040-01-01", "/cal?date={far-date}");
        check("/cal?year=2040", "/cal?year={far-year}");
    }

    #[test]
    fn generated_names_are_replaced() {
        check("/f/550e8400-e29b-41d4-a716-446655440000", "/f/{id}");
        check("/f/deadbeef42.pdf", "/f/{id}");
        check("/(S(lit3py55t21z5v55vlm25s55))/a", "/{token}/a");
        check("/s/a8Fk29xQ7bW3mN5z/a", "/s/{token}/a");
        check("/iphone-15-pro-max-256gb", "/iphone-{n}-pro-max-{n}gb");
        check("/facade", "/facade");
    }

    #[test]
    fn query_is_sorted_and_deduplicated() {
        check("/a?b=1&a=2", "/a?a={n}&b={n}");
        check("/a?x=1&x=2", "/a?x={n}");
        check("/a?title=Blue+fish&action=edit", "/a?action=edit&title={text}");
        check("/a?f[12]=on&empty=&bare", "/a?bare&empty&f[{n}]=on");
    }
}
