//! A document's bytes as text, and the way back from text to bytes.
//!
//! Extractors work on UTF-8 text; a repair rewrites the file's own bytes. For
//! UTF-8, which is nearly everything, the two are the same and nothing is
//! copied. Other encodings are decoded, and every place is counted back.
//!
//! Valid UTF-8 wins over any declaration: text that is valid UTF-8 by
//! accident is next to unknown, wrong declarations are not.

use std::borrow::Cow;
use std::ops::Range;
use std::str;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::{memchr_iter, memmem};
use relink_model::Span;

use crate::cut::Cut as _;

const UTF_8_BOM: &[u8] = b"\xEF\xBB\xBF";

/// How far a `<meta charset>` is looked for (HTML standard, 13.2.3.2).
const PRESCAN_LENGTH: usize = 1024;

/// Stands for one undecodable byte, so that places stay where they are.
const SUBSTITUTE: &str = "\u{1a}";

/// A document as text.
pub(crate) struct SourceText<'b> {
    bytes: &'b [u8],
    text: Cow<'b, str>,
    layout: Layout,
    /// Set when `text` only stands in for bytes that this encoding can read.
    masked: Option<&'static Encoding>,
}

/// How places in the text map to places in the bytes.
#[derive(Debug, Clone, Copy)]
enum Layout {
    /// One for one, after this many skipped bytes.
    Same(usize),
    /// One byte a character.
    SingleByte,
    /// Two bytes a UTF-16 code unit, after the byte order mark.
    Utf16,
}

/// What the bytes turn out to be.
#[derive(Clone, Copy)]
enum Charset<'b> {
    Utf8(&'b str, usize),
    Utf16(&'static Encoding),
    Legacy(&'static Encoding),
}

impl<'b> SourceText<'b> {
    /// Reads `bytes`, in the `declared` encoding unless they tell otherwise.
    pub(crate) fn read(bytes: &'b [u8], declared: Option<&'static Encoding>) -> Self {
        Self::of(bytes, Charset::of(bytes, declared))
    }

    /// Reads `bytes` from the middle of a document, where no mark can stand.
    pub(crate) fn read_on(bytes: &'b [u8], declared: Option<&'static Encoding>) -> Self {
        Self::of(bytes, Charset::without_mark(bytes, 0, declared))
    }

    fn of(bytes: &'b [u8], charset: Charset<'b>) -> Self {
        let (text, layout, masked) = match charset {
            Charset::Utf8(text, skipped) => (Cow::Borrowed(text), Layout::Same(skipped), None),
            Charset::Utf16(encoding) => (decode(encoding, bytes.cut(2..)), Layout::Utf16, None),
            Charset::Legacy(encoding) if encoding.is_single_byte() => {
                (decode(encoding, bytes), Layout::SingleByte, None)
            }
            Charset::Legacy(encoding) => (mask(bytes), Layout::Same(0), Some(encoding)),
        };
        Self { bytes, text, layout, masked }
    }

    /// The text extractors work on.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What is written at `range` of the text.
    pub(crate) fn written(&self, range: Range<usize>) -> String {
        match self.masked {
            None => self.text.cut(range).to_owned(),
            // The stand-in is as long as what it stands for.
            Some(encoding) => decode(encoding, self.bytes.cut(range)).into_owned(),
        }
    }
}

/// Decodes `bytes` for reading alone, without any way back.
pub(crate) fn text_of<'b>(bytes: &'b [u8], declared: Option<&'static Encoding>) -> Cow<'b, str> {
    match Charset::of(bytes, declared) {
        Charset::Utf8(text, _) => Cow::Borrowed(text),
        Charset::Utf16(encoding) => decode(encoding, bytes.cut(2..)),
        Charset::Legacy(encoding) => decode(encoding, bytes),
    }
}

fn decode<'b>(encoding: &'static Encoding, bytes: &'b [u8]) -> Cow<'b, str> {
    encoding.decode_without_bom_handling(bytes).0
}

impl<'b> Charset<'b> {
    fn of(bytes: &'b [u8], declared: Option<&'static Encoding>) -> Self {
        match bytes {
            [0xFF, 0xFE, ..] => return Self::Utf16(UTF_16LE),
            [0xFE, 0xFF, ..] => return Self::Utf16(UTF_16BE),
            _ => {}
        }
        let rest = bytes.strip_prefix(UTF_8_BOM).unwrap_or(bytes);
        Self::without_mark(bytes, bytes.len() - rest.len(), declared)
    }

    /// What the bytes are that begin with `skipped` bytes of a mark at most.
    fn without_mark(bytes: &'b [u8], skipped: usize, declared: Option<&'static Encoding>) -> Self {
        match valid_utf8(bytes.cut(skipped..)) {
            Some(text) => Self::Utf8(text, skipped),
            None => Self::Legacy(legacy(bytes, declared)),
        }
    }
}

/// The text, if it is UTF-8; a body cut short may end within a character.
fn valid_utf8(bytes: &[u8]) -> Option<&str> {
    match str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => {
            str::from_utf8(bytes.cut(..error.valid_up_to())).ok()
        }
        Err(_) => None,
    }
}

fn legacy(bytes: &[u8], declared: Option<&'static Encoding>) -> &'static Encoding {
    declared
        .or_else(|| declared_by(bytes))
        .filter(|encoding| *encoding != UTF_8 && encoding.is_ascii_compatible())
        .unwrap_or_else(|| guess(bytes))
}

/// A single real UTF-8 character beyond ASCII is no accident: then the text is
/// UTF-8 with a few broken bytes, else it is taken for windows-1252, as
/// browsers do.
fn guess(bytes: &[u8]) -> &'static Encoding {
    let is_mostly_utf8 = bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    if is_mostly_utf8 { UTF_8 } else { WINDOWS_1252 }
}

/// The encoding that a document declares near its start.
pub(crate) fn declared_by(bytes: &[u8]) -> Option<&'static Encoding> {
    declared_in(bytes.cut(..bytes.len().min(PRESCAN_LENGTH)))
}

