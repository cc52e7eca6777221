//! Builds the [`Digest`] of an HTML page: title, headings, language, text,
//! redirects and flags.
//!
//! The tokens are read once. Visible text is summarized word by word and is not stored.
//! Style sheets are not applied, so elements that a style sheet hides count as visible.

use std::borrow::Cow;
use std::ops::Range;

use relink_model::Digest;

use super::client_redirect::{ClientRedirectDetector, MAX_URL_LENGTH};
use super::element::Element;
use super::flag_detector::FlagDetector;
use super::main_text::MainTextCollector;
use super::query_links::QueryLinks;
use super::tokenizer::{TextElement, Token, Tokenizer};
use crate::link_sink::unescape_attribute;
use crate::safe_slice::SafeSlice as _;
use crate::shingle::VisibleTextBuilder;
use crate::stated_date::StatedDateReader;
use crate::whitespace_folder::{WhitespaceFolder, fold_title};

/// Maximum number of headings in a digest.
const MAX_HEADINGS: usize = 8;
/// Maximum length of a heading, in characters; longer headings are truncated.
const MAX_HEADING_LENGTH: usize = 120;
/// Maximum length of a language tag, in bytes; longer tags are dropped.
const MAX_LANGUAGE_LENGTH: usize = 64;
/// Maximum number of inline scripts that are inspected.
const MAX_SCRIPTS: usize = 16;

/// Fills in the title, headings, language, canonical URL, text summary, client
/// redirect and flags of `digest`.
pub(crate) fn digest_html(html: &str, digest: &mut Digest) {
    let mut page = PageDigester::new(digest);
    let mut tokens = Tokenizer::new(html);
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Text(text) => page.push_text(text),
            Token::Content(content) => match content.element {
                TextElement::Title => page.set_title(html.slice(content.range)),
                TextElement::Script => {
                    page.read_json_ld(html.slice(content.range.clone()));
                    page.add_script(content.range);
                }
                _ => {}
            },
            Token::Start(name) => page.start_tag(name, &tokens),
            Token::End(name) => page.end_tag(name),
        }
    }
    page.finish(html);
}

/// Fills in a [`Digest`] while the tokens of a page are read.
struct PageDigester<'d, 't> {
    digest: &'d mut Digest,
    text: VisibleTextBuilder,
    main_text: MainTextCollector<'t>,
    query_links: QueryLinks,
    heading: Option<WhitespaceFolder>,
    flags: FlagDetector<'t>,
    client_redirect: ClientRedirectDetector,
    stated_date: StatedDateReader,
    /// Whether the current script element contains linked data (JSON-LD).
    is_json_ld: bool,
    /// Ranges of the inline scripts.
    scripts: Vec<Range<usize>>,
    /// Whether the current script element contains an inline script that browsers
    /// run.
    is_inline: bool,
    /// Number of open `template` elements, whose content is not shown.
    templates: usize,
    /// Number of open `noscript` elements, whose content is not shown where
    /// scripts run.
    noscripts: usize,
    /// Number of open `svg` elements; a `title` in them is not the page title.
    svgs: usize,
}

impl<'d, 't> PageDigester<'d, 't> {
    fn new(digest: &'d mut Digest) -> Self {
        Self {
            digest,
            text: VisibleTextBuilder::default(),
            main_text: MainTextCollector::default(),
            query_links: QueryLinks::default(),
            heading: None,
            flags: FlagDetector::default(),
            client_redirect: ClientRedirectDetector::default(),
            stated_date: StatedDateReader::default(),
            is_json_ld: false,
            scripts: Vec::new(),
            is_inline: false,
            templates: 0,
            noscripts: 0,
            svgs: 0,
        }
    }

    /// Whether the current content is shown in a browser that runs scripts.
    fn is_visible(&self) -> bool {
        self.templates == 0 && self.noscripts == 0
    }

    fn push_text(&mut self, text: &str) {
        if !self.is_visible() {
            if self.templates == 0 {
                self.flags.read_noscript(text);
            }
            return;
        }
        let text = unescape_text(text);
        self.flags.read_text(&text, self.text.length());
        self.text.push(&text);
        self.main_text.push(&text);
        if let Some(heading) = &mut self.heading {
            heading.push(&text);
        }
    }

    fn set_title(&mut self, text: &str) {
        if self.digest.title.is_none() && self.svgs == 0 {
            self.digest.title = fold_title(&unescape_text(text));
        }
    }

    fn read_json_ld(&mut self, json: &str) {
        if self.is_json_ld {
            self.stated_date.read_json_ld(json);
        }
    }

    fn add_script(&mut self, range: Range<usize>) {
        if !self.is_inline {
            return;
        }
        self.flags.record_inline_script(range.len());
        if self.scripts.len() < MAX_SCRIPTS {
            self.scripts.push(range);
        }
    }

    fn start_tag(&mut self, name: &'t str, tokens: &Tokenizer<'_>) {
        self.text.end_word();
        self.main_text.start_tag(name, tokens);
        let element = Element::from_name(name);
        match element {
            Element::Heading => {
                self.end_heading();
                self.heading = Some(WhitespaceFolder::new(MAX_HEADING_LENGTH));
            }
            Element::Template if self.templates == 0 && is_shadow_root(tokens) => {}
            Element::Template => self.templates += 1,
            Element::Noscript => self.noscripts += 1,
            Element::Svg => self.svgs += 1,
            Element::Html => self.set_language(tokens),
            Element::Link => self.set_canonical(tokens),
            Element::Anchor => self.query_links.read(tokens),
            Element::Line | Element::Block => {
                if let Some(heading) = &mut self.heading {
                    heading.push_break();
                }
            }
            _ => {}
        }
        self.is_inline =
            element == Element::Script && self.is_visible() && is_inline_script(tokens);
        self.is_json_ld = element == Element::Script && is_json_ld(tokens);
        self.read_stated_date(element, name, tokens);
        if element != Element::Other && self.is_visible() {
            self.inspect_element(element, name, tokens);
        }
    }

