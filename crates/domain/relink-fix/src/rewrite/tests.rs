//! Tests of [`rewrite`] in all formats.

mod styles;

use proptest::prelude::*;
use relink_page::links;

use super::*;
use crate::link_edit::CopyDetails;
use crate::robust_link::keeps_original;

/// Returns the style of a second link with the text "new location".
fn second_link_style() -> EditStyle {
    EditStyle::SecondLink { label: "new location".into(), copy: None }
}

const OLD: &str = "http://example.org/old";

/// Replaces every link to `OLD` by `new`.
fn replace(format: DocumentFormat, document: &[u8], new: &str) -> RewrittenDocument {
    edit(format, document, new, &EditStyle::Replace)
}

/// Edits every link to `OLD` with the new URL `new`.
fn edit(
    format: DocumentFormat,
    document: &[u8],
    new: &str,
    style: &EditStyle,
) -> RewrittenDocument {
    let found = links(format, document).links;
    let is_old =
        |link: &&Link| canonicalize(None, link.target.text()).is_ok_and(|url| url.as_str() == OLD);
    let replacements: Vec<_> = found
        .iter()
        .filter(is_old)
        .map(|link| LinkEdit {
            location: link.location,
            old_url: OLD.into(),
            new_url: new.into(),
            style: style.clone(),
        })
        .collect();
    assert!(!replacements.is_empty(), "no link found in {format:?}");
    rewrite(format, &Options::default(), document, &replacements)
}

/// Replaces every link to `OLD` by `new`, and asserts the new document.
#[track_caller]
fn check(format: DocumentFormat, document: &str, new: &str, expect: &str) {
    let rewritten = replace(format, document.as_bytes(), new);
    assert_eq!(String::from_utf8(rewritten.bytes).unwrap(), expect);
    assert_eq!(rewritten.refused, []);
}

#[test]
fn links_of_every_format_are_replaced() {
    use DocumentFormat::{AsciiDoc, Csv, Html, Json, Markdown, PlainText, Rst, UrlList, Wikitext};
    let template = |url: &str| {
        [
            (Markdown, format!("[a]({url}) <{url}> {url}\n\n[b]: {url} \"title\"\n\n[b]\n")),
            (Html, format!("<p><a class=x href=\"{url}\">a</a><img src='{url}'></p>\n")),
            (Rst, format!("`a <{url}>`_ and {url} and b_\n\n.. _b: {url}\n")),
            (AsciiDoc, format!("{url}[a] and link:{url}[b]\n")),
            (Wikitext, format!("[{url} a] {{{{cite web|url={url}|title=b}}}}\n")),
            (UrlList, format!("{url}\n{url}\n")),
            (PlainText, format!("See {url} and {url}.\n")),
            (Csv, format!("name,url\na,{url}\nb,\"{url}\"\n")),
            (Json, format!("{{\"url\": \"{url}\"}}\n")),
        ]
    };
    let new = "https://example.org/new/page";
    for ((format, old), (_, expect)) in template(OLD).into_iter().zip(template(new)) {
        check(format, &old, new, &expect);
    }
}

#[test]
fn url_of_another_length_is_not_written_into_a_grid_table() {
    let document = format!(
        "+----+--------------------------+\n| a  | {OLD}   |\n+----+--------------------------+\n"
    );
    let rewritten = replace(DocumentFormat::Rst, document.as_bytes(), "https://example.org/new");
    assert_eq!(rewritten.refused[0].reason, Refusal::FixedWidth);
    check(
        DocumentFormat::Rst,
        &document,
        "http://example.org/new",
        &document.replace("/old", "/new"),
    );
}

#[test]
fn fragment_of_the_link_is_kept() {
    let document = "[a](http://example.org/old#part) [b](http://example.org/old)";
    check(
        DocumentFormat::Markdown,
        document,
        "https://example.org/new",
        "[a](https://example.org/new#part) [b](https://example.org/new)",
    );
}

#[test]
fn fragment_of_the_new_url_has_precedence() {
    let new = "https://example.org/new#b";
    check(
        DocumentFormat::UrlList,
        "http://example.org/old#a\n",
        new,
        "https://example.org/new#b\n",
    );
}

#[test]
fn ampersands_are_escaped_in_html() {
    check(
        DocumentFormat::Html,
        "<a href=\"http://example.org/old\">a</a>",
        "https://example.org/?a=1&copy=2",
        "<a href=\"https://example.org/?a=1&amp;copy=2\">a</a>",
    );
}

