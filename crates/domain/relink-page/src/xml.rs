//! XML: sitemaps, feeds, outlines and others.
//!
//! Element text that is a URL is a link, and so are attributes that contain
//! URLs. Other text, such as HTML in a feed, is searched for bare URLs.
//! Sitemaps (`loc`), RSS, Atom and OPML have specific rules.
//!
//! Only character references and the five predefined entities of XML are resolved.
//! The document type is skipped: other entities are not expanded, and external files
//! are not read. Therefore, entity expansion attacks and external entities have no
//! effect.

mod blocks;
mod reference;
mod tokenizer;

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;
use relink_model::{LinkKind, SkipReason};

pub(crate) use self::blocks::read_blocks;
use self::reference::{split_at_delimiters, unescape};
use self::tokenizer::{Attribute, Token, Tokenizer, TokenizerState};
use crate::bare_url::http_urls;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::list::trim_range;
use crate::safe_slice::SafeSlice as _;
use crate::target::classify_list_line;
use crate::value::is_web_url;
use crate::window::{IncrementalExtractor, InputEnd};

/// Elements and attributes that contain a URL, absolute or relative, and the
/// kind of the link. Names are without prefix.
const URL_ATTRIBUTES: &[(&str, &str, LinkKind)] = &[
    ("a", "href", LinkKind::Hyperlink),
    ("image", "href", LinkKind::Embed),
    ("enclosure", "url", LinkKind::Embed),
    ("outline", "xmlUrl", LinkKind::Value),
    ("outline", "htmlUrl", LinkKind::Value),
    ("outline", "url", LinkKind::Value),
];

/// Attributes of any element that may contain a URL.
const GENERAL_URL_ATTRIBUTES: &[(&str, LinkKind)] = &[
    ("href", LinkKind::Value),
    ("src", LinkKind::Embed),
    ("url", LinkKind::Value),
    ("uri", LinkKind::Value),
    ("link", LinkKind::Value),
    ("location", LinkKind::Value),
    ("homepage", LinkKind::Value),
    ("website", LinkKind::Value),
    ("xmlUrl", LinkKind::Value),
    ("htmlUrl", LinkKind::Value),
];

/// Link extractor for XML.
pub(crate) struct Xml;

impl Extractor for Xml {
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>) {
        IncrementalXml::default().extract_part(text, InputEnd::Last, sink);
    }
}

/// Incremental link extractor for XML.
#[derive(Default)]
pub(crate) struct IncrementalXml {
    state: TokenizerState,
    /// The vocabulary of the document; `None` before the root element.
    vocabulary: Option<Vocabulary>,
    /// The meaning of the text after the last tag.
    role: TextRole,
}

impl IncrementalExtractor for IncrementalXml {
    fn extract_part(&mut self, text: &str, input_end: InputEnd, sink: &mut LinkSink<'_>) -> usize {
        let mut tokens = Tokenizer::resume(text, input_end, self.state);
        let mut parser = XmlParser { text, sink, vocabulary: self.vocabulary, role: self.role };
        let (mut at, mut state) = tokens.checkpoint();
        while let Some(token) = tokens.next_complete() {
            match token {
                Token::Start(name) => parser.read_start_tag(name, tokens.attributes()),
                Token::End => parser.role = TextRole::Any,
                Token::Text(range) => parser.read_content(range, Escaping::Escaped),
                Token::Data(range) => parser.read_content(range, Escaping::Plain),
                Token::Comment(range) => parser.skip_comment(range),
                Token::StyleSheet => parser.read_style_sheet(tokens.attributes()),
                Token::Entities(at) => parser.sink.report_problem(
                    at,
                    "the document type declares entities; they are not expanded",
                ),
            }
            (at, state) = tokens.checkpoint();
        }
        *self = Self { state, vocabulary: parser.vocabulary, role: parser.role };
        at
    }
}

