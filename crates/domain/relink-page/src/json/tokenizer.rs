//! Cuts JSON into strings and brackets.
//!
//! Each byte is looked at a bounded number of times, whatever comes in. What
//! is neither string nor bracket (numbers, words, commas) is passed over, and
//! so is a comment, which JSON has none of but settings files do.

use std::ops::Range;

use memchr::{memchr, memchr3, memmem};

use crate::cut::{ByteAt as _, Cut as _};
use crate::window::InputEnd;

/// A piece of a JSON document; strings are given by their content as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// `{` or `[`.
    Open,
    /// `}` or `]`.
    Close,
    /// The name of a member.
    Key(Range<usize>),
    /// A string value.
    Text(Range<usize>),
    /// What stands in a comment.
    Comment(Range<usize>),
    /// The place of a string that its line does not close.
    Unclosed(usize),
}

/// Goes through a part of a text once, token by token.
pub(crate) struct Tokenizer<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    /// Searched for in vain once, the end of a block comment is never there.
    lacks_block_end: bool,
    sequel: InputEnd,
    /// Where reading can begin again once more of the text is there.
    resumes_at: usize,
}

impl<'t> Tokenizer<'t> {
    pub(crate) fn new(text: &'t str, part: Range<usize>) -> Self {
        let (at, end) = (part.start, part.end);
        let sequel = InputEnd::None;
        Self { text, at, end, lacks_block_end: false, sequel, resumes_at: at }
    }

    /// Goes through a part of a document, after which another may follow.
    pub(crate) fn of_part(text: &'t str, sequel: InputEnd) -> Self {
        Self { sequel, ..Self::new(text, 0..text.len()) }
    }

    /// Where to begin again, with more of the text, after nothing was read.
    pub(crate) fn resumes_at(&self) -> usize {
        self.resumes_at
    }

    /// Reads the next token; nothing if what follows may change it. Whatever
    /// reaches the end of the text may go on after it.
    pub(crate) fn next_certain(&mut self) -> Option<Token> {
        let token = self.next_token();
        token.filter(|_| self.sequel == InputEnd::None || self.at < self.end)
    }

    /// Reads the next token; nothing at the end.
    pub(crate) fn next_token(&mut self) -> Option<Token> {
        self.resumes_at = self.at;
        loop {
            let rest = self.rest(self.at);
            let Some(next) = rest.iter().position(|&byte| is_telling(byte)) else {
                self.pass_over_rest();
                return None;
            };
            let at = self.at + next;
            self.at = at + 1;
            match rest.byte(next) {
                b'"' => return Some(self.string(at)),
                b'{' | b'[' => return Some(Token::Open),
                b'}' | b']' => return Some(Token::Close),
                _ => {
                    if self.is_cut_comment(at) {
                        self.at = self.end;
                        return None;
                    }
                    if let Some(comment) = self.comment(at) {
                        return Some(comment);
                    }
                }
            }
        }
    }

    /// Ends reading where nothing tells anything any more. A colon is kept,
    /// for the slashes after it begin no comment.
    fn pass_over_rest(&mut self) {
        let ends_in_colon = self.rest(self.at).ends_with(b":");
        self.resumes_at = self.end - usize::from(ends_in_colon);
        self.at = self.end;
    }

    /// Whether what follows the text tells if the slash at `at` begins a
    /// comment.
    fn is_cut_comment(&self, at: usize) -> bool {
        self.sequel == InputEnd::Follows
            && match self.rest(at + 1) {
                [] => true,
                [b'*', inside @ ..] => memmem::find(inside, b"*/").is_none(),
                _ => false,
            }
    }

    fn rest(&self, from: usize) -> &'t [u8] {
        self.text.as_bytes().get(from..self.end).unwrap_or_default()
    }

    /// The string whose quote stands at `quote`. It ends with its line at the
    /// latest, since no string holds a line end.
    fn string(&mut self, quote: usize) -> Token {
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

    /// The string that ends here, which is a key if a colon follows.
    fn key_or_text(&mut self, content: Range<usize>) -> Token {
        match self.rest(self.at).iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b':') => return Token::Key(content),
            None if self.sequel == InputEnd::Follows => self.at = self.end,
            _ => {}
        }
        Token::Text(content)
    }

    /// The comment that begins with the slash at `at`. The slashes of a bare
    /// `https://` begin none.
    fn comment(&mut self, at: usize) -> Option<Token> {
        let start = at + 2;
        let (length, mark) = match self.rest(at + 1).first()? {
            b'/' if !self.text.cut(..at).ends_with(':') => {
                (memchr(b'\n', self.rest(start)).unwrap_or(self.end - start), 0)
            }
            b'/' => {
                self.at = start;
                return None;
            }
            b'*' if !self.lacks_block_end => {
                let found = memmem::find(self.rest(start), b"*/");
                self.lacks_block_end = found.is_none();
                (found?, 2)
            }
            _ => return None,
        };
        self.at = start + length + mark;
        Some(Token::Comment(start..start + length))
    }
}

fn is_telling(byte: u8) -> bool {
    matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b'/')
}
