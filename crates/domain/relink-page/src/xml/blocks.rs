//! The blocks of an XML or SGML document (`DocBook`, CNXML, feeds).
//!
//! Elements are recognized by name, independent of the document type. The elements in
//! [`BLOCKS`] are blocks; other elements only separate words.

use super::reference::unescape;
use super::tokenizer::{Token, Tokenizer};
use super::{is_web_url, local_name};
use crate::blocks::{BlockBuilder, BlockKind};
use crate::safe_slice::SafeSlice as _;

/// Maximum depth at which the ends of elements are followed.
const MAX_DEPTH: usize = 512;

/// Elements that are one block, with the kind of the block.
const BLOCKS: &[(&str, BlockKind)] = &[
    ("title", BlockKind::Heading),
    ("subtitle", BlockKind::Heading),
    ("refname", BlockKind::Heading),
    ("para", BlockKind::Paragraph),
    ("simpara", BlockKind::Paragraph),
    ("formalpara", BlockKind::Paragraph),
    ("p", BlockKind::Paragraph),
    ("description", BlockKind::Paragraph),
    ("summary", BlockKind::Paragraph),
    ("content", BlockKind::Paragraph),
    ("abstract", BlockKind::Paragraph),
    ("meaning", BlockKind::Paragraph),
    ("refpurpose", BlockKind::Paragraph),
    ("section", BlockKind::Paragraph),
    ("note", BlockKind::Paragraph),
    ("tip", BlockKind::Paragraph),
    ("warning", BlockKind::Paragraph),
    ("caution", BlockKind::Paragraph),
    ("important", BlockKind::Paragraph),
    ("footnote", BlockKind::Paragraph),
    ("problem", BlockKind::Paragraph),
    ("solution", BlockKind::Paragraph),
    ("varlistentry", BlockKind::Paragraph),
    ("listitem", BlockKind::ListItem),
    ("member", BlockKind::ListItem),
    ("item", BlockKind::ListItem),
    ("entry", BlockKind::TableCell),
    ("td", BlockKind::TableCell),
    ("th", BlockKind::TableCell),
    ("programlisting", BlockKind::Code),
    ("screen", BlockKind::Code),
    ("synopsis", BlockKind::Code),
    ("literallayout", BlockKind::Code),
    ("blockquote", BlockKind::Quote),
    ("quote", BlockKind::Quote),
    ("caption", BlockKind::Caption),
];

/// Elements whose text describes the document and is not shown.
const METADATA: &[&str] = &["metadata", "indexterm", "keywordset"];

/// Attributes with the destination of a link.
const LINK_ATTRIBUTES: &[&str] =
    &["href", "url", "linkend", "target-id", "document", "src", "fileref"];

/// Kind of an open element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenElement {
    Block,
    Metadata,
    Other,
}

/// Parses the blocks of a document.
pub(crate) fn read_blocks(text: &str, builder: &mut BlockBuilder) {
    let mut parser = XmlBlockParser { text, builder, stack: Vec::new(), metadata: 0 };
    let mut tokens = Tokenizer::new(text);
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Start(name) => parser.open(local_name(name), &tokens),
            Token::End => parser.close(),
            Token::Text(range) if parser.metadata == 0 => {
                // `DocBook` uses HTML entities in addition to the five of XML.
                parser.builder.push(&htmlize::unescape(text.slice(range)));
            }
            Token::Data(range) if parser.metadata == 0 => parser.builder.push(text.slice(range)),
            _ => {}
        }
    }
    parser.builder.end();
}

struct XmlBlockParser<'b, 't> {
    text: &'t str,
    builder: &'b mut BlockBuilder,
    stack: Vec<OpenElement>,
    /// Number of open elements with metadata.
    metadata: usize,
}

impl XmlBlockParser<'_, '_> {
    fn open(&mut self, name: &str, tokens: &Tokenizer<'_>) {
        let block = BLOCKS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let open_element = match block {
            _ if METADATA.iter().any(|known| known.eq_ignore_ascii_case(name)) => {
                OpenElement::Metadata
            }
            Some((_, kind)) => {
                self.builder.begin_content(*kind);
                OpenElement::Block
            }
            None => OpenElement::Other,
        };
        if open_element == OpenElement::Metadata {
            self.metadata += 1;
        }
        self.add_links(tokens);
        if self.stack.len() < MAX_DEPTH {
            self.stack.push(open_element);
        }
    }

    /// Adds the links in the attributes of a tag.
    fn add_links(&mut self, tokens: &Tokenizer<'_>) {
        for attribute in tokens.attributes() {
            let name = local_name(attribute.name);
            let value = unescape(self.text.slice(attribute.value.clone()));
            let is_link = LINK_ATTRIBUTES.iter().any(|known| known.eq_ignore_ascii_case(name))
                || is_web_url(&value);
            // The URL of a namespace is a name and not a link.
            if is_link && !attribute.name.starts_with("xmlns") {
                self.builder.link(&value);
            }
        }
    }

    fn close(&mut self) {
        match self.stack.pop() {
            Some(OpenElement::Block) => self.builder.begin_content(BlockKind::Paragraph),
            Some(OpenElement::Metadata) => self.metadata = self.metadata.saturating_sub(1),
            _ => self.builder.space(),
        }
    }
}
