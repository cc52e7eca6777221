//! What an HTML page says of itself, and what it shows.
//!
//! One pass over the tokens. Visible text goes word by word into the shingler
//! and is not kept. Whether style sheets hide an element is not known here.

use std::borrow::Cow;

use relink_model::Digest;

use super::tokenizer::{TextElement, Token, Tokenizer};
use crate::found::unescaped;
use crate::shingle::VisibleText;

/// How many headings a digest keeps.
const HEADINGS: usize = 8;
/// The length of a title, in characters.
const TITLE_LENGTH: usize = 200;
/// The length of a heading, in characters.
const HEADING_LENGTH: usize = 120;

/// Elements whose content is not shown to a reader with scripts.
const UNSEEN: [&str; 2] = ["template", "noscript"];

/// Fills in what the page says: title, headings, language, canonical address, text.
pub(crate) fn read_page(html: &str, digest: &mut Digest) {
    let mut page =
        Page { digest, text: VisibleText::default(), heading: None, unseen: 0, drawings: 0 };
    let mut tokens = Tokenizer::new(html);
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Text(text) => page.see(text),
            Token::Content(content) if content.element == TextElement::Title => {
                page.title(&html[content.range]);
            }
            Token::Content(_) => {}
            Token::Start(name) => page.open(name, &tokens),
            Token::End(name) => page.close(name),
        }
    }
    page.finish();
}

struct Page<'d> {
    digest: &'d mut Digest,
    text: VisibleText,
    heading: Option<Folded>,
    /// How many unseen elements are open.
    unseen: usize,
    /// How many drawings are open; a drawing's title is not the page's.
    drawings: usize,
}

impl Page<'_> {
    fn see(&mut self, text: &str) {
        if self.unseen > 0 {
            return;
        }
        let text = resolved(text);
        self.text.push(&text);
        if let Some(heading) = &mut self.heading {
            heading.push(&text);
        }
    }

    fn title(&mut self, text: &str) {
        if self.digest.title.is_none() && self.drawings == 0 {
            let mut title = Folded::new(TITLE_LENGTH);
            title.push(&resolved(text));
            self.digest.title = title.finish();
        }
    }

    fn open(&mut self, name: &str, tokens: &Tokenizer<'_>) {
        self.text.end_word();
        if is_heading(name) {
            self.end_heading();
            self.heading = Some(Folded::new(HEADING_LENGTH));
        } else if is_any(name, &UNSEEN) {
            self.unseen += 1;
        } else if is_any(name, &["svg"]) {
            self.drawings += 1;
        } else if is_any(name, &["html"]) {
            self.language(tokens);
        } else if is_any(name, &["link"]) {
            self.canonical(tokens);
        } else if let Some(heading) = &mut self.heading {
            heading.push_break(name);
        }
    }

    fn close(&mut self, name: &str) {
        self.text.end_word();
        if is_heading(name) {
            self.end_heading();
        } else if is_any(name, &UNSEEN) {
            self.unseen = self.unseen.saturating_sub(1);
        } else if is_any(name, &["svg"]) {
            self.drawings = self.drawings.saturating_sub(1);
        }
    }

    fn language(&mut self, tokens: &Tokenizer<'_>) {
        let language = tokens.attribute("lang").or_else(|| tokens.attribute("xml:lang"));
        let language = language.map(|tag| tag.trim().to_lowercase());
        if let Some(language) = language.filter(|tag| !tag.is_empty()) {
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
        if !href.is_empty() {
            self.digest.canonical = Some(unescaped(href).into_owned());
        }
    }

    fn end_heading(&mut self) {
        let heading = self.heading.take().and_then(Folded::finish);
        if self.digest.headings.len() < HEADINGS {
            self.digest.headings.extend(heading);
        }
    }

    fn finish(mut self) {
        self.end_heading();
        (self.digest.text_length, self.digest.sketch) = self.text.finish();
    }
}

fn is_any(name: &str, names: &[&str]) -> bool {
    names.iter().any(|other| name.eq_ignore_ascii_case(other))
}

fn is_heading(name: &str) -> bool {
    matches!(name.as_bytes(), [b'h' | b'H', b'1'..=b'3'])
}

/// Character data with its character references resolved.
fn resolved(text: &str) -> Cow<'_, str> {
    if text.contains('&') { htmlize::unescape(text) } else { Cow::Borrowed(text) }
}

/// Text with its white space folded, cut to a length.
struct Folded {
    text: String,
    left: usize,
    is_apart: bool,
}

impl Folded {
    fn new(length: usize) -> Self {
        Self { text: String::new(), left: length, is_apart: false }
    }

    fn push(&mut self, text: &str) {
        for character in text.chars() {
            if self.left == 0 {
                return;
            }
            if character.is_whitespace() {
                self.is_apart = true;
                continue;
            }
            if self.is_apart && !self.text.is_empty() {
                self.take(' ');
            }
            self.is_apart = false;
            self.take(character);
        }
    }

    /// A line break parts words though no white space is written.
    fn push_break(&mut self, element: &str) {
        self.is_apart |= is_any(element, &["br", "div", "p"]);
    }

    fn take(&mut self, character: char) {
        if self.left > 0 {
            self.left -= 1;
            self.text.push(character);
        }
    }

    /// The text, unless there is none.
    fn finish(self) -> Option<String> {
        let text = self.text.trim_end();
        (!text.is_empty()).then(|| text.to_owned())
    }
}
