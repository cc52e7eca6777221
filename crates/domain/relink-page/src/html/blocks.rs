//! The blocks of an HTML page.
//!
//! *Boilerplate* is content that repeats on every page of a site, such as
//! navigation. A *container* is an element that contains blocks. No tree is built:
//! a stack of the open containers tracks where boilerplate begins and ends. An end
//! tag closes the innermost open container of its name, so an element without an
//! end tag ends with the element around it.

use super::block_role::{BlockRole, ContainerKind};
use super::tokenizer::{TextElement, Token, Tokenizer};
use crate::blocks::{BlockBuilder, BlockKind, InlineMarkKind};
use crate::link_sink::unescape_attribute;
use crate::safe_slice::SafeSlice as _;

/// Maximum number of open containers; containers inside of them are ignored.
const MAX_DEPTH: usize = 128;

/// ARIA roles of boilerplate.
const BOILERPLATE_ROLES: &[&str] =
    &["navigation", "banner", "contentinfo", "complementary", "search", "menu", "dialog"];

/// Words in an id or a class that name boilerplate.
#[rustfmt::skip]
const BOILERPLATE_NAMES: &[&str] = &[
    "ad", "ads", "advert", "advertisement", "breadcrumb", "breadcrumbs", "consent", "cookie",
    "cookies", "foot", "footer", "gdpr", "masthead", "menu", "nav", "navbar", "navigation", "newsletter",
    "pagination", "promo", "related", "share", "sharing", "sidebar", "sitenav", "social",
    "sponsored", "subscribe",
];

/// Elements with emphasis.
const EMPHASIS: &[&str] = &["b", "big", "dfn", "em", "i", "mark", "strong", "u"];

/// An open container.
struct Container<'t> {
    name: &'t str,
    /// A hash of the container and the containers around it.
    path: u64,
    is_boilerplate: bool,
    /// Whether the container is the main part of the page, an article or a section, or is
    /// inside of such a container.
    is_content: bool,
}

/// Passes the blocks of a page, or of an HTML fragment in another format, to
/// `builder`.
pub(crate) fn read_blocks(html: &str, builder: &mut BlockBuilder) {
    let mut parser = HtmlBlockParser { builder, stack: Vec::new(), hidden: 0, preformatted: 0 };
    parser.begin(BlockKind::Paragraph);
    let mut tokens = Tokenizer::new(html);
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Text(text) => parser.push_text(text),
            Token::Content(content) if content.element == TextElement::Title => {
                parser.push_title(html.slice(content.range));
            }
            Token::Content(_) => {}
            Token::Start(name) => parser.start_tag(name, &tokens),
            Token::End(name) => parser.end_tag(name),
        }
    }
    parser.builder.end();
}

/// Tracks the open elements while the tokens of a page are read.
struct HtmlBlockParser<'b, 't> {
    builder: &'b mut BlockBuilder,
    stack: Vec<Container<'t>>,
    /// Number of open elements whose text is not shown.
    hidden: usize,
    /// Number of open `pre` elements.
    preformatted: usize,
}

