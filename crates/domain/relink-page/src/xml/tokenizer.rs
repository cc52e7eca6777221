//! Tokenizes XML into tags and text, with the range of each attribute value.
//!
//! Broken XML is accepted: a tag ends at the latest where the next tag starts, so each
//! byte is scanned a bounded number of times. References are not resolved, and the
//! document type is skipped.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use crate::safe_slice::SafeSlice as _;
use crate::window::InputEnd;

/// A token of an XML document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A start tag; its attributes are [`Tokenizer::attributes`].
    Start(&'t str),
    /// An end tag, or the end of an empty element.
    End,
    /// Character data.
    Text(Range<usize>),
    /// The inside of a CDATA section.
    Data(Range<usize>),
    /// The inside of a comment.
    Comment(Range<usize>),
    /// `<?xml-stylesheet …?>`; its attributes are [`Tokenizer::attributes`].
    StyleSheet,
    /// Offset of a document type that declares entities.
    Entities(usize),
}

/// An attribute with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attribute<'t> {
    pub(super) name: &'t str,
    /// Range of the value, without quotes.
    pub(super) value: Range<usize>,
}

/// Tokenizer state to carry over to the next part of a document.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TokenizerState {
    /// Whether the document type was seen. A second document type is invalid.
    has_document_type: bool,
    /// Whether a search for the end of a processing instruction failed. The search is
    /// not repeated, because it would take quadratic time.
    is_instruction_unclosed: bool,
    /// Whether the last tag was of an empty element, so `Token::End` comes
    /// next.
    expects_end: bool,
}

/// Tokenizes a document in one pass.
pub(super) struct Tokenizer<'t> {
    text: &'t str,
    at: usize,
    attributes: Vec<Attribute<'t>>,
    state: TokenizerState,
    input_end: InputEnd,
}

