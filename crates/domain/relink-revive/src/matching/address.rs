//! An address as matching sees it: host and components, without what a server
//! adds on its own (index names, file endings, fragments).
//!
//! This is not a canonical form to ask a server with. It only serves to see
//! that two addresses name a page in the same way.

use percent_encoding::percent_decode_str;
use url::Url;

/// Names that stand for the folder they are in.
const INDEX_NAMES: [&str; 5] = ["index", "_index", "readme", "default", "_default"];

/// File endings of pages. Listed, because `window.name` is no file.
const PAGE_ENDINGS: [&str; 24] = [
    "html", "htm", "xhtml", "shtml", "php", "php3", "php5", "asp", "aspx", "jsp", "jspx", "jhtml",
    "cfm", "cgi", "do", "md", "mdx", "markdown", "rst", "adoc", "asciidoc", "txt", "ipynb", "pl",
];

/// Host and components of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlComponents {
    /// The host in lower case, without `www.`; empty when the text is no URL.
    pub host: String,
    /// The parts between slashes, decoded, then the query's parts if any.
    pub components: Vec<String>,
}

impl UrlComponents {
    /// Reads an address; text that is no URL is taken as a path.
    pub fn read(text: &str) -> Self {
        let Ok(url) = Url::parse(text) else {
            return Self { host: String::new(), components: components(text, None) };
        };
        let host = url.host_str().unwrap_or_default();
        let host = host.strip_prefix("www.").unwrap_or(host).to_owned();
        Self { host, components: components(url.path(), url.query()) }
    }

    /// The last component, or nothing for a front page.
    pub fn slug(&self) -> &str {
        self.components.last().map_or("", String::as_str)
    }

    /// The component before the last.
    pub fn parent(&self) -> &str {
        self.components.iter().rev().nth(1).map_or("", String::as_str)
    }
}

/// The components of a path and its query.
fn components(path: &str, query: Option<&str>) -> Vec<String> {
    let mut found: Vec<String> = path
        .split('/')
        .filter(|part| !part.is_empty())
        .map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned())
        .collect();
    if let Some(last) = found.last_mut() {
        *last = without_ending(last).to_owned();
    }
    if found.last().is_some_and(|last| is_index(last)) {
        found.pop();
    }
    let values = query.unwrap_or_default().split('&').filter(|part| !part.is_empty());
    found.extend(values.map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned()));
    found
}

/// Whether a name stands for its folder.
fn is_index(name: &str) -> bool {
    INDEX_NAMES.iter().any(|index| name.eq_ignore_ascii_case(index))
}

/// A name without the ending of a page.
fn without_ending(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && is_page_ending(ending) => stem,
        _ => name,
    }
}

/// Whether a file ending is that of a page.
fn is_page_ending(ending: &str) -> bool {
    PAGE_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, host: &str, expect: &[&str]) {
        let address = UrlComponents::read(text);
        assert_eq!(address.host, host);
        assert_eq!(address.components, expect);
    }

    #[test]
    fn what_a_server_adds_does_not_count() {
        check("https://www.example.org/a/b/index.html#top", "example.org", &["a", "b"]);
        check("https://example.org/a/b.html", "example.org", &["a", "b"]);
        check("https://example.org/a/b/", "example.org", &["a", "b"]);
        check("https://example.org/a/README.md", "example.org", &["a"]);
    }

    #[test]
    fn a_dot_in_a_name_is_no_file_ending() {
        check("https://example.org/window.name", "example.org", &["window.name"]);
        check("https://example.org/release-1.19", "example.org", &["release-1.19"]);
    }

    #[test]
    fn a_query_names_the_page_too() {
        check("https://example.org/news.aspx?nwid=6540", "example.org", &["news", "nwid=6540"]);
    }

    #[test]
    fn anything_can_be_read() {
        check("no url/at all", "", &["no url", "at all"]);
        check("", "", &[]);
    }
}
