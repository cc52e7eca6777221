//! Cuts XML into tags and text, with the place of every attribute value.
//!
//! Broken XML is read as far as it goes: a tag ends where the next one begins,
//! at the latest, so each byte is looked at a bounded number of times. Nothing
//! is unescaped here, and the document type is passed over whole.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use crate::cut::Cut as _;
use crate::window::InputEnd;

/// A piece of an XML document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A start tag; its attributes are [`Tokenizer::attributes`].
    Start(&'t str),
    /// An end tag, or the end of an empty element.
    End,
    /// Character data.
    Text(Range<usize>),
    /// What stands in a CDATA section.
    Data(Range<usize>),
    /// What stands in a comment.
    Comment(Range<usize>),
    /// `<?xml-stylesheet …?>`; its attributes are [`Tokenizer::attributes`].
    StyleSheet,
    /// The place of a document type that declares entities.
    Entities(usize),
}

/// An attribute with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attribute<'t> {
    pub(super) name: &'t str,
    /// Without quotes.
    pub(super) value: Range<usize>,
}

/// What must be remembered between two parts of a document.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TokenizerState {
    /// There is one document type; another is broken text.
    has_document_type: bool,
    /// Searched for in vain once, the end of an instruction is never there.
    lacks_instruction_end: bool,
    /// Whether the tag just read was of an empty element.
    owes_end: bool,
}

/// Goes through a document once, token by token.
pub(super) struct Tokenizer<'t> {
    text: &'t str,
    at: usize,
    attributes: Vec<Attribute<'t>>,
    memory: TokenizerState,
    sequel: InputEnd,
}

