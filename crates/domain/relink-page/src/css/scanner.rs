//! Scans a style sheet for URLs and comments.

use std::ops::Range;

use memchr::memmem;

use super::escape::unescape;
use crate::link_sink::DestinationSyntax;
use crate::list::trim_range;
use crate::safe_slice::SafeSlice as _;

/// An item found in a style sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CssItem {
    /// The range of a URL and its syntax.
    Url(Range<usize>, DestinationSyntax),
    /// The inside of a comment.
    Comment(Range<usize>),
}

/// The current statement, which decides whether a string is a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Statement {
    Import,
    Namespace,
    Other,
}

/// Iterator over the URLs and comments of a style sheet.
pub(crate) struct CssScanner<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    statement: Statement,
    /// Number of open parentheses.
    depth: usize,
    /// Value of `depth` inside the current `image-set(…)`, in which strings are URLs.
    image_set: Option<usize>,
}

impl<'t> CssScanner<'t> {
    pub(crate) fn new(text: &'t str, part: Range<usize>) -> Self {
        Self {
            text,
            at: part.start,
            end: part.end,
            statement: Statement::Other,
            depth: 0,
            image_set: None,
        }
    }

    /// Returns the byte at an offset, or `None` at the end.
    fn byte(&self, at: usize) -> Option<u8> {
        self.rest(at).first().copied()
    }

