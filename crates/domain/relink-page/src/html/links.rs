//! The links of an HTML document.
//!
//! Which attribute of which element holds an address is one table; styles and
//! linked data (JSON-LD) are read as what they are. What stands in comments and
//! scripts is no link, and its addresses are told as passed over. What stands in
//! templates is not there until a script says so.

use std::ops::Range;

use memchr::memmem;
use relink_model::LinkKind::{self, BareUrl, Hyperlink, Metadata, Refresh, Resource};
use relink_model::SkipReason;

use super::addresses::{
    ADDRESS_PROPERTIES, ADDRESSES, CANDIDATES, METADATA_RELATIONS, NO_PAGE_RELATIONS,
    RESOURCE_RELATIONS, ROBUST_ADDRESSES, may_hold_address,
};
use super::attribute_value::{refresh, srcset};
use super::page::is_shadow_root;
use super::style;
use super::tokenizer::{Content, TextElement, Token, TokenOrComment, Tokenizer};
use crate::bare::http_addresses;
use crate::css;
use crate::cut::Cut as _;
use crate::json;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink, unescaped};
use crate::list::trim;
use crate::value::is_address;
use crate::window::{IncrementalExtractor, InputEnd};

/// Reads the links of HTML.
pub(crate) struct Html;

impl Extractor for Html {
    fn extract(&self, text: &str, found: &mut LinkSink<'_>) {
        HtmlParts::default().resume(text, InputEnd::None, found);
    }
}

/// Reads the links of HTML part by part.
#[derive(Default)]
pub(crate) struct HtmlParts {
    inside: Option<TextElement>,
    /// Whether the script being read is linked data.
    is_linked_data: bool,
    /// Templates that are open.
    templates: usize,
    base: Option<String>,
}

impl IncrementalExtractor for HtmlParts {
    fn resume(&mut self, text: &str, sequel: InputEnd, found: &mut LinkSink<'_>) -> usize {
        let end = self.each_mention(text, sequel, &mut |range, kind, reading| match reading {
            CandidateKind::Link(notation) => found.link(range, kind, notation),
            CandidateKind::Skip(reason) => found.skip(range, kind, reason),
        });
        if let Some(base) = &self.base {
            found.base(base);
        }
        end
    }
}

/// How what stands at a place is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CandidateKind {
    /// As a destination.
    Link(DestinationSyntax),
    /// As none, and why.
    Skip(SkipReason),
}

/// Takes in what is found.
type Each<'e> = dyn FnMut(Range<usize>, LinkKind, CandidateKind) + 'e;

/// Hands the place of every destination in an attribute to `each`, in order;
/// returns the base.
pub(crate) fn each_destination(
    html: &str,
    each: &mut dyn FnMut(Range<usize>, LinkKind),
) -> Option<String> {
    each_mention(html, &mut |range, kind, reading| {
        if reading == CandidateKind::Link(DestinationSyntax::Html) {
            each(range, kind);
        }
    })
}

/// Hands every destination and all that looks like one to `each`, in order;
/// returns the base.
pub(crate) fn each_mention(html: &str, each: &mut Each<'_>) -> Option<String> {
    let mut parts = HtmlParts::default();
    parts.each_mention(html, InputEnd::None, each);
    parts.base
}

impl HtmlParts {
    /// Hands on what a part holds, and returns where the next one begins.
    fn each_mention(&mut self, html: &str, sequel: InputEnd, each: &mut Each<'_>) -> usize {
        let mut tokens = Tokenizer::resume(html, self.inside);
        let mut at = 0;
        while let Some(piece) = tokens.next_certain(sequel) {
            match piece {
                TokenOrComment::Comment(range) => pass_over(html, range, SkipReason::Comment, each),
                TokenOrComment::Token(token) => self.read_token(html, &token, &tokens, each),
            }
            (at, self.inside) = tokens.checkpoint();
            if self.inside.is_some() {
                self.is_linked_data = is_linked_data(tokens.attribute("type"));
            }
        }
        at
    }

