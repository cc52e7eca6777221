//! What an HTML page says of itself, and what it shows.
//!
//! One pass over the tokens. Visible text goes word by word into the shingler
//! and is not kept. Whether style sheets hide an element is not known here.

use std::borrow::Cow;
use std::ops::Range;

use relink_model::Digest;

use super::client_redirect::{ADDRESS_LENGTH, ClientRedirectDetector};
use super::element::Element;
use super::signs::FlagDetector;
use super::tokenizer::{TextElement, Token, Tokenizer};
use crate::cut::Cut as _;
use crate::folded::{WhitespaceFolder, folded_title};
use crate::link_sink::unescaped;
use crate::shingle::VisibleTextBuilder;

/// How many headings a digest keeps.
const HEADINGS: usize = 8;
/// The length of a heading, in characters.
const HEADING_LENGTH: usize = 120;
/// The longest language tag that is kept, in bytes.
const LANGUAGE_LENGTH: usize = 64;
/// How many inline scripts are looked at; a page with more does not only send
/// its reader on.
const SCRIPTS: usize = 16;

/// Fills in what the page says: title, headings, language, canonical address,
/// text, where it sends its reader, and what marks it bears.
pub(crate) fn read_page(html: &str, digest: &mut Digest) {
    let mut page = PageDigester::new(digest);
    let mut tokens = Tokenizer::new(html);
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Text(text) => page.see(text),
            Token::Content(content) => match content.element {
                TextElement::Title => page.title(html.cut(content.range)),
                TextElement::Script => page.script(content.range),
                _ => {}
            },
            Token::Start(name) => page.open(name, &tokens),
            Token::End(name) => page.close(name),
        }
    }
    page.finish(html);
}

struct PageDigester<'d, 't> {
    digest: &'d mut Digest,
    text: VisibleTextBuilder,
    heading: Option<WhitespaceFolder>,
    signs: FlagDetector<'t>,
    onward: ClientRedirectDetector,
    /// Where the inline scripts stand.
    scripts: Vec<Range<usize>>,
    /// Whether the script just opened is one that runs and stands here.
    is_inline: bool,
    /// How many templates are open; what is in them is shown to nobody.
    templates: usize,
    /// How many `noscript` are open; what is in them is not shown to a reader
    /// with scripts.
    noscripts: usize,
    /// How many drawings are open; a drawing's title is not the page's.
    drawings: usize,
}

impl<'d, 't> PageDigester<'d, 't> {
    fn new(digest: &'d mut Digest) -> Self {
        Self {
            digest,
            text: VisibleTextBuilder::default(),
            heading: None,
            signs: FlagDetector::default(),
            onward: ClientRedirectDetector::default(),
            scripts: Vec::new(),
            is_inline: false,
            templates: 0,
            noscripts: 0,
            drawings: 0,
        }
    }

    fn is_seen(&self) -> bool {
        self.templates == 0 && self.noscripts == 0
    }

    fn see(&mut self, text: &str) {
        if !self.is_seen() {
            if self.templates == 0 {
                self.signs.see_without_scripts(text);
            }
            return;
        }
        let text = resolved(text);
        self.signs.see(&text, self.text.length());
        self.text.push(&text);
        if let Some(heading) = &mut self.heading {
            heading.push(&text);
        }
    }

    fn title(&mut self, text: &str) {
        if self.digest.title.is_none() && self.drawings == 0 {
            self.digest.title = folded_title(&resolved(text));
        }
    }

    fn script(&mut self, range: Range<usize>) {
        if !self.is_inline {
            return;
        }
        self.signs.inline(range.len());
        if self.scripts.len() < SCRIPTS {
            self.scripts.push(range);
        }
    }

    fn open(&mut self, name: &'t str, tokens: &Tokenizer<'_>) {
        self.text.end_word();
        let element = Element::named(name);
        match element {
            Element::Heading => {
                self.end_heading();
                self.heading = Some(WhitespaceFolder::new(HEADING_LENGTH));
            }
            Element::Template if self.templates == 0 && is_shadow_root(tokens) => {}
            Element::Template => self.templates += 1,
            Element::Noscript => self.noscripts += 1,
            Element::Drawing => self.drawings += 1,
            Element::Html => self.language(tokens),
            Element::Link => self.canonical(tokens),
            Element::Line | Element::Block => {
                if let Some(heading) = &mut self.heading {
                    heading.push_break();
                }
            }
            _ => {}
        }
        self.is_inline = element == Element::Script && self.is_seen() && runs_here(tokens);
        if element != Element::Other && self.is_seen() {
            self.look(element, name, tokens);
        }
    }

