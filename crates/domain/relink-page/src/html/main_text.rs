//! Collects the main text of a page: the text outside of links, navigation, sidebars, page
//! footers and quotations. If the page has a `main` element, or one with this role, only its
//! text counts.
//!
//! Only a short main text is stored. The main text is used to recognize messages, such as
//! "page not found", between the header and footer of a site. Pages are not compared by
//! their main text.

use relink_model::Digest;

use super::blocks::is_marked_as_boilerplate;
use super::element::{MAX_CODE, code};
use super::tokenizer::Tokenizer;
use crate::whitespace_folder::WhitespaceFolder;

/// Collects the main text while the tokens of a page are read.
pub(super) struct MainTextCollector<'t> {
    text: WhitespaceFolder,
    /// The open element whose text is not part of the main text.
    excluded: Option<OpenElement<'t>>,
    /// Whether a link is open.
    is_in_link: bool,
    main: MainElement<'t>,
}

/// The first `main` element of the page, or element with the role `main`.
enum MainElement<'t> {
    /// Not read yet.
    Expected,
    Open(OpenElement<'t>),
    Closed,
}

/// An open element, which may contain elements of the same name.
struct OpenElement<'t> {
    name: &'t str,
    /// Number of open elements of this name, including the element itself.
    depth: usize,
}

impl<'t> OpenElement<'t> {
    fn new(name: &'t str) -> Self {
        Self { name, depth: 1 }
    }

    fn start_tag(&mut self, name: &str) {
        self.depth += usize::from(name.eq_ignore_ascii_case(self.name));
    }

    /// Returns whether the tag closes the element.
    fn end_tag(&mut self, name: &str) -> bool {
        self.depth -= usize::from(name.eq_ignore_ascii_case(self.name));
        self.depth == 0
    }
}

impl Default for MainTextCollector<'_> {
    fn default() -> Self {
        let (text, main) = (new_text(), MainElement::Expected);
        Self { text, excluded: None, is_in_link: false, main }
    }
}

impl<'t> MainTextCollector<'t> {
    pub(super) fn start_tag(&mut self, name: &'t str, tokens: &Tokenizer<'_>) {
        self.text.push_break();
        match &mut self.main {
            MainElement::Open(main) => main.start_tag(name),
            MainElement::Expected if is_main(name, tokens) => return self.start_main(name),
            MainElement::Expected | MainElement::Closed => {}
        }
        if name.eq_ignore_ascii_case("a") {
            // An `a` element without `href` is not a link.
            self.is_in_link = tokens.attribute("href").is_some();
        } else if let Some(excluded) = &mut self.excluded {
            excluded.start_tag(name);
        } else if self.can_grow() && is_excluded(name, tokens) {
            self.excluded = Some(OpenElement::new(name));
        }
    }

    /// Discards the text before the main element, which is never inside of an excluded one.
    /// If it seems so, an element before it was not closed.
    fn start_main(&mut self, name: &'t str) {
        let main = MainElement::Open(OpenElement::new(name));
        (self.text, self.excluded, self.main) = (new_text(), None, main);
    }

    pub(super) fn end_tag(&mut self, name: &str) {
        self.text.push_break();
        if name.eq_ignore_ascii_case("a") {
            self.is_in_link = false;
        }
        if self.excluded.as_mut().is_some_and(|excluded| excluded.end_tag(name)) {
            self.excluded = None;
        }
        if let MainElement::Open(main) = &mut self.main
            && main.end_tag(name)
        {
            self.main = MainElement::Closed;
        }
    }

    /// Adds visible text.
    pub(super) fn push(&mut self, text: &str) {
        let is_after_main = matches!(self.main, MainElement::Closed);
        if self.excluded.is_none() && !self.is_in_link && !is_after_main {
            self.text.push(text);
        }
    }

    /// Whether more text may be collected. Attributes are read only then, because that
    /// takes time.
    fn can_grow(&self) -> bool {
        !matches!(self.main, MainElement::Closed) && !self.text.is_full()
    }

    /// Returns the main text, unless it is empty or too long.
    pub(super) fn finish(self) -> Option<String> {
        let is_complete = !self.text.is_full();
        self.text.finish().filter(|_| is_complete)
    }
}

/// Returns an empty text. With one additional character, a text that is too long is
/// recognized.
fn new_text() -> WhitespaceFolder {
    WhitespaceFolder::new(Digest::MAX_TEXT_START + 1)
}

fn is_main(name: &str, tokens: &Tokenizer<'_>) -> bool {
    name.eq_ignore_ascii_case("main")
        || (name.eq_ignore_ascii_case("div")
            && tokens.attribute("role").is_some_and(|role| role.trim() == "main"))
}

/// Whether an element repeats on all pages of a site, or contains a quotation, which is not a
/// message of the site.
fn is_excluded(name: &str, tokens: &Tokenizer<'_>) -> bool {
    const NAV: u64 = code("nav");
    const ASIDE: u64 = code("aside");
    const FOOTER: u64 = code("footer");
    const BUTTON: u64 = code("button");
    const SELECT: u64 = code("select");
    const PRE: u64 = code("pre");
    const DIV: u64 = code("div");
    const SECTION: u64 = code("section");
    const UL: u64 = code("ul");
    const TABLE: u64 = code("table");
    if name.len() > MAX_CODE {
        return name.eq_ignore_ascii_case("blockquote");
    }
    match code(name) {
        NAV | ASIDE | FOOTER | BUTTON | SELECT | PRE => true,
        DIV | SECTION | UL | TABLE => is_marked_as_boilerplate(tokens),
        _ => false,
    }
}
