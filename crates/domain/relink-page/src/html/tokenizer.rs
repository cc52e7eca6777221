//! Cuts HTML into tags and text, with the place of every attribute value.
//!
//! Follows the tokenization states of the HTML standard (13.2.5), folded into
//! a few scans. Places are byte ranges of the text; nothing is unescaped.
//! Comments, declarations and processing instructions are passed over.
//! Whatever comes in, each byte is looked at a bounded number of times and
//! nothing panics.

use std::ops::Range;

use memchr::{memchr, memchr2_iter, memmem};

use crate::cut::{ByteAt as _, Cut as _};
use crate::window::InputEnd;

/// A piece of an HTML document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// Character data between tags.
    Text(&'t str),
    /// The content of an element that holds text only, such as `title` or `script`.
    Content(Content),
    /// A start tag; its attributes are [`Tokenizer::attributes`].
    Start(&'t str),
    /// An end tag.
    End(&'t str),
}

/// A token, or what stands between tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenOrComment<'t> {
    /// A token.
    Token(Token<'t>),
    /// What stands in a comment.
    Comment(Range<usize>),
}

/// The text inside an element that can hold no markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) element: TextElement,
    pub(crate) range: Range<usize>,
}

/// An element whose content is text, never markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextElement {
    Title,
    Textarea,
    Script,
    Style,
    Iframe,
    Noembed,
    Noframes,
    Xmp,
    Plaintext,
}

/// An attribute: where its name and its value stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attribute<'t> {
    pub(crate) name: &'t str,
    /// Without quotes; nothing if the name stands alone.
    pub(crate) value: Option<Range<usize>>,
}

/// Goes through a document once, token by token.
pub(crate) struct Tokenizer<'t> {
    text: &'t str,
    at: usize,
    inside: Option<TextElement>,
    attributes: Vec<Attribute<'t>>,
}

