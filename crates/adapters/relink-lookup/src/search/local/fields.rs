//! What the index keeps of a page.

use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value,
};
use tantivy::{TantivyDocument, Term};
use url::{Host, Url};

use super::{IndexedPage, term, words};
use crate::search::sanitize;

/// The longest address kept, in bytes.
const LONGEST_ADDRESS: usize = 4_096;

/// The most bytes of a text that are read.
const MOST_TEXT: usize = 256 * 1024;

/// The fields of the index.
pub(super) struct Fields {
    /// The address, by which a page is replaced.
    pub url: Field,
    /// The host, and every name that it is below.
    pub site: Field,
    /// The words of the path and of the parameters.
    pub address: Field,
    pub title: Field,
    pub text: Field,
    /// The beginning of the text, to be shown.
    pub opening: Field,
}

impl Fields {
    /// The fields, and the schema that has them.
    pub fn new() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let positions = IndexRecordOption::WithFreqsAndPositions;
        let indexing =
            TextFieldIndexing::default().set_tokenizer(words::NAME).set_index_option(positions);
        let worded = TextOptions::default().set_indexing_options(indexing);
        let fields = Self {
            url: schema.add_text_field("url", STRING | STORED),
            site: schema.add_text_field("site", STRING),
            address: schema.add_text_field("address", worded.clone()),
            title: schema.add_text_field("title", worded.clone() | STORED),
            text: schema.add_text_field("text", worded),
            opening: schema.add_text_field("opening", STORED),
        };
        (schema.build(), fields)
    }

    /// The name of a page in the index.
    pub fn page(&self, url: &Url) -> Term {
        term(self.url, url.as_str())
    }

    /// What is kept of a page; nothing of one that is not on the web.
    pub fn document(&self, page: &IndexedPage) -> Option<TantivyDocument> {
        let url = &page.url;
        let is_web = matches!(url.scheme(), "http" | "https");
        let host = url.host().filter(|_| is_web && url.as_str().len() <= LONGEST_ADDRESS)?;
        let text = page.text.get(..page.text.floor_char_boundary(MOST_TEXT))?;
        let address = format!("{} {}", url.path(), url.query().unwrap_or_default());
        let mut document = TantivyDocument::default();
        document.add_text(self.url, url.as_str());
        for name in names(&host) {
            document.add_text(self.site, name);
        }
        document.add_text(self.address, decoded(&address));
        document.add_text(self.title, sanitize::plain(&page.title));
        document.add_text(self.text, text);
        document.add_text(self.opening, sanitize::plain(text));
        Some(document)
    }

    /// Address, title and opening of a page that was found.
    pub fn hit(&self, document: &TantivyDocument) -> Option<(Url, String, String)> {
        let text = |field| document.get_first(field).and_then(|value| value.as_str());
        let url = Url::parse(text(self.url)?).ok()?;
        let [title, opening] =
            [self.title, self.opening].map(|field| text(field).unwrap_or_default().to_owned());
        Some((url, title, opening))
    }
}

/// The names under which the pages of a host are asked for: its own, and
/// every one that it is below.
fn names(host: &Host<&str>) -> Vec<String> {
    let Host::Domain(name) = host else { return vec![host.to_string()] };
    let name = name.trim_end_matches('.');
    let above = std::iter::successors(Some(name), |name| Some(name.split_once('.')?.1));
    above.map(str::to_owned).collect()
}

/// The words of an address in the letters they stand for.
fn decoded(address: &str) -> String {
    // A form's value is decoded as a path is, but for the plus sign, which
    // parts words in both.
    let pairs = url::form_urlencoded::parse(address.as_bytes());
    let parts: Vec<_> = pairs.flat_map(|(name, value)| [name, value]).collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_found_by_every_name_it_is_below() {
        let names = |host| names(&Url::parse(host).unwrap().host().unwrap());
        assert_eq!(names("http://a.b.test/"), ["a.b.test", "b.test", "test"]);
        assert_eq!(names("http://127.0.0.1/"), ["127.0.0.1"]);
    }

    #[test]
    fn an_address_gives_its_words() {
        assert_eq!(decoded("/a%20b/c-d x=%C3%A9&y"), "/a b/c-d x é y ");
    }
}
