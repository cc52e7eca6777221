//! Goes through a style sheet and finds its addresses.

use std::ops::Range;

use memchr::memmem;

use super::escape::resolved;
use crate::cut::Cut as _;
use crate::link_sink::DestinationSyntax;
use crate::list::trim;

/// What is found in a style sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CssItem {
    /// An address, and how it is written.
    Address(Range<usize>, DestinationSyntax),
    /// What stands in a comment.
    Comment(Range<usize>),
}

/// What the strings of the statement being read are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Statement {
    Import,
    Namespace,
    Other,
}

/// Goes through a part of a text once.
pub(crate) struct Scanner<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    statement: Statement,
    /// How many parentheses are open.
    depth: usize,
    /// How many are open right inside an `image-set`, while in one.
    image_set: Option<usize>,
}

impl<'t> Scanner<'t> {
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

    fn byte(&self, at: usize) -> Option<u8> {
        self.rest(at).first().copied()
    }

    fn rest(&self, from: usize) -> &'t [u8] {
        self.text.as_bytes().get(from..self.end).unwrap_or_default()
    }

    fn pass(&self, from: usize, holds: impl Fn(u8) -> bool) -> usize {
        let rest = self.rest(from);
        from + rest.iter().position(|&byte| !holds(byte)).unwrap_or(rest.len())
    }

    fn comment(&mut self, slash: usize) -> Option<CssItem> {
        let start = slash + 2;
        if !self.rest(slash).starts_with(b"/*") {
            return None;
        }
        let end = memmem::find(self.rest(start), b"*/").map_or(self.end, |length| start + length);
        self.at = (end + 2).min(self.end);
        Some(CssItem::Comment(start..end))
    }

    fn at_rule(&mut self, sign: usize) {
        let end = self.pass(sign + 1, is_name);
        let name = self.text.cut(sign + 1..end);
        self.statement = if name.eq_ignore_ascii_case("import") {
            Statement::Import
        } else if name.eq_ignore_ascii_case("namespace") {
            Statement::Namespace
        } else {
            Statement::Other
        };
        self.at = end;
    }

    /// A name; it may be that of a function.
    fn name(&mut self, start: usize) -> Option<CssItem> {
        let end = self.pass(start, is_name);
        self.at = end;
        if self.byte(end) != Some(b'(') {
            return None;
        }
        // Bytes, since an escape may have parted a character.
        let name = self.text.as_bytes().cut(start..end);
        self.at = end + 1;
        if name.eq_ignore_ascii_case(b"url") {
            return self.url();
        }
        self.depth += 1;
        let is_image_set = name.eq_ignore_ascii_case(b"image-set")
            || name.eq_ignore_ascii_case(b"-webkit-image-set");
        if is_image_set {
            self.image_set = Some(self.depth);
        }
        None
    }

    fn close(&mut self) {
        if self.image_set == Some(self.depth) {
            self.image_set = None;
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// The address after `url(`.
    fn url(&mut self) -> Option<CssItem> {
        let start = self.pass(self.at, is_space);
        if let Some(b'"' | b'\'') = self.byte(start) {
            let content = self.string(start);
            self.at = self.closing(self.at).map_or(self.end, |close| close + 1);
            return content.and_then(|range| self.address(range));
        }
        let end = self.plain_url_end(start);
        let after = self.pass(end, is_space);
        if matches!(self.byte(after), Some(b')')) {
            self.at = after + 1;
            return self.address(start..end);
        }
        // No address as the standard has it; it may be a template's.
        self.at = self.end;
        let close = self.closing(after)?;
        self.at = close + 1;
        let is_placeholder = self.text.cut(start..close).contains("{{");
        is_placeholder
            .then(|| CssItem::Address(trim(self.text, start..close), DestinationSyntax::Plain))
    }

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

    /// The place of the next closing parenthesis.
    fn closing(&self, from: usize) -> Option<usize> {
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

    /// The content of the string at `quote`; nothing if its line or the text
    /// ends before it does.
    fn string(&mut self, quote: usize) -> Option<Range<usize>> {
        let sign = self.byte(quote)?;
        let start = quote + 1;
        let mut at = start;
        while let Some(byte) = self.byte(at) {
            match byte {
                b'\\' => at += 2,
                b'\n' => {
                    self.at = at;
                    return None;
                }
                byte if byte == sign => {
                    self.at = at + 1;
                    return Some(start..at);
                }
                _ => at += 1,
            }
        }
        self.at = self.end;
        None
    }

    /// A string that is an address where it stands.
    fn string_address(&mut self, quote: usize) -> Option<CssItem> {
        let is_address = self.statement == Statement::Import
            || self.image_set.is_some_and(|set| set == self.depth);
        let content = self.string(quote)?;
        if is_address { self.address(content) } else { None }
    }

    /// The address at `range`, unless it names part of the same page or a
    /// namespace.
    fn address(&mut self, range: Range<usize>) -> Option<CssItem> {
        let written = self.text.cut(range.clone());
        if self.statement == Statement::Namespace || written.starts_with('#') {
            return None;
        }
        if self.statement == Statement::Import {
            self.statement = Statement::Other;
        }
        let notation =
            resolved(written).map_or(DestinationSyntax::Plain, DestinationSyntax::Decoded);
        Some(CssItem::Address(range, notation))
    }
}

impl Iterator for Scanner<'_> {
    type Item = CssItem;

    fn next(&mut self) -> Option<CssItem> {
        loop {
            let at = self.pass(self.at, |byte| !is_telling(byte));
            self.at = at + 1;
            let piece = match self.byte(at)? {
                b'/' => self.comment(at),
                b'"' | b'\'' => self.string_address(at),
                b'@' => {
                    self.at_rule(at);
                    None
                }
                b'(' => {
                    self.depth += 1;
                    None
                }
                b')' => {
                    self.close();
                    None
                }
                b';' | b'{' | b'}' => {
                    self.statement = Statement::Other;
                    // Whatever was left open ends here, or nothing would.
                    (self.depth, self.image_set) = (0, None);
                    None
                }
                b'\\' => {
                    self.at = at + 2;
                    None
                }
                _ => self.name(at),
            };
            if piece.is_some() {
                return piece;
            }
        }
    }
}

fn is_telling(byte: u8) -> bool {
    matches!(byte, b'/' | b'"' | b'\'' | b'@' | b'(' | b')' | b';' | b'{' | b'}' | b'\\')
        || is_name(byte)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || byte >= 0x80
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}
