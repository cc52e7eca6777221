//! Style sheets: `url(…)`, `@import` and `image-set(…)`.
//!
//! Follows the tokens of CSS Syntax Level 3 as far as addresses need it.
//! Addresses in comments are told as passed over; strings elsewhere are
//! content, and the name of a namespace is no address.

mod escape;
mod scanner;

use relink_model::{LinkKind, SkipReason};

pub(crate) use self::scanner::{CssItem, Scanner};
use crate::bare::http_addresses;
use crate::link_sink::{Extractor, LinkSink};

/// Reads the addresses of style sheets.
pub(crate) struct Css;

impl Extractor for Css {
    fn extract(&self, text: &str, found: &mut LinkSink<'_>) {
        for piece in Scanner::new(text, 0..text.len()) {
            match piece {
                CssItem::Address(range, notation) => {
                    found.link(range, LinkKind::Resource, notation);
                }
                CssItem::Comment(range) => {
                    for address in http_addresses(text, range) {
                        found.skip(address, LinkKind::BareUrl, SkipReason::Comment);
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

    #[track_caller]
    fn css(document: &str, expect: &[&str]) {
        check(DocumentFormat::Css, document, expect);
    }

    #[test]
    fn addresses_are_found_however_they_are_written() {
        css("a{b:url(x.png)}", &["1:9 resource x.png"]);
        css("a{b:URL( 'x y.png' )}", &["1:11 resource x y.png"]);
        css("a{b:url(\"http://a.test/)\")}", &["1:10 resource http://a.test/)"]);
        css(
            "@font-face{src:url(a.woff2) format('woff2'),\nurl(b)}",
            &["1:20 resource a.woff2", "2:5 resource b"],
        );
        css("a{b:url()}", &["1:9 resource  -"]);
        css("a{b:url(é", &[]);
    }

    #[test]
    fn imports_are_addresses() {
        css(
            "@import \"a.css\";@IMPORT url(b.css) screen;@import 'c' layer(x);",
            &["1:10 resource a.css", "1:29 resource b.css", "1:52 resource c"],
        );
        css("@charset \"x\";@namespace url(http://a.test);@namespace s \"http://b.test\";", &[]);
    }

    #[test]
    fn the_strings_of_an_image_set_are_addresses() {
        css(
            "a{b:image-set(\"a\" 1x, url(b) 2x, 'c' type('image/avif'))}",
            &["1:16 resource a", "1:27 resource b", "1:35 resource c"],
        );
        css("a{b:-webkit-image-set('a' 1x);c:'d'}", &["1:24 resource a"]);
    }

    #[test]
    fn escapes_are_resolved_in_the_meaning_alone() {
        let found =
            links(DocumentFormat::Css, br#"a{b:url(x\ y\(1\).png)} b{c:url("\2f  \e9 z")}"#).links;
        assert_eq!(found[0].raw, r"x\ y\(1\).png");
        assert_eq!(found[0].target.text(), "x y(1).png");
        assert_eq!(found[1].target.text(), "/ éz");
    }

    #[test]
    fn data_is_passed_over_and_fragments_are_none() {
        css("a{b:url(data:image/gif;base64,R0)}", &["1:9 resource data:image/gif;base64,R0 -"]);
        css("a{filter:url(#f)}", &[]);
        css("a{b:url({{ 'x' | asset }})}", &["1:9 resource {{ 'x' | asset }} -"]);
    }

    #[test]
    fn comments_are_passed_over_and_told_and_strings_are_content() {
        css(
            "/* url(x) http://a.test */a{b:url(y)}",
            &["1:11 bare http://a.test -", "1:35 resource y"],
        );
        css("a{content:'url(x)'} b{c:\"http://a.test\"} my-url(x) curl(x)", &[]);
        css("a{content:'oops\n} b{c:url(x)}", &["2:11 resource x"]);
        css("/* http://a.test", &["1:4 bare http://a.test -"]);
        css("a{b:url(x y)} c{d:url(z)}", &["1:23 resource z"]);
    }
}
