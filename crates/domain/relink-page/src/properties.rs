//! What holds for every format, and the notation its tests are written in.

mod repair;

use proptest::prelude::*;
use relink_model::{Link, LinkTarget};

use crate::cut::Cut as _;
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

/// Checks the links of a document, each told as `line:column kind raw`, with
/// ` -` after what is skipped and ` !` after what is malformed, and that every
/// place holds just what is reported.
#[track_caller]
pub(crate) fn check(format: DocumentFormat, document: &str, expect: &[&str]) {
    let found = links(format, document.as_bytes()).links;
    for link in &found {
        assert_eq!(link.raw, document.cut(link.location.span.range()));
    }
    let told: Vec<String> = found.iter().map(told).collect();
    assert_eq!(told, expect, "{document}");
}

fn told(link: &Link) -> String {
    let sign = match link.target {
        LinkTarget::Skipped(..) => " -",
        LinkTarget::Malformed(..) => " !",
        _ => "",
    };
    let place = link.location;
    format!("{}:{} {} {}{sign}", place.line, place.column, place.kind, link.raw)
}

/// Whether places are in bounds and ordered, and say what is written there.
fn holds(format: DocumentFormat, bytes: &[u8]) -> Result<(), TestCaseError> {
    let utf8 = std::str::from_utf8(bytes).ok();
    let mut last = 0;
    for link in links(format, bytes).links {
        let span = link.location.span;
        prop_assert!(span.start <= span.end && span.end <= bytes.len());
        prop_assert!(last <= span.start, "out of order");
        last = span.start;
        prop_assert!(link.location.line >= 1 && link.location.column >= 1);
        let is_utf16 = bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF");
        if let Some(text) = utf8.filter(|_| !is_utf16) {
            prop_assert_eq!(text.cut(span.range()), &link.raw);
            let line = text.cut(..span.start).matches('\n').count() + 1;
            prop_assert_eq!(link.location.line as usize, line);
        }
    }
    Ok(())
}

/// Pieces that documents with links are made of.
const PIECES: &[&str] = &[
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

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in FORMATS {
            holds(format, &bytes)?;
        }
        digest(Some("text/html"), None, &bytes, false);
        DocumentFormat::of_file(None, &bytes);
        DocumentFormat::of_content_type(None, &bytes);
    }

    #[test]
    fn any_soup_of_markup_can_be_read(text in soup()) {
        for format in FORMATS {
            holds(format, text.as_bytes())?;
        }
        digest(Some("text/html"), None, text.as_bytes(), false);
    }

    #[test]
    fn a_byte_order_mark_or_another_encoding_finds_the_same_links(text in soup()) {
        prop_assume!(!text.starts_with('\u{feff}'));
        let marked = format!("\u{feff}{text}");
        let utf16: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for format in FORMATS {
            let plain = links(format, text.as_bytes()).links;
            let others = [links(format, marked.as_bytes()).links, links(format, &utf16).links];
            for other in others {
                let same = plain.iter().map(told).eq(other.iter().map(told));
                prop_assert!(same, "{plain:?} {other:?}");
            }
        }
    }

    #[test]
    fn broken_bytes_leave_the_other_links_alone(text in soup(), at in any::<prop::sample::Index>()) {
        let mut bytes = text.into_bytes();
        bytes.insert(at.index(bytes.len() + 1), 0xFF);
        for format in FORMATS {
            holds(format, &bytes)?;
        }
    }
}
