//! XML: sitemaps, feeds, outlines, and what else has addresses in it.
//!
//! The text of an element that is an address as a whole is a link, and so are
//! the attributes that hold addresses; running text, such as the HTML in a
//! feed, is searched for bare ones. Sitemaps (`loc`), RSS, Atom and OPML are
//! known by name, since they say more than the general rule can see.
//!
//! Only the five entities of XML and character references are resolved. A
//! document type is passed over whole: no entity is ever expanded and no other
//! file is ever looked at, so neither a bomb nor a spy gets anything.

mod blocks;
mod reference;
mod tokenizer;

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;
use relink_model::{LinkKind, SkipReason};

pub(crate) use self::blocks::read_blocks;
use self::reference::{parts_between_marks, unescape};
use self::tokenizer::{Attribute, Token, Tokenizer, TokenizerState};
use crate::bare::http_addresses;
use crate::cut::Cut as _;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::list::trim;
use crate::target::classify_line;
use crate::value::is_address;
use crate::window::{IncrementalExtractor, InputEnd};

/// Which attribute of which element holds an address, relative or not, and the
/// kind of place each is. Names are without their prefix.
const ADDRESSES: &[(&str, &str, LinkKind)] = &[
    ("a", "href", LinkKind::Hyperlink),
    ("image", "href", LinkKind::Embed),
    ("enclosure", "url", LinkKind::Embed),
    ("outline", "xmlUrl", LinkKind::Value),
    ("outline", "htmlUrl", LinkKind::Value),
    ("outline", "url", LinkKind::Value),
];

/// Attributes of any element that may hold an address.
const GENERAL_ADDRESSES: &[(&str, LinkKind)] = &[
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

/// Reads the addresses of XML.
pub(crate) struct Xml;

impl Extractor for Xml {
    fn extract(&self, text: &str, found: &mut LinkSink<'_>) {
        XmlParts::default().resume(text, InputEnd::None, found);
    }
}

/// Reads the addresses of XML part by part.
#[derive(Default)]
pub(crate) struct XmlParts {
    memory: TokenizerState,
    vocabulary: Option<Vocabulary>,
    role: Role,
}

impl IncrementalExtractor for XmlParts {
    fn resume(&mut self, text: &str, sequel: InputEnd, found: &mut LinkSink<'_>) -> usize {
        let mut tokens = Tokenizer::resume(text, sequel, self.memory);
        let mut reader = XmlParser { text, found, vocabulary: self.vocabulary, role: self.role };
        let (mut at, mut memory) = tokens.checkpoint();
        while let Some(token) = tokens.next_certain() {
            match token {
                Token::Start(name) => reader.start(name, tokens.attributes()),
                Token::End => reader.role = Role::Whole,
                Token::Text(range) => reader.content(range, Writing::Escaped),
                Token::Data(range) => reader.content(range, Writing::Plain),
                Token::Comment(range) => reader.comment(range),
                Token::StyleSheet => reader.style_sheet(tokens.attributes()),
                Token::Entities(at) => reader
                    .found
                    .problem(at, "the document type declares entities, which are never expanded"),
            }
            (at, memory) = tokens.checkpoint();
        }
        *self = Self { memory, vocabulary: reader.vocabulary, role: reader.role };
        at
    }
}

/// Whether an XML document is an index of other sitemaps, by its root element.
///
/// ```
/// assert!(relink_page::is_sitemap_index(b"<?xml version='1.0'?><sitemapindex>"));
/// assert!(!relink_page::is_sitemap_index(b"<urlset><sitemapindex>"));
/// ```
pub fn is_sitemap_index(bytes: &[u8]) -> bool {
    // The root stands near the start.
    let head = crate::document::text_of(bytes.cut(..bytes.len().min(HEAD_LENGTH)), None);
    root(&head) == Some("sitemapindex")
}

/// How much of a document is looked at to find its root.
const HEAD_LENGTH: usize = 64 * 1024;

/// The name of the root element, without its prefix.
pub(crate) fn root(text: &str) -> Option<&str> {
    let mut tokens = Tokenizer::new(text);
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Start(name) => return Some(local(name)),
            Token::Text(range) if !text.cut(range.clone()).trim().is_empty() => return None,
            Token::End | Token::Data(_) => return None,
            _ => {}
        }
    }
    None
}

/// A vocabulary whose elements are known, by the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vocabulary {
    Sitemap,
    Rss,
    Atom,
    Other,
}

impl Vocabulary {
    fn of_root(name: &str) -> Self {
        match local(name) {
            "urlset" | "sitemapindex" => Self::Sitemap,
            "rss" => Self::Rss,
            "feed" => Self::Atom,
            _ => Self::Other,
        }
    }
}

/// What the text of the element being read is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Role {
    /// An address in full, whatever stands there.
    Absolute,
    /// An address, perhaps relative.
    Address,
    /// A name that may look like an address.
    Name,
    /// An address if it is one as a whole.
    #[default]
    Whole,
}

/// How character data is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writing {
    /// With entities and character references.
    Escaped,
    /// As it reads.
    Plain,
}

struct XmlParser<'r, 'd, 't> {
    text: &'t str,
    found: &'r mut LinkSink<'d>,
    vocabulary: Option<Vocabulary>,
    role: Role,
}

