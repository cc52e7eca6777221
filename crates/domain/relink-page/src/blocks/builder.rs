//! Collects the blocks of a document while it is parsed.

use super::{
    Block, BlockKind, BlockLink, BlockText, InlineMark, InlineMarkKind, MAX_BLOCKS, MAX_IMAGES,
    MAX_LINKS, MAX_MARKS, MAX_TEXT,
};
use crate::safe_slice::SafeSlice as _;

/// Maximum length of a link's destination, in bytes; longer destinations are truncated.
const MAX_URL: usize = 500;

/// Maximum length of the description of a page, in bytes.
const MAX_DESCRIPTION: usize = 2_000;

/// Minimum number of bytes outside boilerplate. If a page has less, its content
/// was mistaken for boilerplate, and all blocks count as content.
const MIN_CONTENT: usize = 40;

/// Schemes of URLs that do not refer to another document.
const IGNORED_SCHEMES: [&str; 3] = ["javascript:", "data:", "about:"];

/// Builds a [`BlockText`].
pub(crate) struct BlockBuilder {
    page: BlockText,
    /// The block to which text is added; the end of its range is not set yet.
    open: Block,
    /// Whether a space precedes the next word.
    needs_space: bool,
}

impl BlockBuilder {
    pub(crate) fn new() -> Self {
        let open =
            Block { kind: BlockKind::Paragraph, range: 0..0, is_boilerplate: false, container: 0 };
        Self { page: BlockText::default(), open, needs_space: false }
    }

    /// Ends the open block and begins the next block.
    pub(crate) fn begin(&mut self, kind: BlockKind, is_boilerplate: bool, container: u64) {
        self.end();
        (self.open.kind, self.open.is_boilerplate) = (kind, is_boilerplate);
        self.open.container = container;
    }

    /// Begins a block of a format without boilerplate and containers.
    pub(crate) fn begin_content(&mut self, kind: BlockKind) {
        self.begin(kind, false, 0);
    }

    /// Ends the open block. The next block has the same role.
    pub(crate) fn end(&mut self) {
        self.needs_space = false;
        let end = self.page.text.len();
        let is_full = self.page.blocks.len() >= MAX_BLOCKS;
        if end == self.open.range.start {
            return;
        }
        if is_full {
            // The last block contains all further text.
            self.needs_space = true;
            return;
        }
        self.store_open(end);
    }

    /// Stores the open block, which ends at `end`, and opens an empty block.
    fn store_open(&mut self, end: usize) {
        self.open.range.end = end;
        self.page.blocks.push(self.open.clone());
        if self.page.text.len() < MAX_TEXT {
            self.page.text.push('\n');
        }
        self.open.range = self.page.text.len()..self.page.text.len();
    }

    /// Separates the last word from the next word.
    pub(crate) fn space(&mut self) {
        self.needs_space = true;
    }

    /// Adds visible text. Without white space at its end, the last word continues in the
    /// next call.
    pub(crate) fn push(&mut self, text: &str) {
        let mut words = text.split_ascii_whitespace();
        let Some(first) = words.next() else {
            self.needs_space |= !text.is_empty();
            return;
        };
        self.needs_space |= text.as_bytes().first().is_some_and(u8::is_ascii_whitespace);
        self.push_word(first);
        for word in words {
            self.needs_space = true;
            self.push_word(word);
        }
        self.needs_space = text.as_bytes().last().is_some_and(u8::is_ascii_whitespace);
    }

    fn push_word(&mut self, word: &str) {
        if self.page.text.len() + word.len() + 1 > MAX_TEXT {
            self.page.is_truncated = true;
            return;
        }
        if self.needs_space && self.page.text.len() > self.open.range.start {
            self.page.text.push(' ');
        }
        self.needs_space = false;
        self.page.text.push_str(word);
    }

    /// Adds the content of a meta tag that describes the page.
    pub(crate) fn describe(&mut self, text: &str) {
        let room = MAX_DESCRIPTION.saturating_sub(self.page.description.len());
        if !self.page.description.is_empty() {
            self.page.description.push('\n');
        }
        self.page.description.push_str(text.slice(..text.floor_char_boundary(room)));
    }

    /// Adds an inline tag at the current position.
    pub(crate) fn mark(&mut self, kind: InlineMarkKind) {
        if self.page.marks.len() < MAX_MARKS {
            self.page.marks.push(InlineMark { offset: self.page.text.len(), kind });
        }
    }

    /// Adds a link of the open block.
    pub(crate) fn link(&mut self, url: &str) {
        self.add_link(url, Some(self.page.blocks.len()));
    }

    /// Adds a link whose block is not known.
    pub(crate) fn link_without_block(&mut self, url: &str) {
        self.add_link(url, None);
    }

    fn add_link(&mut self, url: &str, block: Option<usize>) {
        let url = url.trim();
        if url.is_empty() || IGNORED_SCHEMES.iter().any(|scheme| has_prefix(url, scheme)) {
            return;
        }
        if self.page.links.len() >= MAX_LINKS {
            self.page.is_truncated = true;
            return;
        }
        let url = url.slice(..url.floor_char_boundary(MAX_URL)).to_owned();
        self.page.links.push(BlockLink { url, block });
    }

    /// Adds an image of the open block, unless the block is boilerplate.
    pub(crate) fn image(&mut self, url: &str) {
        let url = url.trim();
        let is_ignored = IGNORED_SCHEMES.iter().any(|scheme| has_prefix(url, scheme));
        let is_full = self.page.images.len() >= MAX_IMAGES;
        if !url.is_empty() && !is_ignored && !is_full && !self.open.is_boilerplate {
            let url = url.slice(..url.floor_char_boundary(MAX_URL)).to_owned();
            self.page.images.push(url);
        }
    }

    /// Ends the open block and returns the result.
    pub(crate) fn finish(mut self) -> BlockText {
        let end = self.page.text.len();
        if end > self.open.range.start {
            self.store_open(end);
        }
        self.clear_invalid_blocks();
        self.ensure_content();
        self.page
    }

    /// Clears block indices that do not exist. A link without text, such as a
    /// linked image, may follow the last block.
    fn clear_invalid_blocks(&mut self) {
        let count = self.page.blocks.len();
        for link in &mut self.page.links {
            link.block = link.block.filter(|block| *block < count);
        }
    }

    /// Marks all blocks as content if almost all text is boilerplate.
    fn ensure_content(&mut self) {
        let content = self.page.blocks.iter().filter(|block| !block.is_boilerplate);
        let length: usize = content.map(|block| block.range.len()).sum();
        if length < MIN_CONTENT {
            self.page.blocks.iter_mut().for_each(|block| block.is_boilerplate = false);
        }
    }
}

fn has_prefix(url: &str, prefix: &str) -> bool {
    url.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}
