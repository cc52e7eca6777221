//! JSON: every string value that is a URL.
//!
//! This covers the bookmark files of Firefox (`"uri"`) and Chromium (`"url"`).
//! Strings are tokenized without building a tree, so nesting depth is
//! unlimited, JSON Lines needs no special handling, and broken documents yield
//! partial results. Keys are not links.

mod escape;
mod tokenizer;

use std::ops::Range;

use relink_model::{LinkKind, SkipReason};

pub(crate) use self::escape::unescape_into;
pub(crate) use self::tokenizer::{Token, Tokenizer};
use crate::bare_url::http_urls;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::list::trim_range;
use crate::safe_slice::SafeSlice as _;
use crate::unescaped_text::UnescapedText;
use crate::value::is_web_url;
use crate::window::{IncrementalExtractor, InputEnd};

/// Link extractor for JSON and JSON Lines.
pub(crate) struct Json;

impl Extractor for Json {
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>) {
        Self.extract_part(text, InputEnd::Last, sink);
    }
}

impl IncrementalExtractor for Json {
    fn extract_part(&mut self, text: &str, input_end: InputEnd, sink: &mut LinkSink<'_>) -> usize {
        let mut tokens = Tokenizer::for_part(text, input_end);
        while let Some(token) = tokens.next_complete() {
            match token {
                Token::Text(range) => {
                    if let Some((range, syntax)) = url_value(text, range) {
                        sink.report_link(range, LinkKind::Value, syntax);
                    }
                }
                Token::Comment(range) => {
                    for url in http_urls(text, range) {
                        sink.report_skipped(url, LinkKind::BareUrl, SkipReason::Comment);
                    }
                }
                Token::Unclosed(at) => sink.report_problem(at, "unclosed string"),
                Token::Open | Token::Close | Token::Key(_) => {}
            }
        }
        tokens.resume_offset()
    }
}

/// Returns the range and syntax of a string's content if it is a URL.
pub(crate) fn url_value(
    text: &str,
    content: Range<usize>,
) -> Option<(Range<usize>, DestinationSyntax)> {
    let range = trim_range(text, content);
    let raw = text.slice(range.clone());
    // A URL starts with `http`, or with an escape.
    if !raw.starts_with(['h', 'H', '\\']) {
        return None;
    }
    if !raw.contains('\\') {
        return is_web_url(raw).then_some((range, DestinationSyntax::Plain));
    }
    let mut resolved = UnescapedText::default();
    unescape_into(text, range.clone(), &mut resolved);
    let decoded = resolved.text();
    is_web_url(decoded).then(|| (range, DestinationSyntax::Decoded(decoded.to_owned())))
}

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use crate::{DocumentFormat, links};

    /// Asserts the links of a JSON document as `line:column kind URL`. After the URL, `-` marks a
    /// skipped link, and `!` a malformed URL.
    #[track_caller]
    fn check_json(document: &str, expect: &[&str]) {
        check(DocumentFormat::Json, document, expect);
        check(DocumentFormat::JsonLines, document, expect);
    }

    #[test]
    fn every_string_that_is_a_url_is_a_link() {
        check_json(
            "{\"a\": [1, \"https://a.test\", {\"b\":\" http://b.test/x \"}],\n\"c\": \"no\"}",
            &["1:12 value https://a.test", "1:36 value http://b.test/x"],
        );
        check_json("\"https://a.test\"", &["1:2 value https://a.test"]);
        check_json("[\"see https://a.test\", \"/x\", \"mailto:a@b.test\", null]", &[]);
    }

    #[test]
    fn keys_are_not_links() {
        check_json(
            "{\"https://a.test\": 1, \"https://b.test\" : \"https://c.test\"}",
            &["1:43 value https://c.test"],
        );
    }

    #[test]
    fn escapes_are_decoded_in_the_target_only() {
        let document = br#"["https:\/\/a.test\/?b\u0026c\u003dd", "\u0068ttps://e.test/\"x"]"#;
        let found = links(DocumentFormat::Json, document).links;
        assert_eq!(found[0].raw, r"https:\/\/a.test\/?b\u0026c\u003dd");
        assert_eq!(found[0].target.text(), "https://a.test/?b&c=d");
        assert_eq!(found[1].target.text(), "https://e.test/\"x");
    }

    #[test]
    fn browser_bookmark_files_are_parsed() {
        check_json(
            "{\"roots\":{\"bar\":{\"children\":[{\"name\":\"A\",\"type\":\"url\",\n\
             \"url\":\"https://a.test/\"}]}},\"version\":1}",
            &["2:8 value https://a.test/"],
        );
        check_json(
            "{\"guid\":\"root\",\"children\":[{\"title\":\"B\",\"iconUri\":\"http://b.test/i\",\n\
             \"uri\":\"http://b.test\"},{\"uri\":\"place:sort=8\"}]}",
            &["1:52 value http://b.test/i", "2:8 value http://b.test"],
        );
    }

    #[test]
    fn broken_document_yields_partial_results() {
        check_json(
            "[\"https://a.test\", }{ oops \"http://b.test\" : ]\"http://c.test\"",
            &["1:3 value https://a.test", "1:48 value http://c.test"],
        );
        check_json("{\"a\":\"http://a.test\",\"b\":\"http://b.te", &["1:7 value http://a.test"]);
        check_json("{\"a\":\"oops}\n{\"a\":\"http://b.test\"}\n", &["2:7 value http://b.test"]);
        check_json("[\"http://a.test\", \"http://b.test\\", &["1:3 value http://a.test"]);
        let found = links(DocumentFormat::JsonLines, b"{\"a\":1}\n{\"a\":\"oops}\n{}");
        assert_eq!(found.problems[0].to_string(), "line 2: unclosed string");
    }

    #[test]
    fn urls_in_comments_are_skipped() {
        check_json(
            "{ // http://a.test\n /* http://b.test */ \"x\": \"http://c.test\" }",
            &[
                "1:6 bare-url http://a.test -",
                "2:5 bare-url http://b.test -",
                "2:28 value http://c.test",
            ],
        );
        check_json("{u: http://a.test/\"x\", \"http://b.test\"", &["1:25 value http://b.test"]);
    }

    #[test]
    fn placeholder_is_skipped_and_invalid_port_is_malformed() {
        check_json(
            "[\"https://{{x}}/\", \"http://a b\", \"http://a:99999/\"]",
            &["1:3 value https://{{x}}/ -", "1:35 value http://a:99999/ !"],
        );
    }
}
