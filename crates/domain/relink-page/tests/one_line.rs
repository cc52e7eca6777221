//! Documents that consist of one long line with many links. Quadratic time would
//! take minutes.

use relink_page::{DocumentFormat, links};

/// Number of links on the line.
const COUNT: usize = 10_000;

/// Asserts that all `COUNT` links of a line are found, and that the location of the
/// last link is correct.
#[track_caller]
fn check(format: DocumentFormat, before: &str, link: impl Fn(usize) -> String, after: &str) {
    let text: String = (0..COUNT).map(link).collect();
    let document = format!("{before}{text}{after}");
    let found = links(format, document.as_bytes()).links;
    assert_eq!(found.len(), COUNT, "{format:?}");
    let last = found.last().expect("the line has links");
    assert_eq!(document.get(last.location.span.range()), Some(last.raw.as_str()));
    let column = usize::try_from(last.location.column).expect("the column fits into usize");
    let line_start = document
        .get(..last.location.span.start)
        .unwrap_or_default()
        .rfind('\n')
        .map_or(0, |at| at + 1);
    assert_eq!(column, last.location.span.start - line_start + 1, "{format:?}");
}

#[test]
fn links_of_markup_on_one_line_are_found() {
    check(DocumentFormat::Markdown, "", |n| format!("[x](https://a.test/{n}) "), "");
    check(DocumentFormat::Markdown, "", |n| format!("<https://a.test/{n}> "), "");
    check(DocumentFormat::Rst, "", |n| format!("`x{n} <https://a.test/{n}>`__ "), "");
    check(DocumentFormat::AsciiDoc, "", |n| format!("https://a.test/{n}[x] "), "");
    check(DocumentFormat::Wikitext, "", |n| format!("[https://a.test/{n} x] "), "");
}

#[test]
fn links_of_pages_on_one_line_are_found() {
    check(DocumentFormat::Html, "", |n| format!("<a href=\"https://a.test/{n}\">x</a>"), "");
    check(DocumentFormat::Html, "<img srcset=\"", |n| format!("https://a.test/{n} {n}w, "), "\">");
    check(DocumentFormat::Css, "a{", |n| format!("b:url(https://a.test/{n});"), "}");
    let page = |n| format!("<url><loc>https://a.test/{n}</loc></url>");
    check(DocumentFormat::Xml, "<?xml version=\"1.0\"?><urlset>", page, "</urlset>");
}

#[test]
fn links_of_data_on_one_line_are_found() {
    check(DocumentFormat::PlainText, "", |n| format!("https://a.test/{n} "), "");
    check(DocumentFormat::Csv, "", |n| format!("https://a.test/{n},"), "");
    check(DocumentFormat::Json, "[", |n| format!("\"https://a.test/{n}\","), "0]");
}
