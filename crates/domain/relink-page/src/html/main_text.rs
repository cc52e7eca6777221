//! Collects the main text of a page: the text outside of links, navigation, sidebars, page
//! footers and quotations.
//!
//! Only a short main text is stored. The main text is used to recognize messages, such as
//! "page not found", between the header and footer of a site. Pages are not compared by
//! their main text.

use relink_model::Digest;

use super::element::{MAX_CODE, code};
use super::tokenizer::Tokenizer;
use crate::whitespace_folder::WhitespaceFolder;

/// Collects the main text while the tokens of a page are read.
pub(super) struct MainTextCollector {
    text: WhitespaceFolder,
    /// Number of open elements whose text is not part of the main text.
    excluded_depth: usize,
    /// Whether a link is open.
    is_in_link: bool,
}

impl Default for MainTextCollector {
    fn default() -> Self {
        // With one additional character, a text that is too long is recognized.
        let text = WhitespaceFolder::new(Digest::MAX_TEXT_START + 1);
        Self { text, excluded_depth: 0, is_in_link: false }
    }
}

impl MainTextCollector {
    pub(super) fn start_tag(&mut self, name: &str, tokens: &Tokenizer<'_>) {
        self.text.push_break();
        if name.eq_ignore_ascii_case("a") {
            // An `a` element without `href` is not a link.
            self.is_in_link = tokens.attribute("href").is_some();
        } else if is_excluded(name) {
            self.excluded_depth += 1;
        }
    }

    pub(super) fn end_tag(&mut self, name: &str) {
        self.text.push_break();
        if name.eq_ignore_ascii_case("a") {
            self.is_in_link = false;
        } else if is_excluded(name) {
            self.excluded_depth = self.excluded_depth.saturating_sub(1);
        }
    }

    /// Adds visible text.
    pub(super) fn push(&mut self, text: &str) {
        if self.excluded_depth == 0 && !self.is_in_link {
            self.text.push(text);
        }
    }

    /// Returns the main text, unless it is empty or too long.
    pub(super) fn finish(self) -> Option<String> {
        let is_complete = !self.text.is_full();
        self.text.finish().filter(|_| is_complete)
    }
}

/// Whether an element repeats on all pages of a site, or contains a quotation, which is not a
/// message of the site.
fn is_excluded(name: &str) -> bool {
    const NAV: u64 = code("nav");
    const ASIDE: u64 = code("aside");
    const FOOTER: u64 = code("footer");
    const BUTTON: u64 = code("button");
    const SELECT: u64 = code("select");
    const PRE: u64 = code("pre");
    if name.len() > MAX_CODE {
        return name.eq_ignore_ascii_case("blockquote");
    }
    matches!(code(name), NAV | ASIDE | FOOTER | BUTTON | SELECT | PRE)
}
