//! Cuts program source into comments and code.
//!
//! One pass with a small table of marks per family of languages. A comment or
//! a string that is never closed is no reason to look at the rest twice.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use crate::cut::{ByteAt as _, Cut as _};

/// How far back the start of a line is looked for.
const INDENT_LENGTH: usize = 200;

/// What a part of program source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourcePart {
    Comment,
    Code,
}

/// The marks of a family of languages.
#[derive(Debug)]
pub(super) struct Syntax {
    /// What begins a comment that ends with its line.
    pub(super) line_marks: &'static [&'static str],
    /// What begins and what ends a comment over several lines.
    pub(super) blocks: &'static [(&'static str, &'static str)],
    /// Quotes of strings that end with their line at the latest.
    pub(super) quotes: &'static [u8],
    /// Quotes of strings over several lines.
    pub(super) long_quotes: &'static [u8],
    /// What sets this family apart from the plain rules.
    pub(super) habit: CommentStyle,
}

/// What a family does that others do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommentStyle {
    None,
    /// A comment may hold comments, and `'` quotes a single character.
    Rust,
    /// A mark of a comment begins a word.
    Words,
    /// Strings in three quotes, which are text where a statement begins.
    Docstrings,
}

/// The parts of a source, in order.
pub(super) struct Parts<'t> {
    text: &'t str,
    syntax: &'static Syntax,
    /// Which bytes begin a mark or a string.
    telling: [bool; 256],
    at: usize,
    /// Where code begins that has not been handed out.
    code: usize,
    /// A comment found behind code that comes first.
    next: Option<Range<usize>>,
    /// The marks whose end was once searched for in vain.
    endless: Vec<&'static str>,
    /// The quotes whose end was once searched for in vain.
    endless_quotes: Vec<u8>,
}

impl<'t> Parts<'t> {
    pub(super) fn new(text: &'t str, syntax: &'static Syntax) -> Self {
        Self {
            text,
            syntax,
            telling: syntax.telling(),
            at: 0,
            code: 0,
            next: None,
            endless: Vec::new(),
            endless_quotes: Vec::new(),
        }
    }

