//! A pull parser for untrusted XML: the caller requests one node after the other.
//!
//! Wraps quick-xml, which expands no entities and loads nothing. In addition, document type
//! declarations are rejected, the depth is limited, and errors have a line and a column.

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::well_formed::{allowed_text, entity_text};

/// Maximum depth of elements.
const MAX_DEPTH: usize = 128;

/// A part of a document.
pub(crate) enum Node<'a> {
    /// The start of an element.
    Open(Element<'a>),
    /// Text, without markup.
    Text(String),
    /// The end of an element.
    Close,
    /// The end of the document.
    End,
}

/// The start of an element.
pub(crate) struct Element<'a> {
    /// The local name.
    pub(crate) name: String,
    /// The offset of the start tag.
    pub(crate) offset: usize,
    start: BytesStart<'a>,
}

impl Element<'_> {
    /// Returns the value of an attribute by its qualified name.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let attribute = self.start.try_get_attribute(name).ok()??;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        Some(value.map_or_else(|_| attribute.value.to_string(), Into::into))
    }

    /// Returns the namespace declarations as written: name and raw value.
    pub(crate) fn namespaces(&self) -> Vec<(String, String)> {
        let attributes = self.start.attributes().filter_map(Result::ok);
        let pairs = attributes
            .map(|attribute| (attribute.key.into_inner().to_owned(), attribute.value.into_owned()));
        pairs.filter(|(name, _)| name == "xmlns" || name.starts_with("xmlns:")).collect()
    }

    /// Returns the length of the qualified name.
    pub(crate) fn qualified_name_len(&self) -> usize {
        self.start.name().into_inner().len()
    }
}

/// The reason why a document cannot be parsed.
#[derive(Debug)]
pub(crate) struct XmlError {
    /// The line, starting at one.
    pub(crate) line: usize,
    /// The column in characters, starting at one.
    pub(crate) column: usize,
    /// The reason.
    pub(crate) reason: String,
}

/// A pull parser.
pub(crate) struct XmlReader<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    depth: usize,
}

impl<'a> XmlReader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        // Providers often write `&` in URLs without escaping it.
        config.allow_dangling_amp = true;
        Self { text, reader, depth: 0 }
    }

    /// Returns the current offset.
    pub(crate) fn offset(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }

    /// Returns the text between two offsets.
    pub(crate) fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Returns the next node.
    pub(crate) fn next(&mut self) -> Result<Node<'a>, XmlError> {
        loop {
            let offset = self.offset();
            let event = self.reader.read_event();
            let event = event.map_err(|error| self.error_at_failure(&error.to_string()))?;
            match event {
                Event::Start(start) | Event::Empty(start) => return self.open(start, offset),
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(Node::Close);
                }
                Event::Text(text) => return Ok(Node::Text(allowed_text(&text.xml10_content()))),
                Event::CData(text) => return Ok(Node::Text(allowed_text(&text.xml10_content()))),
                Event::GeneralRef(reference) => {
                    return Ok(Node::Text(resolve_reference(&reference)));
                }
                Event::DocType(_) => {
                    return Err(self.error(offset, "document type declarations are not accepted"));
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
                Event::Eof if self.depth > 0 => {
                    return Err(self.error(offset, "the document ends inside of an element"));
                }
                Event::Eof => return Ok(Node::End),
            }
        }
    }

    fn open(&mut self, start: BytesStart<'a>, offset: usize) -> Result<Node<'a>, XmlError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(offset, "elements are nested too deeply"));
        }
        let name = start.local_name().into_inner().to_owned();
        Ok(Node::Open(Element { name, offset, start }))
    }

    /// Returns the trimmed text of the current element without the text of nested
    /// elements. Reads up to the end of the element.
    pub(crate) fn element_text(&mut self) -> Result<String, XmlError> {
        let mut text = String::new();
        let mut nested = 0_usize;
        loop {
            match self.next()? {
                Node::Text(part) if nested == 0 => text += &part,
                Node::Text(_) => {}
                Node::Open(_) => nested += 1,
                Node::Close if nested == 0 => return Ok(text.trim().to_owned()),
                Node::Close => nested -= 1,
                Node::End => return Ok(text.trim().to_owned()),
            }
        }
    }

    fn error_at_failure(&self, reason: &str) -> XmlError {
        let offset = usize::try_from(self.reader.error_position()).unwrap_or(usize::MAX);
        self.error(offset, reason)
    }

    /// Returns an error at an offset.
    pub(crate) fn error(&self, offset: usize, reason: &str) -> XmlError {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        XmlError { line, column, reason: reason.to_owned() }
    }
}

