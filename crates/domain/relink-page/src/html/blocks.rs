//! The blocks of an HTML page.
//!
//! No tree is built. A stack of the open containers tells where boilerplate
//! begins and ends; an end tag closes the nearest open container of its name,
//! so an element that is never closed ends with the element around it.

use super::block_role::{BlockRole, Group};
use super::tokenizer::{TextElement, Token, Tokenizer};
use crate::blocks::{BlockBuilder, BlockKind};
use crate::cut::Cut as _;
use crate::link_sink::unescaped;

/// Maximum number of open containers; deeper ones are not distinguished.
const MAX_DEPTH: usize = 128;

/// ARIA roles of boilerplate.
const BOILERPLATE_ROLES: &[&str] =
    &["navigation", "banner", "contentinfo", "complementary", "search", "menu", "dialog"];

/// Words in an id or a class that name boilerplate.
#[rustfmt::skip]
const BOILERPLATE_NAMES: &[&str] = &[
    "ad", "ads", "advert", "advertisement", "breadcrumb", "breadcrumbs", "consent", "cookie",
    "cookies", "footer", "gdpr", "masthead", "menu", "nav", "navbar", "navigation", "newsletter",
    "pagination", "promo", "related", "share", "sharing", "sidebar", "sitenav", "social",
    "sponsored", "subscribe",
];

/// An open container.
struct Container<'t> {
    name: &'t str,
    path: u64,
    is_boilerplate: bool,
    is_content: bool,
}

/// Reads the blocks of a page, or of a piece of HTML in other text.
pub(crate) fn read_blocks(html: &str, builder: &mut BlockBuilder) {
    let mut reader = HtmlBlockParser { builder, stack: Vec::new(), hidden: 0, preformatted: 0 };
    reader.begin(BlockKind::Paragraph);
    let mut tokens = Tokenizer::new(html);
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Text(text) => reader.text(text),
            Token::Content(content) if content.element == TextElement::Title => {
                reader.title(html.cut(content.range));
            }
            Token::Content(_) => {}
            Token::Start(name) => reader.open(name, &tokens),
            Token::End(name) => reader.close(name),
        }
    }
    reader.builder.end();
}

struct HtmlBlockParser<'b, 't> {
    builder: &'b mut BlockBuilder,
    stack: Vec<Container<'t>>,
    /// The number of open elements whose text is not shown.
    hidden: usize,
    /// The number of open `pre` elements.
    preformatted: usize,
}

impl<'t> HtmlBlockParser<'_, 't> {
    fn text(&mut self, text: &str) {
        if self.hidden == 0 {
            self.builder.push(&htmlize::unescape(text));
        }
    }

    fn title(&mut self, text: &str) {
        if self.hidden > 0 || self.stack.iter().any(|open| is(open.name, "svg")) {
            return;
        }
        self.builder.begin(BlockKind::Title, false, 0);
        self.builder.push(&without_tags(&htmlize::unescape(text)));
        self.begin(BlockKind::Paragraph);
    }

    fn open(&mut self, name: &'t str, tokens: &Tokenizer<'t>) {
        match BlockRole::named(name) {
            BlockRole::Inline => {}
            BlockRole::Anchor => self.link(tokens.attribute("href")),
            BlockRole::Embed => {
                self.link(tokens.attribute("src").or_else(|| tokens.attribute("href")));
                self.builder.space();
            }
            BlockRole::Unshown => self.hidden += 1,
            BlockRole::Container(group) => {
                self.push(name, group, tokens);
                self.begin(BlockKind::Paragraph);
            }
            BlockRole::Block(kind) => {
                self.preformatted += usize::from(kind == BlockKind::Code);
                let path = path_of(self.path(), name, tokens);
                self.begin_at(kind, path);
            }
            BlockRole::Separator => self.builder.space(),
        }
    }

    fn link(&mut self, url: Option<&str>) {
        if let Some(url) = url.filter(|_| self.hidden == 0) {
            self.builder.link(&unescaped(url));
        }
    }

    fn close(&mut self, name: &str) {
        match BlockRole::named(name) {
            BlockRole::Inline | BlockRole::Anchor => {}
            BlockRole::Unshown => self.hidden = self.hidden.saturating_sub(1),
            BlockRole::Container(_) => {
                let open = self.stack.iter().rposition(|open| is(open.name, name));
                self.stack.truncate(open.unwrap_or(self.stack.len()));
                self.begin(BlockKind::Paragraph);
            }
            BlockRole::Block(kind) => {
                let is_code = usize::from(kind == BlockKind::Code);
                self.preformatted = self.preformatted.saturating_sub(is_code);
                self.begin(BlockKind::Paragraph);
            }
            BlockRole::Embed | BlockRole::Separator => self.builder.space(),
        }
    }

    /// The path of the innermost container.
    fn path(&self) -> u64 {
        self.stack.last().map_or(0, |open| open.path)
    }

    /// Begins a block of the innermost container itself.
    fn begin(&mut self, kind: BlockKind) {
        self.begin_at(kind, self.path());
    }

    /// Begins a block within the innermost container.
    fn begin_at(&mut self, kind: BlockKind, path: u64) {
        let kind = if self.preformatted > 0 { BlockKind::Code } else { kind };
        let is_boilerplate = self.stack.last().is_some_and(|open| open.is_boilerplate);
        self.builder.begin(kind, is_boilerplate, path);
    }

    fn push(&mut self, name: &'t str, group: Group, tokens: &Tokenizer<'_>) {
        // The main part of a page is not within its navigation: an element
        // before it was not closed.
        if group == Group::Main {
            self.stack.iter_mut().for_each(|open| open.is_boilerplate = false);
        }
        if self.stack.len() >= MAX_DEPTH {
            return;
        }
        let outer = self.stack.last();
        let is_inside_content = outer.is_some_and(|open| open.is_content);
        let outer_path = outer.map_or(0, |open| open.path);
        let is_boilerplate = outer.is_some_and(|open| open.is_boilerplate)
            || is_boilerplate(group, tokens, is_inside_content);
        let is_content = is_inside_content || matches!(group, Group::Main | Group::Content);
        let path = path_of(outer_path, name, tokens);
        self.stack.push(Container { name, path, is_boilerplate, is_content });
    }
}