/// Whether an XML document is a sitemap index, by its root element.
///
/// ```
/// assert!(relink_page::is_sitemap_index(b"<?xml version='1.0'?><sitemapindex>"));
/// assert!(!relink_page::is_sitemap_index(b"<urlset><sitemapindex>"));
/// ```
pub fn is_sitemap_index(bytes: &[u8]) -> bool {
    // The root element is near the start.
    let head = crate::source_text::decode_text(bytes.slice(..bytes.len().min(HEAD_LENGTH)), None);
    root_name(&head) == Some("sitemapindex")
}

/// Number of bytes searched for the root element.
const HEAD_LENGTH: usize = 64 * 1024;

/// Returns the name of the root element, without prefix.
pub(crate) fn root_name(text: &str) -> Option<&str> {
    let mut tokens = Tokenizer::new(text);
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Start(name) => return Some(local_name(name)),
            Token::Text(range) if !text.slice(range.clone()).trim().is_empty() => return None,
            Token::End | Token::Data(_) => return None,
            _ => {}
        }
    }
    None
}

/// A document type with specific rules, identified by the root element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vocabulary {
    Sitemap,
    Rss,
    Atom,
    Other,
}

impl Vocabulary {
    fn from_root(name: &str) -> Self {
        match local_name(name) {
            "urlset" | "sitemapindex" => Self::Sitemap,
            "rss" => Self::Rss,
            "feed" => Self::Atom,
            _ => Self::Other,
        }
    }
}

/// Meaning of the text of the current element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum TextRole {
    /// Must be an absolute URL.
    AbsoluteUrl,
    /// A URL, absolute or relative.
    UrlReference,
    /// An identifier that may look like a URL but is not a link.
    Identifier,
    /// A link if it is a URL; otherwise searched for bare URLs.
    #[default]
    Any,
}

/// Encoding of character data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escaping {
    /// With entities and character references.
    Escaped,
    /// A CDATA section, without escapes.
    Plain,
}

/// Reports the links of tags and text.
struct XmlParser<'r, 'd, 't> {
    text: &'t str,
    sink: &'r mut LinkSink<'d>,
    vocabulary: Option<Vocabulary>,
    role: TextRole,
}

