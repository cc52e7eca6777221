//! Property tests for all formats, and a helper for the tests of each format.

mod repair;

use proptest::prelude::*;
use relink_model::{Link, LinkTarget};

use crate::safe_slice::SafeSlice as _;
use crate::{DocumentFormat, digest, links};

const FORMATS: [DocumentFormat; 15] = [
    DocumentFormat::Markdown,
    DocumentFormat::Html,
    DocumentFormat::UrlList,
    DocumentFormat::PlainText,
    DocumentFormat::Rst,
    DocumentFormat::AsciiDoc,
    DocumentFormat::Wikitext,
    DocumentFormat::Css,
    DocumentFormat::Xml,
    DocumentFormat::Notebook,
    DocumentFormat::Csv,
    DocumentFormat::Tsv,
    DocumentFormat::Json,
    DocumentFormat::JsonLines,
    DocumentFormat::Source,
];

/// Asserts the links of a document. A link is written as `line:column kind raw`,
/// followed by ` -` if the link is skipped or ` !` if it is malformed. `raw` is the
/// destination as written. Also asserts that each span contains `raw`.
#[track_caller]
pub(crate) fn check(format: DocumentFormat, document: &str, expect: &[&str]) {
    let found = links(format, document.as_bytes()).links;
    for link in &found {
        assert_eq!(link.raw, document.slice(link.location.span.range()));
    }
    let actual: Vec<String> = found.iter().map(format_link).collect();
    assert_eq!(actual, expect, "{document}");
}

/// Formats a link in the notation of [`check`].
fn format_link(link: &Link) -> String {
    let suffix = match link.target {
        LinkTarget::Skipped(..) => " -",
        LinkTarget::Malformed(..) => " !",
        _ => "",
    };
    let location = link.location;
    format!("{}:{} {} {}{suffix}", location.line, location.column, location.kind, link.raw)
}

/// Asserts that locations are in bounds, in order, and match the text.
fn check_locations(format: DocumentFormat, bytes: &[u8]) -> Result<(), TestCaseError> {
    // Text in UTF-16 with a byte order mark is never valid UTF-8.
    let utf8 = std::str::from_utf8(bytes).ok();
    let mut last = 0;
    for link in links(format, bytes).links {
        let span = link.location.span;
        prop_assert!(span.start <= span.end && span.end <= bytes.len());
        prop_assert!(last <= span.start, "out of order");
        last = span.start;
        prop_assert!(link.location.line >= 1 && link.location.column >= 1);
        if let Some(text) = utf8 {
            prop_assert_eq!(text.slice(span.range()), &link.raw);
            let line = text.slice(..span.start).matches('\n').count() + 1;
            prop_assert_eq!(link.location.line as usize, line);
        }
    }
    Ok(())
}

/// Digests a page as HTML; only panics matter.
fn digest_html(bytes: &[u8]) {
    digest(Some("text/html"), None, bytes, false);
}

/// Fragments of markup from which random documents are generated.
const FRAGMENTS: &[&str] = &[
    "[",
    "]",
    "](",
    "(",
    ")",
    "<",
    ">",
    "!",
    "![",
    "]:",
    "][",
    "`",
    "``",
    "*",
    "**",
    "_",
    "\\",
    "&amp;",
    "&",
    "\"",
    "'",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\r\n",
    "> ",
    "- ",
    "1. ",
    "    ",
    "|",
    "\n|-|\n",
    "# ",
    "---\n",
    "+++\n",
    "<!--",
    "-->",
    "<a href=",
    "</a>",
    "<img srcset='",
    "<div>",
    "<script>",
    "</script>",
    "<base href='/x'>",
    "https://a.test/",
    "http://b.test",
    "www.c.test",
    "mailto:d@e.test",
    "a",
    "x.md",
    "é",
    "你",
    "\u{feff}",
    "[^1]",
    "[^1]: ",
    "~~",
    "```\n",
    "\t",
    "[[",
    "]]",
    "{{",
    "}}",
    "{{{1}}}",
    "{{!}}",
    "{{#include ",
    "!!! note\n",
    "import a from './",
    "{/*",
    "*/}",
    "<Card href=",
    "{: .a}",
    ".. ",
    "::",
    ".. _a: ",
    "a_",
    "__",
    "`a <",
    ">`_",
    ":doc:`",
    ".. image:: ",
    ".. code::\n\n   ",
    "::\n\n  ",
    "link:",
    "xref:",
    "image::",
    "include::",
    "<<",
    ">>",
    ":a: ",
    "{a}",
    "----\n",
    "....\n",
    "////\n",
    "++",
    "[source]\n",
    "<nowiki>",
    "</nowiki>",
    "<ref>",
    "<gallery>\n",
    "</gallery>",
    "|url=",
    "File:",
    "[https://a.test/ ",
    ",",
    ";",
    "{",
    "}",
    "\": \"",
    "\\n",
    "\\u00e9",
    "\\/",
    "{\"cells\":[{",
    "\"cell_type\":\"markdown\",",
    "\"source\":[\"",
    "\"]}",
    "url(",
    "@import ",
    "image-set(",
    "/*",
    "*/",
    "//",
    "\"\"\"",
    "--",
    "<style>",
    "</style>",
    "<p style=\"",
    "<script type=application/ld+json>",
    "&quot;",
    "<urlset>",
    "<loc>",
    "</loc>",
    "<rss>",
    "<link>",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE x [",
    "]>",
    "<?xml-stylesheet ",
    "?>",
];

/// Returns a strategy for documents of fewer than 30 random fragments.
fn random_markup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(FRAGMENTS), 0..30)
        .prop_map(|fragments| fragments.concat())
}

proptest! {
    #[test]
    fn any_bytes_can_be_parsed(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in FORMATS {
            check_locations(format, &bytes)?;
        }
        digest_html(&bytes);
        DocumentFormat::from_file(None, &bytes);
        DocumentFormat::from_content_type(None, &bytes);
    }

    #[test]
    fn any_mix_of_markup_can_be_parsed(text in random_markup()) {
        for format in FORMATS {
            check_locations(format, text.as_bytes())?;
        }
        digest_html(text.as_bytes());
    }

    #[test]
    fn byte_order_mark_and_utf16_yield_the_same_links(text in random_markup()) {
        prop_assume!(!text.starts_with('\u{feff}'));
        let marked = format!("\u{feff}{text}");
        let utf16: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for format in FORMATS {
            let plain = links(format, text.as_bytes()).links;
            let others = [links(format, marked.as_bytes()).links, links(format, &utf16).links];
            for other in others {
                let same = plain.iter().map(format_link).eq(other.iter().map(format_link));
                prop_assert!(same, "{plain:?} {other:?}");
            }
        }
    }

    #[test]
    fn invalid_bytes_do_not_break_locations(text in random_markup(), at in any::<prop::sample::Index>()) {
        let mut bytes = text.into_bytes();
        bytes.insert(at.index(bytes.len() + 1), 0xFF);
        for format in FORMATS {
            check_locations(format, &bytes)?;
        }
    }
}