    /// Reads a date from a meta element, or from an element with microdata.
    fn read_stated_date(&mut self, element: Element, name: &str, tokens: &Tokenizer<'_>) {
        let is_meta = element == Element::Meta;
        if !is_meta && !name.eq_ignore_ascii_case("time") {
            return;
        }
        let (value_attribute, name_attributes): (&str, &[&str]) = if is_meta {
            ("content", &["property", "name", "itemprop"])
        } else {
            ("datetime", &["itemprop"])
        };
        let property = name_attributes.iter().find_map(|name| tokens.attribute(name));
        if let (Some(property), Some(value)) = (property, tokens.attribute(value_attribute)) {
            self.stated_date.read_property(property.trim(), value);
        }
    }

    /// Passes a visible element to the detectors.
    fn inspect_element(&mut self, element: Element, name: &'t str, tokens: &Tokenizer<'_>) {
        match element {
            Element::Meta => self.client_redirect.read_meta(tokens),
            Element::Body => self.client_redirect.read_body(tokens),
            _ => {}
        }
        self.flags.start_tag(element, name, tokens, self.text.length());
    }

    fn end_tag(&mut self, name: &str) {
        self.text.end_word();
        self.main_text.end_tag(name);
        match Element::from_name(name) {
            Element::Heading => self.end_heading(),
            Element::Template => self.templates = self.templates.saturating_sub(1),
            Element::Noscript => self.noscripts = self.noscripts.saturating_sub(1),
            Element::Svg => self.svgs = self.svgs.saturating_sub(1),
            Element::Block | Element::Custom if self.is_visible() => self.flags.end_tag(name),
            _ => {}
        }
    }

    fn set_language(&mut self, tokens: &Tokenizer<'_>) {
        let language = tokens.attribute("lang").or_else(|| tokens.attribute("xml:lang"));
        let language = language.map(|tag| tag.trim().to_lowercase());
        let is_tag = |tag: &String| (1..=MAX_LANGUAGE_LENGTH).contains(&tag.len());
        if let Some(language) = language.filter(is_tag) {
            self.digest.language = Some(language);
        }
    }

    fn set_canonical(&mut self, tokens: &Tokenizer<'_>) {
        let is_canonical = tokens.attribute("rel").is_some_and(|relations| {
            relations
                .split_ascii_whitespace()
                .any(|relation| relation.eq_ignore_ascii_case("canonical"))
        });
        if !is_canonical || self.digest.canonical.is_some() {
            return;
        }
        let href = tokens.attribute("href").map(str::trim).unwrap_or_default();
        if (1..=MAX_URL_LENGTH).contains(&href.len()) {
            self.digest.canonical = Some(unescape_attribute(href).into_owned());
        }
    }

    fn end_heading(&mut self) {
        let heading = self.heading.take().and_then(WhitespaceFolder::finish);
        if self.digest.headings.len() < MAX_HEADINGS {
            self.digest.headings.extend(heading);
        }
    }

    fn finish(mut self, html: &str) {
        self.end_heading();
        let summary = self.text.finish();
        self.digest.text_length = summary.length;
        self.digest.text_start = summary.start;
        self.digest.text_end = summary.end;
        self.digest.sketch = summary.sketch;
        self.digest.query_links = self.query_links.finish();
        let main_text = self.main_text.finish();
        self.digest.main_text = main_text.filter(|text| *text != self.digest.text_start);
        self.digest.stated_date =
            self.stated_date.finish(&self.digest.text_start, &self.digest.text_end);
        self.digest.client_redirect =
            self.client_redirect.finish(html, &self.scripts, summary.length);
        self.flags.finish(html, &self.scripts, self.digest);
    }
}

/// Whether the template of the current start tag is a declarative shadow root, whose
/// content is part of the page.
pub(super) fn is_shadow_root(tokens: &Tokenizer<'_>) -> bool {
    tokens.attribute("shadowrootmode").is_some_and(|mode| {
        ["open", "closed"].iter().any(|known| mode.trim().eq_ignore_ascii_case(known))
    })
}

/// Whether the script element of the current start tag contains linked data (JSON-LD).
fn is_json_ld(tokens: &Tokenizer<'_>) -> bool {
    let kind = tokens.attribute("type").unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/ld+json")
}

/// Whether the script element of the current start tag contains an inline script that
/// browsers run.
fn is_inline_script(tokens: &Tokenizer<'_>) -> bool {
    let kind = tokens.attribute("type").unwrap_or_default().trim();
    let runs = kind.is_empty() || kind.eq_ignore_ascii_case("module") || is_script_type(kind);
    runs && tokens.attribute("src").is_none()
}

/// Whether a media type denotes JavaScript.
fn is_script_type(kind: &str) -> bool {
    let subtype = kind.rsplit('/').next().unwrap_or(kind);
    ["javascript", "ecmascript", "x-javascript", "x-ecmascript", "jscript", "livescript"]
        .iter()
        .any(|name| subtype.eq_ignore_ascii_case(name))
}

/// Returns character data with its character references resolved.
fn unescape_text(text: &str) -> Cow<'_, str> {
    if text.contains('&') { htmlize::unescape(text) } else { Cow::Borrowed(text) }
}