/// Whether the bytes begin with the mark of UTF-16.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF")
}

/// The encoding that `<meta charset=…>` or an XML declaration names.
fn declared_in(head: &[u8]) -> Option<&'static Encoding> {
    let lower = head.to_ascii_lowercase();
    memmem::find(&lower, b"charset").map(|at| lower.cut(at + b"charset".len()..)).and_then(label)
}

/// The encoding named in what follows `charset`: `= "label"`.
fn label(after: &[u8]) -> Option<&'static Encoding> {
    let value = after.trim_ascii_start().strip_prefix(b"=")?;
    let value = value.trim_ascii_start();
    let value = value.strip_prefix(b"\"").unwrap_or(value);
    let value = value.strip_prefix(b"'").unwrap_or(value);
    let end = value
        .iter()
        .position(|byte| {
            matches!(byte, b'"' | b'\'' | b';' | b'>' | b'/') || byte.is_ascii_whitespace()
        })
        .unwrap_or(value.len());
    Encoding::for_label(value.cut(..end))
}

/// The encoding a `Content-Type` header names.
pub(crate) fn encoding_of(content_type: Option<&str>) -> Option<&'static Encoding> {
    declared_in(content_type?.as_bytes())
}

/// The text with a one-byte stand-in for each byte that is not UTF-8.
fn mask(bytes: &[u8]) -> Cow<'_, str> {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for _ in chunk.invalid() {
            text.push_str(SUBSTITUTE);
        }
    }
    Cow::Owned(text)
}

/// Where a text begins in the document it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Bytes before it.
    pub(crate) offset: usize,
    /// Its line, from 1.
    pub(crate) line: u32,
    /// The character in that line, from 1.
    pub(crate) column: u32,
}

impl Default for Origin {
    fn default() -> Self {
        Self { offset: 0, line: 1, column: 1 }
    }
}

/// A place that moves through a document, counting as it goes.
///
/// Counting from place to place keeps long lines with many links linear.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor {
    at: usize,
    line: u32,
    column: u32,
    /// Characters or code units passed; only counted where the layout needs it.
    units: usize,
    origin: Origin,
}

impl Default for Cursor {
    fn default() -> Self {
        Self::new(Origin::default())
    }
}

impl Cursor {
    /// A place that counts from where its text begins.
    pub(crate) fn new(origin: Origin) -> Self {
        Self { at: 0, line: origin.line, column: origin.column, units: 0, origin }
    }