    fn rest(&self, from: usize) -> &'t [u8] {
        self.text.as_bytes().get(from..).unwrap_or_default()
    }

    /// Moves to the next comment and past it.
    #[expect(clippy::indexing_slicing, reason = "the table has a cell for every byte")]
    fn find_comment(&mut self) -> Option<Range<usize>> {
        loop {
            let rest = self.rest(self.at);
            let next = rest.iter().position(|&byte| self.telling[usize::from(byte)])?;
            self.at += next;
            if let Some(comment) = self.block().or_else(|| self.line_comment()) {
                return Some(comment);
            }
            if let Some(docstring) = self.pass_string() {
                return Some(docstring);
            }
        }
    }

    fn block(&mut self) -> Option<Range<usize>> {
        let rest = self.rest(self.at);
        let &(open, close) =
            self.syntax.blocks.iter().find(|(open, _)| rest.starts_with(open.as_bytes()))?;
        // `=begin` counts only at the start of a line.
        if open.starts_with('=') && !self.is_line_start() {
            return None;
        }
        let start = self.at + open.len();
        let end = self.block_end(start, open, close)?;
        self.at = end + close.len();
        Some(start..end)
    }

    fn block_end(&mut self, start: usize, open: &'static str, close: &str) -> Option<usize> {
        if self.endless.contains(&open) {
            return None;
        }
        let end = if self.syntax.habit == CommentStyle::Rust {
            self.nested_end(start)
        } else {
            memmem::find(self.rest(start), close.as_bytes()).map(|length| start + length)
        };
        if end.is_none() {
            self.endless.push(open);
        }
        end
    }

    /// Where a comment ends that may hold others.
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

    fn line_comment(&mut self) -> Option<Range<usize>> {
        let rest = self.rest(self.at);
        let mark = self.syntax.line_marks.iter().find(|mark| rest.starts_with(mark.as_bytes()))?;
        let before = self.text.cut(..self.at).chars().next_back();
        // The slashes of `https://` begin no comment.
        let may_begin = match self.syntax.habit {
            CommentStyle::Words => before.is_none_or(|before| {
                before.is_whitespace() || matches!(before, ';' | ')' | ']' | '}' | ',')
            }),
            _ => *mark != "//" || before != Some(':'),
        };
        if !may_begin {
            self.at += mark.len();
            return None;
        }
        let start = self.at + mark.len();
        let end = memchr(b'\n', self.rest(start)).map_or(self.text.len(), |length| start + length);
        self.at = end;
        Some(start..end)
    }

    /// Passes over a string or any other character; returns it if it is text.
    fn pass_string(&mut self) -> Option<Range<usize>> {
        let quote = *self.rest(self.at).first()?;
        let is_short = self.syntax.quotes.contains(&quote);
        let is_long = self.syntax.long_quotes.contains(&quote);
        if self.syntax.habit == CommentStyle::Docstrings && is_short && self.is_threefold(quote) {
            return self.threefold(quote);
        }
        if self.syntax.habit == CommentStyle::Rust && quote == b'\'' {
            self.at += self.character_length();
        } else if is_short || is_long {
            self.at = self.string_end(quote, is_long);
        } else {
            self.at += 1;
        }
        None
    }

    /// Where a string ends that is quoted at the place. One that must end with
    /// its line does.
    fn string_end(&mut self, quote: u8, is_long: bool) -> usize {
        let mut at = self.at + 1;
        if self.endless_quotes.contains(&quote) {
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
        // Not closed: what follows is read as if the quote were none.
        self.endless_quotes.push(quote);
        self.at + 1
    }

    /// The length of a character in quotes; a lifetime is the quote alone.
    fn character_length(&self) -> usize {
        match self.rest(self.at) {
            [_, b'\\', _, b'\'', ..] => 4,
            [_, _, b'\'', ..] => 3,
            _ => 1,
        }
    }

    fn is_threefold(&self, quote: u8) -> bool {
        self.rest(self.at).starts_with(&[quote; 3])
    }

    /// Passes over a string in three quotes.
    fn threefold(&mut self, quote: u8) -> Option<Range<usize>> {
        let start = self.at + 3;
        let is_docstring = self.begins_statement();
        let mark = if quote == b'"' { "\"\"\"" } else { "'''" };
        let Some(end) = self.block_end(start, mark, mark) else {
            self.at = start;
            return None;
        };
        self.at = end + mark.len();
        is_docstring.then_some(start..end)
    }

    /// Whether only white space and the letters of a string's kind stand
    /// before the place in its line, or a word that says documentation follows.
    fn begins_statement(&self) -> bool {
        let before = self.text.as_bytes().cut(self.at.saturating_sub(INDENT_LENGTH)..self.at);
        let start = match memrchr(b'\n', before) {
            Some(newline) => newline + 1,
            None if self.at <= INDENT_LENGTH => 0,
            None => return false,
        };
        let word = before.cut(start..).trim_ascii();
        word.len() <= 2 && word.iter().all(|byte| b"rRuUbBfF".contains(byte))
            || matches!(word, b"@doc" | b"@moduledoc" | b"@typedoc")
    }

    fn is_line_start(&self) -> bool {
        self.at == 0 || self.text.as_bytes().byte(self.at - 1) == b'\n'
    }
}

impl Iterator for Parts<'_> {
    type Item = (Range<usize>, SourcePart);

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(comment) = self.next.take() {
            return Some((comment, SourcePart::Comment));
        }
        let from = self.code;
        let comment = self.find_comment();
        let end = comment.as_ref().map_or(self.text.len(), |comment| comment.start);
        self.code = if comment.is_some() { self.at } else { self.text.len() };
        if comment.is_none() {
            self.at = self.text.len();
        }
        if from >= end {
            return comment.map(|comment| (comment, SourcePart::Comment));
        }
        self.next = comment;
        Some((from..end, SourcePart::Code))
    }
}

impl Syntax {
    /// The bytes that begin a mark or a string; all are ASCII.
    #[expect(clippy::indexing_slicing, reason = "the table has a cell for every byte")]
    fn telling(&self) -> [bool; 256] {
        let lines = self.line_marks.iter().filter_map(|mark| mark.bytes().next());
        let blocks = self.blocks.iter().filter_map(|(open, _)| open.bytes().next());
        let quotes = self.quotes.iter().chain(self.long_quotes).copied();
        let mut telling = [false; 256];
        for byte in lines.chain(blocks).chain(quotes) {
            telling[usize::from(byte)] = true;
        }
        telling
    }
}
