//! Splits the text of a page into blocks: paragraphs, headings, list items.
//!
//! One pass over a document yields its visible text, the blocks and their
//! links. Parts that repeat on every page of a site (navigation, banners,
//! footers, cookie notices) are marked as boilerplate. The blocks of two
//! versions of a page are compared to find changes.
//!
//! The result is bounded: at most [`MAX_TEXT`] bytes of text, [`MAX_BLOCKS`]
//! blocks and [`MAX_LINKS`] links. Style sheets are not applied, so text that
//! only a style sheet hides counts as visible.

mod builder;
mod lines;

use crate::safe_slice::SafeSlice as _;
use std::ops::Range;

pub(crate) use builder::BlockBuilder;
pub(crate) use lines::{is_underline, list_item};

use crate::source_text::{content_type_encoding, decode_text};
use crate::{DocumentFormat, html, markdown, rst, xml};

/// Maximum length of the text, in bytes.
pub const MAX_TEXT: usize = 10 * 1024 * 1024;

/// Maximum number of blocks; further text is one additional block.
pub const MAX_BLOCKS: usize = 20_000;

/// Maximum number of links.
pub const MAX_LINKS: usize = 10_000;

/// Maximum number of inline marks; further marks are dropped.
pub const MAX_MARKS: usize = 20_000;

/// Maximum number of images.
pub const MAX_IMAGES: usize = 500;

/// The role of a block in its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BlockKind {
    /// The title of the page.
    Title,
    /// A heading of any level.
    Heading,
    /// Running text.
    Paragraph,
    /// An item of a list.
    ListItem,
    /// A cell of a table.
    TableCell,
    /// Program code or other preformatted text.
    Code,
    /// A quotation.
    Quote,
    /// The caption of a figure or table.
    Caption,
}

/// One block of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The role of the block.
    pub kind: BlockKind,
    /// The range of the block in [`BlockText::text`].
    pub range: Range<usize>,
    /// Whether the block probably repeats on every page of the site.
    pub is_boilerplate: bool,
    /// A hash of the elements around the block. It is equal for the items of
    /// one list, and for the same block in two versions of a page.
    pub container: u64,
}

/// A link of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockLink {
    /// The destination as written, with character references resolved.
    pub url: String,
    /// The index of the block with the link, if known.
    pub block: Option<usize>,
}

/// The kind of an inline tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InlineMarkKind {
    /// The start of an element with emphasis, such as `<strong>`.
    EmphasisStart,
    /// The end of an element with emphasis.
    EmphasisEnd,
    /// Any other inline tag, except a link.
    Tag,
}

/// An inline tag between two words of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InlineMark {
    /// The offset in [`BlockText::text`] of the text after the tag, or of the space
    /// before it.
    pub offset: usize,
    /// The kind of the tag.
    pub kind: InlineMarkKind,
}

/// The text of a page, split into blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlockText {
    text: String,
    /// Every block, in document order. No block is empty.
    pub blocks: Vec<Block>,
    /// The links, in document order.
    pub links: Vec<BlockLink>,
    /// The sources of the images of an HTML page outside boilerplate, as written, in
    /// document order.
    pub images: Vec<String>,
    /// The description and keywords of an HTML page's meta tags.
    pub description: String,
    /// The inline tags of HTML and Markdown in document order, except links. For other
    /// formats, the list is empty.
    pub marks: Vec<InlineMark>,
    /// Whether the page has more text or links than the limits allow.
    pub is_truncated: bool,
}

impl BlockText {
    /// Returns the text of all blocks, one line each.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text of a block, with white space folded.
    pub fn text_of(&self, block: &Block) -> &str {
        self.text.get(block.range.clone()).unwrap_or_default()
    }

    /// Returns the title of the page, or its first heading if it has no title.
    pub fn title(&self) -> Option<&str> {
        let first = |kind| self.blocks.iter().find(|block| block.kind == kind);
        let block = first(BlockKind::Title).or_else(|| first(BlockKind::Heading))?;
        Some(self.text_of(block))
    }
}

/// Splits a document of a known format into blocks.
///
/// ```
/// use relink_page::{BlockKind, DocumentFormat, block_text};
/// let html = b"<nav>Home</nav><h1>Owls</h1><p>At night they <b>hoot</b> in the snow of the north.";
/// let page = block_text(DocumentFormat::Html, html);
/// let blocks: Vec<_> = page.blocks.iter().map(|block| page.text_of(block)).collect();
/// assert_eq!(blocks, ["Home", "Owls", "At night they hoot in the snow of the north."]);
/// assert!(page.blocks[0].is_boilerplate);
/// assert_eq!(page.blocks[1].kind, BlockKind::Heading);
/// ```
pub fn block_text(format: DocumentFormat, bytes: &[u8]) -> BlockText {
    split_text(format, &decode_text(bytes, None))
}

/// Splits a fetched body into blocks. Returns `None` if it is not text.
///
/// ```
/// let page = relink_page::body_blocks(Some("text/html"), b"<p>Hello").unwrap();
/// assert_eq!(page.text().trim(), "Hello");
/// assert!(relink_page::body_blocks(Some("image/png"), b"\x89PNG").is_none());
/// ```
pub fn body_blocks(content_type: Option<&str>, body: &[u8]) -> Option<BlockText> {
    let format = DocumentFormat::from_content_type(content_type, body)?;
    Some(split_text(format, &decode_text(body, content_type_encoding(content_type))))
}

fn split_text(format: DocumentFormat, text: &str) -> BlockText {
    let text = truncate_source(text);
    let mut builder = BlockBuilder::new();
    match format {
        DocumentFormat::Html => html::read_blocks(text, &mut builder),
        DocumentFormat::Markdown => markdown::read_blocks(text, &mut builder),
        DocumentFormat::Rst => rst::read_blocks(text, &mut builder),
        DocumentFormat::Xml => xml::read_blocks(text, &mut builder),
        _ => lines::read_blocks(format, text, &mut builder),
    }
    builder.finish()
}

/// Maximum length of the source that is parsed, in bytes. Markup may be several
/// times as long as its text.
const MAX_SOURCE: usize = 4 * MAX_TEXT;

fn truncate_source(text: &str) -> &str {
    text.slice(..text.floor_char_boundary(MAX_SOURCE))
}

#[cfg(test)]
mod tests;