/// Returns the text of a reference. Only the entities of XML and HTML are known. Other references
/// are returned as written, because documents cannot declare entities here.
fn resolve_reference(reference: &BytesRef<'_>) -> String {
    let name = reference.xml10_content();
    if name.starts_with('#') {
        let char = reference.resolve_char_ref().ok().flatten();
        return char.map(|char| allowed_text(&char.to_string())).unwrap_or_default();
    }
    entity_text(&name).unwrap_or_else(|| format!("&{name};"))
}

/// Decodes a document. The encoding is determined by its byte order mark, else its XML
/// declaration, else the charset of the response. The default is UTF-8.
pub(crate) fn decode(bytes: &[u8], charset: Option<&str>) -> String {
    if let Some((encoding, skipped)) = encoding_rs::Encoding::for_bom(bytes) {
        let rest = bytes.get(skipped..).unwrap_or_default();
        return encoding.decode_without_bom_handling(rest).0.into_owned();
    }
    let declared = declared_encoding(bytes);
    let label = declared.as_deref().or(charset);
    let encoding = label.and_then(|label| encoding_rs::Encoding::for_label(label.as_bytes()));
    encoding.unwrap_or(encoding_rs::UTF_8).decode_without_bom_handling(bytes).0.into_owned()
}

/// Returns the encoding in the XML declaration, which is ASCII in all supported encodings.
fn declared_encoding(bytes: &[u8]) -> Option<String> {
    /// Number of bytes in which the declaration is searched.
    const DECLARATION_BYTES: usize = 200;
    let head = bytes.get(..bytes.len().min(DECLARATION_BYTES))?;
    let head = String::from_utf8_lossy(head);
    let declaration = head.trim_start().strip_prefix("<?xml")?.split_once("?>")?.0;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|char| matches!(char, '"' | '\''))?;
    Some(value.get(1..)?.split_once(quote)?.0.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the line, the column and a part of the reason of the error.
    #[track_caller]
    fn check_error(text: &str, expect: (usize, usize, &str)) {
        let mut reader = XmlReader::new(text);
        let error = loop {
            match reader.next() {
                Ok(Node::End) => panic!("no error"),
                Ok(_) => {}
                Err(error) => break error,
            }
        };
        assert_eq!((error.line, error.column), (expect.0, expect.1), "{}", error.reason);
        assert!(error.reason.contains(expect.2), "{}", error.reason);
    }

    #[test]
    fn errors_have_line_and_column() {
        check_error("<a>\n  <b></c>\n</a>", (2, 6, "c"));
        check_error("<a>\n<b>", (2, 4, "ends inside"));
    }

    #[test]
    fn bombs_are_rejected() {
        let bomb = "<!DOCTYPE a [<!ENTITY x \"xxxxxxxxxx\">]>\n<a>&x;</a>";
        check_error(bomb, (1, 1, "document type"));
        // 128 start tags of three characters are allowed.
        check_error(&"<a>".repeat(1_000_000), (1, 385, "nested too deeply"));
    }

    #[test]
    fn unknown_entities_are_not_expanded() {
        let mut reader = XmlReader::new("<a>x &amp; &#65;&none;&eacute;&#1;<![CDATA[<b>]]></a>");
        assert!(matches!(reader.next(), Ok(Node::Open(_))));
        assert_eq!(reader.element_text().unwrap(), "x & A&none;é<b>");
    }

    #[test]
    fn decode_uses_mark_then_declaration_then_header() {
        assert_eq!(decode(b"\xEF\xBB\xBF<a/>", Some("latin1")), "<a/>");
        let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>";
        assert!(decode(latin, None).contains("<a>é</a>"));
        assert_eq!(decode(b"<a>\xE9</a>", Some("latin1")), "<a>é</a>");
        assert_eq!(decode(b"<a>\xE9</a>", None), "<a>\u{FFFD}</a>");
        let wide: Vec<u8> = "\u{FEFF}<a/>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&wide, None), "<a/>");
    }
}
