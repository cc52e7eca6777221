//! The forms in which a URL can be written into a document.

use std::fmt::Write as _;

use relink_page::DocumentFormat;

/// A form in which a URL is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UrlForm {
    /// The URL itself.
    Plain,
    /// The URL with `&amp;` for `&`.
    HtmlEscaped,
    /// The URL with percent-encoded delimiters of markup.
    PercentEncoded,
    /// The URL with percent-encoded delimiters and `&amp;` for `&`.
    PercentEncodedHtml,
}

impl UrlForm {
    /// Returns the first form to try. HTML requires `&amp;` in attributes, even
    /// though parsers also accept `&`.
    pub(crate) fn first(format: DocumentFormat) -> Self {
        match format {
            DocumentFormat::Html | DocumentFormat::Xml => Self::HtmlEscaped,
            _ => Self::Plain,
        }
    }

    /// Returns the form to try after this form.
    pub(crate) fn next(self) -> Option<Self> {
        match self {
            Self::Plain => Some(Self::PercentEncoded),
            Self::HtmlEscaped => Some(Self::PercentEncodedHtml),
            Self::PercentEncoded => Some(Self::HtmlEscaped),
            Self::PercentEncodedHtml => None,
        }
    }

    /// Returns the text to write into a document.
    pub(crate) fn write(self, url: &str) -> String {
        match self {
            Self::Plain => url.to_owned(),
            Self::HtmlEscaped => url.replace('&', "&amp;"),
            Self::PercentEncoded => percent_encode(url),
            Self::PercentEncodedHtml => percent_encode(url).replace('&', "&amp;"),
        }
    }

    /// Returns the URL that a parser reads from the written text.
    pub(crate) fn parsed(self, url: &str) -> String {
        match self {
            Self::Plain | Self::HtmlEscaped => url.to_owned(),
            Self::PercentEncoded | Self::PercentEncodedHtml => percent_encode(url),
        }
    }
}

/// Percent-encodes the characters that end a link in a markup language. Servers treat encoded
/// and literal characters alike.
pub(crate) fn percent_encode(url: &str) -> String {
    let mut text = String::with_capacity(url.len());
    for character in url.chars() {
        match character {
            '(' | ')' | '[' | ']' | '<' | '>' | '"' | '\'' | '`' | '|' | '*' | '_' => {
                // Writing to a string does not fail.
                let _ = write!(text, "%{:02X}", u32::from(character));
            }
            _ => text.push(character),
        }
    }
    text
}

/// The encoding of ASCII characters in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CharWidth {
    /// ASCII characters have one byte.
    Single,
    /// UTF-16, little endian.
    Utf16Le,
    /// UTF-16, big endian.
    Utf16Be,
}

impl CharWidth {
    /// Detects the width by the byte order mark.
    pub(crate) fn detect(bytes: &[u8]) -> Self {
        match bytes {
            [0xFF, 0xFE, ..] => Self::Utf16Le,
            [0xFE, 0xFF, ..] => Self::Utf16Be,
            _ => Self::Single,
        }
    }

    /// Returns the bytes of a text in this encoding.
    pub(crate) fn encode(self, text: &str) -> Vec<u8> {
        match self {
            Self::Single => text.as_bytes().to_vec(),
            Self::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }
}

/// Returns a part of a document as text, in the encoding of the document. Invalid characters are
/// replaced.
pub fn decode_text(document: &[u8], part: &[u8]) -> String {
    let pairs = || part.chunks_exact(2).filter_map(|pair| <[u8; 2]>::try_from(pair).ok());
    match CharWidth::detect(document) {
        CharWidth::Single => String::from_utf8_lossy(part).into_owned(),
        CharWidth::Utf16Le => {
            String::from_utf16_lossy(&pairs().map(u16::from_le_bytes).collect::<Vec<_>>())
        }
        CharWidth::Utf16Be => {
            String::from_utf16_lossy(&pairs().map(u16::from_be_bytes).collect::<Vec<_>>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decode_text_reads_the_encoding_of_the_document() {
        assert_eq!(decode_text(b"\xFF\xFEa\0", b"h\0t\0"), "ht");
        assert_eq!(decode_text(b"\xFE\xFF\0a", b"\0h\0t"), "ht");
        assert_eq!(decode_text(b"abc", b"ht"), "ht");
    }
}
