//! Extracts the links of an HTML document.
//!
//! [`super::url_attributes`] lists the attributes that hold URLs. Styles are parsed
//! as CSS and linked data as JSON. URLs in comments and scripts are reported as
//! skipped. The content of templates is ignored, because it is not shown until a
//! script inserts it.

use std::ops::Range;

use memchr::memmem;
use relink_model::LinkKind::{self, BareUrl, Hyperlink, Metadata, Refresh, Resource};
use relink_model::SkipReason;

use super::attribute_value::{refresh, srcset};
use super::page_digester::is_shadow_root;
use super::style;
use super::tokenizer::{Content, TextElement, Token, TokenOrComment, Tokenizer};
use super::url_attributes::{
    ARCHIVED_COPY_ATTRIBUTES, CONNECT_RELATIONS, METADATA_RELATIONS, RESOURCE_RELATIONS,
    SRCSET_ATTRIBUTES, URL_ATTRIBUTES, URL_PROPERTIES, may_hold_url,
};
use crate::bare_url::http_urls;
use crate::css;
use crate::json;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink, unescape_attribute};
use crate::list::trim_range;
use crate::safe_slice::SafeSlice as _;
use crate::value::is_web_url;
use crate::window::{IncrementalExtractor, InputEnd};

/// Extracts the links of an HTML document.
pub(crate) struct Html;

impl Extractor for Html {
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>) {
        IncrementalHtml::default().extract_part(text, InputEnd::Last, sink);
    }
}

/// Extracts the links of an HTML document part by part.
#[derive(Default)]
pub(crate) struct IncrementalHtml {
    /// The text element in which the last part ended.
    inside: Option<TextElement>,
    /// Whether the current script is linked data (JSON-LD).
    is_linked_data: bool,
    /// Number of open `template` elements.
    templates: usize,
    /// The URL of the first `base` element, against which links are resolved.
    base: Option<String>,
}

impl IncrementalExtractor for IncrementalHtml {
    fn extract_part(&mut self, text: &str, input_end: InputEnd, sink: &mut LinkSink<'_>) -> usize {
        let end =
            self.for_each_candidate(
                text,
                input_end,
                &mut |range, kind, candidate| match candidate {
                    CandidateKind::Link(syntax) => sink.report_link(range, kind, syntax),
                    CandidateKind::Skip(reason) => sink.report_skipped(range, kind, reason),
                },
            );
        if let Some(base) = &self.base {
            sink.set_base(base);
        }
        end
    }
}

/// The kind of a link candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CandidateKind {
    /// A link.
    Link(DestinationSyntax),
    /// A URL that is not followed.
    Skip(SkipReason),
}

/// Callback that receives the range and kind of each candidate.
type Each<'e> = dyn FnMut(Range<usize>, LinkKind, CandidateKind) + 'e;

/// Calls `each` with the range of every URL in an attribute, in document order.
/// Returns the base URL.
pub(crate) fn for_each_destination(
    html: &str,
    each: &mut dyn FnMut(Range<usize>, LinkKind),
) -> Option<String> {
    for_each_candidate(html, &mut |range, kind, candidate| {
        if candidate == CandidateKind::Link(DestinationSyntax::Html) {
            each(range, kind);
        }
    })
}

/// Calls `each` with every link and every skipped URL, in document order.
/// Returns the base URL.
pub(crate) fn for_each_candidate(html: &str, each: &mut Each<'_>) -> Option<String> {
    let mut parts = IncrementalHtml::default();
    parts.for_each_candidate(html, InputEnd::Last, each);
    parts.base
}

impl IncrementalHtml {
    /// Calls `each` with the candidates of a part and returns the start of the
    /// next part.
    fn for_each_candidate(
        &mut self,
        html: &str,
        input_end: InputEnd,
        each: &mut Each<'_>,
    ) -> usize {
        let mut tokens = Tokenizer::resume(html, self.inside);
        let mut at = 0;
        while let Some(item) = tokens.next_complete(input_end) {
            match item {
                TokenOrComment::Comment(range) => skip_urls(html, range, SkipReason::Comment, each),
                TokenOrComment::Token(token) => self.read_token(html, &token, &tokens, each),
            }
            (at, self.inside) = tokens.checkpoint();
            if self.inside.is_some() {
                self.is_linked_data = is_linked_data(tokens.attribute("type"));
            }
        }
        at
    }

