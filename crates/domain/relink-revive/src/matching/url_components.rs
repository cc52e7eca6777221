//! Host and components of a URL for matching, without index names, file
//! extensions and fragments.
//!
//! This is not a canonical URL to fetch. It only serves to recognize that two
//! URLs name a page in the same way.

use percent_encoding::percent_decode_str;
use url::Url;

/// File names that stand for their folder.
const INDEX_NAMES: [&str; 5] = ["index", "_index", "readme", "default", "_default"];

/// File extensions of pages. Other text after a dot belongs to the name of the page, as in
/// `window.name`.
const PAGE_EXTENSIONS: [&str; 24] = [
    "html", "htm", "xhtml", "shtml", "php", "php3", "php5", "asp", "aspx", "jsp", "jspx", "jhtml",
    "cfm", "cgi", "do", "md", "mdx", "markdown", "rst", "adoc", "asciidoc", "txt", "ipynb", "pl",
];

/// Host and components of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlComponents {
    /// The host in lower case, without `www.`; empty if the text is not a URL.
    pub host: String,
    /// The decoded path components, then the query parameters.
    pub components: Vec<String>,
}

impl UrlComponents {
    /// Parses a URL. Text that is not a URL is parsed as a path.
    pub fn parse(text: &str) -> Self {
        let Ok(url) = Url::parse(text) else {
            return Self { host: String::new(), components: components(text, None) };
        };
        let host = url.host_str().unwrap_or_default();
        let host = host.strip_prefix("www.").unwrap_or(host).to_owned();
        Self { host, components: components(url.path(), url.query()) }
    }

    /// Returns the last component, or an empty text for a home page.
    pub fn slug(&self) -> &str {
        self.components.last().map_or("", String::as_str)
    }

    /// Returns the component before the last.
    pub fn parent(&self) -> &str {
        self.components.iter().rev().nth(1).map_or("", String::as_str)
    }
}

/// Returns the components of a path and its query.
fn components(path: &str, query: Option<&str>) -> Vec<String> {
    let mut found: Vec<String> = path
        .split('/')
        .filter(|part| !part.is_empty())
        .map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned())
        .collect();
    if let Some(last) = found.last_mut() {
        *last = without_extension(last).to_owned();
    }
    if found.last().is_some_and(|last| is_index(last)) {
        found.pop();
    }
    let values = query.unwrap_or_default().split('&').filter(|part| !part.is_empty());
    found.extend(values.map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned()));
    found
}

/// Whether a file name stands for its folder.
fn is_index(name: &str) -> bool {
    INDEX_NAMES.iter().any(|index| name.eq_ignore_ascii_case(index))
}

/// Removes the extension of a page from a file name.
fn without_extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && is_page_extension(extension) => stem,
        _ => name,
    }
}

/// Whether an extension is that of a page.
fn is_page_extension(extension: &str) -> bool {
    PAGE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the host and the components of a URL.
    #[track_caller]
    fn check(text: &str, host: &str, expect: &[&str]) {
        let url = UrlComponents::parse(text);
        assert_eq!(url.host, host);
        assert_eq!(url.components, expect);
    }

    #[test]
    fn index_names_and_extensions_are_removed() {
        check("https://www.example.org/a/b/index.html#top", "example.org", &["a", "b"]);
        check("https://example.org/a/b.html", "example.org", &["a", "b"]);
        check("https://example.org/a/b/", "example.org", &["a", "b"]);
        check("https://example.org/a/README.md", "example.org", &["a"]);
    }

    #[test]
    fn other_extensions_are_kept() {
        check("https://example.org/window.name", "example.org", &["window.name"]);
        check("https://example.org/release-1.19", "example.org", &["release-1.19"]);
    }

    #[test]
    fn query_parameters_are_components() {
        check("https://example.org/news.aspx?nwid=6540", "example.org", &["news", "nwid=6540"]);
    }

    #[test]
    fn any_text_is_accepted() {
        check("no url/at all", "", &["no url", "at all"]);
        check("", "", &[]);
    }
}
