//! Tokenizes JSON into strings and brackets.
//!
//! Scans each byte a bounded number of times for any input. Numbers, literals
//! and commas are skipped. Comments are tokenized because configuration files
//! contain them.

use std::ops::Range;

use memchr::{memchr, memchr3, memmem};

use crate::safe_slice::{ByteAt as _, SafeSlice as _};
use crate::window::InputEnd;

/// A token of a JSON document. Ranges of strings are the content without
/// quotes, with escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// `{` or `[`.
    Open,
    /// `}` or `]`.
    Close,
    /// The key of an object member.
    Key(Range<usize>),
    /// A string value.
    Text(Range<usize>),
    /// The inside of a comment.
    Comment(Range<usize>),
    /// Offset of a string that is not closed on its line.
    Unclosed(usize),
}

/// Tokenizes a range of a text.
pub(crate) struct Tokenizer<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    /// Whether a search for the end of a block comment failed. The search is not
    /// repeated, because it would take quadratic time.
    is_block_unclosed: bool,
    input_end: InputEnd,
    /// Offset at which to resume when more input is available.
    resume_offset: usize,
}

impl<'t> Tokenizer<'t> {
    pub(crate) fn new(text: &'t str, part: Range<usize>) -> Self {
        let (at, end) = (part.start, part.end);
        let input_end = InputEnd::Last;
        Self { text, at, end, is_block_unclosed: false, input_end, resume_offset: at }
    }

    /// Creates a tokenizer for a part of a document.
    pub(crate) fn for_part(text: &'t str, input_end: InputEnd) -> Self {
        Self { input_end, ..Self::new(text, 0..text.len()) }
    }

    /// Returns the offset at which to resume, after `next_complete` returned
    /// `None`.
    pub(crate) fn resume_offset(&self) -> usize {
        self.resume_offset
    }

    /// Returns the next token, or `None` if the following input could change
    /// the token. A token that reaches the end of the text may continue.
    pub(crate) fn next_complete(&mut self) -> Option<Token> {
        let token = self.next_token();
        token.filter(|_| self.input_end == InputEnd::Last || self.at < self.end)
    }

    /// Returns the next token, or `None` at the end.
    pub(crate) fn next_token(&mut self) -> Option<Token> {
        self.resume_offset = self.at;
        loop {
            let rest = self.rest(self.at);
            let Some(next) = rest.iter().position(|&byte| starts_token(byte)) else {
                self.skip_rest();
                return None;
            };
            let at = self.at + next;
            self.at = at + 1;
            match rest.byte(next) {
                b'"' => return Some(self.read_string(at)),
                b'{' | b'[' => return Some(Token::Open),
                b'}' | b']' => return Some(Token::Close),
                _ => {
                    if self.is_truncated_comment(at) {
                        self.at = self.end;
                        return None;
                    }
                    if let Some(comment) = self.read_comment(at) {
                        return Some(comment);
                    }
                }
            }
        }
    }

    /// Ends tokenizing. Leaves a trailing colon for the next part, because
    /// slashes after a colon do not start a comment.
    fn skip_rest(&mut self) {
        let ends_in_colon = self.rest(self.at).ends_with(b":");
        self.resume_offset = self.end - usize::from(ends_in_colon);
        self.at = self.end;
    }

    /// Whether the following input decides if the slash at `at` starts a
    /// comment.
    fn is_truncated_comment(&self, at: usize) -> bool {
        self.input_end == InputEnd::More
            && match self.rest(at + 1) {
                [] => true,
                [b'*', inside @ ..] => memmem::find(inside, b"*/").is_none(),
                _ => false,
            }
    }

    fn rest(&self, from: usize) -> &'t [u8] {
        self.text.as_bytes().get(from..self.end).unwrap_or_default()
    }

    /// Parses the string at `quote`. A string cannot contain a line end.
    fn read_string(&mut self, quote: usize) -> Token {
        let start = quote + 1;
        let mut from = start;
        while let Some(next) = memchr3(b'"', b'\\', b'\n', self.rest(from)) {
            let at = from + next;
            match self.rest(at) {
                [b'"', ..] => {
                    self.at = at + 1;
                    return self.key_or_text(start..at);
                }
                [b'\n', ..] | [b'\\', b'\n', ..] => {
                    self.at = at;
                    return Token::Unclosed(quote);
                }
                _ => from = at + 2,
            }
        }
        self.at = self.end;
        Token::Unclosed(quote)
    }

    /// Returns the string as a key if a colon follows, otherwise as a value.
    fn key_or_text(&mut self, content: Range<usize>) -> Token {
        match self.rest(self.at).iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b':') => return Token::Key(content),
            None if self.input_end == InputEnd::More => self.at = self.end,
            _ => {}
        }
        Token::Text(content)
    }

    /// Parses the comment that starts with the slash at `at`. The slashes of an
    /// unquoted `https://` do not start a comment.
    fn read_comment(&mut self, at: usize) -> Option<Token> {
        let start = at + 2;
        let (length, closing_length) = match self.rest(at + 1).first()? {
            b'/' if !self.text.slice(..at).ends_with(':') => {
                (memchr(b'\n', self.rest(start)).unwrap_or(self.end - start), 0)
            }
            b'/' => {
                self.at = start;
                return None;
            }
            b'*' if !self.is_block_unclosed => {
                let found = memmem::find(self.rest(start), b"*/");
                self.is_block_unclosed = found.is_none();
                (found?, 2)
            }
            _ => return None,
        };
        self.at = start + length + closing_length;
        Some(Token::Comment(start..start + length))
    }
}

fn starts_token(byte: u8) -> bool {
    matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b'/')
}
