//! Splits HTML into tags, text and comments, with the range of every attribute
//! value.
//!
//! Follows the tokenization states of the HTML standard (13.2.5), combined into
//! a few scans. Ranges are byte ranges of the text; character references are
//! not resolved. Declarations and processing instructions are skipped. For any
//! input, each byte is read a bounded number of times and nothing panics.

use std::ops::Range;

use memchr::{memchr, memchr2_iter, memmem};

use crate::safe_slice::{ByteAt as _, SafeSlice as _};
use crate::window::InputEnd;

/// A token of an HTML document.
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

/// A token or a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenOrComment<'t> {
    /// A token.
    Token(Token<'t>),
    /// The range of a comment's text.
    Comment(Range<usize>),
}

/// The text inside a [`TextElement`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) element: TextElement,
    pub(crate) range: Range<usize>,
}

/// An element whose content is text without markup.
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

/// An attribute of a start tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attribute<'t> {
    pub(crate) name: &'t str,
    /// The range of the value without quotes; `None` for a name without `=`.
    pub(crate) value: Option<Range<usize>>,
}

/// Reads a document token by token.
pub(crate) struct Tokenizer<'t> {
    text: &'t str,
    at: usize,
    /// The text element whose content is next; its start tag was the last token.
    inside: Option<TextElement>,
    attributes: Vec<Attribute<'t>>,
}