    /// Calls `each` with the candidates of a token and tracks templates and the
    /// base URL.
    fn read_token(
        &mut self,
        html: &str,
        token: &Token<'_>,
        tokens: &Tokenizer<'_>,
        each: &mut Each<'_>,
    ) {
        match token {
            // The content of a declarative shadow root is part of the page.
            Token::Start(name)
                if is(name, "template") && self.templates == 0 && is_shadow_root(tokens) => {}
            Token::Start(name) if is(name, "template") => self.templates += 1,
            Token::End(name) if is(name, "template") => {
                self.templates = self.templates.saturating_sub(1);
            }
            Token::Start(name) if self.templates == 0 => {
                if is(name, "base") && self.base.is_none() {
                    let href = tokens.attribute("href");
                    self.base = href.map(|href| unescape_attribute(href.trim()).into_owned());
                }
                StartTag { html, name, tokens }.for_each_destination(each);
            }
            Token::Content(content) if self.templates == 0 => {
                self.for_each_in_content(html, content.clone(), each);
            }
            _ => {}
        }
    }

    /// Calls `each` with the candidates of a style sheet, linked data or a script.
    fn for_each_in_content(&self, html: &str, content: Content, each: &mut Each<'_>) {
        let Content { element, range } = content;
        match element {
            TextElement::Style => for_each_in_style(html, range, each),
            TextElement::Script if self.is_linked_data => for_each_in_json(html, range, each),
            TextElement::Script => skip_urls(html, range, SkipReason::Code, each),
            _ => {}
        }
    }
}

/// Reports the URLs in `part` as skipped.
fn skip_urls(html: &str, part: Range<usize>, reason: SkipReason, each: &mut Each<'_>) {
    for range in http_urls(html, part) {
        each(range, BareUrl, CandidateKind::Skip(reason));
    }
}

fn is_linked_data(media_type: Option<&str>) -> bool {
    media_type.is_some_and(|media_type| is(media_type.trim(), "application/ld+json"))
}

/// Calls `each` with the candidates of a style sheet.
fn for_each_in_style(html: &str, range: Range<usize>, each: &mut Each<'_>) {
    for item in css::CssScanner::new(html, range) {
        match item {
            css::CssItem::Url(range, syntax) => each(range, Resource, CandidateKind::Link(syntax)),
            css::CssItem::Comment(range) => skip_urls(html, range, SkipReason::Comment, each),
        }
    }
}

/// Calls `each` with the URLs of linked data.
fn for_each_in_json(html: &str, range: Range<usize>, each: &mut Each<'_>) {
    let mut tokens = json::Tokenizer::new(html, range);
    while let Some(token) = tokens.next_token() {
        if let json::Token::Text(content) = token
            && let Some((range, syntax)) = json::url_value(html, content)
        {
            each(range, Metadata, CandidateKind::Link(syntax));
        }
    }
}

/// Whether two names are equal, ignoring case.
fn is(name: &str, expected: &str) -> bool {
    name.eq_ignore_ascii_case(expected)
}

fn is_any(name: &str, expected: &[&str]) -> bool {
    expected.iter().any(|expected| is(name, expected))
}

/// The current start tag.
struct StartTag<'a, 't> {
    html: &'t str,
    name: &'t str,
    tokens: &'a Tokenizer<'t>,
}

/// The syntax of an attribute's value.
enum ValueSyntax {
    /// One URL.
    Url(LinkKind),
    /// A list of image candidates.
    Srcset(LinkKind),
    /// CSS.
    Style,
    /// The content of a `meta`; its other attributes define the syntax.
    Content,
}

