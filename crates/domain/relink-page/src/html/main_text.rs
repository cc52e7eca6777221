//! Collects the main text of a page: the text outside of links, navigation, sidebars, page
//! footers and quotations. If the page has a `main` element, only its text counts.
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
    excluded: Option<ExcludedElement<'t>>,
    /// Whether a link is open.
    is_in_link: bool,
    main: MainElement,
}

/// An open element whose text is not part of the main text.
struct ExcludedElement<'t> {
    name: &'t str,
    /// Number of open elements of this name, including the element itself.
    depth: usize,
}

/// Whether the `main` element of the page was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MainElement {
    /// Not yet.
    Expected,
    Open,
    Closed,
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
        if name.eq_ignore_ascii_case("main") {
            self.start_main();
        } else if name.eq_ignore_ascii_case("a") {
            // An `a` element without `href` is not a link.
            self.is_in_link = tokens.attribute("href").is_some();
        } else if let Some(excluded) = &mut self.excluded {
            excluded.depth += usize::from(name.eq_ignore_ascii_case(excluded.name));
        } else if self.can_grow() && is_excluded(name, tokens) {
            self.excluded = Some(ExcludedElement { name, depth: 1 });
        }
    }

    /// Discards the text before the first `main` element, which is never inside of an
    /// excluded one. If it seems so, an element before it was not closed.
    fn start_main(&mut self) {
        if self.main == MainElement::Expected {
            (self.text, self.excluded, self.main) = (new_text(), None, MainElement::Open);
        }
    }

    pub(super) fn end_tag(&mut self, name: &str) {
        self.text.push_break();
        if name.eq_ignore_ascii_case("a") {
            self.is_in_link = false;
        } else if name.eq_ignore_ascii_case("main") && self.main == MainElement::Open {
            self.main = MainElement::Closed;
        } else if let Some(excluded) = &mut self.excluded
            && name.eq_ignore_ascii_case(excluded.name)
        {
            excluded.depth -= 1;
            if excluded.depth == 0 {
                self.excluded = None;
            }
        }
    }

    /// Adds visible text.
    pub(super) fn push(&mut self, text: &str) {
        if self.excluded.is_none() && !self.is_in_link && self.main != MainElement::Closed {
            self.text.push(text);
        }
    }

    /// Whether more text may be collected. Attributes are read only then, because that
    /// takes time.
    fn can_grow(&self) -> bool {
        self.main != MainElement::Closed && !self.text.is_full()
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