#[test]
fn delimiters_of_the_syntax_are_percent_encoded() {
    check(
        DocumentFormat::Markdown,
        "[a](http://example.org/old) b",
        "https://example.org/x)y",
        "[a](https://example.org/x%29y) b",
    );
}

#[test]
fn utf16_documents_stay_utf16() {
    let text = "<a href=\"http://example.org/old\">ä</a>";
    let encode = |text: &str| -> Vec<u8> {
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    let rewritten = replace(DocumentFormat::Html, &encode(text), "https://example.org/n");
    assert_eq!(rewritten.bytes, encode(&text.replace(OLD, "https://example.org/n")));
}

#[test]
fn byte_order_mark_and_line_endings_are_unchanged() {
    check(
        DocumentFormat::Markdown,
        "\u{feff}# T\r\n\r\n[a](http://example.org/old)\r\n",
        "https://example.org/n",
        "\u{feff}# T\r\n\r\n[a](https://example.org/n)\r\n",
    );
}

#[test]
fn changed_document_is_refused() {
    let location =
        links(DocumentFormat::Markdown, b"[a](http://example.org/old)").links[0].location;
    let replacement = |old_url: &str| LinkEdit {
        location,
        old_url: old_url.into(),
        new_url: "https://example.org/new".into(),
        style: EditStyle::Replace,
    };
    for document in ["text [a](http://example.org/old)", "[a](http://example.org/two)", ""] {
        let rewritten = rewrite(
            DocumentFormat::Markdown,
            &Options::default(),
            document.as_bytes(),
            &[replacement(OLD)],
        );
        assert_eq!(rewritten.bytes, document.as_bytes());
        assert_eq!(rewritten.refused.len(), 1, "{document}");
        assert_eq!(rewritten.refused[0].reason, Refusal::Changed);
    }
}

#[test]
fn url_that_cannot_be_written_is_refused() {
    let document = b"name,url\na,http://example.org/old\n";
    let rewritten = replace(DocumentFormat::Csv, document, "https://example.org/a,b");
    assert_eq!(rewritten.bytes, document);
    assert_eq!(rewritten.refused[0].reason, Refusal::NotRepresentable);
}

/// Adds a second link after every link to `OLD`, and asserts the new document. A second run
/// changes nothing.
#[track_caller]
fn check_second_link(format: DocumentFormat, document: &str, expect: &str) {
    let new = "https://example.org/new?a=1&b=2";
    let style = second_link_style();
    let rewritten = edit(format, document.as_bytes(), new, &style);
    assert_eq!(String::from_utf8(rewritten.bytes.clone()).unwrap(), expect);
    assert_eq!(rewritten.refused, []);
    let second = edit(format, &rewritten.bytes, new, &style);
    assert_eq!(second.bytes, rewritten.bytes);
    assert!(second.refused.iter().all(|refused| refused.reason == Refusal::AlreadyPresent));
}

#[test]
fn second_link_is_written_behind_the_construct() {
    use DocumentFormat::{AsciiDoc, Html, Markdown, PlainText, Rst, Wikitext};
    const NEW: &str = "https://example.org/new?a=1&b=2";
    check_second_link(
        Markdown,
        "[a](http://example.org/old \"title\"), <http://example.org/old>.\n",
        &format!(
            "[a](http://example.org/old \"title\") ([new location]({NEW})), \
             <http://example.org/old> ([new location]({NEW})).\n"
        ),
    );
    check_second_link(
        Markdown,
        "<a href=\"http://example.org/old\">a</a> b",
        "<a href=\"http://example.org/old\">a</a> \
         (<a href=\"https://example.org/new?a=1&amp;b=2\">new location</a>) b",
    );
    check_second_link(
        Html,
        "<a href=http://example.org/old><img src=i.png></A>, b",
        "<a href=http://example.org/old><img src=i.png></A> \
         (<a href=\"https://example.org/new?a=1&amp;b=2\">new location</a>), b",
    );
    check_second_link(
        Rst,
        "`a <http://example.org/old>`_, b\n",
        &format!("`a <http://example.org/old>`_ (`new location <{NEW}>`__), b\n"),
    );
    check_second_link(
        AsciiDoc,
        "http://example.org/old[a], b\n",
        &format!("http://example.org/old[a] ({NEW}[new location]), b\n"),
    );
    check_second_link(
        Wikitext,
        "[http://example.org/old a], b\n",
        &format!("[http://example.org/old a] ([{NEW} new location]), b\n"),
    );
    check_second_link(
        PlainText,
        "See http://example.org/old now.\n",
        &format!("See http://example.org/old (new location: {NEW}) now.\n"),
    );
}

#[test]
fn archived_copy_is_written_into_a_citation_template() {
    let copy = CopyDetails { date: "2021-03-02".into(), url_status: "usurped" };
    let style = EditStyle::SecondLink { label: "archived copy".into(), copy: Some(copy) };
    let document = b"<ref>{{cite web|url=http://example.org/old|title=A}}</ref>\n";
    let edit = |document: &[u8]| {
        edit(DocumentFormat::Wikitext, document, "https://archive.test/1", &style)
    };
    let rewritten = edit(document);
    assert_eq!(
        String::from_utf8_lossy(&rewritten.bytes),
        "<ref>{{cite web|url=http://example.org/old|title=A|archive-url=https://archive.test/1\
         |archive-date=2021-03-02|url-status=usurped}}</ref>\n"
    );
    let second = edit(&rewritten.bytes);
    assert_eq!(second.bytes, rewritten.bytes);
    assert_eq!(second.refused[0].reason, Refusal::AlreadyPresent);
}

#[test]
fn second_link_in_a_table_is_refused() {
    let style = second_link_style();
    let document = b"name,url\na,http://example.org/old\n";
    let rewritten = edit(DocumentFormat::Csv, document, "https://example.org/n", &style);
    assert_eq!(rewritten.bytes, document);
    assert_eq!(rewritten.refused[0].reason, Refusal::NoRoom);
}

proptest! {
    #[test]
    fn bytes_outside_the_links_are_identical(
        parts in proptest::collection::vec("[ -~äé\n]{0,20}", 1..6),
        path in "[a-z()&*'_.-]{0,12}",
        is_beside: bool,
    ) {
        let document = parts.join(" [x](http://example.org/old) ");
        let found = links(DocumentFormat::Markdown, document.as_bytes()).links;
        let replacements: Vec<_> = found
            .iter()
            .filter(|link| link.raw == OLD)
            .map(|link| LinkEdit {
                location: link.location,
                old_url: OLD.into(),
                new_url: format!("https://example.org/{path}"),
                style: if is_beside {
                    second_link_style()
                } else {
                    EditStyle::Replace
                },
            })
            .collect();
        let rewritten =
            rewrite(DocumentFormat::Markdown, &Options::default(), document.as_bytes(), &replacements);
        let restored = apply(&rewritten.bytes, &crate::invert(&rewritten.edits)).unwrap();
        prop_assert_eq!(restored, document.as_bytes());
        prop_assert_eq!(rewritten.edits.len() + rewritten.refused.len(), replacements.len());
    }
}

/// Replaces `OLD`, retains it in attributes if the syntax has attributes, and asserts the new
/// document.
#[track_caller]
fn check_original_kept(format: DocumentFormat, document: &str, expect: &str) {
    let version = PageVersion { url: "https://a.test/?x=1&y=2".into(), date: "2021-03-02".into() };
    let new = "https://example.org/new?a=1&b=2";
    let style = EditStyle::ReplaceAndKeep(Some(version));
    let rewritten = edit(format, document.as_bytes(), new, &style);
    assert_eq!(String::from_utf8(rewritten.bytes).unwrap(), expect);
    assert_eq!(keeps_original(&rewritten.edits[0].new), expect.contains("data-"));
}

#[test]
fn original_url_becomes_an_attribute_in_html() {
    const NEW: &str = "https://example.org/new?a=1&amp;b=2";
    const VERSION: &str = "https://a.test/?x=1&amp;y=2";
    check_original_kept(
        DocumentFormat::Html,
        "<a class=x href=\"http://example.org/old#s\" title=y>z</a>",
        &format!(
            "<a class=x href=\"{NEW}#s\" data-originalurl=\"http://example.org/old#s\" \
             data-versionurl=\"{VERSION}\" data-versiondate=\"2021-03-02\" title=y>z</a>"
        ),
    );
    check_original_kept(
        DocumentFormat::Markdown,
        "x <A HREF = 'http://example.org/old'>y</A>",
        "x <A HREF = 'https://example.org/new?a=1&b=2' \
         data-originalurl='http://example.org/old' \
         data-versionurl='https://a.test/?x=1&amp;y=2' data-versiondate='2021-03-02'>y</A>",
    );
}

#[test]
fn links_without_attributes_are_only_replaced() {
    let new = "https://example.org/new?a=1&b=2";
    check_original_kept(
        DocumentFormat::Markdown,
        "[a](http://example.org/old)",
        &format!("[a]({new})"),
    );
    check_original_kept(
        DocumentFormat::Html,
        "<a href=http://example.org/old>a</a>",
        "<a href=https://example.org/new?a=1&amp;b=2>a</a>",
    );
}