impl<'t> StartTag<'_, 't> {
    /// Calls `each` with the URLs of all attributes.
    fn for_each_destination(&self, each: &mut Each<'_>) {
        let attributes = self.tokens.attributes();
        if attributes.is_empty() || self.is_connection_hint() {
            return;
        }
        // The first of several attributes with the same name takes effect.
        // `seen` has at most one entry per name of the tables, so a tag with
        // many attributes takes linear time.
        let mut seen: Vec<&str> = Vec::new();
        for attribute in attributes {
            let Some(value_syntax) = self.value_syntax(attribute.name) else {
                continue;
            };
            if seen.iter().any(|name| is(name, attribute.name)) {
                continue;
            }
            seen.push(attribute.name);
            if let Some(value) = attribute.value.clone() {
                self.for_each_in_value(&value_syntax, value, each);
            }
        }
    }

    /// Calls `each` with the URLs of one attribute value.
    fn for_each_in_value(
        &self,
        value_syntax: &ValueSyntax,
        value: Range<usize>,
        each: &mut Each<'_>,
    ) {
        let html = self.html;
        let mut emit = |range: Range<usize>, kind| {
            each(range, kind, CandidateKind::Link(DestinationSyntax::Html));
        };
        match value_syntax {
            ValueSyntax::Url(kind) => emit(trim_range(html, value), *kind),
            ValueSyntax::Srcset(kind) => {
                srcset(html.slice(value.clone()))
                    .for_each(|candidate| emit(document_range(&value, &candidate), *kind));
            }
            ValueSyntax::Content => {
                if let Some((range, kind)) = self.url_in_content(&value) {
                    emit(trim_range(html, range), kind);
                }
            }
            ValueSyntax::Style => style::for_each_url(html, value, &mut |range, syntax| {
                each(range, Resource, CandidateKind::Link(syntax));
            }),
        }
    }

    /// Returns the syntax of an attribute's value, or `None` if it has no URLs.
    fn value_syntax(&self, attribute: &str) -> Option<ValueSyntax> {
        if !may_hold_url(attribute) {
            return None;
        }
        if is(self.name, "meta") {
            return is(attribute, "content").then_some(ValueSyntax::Content);
        }
        if is(attribute, "style") {
            return Some(ValueSyntax::Style);
        }
        let kind = self.kind_in(URL_ATTRIBUTES, attribute).map(|kind| self.kind_by_relation(kind));
        kind.map(ValueSyntax::Url)
            .or_else(|| self.kind_in(SRCSET_ATTRIBUTES, attribute).map(ValueSyntax::Srcset))
            .or_else(|| {
                is_any(attribute, &ARCHIVED_COPY_ATTRIBUTES).then_some(ValueSyntax::Url(Hyperlink))
            })
    }

    /// Returns the link kind that a table states for an attribute of this element.
    fn kind_in(&self, table: &[(&str, &str, LinkKind)], attribute: &str) -> Option<LinkKind> {
        table
            .iter()
            .find(|(element, name, _)| is(attribute, name) && is(self.name, element))
            .map(|(_, _, kind)| *kind)
    }

    /// Returns the kind of a URL. For a `link` element, the kind depends on its
    /// `rel` attribute.
    fn kind_by_relation(&self, kind: LinkKind) -> LinkKind {
        let is_metadata = kind == Resource
            && is(self.name, "link")
            && self.has_relation(METADATA_RELATIONS)
            && !self.has_relation(&RESOURCE_RELATIONS);
        if is_metadata { Metadata } else { kind }
    }

    /// Whether the `rel` attribute contains one of these relations.
    fn has_relation(&self, relations: &[&str]) -> bool {
        self.tokens.attribute("rel").is_some_and(|text| {
            text.split_ascii_whitespace().any(|relation| is_any(relation, relations))
        })
    }

    /// Returns the range and kind of the URL in the content of a `meta`.
    fn url_in_content(&self, value: &Range<usize>) -> Option<(Range<usize>, LinkKind)> {
        let text: &'t str = self.html.slice(value.clone());
        if let Some(pragma) = self.tokens.attribute("http-equiv") {
            let range = refresh(text).filter(|_| is(pragma.trim(), "refresh"))?;
            return Some((document_range(value, &range), Refresh));
        }
        // The search for a colon is cheap and rejects most contents, which are
        // plain text.
        let has_colon = || memmem::find(text.as_bytes(), b":").is_some();
        let is_metadata =
            self.has_url_property() || (has_colon() && is_web_url(&unescape_attribute(text)));
        is_metadata.then(|| (value.clone(), Metadata))
    }

    /// Whether the content of a `meta` with this property is a URL.
    fn has_url_property(&self) -> bool {
        let name = self.tokens.attribute("property").or_else(|| self.tokens.attribute("name"));
        name.is_some_and(|name| is_any(name.trim(), URL_PROPERTIES))
    }

    /// Whether the tag is a `link` that names a host to connect to, not a page.
    fn is_connection_hint(&self) -> bool {
        is(self.name, "link") && self.has_relation(&CONNECT_RELATIONS)
    }
}