    fn read_token(
        &mut self,
        html: &str,
        token: &Token<'_>,
        tokens: &Tokenizer<'_>,
        each: &mut Each<'_>,
    ) {
        match token {
            // A declarative shadow tree is part of the page.
            Token::Start(name)
                if is(name, "template") && self.templates == 0 && is_shadow_root(tokens) => {}
            Token::Start(name) if is(name, "template") => self.templates += 1,
            Token::End(name) if is(name, "template") => {
                self.templates = self.templates.saturating_sub(1);
            }
            Token::Start(name) if self.templates == 0 => {
                if is(name, "base") && self.base.is_none() {
                    let href = tokens.attribute("href");
                    self.base = href.map(|href| unescaped(href.trim()).into_owned());
                }
                Tag { html, name, tokens }.each_destination(each);
            }
            Token::Content(content) if self.templates == 0 => {
                self.each_in_content(html, content.clone(), each);
            }
            _ => {}
        }
    }

    /// Reads a style sheet, linked data or a script.
    fn each_in_content(&self, html: &str, content: Content, each: &mut Each<'_>) {
        let Content { element, range } = content;
        match element {
            TextElement::Style => each_in_style(html, range, each),
            TextElement::Script if self.is_linked_data => each_in_json(html, range, each),
            TextElement::Script => pass_over(html, range, SkipReason::Code, each),
            _ => {}
        }
    }
}

/// Tells the addresses of a part in which none is followed.
fn pass_over(html: &str, part: Range<usize>, reason: SkipReason, each: &mut Each<'_>) {
    for range in http_addresses(html, part) {
        each(range, BareUrl, CandidateKind::Skip(reason));
    }
}

fn is_linked_data(media_type: Option<&str>) -> bool {
    media_type.is_some_and(|media_type| is(media_type.trim(), "application/ld+json"))
}

fn each_in_style(html: &str, range: Range<usize>, each: &mut Each<'_>) {
    for piece in css::Scanner::new(html, range) {
        match piece {
            css::CssItem::Address(range, notation) => {
                each(range, Resource, CandidateKind::Link(notation))
            }
            css::CssItem::Comment(range) => pass_over(html, range, SkipReason::Comment, each),
        }
    }
}

fn each_in_json(html: &str, range: Range<usize>, each: &mut Each<'_>) {
    let mut tokens = json::Tokenizer::new(html, range);
    while let Some(token) = tokens.next_token() {
        if let json::Token::Text(content) = token
            && let Some((range, notation)) = json::address(html, content)
        {
            each(range, Metadata, CandidateKind::Link(notation));
        }
    }
}

fn is(name: &str, expected: &str) -> bool {
    name.eq_ignore_ascii_case(expected)
}

fn is_any(name: &str, expected: &[&str]) -> bool {
    expected.iter().any(|expected| is(name, expected))
}

/// A start tag just read.
struct Tag<'a, 't> {
    html: &'t str,
    name: &'t str,
    tokens: &'a Tokenizer<'t>,
}

/// What an attribute's value holds.
enum Role {
    Address(LinkKind),
    Candidates(LinkKind),
    Style,
    /// The content of a `meta`, whose other attributes say what it is.
    Content,
}