    /// Looks at an element for what is remarkable about the page.
    fn look(&mut self, element: Element, name: &'t str, tokens: &Tokenizer<'_>) {
        match element {
            Element::Meta => self.onward.meta(tokens),
            Element::Body => self.onward.body(tokens),
            _ => {}
        }
        self.signs.open(element, name, tokens, self.text.length());
    }

    fn close(&mut self, name: &str) {
        self.text.end_word();
        match Element::named(name) {
            Element::Heading => self.end_heading(),
            Element::Template => self.templates = self.templates.saturating_sub(1),
            Element::Noscript => self.noscripts = self.noscripts.saturating_sub(1),
            Element::Drawing => self.drawings = self.drawings.saturating_sub(1),
            Element::Block | Element::Custom if self.is_seen() => self.signs.close(name),
            _ => {}
        }
    }

    fn language(&mut self, tokens: &Tokenizer<'_>) {
        let language = tokens.attribute("lang").or_else(|| tokens.attribute("xml:lang"));
        let language = language.map(|tag| tag.trim().to_lowercase());
        let is_tag = |tag: &String| (1..=LANGUAGE_LENGTH).contains(&tag.len());
        if let Some(language) = language.filter(is_tag) {
            self.digest.language = Some(language);
        }
    }

    fn canonical(&mut self, tokens: &Tokenizer<'_>) {
        let names_itself = tokens.attribute("rel").is_some_and(|relations| {
            relations
                .split_ascii_whitespace()
                .any(|relation| relation.eq_ignore_ascii_case("canonical"))
        });
        if !names_itself || self.digest.canonical.is_some() {
            return;
        }
        let href = tokens.attribute("href").map(str::trim).unwrap_or_default();
        if (1..=ADDRESS_LENGTH).contains(&href.len()) {
            self.digest.canonical = Some(unescaped(href).into_owned());
        }
    }

    fn end_heading(&mut self) {
        let heading = self.heading.take().and_then(WhitespaceFolder::finish);
        if self.digest.headings.len() < HEADINGS {
            self.digest.headings.extend(heading);
        }
    }

    fn finish(mut self, html: &str) {
        self.end_heading();
        let shown = self.text.finish();
        self.digest.text_length = shown.length;
        self.digest.text_start = shown.opening;
        self.digest.text_end = shown.closing;
        self.digest.sketch = shown.sketch;
        self.digest.client_redirect = self.onward.finish(html, &self.scripts, shown.length);
        self.signs.finish(html, &self.scripts, self.digest);
    }
}

/// Whether the template just opened is part of the page (declarative shadow
/// DOM), and not kept for scripts.
pub(super) fn is_shadow_root(tokens: &Tokenizer<'_>) -> bool {
    tokens.attribute("shadowrootmode").is_some_and(|mode| {
        ["open", "closed"].iter().any(|known| mode.trim().eq_ignore_ascii_case(known))
    })
}

/// Whether the script element just opened holds a script that browsers run.
fn runs_here(tokens: &Tokenizer<'_>) -> bool {
    let kind = tokens.attribute("type").unwrap_or_default().trim();
    let runs = kind.is_empty() || kind.eq_ignore_ascii_case("module") || is_script_type(kind);
    runs && tokens.attribute("src").is_none()
}

/// Whether a media type is one of the many for JavaScript.
fn is_script_type(kind: &str) -> bool {
    let subtype = kind.rsplit('/').next().unwrap_or(kind);
    ["javascript", "ecmascript", "x-javascript", "x-ecmascript", "jscript", "livescript"]
        .iter()
        .any(|name| subtype.eq_ignore_ascii_case(name))
}

/// Character data with its character references resolved.
fn resolved(text: &str) -> Cow<'_, str> {
    if text.contains('&') { htmlize::unescape(text) } else { Cow::Borrowed(text) }
}
