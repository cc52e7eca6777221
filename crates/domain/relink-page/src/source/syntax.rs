//! Splits source code into comments and code.
//!
//! The text is read once, with a table of the comment and string delimiters of its
//! language family. A failed search for a closing delimiter is not repeated, so the
//! time is linear.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use crate::safe_slice::{ByteAt as _, SafeSlice as _};

/// Maximum distance searched backward for the start of a line.
const MAX_INDENT: usize = 200;

/// Kind of a part of source code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourcePart {
    Comment,
    Code,
}

/// Comment and string delimiters of a language family.
#[derive(Debug)]
pub(super) struct Syntax {
    /// Markers of comments that end with their line.
    pub(super) line_markers: &'static [&'static str],
    /// Opening and closing markers of block comments.
    pub(super) block_markers: &'static [(&'static str, &'static str)],
    /// Quotes of strings that end with their line.
    pub(super) quotes: &'static [u8],
    /// Quotes of strings that may span lines.
    pub(super) long_quotes: &'static [u8],
    /// Rules that differ from other families.
    pub(super) style: CommentStyle,
}

/// Rules of a family in addition to its delimiters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommentStyle {
    Plain,
    /// Block comments nest, and `'` quotes a single character.
    Rust,
    /// A comment marker must start a word.
    WordStart,
    /// Triple-quoted strings are comments at the start of a statement.
    Docstrings,
}

/// Iterator over the parts of source code, in order.
pub(super) struct SourceParts<'t> {
    text: &'t str,
    syntax: &'static Syntax,
    /// Whether a byte may start a comment or a string.
    starts_token: [bool; 256],
    at: usize,
    /// Start of the code that has not been returned yet.
    code_start: usize,
    /// A comment to return after the code before it.
    pending_comment: Option<Range<usize>>,
    /// Opening markers without a closing marker in the rest of the text.
    unclosed_markers: Vec<&'static str>,
    /// Quotes without a closing quote in the rest of the text.
    unclosed_quotes: Vec<u8>,
}

impl<'t> SourceParts<'t> {
    pub(super) fn new(text: &'t str, syntax: &'static Syntax) -> Self {
        Self {
            text,
            syntax,
            starts_token: syntax.token_starts(),
            at: 0,
            code_start: 0,
            pending_comment: None,
            unclosed_markers: Vec::new(),
            unclosed_quotes: Vec::new(),
        }
    }