impl<'t> Tag<'_, 't> {
    fn each_destination(&self, each: &mut Each<'_>) {
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

    fn each_in_value(&self, role: &Role, value: Range<usize>, each: &mut Each<'_>) {
        let html = self.html;
        let mut address = |range: Range<usize>, kind| {
            each(range, kind, CandidateKind::Link(DestinationSyntax::Html))
        };
        match role {
            Role::Address(kind) => address(trim(html, value), *kind),
            Role::Candidates(kind) => {
                srcset(html.cut(value.clone()))
                    .for_each(|candidate| address(shifted(&value, &candidate), *kind));
            }
            Role::Content => {
                if let Some((range, kind)) = self.in_content(&value) {
                    address(trim(html, range), kind);
                }
            }
            Role::Style => style::each_address(html, value, &mut |range, notation| {
                each(range, Resource, CandidateKind::Link(notation));
            }),
        }
    }

    fn role(&self, attribute: &str) -> Option<Role> {
        if !may_hold_address(attribute) {
            return None;
        }
        if is(self.name, "meta") {
            return is(attribute, "content").then_some(Role::Content);
        }
        if is(attribute, "style") {
            return Some(Role::Style);
        }
        let kind = self.kind_in(ADDRESSES, attribute).map(|kind| self.kind_by_relation(kind));
        kind.map(Role::Address)
            .or_else(|| self.kind_in(CANDIDATES, attribute).map(Role::Candidates))
            .or_else(|| is_any(attribute, &ROBUST_ADDRESSES).then_some(Role::Address(Hyperlink)))
    }

    fn kind_in(&self, table: &[(&str, &str, LinkKind)], attribute: &str) -> Option<LinkKind> {
        table
            .iter()
            .find(|(element, name, _)| is(attribute, name) && is(self.name, element))
            .map(|(_, _, kind)| *kind)
    }

    /// The kind of an address; that of a `link` depends on its relation.
    fn kind_by_relation(&self, kind: LinkKind) -> LinkKind {
        let is_about = kind == Resource
            && is(self.name, "link")
            && self.has_relation(METADATA_RELATIONS)
            && !self.has_relation(&RESOURCE_RELATIONS);
        if is_about { Metadata } else { kind }
    }

    fn has_relation(&self, relations: &[&str]) -> bool {
        self.tokens.attribute("rel").is_some_and(|written| {
            written.split_ascii_whitespace().any(|relation| is_any(relation, relations))
        })
    }

    /// The address in the content of a `meta`.
    fn in_content(&self, value: &Range<usize>) -> Option<(Range<usize>, LinkKind)> {
        let written: &'t str = self.html.cut(value.clone());
        if let Some(pragma) = self.tokens.attribute("http-equiv") {
            let range = refresh(written).filter(|_| is(pragma.trim(), "refresh"))?;
            return Some((shifted(value, &range), Refresh));
        }
        // Most contents are words.
        let may_be_address = || memmem::find(written.as_bytes(), b":").is_some();
        let is_metadata =
            self.names_address() || (may_be_address() && is_address(&unescaped(written)));
        is_metadata.then(|| (value.clone(), Metadata))
    }

    /// Whether a `meta` is of a property that has an address for content.
    fn names_address(&self) -> bool {
        let name = self.tokens.attribute("property").or_else(|| self.tokens.attribute("name"));
        name.is_some_and(|name| is_any(name.trim(), ADDRESS_PROPERTIES))
    }

    fn names_no_page(&self) -> bool {
        is(self.name, "link") && self.has_relation(&NO_PAGE_RELATIONS)
    }
}

