//! A text as a URL parser sees it: delimiters decoded, with an index of them.
//!
//! Each unit knows its bytes in the text, so that what is found in the view
//! can be masked in the text.

use std::ops::Range;

use super::Mode;

/// One character of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    /// The character; a delimiter may be percent-encoded in the text.
    pub(super) char: char,
    /// Its first byte in the text.
    pub(super) start: usize,
    /// The byte after its last.
    pub(super) end: usize,
}

/// A text, unit by unit, with the positions of its delimiters.
#[derive(Debug)]
pub(super) struct View {
    pub(super) mode: Mode,
    units: Vec<Unit>,
    /// `@`.
    ats: Vec<usize>,
    /// `:`.
    colons: Vec<usize>,
    /// `/`, `\`, `?` and `#`, which end a host.
    delimiters: Vec<usize>,
    /// `?`, `#` and `=`, after which a URL stands inside of another.
    openers: Vec<usize>,
    /// `&`.
    ampersands: Vec<usize>,
    /// What ends a URL in prose.
    stops: Vec<usize>,
    /// White space that no URL parser removes.
    spaces: Vec<usize>,
}

/// The delimiters that are decoded.
const DECODED: &[u8] = b":/\\@?#&=;";

impl View {
    /// Reads a text.
    pub(super) fn new(text: &str, mode: Mode) -> Self {
        let units = units(text, mode);
        let positions = |is_wanted: fn(char) -> bool| -> Vec<usize> {
            units
                .iter()
                .enumerate()
                .filter(|(_, unit)| is_wanted(unit.char))
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

    /// The number of units.
    pub(super) fn len(&self) -> usize {
        self.units.len()
    }

    /// The character at a position.
    pub(super) fn char(&self, at: usize) -> Option<char> {
        self.units.get(at).map(|unit| unit.char)
    }

    /// The character before a position.
    pub(super) fn char_before(&self, at: usize) -> Option<char> {
        self.char(at.checked_sub(1)?)
    }

    /// The characters of a range.
    pub(super) fn chars(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = char> {
        self.units.get(range).unwrap_or_default().iter().map(|unit| unit.char)
    }

    /// The bytes of the text that a range of units stands for.
    pub(super) fn bytes(&self, range: Range<usize>) -> Option<(usize, usize)> {
        let units = self.units.get(range)?;
        Some((units.first()?.start, units.last()?.end))
    }

    /// The last `@` of a range.
    pub(super) fn last_at(&self, range: Range<usize>) -> Option<usize> {
        last(&self.ats, range)
    }

    /// The last `:` of a range.
    pub(super) fn last_colon(&self, range: Range<usize>) -> Option<usize> {
        last(&self.colons, range)
    }

    /// The first `:` from a position on.
    pub(super) fn next_colon(&self, from: usize) -> Option<usize> {
        next(&self.colons, from)
    }

    /// Where the host that begins here ends at the latest.
    pub(super) fn authority_end(&self, from: usize) -> usize {
        next(&self.delimiters, from).map_or(self.url_end(from), |end| end.min(self.url_end(from)))
    }

    /// Where the URL with this position in it ends.
    pub(super) fn url_end(&self, from: usize) -> usize {
        let stop = next(&self.stops, from).unwrap_or(self.len());
        // Inside a query, the next parameter ends a URL.
        let token = last(&self.stops, 0..from).map_or(0, |stop| stop + 1);
        let is_nested = last(&self.openers, token..from).is_some();
        let parameter = next(&self.ampersands, from).filter(|_| is_nested);
        parameter.map_or(stop, |end| end.min(stop))
    }

    /// Where a URL ends if it holds characters that no URL may hold.
    pub(super) fn wide_end(&self, from: usize) -> usize {
        self.quote_end(from).or_else(|| next(&self.spaces, from)).unwrap_or(self.len())
    }

    /// The closing quote of what is quoted and begins in the word at `from`.
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

/// Stops inside of a quoted URL that are looked over for its closing quote.
const MAX_STOPS: usize = 16;

/// Whether a character ends a URL in prose.
fn is_stop(char: char) -> bool {
    char.is_whitespace() || matches!(char, '<' | '>' | '"' | '(' | ')' | '`')
}

/// Whether URL parsers remove a character wherever it is (URL standard, 4.4).
pub(super) const fn is_removed(char: char) -> bool {
    matches!(char, '\t' | '\n' | '\r')
}

fn next(positions: &[usize], from: usize) -> Option<usize> {
    positions.get(positions.partition_point(|at| *at < from)).copied()
}

fn last(positions: &[usize], range: Range<usize>) -> Option<usize> {
    let before = positions.partition_point(|at| *at < range.end).checked_sub(1)?;
    positions.get(before).copied().filter(|at| *at >= range.start)
}

fn units(text: &str, mode: Mode) -> Vec<Unit> {
    let mut units = Vec::with_capacity(text.len());
    let mut from = 0;
    for (start, char) in text.char_indices() {
        if start < from {
            continue;
        }
        let decoded = (char == '%').then(|| decode(text.as_bytes(), start)).flatten();
        let (char, end) = decoded.unwrap_or((char, start + char.len_utf8()));
        from = end;
        if mode == Mode::Url && is_removed(char) {
            continue;
        }
        // Compatibility forms of `@` become `@` in a host name.
        let char = if char == '\u{ff20}' { '@' } else { char };
        units.push(Unit { char, start, end });
    }
    units
}

/// The delimiter that is percent-encoded at `start`, however often, and the
/// byte after it.
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
