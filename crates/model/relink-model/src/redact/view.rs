//! A text with percent-encoded delimiters decoded, and an index of the delimiters.
//!
//! The characters of the view are units. Each unit has its byte range in the original
//! text, so that a range of units can be masked (replaced) there.

use std::ops::Range;

use super::{FULLWIDTH_AT, Mode};

/// One character of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    /// The character; a delimiter may be percent-encoded in the text.
    pub(super) char: char,
    /// The first byte of the unit in the text.
    pub(super) start: usize,
    /// The byte after the last byte of the unit in the text.
    pub(super) end: usize,
}

/// The units of a text and the positions of its delimiters.
#[derive(Debug)]
pub(super) struct View {
    pub(super) mode: Mode,
    units: Vec<Unit>,
    /// Positions of `@`.
    ats: Vec<usize>,
    /// Positions of `:`.
    colons: Vec<usize>,
    /// Positions of `/`, `\`, `?` and `#`, which end an authority.
    delimiters: Vec<usize>,
    /// Positions of `?`, `#` and `=`, which may precede a nested URL.
    openers: Vec<usize>,
    /// Positions of `&`.
    ampersands: Vec<usize>,
    /// Positions of characters that end a URL in prose.
    stops: Vec<usize>,
    /// Positions of white space that URL parsers do not remove.
    spaces: Vec<usize>,
}

/// The delimiters that are decoded.
const DECODED: &[u8] = b":/\\@?#&=;";

impl View {
    /// Creates the view of a text.
    pub(super) fn new(text: &str, mode: Mode) -> Self {
        let units = units(text, mode);
        let positions = |predicate: fn(char) -> bool| -> Vec<usize> {
            units
                .iter()
                .enumerate()
                .filter(|(_, unit)| predicate(unit.char))
                .map(|(at, _)| at)
                .collect()
        };
        let in_prose = |list: Vec<usize>| if mode == Mode::Prose { list } else { Vec::new() };
        Self {
            mode,
            ats: positions(|char| char == '@'),
            colons: positions(|char| char == ':'),
            delimiters: positions(|char| matches!(char, '/' | '\\' | '?' | '#')),
            openers: positions(|char| matches!(char, '?' | '#' | '=')),
            ampersands: positions(|char| char == '&'),
            stops: in_prose(positions(is_stop)),
            spaces: in_prose(positions(|char| char.is_whitespace() && !is_removed(char))),
            units,
        }
    }

    /// Returns the number of units.
    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    /// Returns the character at a position.
    pub(super) fn char(&self, at: usize) -> Option<char> {
        self.units.get(at).map(|unit| unit.char)
    }

    /// Returns the character before a position.
    pub(super) fn char_before(&self, at: usize) -> Option<char> {
        self.char(at.checked_sub(1)?)
    }

    /// Returns the characters of a range.
    pub(super) fn chars(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = char> {
        self.units.get(range).unwrap_or_default().iter().map(|unit| unit.char)
    }

    /// Returns the byte range of a range of units.
    pub(super) fn bytes(&self, range: Range<usize>) -> Option<(usize, usize)> {
        let units = self.units.get(range)?;
        Some((units.first()?.start, units.last()?.end))
    }

    /// Returns the position of the last `@` in a range.
    pub(super) fn last_at(&self, range: Range<usize>) -> Option<usize> {
        last(&self.ats, range)
    }

    /// Returns the position of the last `:` in a range.
    pub(super) fn last_colon(&self, range: Range<usize>) -> Option<usize> {
        last(&self.colons, range)
    }

    /// Returns the position of the first `:` at or after `from`.
    pub(super) fn next_colon(&self, from: usize) -> Option<usize> {
        next(&self.colons, from)
    }

    /// Returns the end of the authority that starts at `from`.
    pub(super) fn authority_end(&self, from: usize) -> usize {
        next(&self.delimiters, from).map_or(self.url_end(from), |end| end.min(self.url_end(from)))
    }

    /// Returns the end of the URL that contains the position `from`.
    pub(super) fn url_end(&self, from: usize) -> usize {
        let stop = next(&self.stops, from).unwrap_or(self.len());
        // A URL inside the query of another URL ends at the next parameter.
        let word_start = last(&self.stops, 0..from).map_or(0, |stop| stop + 1);
        let is_nested = last(&self.openers, word_start..from).is_some();
        let parameter = next(&self.ampersands, from).filter(|_| is_nested);
        parameter.map_or(stop, |end| end.min(stop))
    }

    /// Returns the end of a malformed URL, which may contain characters that usually end
    /// a URL: the closing quote, or else the next white space.
    pub(super) fn wide_end(&self, from: usize) -> usize {
        self.quote_end(from).or_else(|| next(&self.spaces, from)).unwrap_or(self.len())
    }

    /// Returns the closing quote of a quoted text whose first word contains `from`.
    fn quote_end(&self, from: usize) -> Option<usize> {
        let opening = last(&self.stops, 0..from)?;
        let closing = match self.char(opening)? {
            quote @ ('"' | '`') => quote,
            '<' => '>',
            '(' => ')',
            _ => return None,
        };
        let first = self.stops.partition_point(|stop| *stop < from);
        let later = self.stops.get(first..)?.iter().take(MAX_STOPS);
        later.copied().find(|stop| self.char(*stop) == Some(closing))
    }
}

/// The maximum number of stops that are searched for a closing quote.
const MAX_STOPS: usize = 16;

/// Whether a character ends a URL in prose.
fn is_stop(char: char) -> bool {
    char.is_whitespace() || matches!(char, '<' | '>' | '"' | '(' | ')' | '`')
}

/// Whether URL parsers remove a character at any position (URL standard, 4.4).
pub(super) const fn is_removed(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r')
}

/// Returns the first of the ascending positions at or after `from`.
fn next(positions: &[usize], from: usize) -> Option<usize> {
    positions.get(positions.partition_point(|at| *at < from)).copied()
}

/// Returns the last of the ascending positions in a range.
fn last(positions: &[usize], range: Range<usize>) -> Option<usize> {
    let index = positions.partition_point(|at| *at < range.end).checked_sub(1)?;
    positions.get(index).copied().filter(|at| *at >= range.start)
}

/// Splits a text into units. In a URL, white space that parsers remove is omitted.
fn units(text: &str, mode: Mode) -> Vec<Unit> {
    let mut units = Vec::with_capacity(text.len());
    let mut decoded_until = 0;
    for (start, char) in text.char_indices() {
        if start < decoded_until {
            continue;
        }
        let decoded = (char == '%').then(|| decode(text.as_bytes(), start)).flatten();
        let (char, end) = decoded.unwrap_or((char, start + char.len_utf8()));
        decoded_until = end;
        if mode == Mode::Url && is_removed(char) {
            continue;
        }
        // Compatibility forms of `@` become `@` in a host name.
        let char = if char == FULLWIDTH_AT { '@' } else { char };
        units.push(Unit { char, start, end });
    }
    units
}

/// Decodes a delimiter that is percent-encoded at `start`, once (`%40`) or repeatedly
/// (`%2540`). Returns the delimiter and the position of the byte after it.
fn decode(text: &[u8], start: usize) -> Option<(char, usize)> {
    let mut at = start + 1;
    while text.get(at..at + 2) == Some(b"25") {
        at += 2;
    }
    let pair = text.get(at..at + 2)?;
    let byte = u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()?;
    let is_decoded = DECODED.contains(&byte) || is_removed(char::from(byte));
    is_decoded.then(|| (char::from(byte), at + 2))
}
