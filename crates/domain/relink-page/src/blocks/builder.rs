//! Collects blocks while a reader goes through a document.

use super::{Block, BlockKind, BlockLink, BlockText, MAX_BLOCKS, MAX_LINKS, MAX_TEXT};
use crate::cut::Cut as _;

/// Maximum length of a link's destination, in bytes; a longer one is cut.
const MAX_URL: usize = 500;

/// Minimum number of bytes outside boilerplate. A page with less has its text
/// in parts that look like boilerplate, so the marks are dropped.
const MIN_CONTENT: usize = 40;

/// Schemes of links that lead nowhere.
const NO_LINK_SCHEMES: [&str; 3] = ["javascript:", "data:", "about:"];

/// Collects blocks.
pub(crate) struct BlockBuilder {
    page: BlockText,
    /// The block being read, from its first byte on.
    open: Block,
    /// Whether white space comes before the next word.
    is_apart: bool,
}

impl BlockBuilder {
    pub(crate) fn new() -> Self {
        let open =
            Block { kind: BlockKind::Paragraph, range: 0..0, is_boilerplate: false, container: 0 };
        Self { page: BlockText::default(), open, is_apart: false }
    }

    /// Ends the block being read and begins the next.
    pub(crate) fn begin(&mut self, kind: BlockKind, is_boilerplate: bool, container: u64) {
        self.end();
        (self.open.kind, self.open.is_boilerplate) = (kind, is_boilerplate);
        self.open.container = container;
    }

    /// Ends the block being read; the next has the same role.
    pub(crate) fn end(&mut self) {
        self.is_apart = false;
        let end = self.page.text.len();
        let is_last = self.page.blocks.len() >= MAX_BLOCKS;
        if end == self.open.range.start {
            return;
        }
        if is_last {
            // All further text is one block.
            self.is_apart = true;
            return;
        }
        self.close(end);
    }

    fn close(&mut self, end: usize) {
        self.open.range.end = end;
        self.page.blocks.push(self.open.clone());
        if self.page.text.len() < MAX_TEXT {
            self.page.text.push('\n');
        }
        self.open.range = self.page.text.len()..self.page.text.len();
    }

    /// Separates words though no white space is written.
    pub(crate) fn space(&mut self) {
        self.is_apart = true;
    }

    /// Adds visible text; a word may continue in the next piece.
    pub(crate) fn push(&mut self, text: &str) {
        let mut words = text.split_ascii_whitespace();
        let Some(first) = words.next() else {
            self.is_apart |= !text.is_empty();
            return;
        };
        self.is_apart |= text.as_bytes().first().is_some_and(u8::is_ascii_whitespace);
        self.push_word(first);
        for word in words {
            self.is_apart = true;
            self.push_word(word);
        }
        self.is_apart = text.as_bytes().last().is_some_and(u8::is_ascii_whitespace);
    }

    fn push_word(&mut self, word: &str) {
        if self.page.text.len() + word.len() + 1 > MAX_TEXT {
            self.page.is_truncated = true;
            return;
        }
        if self.is_apart && self.page.text.len() > self.open.range.start {
            self.page.text.push(' ');
        }
        self.is_apart = false;
        self.page.text.push_str(word);
    }

    /// Adds a link of the block being read.
    pub(crate) fn link(&mut self, url: &str) {
        self.add_link(url, Some(self.page.blocks.len()));
    }

    /// Adds a link whose block is not known.
    pub(crate) fn link_without_block(&mut self, url: &str) {
        self.add_link(url, None);
    }

    fn add_link(&mut self, url: &str, block: Option<usize>) {
        let url = url.trim();
        if url.is_empty() || NO_LINK_SCHEMES.iter().any(|scheme| has_prefix(url, scheme)) {
            return;
        }
        if self.page.links.len() >= MAX_LINKS {
            self.page.is_truncated = true;
            return;
        }
        let url = url.cut(..url.floor_char_boundary(MAX_URL)).to_owned();
        self.page.links.push(BlockLink { url, block });
    }

    /// The blocks.
    pub(crate) fn finish(mut self) -> BlockText {
        let end = self.page.text.len();
        if end > self.open.range.start {
            self.close(end);
        }
        self.drop_links_outside();
        self.keep_some_content();
        self.page
    }

    /// A link without text, such as a linked image, may come after the last
    /// block.
    fn drop_links_outside(&mut self) {
        let count = self.page.blocks.len();
        for link in &mut self.page.links {
            link.block = link.block.filter(|block| *block < count);
        }
    }

    fn keep_some_content(&mut self) {
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
