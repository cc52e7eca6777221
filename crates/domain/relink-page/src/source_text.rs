//! Decodes a document to text and maps text offsets back to byte offsets.
//!
//! Extractors work on UTF-8 text, but repairs rewrite the original bytes. UTF-8
//! documents, the common case, are borrowed without copying. Documents in other
//! encodings are decoded, and text offsets are mapped back to byte offsets.
//!
//! Valid UTF-8 takes precedence over any declared encoding: declarations are
//! often wrong, and text in another encoding is rarely valid UTF-8.

use std::borrow::Cow;
use std::ops::Range;
use std::str;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::{memchr_iter, memmem};
use relink_model::Span;

use crate::safe_slice::SafeSlice as _;

const UTF_8_BOM: &[u8] = b"\xEF\xBB\xBF";

/// Number of bytes searched for `<meta charset>` (HTML standard, 13.2.3.2).
const PRESCAN_LENGTH: usize = 1024;

/// Replaces one undecodable byte with one byte of text, so that offsets do not
/// shift.
const SUBSTITUTE: &str = "\u{1a}";

/// A document decoded to text.
pub(crate) struct SourceText<'b> {
    bytes: &'b [u8],
    text: Cow<'b, str>,
    mapping: OffsetMapping,
    /// The encoding of the document if `text` is masked, that is, if
    /// [`SUBSTITUTE`] replaces the bytes that are not valid UTF-8.
    masked_encoding: Option<&'static Encoding>,
}

/// Mapping from text offsets to byte offsets.
#[derive(Debug, Clone, Copy)]
enum OffsetMapping {
    /// Byte offsets are text offsets plus the length of the byte order mark.
    Shifted(usize),
    /// One byte per character.
    SingleByte,
    /// Two bytes per UTF-16 code unit, after the byte order mark.
    Utf16,
}

/// The detected encoding of a document.
#[derive(Clone, Copy)]
enum Charset<'b> {
    /// Valid UTF-8: the text and the length of the byte order mark.
    Utf8(&'b str, usize),
    /// UTF-16 with a byte order mark.
    Utf16(&'static Encoding),
    /// Another encoding, or UTF-8 with invalid bytes.
    Other(&'static Encoding),
}

impl<'b> SourceText<'b> {
    /// Decodes `bytes`. Uses the `declared` encoding unless the bytes are valid
    /// UTF-8 or start with a byte order mark.
    pub(crate) fn decode(bytes: &'b [u8], declared: Option<&'static Encoding>) -> Self {
        Self::with_charset(bytes, Charset::detect(bytes, declared))
    }

    /// Decodes `bytes` from the middle of a document, where no byte order mark
    /// is expected.
    pub(crate) fn decode_part(bytes: &'b [u8], declared: Option<&'static Encoding>) -> Self {
        Self::with_charset(bytes, Charset::detect_after_bom(bytes, 0, declared))
    }

    fn with_charset(bytes: &'b [u8], charset: Charset<'b>) -> Self {
        let (text, mapping, masked_encoding) = match charset {
            Charset::Utf8(text, skipped) => {
                (Cow::Borrowed(text), OffsetMapping::Shifted(skipped), None)
            }
            Charset::Utf16(encoding) => {
                (decode(encoding, bytes.slice(2..)), OffsetMapping::Utf16, None)
            }
            Charset::Other(encoding) if encoding.is_single_byte() => {
                (decode(encoding, bytes), OffsetMapping::SingleByte, None)
            }
            Charset::Other(encoding) => {
                (mask_invalid_utf8(bytes), OffsetMapping::Shifted(0), Some(encoding))
            }
        };
        Self { bytes, text, mapping, masked_encoding }
    }

    /// Returns the decoded text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the part of the text at `range`, with masked bytes decoded.
    pub(crate) fn raw(&self, range: Range<usize>) -> String {
        match self.masked_encoding {
            None => self.text.slice(range).to_owned(),
            // Masked text has the same offsets as the bytes.
            Some(encoding) => decode(encoding, self.bytes.slice(range)).into_owned(),
        }
    }
}

/// Decodes `bytes` without a mapping back to byte offsets.
pub(crate) fn decode_text<'b>(
    bytes: &'b [u8],
    declared: Option<&'static Encoding>,
) -> Cow<'b, str> {
    match Charset::detect(bytes, declared) {
        Charset::Utf8(text, _) => Cow::Borrowed(text),
        Charset::Utf16(encoding) => decode(encoding, bytes.slice(2..)),
        Charset::Other(encoding) => decode(encoding, bytes),
    }
}