impl<'t> Tokenizer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self::resume(text, InputEnd::None, TokenizerState::default())
    }

    /// Goes on after an earlier part of the document.
    pub(super) fn resume(text: &'t str, sequel: InputEnd, memory: TokenizerState) -> Self {
        Self { text, at: 0, attributes: Vec::new(), memory, sequel }
    }

    /// Where the next token is read from, and what to remember to do so later.
    pub(super) fn checkpoint(&self) -> (usize, TokenizerState) {
        (self.at, self.memory)
    }

    /// Reads the next token; nothing if what follows may change it. Whatever
    /// reaches the end of the text may go on after it.
    pub(super) fn next_certain(&mut self) -> Option<Token<'t>> {
        let token = self.next_token();
        let is_cut = self.sequel == InputEnd::Follows && self.at >= self.text.len();
        token.filter(|_| !is_cut)
    }

    /// The attributes of the tag just read.
    pub(super) fn attributes(&self) -> &[Attribute<'t>] {
        &self.attributes
    }

    /// Reads the next token; nothing at the end.
    pub(super) fn next_token(&mut self) -> Option<Token<'t>> {
        if std::mem::take(&mut self.memory.owes_end) {
            return Some(Token::End);
        }
        while self.at < self.text.len() {
            let token = match self.rest(self.at) {
                [b'<', b'!', ..] => self.declaration(),
                [b'<', b'?', ..] => self.instruction(),
                [b'<', b'/', ..] => {
                    self.at = self.tag_end(self.at + 2);
                    Some(Token::End)
                }
                [b'<', first, ..] if is_name_start(*first) => Some(self.start_tag()),
                _ => Some(self.character_data()),
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

    /// The first place from `from` whose byte is one to stop at, or the end.
    fn scan(&self, from: usize, stops: impl Fn(u8) -> bool) -> usize {
        let rest = self.rest(from);
        from.min(self.text.len()) + rest.iter().position(|&byte| stops(byte)).unwrap_or(rest.len())
    }

    fn character_data(&mut self) -> Token<'t> {
        // The first byte may be a `<` that begins nothing.
        let start = self.at;
        let length = memchr(b'<', self.rest(start + 1));
        self.at = length.map_or(self.text.len(), |length| start + 1 + length);
        Token::Text(start..self.at)
    }

    /// The place after a tag's `>`, or where the next tag begins.
    fn tag_end(&self, from: usize) -> usize {
        match memchr2(b'>', b'<', self.rest(from)) {
            Some(length) if self.byte(from + length) == Some(b'>') => from + length + 1,
            Some(length) => from + length,
            None => self.text.len(),
        }
    }

    /// Where something is given up whose end is not there; what follows the
    /// text may yet have it.
    fn broken_end(&self, from: usize) -> usize {
        match self.sequel {
            InputEnd::Follows => self.text.len(),
            InputEnd::None => self.tag_end(from),
        }
    }

    fn declaration(&mut self) -> Option<Token<'t>> {
        let rest = self.rest(self.at);
        if rest.starts_with(b"<!--") {
            return Some(Token::Comment(self.section("<!--", "-->")));
        }
        if rest.starts_with(b"<![CDATA[") {
            return Some(Token::Data(self.section("<![CDATA[", "]]>")));
        }
        let is_document_type =
            rest.get(2..9).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype"));
        if is_document_type && !self.memory.has_document_type {
            self.memory.has_document_type = true;
            return self.document_type();
        }
        self.at = self.tag_end(self.at + 2);
        None
    }

    /// What stands between two marks, the first of which is here. Without the
    /// second, it is all the rest.
    fn section(&mut self, open: &str, close: &str) -> Range<usize> {
        let start = self.at + open.len();
        let length = memmem::find(self.rest(start), close.as_bytes());
        let end = length.map_or(self.text.len(), |length| start + length);
        self.at = (end + close.len()).min(self.text.len());
        start..end
    }

    /// Passes over the document type, with all it declares.
    fn document_type(&mut self) -> Option<Token<'t>> {
        let start = self.at;
        self.at = self.document_type_end(start).unwrap_or_else(|| self.broken_end(start + 2));
        let written = self.text.as_bytes().cut(start..self.at);
        memmem::find(written, b"<!ENTITY").map(|_| Token::Entities(start))
    }

    fn document_type_end(&self, start: usize) -> Option<usize> {
        let (mut at, mut depth) = (start + 2, 0_usize);
        loop {
            at = self.scan(at, |byte| matches!(byte, b'"' | b'\'' | b'[' | b']' | b'>' | b'<'));
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

    fn instruction(&mut self) -> Option<Token<'t>> {
        let start = self.at;
        let end = if self.memory.lacks_instruction_end {
            None
        } else {
            memmem::find(self.rest(start + 2), b"?>").map(|length| start + 2 + length)
        };
        let Some(end) = end else {
            self.memory.lacks_instruction_end = true;
            self.at = self.broken_end(start + 2);
            return None;
        };
        let target = self.text.cut(start + 2..end);
        let is_style_sheet = target
            .strip_prefix("xml-stylesheet")
            .is_some_and(|rest| rest.starts_with(char::is_whitespace));
        if is_style_sheet {
            self.read_attributes(start + 2 + "xml-stylesheet".len());
        }
        self.at = end + 2;
        is_style_sheet.then_some(Token::StyleSheet)
    }

    fn start_tag(&mut self) -> Token<'t> {
        let start = self.at + 1;
        let end = self.scan(start, |byte| is_space(byte) || matches!(byte, b'/' | b'>' | b'<'));
        self.at = self.read_attributes(end);
        self.memory.owes_end = self.text.cut(..self.at).ends_with("/>");
        Token::Start(self.text.cut(start..end))
    }

    /// Reads attributes up to the end of a tag, or to where another begins,
    /// and returns that place.
    fn read_attributes(&mut self, from: usize) -> usize {
        self.attributes.clear();
        let mut at = from;
        loop {
            at = self.scan(at, |byte| !is_space(byte) && byte != b'/');
            match self.byte(at) {
                None | Some(b'<') => return at,
                Some(b'>') => return at + 1,
                Some(b'?') if self.byte(at + 1) == Some(b'>') => return at,
                Some(_) => at = self.read_attribute(at),
            }
        }
    }

    /// Reads the attribute at `start` and returns where it ends.
    fn read_attribute(&mut self, start: usize) -> usize {
        let end = self.scan(start + 1, |byte| {
            is_space(byte) || matches!(byte, b'=' | b'>' | b'<' | b'/' | b'"' | b'\'')
        });
        let equals = self.scan(end, |byte| !is_space(byte));
        if self.byte(equals) != Some(b'=') {
            return end;
        }
        let value = self.scan(equals + 1, |byte| !is_space(byte));
        let (range, next) = self.value(value);
        if let Some(value) = range {
            self.attributes.push(Attribute { name: self.text.cut(start..end), value });
        }
        next
    }

    /// The value at `start` without its quotes, and where reading goes on. A
    /// `<` stands in no value, so a quote that is not closed costs no other tag.
    fn value(&self, start: usize) -> (Option<Range<usize>>, usize) {
        if let Some(quote @ (b'"' | b'\'')) = self.byte(start) {
            let inside = start + 1;
            let end = self.scan(inside, |byte| byte == quote || byte == b'<');
            let is_closed = self.byte(end) == Some(quote);
            return (is_closed.then_some(inside..end), end + usize::from(is_closed));
        }
        let end = self.scan(start, |byte| is_space(byte) || matches!(byte, b'>' | b'<'));
        (Some(start..end), end)
    }
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') || byte >= 0x80
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
