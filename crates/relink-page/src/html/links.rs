//! The links of an HTML document.
//!
//! Which attribute of which element holds an address is one table. What stands
//! in comments, scripts, styles and templates is no link: nobody sees it.

use std::ops::Range;

use relink_model::PlaceKind::{self, Embed, Form, Link, Refresh, Resource};

use super::attribute_value::{refresh, srcset};
use super::tokenizer::{Token, Tokenizer};
use crate::found::{Extractor, Found, Notation, unescaped};
use crate::list::trim;

/// Where addresses stand (HTML standard, index of attributes), and the kind of
/// place each is.
const ADDRESSES: &[(&str, &str, PlaceKind)] = &[
    ("a", "href", Link),
    ("a", "xlink:href", Link),
    ("area", "href", Link),
    ("audio", "src", Embed),
    ("blockquote", "cite", Link),
    ("button", "formaction", Form),
    ("del", "cite", Link),
    ("embed", "src", Embed),
    ("form", "action", Form),
    ("frame", "src", Embed),
    ("iframe", "src", Embed),
    ("image", "href", Embed),
    ("image", "xlink:href", Embed),
    ("img", "src", Embed),
    ("input", "formaction", Form),
    ("input", "src", Embed),
    ("ins", "cite", Link),
    ("link", "href", Resource),
    ("object", "data", Embed),
    ("q", "cite", Link),
    ("script", "src", Resource),
    ("source", "src", Embed),
    ("track", "src", Embed),
    ("video", "poster", Embed),
    ("video", "src", Embed),
];

/// Where lists of picture candidates stand.
const CANDIDATES: &[(&str, &str, PlaceKind)] =
    &[("img", "srcset", Embed), ("link", "imagesrcset", Resource), ("source", "srcset", Embed)];

/// Relations that name a host to warm up, not a page.
const NO_PAGE_RELATIONS: [&str; 2] = ["preconnect", "dns-prefetch"];

/// Reads the links of HTML.
pub(crate) struct Html;

impl Extractor for Html {
    fn extract(&self, text: &str, found: &mut Found<'_>) {
        let base = each_destination(text, &mut |range, kind| {
            found.link(range, kind, Notation::Html);
        });
        if let Some(base) = base {
            found.base(&base);
        }
    }
}

/// Hands the place of every destination to `each`, in order; returns the base.
pub(crate) fn each_destination(
    html: &str,
    each: &mut dyn FnMut(Range<usize>, PlaceKind),
) -> Option<String> {
    let mut tokens = Tokenizer::new(html);
    let (mut templates, mut base) = (0_usize, None);
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Start(name) if is(name, "template") => templates += 1,
            Token::End(name) if is(name, "template") => templates = templates.saturating_sub(1),
            Token::Start(name) if templates == 0 => {
                if is(name, "base") && base.is_none() {
                    base = tokens.attribute("href").map(|href| unescaped(href.trim()).into_owned());
                }
                Tag { html, name, tokens: &tokens }.each_destination(each);
            }
            _ => {}
        }
    }
    base
}

fn is(name: &str, expected: &str) -> bool {
    name.eq_ignore_ascii_case(expected)
}

/// A start tag just read.
struct Tag<'a, 't> {
    html: &'t str,
    name: &'t str,
    tokens: &'a Tokenizer<'t>,
}

/// What an attribute's value holds.
enum Role {
    Address(PlaceKind),
    Candidates(PlaceKind),
    Refresh,
}

impl Tag<'_, '_> {
    fn each_destination(&self, each: &mut dyn FnMut(Range<usize>, PlaceKind)) {
        let attributes = self.tokens.attributes();
        if attributes.is_empty() || self.names_no_page() {
            return;
        }
        // Of two attributes with one name the first counts. Only names with a
        // role are remembered, so a tag with very many costs no more.
        let mut seen: Vec<&str> = Vec::new();
        for attribute in attributes {
            let Some(role) = self.role(attribute.name) else {
                continue;
            };
            if seen.iter().any(|name| is(name, attribute.name)) {
                continue;
            }
            seen.push(attribute.name);
            if let Some(value) = attribute.value.clone() {
                self.each_in_value(&role, value, each);
            }
        }
    }

    fn each_in_value(
        &self,
        role: &Role,
        value: Range<usize>,
        each: &mut dyn FnMut(Range<usize>, PlaceKind),
    ) {
        let written = &self.html[value.clone()];
        let shifted = |range: Range<usize>| value.start + range.start..value.start + range.end;
        match role {
            Role::Address(kind) => each(trim(self.html, value), *kind),
            Role::Candidates(kind) => {
                srcset(written).for_each(|candidate| each(shifted(candidate), *kind));
            }
            Role::Refresh if self.is_refresh() => {
                if let Some(range) = refresh(written) {
                    each(trim(self.html, shifted(range)), Refresh);
                }
            }
            Role::Refresh => {}
        }
    }