    /// Where a text would begin that begins here.
    pub(crate) fn origin(&self, document: &SourceText<'_>) -> Origin {
        let offset = self.span_to(document, self.at).start;
        Origin { offset, line: self.line, column: self.column }
    }

    pub(crate) fn line(&self) -> u32 {
        self.line
    }

    pub(crate) fn column(&self) -> u32 {
        self.column
    }

    /// Moves to a byte of the text, best forward.
    pub(crate) fn move_to(&mut self, document: &SourceText<'_>, to: usize) {
        if to < self.at {
            *self = Self::new(self.origin);
        }
        let passed = document.text.cut(self.at..to);
        self.units += document.layout.units(passed);
        self.count(passed);
        self.at = to;
    }

    fn count(&mut self, passed: &str) {
        let mut line_start = None;
        for newline in memchr_iter(b'\n', passed.as_bytes()) {
            self.line = self.line.saturating_add(1);
            line_start = Some(newline + 1);
        }
        if line_start.is_some() {
            self.column = 1;
        }
        let in_line = passed.cut(line_start.unwrap_or(0)..).chars().count();
        let in_line = u32::try_from(in_line).unwrap_or(u32::MAX);
        self.column = self.column.saturating_add(in_line);
    }

    /// The bytes from here to byte `end` of the text.
    pub(crate) fn span_to(&self, document: &SourceText<'_>, end: usize) -> Span {
        let units = self.units + document.layout.units(document.text.cut(self.at..end));
        let length = document.bytes.len();
        Span {
            start: self.origin.offset + document.layout.place(self.at, self.units, length),
            end: self.origin.offset + document.layout.place(end, units, length),
        }
    }
}

impl Layout {
    fn units(self, passed: &str) -> usize {
        match self {
            Self::Same(_) => 0,
            Self::SingleByte => passed.chars().count(),
            Self::Utf16 => passed.chars().map(char::len_utf16).sum(),
        }
    }

    /// The place in the bytes; an odd last byte of UTF-16 counts for a unit.
    fn place(self, at: usize, units: usize, length: usize) -> usize {
        let place = match self {
            Self::Same(skipped) => skipped + at,
            Self::SingleByte => units,
            Self::Utf16 => 2 + 2 * units,
        };
        place.min(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds `needle` in the decoded text, and its place in the bytes.
    #[track_caller]
    fn check(bytes: &[u8], needle: &str, span: Range<usize>, line: u32, column: u32) {
        let document = SourceText::read(bytes, None);
        let at = document.text().find(needle).expect("the needle is there");
        let mut cursor = Cursor::default();
        cursor.move_to(&document, at);
        let found = cursor.span_to(&document, at + needle.len());
        assert_eq!(found.range(), span);
        assert_eq!((cursor.line(), cursor.column()), (line, column));
        assert_eq!(document.written(at..at + needle.len()), needle);
    }

    #[test]
    fn utf8_places_are_byte_places() {
        check("é\r\nüx".as_bytes(), "x", 6..7, 2, 2);
        check(b"\xEF\xBB\xBFab", "b", 4..5, 1, 2);
    }

    #[test]
    fn utf16_places_count_two_bytes_a_code_unit() {
        check(b"\xFF\xFEa\0\n\0b\0", "b", 6..8, 2, 1);
        check(b"\xFE\xFF\xD8\x3D\xDE\x00\0b", "b", 6..8, 1, 2);
    }

    #[test]
    fn undeclared_bytes_beyond_utf8_are_windows_1252() {
        check(b"caf\xE9 b", "é b", 3..6, 1, 4);
    }

    #[test]
    fn a_declared_single_byte_charset_is_believed() {
        check(b"<meta charset=iso-8859-2>\xB1!", "ą!", 25..27, 1, 26);
    }

    #[test]
    fn one_bad_byte_does_not_spoil_utf8() {
        check(b"\xC3\xA9 \xFF x", "x", 5..6, 1, 5);
    }

    #[test]
    fn a_cut_character_at_the_end_is_left_out() {
        assert_eq!(SourceText::read(b"abc\xC3", None).text(), "abc");
    }

    #[test]
    fn multi_byte_charsets_are_read_for_a_digest() {
        let bytes = b"\xC4\xE3\xBA\xC3";
        let declared = encoding_of(Some("text/html; charset=GBK"));
        assert_eq!(text_of(bytes, declared), "你好");
    }
}