impl<'t> Tokenizer<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self::resume(text, None)
    }

    /// Resumes after an earlier part of the document that ended inside this
    /// element.
    pub(crate) fn resume(text: &'t str, inside: Option<TextElement>) -> Self {
        Self { text, at: 0, inside, attributes: Vec::new() }
    }

    /// Returns the position of the next token and the element that contains it.
    pub(crate) fn checkpoint(&self) -> (usize, Option<TextElement>) {
        (self.at, self.inside)
    }

    /// Reads the next token or comment. Returns `None` if later input may
    /// change it: a token that reaches the end of the text may continue in the
    /// next part.
    pub(crate) fn next_complete(&mut self, input_end: InputEnd) -> Option<TokenOrComment<'t>> {
        let item = self.next_token_or_comment();
        item.filter(|_| input_end == InputEnd::Last || self.at < self.text.len())
    }

    /// Returns the attributes of the last start tag, in order. The first of several
    /// attributes with the same name takes effect.
    pub(crate) fn attributes(&self) -> &[Attribute<'t>] {
        &self.attributes
    }

    /// Returns the value of an attribute as written; empty for a name without
    /// `=`.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'t str> {
        let attribute =
            self.attributes.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name))?;
        Some(attribute.value.clone().map_or("", |range| self.text.slice(range)))
    }

    /// Reads the next token; `None` at the end. An unfinished tag at the end of
    /// the document is dropped, as in browsers.
    pub(crate) fn next_token(&mut self) -> Option<Token<'t>> {
        loop {
            if let TokenOrComment::Token(token) = self.next_token_or_comment()? {
                return Some(token);
            }
        }
    }

    /// Reads the next token or comment; `None` at the end.
    pub(crate) fn next_token_or_comment(&mut self) -> Option<TokenOrComment<'t>> {
        if let Some(content) = self.read_element_content() {
            return Some(TokenOrComment::Token(Token::Content(content)));
        }
        while self.at < self.text.len() {
            if !self.is_markup_at(self.at) {
                return Some(TokenOrComment::Token(self.read_text()));
            }
            match self.byte(self.at + 1) {
                Some(b'!') => {
                    if let Some(comment) = self.read_declaration() {
                        return Some(TokenOrComment::Comment(comment));
                    }
                }
                Some(b'?') => self.skip_past_angle(),
                Some(b'/') => {
                    if let Some(name) = self.read_end_tag() {
                        return Some(TokenOrComment::Token(Token::End(name)));
                    }
                }
                _ => {
                    return self
                        .read_start_tag()
                        .map(|name| TokenOrComment::Token(Token::Start(name)));
                }
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

    /// Reads text up to the next markup.
    fn read_text(&mut self) -> Token<'t> {
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
        Token::Text(self.text.slice(start..self.at))
    }

    /// Skips to after the next `>`.
    fn skip_past_angle(&mut self) {
        self.at = memchr(b'>', self.rest(self.at)).map_or(self.text.len(), |end| self.at + end + 1);
    }

    /// Skips a declaration, or returns the range of a comment's text.
    fn read_declaration(&mut self) -> Option<Range<usize>> {
        let start = self.at + "<!--".len();
        if !self.rest(self.at).starts_with(b"<!--") {
            self.skip_past_angle();
            return None;
        }
        self.at = self.comment_end(start);
        let comment = self.text.slice(start..self.at);
        let text = comment.strip_suffix("-->").or_else(|| comment.strip_suffix("--!>"));
        Some(start..start + text.unwrap_or(comment).len())
    }

    /// Returns the end of the comment whose text begins at `from`: after `-->`
    /// or `--!>`. The comments `<!-->` and `<!--->` are empty.
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

    /// Reads a start tag and returns its name.
    fn read_start_tag(&mut self) -> Option<&'t str> {
        let name = self.read_tag(self.at + 1)?;
        self.inside = TextElement::from_name(name);
        Some(name)
    }

    /// Reads an end tag and returns its name; `None` for a bogus comment.
    fn read_end_tag(&mut self) -> Option<&'t str> {
        let start = self.at + 2;
        if self.byte(start).is_some_and(|first| first.is_ascii_alphabetic()) {
            return self.read_tag(start);
        }
        self.skip_past_angle();
        None
    }

    /// Reads a tag whose name begins at `start`, with its attributes.
    fn read_tag(&mut self, start: usize) -> Option<&'t str> {
        let end = self.find_byte(start, |byte| is_space(byte) || matches!(byte, b'/' | b'>'));
        self.attributes.clear();
        let mut at = end;
        self.at = loop {
            at = self.find_byte(at, |byte| !is_space(byte) && byte != b'/');
            match self.byte(at) {
                None => break self.text.len(),
                Some(b'>') => break at + 1,
                Some(_) => at = self.read_attribute(at),
            }
        };
        let is_whole = at < self.text.len();
        is_whole.then(|| self.text.slice(start..end))
    }

    /// Reads the attribute at `start` and returns its end.
    fn read_attribute(&mut self, start: usize) -> usize {
        // A `=` at the start belongs to the name.
        let end =
            self.find_byte(start + 1, |byte| is_space(byte) || matches!(byte, b'/' | b'>' | b'='));
        let equals = self.find_byte(end, |byte| !is_space(byte));
        let (value, next) = if self.byte(equals) == Some(b'=') {
            let (value, next) = self.read_value(self.find_byte(equals + 1, |byte| !is_space(byte)));
            (Some(value), next)
        } else {
            (None, end)
        };
        let name = self.text.slice(start..end);
        self.attributes.push(Attribute { name, value });
        next
    }

    /// Returns the range of the value at `start` without its quotes, and the
    /// position after it.
    fn read_value(&self, start: usize) -> (Range<usize>, usize) {
        if let Some(quote @ (b'"' | b'\'')) = self.byte(start) {
            let inside = start + 1;
            return match memchr(quote, self.rest(inside)) {
                Some(length) => (inside..inside + length, inside + length + 1),
                None => (inside..self.text.len(), self.text.len()),
            };
        }
        let end = self.find_byte(start, |byte| is_space(byte) || byte == b'>');
        (start..end, end)
    }

    /// Returns the position of the first byte from `from` that is a stop byte,
    /// or the end of the text.
    fn find_byte(&self, from: usize, is_stop: impl Fn(u8) -> bool) -> usize {
        let rest = self.rest(from);
        let length = rest.iter().position(|&byte| is_stop(byte));
        (from + length.unwrap_or(rest.len())).min(self.text.len())
    }

    /// Reads the content of the text element whose start tag was the last token.
    fn read_element_content(&mut self) -> Option<Content> {
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

    /// Returns the position of `</name`, or the end of the document.
    fn end_tag_of(&self, name: &str, from: usize) -> usize {
        memmem::find_iter(self.rest(from), b"</")
            .map(|at| from + at)
            .find(|at| self.is_name_at(at + "</".len(), name))
            .unwrap_or(self.text.len())
    }

    /// Whether a whole tag name equal to `name` is at `at`; case is ignored.
    fn is_name_at(&self, at: usize, name: &str) -> bool {
        let rest = self.rest(at);
        rest.get(..name.len()).is_some_and(|written| written.eq_ignore_ascii_case(name.as_bytes()))
            && rest
                .get(name.len())
                .is_some_and(|&after| is_space(after) || matches!(after, b'/' | b'>'))
    }

    /// Returns the end of a script. Within `<!-- … -->`, the end tag of a nested
    /// `<script>` does not end the outer script (HTML standard, script data double
    /// escaped state).
    fn script_end(&self, from: usize) -> usize {
        let (mut is_commented, mut is_nested) = (false, false);
        for at in memchr2_iter(b'<', b'-', self.rest(from)).map(|at| from + at) {
            let rest = self.rest(at);
            if rest.starts_with(b"-->") {
                (is_commented, is_nested) = (false, false);
            } else if rest.starts_with(b"<!--") {
                is_commented = true;
            } else if rest.starts_with(b"</") && self.is_name_at(at + 2, "script") {
                if !is_nested {
                    return at;
                }
                is_nested = false;
            } else if is_commented && rest.byte(0) == b'<' && self.is_name_at(at + 1, "script") {
                is_nested = true;
            }
        }
        self.text.len()
    }
}

/// Whether the byte is white space in a tag.
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

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.name().eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests;