fn decode<'b>(encoding: &'static Encoding, bytes: &'b [u8]) -> Cow<'b, str> {
    encoding.decode_without_bom_handling(bytes).0
}

impl<'b> Charset<'b> {
    fn detect(bytes: &'b [u8], declared: Option<&'static Encoding>) -> Self {
        match bytes {
            [0xFF, 0xFE, ..] => return Self::Utf16(UTF_16LE),
            [0xFE, 0xFF, ..] => return Self::Utf16(UTF_16BE),
            _ => {}
        }
        let rest = bytes.strip_prefix(UTF_8_BOM).unwrap_or(bytes);
        Self::detect_after_bom(bytes, bytes.len() - rest.len(), declared)
    }

    /// Detects the encoding of `bytes` after a byte order mark of `skipped`
    /// bytes.
    fn detect_after_bom(
        bytes: &'b [u8],
        skipped: usize,
        declared: Option<&'static Encoding>,
    ) -> Self {
        match valid_utf8(bytes.slice(skipped..)) {
            Some(text) => Self::Utf8(text, skipped),
            None => Self::Other(fallback_encoding(bytes, declared)),
        }
    }
}

/// Returns the text if it is valid UTF-8. An incomplete character at the end is
/// dropped, because a truncated body may end inside a character.
fn valid_utf8(bytes: &[u8]) -> Option<&str> {
    match str::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => {
            str::from_utf8(bytes.slice(..error.valid_up_to())).ok()
        }
        Err(_) => None,
    }
}

/// Returns the encoding of bytes that are not valid UTF-8: the declared encoding or a
/// guess.
fn fallback_encoding(bytes: &[u8], declared: Option<&'static Encoding>) -> &'static Encoding {
    declared
        .or_else(|| declared_encoding(bytes))
        .filter(|encoding| *encoding != UTF_8 && encoding.is_ascii_compatible())
        .unwrap_or_else(|| guess_encoding(bytes))
}

/// Guesses the encoding of bytes that are not valid UTF-8 and do not declare an
/// encoding. Bytes with a valid multi-byte character are UTF-8 with some invalid
/// bytes. Other bytes are windows-1252, the default of browsers.
fn guess_encoding(bytes: &[u8]) -> &'static Encoding {
    let has_utf8_character = bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    if has_utf8_character { UTF_8 } else { WINDOWS_1252 }
}

/// Returns the encoding that a document declares near its start.
pub(crate) fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    find_charset(bytes.slice(..bytes.len().min(PRESCAN_LENGTH)))
}

/// Whether the bytes start with a UTF-16 byte order mark.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF")
}

/// Returns the encoding named by `<meta charset=…>` or `charset=…`.
fn find_charset(head: &[u8]) -> Option<&'static Encoding> {
    let lower = head.to_ascii_lowercase();
    memmem::find(&lower, b"charset")
        .map(|at| lower.slice(at + b"charset".len()..))
        .and_then(parse_label)
}

/// Parses the encoding label after `charset`: `= "label"`.
fn parse_label(after: &[u8]) -> Option<&'static Encoding> {
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
    Encoding::for_label(value.slice(..end))
}

/// Returns the encoding named by a `Content-Type` header.
pub(crate) fn content_type_encoding(content_type: Option<&str>) -> Option<&'static Encoding> {
    find_charset(content_type?.as_bytes())
}

/// Replaces each byte that is not valid UTF-8 with [`SUBSTITUTE`].
fn mask_invalid_utf8(bytes: &[u8]) -> Cow<'_, str> {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for _ in chunk.invalid() {
            text.push_str(SUBSTITUTE);
        }
    }
    Cow::Owned(text)
}

/// Start position of a text within its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Byte offset.
    pub(crate) offset: usize,
    /// Line number, from 1.
    pub(crate) line: u32,
    /// Column in characters, from 1.
    pub(crate) column: u32,
}

impl Default for Origin {
    fn default() -> Self {
        Self { offset: 0, line: 1, column: 1 }
    }
}

/// A position in a text with its line and column.
///
/// A move counts only the text between the old and the new position, so long lines
/// with many links take linear time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor {
    at: usize,
    line: u32,
    column: u32,
    /// Number of units before the position; see [`OffsetMapping::units`].
    units: usize,
    origin: Origin,
}

impl Default for Cursor {
    fn default() -> Self {
        Self::new(Origin::default())
    }
}

impl Cursor {
    /// Returns a cursor at the start of a text that begins at `origin`.
    pub(crate) fn new(origin: Origin) -> Self {
        Self { at: 0, line: origin.line, column: origin.column, units: 0, origin }
    }

