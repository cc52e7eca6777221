//! URL templates of search engines, with placeholders for the query.

use std::fmt;

use thiserror::Error;
use url::Url;
use url::form_urlencoded::byte_serialize;
use xxhash_rust::xxh3::xxh3_64;

/// The supported placeholders.
const PLACEHOLDERS: [&str; 4] = ["{query}", "{site}", "{limit}", "{key}"];

/// A search URL with placeholders: `{query}` for the query text, `{site}` for
/// the host, `{limit}` for the number of hits and `{key}` for the API key.
///
/// A query parameter whose placeholder has no value is omitted.
///
/// ```
/// use relink_lookup::SearchTemplate;
/// let template: SearchTemplate = "https://search.test/?q={query}&in={site}".parse()?;
/// assert_eq!(template.to_string(), "https://search.test/?q={query}&in={site}");
/// # Ok::<_, relink_lookup::SearchTemplateError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchTemplate {
    text: String,
    /// The URL without the placeholders.
    root: Url,
}

/// Invalid [`SearchTemplate`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SearchTemplateError {
    /// The text is not an HTTP URL.
    #[error("invalid search URL: `{text}` (expected an `http` or `https` URL)")]
    NotAUrl {
        /// The text.
        text: String,
    },
    /// The host contains a placeholder.
    #[error("invalid search URL: `{text}` (the host must not contain a placeholder)")]
    PlaceholderInHost {
        /// The text.
        text: String,
    },
    /// The `{query}` placeholder is missing.
    #[error("invalid search URL: `{text}` (expected `{{query}}`)")]
    MissingQuery {
        /// The text.
        text: String,
    },
}

/// Values for the placeholders.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TemplateValues<'a> {
    pub query: &'a str,
    pub site: Option<&'a str>,
    pub limit: usize,
    pub key: Option<&'a str>,
}

impl std::str::FromStr for SearchTemplate {
    type Err = SearchTemplateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim().to_owned();
        if !text.contains("{query}") {
            return Err(SearchTemplateError::MissingQuery { text });
        }
        let without_placeholders =
            PLACEHOLDERS.iter().fold(text.clone(), |text, name| text.replace(name, ""));
        let root = Url::parse(&without_placeholders).ok();
        let is_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        let root = root.filter(is_web);
        let Some(root) = root else {
            return Err(SearchTemplateError::NotAUrl { text });
        };
        // A placeholder in the host would let untrusted values choose the server.
        let after = text.split_once("://").map_or("", |(_, after)| after);
        let host = after.split(['/', '?', '#']).next().unwrap_or_default();
        if host.contains('{') {
            return Err(SearchTemplateError::PlaceholderInHost { text });
        }
        Ok(Self { text, root })
    }
}

impl SearchTemplate {
    /// Creates a template from a root URL, a path and query parameters.
    pub(super) fn from_root(root: &Url, path: &str, parameters: &str) -> Self {
        let mut root = root.clone();
        let path = format!("{}/{path}", root.path().trim_end_matches('/'));
        root.set_path(path.trim_end_matches('/'));
        root.set_query(None);
        root.set_fragment(None);
        Self { text: format!("{root}?{parameters}"), root }
    }

    /// Whether the template has a `{site}` placeholder.
    pub(super) fn has_site(&self) -> bool {
        self.text.contains("{site}")
    }

    /// Returns the URL without the placeholders.
    pub fn root(&self) -> &Url {
        &self.root
    }

    /// Returns a hash of the template. The template itself may contain a
    /// password or a key.
    pub(super) fn fingerprint(&self) -> String {
        format!("{:016x}", xxh3_64(self.text.as_bytes()))
    }

    /// Returns the URL with the values inserted.
    pub(super) fn fill(&self, values: &TemplateValues<'_>) -> Option<Url> {
        let (path, parameters) = self.text.split_once('?').unwrap_or((&self.text, ""));
        let path = fill_part(path, values).unwrap_or_else(|| path.to_owned());
        let parameters: Vec<_> =
            parameters.split('&').filter_map(|parameter| fill_part(parameter, values)).collect();
        Url::parse(&format!("{path}?{}", parameters.join("&"))).ok()
    }
}

/// Inserts the values into a part of the template. Returns `None` if a value is
/// missing.
fn fill_part(part: &str, values: &TemplateValues<'_>) -> Option<String> {
    let limit = values.limit.to_string();
    let texts = [Some(values.query), values.site, Some(&limit), values.key];
    let (mut text, mut rest) = (String::new(), part);
    while let Some(start) = rest.find('{') {
        let (before, tail) = rest.split_at_checked(start)?;
        text.push_str(before);
        let candidates = PLACEHOLDERS.iter().zip(texts);
        let mut matching =
            candidates.filter_map(|(name, value)| Some((tail.strip_prefix(name)?, value)));
        if let Some((after, value)) = matching.next() {
            text.push_str(&encode(value?));
            rest = after;
        } else {
            // A brace that starts no placeholder.
            text.push('{');
            rest = tail.strip_prefix('{')?;
        }
    }
    text.push_str(rest);
    Some(text)
}

/// Encodes a value for use in a path or a query. In a path, a plus sign would not mean a
/// space.
fn encode(value: &str) -> String {
    byte_serialize(value.as_bytes()).collect::<String>().replace('+', "%20")
}

impl fmt::Display for SearchTemplate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the URL for the query `snowy owl & {key}`, the limit 3 and the key `k+1`.
    #[track_caller]
    fn check(template: &str, site: Option<&str>, expect: &str) {
        let template: SearchTemplate = template.parse().unwrap();
        let values =
            TemplateValues { query: "snowy owl & {key}", site, limit: 3, key: Some("k+1") };
        assert_eq!(template.fill(&values).unwrap().as_str(), expect);
    }

    #[test]
    fn fill_inserts_encoded_values() {
        check(
            "http://e.test/s?q={query}&n={limit}&k={key}",
            None,
            "http://e.test/s?q=snowy%20owl%20%26%20%7Bkey%7D&n=3&k=k%2B1",
        );
        check("http://e.test/{query}?f=a", None, "http://e.test/snowy%20owl%20%26%20%7Bkey%7D?f=a");
    }

    #[test]
    fn parameter_without_value_is_omitted() {
        let template = "http://e.test/?B=H{site}&P={query}&x={y}";
        check(template, None, "http://e.test/?P=snowy%20owl%20%26%20%7Bkey%7D&x={y}");
        let filled = "http://e.test/?B=Ha.test&P=snowy%20owl%20%26%20%7Bkey%7D&x={y}";
        check(template, Some("a.test"), filled);
    }

    #[test]
    fn parse_rejects_invalid_templates() {
        let error = |text: &str| text.parse::<SearchTemplate>().unwrap_err().to_string();
        let invalid = |text: &str, reason: &str| format!("invalid search URL: `{text}` ({reason})");
        for (text, reason) in [
            ("http://e.test/?q=", "expected `{query}`"),
            ("file:///{query}", "expected an `http` or `https` URL"),
            ("{query}", "expected an `http` or `https` URL"),
            ("http://{site}.e.test/?q={query}", "the host must not contain a placeholder"),
        ] {
            assert_eq!(error(text), invalid(text, reason));
        }
    }
}
