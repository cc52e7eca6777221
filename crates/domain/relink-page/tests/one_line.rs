//! Documents of one long line with many links. Time that grew with the square
//! of their number would be minutes.

use relink_page::{DocumentFormat, links};

/// Links on the line.
const COUNT: usize = 10_000;

/// Reads a line of `COUNT` links and claims that each of them is found, in its
/// place.
#[track_caller]
fn check(format: DocumentFormat, before: &str, link: impl Fn(usize) -> String, after: &str) {
    let text: String = (0..COUNT).map(link).collect();
    let document = format!("{before}{text}{after}");
    let found = links(format, document.as_bytes()).links;
    assert_eq!(found.len(), COUNT, "{format:?}");
    let last = found.last().expect("there are some");
    assert_eq!(document.get(last.location.span.range()), Some(last.raw.as_str()));
    let column = usize::try_from(last.location.column).expect("it is not long");
    let line_start = document
        .get(..last.location.span.start)
        .unwrap_or_default()
        .rfind('\n')
        .map_or(0, |at| at + 1);
    assert_eq!(column, last.location.span.start - line_start + 1, "{format:?}");
}

#[test]
fn markup_of_one_line_is_read() {
    check(DocumentFormat::Markdown, "", |n| format!("[x](https://a.test/{n}) "), "");
    check(DocumentFormat::Markdown, "", |n| format!("<https://a.test/{n}> "), "");
    check(DocumentFormat::Rst, "", |n| format!("`x{n} <https://a.test/{n}>`__ "), "");
    check(DocumentFormat::AsciiDoc, "", |n| format!("https://a.test/{n}[x] "), "");
    check(DocumentFormat::Wikitext, "", |n| format!("[https://a.test/{n} x] "), "");
}

#[test]
fn pages_of_one_line_are_read() {
    check(DocumentFormat::Html, "", |n| format!("<a href=\"https://a.test/{n}\">x</a>"), "");
    check(DocumentFormat::Html, "<img srcset=\"", |n| format!("https://a.test/{n} {n}w, "), "\">");
    check(DocumentFormat::Css, "a{", |n| format!("b:url(https://a.test/{n});"), "}");
    let page = |n| format!("<url><loc>https://a.test/{n}</loc></url>");
    check(DocumentFormat::Xml, "<?xml version=\"1.0\"?><urlset>", page, "</urlset>");
}

#[test]
fn data_of_one_line_is_read() {
    check(DocumentFormat::PlainText, "", |n| format!("https://a.test/{n} "), "");
    check(DocumentFormat::Csv, "", |n| format!("https://a.test/{n},"), "");
    check(DocumentFormat::Json, "[", |n| format!("\"https://a.test/{n}\","), "0]");
}