    /// Returns the origin of a text that starts at the cursor.
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

    /// Moves to offset `to` of the text. Moving backward restarts the count.
    pub(crate) fn move_to(&mut self, document: &SourceText<'_>, to: usize) {
        if to < self.at {
            *self = Self::new(self.origin);
        }
        let passed = document.text.slice(self.at..to);
        self.units += document.mapping.units(passed);
        self.count(passed);
        self.at = to;
    }

    /// Advances line and column by the text `passed`.
    fn count(&mut self, passed: &str) {
        let mut line_start = None;
        for newline in memchr_iter(b'\n', passed.as_bytes()) {
            self.line = self.line.saturating_add(1);
            line_start = Some(newline + 1);
        }
        if line_start.is_some() {
            self.column = 1;
        }
        let in_line = passed.slice(line_start.unwrap_or(0)..).chars().count();
        let in_line = u32::try_from(in_line).unwrap_or(u32::MAX);
        self.column = self.column.saturating_add(in_line);
    }

    /// Returns the byte span from the cursor to offset `end` of the text.
    pub(crate) fn span_to(&self, document: &SourceText<'_>, end: usize) -> Span {
        let units = self.units + document.mapping.units(document.text.slice(self.at..end));
        let length = document.bytes.len();
        Span {
            start: self.origin.offset + document.mapping.byte_offset(self.at, self.units, length),
            end: self.origin.offset + document.mapping.byte_offset(end, units, length),
        }
    }
}

impl OffsetMapping {
    /// Returns the number of source units of a text: bytes of a single-byte
    /// encoding or UTF-16 code units. Returns 0 if the mapping does not use units.
    fn units(self, passed: &str) -> usize {
        match self {
            Self::Shifted(_) => 0,
            Self::SingleByte => passed.chars().count(),
            Self::Utf16 => passed.chars().map(char::len_utf16).sum(),
        }
    }

    /// Returns the byte offset of text offset `at`, which has `units` units before
    /// it. The result is at most `length`, because a single byte at the end of
    /// UTF-16 is decoded like a code unit of two bytes.
    fn byte_offset(self, at: usize, units: usize, length: usize) -> usize {
        let offset = match self {
            Self::Shifted(skipped) => skipped + at,
            Self::SingleByte => units,
            Self::Utf16 => 2 + 2 * units,
        };
        offset.min(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the span, line and column of the text `needle`.
    #[track_caller]
    fn check(bytes: &[u8], needle: &str, span: Range<usize>, line: u32, column: u32) {
        let document = SourceText::decode(bytes, None);
        let at = document.text().find(needle).expect("the needle is there");
        let mut cursor = Cursor::default();
        cursor.move_to(&document, at);
        let found = cursor.span_to(&document, at + needle.len());
        assert_eq!(found.range(), span);
        assert_eq!((cursor.line(), cursor.column()), (line, column));
        assert_eq!(document.raw(at..at + needle.len()), needle);
    }

    #[test]
    fn utf8_offsets_are_byte_offsets() {
        check("é\r\nüx".as_bytes(), "x", 6..7, 2, 2);
        check(b"\xEF\xBB\xBFab", "b", 4..5, 1, 2);
    }

    #[test]
    fn utf16_offsets_count_two_bytes_per_code_unit() {
        check(b"\xFF\xFEa\0\n\0b\0", "b", 6..8, 2, 1);
        check(b"\xFE\xFF\xD8\x3D\xDE\x00\0b", "b", 6..8, 1, 2);
    }

    #[test]
    fn undeclared_invalid_utf8_is_windows_1252() {
        check(b"caf\xE9 b", "é b", 3..6, 1, 4);
    }

    #[test]
    fn declared_single_byte_encoding_is_used() {
        check(b"<meta charset=iso-8859-2>\xB1!", "ą!", 25..27, 1, 26);
    }

    #[test]
    fn single_invalid_byte_leaves_utf8_intact() {
        check(b"\xC3\xA9 \xFF x", "x", 5..6, 1, 5);
    }

    #[test]
    fn truncated_character_at_the_end_is_dropped() {
        assert_eq!(SourceText::decode(b"abc\xC3", None).text(), "abc");
    }

    #[test]
    fn declared_multi_byte_encoding_is_decoded() {
        let bytes = b"\xC4\xE3\xBA\xC3";
        let declared = content_type_encoding(Some("text/html; charset=GBK"));
        assert_eq!(decode_text(bytes, declared), "你好");
    }
}