impl<'t> Tokenizer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self::resume(text, InputEnd::Last, TokenizerState::default())
    }

    /// Continues after an earlier part of the document.
    pub(super) fn resume(text: &'t str, input_end: InputEnd, state: TokenizerState) -> Self {
        Self { text, at: 0, attributes: Vec::new(), state, input_end }
    }

    /// Returns the offset of the next token and the state to resume from.
    pub(super) fn checkpoint(&self) -> (usize, TokenizerState) {
        (self.at, self.state)
    }

    /// Returns the next token, or `None` if the following input could change
    /// the token. A token that reaches the end of the text may continue.
    pub(super) fn next_complete(&mut self) -> Option<Token<'t>> {
        let token = self.next_token();
        let is_truncated = self.input_end == InputEnd::More && self.at >= self.text.len();
        token.filter(|_| !is_truncated)
    }

    /// Returns the attributes of the last tag.
    pub(super) fn attributes(&self) -> &[Attribute<'t>] {
        &self.attributes
    }

    /// Returns the next token, or `None` at the end.
    pub(super) fn next_token(&mut self) -> Option<Token<'t>> {
        if std::mem::take(&mut self.state.expects_end) {
            return Some(Token::End);
        }
        while self.at < self.text.len() {
            let token = match self.rest(self.at) {
                [b'<', b'!', ..] => self.read_declaration(),
                [b'<', b'?', ..] => self.read_instruction(),
                [b'<', b'/', ..] => {
                    self.at = self.tag_end(self.at + 2);
                    Some(Token::End)
                }
                [b'<', first, ..] if is_name_start(*first) => Some(self.read_start_tag()),
                _ => Some(self.read_text()),
            };
            if token.is_some() {
                return token;
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

    /// Returns the offset of the first byte from `from` on that matches
    /// `stops`, or the end of the text.
    fn find_byte(&self, from: usize, stops: impl Fn(u8) -> bool) -> usize {
        let rest = self.rest(from);
        from.min(self.text.len()) + rest.iter().position(|&byte| stops(byte)).unwrap_or(rest.len())
    }

    fn read_text(&mut self) -> Token<'t> {
        // The first byte may be a `<` that does not start a tag.
        let start = self.at;
        let length = memchr(b'<', self.rest(start + 1));
        self.at = length.map_or(self.text.len(), |length| start + 1 + length);
        Token::Text(start..self.at)
    }

    /// Returns the offset after the `>` of a tag, or where the next tag starts.
    fn tag_end(&self, from: usize) -> usize {
        match memchr2(b'>', b'<', self.rest(from)) {
            Some(length) if self.byte(from + length) == Some(b'>') => from + length + 1,
            Some(length) => from + length,
            None => self.text.len(),
        }
    }

    /// Returns the end of an unclosed construct: the end of the text if more input
    /// follows, otherwise the next tag.
    fn broken_end(&self, from: usize) -> usize {
        match self.input_end {
            InputEnd::More => self.text.len(),
            InputEnd::Last => self.tag_end(from),
        }
    }

    fn read_declaration(&mut self) -> Option<Token<'t>> {
        let rest = self.rest(self.at);
        if rest.starts_with(b"<!--") {
            return Some(Token::Comment(self.read_section("<!--", "-->")));
        }
        if rest.starts_with(b"<![CDATA[") {
            return Some(Token::Data(self.read_section("<![CDATA[", "]]>")));
        }
        let is_document_type =
            rest.get(2..9).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype"));
        if is_document_type && !self.state.has_document_type {
            self.state.has_document_type = true;
            return self.skip_document_type();
        }
        self.at = self.tag_end(self.at + 2);
        None
    }

    /// Returns the range between two delimiters. The opening delimiter is at the current
    /// offset. If the closing delimiter is missing, the range ends with the text.
    fn read_section(&mut self, open: &str, close: &str) -> Range<usize> {
        let start = self.at + open.len();
        let length = memmem::find(self.rest(start), close.as_bytes());
        let end = length.map_or(self.text.len(), |length| start + length);
        self.at = (end + close.len()).min(self.text.len());
        start..end
    }

    /// Skips the document type, including its internal subset.
    fn skip_document_type(&mut self) -> Option<Token<'t>> {
        let start = self.at;
        self.at = self.document_type_end(start).unwrap_or_else(|| self.broken_end(start + 2));
        let raw = self.text.as_bytes().slice(start..self.at);
        memmem::find(raw, b"<!ENTITY").map(|_| Token::Entities(start))
    }

    /// Returns the offset after the `>` of the document type at `start`; `None` if it is not
    /// closed. A `>` in quotes, comments or the internal subset `[…]` does not close it.
    fn document_type_end(&self, start: usize) -> Option<usize> {
        let (mut at, mut depth) = (start + 2, 0_usize);
        loop {
            at =
                self.find_byte(at, |byte| matches!(byte, b'"' | b'\'' | b'[' | b']' | b'>' | b'<'));
            let byte = self.byte(at)?;
            match byte {
                b'"' | b'\'' => at += 1 + memchr(byte, self.rest(at + 1))?,
                b'[' => depth += 1,
                b']' => depth = depth.saturating_sub(1),
                b'>' if depth == 0 => return Some(at + 1),
                b'<' if self.rest(at).starts_with(b"<!--") => {
                    at += 4 + memmem::find(self.rest(at + 4), b"-->")?;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn read_instruction(&mut self) -> Option<Token<'t>> {
        let start = self.at;
        let end = if self.state.is_instruction_unclosed {
            None
        } else {
            memmem::find(self.rest(start + 2), b"?>").map(|length| start + 2 + length)
        };
        let Some(end) = end else {
            self.state.is_instruction_unclosed = true;
            self.at = self.broken_end(start + 2);
            return None;
        };
        let target = self.text.slice(start + 2..end);
        let is_style_sheet = target
            .strip_prefix("xml-stylesheet")
            .is_some_and(|rest| rest.starts_with(char::is_whitespace));
        if is_style_sheet {
            self.parse_attributes(start + 2 + "xml-stylesheet".len());
        }
        self.at = end + 2;
        is_style_sheet.then_some(Token::StyleSheet)
    }

    fn read_start_tag(&mut self) -> Token<'t> {
        let start = self.at + 1;
        let end =
            self.find_byte(start, |byte| is_space(byte) || matches!(byte, b'/' | b'>' | b'<'));
        self.at = self.parse_attributes(end);
        self.state.expects_end = self.text.slice(..self.at).ends_with("/>");
        Token::Start(self.text.slice(start..end))
    }

    /// Parses attributes up to the end of the tag or the start of another tag. Returns
    /// the offset of this end or start.
    fn parse_attributes(&mut self, from: usize) -> usize {
        self.attributes.clear();
        let mut at = from;
        loop {
            at = self.find_byte(at, |byte| !is_space(byte) && byte != b'/');
            match self.byte(at) {
                None | Some(b'<') => return at,
                Some(b'>') => return at + 1,
                Some(b'?') if self.byte(at + 1) == Some(b'>') => return at,
                Some(_) => at = self.parse_attribute(at),
            }
        }
    }

    /// Parses the attribute at `start` and returns its end.
    fn parse_attribute(&mut self, start: usize) -> usize {
        let end = self.find_byte(start + 1, |byte| {
            is_space(byte) || matches!(byte, b'=' | b'>' | b'<' | b'/' | b'"' | b'\'')
        });
        let equals = self.find_byte(end, |byte| !is_space(byte));
        if self.byte(equals) != Some(b'=') {
            return end;
        }
        let value = self.find_byte(equals + 1, |byte| !is_space(byte));
        let (range, next) = self.read_value(value);
        if let Some(value) = range {
            self.attributes.push(Attribute { name: self.text.slice(start..end), value });
        }
        next
    }

    /// Returns the value at `start` without quotes, and the offset at which to
    /// continue. A value cannot contain `<`, so an unclosed quote does not hide other
    /// tags.
    fn read_value(&self, start: usize) -> (Option<Range<usize>>, usize) {
        if let Some(quote @ (b'"' | b'\'')) = self.byte(start) {
            let inside = start + 1;
            let end = self.find_byte(inside, |byte| byte == quote || byte == b'<');
            let is_closed = self.byte(end) == Some(quote);
            return (is_closed.then_some(inside..end), end + usize::from(is_closed));
        }
        let end = self.find_byte(start, |byte| is_space(byte) || matches!(byte, b'>' | b'<'));
        (Some(start..end), end)
    }
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') || byte >= 0x80
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