impl<'t> HtmlBlockParser<'_, 't> {
    /// Adds text to the current block.
    fn push_text(&mut self, text: &str) {
        if self.hidden == 0 {
            self.builder.push(&htmlize::unescape(text));
        }
    }

    /// Adds the title of the page as a block.
    fn push_title(&mut self, text: &str) {
        if self.hidden > 0 || self.stack.iter().any(|open| is(open.name, "svg")) {
            return;
        }
        self.builder.begin_content(BlockKind::Title);
        self.builder.push(&without_tags(&htmlize::unescape(text)));
        self.begin(BlockKind::Paragraph);
    }

    fn start_tag(&mut self, name: &'t str, tokens: &Tokenizer<'t>) {
        if is(name, "meta") {
            self.read_meta(tokens);
        }
        if is(name, "img") {
            self.image(tokens.attribute("src"));
        }
        match BlockRole::from_name(name) {
            BlockRole::Inline => self.add_mark(name, InlineMarkKind::EmphasisStart),
            BlockRole::Anchor => self.add_link(tokens.attribute("href")),
            BlockRole::Embed => {
                self.add_link(tokens.attribute("src").or_else(|| tokens.attribute("href")));
                self.builder.space();
            }
            BlockRole::Hidden => self.hidden += 1,
            BlockRole::Container(kind) => {
                self.push_container(name, kind, tokens);
                self.begin(BlockKind::Paragraph);
            }
            BlockRole::Block(kind) => {
                self.preformatted += usize::from(kind == BlockKind::Code);
                let path = path_hash(self.container_path(), name, tokens);
                self.begin_at(kind, path);
            }
            BlockRole::Separator => self.builder.space(),
        }
    }

    /// Adds the description or keywords of the page.
    fn read_meta(&mut self, tokens: &Tokenizer<'t>) {
        let is_description = tokens
            .attribute("name")
            .is_some_and(|name| is_any(name.trim(), &["description", "keywords"]));
        if let Some(content) = tokens.attribute("content").filter(|_| is_description) {
            self.builder.describe(&unescape_attribute(content));
        }
    }

    /// Adds an inline tag. `wbr` is skipped, because it is inside a word.
    fn add_mark(&mut self, name: &str, emphasis: InlineMarkKind) {
        if !is(name, "wbr") {
            let is_emphasis = is_any(name, EMPHASIS);
            self.builder.mark(if is_emphasis { emphasis } else { InlineMarkKind::Tag });
        }
    }

    /// Adds a link, unless its text is not shown.
    fn add_link(&mut self, url: Option<&str>) {
        if let Some(url) = url.filter(|_| self.hidden == 0) {
            self.builder.link(&unescape_attribute(url));
        }
    }

    /// Adds an image, unless it is not shown.
    fn image(&mut self, url: Option<&str>) {
        if let Some(url) = url.filter(|_| self.hidden == 0) {
            self.builder.image(&unescape_attribute(url));
        }
    }

    fn end_tag(&mut self, name: &str) {
        match BlockRole::from_name(name) {
            BlockRole::Inline => self.add_mark(name, InlineMarkKind::EmphasisEnd),
            BlockRole::Anchor => {}
            BlockRole::Hidden => self.hidden = self.hidden.saturating_sub(1),
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

    /// Returns the path hash of the innermost container.
    fn container_path(&self) -> u64 {
        self.stack.last().map_or(0, |open| open.path)
    }

    /// Begins a block that is a direct part of the innermost container.
    fn begin(&mut self, kind: BlockKind) {
        self.begin_at(kind, self.container_path());
    }

    /// Begins a block with this path hash in the innermost container.
    fn begin_at(&mut self, kind: BlockKind, path: u64) {
        let kind = if self.preformatted > 0 { BlockKind::Code } else { kind };
        let is_boilerplate = self.stack.last().is_some_and(|open| open.is_boilerplate);
        self.builder.begin(kind, is_boilerplate, path);
    }

    /// Opens a container.
    fn push_container(&mut self, name: &'t str, kind: ContainerKind, tokens: &Tokenizer<'_>) {
        // The main part of a page is never inside of boilerplate. If it seems so, an element
        // before it was not closed.
        if kind == ContainerKind::Main {
            self.stack.iter_mut().for_each(|open| open.is_boilerplate = false);
        }
        if self.stack.len() >= MAX_DEPTH {
            return;
        }
        let outer = self.stack.last();
        let is_inside_content = outer.is_some_and(|open| open.is_content);
        let outer_path = outer.map_or(0, |open| open.path);
        let is_boilerplate = outer.is_some_and(|open| open.is_boilerplate)
            || is_boilerplate(kind, tokens, is_inside_content);
        let is_content =
            is_inside_content || matches!(kind, ContainerKind::Main | ContainerKind::Content);
        let path = path_hash(outer_path, name, tokens);
        self.stack.push(Container { name, path, is_boilerplate, is_content });
    }
}

/// Whether a container is boilerplate, by its element, role, id and classes.
fn is_boilerplate(kind: ContainerKind, tokens: &Tokenizer<'_>, is_inside_content: bool) -> bool {
    match kind {
        ContainerKind::Boilerplate => return true,
        ContainerKind::PageEdge if !is_inside_content => return true,
        ContainerKind::Main | ContainerKind::Body => return false,
        _ => {}
    }
    is_marked_as_boilerplate(tokens)
}

/// Whether the role, the id or a class of the current start tag names boilerplate.
pub(super) fn is_marked_as_boilerplate(tokens: &Tokenizer<'_>) -> bool {
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
    value
        .split(|character: char| !character.is_ascii_alphabetic())
        .any(|word| is_any(word, BOILERPLATE_NAMES))
}

/// Returns a hash of an element and its containers (FNV-1a).
fn path_hash(outer: u64, name: &str, tokens: &Tokenizer<'_>) -> u64 {
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

/// Returns a title without tags. Titles in XHTML and SGML may contain tags.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for part in text.split('<') {
        match part.split_once('>') {
            // Only a part after a `<` begins with the rest of a tag. The text before the first
            // `<` has no tag and may contain a `>`.
            Some((_, after)) if !plain.is_empty() || text.starts_with('<') => plain.push_str(after),
            _ => plain.push_str(part),
        }
    }
    plain
}

/// Whether two names are equal, ignoring case.
fn is(name: &str, expected: &str) -> bool {
    name.eq_ignore_ascii_case(expected)
}

fn is_any(name: &str, expected: &[&str]) -> bool {
    expected.iter().any(|expected| is(name, expected))
}

/// Calls `each` with the `href` of every `a` element in an HTML fragment.
pub(crate) fn for_each_href(html: &str, each: &mut dyn FnMut(&str)) {
    let mut tokens = Tokenizer::new(html);
    while let Some(token) = tokens.next_token() {
        if let Token::Start(name) = token
            && is(name, "a")
            && let Some(href) = tokens.attribute("href")
        {
            each(&unescape_attribute(href));
        }
    }
}
