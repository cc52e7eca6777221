//! Style sheets: `url(…)`, `@import` and `image-set(…)`.
//!
//! Tokenizes as much of CSS Syntax Level 3 as needed to find URLs. URLs in
//! comments are reported as skipped. Other strings and namespace names are not
//! links.

mod escape;
mod scanner;

use relink_model::{LinkKind, SkipReason};

pub(crate) use self::scanner::{CssItem, CssScanner};
use crate::bare_url::http_urls;
use crate::link_sink::{Extractor, LinkSink};

/// Link extractor for style sheets.
pub(crate) struct Css;

impl Extractor for Css {
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>) {
        for item in CssScanner::new(text, 0..text.len()) {
            match item {
                CssItem::Url(range, syntax) => {
                    sink.report_link(range, LinkKind::Resource, syntax);
                }
                CssItem::Comment(range) => {
                    for url in http_urls(text, range) {
                        sink.report_skipped(url, LinkKind::BareUrl, SkipReason::Comment);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use crate::{DocumentFormat, links};

    /// Asserts the links of a style sheet as `line:column kind URL`. `-` after a URL marks a
    /// skipped link.
    #[track_caller]
    fn check_css(document: &str, expect: &[&str]) {
        check(DocumentFormat::Css, document, expect);
    }

    #[test]
    fn url_functions_are_links() {
        check_css("a{b:url(x.png)}", &["1:9 resource x.png"]);
        check_css("a{b:URL( 'x y.png' )}", &["1:11 resource x y.png"]);
        check_css("a{b:url(\"http://a.test/)\")}", &["1:10 resource http://a.test/)"]);
        check_css(
            "@font-face{src:url(a.woff2) format('woff2'),\nurl(b)}",
            &["1:20 resource a.woff2", "2:5 resource b"],
        );
        check_css("a{b:url()}", &["1:9 resource  -"]);
        check_css("a{b:url(é", &[]);
    }

    #[test]
    fn imports_are_links() {
        check_css(
            "@import \"a.css\";@IMPORT url(b.css) screen;@import 'c' layer(x);",
            &["1:10 resource a.css", "1:29 resource b.css", "1:52 resource c"],
        );
        check_css(
            "@charset \"x\";@namespace url(http://a.test);@namespace s \"http://b.test\";",
            &[],
        );
    }

    #[test]
    fn image_set_strings_are_links() {
        check_css(
            "a{b:image-set(\"a\" 1x, url(b) 2x, 'c' type('image/avif'))}",
            &["1:16 resource a", "1:27 resource b", "1:35 resource c"],
        );
        check_css("a{b:-webkit-image-set('a' 1x);c:'d'}", &["1:24 resource a"]);
    }

    #[test]
    fn escapes_are_decoded_in_the_target_only() {
        let found =
            links(DocumentFormat::Css, br#"a{b:url(x\ y\(1\).png)} b{c:url("\2f  \e9 z")}"#).links;
        assert_eq!(found[0].raw, r"x\ y\(1\).png");
        assert_eq!(found[0].target.text(), "x y(1).png");
        assert_eq!(found[1].target.text(), "/ éz");
    }

    #[test]
    fn data_urls_are_skipped_and_fragments_ignored() {
        check_css(
            "a{b:url(data:image/gif;base64,R0)}",
            &["1:9 resource data:image/gif;base64,R0 -"],
        );
        check_css("a{filter:url(#f)}", &[]);
        check_css("a{b:url({{ 'x' | asset }})}", &["1:9 resource {{ 'x' | asset }} -"]);
    }

    #[test]
    fn comments_are_skipped_and_strings_ignored() {
        check_css(
            "/* url(x) http://a.test */a{b:url(y)}",
            &["1:11 bare-url http://a.test -", "1:35 resource y"],
        );
        check_css("a{content:'url(x)'} b{c:\"http://a.test\"} my-url(x) curl(x)", &[]);
        check_css("a{content:'oops\n} b{c:url(x)}", &["2:11 resource x"]);
        check_css("/* http://a.test", &["1:4 bare-url http://a.test -"]);
        check_css("a{b:url(x y)} c{d:url(z)}", &["1:23 resource z"]);
    }
}