impl XmlParser<'_, '_, '_> {
    fn start(&mut self, name: &str, attributes: &[Attribute<'_>]) {
        if self.vocabulary.is_none() {
            self.vocabulary = Some(Vocabulary::of_root(name));
            self.base(attributes);
        }
        self.role = self.role_of(name, attributes);
        for attribute in attributes {
            self.attribute(local(name), attribute);
        }
    }

    fn base(&mut self, attributes: &[Attribute<'_>]) {
        if let Some(base) = attributes.iter().find(|attribute| attribute.name == "xml:base") {
            let value = unescape(self.text.cut(base.value.clone()).trim());
            self.found.base(&value);
        }
    }

    fn role_of(&self, name: &str, attributes: &[Attribute<'_>]) -> Role {
        let is_name_only = || {
            attributes.iter().any(|attribute| {
                attribute.name == "isPermaLink"
                    && self.text.cut(attribute.value.clone()).trim() == "false"
            })
        };
        match (self.vocabulary, local(name)) {
            (Some(Vocabulary::Sitemap), "loc") => Role::Absolute,
            (Some(Vocabulary::Rss), "link") => Role::Address,
            (Some(Vocabulary::Rss), "guid") if is_name_only() => Role::Name,
            (Some(Vocabulary::Atom), "id") => Role::Name,
            _ => Role::Whole,
        }
    }

    fn attribute(&mut self, element: &str, attribute: &Attribute<'_>) {
        // `xmlns:url` declares a namespace.
        if attribute.name.starts_with("xmlns") {
            return;
        }
        let name = local(attribute.name);
        let known = ADDRESSES
            .iter()
            .find(|(of, known, _)| *of == element && known.eq_ignore_ascii_case(name))
            .map(|(_, _, kind)| *kind);
        let general = || {
            let same = |(known, _): &&(&str, LinkKind)| known.eq_ignore_ascii_case(name);
            GENERAL_ADDRESSES.iter().find(same).map(|(_, kind)| *kind)
        };
        let Some(kind) = known.or_else(general) else {
            return;
        };
        let range = trim(self.text, attribute.value.clone());
        let means = unescape(self.text.cut(range.clone()));
        // Of other attributes than `href`, only the form tells an address
        // from a name, and a fragment may be anything's.
        let is_link = known.is_some()
            || is_address(&means)
            || (name == "href" && !means.starts_with('#') && !means.is_empty());
        if is_link {
            let notation = notation_of(means);
            self.found.link(range, kind, notation);
        }
    }

    fn content(&mut self, range: Range<usize>, writing: Writing) {
        let range = trim(self.text, range);
        if range.is_empty() {
            return;
        }
        let written = self.text.cut(range.clone());
        match self.role {
            Role::Absolute => {
                let target = classify_line(&writing.read(written));
                self.found.target(range, LinkKind::Value, target);
            }
            Role::Address if !written.contains(char::is_whitespace) => {
                let notation = notation_of(writing.read(written));
                self.found.link(range, LinkKind::Value, notation);
            }
            Role::Name => {}
            _ if memmem::find(written.as_bytes(), b"http").is_none()
                && !written.contains(['&', 'H']) => {}
            _ => self.whole_or_bare(range, writing),
        }
    }

    /// Text that is an address, or has some in it.
    fn whole_or_bare(&mut self, range: Range<usize>, writing: Writing) {
        let written = self.text.cut(range.clone());
        if written.starts_with(['h', 'H', '&']) {
            let means = writing.read(written);
            // An address in escaped HTML is none as a whole, but may look so.
            if is_address(&means) && !means.contains(['<', '>', '"']) {
                let notation = notation_of(means);
                self.found.link(range, LinkKind::Value, notation);
                return;
            }
        }
        let marks_count = writing == Writing::Escaped;
        for part in parts_between_marks(self.text, range, marks_count) {
            for address in http_addresses(self.text, part) {
                let written = self.text.cut(address.clone());
                let means = htmlize::unescape_attribute(&*writing.read(written)).into_owned();
                let notation = if means == written {
                    DestinationSyntax::Plain
                } else {
                    DestinationSyntax::Decoded(means)
                };
                self.found.link(address, LinkKind::BareUrl, notation);
            }
        }
    }

    fn comment(&mut self, range: Range<usize>) {
        for address in http_addresses(self.text, range) {
            self.found.skip(address, LinkKind::BareUrl, SkipReason::Comment);
        }
    }

    fn style_sheet(&mut self, attributes: &[Attribute<'_>]) {
        if let Some(href) = attributes.iter().find(|attribute| attribute.name == "href") {
            let range = trim(self.text, href.value.clone());
            let notation = notation_of(unescape(self.text.cut(range.clone())));
            self.found.link(range, LinkKind::Resource, notation);
        }
    }
}

impl Writing {
    fn read(self, written: &str) -> Cow<'_, str> {
        match self {
            Self::Escaped => unescape(written),
            Self::Plain => Cow::Borrowed(written),
        }
    }
}

fn notation_of(means: Cow<'_, str>) -> DestinationSyntax {
    match means {
        Cow::Borrowed(_) => DestinationSyntax::Plain,
        Cow::Owned(means) => DestinationSyntax::Decoded(means),
    }
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

#[cfg(test)]
mod tests;