    fn rest(&self, from: usize) -> &'t [u8] {
        self.text.as_bytes().get(from..).unwrap_or_default()
    }

    /// Finds the next comment or docstring and moves past it.
    #[expect(clippy::indexing_slicing, reason = "the table has an entry for every byte")]
    fn find_comment(&mut self) -> Option<Range<usize>> {
        loop {
            let rest = self.rest(self.at);
            let next = rest.iter().position(|&byte| self.starts_token[usize::from(byte)])?;
            self.at += next;
            if let Some(comment) = self.read_block_comment().or_else(|| self.read_line_comment()) {
                return Some(comment);
            }
            if let Some(docstring) = self.skip_string() {
                return Some(docstring);
            }
        }
    }

    fn read_block_comment(&mut self) -> Option<Range<usize>> {
        let rest = self.rest(self.at);
        let &(open, close) =
            self.syntax.block_markers.iter().find(|(open, _)| rest.starts_with(open.as_bytes()))?;
        // `=begin` and similar markers must start a line.
        if open.starts_with('=') && !self.is_line_start() {
            return None;
        }
        let start = self.at + open.len();
        let end = self.block_end(start, open, close)?;
        self.at = end + close.len();
        Some(start..end)
    }

    /// Returns the end of a block comment or triple-quoted string.
    fn block_end(&mut self, start: usize, open: &'static str, close: &str) -> Option<usize> {
        if self.unclosed_markers.contains(&open) {
            return None;
        }
        let end = if self.syntax.style == CommentStyle::Rust {
            self.nested_end(start)
        } else {
            memmem::find(self.rest(start), close.as_bytes()).map(|length| start + length)
        };
        if end.is_none() {
            self.unclosed_markers.push(open);
        }
        end
    }

    /// Returns the end of a block comment that may contain other block comments.
    fn nested_end(&self, start: usize) -> Option<usize> {
        let (mut at, mut depth) = (start, 0_usize);
        loop {
            at += self.rest(at).iter().position(|byte| matches!(byte, b'/' | b'*'))?;
            match self.rest(at) {
                [b'*', b'/', ..] if depth == 0 => return Some(at),
                [b'*', b'/', ..] => (at, depth) = (at + 2, depth - 1),
                [b'/', b'*', ..] => (at, depth) = (at + 2, depth + 1),
                _ => at += 1,
            }
        }
    }

    fn read_line_comment(&mut self) -> Option<Range<usize>> {
        let rest = self.rest(self.at);
        let marker =
            self.syntax.line_markers.iter().find(|marker| rest.starts_with(marker.as_bytes()))?;
        let before = self.text.slice(..self.at).chars().next_back();
        // The slashes of `https://` do not start a comment.
        let may_start = match self.syntax.style {
            CommentStyle::WordStart => before.is_none_or(|before| {
                before.is_whitespace() || matches!(before, ';' | ')' | ']' | '}' | ',')
            }),
            _ => *marker != "//" || before != Some(':'),
        };
        if !may_start {
            self.at += marker.len();
            return None;
        }
        let start = self.at + marker.len();
        let end = memchr(b'\n', self.rest(start)).map_or(self.text.len(), |length| start + length);
        self.at = end;
        Some(start..end)
    }

    /// Skips the string at the current offset, or one character if no string starts here.
    /// Returns the content if it is a docstring.
    fn skip_string(&mut self) -> Option<Range<usize>> {
        let quote = *self.rest(self.at).first()?;
        let is_one_line = self.syntax.quotes.contains(&quote);
        let is_long = self.syntax.long_quotes.contains(&quote);
        if self.syntax.style == CommentStyle::Docstrings
            && is_one_line
            && self.is_triple_quote(quote)
        {
            return self.skip_triple_quoted(quote);
        }
        if self.syntax.style == CommentStyle::Rust && quote == b'\'' {
            self.at += self.character_length();
        } else if is_one_line || is_long {
            self.at = self.string_end(quote, is_long);
        } else {
            self.at += 1;
        }
        None
    }

    /// Returns the end of the string that starts at the current offset. Strings
    /// that cannot span lines end with their line.
    fn string_end(&mut self, quote: u8, is_long: bool) -> usize {
        let mut at = self.at + 1;
        if self.unclosed_quotes.contains(&quote) {
            return at;
        }
        while let Some(&byte) = self.rest(at).first() {
            match byte {
                b'\\' if self.rest(at + 1).first() != Some(&b'\n') => at += 1,
                b'\n' if !is_long => return at,
                _ if byte == quote => return at + 1,
                _ => {}
            }
            at += 1;
        }
        if !is_long {
            return self.text.len();
        }
        // Not closed: treat the quote as a regular character.
        self.unclosed_quotes.push(quote);
        self.at + 1
    }

    /// Returns the length of a character literal, or 1 for the quote of a
    /// lifetime.
    fn character_length(&self) -> usize {
        match self.rest(self.at) {
            [_, b'\\', _, b'\'', ..] => 4,
            [_, _, b'\'', ..] => 3,
            _ => 1,
        }
    }

    fn is_triple_quote(&self, quote: u8) -> bool {
        self.rest(self.at).starts_with(&[quote; 3])
    }

    /// Skips a triple-quoted string. Returns its content if it is a docstring.
    fn skip_triple_quoted(&mut self, quote: u8) -> Option<Range<usize>> {
        let start = self.at + 3;
        let is_docstring = self.starts_statement();
        let marker = if quote == b'"' { "\"\"\"" } else { "'''" };
        let Some(end) = self.block_end(start, marker, marker) else {
            self.at = start;
            return None;
        };
        self.at = end + marker.len();
        is_docstring.then_some(start..end)
    }

    /// Whether the string is the first token of its line, apart from a string
    /// prefix (`r`, `b`, …) or a documentation attribute (`@doc`).
    fn starts_statement(&self) -> bool {
        let before = self.text.as_bytes().slice(self.at.saturating_sub(MAX_INDENT)..self.at);
        let start = match memrchr(b'\n', before) {
            Some(newline) => newline + 1,
            None if self.at <= MAX_INDENT => 0,
            None => return false,
        };
        let word = before.slice(start..).trim_ascii();
        word.len() <= 2 && word.iter().all(|byte| b"rRuUbBfF".contains(byte))
            || matches!(word, b"@doc" | b"@moduledoc" | b"@typedoc")
    }

    fn is_line_start(&self) -> bool {
        self.at == 0 || self.text.as_bytes().byte(self.at - 1) == b'\n'
    }
}

impl Iterator for SourceParts<'_> {
    type Item = (Range<usize>, SourcePart);

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(comment) = self.pending_comment.take() {
            return Some((comment, SourcePart::Comment));
        }
        let from = self.code_start;
        let comment = self.find_comment();
        let end = comment.as_ref().map_or(self.text.len(), |comment| comment.start);
        self.code_start = if comment.is_some() { self.at } else { self.text.len() };
        if comment.is_none() {
            self.at = self.text.len();
        }
        if from >= end {
            return comment.map(|comment| (comment, SourcePart::Comment));
        }
        self.pending_comment = comment;
        Some((from..end, SourcePart::Code))
    }
}

impl Syntax {
    /// Returns a table of the bytes that may start a comment or a string; all
    /// are ASCII.
    #[expect(clippy::indexing_slicing, reason = "the table has an entry for every byte")]
    fn token_starts(&self) -> [bool; 256] {
        let lines = self.line_markers.iter().filter_map(|marker| marker.bytes().next());
        let blocks = self.block_markers.iter().filter_map(|(open, _)| open.bytes().next());
        let quotes = self.quotes.iter().chain(self.long_quotes).copied();
        let mut starts_token = [false; 256];
        for byte in lines.chain(blocks).chain(quotes) {
            starts_token[usize::from(byte)] = true;
        }
        starts_token
    }
}