/// Converts a range relative to `value` into a range of the document.
fn document_range(value: &Range<usize>, range: &Range<usize>) -> Range<usize> {
    value.start + range.start..value.start + range.end
}

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use crate::{DocumentFormat, links};

    /// Asserts the only link of a document, in the notation of [`check`].
    #[track_caller]
    fn check_only_link(html: &str, expect: &str) {
        check(DocumentFormat::Html, html, &[expect]);
    }

    /// Asserts that the document has no links.
    #[track_caller]
    fn check_none(html: &str) {
        check(DocumentFormat::Html, html, &[]);
    }

    #[test]
    fn all_kinds_of_links_are_found() {
        check_only_link("<a href='x'>", "1:10 hyperlink x");
        check_only_link("<AREA HREF=x>", "1:12 hyperlink x");
        check_only_link("<link rel=icon href=x>", "1:21 resource x");
        check_only_link("<img src=\"x\"/>", "1:11 embed x");
        check_only_link("<video poster=x>", "1:15 embed x");
        check_only_link("<audio src=x>", "1:12 embed x");
        check_only_link("<iframe src=x><a href=y></iframe>", "1:13 embed x");
        check_only_link("<object data=x>", "1:14 embed x");
        check_only_link("<script src=x></script>", "1:13 resource x");
        check_only_link("<form action=x>", "1:14 form x");
        check_only_link("<button formaction=x>", "1:20 form x");
        check_only_link("<q cite=x>", "1:9 hyperlink x");
        check_only_link("<svg><a xlink:href='x'>", "1:21 hyperlink x");
        check_only_link("<meta http-equiv=Refresh content=\"0; url='x'\">", "1:43 refresh x");
    }

    #[test]
    fn link_element_is_resource_or_metadata_by_its_relation() {
        check_only_link("<link rel='alternate stylesheet' href=x>", "1:39 resource x");
        check_only_link("<link rel=preload href=x>", "1:24 resource x");
        check_only_link("<link href=x>", "1:12 resource x");
        check_only_link("<link rel=Canonical href=x>", "1:26 metadata x");
        check_only_link(
            "<link rel=alternate type='application/rss+xml' href=x>",
            "1:53 metadata x",
        );
        check_only_link("<link rel=license href=x>", "1:24 metadata x");
    }

    #[test]
    fn meta_elements_and_linked_data_are_metadata() {
        check_only_link(
            "<meta property='og:url' content='http://a.test'>",
            "1:34 metadata http://a.test",
        );
        check_only_link("<meta content=x.png property=og:image>", "1:15 metadata x.png");
        check_only_link("<meta name=twitter:image content=' x '>", "1:36 metadata x");
        check_only_link(
            "<meta itemprop=url content=http://a.test/>",
            "1:28 metadata http://a.test/",
        );
        check_none("<meta name=description content='see http://a.test'>");
        check_none("<meta http-equiv=x content='http://a.test'>");
        check(
            DocumentFormat::Html,
            "<script type='application/ld+json'>{\"@id\":\"http:\\/\\/a.test\",\"http://k\":1,\n\"x\":[\"http://b.test\"]}</script>",
            &["1:44 metadata http:\\/\\/a.test", "2:7 metadata http://b.test"],
        );
    }

    #[test]
    fn styles_are_parsed_as_css() {
        check(
            DocumentFormat::Html,
            "<style>@import 'a.css';\n/* http://no.test */b{c:url(d.png)}</style>",
            &["1:17 resource a.css", "2:4 bare-url http://no.test -", "2:29 resource d.png"],
        );
        check_only_link("<p style='a:url(\"x.png\")'>", "1:18 resource x.png");
        check_none("<p style='color:red' style='a:url(x)' class=b>");
    }

    #[test]
    fn character_references_in_style_attribute_are_resolved() {
        let html = "<p style=\"a:url(&quot;x?a&amp;b&#x22;);b:url(y)\">";
        check(DocumentFormat::Html, html, &["1:23 resource x?a&amp;b", "1:46 resource y"]);
        let found = links(DocumentFormat::Html, html.as_bytes()).links;
        assert_eq!(found[0].target.text(), "x?a&b");
    }

    #[test]
    fn archived_copy_attributes_are_links() {
        check(
            DocumentFormat::Html,
            "<a href=x data-versionurl='http://archive.test/x' data-originalurl=y data-versiondate=z>",
            &["1:9 hyperlink x", "1:28 hyperlink http://archive.test/x"],
        );
    }

    #[test]
    fn urls_in_comments_and_scripts_are_skipped() {
        check(
            DocumentFormat::Html,
            "<!--http://a.test--><script>get('http://b.test')</script><!-- http://c.test",
            &[
                "1:5 bare-url http://a.test -",
                "1:34 bare-url http://b.test -",
                "1:63 bare-url http://c.test -",
            ],
        );
        check_none("<!DOCTYPE html PUBLIC 'x' 'http://a.test'>");
    }

    #[test]
    fn links_of_bookmark_files_are_found() {
        check(
            DocumentFormat::Html,
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"http://a.test/\" \
             ADD_DATE=\"1\" ICON=\"data:x\">A</A>\n</DL><p>",
            &["3:14 hyperlink http://a.test/"],
        );
    }

    #[test]
    fn each_srcset_candidate_has_its_own_location() {
        check(
            DocumentFormat::Html,
            "<img srcset='a 1x,\n b 2x' src=c>",
            &["1:14 embed a", "2:2 embed b", "2:12 embed c"],
        );
    }

    #[test]
    fn link_range_excludes_quotes_and_white_space() {
        check_only_link("<a\n href = ' x y\n'>", "2:11 hyperlink x y");
        check_only_link("<a href=x/y/>", "1:9 hyperlink x/y/");
        check_only_link("<a title='>' href=x>", "1:19 hyperlink x");
        check_only_link("<a href=''>", "1:10 hyperlink  -");
    }

    #[test]
    fn first_of_duplicate_attributes_takes_effect() {
        check_only_link("<a href=x HREF=y>", "1:9 hyperlink x");
        check_none("<a href href=y>");
    }

    #[test]
    fn links_in_declarative_shadow_roots_are_found() {
        let count = |html: &str| links(DocumentFormat::Html, html.as_bytes()).links.len();
        let tree = "<x-card><template shadowrootmode=open><a href=x>x</a></template></x-card>";
        assert_eq!(count(tree), 1);
        assert_eq!(count(&format!("<template>{tree}</template><a href=y>y</a>")), 1);
        assert_eq!(count(&tree.replace("=open", "=other")), 0);
    }

    #[test]
    fn markup_in_inactive_content_is_not_a_link() {
        check_none("<!-- <a href=x> -->");
        check_none("<script>'<a href=x>'</script>");
        check_none("<style><a href=x></style>");
        check_none("<title><a href=x></title>");
        check_none("<template><a href=x></template>");
        check_none("<link rel='dns-prefetch' href=//x>");
        check_none("<a href>");
        check_none("<a name=x>");
        check_none("</a href=x>");
        check_none("<a href='x");
        check_none("<meta name=refresh content='0; url=x'>");
        check_none("a < b href=x>");
    }

    #[test]
    fn character_references_are_resolved_in_the_target_only() {
        let found = links(DocumentFormat::Html, b"<a href='https://a.test/?b&amp;c&copy=1&#x41;'>");
        assert_eq!(found.links[0].raw, "https://a.test/?b&amp;c&copy=1&#x41;");
        assert_eq!(found.links[0].target.text(), "https://a.test/?b&c&copy=1A");
    }

    #[test]
    fn first_base_href_is_the_base() {
        let found =
            links(DocumentFormat::Html, b"<base target=x><base href=' /a&amp;b '><base href=c>");
        assert_eq!(found.base.as_deref(), Some("/a&b"));
        assert!(found.links.is_empty());
    }

    #[test]
    fn spans_are_correct_in_utf16_and_latin_1() {
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