fn is_boilerplate(group: Group, tokens: &Tokenizer<'_>, is_inside_content: bool) -> bool {
    match group {
        Group::Boilerplate => return true,
        Group::PageEdge if !is_inside_content => return true,
        Group::Main | Group::Body => return false,
        _ => {}
    }
    tokens.attributes().iter().any(|attribute| {
        let name = attribute.name;
        let value = || tokens.attribute(name).unwrap_or_default();
        is(name, "hidden")
            || (is(name, "role") && is_any(value().trim(), BOILERPLATE_ROLES))
            || (is_any(name, &["id", "class"]) && has_boilerplate_name(value()))
    })
}

/// Whether an id or a class has a word that names boilerplate: `site-footer`,
/// `cookie_bar`.
fn has_boilerplate_name(value: &str) -> bool {
    value.split(|it: char| !it.is_ascii_alphabetic()).any(|word| is_any(word, BOILERPLATE_NAMES))
}

/// A hash of the containers on the way to an element (FNV-1a).
fn path_of(outer: u64, name: &str, tokens: &Tokenizer<'_>) -> u64 {
    let id = tokens.attribute("id").unwrap_or_default();
    let class = tokens.attribute("class").unwrap_or_default();
    let parts = [name.as_bytes(), b"#", id.as_bytes(), b".", class.as_bytes()];
    parts.iter().copied().flatten().fold(outer ^ FNV_BASIS, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(FNV_PRIME)
    })
}

/// The offset basis of FNV-1a.
const FNV_BASIS: u64 = 0xCBF2_9CE4_8422_2325;
/// The prime of FNV-1a.
const FNV_PRIME: u64 = 0x0100_0000_01B3;

/// Text without tags. In XHTML and SGML, a title may hold some.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for part in text.split('<') {
        match part.split_once('>') {
            Some((_, after)) if !plain.is_empty() || text.starts_with('<') => plain.push_str(after),
            _ => plain.push_str(part),
        }
    }
    plain
}

fn is(name: &str, expected: &str) -> bool {
    name.eq_ignore_ascii_case(expected)
}

fn is_any(name: &str, expected: &[&str]) -> bool {
    expected.iter().any(|expected| is(name, expected))
}

/// Calls `each` with the destination of every anchor in a piece of HTML.
pub(crate) fn each_href(html: &str, each: &mut dyn FnMut(&str)) {
    let mut tokens = Tokenizer::new(html);
    while let Some(token) = tokens.next_token() {
        if let Token::Start(name) = token
            && is(name, "a")
            && let Some(href) = tokens.attribute("href")
        {
            each(&unescaped(href));
        }
    }
}
