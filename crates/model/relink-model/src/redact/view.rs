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
    at_signs: Vec<usize>,
    /// Positions of `:`.
    colons: Vec<usize>,
    /// Positions of `/`, `\`, `?` and `#`, which end an authority.
    delimiters: Vec<usize>,
    /// Positions of `?`, `#` and `=`, which may precede a URL inside of another URL.
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
        let only_in_prose = |list: Vec<usize>| if mode == Mode::Prose { list } else { Vec::new() };
        Self {
            mode,
            at_signs: positions(|char| char == '@'),
            colons: positions(|char| char == ':'),
            delimiters: positions(|char| matches!(char, '/' | '\\' | '?' | '#')),
            openers: positions(|char| matches!(char, '?' | '#' | '=')),
            ampersands: positions(|char| char == '&'),
            stops: only_in_prose(positions(is_stop)),
            spaces: only_in_prose(positions(|char| char.is_whitespace() && !is_removed(char))),
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
    pub(super) fn byte_range(&self, range: Range<usize>) -> Option<(usize, usize)> {
        let units = self.units.get(range)?;
        Some((units.first()?.start, units.last()?.end))
    }

    /// Returns the position of the last `@` in a range.
    pub(super) fn last_at_sign(&self, range: Range<usize>) -> Option<usize> {
        last_in(&self.at_signs, range)
    }

    /// Returns the position of the last `:` in a range.
    pub(super) fn last_colon(&self, range: Range<usize>) -> Option<usize> {
        last_in(&self.colons, range)
    }

    /// Returns the position of the first `:` at or after `from`.
    pub(super) fn next_colon(&self, from: usize) -> Option<usize> {
        first_from(&self.colons, from)
    }

    /// Returns the end of the authority that starts at `from`.
    pub(super) fn authority_end(&self, from: usize) -> usize {
        let url_end = self.url_end(from);
        first_from(&self.delimiters, from).map_or(url_end, |delimiter| delimiter.min(url_end))
    }

    /// Returns the end of the URL that contains the position `from`.
    pub(super) fn url_end(&self, from: usize) -> usize {
        let stop = first_from(&self.stops, from).unwrap_or(self.len());
        // A URL inside the query of another URL ends at the next parameter.
        let word_start = last_in(&self.stops, 0..from).map_or(0, |stop| stop + 1);
        let is_nested = last_in(&self.openers, word_start..from).is_some();
        let parameter = first_from(&self.ampersands, from).filter(|_| is_nested);
        parameter.map_or(stop, |end| end.min(stop))
    }

    /// Returns the end of a malformed URL, which may contain characters that usually end
    /// a URL: the closing quote, or else the next white space.
    pub(super) fn malformed_url_end(&self, from: usize) -> usize {
        self.closing_quote(from).or_else(|| first_from(&self.spaces, from)).unwrap_or(self.len())
    }

    /// Returns the closing quote of a quoted text whose first word contains `from`.
    fn closing_quote(&self, from: usize) -> Option<usize> {
        let opening = last_in(&self.stops, 0..from)?;
        let closing = match self.char(opening)? {
            quote @ ('"' | '`') => quote,
            '<' => '>',
            '(' => ')',
            _ => return None,
        };
        let first_index = self.stops.partition_point(|stop| *stop < from);
        let following = self.stops.get(first_index..)?.iter().take(MAX_STOPS);
        following.copied().find(|stop| self.char(*stop) == Some(closing))
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
fn first_from(positions: &[usize], from: usize) -> Option<usize> {
    positions.get(positions.partition_point(|at| *at < from)).copied()
}

/// Returns the last of the ascending positions in a range.
fn last_in(positions: &[usize], range: Range<usize>) -> Option<usize> {
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
        let decoded = if char == '%' { decode_delimiter(text.as_bytes(), start) } else { None };
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
fn decode_delimiter(text: &[u8], start: usize) -> Option<(char, usize)> {
    let mut digits_start = start + 1;
    // `%25` is an encoded `%`.
    while text.get(digits_start..digits_start + 2) == Some(b"25") {
        digits_start += 2;
    }
    let digits = text.get(digits_start..digits_start + 2)?;
    let byte = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    let is_decoded = DECODED.contains(&byte) || is_removed(char::from(byte));
    is_decoded.then(|| (char::from(byte), digits_start + 2))
}
