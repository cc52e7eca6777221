//! Cuts JSON into strings and brackets.
//!
//! Each byte is looked at a bounded number of times, whatever comes in. What
//! is neither string nor bracket (numbers, words, commas) is passed over, and
//! so is a comment, which JSON has none of but settings files do.

use std::ops::Range;

use memchr::{memchr, memchr3, memmem};

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
}

impl<'t> Tokenizer<'t> {
    pub(crate) fn new(text: &'t str, part: Range<usize>) -> Self {
        Self { text, at: part.start, end: part.end, lacks_block_end: false }
    }

    /// Reads the next token; nothing at the end.
    pub(crate) fn next_token(&mut self) -> Option<Token> {
        loop {
            let rest = self.rest(self.at);
            let Some(next) = rest.iter().position(|&byte| is_telling(byte)) else {
                self.at = self.end;
                return None;
            };
            let at = self.at + next;
            self.at = at + 1;
            match rest[next] {
                b'"' => return Some(self.string(at)),
                b'{' | b'[' => return Some(Token::Open),
                b'}' | b']' => return Some(Token::Close),
                _ => {
                    if let Some(comment) = self.comment(at) {
                        return Some(comment);
                    }
                }
            }
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
                    return if self.is_key() {
                        Token::Key(start..at)
                    } else {
                        Token::Text(start..at)
                    };
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

    /// Whether a colon follows.
    fn is_key(&self) -> bool {
        self.rest(self.at).iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
    }

    /// The comment that begins with the slash at `at`. The slashes of a bare
    /// `https://` begin none.
    fn comment(&mut self, at: usize) -> Option<Token> {
        let start = at + 2;
        let (length, mark) = match self.rest(at + 1).first()? {
            b'/' if !self.text[..at].ends_with(':') => {
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