/// A range within `value`, counted from the start of the document.
fn shifted(value: &Range<usize>, range: &Range<usize>) -> Range<usize> {
    value.start + range.start..value.start + range.end
}

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use crate::{DocumentFormat, links};

    #[track_caller]
    fn one(html: &str, expect: &str) {
        check(DocumentFormat::Html, html, &[expect]);
    }

    #[track_caller]
    fn none(html: &str) {
        check(DocumentFormat::Html, html, &[]);
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
    fn a_link_element_is_a_part_or_says_something_of_the_page() {
        one("<link rel='alternate stylesheet' href=x>", "1:39 resource x");
        one("<link rel=preload href=x>", "1:24 resource x");
        one("<link href=x>", "1:12 resource x");
        one("<link rel=Canonical href=x>", "1:26 metadata x");
        one("<link rel=alternate type='application/rss+xml' href=x>", "1:53 metadata x");
        one("<link rel=license href=x>", "1:24 metadata x");
    }

    #[test]
    fn what_a_page_says_of_itself_is_metadata() {
        one("<meta property='og:url' content='http://a.test'>", "1:34 metadata http://a.test");
        one("<meta content=x.png property=og:image>", "1:15 metadata x.png");
        one("<meta name=twitter:image content=' x '>", "1:36 metadata x");
        one("<meta itemprop=url content=http://a.test/>", "1:28 metadata http://a.test/");
        none("<meta name=description content='see http://a.test'>");
        none("<meta http-equiv=x content='http://a.test'>");
        check(
            DocumentFormat::Html,
            "<script type='application/ld+json'>{\"@id\":\"http:\\/\\/a.test\",\"http://k\":1,\n\"x\":[\"http://b.test\"]}</script>",
            &["1:44 metadata http:\\/\\/a.test", "2:7 metadata http://b.test"],
        );
    }

    #[test]
    fn styles_are_read_as_css() {
        check(
            DocumentFormat::Html,
            "<style>@import 'a.css';\n/* http://no.test */b{c:url(d.png)}</style>",
            &["1:17 resource a.css", "2:4 bare http://no.test -", "2:29 resource d.png"],
        );
        one("<p style='a:url(\"x.png\")'>", "1:18 resource x.png");
        none("<p style='color:red' style='a:url(x)' class=b>");
    }

    #[test]
    fn character_references_in_a_style_are_resolved() {
        let html = "<p style=\"a:url(&quot;x?a&amp;b&#x22;);b:url(y)\">";
        check(DocumentFormat::Html, html, &["1:23 resource x?a&amp;b", "1:46 resource y"]);
        let found = links(DocumentFormat::Html, html.as_bytes()).links;
        assert_eq!(found[0].target.text(), "x?a&b");
    }

    #[test]
    fn a_robust_link_names_its_copy_and_its_original() {
        check(
            DocumentFormat::Html,
            "<a href=x data-versionurl='http://archive.test/x' data-originalurl=y data-versiondate=z>",
            &["1:9 link x", "1:28 link http://archive.test/x", "1:68 link y"],
        );
    }

    #[test]
    fn comments_and_scripts_are_passed_over_and_told() {
        check(
            DocumentFormat::Html,
            "<!--http://a.test--><script>get('http://b.test')</script><!-- http://c.test",
            &["1:5 bare http://a.test -", "1:34 bare http://b.test -", "1:63 bare http://c.test -"],
        );
        none("<!DOCTYPE html PUBLIC 'x' 'http://a.test'>");
    }

    #[test]
    fn bookmarks_are_links() {
        check(
            DocumentFormat::Html,
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"http://a.test/\" \
             ADD_DATE=\"1\" ICON=\"data:x\">A</A>\n</DL><p>",
            &["3:14 link http://a.test/"],
        );
    }

    #[test]
    fn every_candidate_of_a_srcset_has_its_own_place() {
        check(
            DocumentFormat::Html,
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
    fn links_of_declarative_shadow_trees_are_read() {
        let count = |html: &str| links(DocumentFormat::Html, html.as_bytes()).links.len();
        let tree = "<x-card><template shadowrootmode=open><a href=x>x</a></template></x-card>";
        assert_eq!(count(tree), 1);
        assert_eq!(count(&format!("<template>{tree}</template><a href=y>y</a>")), 1);
        assert_eq!(count(&tree.replace("=open", "=other")), 0);
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
        let found = links(DocumentFormat::Html, b"<a href='https://a.test/?b&amp;c&copy=1&#x41;'>");
        assert_eq!(found.links[0].raw, "https://a.test/?b&amp;c&copy=1&#x41;");
        assert_eq!(found.links[0].target.text(), "https://a.test/?b&c&copy=1A");
    }

    #[test]
    fn the_first_base_is_the_base() {
        let found =
            links(DocumentFormat::Html, b"<base target=x><base href=' /a&amp;b '><base href=c>");
        assert_eq!(found.base.as_deref(), Some("/a&b"));
        assert!(found.links.is_empty());
    }

    #[test]
    fn places_hold_in_utf16_and_latin_1() {
        let utf16: Vec<u8> =
            "\u{feff}é<a href='ü'>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let link = links(DocumentFormat::Html, &utf16).links.remove(0);
        assert_eq!((link.raw.as_str(), link.location.span.range()), ("ü", 22..24));
        let latin_1 = b"<meta charset=latin1>\xE9<a href='\xFC'>";
        let link = links(DocumentFormat::Html, latin_1).links.remove(0);
        assert_eq!((link.raw.as_str(), link.location.span.range()), ("ü", 31..32));
        assert_eq!(link.location.column, 32);
    }
}