impl<'t> Tokenizer<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self::resume(text, None)
    }

    /// Goes on after an earlier part of the document, inside of this element.
    pub(crate) fn resume(text: &'t str, inside: Option<TextElement>) -> Self {
        Self { text, at: 0, inside, attributes: Vec::new() }
    }

    /// Where the next piece is read from, and inside of which element.
    pub(crate) fn checkpoint(&self) -> (usize, Option<TextElement>) {
        (self.at, self.inside)
    }

    /// Reads the next token or comment; nothing if what follows may change it.
    /// Whatever reaches the end of the text may go on after it.
    pub(crate) fn next_certain(&mut self, sequel: InputEnd) -> Option<TokenOrComment<'t>> {
        let piece = self.next_piece();
        piece.filter(|_| sequel == InputEnd::None || self.at < self.text.len())
    }

    /// The attributes of the start tag just read, in order. Of two with one
    /// name the first counts.
    pub(crate) fn attributes(&self) -> &[Attribute<'t>] {
        &self.attributes
    }

    /// The value of an attribute as written; empty if the name stands alone.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'t str> {
        let attribute =
            self.attributes.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name))?;
        Some(attribute.value.clone().map_or("", |range| self.text.cut(range)))
    }

    /// Reads the next token; nothing at the end. A tag the document breaks off
    /// in is dropped, as browsers do.
    pub(crate) fn next_token(&mut self) -> Option<Token<'t>> {
        loop {
            if let TokenOrComment::Token(token) = self.next_piece()? {
                return Some(token);
            }
        }
    }

    /// Reads the next token or comment; nothing at the end.
    pub(crate) fn next_piece(&mut self) -> Option<TokenOrComment<'t>> {
        if let Some(content) = self.element_content() {
            return Some(TokenOrComment::Token(Token::Content(content)));
        }
        while self.at < self.text.len() {
            if !self.is_markup_at(self.at) {
                return Some(TokenOrComment::Token(self.character_data()));
            }
            match self.byte(self.at + 1) {
                Some(b'!') => {
                    if let Some(comment) = self.declaration() {
                        return Some(TokenOrComment::Comment(comment));
                    }
                }
                Some(b'?') => self.skip_past_angle(),
                Some(b'/') => {
                    if let Some(name) = self.end_tag() {
                        return Some(TokenOrComment::Token(Token::End(name)));
                    }
                }
                _ => return self.start_tag().map(|name| TokenOrComment::Token(Token::Start(name))),
            }
        }
        None
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn rest(&self, from: usize) -> &'t [u8] {
        self.text.as_bytes().get(from..).unwrap_or_default()
    }

    /// Whether the byte is a `<` that begins a tag, comment or declaration.
    fn is_markup_at(&self, at: usize) -> bool {
        match self.rest(at) {
            [b'<', b'!' | b'?', ..] | [b'<', b'/', _, ..] => true,
            [b'<', letter, ..] => letter.is_ascii_alphabetic(),
            _ => false,
        }
    }

    fn character_data(&mut self) -> Token<'t> {
        let start = self.at;
        let mut from = start;
        self.at = loop {
            let Some(angle) = memchr(b'<', self.rest(from)) else {
                break self.text.len();
            };
            if self.is_markup_at(from + angle) {
                break from + angle;
            }
            from += angle + 1;
        };
        Token::Text(self.text.cut(start..self.at))
    }

    /// Passes over what ends at the next `>`.
    fn skip_past_angle(&mut self) {
        self.at = memchr(b'>', self.rest(self.at)).map_or(self.text.len(), |end| self.at + end + 1);
    }

    /// Passes over a declaration; returns what a comment holds.
    fn declaration(&mut self) -> Option<Range<usize>> {
        let start = self.at + "<!--".len();
        if !self.rest(self.at).starts_with(b"<!--") {
            self.skip_past_angle();
            return None;
        }
        self.at = self.comment_end(start);
        let written = self.text.cut(start..self.at);
        let inside = written.strip_suffix("-->").or_else(|| written.strip_suffix("--!>"));
        Some(start..start + inside.unwrap_or(written).len())
    }

    /// Where the comment ends whose text begins at `from`: after `-->` or
    /// `--!>`, or at once after `<!-->` and `<!--->`.
    fn comment_end(&self, from: usize) -> usize {
        for abrupt in [&b">"[..], b"->"] {
            if self.rest(from).starts_with(abrupt) {
                return from + abrupt.len();
            }
        }
        let mut at = from;
        while let Some(dashes) = memmem::find(self.rest(at), b"--") {
            at += dashes;
            for end in [&b"-->"[..], b"--!>"] {
                if self.rest(at).starts_with(end) {
                    return at + end.len();
                }
            }
            at += 1;
        }
        self.text.len()
    }

    fn start_tag(&mut self) -> Option<&'t str> {
        let name = self.tag(self.at + 1)?;
        self.inside = TextElement::named(name);
        Some(name)
    }

    /// The name of the end tag here; nothing if it is a bogus comment.
    fn end_tag(&mut self) -> Option<&'t str> {
        let start = self.at + 2;
        if self.byte(start).is_some_and(|first| first.is_ascii_alphabetic()) {
            return self.tag(start);
        }
        self.skip_past_angle();
        None
    }

    /// Reads a tag whose name begins at `start`, with its attributes.
    fn tag(&mut self, start: usize) -> Option<&'t str> {
        let end = self.scan(start, |byte| is_space(byte) || matches!(byte, b'/' | b'>'));
        self.attributes.clear();
        let mut at = end;
        self.at = loop {
            at = self.scan(at, |byte| !is_space(byte) && byte != b'/');
            match self.byte(at) {
                None => break self.text.len(),
                Some(b'>') => break at + 1,
                Some(_) => at = self.read_attribute(at),
            }
        };
        let is_whole = at < self.text.len();
        is_whole.then(|| self.text.cut(start..end))
    }

    /// Reads the attribute at `start` and returns where it ends.
    fn read_attribute(&mut self, start: usize) -> usize {
        // A `=` in first place belongs to the name.
        let end = self.scan(start + 1, |byte| is_space(byte) || matches!(byte, b'/' | b'>' | b'='));
        let equals = self.scan(end, |byte| !is_space(byte));
        let (value, next) = if self.byte(equals) == Some(b'=') {
            let (value, next) = self.value(self.scan(equals + 1, |byte| !is_space(byte)));
            (Some(value), next)
        } else {
            (None, end)
        };
        let name = self.text.cut(start..end);
        self.attributes.push(Attribute { name, value });
        next
    }

    /// The value at `start` without its quotes, and where reading goes on.
    fn value(&self, start: usize) -> (Range<usize>, usize) {
        if let Some(quote @ (b'"' | b'\'')) = self.byte(start) {
            let inside = start + 1;
            return match memchr(quote, self.rest(inside)) {
                Some(length) => (inside..inside + length, inside + length + 1),
                None => (inside..self.text.len(), self.text.len()),
            };
        }
        let end = self.scan(start, |byte| is_space(byte) || byte == b'>');
        (start..end, end)
    }

    /// The first place from `from` whose byte is one to stop at, or the end.
    fn scan(&self, from: usize, stops: impl Fn(u8) -> bool) -> usize {
        let rest = self.rest(from);
        let length = rest.iter().position(|&byte| stops(byte));
        (from + length.unwrap_or(rest.len())).min(self.text.len())
    }

    /// The content of the text-only element whose start tag was just read.
    fn element_content(&mut self) -> Option<Content> {
        let element = self.inside.take()?;
        let start = self.at;
        self.at = match element {
            TextElement::Plaintext => self.text.len(),
            TextElement::Script => self.script_end(start),
            _ => self.end_tag_of(element.name(), start),
        };
        let range = start..self.at;
        (!range.is_empty()).then_some(Content { element, range })
    }

    /// Where `</name` stands, or the end of the document.
    fn end_tag_of(&self, name: &str, from: usize) -> usize {
        memmem::find_iter(self.rest(from), b"</")
            .map(|at| from + at)
            .find(|at| self.names(at + "</".len(), name))
            .unwrap_or(self.text.len())
    }

    /// Whether a tag of this name is written at `at`.
    fn names(&self, at: usize, name: &str) -> bool {
        let rest = self.rest(at);
        rest.get(..name.len()).is_some_and(|written| written.eq_ignore_ascii_case(name.as_bytes()))
            && rest
                .get(name.len())
                .is_some_and(|&after| is_space(after) || matches!(after, b'/' | b'>'))
    }

    /// Where a script ends. Within `<!-- … -->` a nested `<script>` hides its
    /// own end tag (HTML standard, script data double escaped state).
    fn script_end(&self, from: usize) -> usize {
        let (mut is_commented, mut is_nested) = (false, false);
        for at in memchr2_iter(b'<', b'-', self.rest(from)).map(|at| from + at) {
            let rest = self.rest(at);
            if rest.starts_with(b"-->") {
                (is_commented, is_nested) = (false, false);
            } else if rest.starts_with(b"<!--") {
                is_commented = true;
            } else if rest.starts_with(b"</") && self.names(at + 2, "script") {
                if !is_nested {
                    return at;
                }
                is_nested = false;
            } else if is_commented && rest.byte(0) == b'<' && self.names(at + 1, "script") {
                is_nested = true;
            }
        }
        self.text.len()
    }
}

/// White space as the tokenizer counts it.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

impl TextElement {
    const ALL: [Self; 9] = [
        Self::Title,
        Self::Textarea,
        Self::Script,
        Self::Style,
        Self::Iframe,
        Self::Noembed,
        Self::Noframes,
        Self::Xmp,
        Self::Plaintext,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Textarea => "textarea",
            Self::Script => "script",
            Self::Style => "style",
            Self::Iframe => "iframe",
            Self::Noembed => "noembed",
            Self::Noframes => "noframes",
            Self::Xmp => "xmp",
            Self::Plaintext => "plaintext",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.name().eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests;