    fn role(&self, attribute: &str) -> Option<Role> {
        if is(self.name, "meta") {
            return is(attribute, "content").then_some(Role::Refresh);
        }
        let address = self.kind_in(ADDRESSES, attribute).map(Role::Address);
        address.or_else(|| self.kind_in(CANDIDATES, attribute).map(Role::Candidates))
    }

    fn kind_in(&self, table: &[(&str, &str, PlaceKind)], attribute: &str) -> Option<PlaceKind> {
        table
            .iter()
            .find(|(element, name, _)| is(attribute, name) && is(self.name, element))
            .map(|(_, _, kind)| *kind)
    }

    fn is_refresh(&self) -> bool {
        self.tokens.attribute("http-equiv").is_some_and(|value| is(value.trim(), "refresh"))
    }

    fn names_no_page(&self) -> bool {
        is(self.name, "link")
            && self.tokens.attribute("rel").is_some_and(|relations| {
                relations
                    .split_ascii_whitespace()
                    .any(|relation| NO_PAGE_RELATIONS.iter().any(|none| is(relation, none)))
            })
    }
}

#[cfg(test)]
mod tests {
    use crate::laws::check;
    use crate::{Format, links};

    #[track_caller]
    fn one(html: &str, expect: &str) {
        check(Format::Html, html, &[expect]);
    }

    #[track_caller]
    fn none(html: &str) {
        check(Format::Html, html, &[]);
    }

    #[test]
    fn every_kind_of_link_is_found() {
        one("<a href='x'>", "1:10 link x");
        one("<AREA HREF=x>", "1:12 link x");
        one("<link rel=icon href=x>", "1:21 resource x");
        one("<img src=\"x\"/>", "1:11 embed x");
        one("<video poster=x>", "1:15 embed x");
        one("<audio src=x>", "1:12 embed x");
        one("<iframe src=x><a href=y></iframe>", "1:13 embed x");
        one("<object data=x>", "1:14 embed x");
        one("<script src=x></script>", "1:13 resource x");
        one("<form action=x>", "1:14 form x");
        one("<button formaction=x>", "1:20 form x");
        one("<q cite=x>", "1:9 link x");
        one("<svg><a xlink:href='x'>", "1:21 link x");
        one("<meta http-equiv=Refresh content=\"0; url='x'\">", "1:43 refresh x");
    }

    #[test]
    fn every_candidate_of_a_srcset_has_its_own_place() {
        check(
            Format::Html,
            "<img srcset='a 1x,\n b 2x' src=c>",
            &["1:14 embed a", "2:2 embed b", "2:12 embed c"],
        );
    }

    #[test]
    fn quotes_and_white_space_are_not_part_of_the_place() {
        one("<a\n href = ' x y\n'>", "2:11 link x y");
        one("<a href=x/y/>", "1:9 link x/y/");
        one("<a title='>' href=x>", "1:19 link x");
        one("<a href=''>", "1:10 link  -");
    }

    #[test]
    fn the_first_of_two_attributes_counts() {
        one("<a href=x HREF=y>", "1:9 link x");
        none("<a href href=y>");
    }

    #[test]
    fn what_nobody_follows_is_no_link() {
        none("<!-- <a href=x> -->");
        none("<script>'<a href=x>'</script>");
        none("<style><a href=x></style>");
        none("<title><a href=x></title>");
        none("<template><a href=x></template>");
        none("<link rel='dns-prefetch' href=//x>");
        none("<a href>");
        none("<a name=x>");
        none("</a href=x>");
        none("<a href='x");
        none("<meta name=refresh content='0; url=x'>");
        none("a < b href=x>");
    }

    #[test]
    fn entities_are_resolved_in_the_meaning_alone() {
        let found = links(Format::Html, b"<a href='https://a.test/?b&amp;c&copy=1&#x41;'>");
        assert_eq!(found.links[0].raw, "https://a.test/?b&amp;c&copy=1&#x41;");
        assert_eq!(found.links[0].target.text(), "https://a.test/?b&c&copy=1A");
    }

    #[test]
    fn the_first_base_is_the_base() {
        let found = links(Format::Html, b"<base target=x><base href=' /a&amp;b '><base href=c>");
        assert_eq!(found.base.as_deref(), Some("/a&b"));
        assert!(found.links.is_empty());
    }

    #[test]
    fn places_hold_in_utf16_and_latin_1() {
        let utf16: Vec<u8> =
            "\u{feff}é<a href='ü'>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let link = links(Format::Html, &utf16).links.remove(0);
        assert_eq!((link.raw.as_str(), link.place.span.range()), ("ü", 22..24));
        let latin_1 = b"<meta charset=latin1>\xE9<a href='\xFC'>";
        let link = links(Format::Html, latin_1).links.remove(0);
        assert_eq!((link.raw.as_str(), link.place.span.range()), ("ü", 31..32));
        assert_eq!(link.place.column, 32);
    }
}