impl XmlParser<'_, '_, '_> {
    /// Handles a start tag.
    fn read_start_tag(&mut self, name: &str, attributes: &[Attribute<'_>]) {
        if self.vocabulary.is_none() {
            self.vocabulary = Some(Vocabulary::from_root(name));
            self.read_base(attributes);
        }
        self.role = self.text_role_of(name, attributes);
        for attribute in attributes {
            self.read_attribute(local_name(name), attribute);
        }
    }

    fn read_base(&mut self, attributes: &[Attribute<'_>]) {
        if let Some(base) = attributes.iter().find(|attribute| attribute.name == "xml:base") {
            let value = unescape(self.text.slice(base.value.clone()).trim());
            self.sink.set_base(&value);
        }
    }

    fn text_role_of(&self, name: &str, attributes: &[Attribute<'_>]) -> TextRole {
        let is_identifier = || {
            attributes.iter().any(|attribute| {
                attribute.name == "isPermaLink"
                    && self.text.slice(attribute.value.clone()).trim() == "false"
            })
        };
        match (self.vocabulary, local_name(name)) {
            (Some(Vocabulary::Sitemap), "loc") => TextRole::AbsoluteUrl,
            (Some(Vocabulary::Rss), "link") => TextRole::UrlReference,
            (Some(Vocabulary::Rss), "guid") if is_identifier() => TextRole::Identifier,
            (Some(Vocabulary::Atom), "id") => TextRole::Identifier,
            _ => TextRole::Any,
        }
    }

    fn read_attribute(&mut self, element: &str, attribute: &Attribute<'_>) {
        // `xmlns:url` declares a namespace.
        if attribute.name.starts_with("xmlns") {
            return;
        }
        let name = local_name(attribute.name);
        let known = URL_ATTRIBUTES
            .iter()
            .find(|(owner, known, _)| *owner == element && known.eq_ignore_ascii_case(name))
            .map(|(_, _, kind)| *kind);
        let general = GENERAL_URL_ATTRIBUTES
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, kind)| *kind);
        let Some(kind) = known.or(general) else {
            return;
        };
        let range = trim_range(self.text, attribute.value.clone());
        let decoded = unescape(self.text.slice(range.clone()));
        // For attributes that may contain other values, accept only complete
        // URLs. `href` may also be relative, except for a fragment, which need not refer to an
        // anchor in XML.
        let is_link = known.is_some()
            || is_web_url(&decoded)
            || (name == "href" && !decoded.starts_with('#') && !decoded.is_empty());
        if is_link {
            let syntax = syntax_of(decoded);
            self.sink.report_link(range, kind, syntax);
        }
    }

    /// Handles character data.
    fn read_content(&mut self, range: Range<usize>, escaping: Escaping) {
        let range = trim_range(self.text, range);
        if range.is_empty() {
            return;
        }
        let raw = self.text.slice(range.clone());
        match self.role {
            TextRole::AbsoluteUrl => {
                let target = classify_list_line(&escaping.decode(raw));
                self.sink.report_target(range, LinkKind::Value, target);
            }
            TextRole::UrlReference if !raw.contains(char::is_whitespace) => {
                let syntax = syntax_of(escaping.decode(raw));
                self.sink.report_link(range, LinkKind::Value, syntax);
            }
            TextRole::Identifier => {}
            // Without `http`, the `H` of `HTTP` and references, the text contains no URL.
            _ if memmem::find(raw.as_bytes(), b"http").is_none() && !raw.contains(['&', 'H']) => {}
            _ => self.report_text(range, escaping),
        }
    }

    /// Reports the text as one link if it is a URL. Otherwise, reports the bare URLs in
    /// the text.
    fn report_text(&mut self, range: Range<usize>, escaping: Escaping) {
        let raw = self.text.slice(range.clone());
        if raw.starts_with(['h', 'H', '&']) {
            let decoded = escaping.decode(raw);
            // Escaped HTML that starts with a URL may look like one URL after
            // decoding.
            if is_web_url(&decoded) && !decoded.contains(['<', '>', '"']) {
                let syntax = syntax_of(decoded);
                self.sink.report_link(range, LinkKind::Value, syntax);
                return;
            }
        }
        let is_escaped = escaping == Escaping::Escaped;
        for part in split_at_delimiters(self.text, range, is_escaped) {
            for url in http_urls(self.text, part) {
                let raw = self.text.slice(url.clone());
                // Text in a feed is often HTML, whose references are resolved, too.
                let decoded = htmlize::unescape_attribute(&*escaping.decode(raw)).into_owned();
                let syntax = if decoded == raw {
                    DestinationSyntax::Plain
                } else {
                    DestinationSyntax::Decoded(decoded)
                };
                self.sink.report_link(url, LinkKind::BareUrl, syntax);
            }
        }
    }

    fn skip_comment(&mut self, range: Range<usize>) {
        for url in http_urls(self.text, range) {
            self.sink.report_skipped(url, LinkKind::BareUrl, SkipReason::Comment);
        }
    }

    fn read_style_sheet(&mut self, attributes: &[Attribute<'_>]) {
        if let Some(href) = attributes.iter().find(|attribute| attribute.name == "href") {
            let range = trim_range(self.text, href.value.clone());
            let syntax = syntax_of(unescape(self.text.slice(range.clone())));
            self.sink.report_link(range, LinkKind::Resource, syntax);
        }
    }
}

impl Escaping {
    fn decode(self, raw: &str) -> Cow<'_, str> {
        match self {
            Self::Escaped => unescape(raw),
            Self::Plain => Cow::Borrowed(raw),
        }
    }
}

/// Returns the syntax of a destination. An owned text is the result of decoding escapes.
fn syntax_of(decoded: Cow<'_, str>) -> DestinationSyntax {
    match decoded {
        Cow::Borrowed(_) => DestinationSyntax::Plain,
        Cow::Owned(decoded) => DestinationSyntax::Decoded(decoded),
    }
}

/// Returns a name without its prefix.
fn local_name(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

#[cfg(test)]
mod tests;
