//! The blocks of an XML or SGML document (`DocBook`, CNXML, feeds).
//!
//! Vocabularies are many, so elements are known by name across them: those in
//! the tables below are blocks, every other element separates words at most.

use super::reference::unescape;
use super::tokenizer::{Token, Tokenizer};
use super::{is_address, local};
use crate::blocks::{BlockBuilder, BlockKind};
use crate::cut::Cut as _;

/// Maximum depth at which the ends of elements are followed.
const MAX_DEPTH: usize = 512;

/// Elements that are one block, with their role.
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

/// Elements whose text describes the document and is not shown in it.
const METADATA: &[&str] = &["metadata", "indexterm", "keywordset"];

/// Attributes with the destination of a link.
const LINK_ATTRIBUTES: &[&str] =
    &["href", "url", "linkend", "target-id", "document", "src", "fileref"];

/// What an open element is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Block,
    Metadata,
    Other,
}

/// Reads the blocks of a document.
pub(crate) fn read_blocks(text: &str, builder: &mut BlockBuilder) {
    let mut reader = Reader { text, builder, stack: Vec::new(), metadata: 0 };
    let mut tokens = Tokenizer::new(text);
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Start(name) => reader.open(local(name), &tokens),
            Token::End => reader.close(),
            Token::Text(range) if reader.metadata == 0 => {
                // Entities beyond the five of XML are those of HTML in `DocBook`.
                reader.builder.push(&htmlize::unescape(text.cut(range)));
            }
            Token::Data(range) if reader.metadata == 0 => reader.builder.push(text.cut(range)),
            _ => {}
        }
    }
    reader.builder.end();
}

struct Reader<'b, 't> {
    text: &'t str,
    builder: &'b mut BlockBuilder,
    stack: Vec<Open>,
    /// The number of open elements with metadata.
    metadata: usize,
}

impl Reader<'_, '_> {
    fn open(&mut self, name: &str, tokens: &Tokenizer<'_>) {
        let kind = BLOCKS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let open = match kind {
            _ if METADATA.iter().any(|known| known.eq_ignore_ascii_case(name)) => Open::Metadata,
            Some((_, kind)) => {
                self.builder.begin(*kind, false, 0);
                Open::Block
            }
            None => Open::Other,
        };
        if open == Open::Metadata {
            self.metadata += 1;
        }
        self.links(tokens);
        if self.stack.len() < MAX_DEPTH {
            self.stack.push(open);
        }
    }

    fn links(&mut self, tokens: &Tokenizer<'_>) {
        for attribute in tokens.attributes() {
            let name = local(attribute.name);
            let value = unescape(self.text.cut(attribute.value.clone()));
            let is_link = LINK_ATTRIBUTES.iter().any(|known| known.eq_ignore_ascii_case(name))
                && !attribute.name.starts_with("xmlns");
            if is_link || is_address(&value) && !attribute.name.starts_with("xmlns") {
                self.builder.link(&value);
            }
        }
    }

    fn close(&mut self) {
        match self.stack.pop() {
            Some(Open::Block) => self.builder.begin(BlockKind::Paragraph, false, 0),
            Some(Open::Metadata) => self.metadata = self.metadata.saturating_sub(1),
            _ => self.builder.space(),
        }
    }
}