    /// Returns the bytes from an offset to the end.
    fn rest(&self, from: usize) -> &'t [u8] {
        self.text.as_bytes().get(from..self.end).unwrap_or_default()
    }

    /// Returns the offset of the first byte from `from` on that does not match.
    fn end_of_run(&self, from: usize, matches: impl Fn(u8) -> bool) -> usize {
        let rest = self.rest(from);
        from + rest.iter().position(|&byte| !matches(byte)).unwrap_or(rest.len())
    }

    /// Reads a comment if one starts at the slash.
    fn read_comment(&mut self, slash: usize) -> Option<CssItem> {
        let start = slash + 2;
        if !self.rest(slash).starts_with(b"/*") {
            return None;
        }
        let end = memmem::find(self.rest(start), b"*/").map_or(self.end, |length| start + length);
        self.at = (end + 2).min(self.end);
        Some(CssItem::Comment(start..end))
    }

    /// Reads the name of an at-rule such as `@import`.
    fn read_at_rule(&mut self, at_sign: usize) {
        let end = self.end_of_run(at_sign + 1, is_name_byte);
        let name = self.text.slice(at_sign + 1..end);
        self.statement = if name.eq_ignore_ascii_case("import") {
            Statement::Import
        } else if name.eq_ignore_ascii_case("namespace") {
            Statement::Namespace
        } else {
            Statement::Other
        };
        self.at = end;
    }

    /// Parses an identifier, which may be the name of a function.
    fn read_identifier(&mut self, start: usize) -> Option<CssItem> {
        let end = self.end_of_run(start, is_name_byte);
        self.at = end;
        if self.byte(end) != Some(b'(') {
            return None;
        }
        // Compare bytes: an escape may have split a character, so the name may be invalid UTF-8.
        let name = self.text.as_bytes().slice(start..end);
        self.at = end + 1;
        if name.eq_ignore_ascii_case(b"url") {
            return self.read_url();
        }
        self.depth += 1;
        let is_image_set = name.eq_ignore_ascii_case(b"image-set")
            || name.eq_ignore_ascii_case(b"-webkit-image-set");
        if is_image_set {
            self.image_set = Some(self.depth);
        }
        None
    }

    /// Leaves a parenthesis, and `image-set()` if it ends here.
    fn close_parenthesis(&mut self) {
        if self.image_set == Some(self.depth) {
            self.image_set = None;
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// Parses the URL after `url(`.
    fn read_url(&mut self) -> Option<CssItem> {
        let start = self.end_of_run(self.at, is_space);
        if let Some(b'"' | b'\'') = self.byte(start) {
            let content = self.read_string(start);
            self.at = self.closing_parenthesis(self.at).map_or(self.end, |close| close + 1);
            return content.and_then(|range| self.url_item(range));
        }
        let end = self.plain_url_end(start);
        let after = self.end_of_run(end, is_space);
        if matches!(self.byte(after), Some(b')')) {
            self.at = after + 1;
            return self.url_item(start..end);
        }
        // The URL is invalid in CSS, but may be a template placeholder.
        self.at = self.end;
        let close = self.closing_parenthesis(after)?;
        self.at = close + 1;
        let is_placeholder = self.text.slice(start..close).contains("{{");
        is_placeholder
            .then(|| CssItem::Url(trim_range(self.text, start..close), DestinationSyntax::Plain))
    }

    /// Returns the end of the URL of `url(…)` without quotes.
    fn plain_url_end(&self, start: usize) -> usize {
        let mut at = start;
        while let Some(byte) = self.byte(at) {
            match byte {
                b'\\' => at += 2,
                b')' | b'(' | b'"' | b'\'' => break,
                byte if is_space(byte) => break,
                _ => at += 1,
            }
        }
        at.min(self.end)
    }

    /// Returns the offset of the next closing parenthesis.
    fn closing_parenthesis(&self, from: usize) -> Option<usize> {
        let mut at = from;
        while let Some(byte) = self.byte(at) {
            match byte {
                b')' => return Some(at),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        None
    }

    /// Parses the string at `quote`. Returns its content, or `None` if it is
    /// not closed on its line.
    fn read_string(&mut self, quote: usize) -> Option<Range<usize>> {
        let quote_byte = self.byte(quote)?;
        let start = quote + 1;
        let mut at = start;
        while let Some(byte) = self.byte(at) {
            match byte {
                b'\\' => at += 2,
                b'\n' => {
                    self.at = at;
                    return None;
                }
                byte if byte == quote_byte => {
                    self.at = at + 1;
                    return Some(start..at);
                }
                _ => at += 1,
            }
        }
        self.at = self.end;
        None
    }

    /// Parses a string. Returns the string if it is a URL in the current statement.
    fn read_string_url(&mut self, quote: usize) -> Option<CssItem> {
        let is_url = self.statement == Statement::Import
            || self.image_set.is_some_and(|set| set == self.depth);
        let content = self.read_string(quote)?;
        if is_url { self.url_item(content) } else { None }
    }

    /// Returns the URL at `range`, except fragments and namespace names.
    fn url_item(&mut self, range: Range<usize>) -> Option<CssItem> {
        let raw = self.text.slice(range.clone());
        if self.statement == Statement::Namespace || raw.starts_with('#') {
            return None;
        }
        if self.statement == Statement::Import {
            self.statement = Statement::Other;
        }
        let syntax = unescape(raw).map_or(DestinationSyntax::Plain, DestinationSyntax::Decoded);
        Some(CssItem::Url(range, syntax))
    }
}

impl Iterator for CssScanner<'_> {
    type Item = CssItem;

    fn next(&mut self) -> Option<CssItem> {
        loop {
            let at = self.end_of_run(self.at, |byte| !starts_token(byte));
            self.at = at + 1;
            let item = match self.byte(at)? {
                b'/' => self.read_comment(at),
                b'"' | b'\'' => self.read_string_url(at),
                b'@' => {
                    self.read_at_rule(at);
                    None
                }
                b'(' => {
                    self.depth += 1;
                    None
                }
                b')' => {
                    self.close_parenthesis();
                    None
                }
                b';' | b'{' | b'}' => {
                    self.statement = Statement::Other;
                    // Recover from unclosed parentheses at the end of a
                    // declaration.
                    (self.depth, self.image_set) = (0, None);
                    None
                }
                b'\\' => {
                    self.at = at + 2;
                    None
                }
                _ => self.read_identifier(at),
            };
            if item.is_some() {
                return item;
            }
        }
    }
}

fn starts_token(byte: u8) -> bool {
    matches!(byte, b'/' | b'"' | b'\'' | b'@' | b'(' | b')' | b';' | b'{' | b'}' | b'\\')
        || is_name_byte(byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || byte >= 0x80
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}
