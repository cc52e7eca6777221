//! The fields of a page in the local index, and their conversion to hits.

use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value,
};
use tantivy::{TantivyDocument, Term};
use url::{Host, Url};

use super::{IndexedPage, term, tokenizer};
use crate::search::sanitize;

/// Maximum length of a URL in bytes.
const MAX_URL_BYTES: usize = 4_096;

/// Maximum number of bytes of a text to index.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// The fields of the index.
pub(super) struct Fields {
    /// The URL, which identifies a page.
    pub url: Field,
    /// The host and all its parent domains.
    pub site: Field,
    /// The words of the path and the query.
    pub url_words: Field,
    pub title: Field,
    pub text: Field,
    /// The start of the text, shown in results.
    pub snippet: Field,
}

impl Fields {
    /// Creates the fields and their schema.
    pub fn new() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let positions = IndexRecordOption::WithFreqsAndPositions;
        let indexing =
            TextFieldIndexing::default().set_tokenizer(tokenizer::NAME).set_index_option(positions);
        let tokenized = TextOptions::default().set_indexing_options(indexing);
        let fields = Self {
            url: schema.add_text_field("url", STRING | STORED),
            site: schema.add_text_field("site", STRING),
            url_words: schema.add_text_field("url_words", tokenized.clone()),
            title: schema.add_text_field("title", tokenized.clone() | STORED),
            text: schema.add_text_field("text", tokenized),
            snippet: schema.add_text_field("snippet", STORED),
        };
        (schema.build(), fields)
    }

    /// Returns the term that identifies a page.
    pub fn url_term(&self, url: &Url) -> Term {
        term(self.url, url.as_str())
    }

    /// Creates the document of a page. Returns `None` unless the URL is an HTTP
    /// URL.
    pub fn document(&self, page: &IndexedPage) -> Option<TantivyDocument> {
        let url = &page.url;
        let is_web = matches!(url.scheme(), "http" | "https");
        let host = url.host().filter(|_| is_web && url.as_str().len() <= MAX_URL_BYTES)?;
        let text = page.text.get(..page.text.floor_char_boundary(MAX_TEXT_BYTES))?;
        let path_and_query = format!("{} {}", url.path(), url.query().unwrap_or_default());
        let mut document = TantivyDocument::default();
        document.add_text(self.url, url.as_str());
        for domain in domains(&host) {
            document.add_text(self.site, domain);
        }
        document.add_text(self.url_words, decode_path_and_query(&path_and_query));
        document.add_text(self.title, sanitize::plain(&page.title));
        document.add_text(self.text, text);
        document.add_text(self.snippet, sanitize::plain(text));
        Some(document)
    }

    /// Returns URL, title and snippet of a document.
    pub fn hit(&self, document: &TantivyDocument) -> Option<(Url, String, String)> {
        let text = |field| document.get_first(field).and_then(|value| value.as_str());
        let url = Url::parse(text(self.url)?).ok()?;
        let [title, snippet] =
            [self.title, self.snippet].map(|field| text(field).unwrap_or_default().to_owned());
        Some((url, title, snippet))
    }
}

/// Returns the host and all its parent domains. An IP address has no parents.
fn domains(host: &Host<&str>) -> Vec<String> {
    let Host::Domain(name) = host else { return vec![host.to_string()] };
    let name = name.trim_end_matches('.');
    let parents = std::iter::successors(Some(name), |name| Some(name.split_once('.')?.1));
    parents.map(str::to_owned).collect()
}

/// Percent-decodes a path and query and separates their parts by spaces.
fn decode_path_and_query(text: &str) -> String {
    // Form decoding differs from path decoding only in the plus sign, which
    // separates words in both.
    let pairs = url::form_urlencoded::parse(text.as_bytes());
    let parts: Vec<_> = pairs.flat_map(|(name, value)| [name, value]).collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_contains_host_and_parents() {
        let domains = |host| domains(&Url::parse(host).unwrap().host().unwrap());
        assert_eq!(domains("http://a.b.test/"), ["a.b.test", "b.test", "test"]);
        assert_eq!(domains("http://127.0.0.1/"), ["127.0.0.1"]);
    }

    #[test]
    fn decode_returns_words_of_path_and_query() {
        assert_eq!(decode_path_and_query("/a%20b/c-d x=%C3%A9&y"), "/a b/c-d x é y ");
    }
}
