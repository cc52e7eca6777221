//! JSON: every string value that is an address as a whole.
//!
//! Bookmark files of Firefox (`"uri"`) and of Chromium (`"url"`) are covered
//! by that rule. Strings are cut out as they come and no tree is built, so
//! depth does not matter, one value a line is read as well as one document,
//! and a broken document yields what can be read. Keys are no links.

mod escape;
mod tokenizer;

use std::ops::Range;

use relink_model::{LinkKind, SkipReason};

pub(crate) use self::escape::resolve;
pub(crate) use self::tokenizer::{Token, Tokenizer};
use crate::bare::http_addresses;
use crate::cut::Cut as _;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::list::trim;
use crate::resolved::UnescapedText;
use crate::value::is_address;
use crate::window::{IncrementalExtractor, InputEnd};

/// Reads the addresses of JSON, of one value or of one a line.
pub(crate) struct Json;

impl Extractor for Json {
    fn extract(&self, text: &str, found: &mut LinkSink<'_>) {
        Self.resume(text, InputEnd::None, found);
    }
}

impl IncrementalExtractor for Json {
    fn resume(&mut self, text: &str, sequel: InputEnd, found: &mut LinkSink<'_>) -> usize {
        let mut tokens = Tokenizer::of_part(text, sequel);
        while let Some(token) = tokens.next_certain() {
            match token {
                Token::Text(range) => {
                    if let Some((range, notation)) = address(text, range) {
                        found.link(range, LinkKind::Value, notation);
                    }
                }
                Token::Comment(range) => {
                    for address in http_addresses(text, range) {
                        found.skip(address, LinkKind::BareUrl, SkipReason::Comment);
                    }
                }
                Token::Unclosed(at) => found.problem(at, "a string is not closed"),
                Token::Open | Token::Close | Token::Key(_) => {}
            }
        }
        tokens.resumes_at()
    }
}

/// The address that a string's content is, and how it is written.
pub(crate) fn address(
    text: &str,
    content: Range<usize>,
) -> Option<(Range<usize>, DestinationSyntax)> {
    let range = trim(text, content);
    let written = text.cut(range.clone());
    if !written.starts_with(['h', 'H', '\\']) {
        return None;
    }
    if !written.contains('\\') {
        return is_address(written).then_some((range, DestinationSyntax::Plain));
    }
    let mut resolved = UnescapedText::default();
    resolve(text, range.clone(), &mut resolved);
    let means = resolved.text();
    is_address(means).then(|| (range, DestinationSyntax::Decoded(means.to_owned())))
}

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use crate::{DocumentFormat, links};

    #[track_caller]
    fn json(document: &str, expect: &[&str]) {
        check(DocumentFormat::Json, document, expect);
        check(DocumentFormat::JsonLines, document, expect);
    }

    #[test]
    fn every_string_that_is_an_address_is_a_link() {
        json(
            "{\"a\": [1, \"https://a.test\", {\"b\":\" http://b.test/x \"}],\n\"c\": \"no\"}",
            &["1:12 value https://a.test", "1:36 value http://b.test/x"],
        );
        json("\"https://a.test\"", &["1:2 value https://a.test"]);
        json("[\"see https://a.test\", \"/x\", \"mailto:a@b.test\", null]", &[]);
    }

    #[test]
    fn keys_are_no_links() {
        json(
            "{\"https://a.test\": 1, \"https://b.test\" : \"https://c.test\"}",
            &["1:43 value https://c.test"],
        );
    }

    #[test]
    fn escapes_are_resolved_in_the_meaning_alone() {
        let document = br#"["https:\/\/a.test\/?b\u0026c\u003dd", "\u0068ttps://e.test/\"x"]"#;
        let found = links(DocumentFormat::Json, document).links;
        assert_eq!(found[0].raw, r"https:\/\/a.test\/?b\u0026c\u003dd");
        assert_eq!(found[0].target.text(), "https://a.test/?b&c=d");
        assert_eq!(found[1].target.text(), "https://e.test/\"x");
    }

    #[test]
    fn bookmark_files_of_browsers_are_read() {
        json(
            "{\"roots\":{\"bar\":{\"children\":[{\"name\":\"A\",\"type\":\"url\",\n\
             \"url\":\"https://a.test/\"}]}},\"version\":1}",
            &["2:8 value https://a.test/"],
        );
        json(
            "{\"guid\":\"root\",\"children\":[{\"title\":\"B\",\"iconUri\":\"http://b.test/i\",\n\
             \"uri\":\"http://b.test\"},{\"uri\":\"place:sort=8\"}]}",
            &["1:52 value http://b.test/i", "2:8 value http://b.test"],
        );
    }

    #[test]
    fn a_broken_document_yields_what_can_be_read() {
        json(
            "[\"https://a.test\", }{ oops \"http://b.test\" : ]\"http://c.test\"",
            &["1:3 value https://a.test", "1:48 value http://c.test"],
        );
        json("{\"a\":\"http://a.test\",\"b\":\"http://b.te", &["1:7 value http://a.test"]);
        json("{\"a\":\"oops}\n{\"a\":\"http://b.test\"}\n", &["2:7 value http://b.test"]);
        json("[\"http://a.test\", \"http://b.test\\", &["1:3 value http://a.test"]);
        let found = links(DocumentFormat::JsonLines, b"{\"a\":1}\n{\"a\":\"oops}\n{}");
        assert_eq!(found.problems[0].to_string(), "line 2: a string is not closed");
    }

    #[test]
    fn comments_are_passed_over_and_told() {
        json(
            "{ // http://a.test\n /* http://b.test */ \"x\": \"http://c.test\" }",
            &["1:6 bare http://a.test -", "2:5 bare http://b.test -", "2:28 value http://c.test"],
        );
        json("{u: http://a.test/\"x\", \"http://b.test\"", &["1:25 value http://b.test"]);
    }

    #[test]
    fn a_placeholder_and_a_bad_host_are_told() {
        json(
            "[\"https://{{x}}/\", \"http://a b\", \"http://a:99999/\"]",
            &["1:3 value https://{{x}}/ -", "1:35 value http://a:99999/ !"],
        );
    }
}
